/* Functions that a program in CUDA C++ finds without including anything. */

/* -- atomics: relaxed, as on the device ----------------------------------------------------
 */

#define FAKE_ATOMIC inline __attribute__((no_sanitize_thread, unused))
#define FAKE_ATOMICS(T)                                                                                                \
    FAKE_ATOMIC T atomicAdd(T *p, T v)                                                                                 \
    {                                                                                                                  \
        fake_shared_word((uintptr_t)p, sizeof *p, 1);                                                                  \
        return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);                                                             \
    }                                                                                                                  \
    FAKE_ATOMIC T atomicSub(T *p, T v)                                                                                 \
    {                                                                                                                  \
        fake_shared_word((uintptr_t)p, sizeof *p, 1);                                                                  \
        return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED);                                                             \
    }                                                                                                                  \
    FAKE_ATOMIC T atomicExch(T *p, T v)                                                                                \
    {                                                                                                                  \
        fake_shared_word((uintptr_t)p, sizeof *p, 1);                                                                  \
        return __atomic_exchange_n(p, v, __ATOMIC_RELAXED);                                                            \
    }                                                                                                                  \
    FAKE_ATOMIC T atomicCAS(T *p, T expected, T v)                                                                     \
    {                                                                                                                  \
        fake_shared_word((uintptr_t)p, sizeof *p, 1);                                                                  \
        __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);                       \
        return expected;                                                                                               \
    }                                                                                                                  \
    FAKE_ATOMIC T atomicAnd(T *p, T v)                                                                                 \
    {                                                                                                                  \
        fake_shared_word((uintptr_t)p, sizeof *p, 1);                                                                  \
        return __atomic_fetch_and(p, v, __ATOMIC_RELAXED);                                                             \
    }                                                                                                                  \
    FAKE_ATOMIC T atomicOr(T *p, T v)                                                                                  \
    {                                                                                                                  \
        fake_shared_word((uintptr_t)p, sizeof *p, 1);                                                                  \
        return __atomic_fetch_or(p, v, __ATOMIC_RELAXED);                                                              \
    }                                                                                                                  \
    FAKE_ATOMIC T atomicXor(T *p, T v)                                                                                 \
    {                                                                                                                  \
        fake_shared_word((uintptr_t)p, sizeof *p, 1);                                                                  \
        return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED);                                                             \
    }                                                                                                                  \
    FAKE_ATOMIC T atomicMin(T *p, T v)                                                                                 \
    {                                                                                                                  \
        fake_shared_word((uintptr_t)p, sizeof *p, 1);                                                                  \
        T old = __atomic_load_n(p, __ATOMIC_RELAXED);                                                                  \
        while (v < old && !__atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {       \
        }                                                                                                              \
        return old;                                                                                                    \
    }                                                                                                                  \
    FAKE_ATOMIC T atomicMax(T *p, T v)                                                                                 \
    {                                                                                                                  \
        fake_shared_word((uintptr_t)p, sizeof *p, 1);                                                                  \
        T old = __atomic_load_n(p, __ATOMIC_RELAXED);                                                                  \
        while (old < v && !__atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {       \
        }                                                                                                              \
        return old;                                                                                                    \
    }
FAKE_ATOMICS(int)
FAKE_ATOMICS(unsigned)
FAKE_ATOMICS(unsigned long long)
FAKE_ATOMIC float atomicAdd(float *p, float v)
{
    float old, sum;

    fake_shared_word((uintptr_t)p, sizeof *p, 1);
    __atomic_load(p, &old, __ATOMIC_RELAXED);
    do
        sum = old + v;
    while (!__atomic_compare_exchange(p, &old, &sum, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}

/* -- arithmetic -------------------------------------------------------------------------------------------------------
 */

#define FAKE_MATH1(name)                                                                                               \
    extern "C" double name(double) noexcept;                                                                           \
    extern "C" float name##f(float) noexcept;                                                                          \
    FAKE_OWN float name(float x)                                                                                       \
    {                                                                                                                  \
        return name##f(x);                                                                                             \
    }
#define FAKE_MATH2(name)                                                                                               \
    extern "C" double name(double, double) noexcept;                                                                   \
    extern "C" float name##f(float, float) noexcept;                                                                   \
    FAKE_OWN float name(float x, float y)                                                                              \
    {                                                                                                                  \
        return name##f(x, y);                                                                                          \
    }
FAKE_MATH1(acos)
FAKE_MATH1(acosh)
FAKE_MATH1(asin)
FAKE_MATH1(asinh)
FAKE_MATH1(atan)
FAKE_MATH1(atanh)
FAKE_MATH1(cbrt)
FAKE_MATH1(ceil)
FAKE_MATH1(cos)
FAKE_MATH1(cosh)
FAKE_MATH1(erf)
FAKE_MATH1(erfc)
FAKE_MATH1(exp)
FAKE_MATH1(exp10)
FAKE_MATH1(exp2)
FAKE_MATH1(expm1)
FAKE_MATH1(fabs)
FAKE_MATH1(floor)
FAKE_MATH1(lgamma)
FAKE_MATH1(log)
FAKE_MATH1(log10)
FAKE_MATH1(log1p)
FAKE_MATH1(log2)
FAKE_MATH1(nearbyint)
FAKE_MATH1(rint)
FAKE_MATH1(round)
FAKE_MATH1(sin)
FAKE_MATH1(sinh)
FAKE_MATH1(sqrt)
FAKE_MATH1(tan)
FAKE_MATH1(tanh)
FAKE_MATH1(tgamma)
FAKE_MATH1(trunc)
FAKE_MATH2(atan2)
FAKE_MATH2(copysign)
FAKE_MATH2(fdim)
FAKE_MATH2(fmax)
FAKE_MATH2(fmin)
FAKE_MATH2(fmod)
FAKE_MATH2(hypot)
FAKE_MATH2(pow)
FAKE_MATH2(remainder)
extern "C" double fma(double, double, double) noexcept;
extern "C" float fmaf(float, float, float) noexcept;
FAKE_OWN float fma(float x, float y, float z)
{
    return fmaf(x, y, z);
}
FAKE_OWN float rsqrtf(float x)
{
    return 1.0f / sqrtf(x);
}
FAKE_OWN float rsqrt(float x)
{
    return 1.0f / sqrtf(x);
}
FAKE_OWN double rsqrt(double x)
{
    return 1.0 / sqrt(x);
}
#define FAKE_MIN_MAX(T)                                                                                                \
    FAKE_OWN T min(T a, T b)                                                                                           \
    {                                                                                                                  \
        return b < a ? b : a;                                                                                          \
    }                                                                                                                  \
    FAKE_OWN T max(T a, T b)                                                                                           \
    {                                                                                                                  \
        return a < b ? b : a;                                                                                          \
    }
FAKE_MIN_MAX(int)
FAKE_MIN_MAX(unsigned)
FAKE_MIN_MAX(long)
FAKE_MIN_MAX(unsigned long)
FAKE_MIN_MAX(long long)
FAKE_MIN_MAX(unsigned long long)
FAKE_MIN_MAX(float)
FAKE_MIN_MAX(double)
FAKE_OWN int abs(int x)
{
    return x < 0 ? -x : x;
}
FAKE_OWN bool isnan(float x)
{
    return x != x;
}
FAKE_OWN bool isnan(double x)
{
    return x != x;
}
FAKE_OWN bool isinf(float x)
{
    return __builtin_isinf(x);
}
FAKE_OWN bool isfinite(float x)
{
    return __builtin_isfinite(x);
}
FAKE_OWN int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
FAKE_OWN int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
FAKE_OWN int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
FAKE_OWN unsigned __float_as_uint(float x)
{
    unsigned bits;

    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}
FAKE_OWN float __uint_as_float(unsigned bits)
{
    float x;

    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}
FAKE_OWN float __fmul_rn(float x, float y)
{
    return x * y;
}
FAKE_OWN float __fadd_rn(float x, float y)
{
    return x + y;
}
template <class T> inline T __ldg(const T *p)
{
    return *p;
}
