// What a text in OpenCL C expects to find, for NVRTC: include/headrace/kernel.h says which part of OpenCL C that is.
// dialect.c has taken the address spaces out of the text. Nothing here needs a header; names that CUDA has with another
// meaning are renamed by macros. Functions that CUDA has as OpenCL C does (exp, fmax, ...) are not repeated.

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

#define __kernel extern "C" __global__
#define kernel __kernel
#define __global
#define __private
#define __constant const
#define __local __shared__
#define local __shared__
#define restrict __restrict__
#ifndef NULL
#define NULL 0
#endif

#define HR_F inline __device__
#define HR_T template <class T> inline __device__

// A value's type, where another argument decides it.
template <class T> struct hr_same {
    typedef T type;
};

// -- work items -------------------------------------------------------------------------------------------------------

HR_F size_t get_local_id(uint d)
{
    return d == 0 ? threadIdx.x : d == 1 ? threadIdx.y : d == 2 ? threadIdx.z : 0;
}
HR_F size_t get_local_size(uint d)
{
    return d == 0 ? blockDim.x : d == 1 ? blockDim.y : d == 2 ? blockDim.z : 1;
}
HR_F size_t get_group_id(uint d)
{
    return d == 0 ? blockIdx.x : d == 1 ? blockIdx.y : d == 2 ? blockIdx.z : 0;
}
HR_F size_t get_num_groups(uint d)
{
    return d == 0 ? gridDim.x : d == 1 ? gridDim.y : d == 2 ? gridDim.z : 1;
}
HR_F size_t get_global_id(uint d)
{
    return get_group_id(d) * get_local_size(d) + get_local_id(d);
}
HR_F size_t get_global_size(uint d)
{
    return get_num_groups(d) * get_local_size(d);
}
HR_F size_t get_global_offset(uint)
{
    return 0;
}

#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
#define barrier(flags) __syncthreads()
#define mem_fence(flags) __threadfence_block()
#define read_mem_fence(flags) __threadfence_block()
#define write_mem_fence(flags) __threadfence_block()

// -- numbers ----------------------------------------------------------------------------------------------------------

#define min hr_min
#define max hr_max
#define clamp hr_clamp
#define abs hr_abs
#define mad hr_mad
#define mix hr_mix
#define sign hr_sign
#define select hr_select
#define rotate hr_rotate
#define popcount hr_popcount
#define mul24(a, b) ((a) * (b))
#define mad24(a, b, c) ((a) * (b) + (c))

HR_T T hr_min(T a, T b) { return b < a ? b : a; }
HR_T T hr_max(T a, T b) { return a < b ? b : a; }
HR_T T hr_clamp(T x, typename hr_same<T>::type least, typename hr_same<T>::type most)
{
    return x < least ? least : most < x ? most : x;
}
HR_T T hr_mad(T a, T b, T c) { return a * b + c; }
HR_T T hr_mix(T a, T b, T t) { return a + (b - a) * t; }
HR_T T hr_sign(T x) { return x > 0 ? T(1) : x < 0 ? T(-1) : x; }
template <class T, class C> inline __device__ T hr_select(T a, T b, C c) { return c ? b : a; }
HR_F uchar hr_abs(signed char x) { return uchar(x < 0 ? -x : x); }
HR_F uchar hr_abs(char x) { return uchar(x < 0 ? -x : x); }
HR_F ushort hr_abs(short x) { return ushort(x < 0 ? -x : x); }
HR_F uint hr_abs(int x) { return x < 0 ? 0u - uint(x) : uint(x); }
HR_F ulong hr_abs(long x) { return x < 0 ? 0ul - ulong(x) : ulong(x); }
HR_F uint hr_abs(uint x) { return x; }
HR_F ulong hr_abs(ulong x) { return x; }
HR_F uint hr_rotate(uint x, uint n) { return x << (n & 31) | x >> (-n & 31); }
HR_F ulong hr_rotate(ulong x, ulong n) { return x << (n & 63) | x >> (-n & 63); }
HR_F ulong hr_popcount(ulong x)
{
    x -= x >> 1 & 0x5555555555555555ul;
    x = (x & 0x3333333333333333ul) + (x >> 2 & 0x3333333333333333ul);
    return ((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0ful) * 0x0101010101010101ul >> 56;
}
HR_F uint hr_popcount(uint x) { return uint(hr_popcount(ulong(x))); }
HR_F int hr_popcount(int x) { return int(hr_popcount(ulong(uint(x)))); }

#define native_cos(x) cos(x)
#define native_sin(x) sin(x)
#define native_tan(x) tan(x)
#define native_exp(x) exp(x)
#define native_exp2(x) exp2(x)
#define native_exp10(x) exp10(x)
#define native_log(x) log(x)
#define native_log2(x) log2(x)
#define native_log10(x) log10(x)
#define native_sqrt(x) sqrt(x)
#define native_rsqrt(x) rsqrt(x)
#define native_powr(x, y) pow(x, y)
#define powr(x, y) pow(x, y)
#define native_divide(x, y) ((x) / (y))
#define native_recip(x) (1.0f / (x))

// -- conversions ------------------------------------------------------------------------------------------------------

#define convert_char(x) (char(x))
#define convert_uchar(x) (uchar(x))
#define convert_short(x) (short(x))
#define convert_ushort(x) (ushort(x))
#define convert_int(x) (int(x))
#define convert_uint(x) (uint(x))
#define convert_long(x) (long(x))
#define convert_ulong(x) (ulong(x))
#define convert_float(x) (float(x))
#define convert_double(x) (double(x))
#define convert_int_rte(x) (int(rint(x)))
#define convert_uint_rte(x) (uint(rint(x)))

// The nearest that the type holds; what is no number becomes 0.
#define HR_SATURATE_FROM(to, least, most, from, wide)                                                                  \
    HR_F to convert_##to##_sat(from x)                                                                                 \
    {                                                                                                                  \
        return x != x ? to(0) : wide(x) <= wide(least) ? to(least) : wide(x) >= wide(most) ? to(most) : to(x);         \
    }
#define HR_SATURATE(to, least, most)                                                                                   \
    HR_SATURATE_FROM(to, least, most, int, long)                                                                       \
    HR_SATURATE_FROM(to, least, most, uint, long)                                                                      \
    HR_SATURATE_FROM(to, least, most, long, long)                                                                      \
    HR_SATURATE_FROM(to, least, most, float, float)                                                                    \
    HR_SATURATE_FROM(to, least, most, double, double)                                                                  \
    HR_F to convert_##to##_sat_rte(float x) { return convert_##to##_sat(rint(x)); }                                    \
    HR_F to convert_##to##_sat_rte(double x) { return convert_##to##_sat(rint(x)); }
HR_SATURATE(char, -128, 127)
HR_SATURATE(uchar, 0, 255)
HR_SATURATE(short, -32768, 32767)
HR_SATURATE(ushort, 0, 65535)

template <class To, class From> inline __device__ To hr_as(From from)
{
    static_assert(sizeof(To) == sizeof(From), "as_TYPE() wants a value of the type's size");
    union {
        From from;
        To to;
    } both;
    both.from = from;
    return both.to;
}
#define as_int(x) hr_as<int>(x)
#define as_uint(x) hr_as<uint>(x)
#define as_long(x) hr_as<long>(x)
#define as_ulong(x) hr_as<ulong>(x)
#define as_float(x) hr_as<float>(x)
#define as_double(x) hr_as<double>(x)

// -- atomics on int and uint ------------------------------------------------------------------------------------------

HR_T T atomic_add(volatile T *p, typename hr_same<T>::type v) { return atomicAdd((T *)p, v); }
HR_T T atomic_sub(volatile T *p, typename hr_same<T>::type v) { return atomicAdd((T *)p, T(0) - v); }
HR_T T atomic_inc(volatile T *p) { return atomicAdd((T *)p, T(1)); }
HR_T T atomic_dec(volatile T *p) { return atomicAdd((T *)p, T(-1)); }
HR_T T atomic_xchg(volatile T *p, typename hr_same<T>::type v) { return atomicExch((T *)p, v); }
HR_T T atomic_min(volatile T *p, typename hr_same<T>::type v) { return atomicMin((T *)p, v); }
HR_T T atomic_max(volatile T *p, typename hr_same<T>::type v) { return atomicMax((T *)p, v); }
HR_T T atomic_and(volatile T *p, typename hr_same<T>::type v) { return atomicAnd((T *)p, v); }
HR_T T atomic_or(volatile T *p, typename hr_same<T>::type v) { return atomicOr((T *)p, v); }
HR_T T atomic_xor(volatile T *p, typename hr_same<T>::type v) { return atomicXor((T *)p, v); }
HR_T T atomic_cmpxchg(volatile T *p, typename hr_same<T>::type expected, typename hr_same<T>::type v)
{
    return atomicCAS((T *)p, expected, v);
}

// -- vectors of two and four: CUDA's own types, with arithmetic -------------------------------------------------------

#define HR_VECTOR_OPS(V, S, op, EACH)                                                                                  \
    HR_F V operator op(V a, V b) { V r; EACH(HR_VV, op) return r; }                                                    \
    HR_F V operator op(V a, S b) { V r; EACH(HR_VS, op) return r; }                                                    \
    HR_F V operator op(S a, V b) { V r; EACH(HR_SV, op) return r; }                                                    \
    HR_F V &operator op##=(V &a, V b) { return a = a op b; }                                                           \
    HR_F V &operator op##=(V &a, S b) { return a = a op b; }
#define HR_VV(m, op) r.m = a.m op b.m;
#define HR_VS(m, op) r.m = a.m op b;
#define HR_SV(m, op) r.m = a op b.m;
#define HR_EACH2(DO, op) DO(x, op) DO(y, op)
#define HR_EACH4(DO, op) DO(x, op) DO(y, op) DO(z, op) DO(w, op)
#define HR_VECTOR(V, S, EACH)                                                                                          \
    HR_VECTOR_OPS(V, S, +, EACH)                                                                                       \
    HR_VECTOR_OPS(V, S, -, EACH)                                                                                       \
    HR_VECTOR_OPS(V, S, *, EACH)                                                                                       \
    HR_VECTOR_OPS(V, S, /, EACH)
// (float2)(a, b) and (float2)(a): dialect.c writes them as hrfloat2(...).
#define HR_VECTOR2(V, S)                                                                                               \
    HR_F V hr##V(S x, S y) { V r; r.x = x; r.y = y; return r; }                                                        \
    HR_F V hr##V(S x) { return hr##V(x, x); }                                                                          \
    HR_F V hr##V(V v) { return v; }
#define HR_VECTOR4(V, S)                                                                                               \
    HR_F V hr##V(S x, S y, S z, S w) { V r; r.x = x; r.y = y; r.z = z; r.w = w; return r; }                            \
    HR_F V hr##V(S x) { return hr##V(x, x, x, x); }                                                                    \
    HR_F V hr##V(V v) { return v; }
HR_VECTOR2(float2, float)
HR_VECTOR4(float4, float)
HR_VECTOR2(int2, int)
HR_VECTOR4(int4, int)
HR_VECTOR2(uint2, uint)
HR_VECTOR4(uint4, uint)
HR_VECTOR(float2, float, HR_EACH2)
HR_VECTOR(float4, float, HR_EACH4)
HR_VECTOR(int2, int, HR_EACH2)
HR_VECTOR(int4, int, HR_EACH4)
HR_VECTOR(uint2, uint, HR_EACH2)
HR_VECTOR(uint4, uint, HR_EACH4)
HR_F float dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
HR_F float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

// -- constants --------------------------------------------------------------------------------------------------------

#define M_PI_F 3.14159274f
#define MAXFLOAT 3.402823466e+38f
#ifndef FLT_MAX
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#endif
#ifndef DBL_MAX
#define DBL_MAX 1.7976931348623158e+308
#define DBL_EPSILON 2.2204460492503131e-16
#endif
#ifndef INFINITY
#define INFINITY hr_as<float>(0x7f800000u)
#endif
#ifndef NAN
#define NAN hr_as<float>(0x7fc00000u)
#endif
#ifndef INT_MAX
#define UCHAR_MAX 255
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295u
#define LONG_MAX 9223372036854775807l
#define LONG_MIN (-9223372036854775807l - 1)
#define ULONG_MAX 18446744073709551615ul
#endif
