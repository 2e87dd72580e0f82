/* The vector types, which a program in CUDA C++ finds without including anything. */

#define FAKE_VECTOR(T, name, small, large)                                                                             \
    struct name##1                                                                                                     \
    {                                                                                                                  \
        T x;                                                                                                           \
    };                                                                                                                 \
    struct alignas(small) name##2                                                                                      \
    {                                                                                                                  \
        T x, y;                                                                                                        \
    };                                                                                                                 \
    struct name##3                                                                                                     \
    {                                                                                                                  \
        T x, y, z;                                                                                                     \
    };                                                                                                                 \
    struct alignas(large) name##4                                                                                      \
    {                                                                                                                  \
        T x, y, z, w;                                                                                                  \
    };                                                                                                                 \
    FAKE_OWN name##2 make_##name##2(T x, T y)                                                                          \
    {                                                                                                                  \
        return {x, y};                                                                                                 \
    }                                                                                                                  \
    FAKE_OWN name##3 make_##name##3(T x, T y, T z)                                                                     \
    {                                                                                                                  \
        return {x, y, z};                                                                                              \
    }                                                                                                                  \
    FAKE_OWN name##4 make_##name##4(T x, T y, T z, T w)                                                                \
    {                                                                                                                  \
        return {x, y, z, w};                                                                                           \
    }
FAKE_VECTOR(signed char, char, 2, 4)
FAKE_VECTOR(unsigned char, uchar, 2, 4)
FAKE_VECTOR(short, short, 4, 8)
FAKE_VECTOR(unsigned short, ushort, 4, 8)
FAKE_VECTOR(int, int, 8, 16)
FAKE_VECTOR(unsigned, uint, 8, 16)
FAKE_VECTOR(long, long, 16, 16)
FAKE_VECTOR(unsigned long, ulong, 16, 16)
FAKE_VECTOR(long long, longlong, 16, 16)
FAKE_VECTOR(unsigned long long, ulonglong, 16, 16)
FAKE_VECTOR(float, float, 8, 16)
FAKE_VECTOR(double, double, 16, 16)
