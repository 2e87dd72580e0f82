/* Programs that were compiled before: an image of the device's own kind, and whatever is none. */
#define CL_TARGET_OPENCL_VERSION 120
#include "conformance.h"

#include <CL/cl.h>
#include <headrace/opencl.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 1000 };

static const char text[] = "__kernel void thrice(__global uint *data, uint words)\n"
                           "{\n"
                           "    uint i = (uint)get_global_id(0);\n"
                           "    if (i < words)\n"
                           "        data[i] *= 3u;\n"
                           "}\n";

/* The same as a CUDA driver takes it, without a compiler. */
static const char ptx[] = ".version 6.0\n"
                          ".target sm_50\n"
                          ".address_size 64\n"
                          ".visible .entry thrice(.param .u64 data, .param .u32 words)\n"
                          "{\n"
                          "    .reg .pred %outside;\n"
                          "    .reg .u32 %i, %n, %size;\n"
                          "    .reg .u64 %at, %base;\n"
                          "    mov.u32 %i, %tid.x;\n"
                          "    mov.u32 %n, %ctaid.x;\n"
                          "    mov.u32 %size, %ntid.x;\n"
                          "    mad.lo.u32 %i, %n, %size, %i;\n"
                          "    ld.param.u32 %n, [words];\n"
                          "    setp.ge.u32 %outside, %i, %n;\n"
                          "    @%outside bra done;\n"
                          "    ld.param.u64 %base, [data];\n"
                          "    cvta.to.global.u64 %base, %base;\n"
                          "    mul.wide.u32 %at, %i, 4;\n"
                          "    add.u64 %at, %base, %at;\n"
                          "    ld.global.u32 %n, [%at];\n"
                          "    mul.lo.u32 %n, %n, 3;\n"
                          "    st.global.u32 [%at], %n;\n"
                          "done:\n"
                          "    ret;\n"
                          "}\n";

struct image {
    uint8_t *bytes;
    size_t size;
};

static bool is_cuda(void)
{
    return strcmp(info.backend, "cuda") == 0;
}

/* What OpenCL's own interface gives of a program that it compiled. */
static void compile(struct image *image)
{
    const char *source = text;
    cl_context context = NULL;
    cl_device_id id = NULL;
    cl_program compiled;

    OK(hr_device_opencl(device, &context));
    assert_int_equal(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof id, &id, NULL), CL_SUCCESS);
    compiled = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    assert_non_null(compiled);
    assert_int_equal(clBuildProgram(compiled, 1, &id, "-cl-kernel-arg-info", NULL, NULL), CL_SUCCESS);
    assert_int_equal(clGetProgramInfo(compiled, CL_PROGRAM_BINARY_SIZES, sizeof image->size, &image->size, NULL),
                     CL_SUCCESS);
    image->bytes = malloc(image->size);
    assert_non_null(image->bytes);
    assert_int_equal(clGetProgramInfo(compiled, CL_PROGRAM_BINARIES, sizeof image->bytes, &image->bytes, NULL),
                     CL_SUCCESS);
    clReleaseProgram(compiled);
}

static struct image make_image(void)
{
    struct image image = {0};

    if (!is_cuda()) {
        compile(&image);
        return image;
    }
    image.size = sizeof ptx - 1; /* no NUL behind it: a copy that ends where the text ends */
    image.bytes = malloc(image.size);
    assert_non_null(image.bytes);
    memcpy(image.bytes, ptx, image.size);
    return image;
}

static void run_thrice(hr_program *program)
{
    uint32_t data[WORDS];
    uint32_t words = WORDS;
    hr_kernel *kernel = NULL;
    hr_buffer *buffer = new_buffer(device, sizeof data, compute);
    hr_arg args[] = {HR_ARG_BUFFER(buffer, 0), HR_ARG_BYTES(&words, sizeof words)};

    for (uint32_t i = 0; i < WORDS; i++)
        data[i] = i + 1;
    OK(hr_write(compute, buffer, 0, data, sizeof data, NULL));
    OK(hr_kernel_create(program, "thrice", &kernel));
    OK(launch(compute, kernel, WORDS, args, 2, NULL));
    for (uint32_t i = 0; i < WORDS; i++)
        data[i] = 3 * (i + 1);
    expect_bytes(compute, buffer, 0, data, sizeof data);
    FAILS(HR_INVALID, launch(compute, kernel, WORDS, args, 1, NULL)); /* its signature is known */
    args[1].bytes = 8;
    FAILS(HR_INVALID, launch(compute, kernel, WORDS, args, 2, NULL));
    hr_kernel_close(&kernel);
    FAILS(HR_NOT_FOUND, hr_kernel_create(program, "twice", &kernel));
    assert_null(kernel);
    hr_buffer_close(&buffer);
}

static void an_image_runs(void **state)
{
    struct image image = make_image();
    hr_program *program = NULL;

    (void)state;
    OK(hr_program_create_binary(device, image.bytes, image.size, &program));
    memset(image.bytes, 0, image.size); /* it was copied */
    free(image.bytes);
    run_thrice(program);
    hr_program_close(&program);
}

static void refuse(const void *bytes, uint64_t size)
{
    hr_program *program = NULL;
    uint8_t *alone = malloc(size); /* nothing behind it, as a sanitizer knows */

    assert_non_null(alone);
    memcpy(alone, bytes, size);
    FAILS(HR_BUILD, hr_program_create_binary(device, alone, size, &program));
    assert_null(program);
    free(alone);
}

static void what_is_no_image_is_refused(void **state)
{
    uint8_t *noise = new_random(5000, 77);
    static const uint8_t zeros[64];

    (void)state;
    refuse(noise, 5000);
    refuse(zeros, sizeof zeros);
    refuse("x", 1);
    free(noise);
}

static void images_that_are_cut_off_are_refused(void **state)
{
    struct image image = make_image();
    static const uint64_t least[] = {1, 8, 16, 20, 32, 40, 77, 80, 90, 120};

    (void)state;
    for (size_t i = 0; i < sizeof least / sizeof *least; i++)
        refuse(image.bytes, least[i]);
    for (uint64_t part = 1; part < 8; part++)
        refuse(image.bytes, image.size * part / 8);
    free(image.bytes);
}

static void wrong_calls(void **state)
{
    hr_program *program = NULL;

    (void)state;
    FAILS(HR_INVALID, hr_program_create_binary(NULL, text, 10, &program));
    FAILS(HR_INVALID, hr_program_create_binary(device, NULL, 10, &program));
    FAILS(HR_INVALID, hr_program_create_binary(device, text, 0, &program));
    FAILS(HR_INVALID, hr_program_create_binary(device, text, 10, NULL));
    assert_null(program);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_image_runs),
        cmocka_unit_test(what_is_no_image_is_refused),
        cmocka_unit_test(images_that_are_cut_off_are_refused),
        cmocka_unit_test(wrong_calls),
    };

    return conformance_main(argc, argv, tests, NULL);
}
