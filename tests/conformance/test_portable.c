/* The part of OpenCL C that include/headrace/kernel.h promises: one text, the same results on every device. What is
 * rounded once is compared bit by bit, what a library function computes to a few units in the last place. */
#include "conformance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS = 64, GROUP = 16 };

static const char spaces[] =
    "constant float table[4] = {1.0f, 2.0f, 3.0f, 4.0f};\n"
    "__constant const uint more[2] = {10u, 20u};\n"
    "typedef struct { uint a; float b; } pair;\n"
    "float sum(__local const float *part, uint n, constant float *scale)\n"
    "{\n"
    "    float total = 0.0f;\n"
    "    for (uint i = 0; i < n; i++)\n"
    "        total += part[i] * scale[i & 3u];\n"
    "    return total;\n"
    "}\n"
    "/* words in comments: global local kernel */\n"
    "kernel void spaces(global const float *restrict in, __global float *out, global pair *pairs, pair p, uint2 v)\n"
    "{\n"
    "    local float part[16];\n"
    "    __local uint count;\n"
    "    __local float *own = part + get_local_id(0);\n"
    "    private uint k = more[get_group_id(0) & 1u];\n"
    "    __global const float *from = in + get_group_id(0) * get_local_size(0);\n"
    "    *own = from[get_local_id(0)];\n"
    "    if (get_local_id(0) == 0)\n"
    "        count = (uint)get_num_groups(0) + (uint)get_global_size(0) + (uint)get_global_offset(0);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[get_global_id(0)] = sum(part, 16u, table) + (float)(k + count) + ((__local float *)own)[0];\n"
    "    pairs[get_global_id(0)].a = p.a + (uint)get_global_id(0) + v.y;\n"
    "    pairs[get_global_id(0)].b = p.b;\n"
    "    mem_fence(CLK_GLOBAL_MEM_FENCE);\n"
    "}\n";

static const char integers[] =
    "__kernel void integers(__global const int *a, __global const int *b, __global uint *out)\n"
    "{\n"
    "    uint i = (uint)get_global_id(0);\n"
    "    int x = a[i], y = b[i];\n"
    "    uint u = (uint)x, w = (uint)y;\n"
    "    __global uint *o = out + i * 24u;\n"
    "    o[0] = (uint)min(x, y); o[1] = (uint)max(x, y); o[2] = min(u, w); o[3] = max(u, w);\n"
    "    o[4] = (uint)clamp(x, -100, 100); o[5] = clamp(u, 7u, 1000u);\n"
    "    o[6] = abs(x); o[7] = rotate(u, w & 31u); o[8] = popcount(u);\n"
    "    o[9] = (uint)mul24(x >> 20, y >> 20); o[10] = (uint)mad24(x >> 20, y >> 20, 5);\n"
    "    o[11] = (uint)select(x, y, x > y); o[12] = (uint)convert_uchar_sat(x); o[13] = (uint)convert_short_sat(y);\n"
    "    o[14] = (uint)convert_char(x); o[15] = (uint)convert_ushort(y); o[16] = (uint)(convert_long(x) * y >> 16);\n"
    "    o[17] = as_uint(as_float(u & 0x3fffffffu)); o[18] = (uint)mad24(x & 255, y & 255, 3);\n"
    "    o[19] = (uint)convert_char_sat(y); o[20] = (uint)convert_ushort_sat(x);\n"
    "    o[21] = (uint)(rotate((ulong)u, (ulong)(w & 63u)) >> 13); o[22] = INT_MAX; o[23] = UINT_MAX;\n"
    "}\n";

static const char exact[] =
    "__kernel void exact(__global const float *a, __global const float *b, __global float *out)\n"
    "{\n"
    "    uint i = (uint)get_global_id(0);\n"
    "    float x = a[i], y = b[i];\n"
    "    float4 v = (float4)(x, y, 1.0f, 2.0f), w = (float4)(0.5f);\n"
    "    float2 t = (float2)(x, y) * 2.0f;\n"
    "    int4 n = (int4)(1, 2, 3, 4) * (int4)(convert_int(x)) + 7;\n"
    "    uint4 q = (uint4)(5u, 6u, 7u, 8u) / 2u;\n"
    "    __global float *o = out + i * 24u;\n"
    "    o[0] = fmin(x, y); o[1] = fmax(x, y); o[2] = fabs(x); o[3] = floor(x); o[4] = ceil(x); o[5] = rint(x);\n"
    "    o[6] = trunc(x); o[7] = mad(x, y, 1.0f); o[8] = sign(x); o[9] = clamp(x, -1.0f, 1.0f); o[10] = min(x, y);\n"
    "    o[11] = (float)convert_int_rte(x); o[12] = (float)convert_uchar_sat(x); o[13] = fma(x, y, 0.25f);\n"
    "    v = v * w + v; v += w; v -= (float4)(x); v = 3.0f * v;\n"
    "    o[14] = v.x; o[15] = v.w; o[16] = t.x + t.y; o[17] = (float)(n.x + n.w); o[18] = (float)(q.x + q.w);\n"
    "    o[19] = dot((float4)(1.0f, 2.0f, 3.0f, 4.0f), (float4)(2.0f)); o[20] = isnan(x) ? 1.0f : 0.0f;\n"
    "    o[21] = (float)convert_uchar_sat_rte(x * 0.5f); o[22] = max(x, 0.0f); o[23] = x / 3.0f;\n"
    "}\n";

static const char near[] =
    "__kernel void near(__global const float *a, __global float *out)\n"
    "{\n"
    "    float x = a[get_global_id(0)];\n"
    "    float p = fabs(x) + 0.5f;\n"
    "    __global float *o = out + get_global_id(0) * 16u;\n"
    "    o[0] = exp(x); o[1] = log(p); o[2] = sqrt(p); o[3] = rsqrt(p); o[4] = sin(x); o[5] = cos(x); o[6] = tanh(x);\n"
    "    o[7] = pow(p, x); o[8] = exp2(x); o[9] = log2(p); o[10] = atan2(x, p); o[11] = hypot(x, p); o[12] = "
    "log1p(p);\n"
    "    o[13] = mix(x, p, 0.25f); o[14] = M_PI_F * p; o[15] = log10(p);\n"
    "}\n";

static const char atomics[] =
    "__kernel void atomics(__global uint *u, __global int *s)\n"
    "{\n"
    "    uint i = (uint)get_global_id(0);\n"
    "    atomic_add(&u[0], i); atomic_sub(&u[1], 2u); atomic_inc(&u[2]); atomic_dec(u + 3);\n"
    "    atomic_min(&u[4], i + 5u); atomic_max(&u[5], i); atomic_or(&u[6], 1u << (i & 31u));\n"
    "    atomic_and(&u[7], ~(1u << (i & 31u))); atomic_xor(&u[8], i); atomic_cmpxchg(&u[9], i, 1000u + i);\n"
    "    if (i == 3u) { u[10] = atomic_xchg(&u[11], 77u); }\n"
    "    atomic_add(&s[0], -1); atomic_min(&s[1], -(int)i); atomic_max(&s[2], (int)i - 10);\n"
    "}\n";

static hr_kernel *build(const char *source, const char *name)
{
    hr_program *program = NULL;
    hr_kernel *kernel = NULL;

    OK(hr_program_create(device, source, NULL, &program));
    OK(hr_kernel_create(program, name, &kernel));
    hr_program_close(&program);
    return kernel;
}

static hr_buffer *buffer_of(const void *data, uint64_t bytes)
{
    hr_buffer *buffer = new_buffer(device, bytes, compute);

    OK(hr_write(compute, buffer, 0, data, bytes, NULL));
    return buffer;
}

static void run(hr_kernel **kernel, const hr_arg *args, uint32_t n_args)
{
    const hr_grid grid = {.size = sizeof grid, .dims = 1, .global = {ITEMS}, .local = {GROUP}};

    OK(hr_kernel_launch(compute, *kernel, &grid, args, n_args, NULL));
    hr_kernel_close(kernel);
}

static void read_back(hr_buffer **buffer, void *data, uint64_t bytes)
{
    OK(hr_read(compute, *buffer, 0, data, bytes, NULL));
    OK(hr_queue_finish(compute));
    hr_buffer_close(buffer);
}

static void address_spaces(void **state)
{
    struct pair {
        uint32_t a;
        float b;
    } pairs[ITEMS], p = {5, 0.25f};
    const uint32_t v[2] = {1, 100};
    float in[ITEMS], out[ITEMS];
    hr_kernel *kernel = build(spaces, "spaces");

    (void)state;
    for (int i = 0; i < ITEMS; i++)
        in[i] = (float)i;
    hr_buffer *from = buffer_of(in, sizeof in), *to = new_buffer(device, sizeof out, compute);
    hr_buffer *both = new_buffer(device, sizeof pairs, compute);
    const hr_arg args[] = {HR_ARG_BUFFER(from, 0), HR_ARG_BUFFER(to, 0), HR_ARG_BUFFER(both, 0),
                           HR_ARG_BYTES(&p, sizeof p), HR_ARG_BYTES(v, sizeof v)};
    run(&kernel, args, 5);
    read_back(&to, out, sizeof out);
    read_back(&both, pairs, sizeof pairs);
    hr_buffer_close(&from);
    for (int i = 0; i < ITEMS; i++) {
        const int group = i / GROUP;
        float sum = 0;

        for (int k = 0; k < GROUP; k++)
            sum += in[group * GROUP + k] * (float)(k % 4 + 1);
        assert_true(out[i] == sum + (float)((group % 2 ? 20 : 10) + ITEMS / GROUP + ITEMS) + in[i]);
        assert_int_equal(pairs[i].a, 5 + i + 100);
        assert_true(pairs[i].b == 0.25f);
    }
}

static uint32_t limited(int32_t x, int32_t least, int32_t most)
{
    return (uint32_t)(x < least ? least : x > most ? most : x);
}

static void integer_functions(void **state)
{
    int32_t a[ITEMS], b[ITEMS];
    uint32_t out[ITEMS * 24];
    uint64_t random = 3;
    hr_kernel *kernel = build(integers, "integers");

    (void)state;
    for (int i = 0; i < ITEMS; i++) {
        a[i] = (int32_t)(next_random(&random) >> 32) >> (i % 4 * 8);
        b[i] = i == 5 ? 0 : (int32_t)(next_random(&random) >> 32) >> (i % 3 * 8);
    }
    a[7] = INT32_MIN;
    hr_buffer *x = buffer_of(a, sizeof a), *y = buffer_of(b, sizeof b), *to = new_buffer(device, sizeof out, compute);
    const hr_arg args[] = {HR_ARG_BUFFER(x, 0), HR_ARG_BUFFER(y, 0), HR_ARG_BUFFER(to, 0)};
    run(&kernel, args, 3);
    read_back(&to, out, sizeof out);
    hr_buffer_close(&x);
    hr_buffer_close(&y);
    for (int i = 0; i < ITEMS; i++) {
        const uint32_t u = (uint32_t)a[i], w = (uint32_t)b[i], *o = out + i * 24, turn = w & 31, wide = w & 63;
        const uint64_t l = u;
        const uint32_t expected[24] = {
            (uint32_t)(a[i] < b[i] ? a[i] : b[i]),
            (uint32_t)(a[i] > b[i] ? a[i] : b[i]),
            u < w ? u : w,
            u > w ? u : w,
            limited(a[i], -100, 100),
            u < 7      ? 7
            : u > 1000 ? 1000
                       : u,
            a[i] < 0 ? 0 - u : u,
            turn ? u << turn | u >> (32 - turn) : u,
            (uint32_t)__builtin_popcount(u),
            (uint32_t)((a[i] >> 20) * (b[i] >> 20)),
            (uint32_t)((a[i] >> 20) * (b[i] >> 20) + 5),
            (uint32_t)(a[i] > b[i] ? b[i] : a[i]),
            limited(a[i], 0, 255),
            limited(b[i], -32768, 32767),
            (uint32_t)(int8_t)a[i],
            (uint16_t)b[i],
            (uint32_t)((int64_t)a[i] * b[i] >> 16),
            u & 0x3fffffff,
            (uint32_t)((a[i] & 255) * (b[i] & 255) + 3),
            limited(b[i], -128, 127),
            limited(a[i], 0, 65535),
            (uint32_t)((wide ? l << wide | l >> (64 - wide) : l) >> 13),
            INT32_MAX,
            UINT32_MAX,
        };

        for (int k = 0; k < 24; k++)
            if (o[k] != expected[k])
                fail_msg("item %d (%d, %d), result %d: %u and not %u", i, a[i], b[i], k, o[k], expected[k]);
    }
}

/* volatile: every product is rounded before it goes on, as on the device. */
static float times(float a, float b)
{
    volatile float product = a * b;

    return product;
}

/* v * 0.5 + v, + 0.5, - x, times 3 */
static float chain(float v, float x)
{
    volatile float r = times(v, 0.5f) + v;

    r = r + 0.5f;
    r = r - x;
    return times(3.0f, r);
}

static void exact_floats(void **state)
{
    static const float special[] = {0.0f, -0.5f, 2.5f, 3.5f, -1.0f, 300.0f, 1e6f, 0.49999997f};
    float a[ITEMS], b[ITEMS], out[ITEMS * 24];
    uint64_t random = 9;
    hr_kernel *kernel = build(exact, "exact");

    (void)state;
    for (int i = 0; i < ITEMS; i++) {
        a[i] = i < 8 ? special[i] : (float)(int32_t)(next_random(&random) >> 32) / 1e7f;
        b[i] = (float)(int32_t)(next_random(&random) >> 32) / 1e9f;
    }
    hr_buffer *x = buffer_of(a, sizeof a), *y = buffer_of(b, sizeof b), *to = new_buffer(device, sizeof out, compute);
    const hr_arg args[] = {HR_ARG_BUFFER(x, 0), HR_ARG_BUFFER(y, 0), HR_ARG_BUFFER(to, 0)};
    run(&kernel, args, 3);
    read_back(&to, out, sizeof out);
    hr_buffer_close(&x);
    hr_buffer_close(&y);
    for (int i = 0; i < ITEMS; i++) {
        const float p = a[i], q = b[i], *o = out + i * 24, half = rintf(times(p, 0.5f));
        const float product = times(p, q) + 1.0f, twice = times(p, 2) + times(q, 2);
        const int n = (int)p;
        const float expected[24] = {
            fminf(p, q),
            fmaxf(p, q),
            fabsf(p),
            floorf(p),
            ceilf(p),
            rintf(p),
            truncf(p),
            o[7], /* below */
            p > 0   ? 1.0f
            : p < 0 ? -1.0f
                    : p,
            p < -1  ? -1
            : p > 1 ? 1
                    : p,
            p < q ? p : q,
            rintf(p),
            truncf(p < 0     ? 0
                   : p > 255 ? 255
                             : p),
            fmaf(p, q, 0.25f),
            chain(p, p),
            chain(2, p),
            twice,
            (float)((n + 7) + (4 * n + 7)),
            (float)(5 / 2 + 8 / 2),
            20.0f,
            0.0f,
            half < 0     ? 0
            : half > 255 ? 255
                         : half,
            p > 0 ? p : 0,
            o[23], /* below */
        };

        for (int k = 0; k < 24; k++)
            if (o[k] != expected[k])
                fail_msg("item %d (%g, %g), result %d: %g and not %g", i, (double)p, (double)q, k, (double)o[k],
                         (double)expected[k]);
        assert_true(o[7] == product || o[7] == fmaf(p, q, 1.0f));                 /* mad() may round once or twice */
        assert_true(fabsf(o[23] - p / 3.0f) <= 2.5f * 1.2e-7f * fabsf(p / 3.0f)); /* OpenCL's bound for a division */
    }
}

static void near_floats(void **state)
{
    float a[ITEMS], out[ITEMS * 16];
    hr_kernel *kernel = build(near, "near");

    (void)state;
    for (int i = 0; i < ITEMS; i++)
        a[i] = (float)(i - 30) / 7.0f;
    hr_buffer *x = buffer_of(a, sizeof a), *to = new_buffer(device, sizeof out, compute);
    const hr_arg args[] = {HR_ARG_BUFFER(x, 0), HR_ARG_BUFFER(to, 0)};
    run(&kernel, args, 2);
    read_back(&to, out, sizeof out);
    hr_buffer_close(&x);
    for (int i = 0; i < ITEMS; i++) {
        const double v = a[i], p = fabsf(a[i]) + 0.5f;
        const double expected[16] = {exp(v),
                                     log(p),
                                     sqrt(p),
                                     1 / sqrt(p),
                                     sin(v),
                                     cos(v),
                                     tanh(v),
                                     pow(p, v),
                                     exp2(v),
                                     log2(p),
                                     atan2(v, p),
                                     hypot(v, p),
                                     log1p(p),
                                     v + (p - v) * 0.25,
                                     p * 3.14159265358979,
                                     log10(p)};

        for (int k = 0; k < 16; k++)
            if (fabs((double)out[i * 16 + k] - expected[k]) > 4e-6 * fabs(expected[k]) + 1e-6)
                fail_msg("item %d (%g), result %d: %g and not %g", i, v, k, (double)out[i * 16 + k], expected[k]);
    }
}

static void atomic_functions(void **state)
{
    uint32_t u[12] = {0, 1000, 0, 100, 1000, 0, 0, UINT32_MAX, 0, 9, 0, 55};
    int32_t s[3] = {0, 0, 0};
    const uint32_t expected_u[12] = {
        ITEMS * (ITEMS - 1) / 2, 1000 - 2 * ITEMS, ITEMS, 100 - ITEMS, 5, ITEMS - 1, UINT32_MAX, 0, 0, 1009, 55, 77};
    const int32_t expected_s[3] = {-ITEMS, -(ITEMS - 1), ITEMS - 11};
    hr_kernel *kernel = build(atomics, "atomics");
    hr_buffer *x = buffer_of(u, sizeof u), *y = buffer_of(s, sizeof s);
    const hr_arg args[] = {HR_ARG_BUFFER(x, 0), HR_ARG_BUFFER(y, 0)};

    (void)state;
    run(&kernel, args, 2);
    read_back(&x, u, sizeof u);
    read_back(&y, s, sizeof s);
    for (int k = 0; k < 12; k++)
        assert_int_equal(u[k], expected_u[k]);
    for (int k = 0; k < 3; k++)
        assert_int_equal(s[k], expected_s[k]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(address_spaces), cmocka_unit_test(integer_functions), cmocka_unit_test(exact_floats),
        cmocka_unit_test(near_floats),    cmocka_unit_test(atomic_functions),
    };

    return conformance_main(argc, argv, tests, NULL);
}
