/* Programs that do not compile, and launches that are wrong. */
#include "conformance.h"

#include <string.h>

static void compile_errors_have_the_log(void **state)
{
    hr_program *program = NULL;

    (void)state;
    FAILS(HR_BUILD,
          hr_program_create(device, "__kernel void f(__global int *x) { x[0] = no_such_name; }", NULL, &program));
    SAYS("no_such_name");
    FAILS(HR_INVALID, hr_program_create(device, NULL, NULL, &program));
    FAILS(HR_INVALID, hr_program_create(NULL, "__kernel void f(void) {}", NULL, &program));
    FAILS(HR_INVALID, hr_program_create(device, "__kernel void f(void) {}", NULL, NULL));
    assert_null(program);
}

static void no_such_kernel(void **state)
{
    hr_program *program = NULL;
    hr_kernel *kernel = NULL;

    (void)state;
    OK(hr_program_create(device, "__kernel void f(__global int *x) { x[0] = 1; }", NULL, &program));
    FAILS(HR_NOT_FOUND, hr_kernel_create(program, "g", &kernel));
    SAYS("\"g\"");
    FAILS(HR_INVALID, hr_kernel_create(program, NULL, &kernel));
    FAILS(HR_INVALID, hr_kernel_create(NULL, "f", &kernel));
    FAILS(HR_INVALID, hr_kernel_create(program, "f", NULL));
    assert_null(kernel);
    hr_program_close(&program);
}

/* The launch of add_words(buffer, words, addend) with one thing changed. */
struct call {
    hr_arg args[4];
    uint32_t n_args;
    hr_grid grid;
    hr_sync sync;
};

static uint32_t one = 1;

static struct call good_call(hr_buffer *buffer)
{
    return (struct call){
        .args = {HR_ARG_BUFFER(buffer, 0), HR_ARG_BYTES(&one, 4), HR_ARG_BYTES(&one, 4), HR_ARG_BYTES(&one, 4)},
        .n_args = 3,
        .grid = {.size = sizeof(hr_grid), .dims = 1, .global = {1}},
        .sync = {.size = sizeof(hr_sync)}};
}

static void refused(hr_status status, const struct call *call)
{
    FAILS(status,
          hr_kernel_launch(compute, shared_kernel("add_words"), &call->grid, call->args, call->n_args, &call->sync));
}

static void wrong_arguments(void **state)
{
    uint8_t *ptr;
    hr_buffer *buffer = new_buffer(device, info.alignment + 8, compute);
    hr_buffer *pinned = new_pinned(device, 100, &ptr);
    struct call call = good_call(buffer);

    (void)state;
    call.n_args = 2;
    refused(HR_INVALID, &call);
    SAYS("2");
    SAYS("3");
    call.n_args = 4;
    refused(HR_INVALID, &call);
    call = good_call(buffer);
    call.args[1].bytes = 8;
    refused(HR_INVALID, &call);
    call.args[1].bytes = 0;
    refused(HR_INVALID, &call);
    call = good_call(buffer);
    call.args[1].data = NULL;
    refused(HR_INVALID, &call);
    call = good_call(buffer);
    call.args[0] = call.args[1]; /* a scalar where a buffer belongs */
    refused(HR_INVALID, &call);
    call = good_call(buffer);
    call.args[1] = call.args[0]; /* and the reverse */
    refused(HR_INVALID, &call);
    call = good_call(buffer);
    call.args[2].size = 0;
    refused(HR_INVALID, &call);
    SAYS("hr_arg");
    call = good_call(buffer);
    call.args[2].kind = 9;
    refused(HR_INVALID, &call);
    call = good_call(NULL);
    refused(HR_INVALID, &call);
    call = good_call(pinned);
    refused(HR_INVALID, &call);
    SAYS("HR_MEMORY_DEVICE");
    hr_buffer_close(&pinned);
    hr_buffer_close(&buffer);
}

static void wrong_offsets(void **state)
{
    hr_buffer *buffer = new_buffer(device, 2 * (uint64_t)info.alignment + 8, compute);
    struct call call = good_call(buffer);

    (void)state;
    call.args[0].offset = info.alignment * 3;
    refused(HR_RANGE, &call);
    call.args[0].offset = UINT64_MAX - info.alignment + 1;
    refused(HR_RANGE, &call);
    if (info.alignment > 1) {
        call.args[0].offset = info.alignment + 1;
        refused(HR_RANGE, &call);
        call.args[0].offset = info.alignment / 2;
        refused(HR_RANGE, &call);
    }
    hr_buffer_close(&buffer);
}

static void wrong_grids(void **state)
{
    hr_buffer *buffer = new_buffer(device, 64, compute);
    struct call call = good_call(buffer);

    (void)state;
    call.grid.size = 0;
    refused(HR_INVALID, &call);
    SAYS("hr_grid");
    call = good_call(buffer);
    call.grid.dims = 0;
    refused(HR_INVALID, &call);
    call.grid.dims = 4;
    refused(HR_INVALID, &call);
    call.grid.dims = 2; /* global[1] is 0 */
    refused(HR_INVALID, &call);
    call = good_call(buffer);
    call.grid.global[0] = 10;
    call.grid.local[0] = 3;
    refused(HR_INVALID, &call);
    call.grid.global[0] = call.grid.local[0] = 2 * (uint64_t)info.max_group_size;
    refused(HR_INVALID, &call);
    call = good_call(buffer);
    call.grid.dims = 3; /* 2^96 items */
    call.grid.global[0] = call.grid.global[1] = call.grid.global[2] = UINT64_C(1) << 32;
    refused(HR_INVALID, &call);
    SAYS("64 bits");
    call = good_call(buffer);
    call.grid.global[0] = UINT64_C(1) << 63;
    refused(HR_INVALID, &call);
    call.grid.global[0] = UINT64_C(1) << 33; /* more groups than 32 bits count */
    call.grid.local[0] = 1;
    refused(HR_INVALID, &call);
    call = good_call(buffer);
    call.sync.size = 0;
    refused(HR_INVALID, &call);
    call = good_call(buffer);
    FAILS(HR_INVALID, hr_kernel_launch(compute, shared_kernel("add_words"), NULL, call.args, 3, NULL));
    FAILS(HR_INVALID, hr_kernel_launch(compute, shared_kernel("add_words"), &call.grid, NULL, 3, NULL));
    FAILS(HR_INVALID, hr_kernel_launch(compute, NULL, &call.grid, call.args, 3, NULL));
    FAILS(HR_INVALID, hr_kernel_launch(NULL, shared_kernel("add_words"), &call.grid, call.args, 3, NULL));
    hr_buffer_close(&buffer);
}

/* What was refused changed nothing: the same kernel goes on with good arguments. */
static void a_refused_launch_leaves_nothing(void **state)
{
    uint32_t value = 5;
    uint32_t six = 6;
    hr_buffer *buffer = new_buffer(device, 64, compute);
    struct call call = good_call(buffer);

    (void)state;
    OK(hr_write(compute, buffer, 0, &value, 4, NULL));
    call.args[2].bytes = 2;
    refused(HR_INVALID, &call);
    call.args[2].bytes = 4;
    OK(hr_kernel_launch(compute, shared_kernel("add_words"), &call.grid, call.args, 3, &call.sync));
    expect_bytes(compute, buffer, 0, &six, 4);
    hr_buffer_close(&buffer);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compile_errors_have_the_log),
        cmocka_unit_test(no_such_kernel),
        cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(wrong_offsets),
        cmocka_unit_test(wrong_grids),
        cmocka_unit_test(a_refused_launch_leaves_nothing),
    };

    return conformance_main(argc, argv, tests, NULL);
}
