/* Programs, kernels, arguments, grids, and what is refused. */
#include "conformance.h"

#include <stdlib.h>
#include <string.h>

static const char source[] =
    "__kernel void where(__global uint *out, uint width, uint height)\n"
    "{\n"
    "    uint x = (uint)get_global_id(0), y = (uint)get_global_id(1), z = (uint)get_global_id(2);\n"
    "    uint inside = (uint)get_local_id(0) + 100u * (uint)get_local_id(1) + 10000u * (uint)get_local_id(2);\n"
    "    out[(z * height + y) * width + x] = x + 1000u * y + 1000000u * z + 10000000u * (inside % 7u);\n"
    "}\n"
    "__kernel void kinds(__global double *out, char a, short b, int c, long d, float e, double f)\n"
    "{\n"
    "    out[0] = a;\n"
    "    out[1] = b;\n"
    "    out[2] = c;\n"
    "    out[3] = (double)d;\n"
    "    out[4] = e;\n"
    "    out[5] = f;\n"
    "}\n"
    "__kernel void muladd(__global const float *a, __global const float *b, __global const float *c,\n"
    "                     __global float *out)\n"
    "{\n"
    "    uint i = (uint)get_global_id(0);\n"
    "    out[i] = a[i] * b[i] + c[i];\n"
    "}\n"
    "__kernel void group_sum(__global const uint *in, __global uint *out)\n"
    "{\n"
    "    __local uint part[16];\n"
    "    uint i = (uint)get_local_id(0);\n"
    "    part[i] = in[get_global_id(0)];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    uint sum = 0;\n"
    "    for (uint k = 0; k < 16u; k++)\n"
    "        sum += part[k];\n"
    "    if (i == 0)\n"
    "        out[get_group_id(0)] = sum;\n"
    "}\n"
    "__kernel void constant_n(__global uint *out) { out[0] = N; }\n";

static hr_program *program;

static int build(void **state)
{
    (void)state;
    return hr_program_create(device, source, "-DN=42", &program) == HR_OK ? 0 : -1;
}

static int drop(void **state)
{
    (void)state;
    hr_program_close(&program);
    return 0;
}

static hr_kernel *kernel_of(const char *name)
{
    hr_kernel *kernel = NULL;

    OK(hr_kernel_create(program, name, &kernel));
    return kernel;
}

struct shape {
    uint32_t dims;
    uint64_t global[3];
    uint64_t local[3];
};

static void run_where(const struct shape *s)
{
    uint32_t width = (uint32_t)s->global[0];
    uint32_t height = s->dims > 1 ? (uint32_t)s->global[1] : 1;
    uint32_t depth = s->dims > 2 ? (uint32_t)s->global[2] : 1;
    uint64_t bytes = 4ull * width * height * depth;
    hr_kernel *kernel = kernel_of("where");
    hr_buffer *out = new_buffer(device, bytes, compute);
    hr_arg args[] = {HR_ARG_BUFFER(out, 0), HR_ARG_BYTES(&width, 4), HR_ARG_BYTES(&height, 4)};
    hr_grid grid = {.size = sizeof grid, .dims = s->dims};
    uint32_t *got = malloc(bytes);

    assert_non_null(got);
    memcpy(grid.global, s->global, sizeof grid.global);
    memcpy(grid.local, s->local, sizeof grid.local);
    OK(hr_kernel_launch(compute, kernel, &grid, args, 3, NULL));
    OK(hr_read(compute, out, 0, got, bytes, NULL));
    OK(hr_queue_finish(compute));
    for (uint32_t z = 0; z < depth; z++)
        for (uint32_t y = 0; y < height; y++)
            for (uint32_t x = 0; x < width; x++) {
                uint32_t word = got[(z * height + y) * width + x];
                uint32_t inside = word / 10000000u;

                assert_int_equal(word % 10000000u, x + 1000u * y + 1000000u * z);
                if (s->local[0])
                    assert_int_equal(inside, (x % s->local[0] + 100 * (y % (s->local[1] ? s->local[1] : 1)) +
                                              10000 * (z % (s->local[2] ? s->local[2] : 1))) %
                                                 7);
            }
    free(got);
    hr_buffer_close(&out);
    hr_kernel_close(&kernel);
}

static void grids(void **state)
{
    static const struct shape shapes[] = {
        {1, {1}, {0}},         {1, {997}, {0}},     {1, {960}, {32}},          {2, {17, 13}, {0}},
        {2, {32, 12}, {8, 4}}, {3, {7, 5, 3}, {0}}, {3, {8, 4, 6}, {4, 2, 3}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        run_where(&shapes[i]);
}

static void scalars_of_every_size(void **state)
{
    int8_t a = -5;
    int16_t b = -3000;
    int32_t c = 123456789;
    int64_t d = -(1ll << 40);
    float e = 0.5f;
    double f = 1e-3;
    const double expected[] = {a, b, c, (double)d, e, f};
    hr_buffer *out = new_buffer(device, sizeof expected, compute);
    hr_kernel *kernel = kernel_of("kinds");
    hr_arg args[] = {HR_ARG_BUFFER(out, 0), HR_ARG_BYTES(&a, 1), HR_ARG_BYTES(&b, 2), HR_ARG_BYTES(&c, 4),
                     HR_ARG_BYTES(&d, 8),   HR_ARG_BYTES(&e, 4), HR_ARG_BYTES(&f, 8)};

    (void)state;
    OK(launch(compute, kernel, 1, args, 7, NULL));
    a = 0; /* scalars are copied by the launch */
    c = 0;
    f = 0;
    expect_bytes(compute, out, 0, expected, sizeof expected);
    hr_buffer_close(&out);
    hr_kernel_close(&kernel);
}

/* a * b + c is rounded twice: results of one program are the same on every device. */
static void no_contraction(void **state)
{
    enum { N = 4096 };
    static float data[3][N];
    static float expected[N];
    uint64_t random = 5;
    int fused_would_differ = 0;
    hr_buffer *buffers[4];
    hr_arg args[4];
    hr_kernel *kernel = kernel_of("muladd");

    (void)state;
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 3; k++)
            data[k][i] = (float)(int32_t)(next_random(&random) >> 32) / 1e9f;
        if (i % 2) /* what the product loses is all that is left */
            data[2][i] = -(data[0][i] * data[1][i]);
        volatile float product = data[0][i] * data[1][i];

        expected[i] = product + data[2][i];
        fused_would_differ += (float)((double)data[0][i] * data[1][i] + data[2][i]) != expected[i];
    }
    assert_true(fused_would_differ > N / 4);
    for (int k = 0; k < 4; k++) {
        buffers[k] = new_buffer(device, sizeof expected, compute);
        if (k < 3)
            OK(hr_write(compute, buffers[k], 0, data[k], sizeof expected, NULL));
        args[k] = (hr_arg)HR_ARG_BUFFER(buffers[k], 0);
    }
    OK(launch(compute, kernel, N, args, 4, NULL));
    expect_bytes(compute, buffers[3], 0, expected, sizeof expected);
    for (int k = 0; k < 4; k++)
        hr_buffer_close(&buffers[k]);
    hr_kernel_close(&kernel);
}

static void local_memory_and_definitions(void **state)
{
    uint32_t in[64];
    uint32_t expected[4] = {0};
    uint32_t forty_two = 42;
    hr_buffer *from = new_buffer(device, sizeof in, compute);
    hr_buffer *to = new_buffer(device, sizeof expected, compute);
    hr_kernel *sum = kernel_of("group_sum");
    hr_kernel *n = kernel_of("constant_n");
    hr_arg args[] = {HR_ARG_BUFFER(from, 0), HR_ARG_BUFFER(to, 0)};
    hr_grid grid = {.size = sizeof grid, .dims = 1, .global = {64}, .local = {16}};

    (void)state;
    for (uint32_t i = 0; i < 64; i++)
        expected[i / 16] += in[i] = i * i;
    OK(hr_write(compute, from, 0, in, sizeof in, NULL));
    OK(hr_kernel_launch(compute, sum, &grid, args, 2, NULL));
    expect_bytes(compute, to, 0, expected, sizeof expected);
    OK(launch(compute, n, 1, &args[1], 1, NULL));
    expect_bytes(compute, to, 0, &forty_two, 4);
    hr_kernel_close(&sum);
    hr_kernel_close(&n);
    hr_buffer_close(&from);
    hr_buffer_close(&to);
}

/* Case 29, for operands: a buffer of odd size, entered at every aligned offset; the neighbours stay. */
static void operands_at_offsets(void **state)
{
    enum { WORDS = 5 };
    uint64_t bytes = 3 * (uint64_t)info.alignment + 4 * WORDS + 3;
    uint8_t *expected = new_random(bytes, 9);
    hr_buffer *buffer = new_buffer(device, bytes, compute);
    uint32_t words = WORDS;
    uint32_t addend = 0x01010101;

    (void)state;
    OK(hr_write(compute, buffer, 0, expected, bytes, NULL));
    for (uint64_t i = 0; i <= 3; i++) {
        hr_arg args[] = {HR_ARG_BUFFER(buffer, i * info.alignment), HR_ARG_BYTES(&words, 4), HR_ARG_BYTES(&addend, 4)};
        uint32_t word;

        OK(launch(compute, shared_kernel("add_words"), WORDS, args, 3, NULL));
        for (uint64_t k = 0; k < WORDS; k++) {
            memcpy(&word, expected + i * info.alignment + 4 * k, 4);
            word += addend;
            memcpy(expected + i * info.alignment + 4 * k, &word, 4);
        }
        expect_bytes(compute, buffer, 0, expected, bytes);
    }
    hr_buffer_close(&buffer);
    free(expected);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(grids, build, drop),
        cmocka_unit_test_setup_teardown(scalars_of_every_size, build, drop),
        cmocka_unit_test_setup_teardown(no_contraction, build, drop),
        cmocka_unit_test_setup_teardown(local_memory_and_definitions, build, drop),
        cmocka_unit_test(operands_at_offsets),
    };

    return conformance_main(argc, argv, tests, NULL);
}
