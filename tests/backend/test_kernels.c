/* Programs and kernels: builds that fail, arguments that are wrong, shapes, offsets, many threads. */
#include "rig.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "__kernel void add(__global uint *x, uint by) { x[get_global_id(0)] += by; }\n"
                             "__kernel void mark3(__global uint *x, uint nx, uint ny) {\n"
                             "    x[(get_global_id(2) * ny + get_global_id(1)) * nx + get_global_id(0)] += 1; }\n"
                             "__kernel void wide(__global ulong *x, ulong a, float b, uchar c, float4 d) {\n"
                             "    x[0] = a; x[1] = (ulong)(b * 4.0f); x[2] = c; x[3] = (ulong)d.w; }\n"
                             "__kernel void fused(__global float *x) { x[0] = x[1] * x[2] + x[3]; }\n"
                             "__kernel void with_local(__global uint *x, __local uint *y) { y[0] = 1; x[0] = y[0]; }\n";

static struct hrb_program *program;

static struct hrb_kernel *kernel_of(const char *name)
{
    struct hrb_kernel *kernel = NULL;

    if (!program && rig.ops->program_create(rig.device, source, NULL, &program) != HR_OK)
        fail_msg("%s", rig_message());
    if (rig.ops->kernel_create(program, name, &kernel) != HR_OK)
        fail_msg("%s", rig_message());
    return kernel;
}

static int close_all(void **state)
{
    if (program)
        rig.ops->program_destroy(program);
    return rig_close(state);
}

static struct hrb_arg buffer_arg(struct hrb_buffer *buffer, uint64_t offset)
{
    return (struct hrb_arg){.buffer = buffer, .offset = offset};
}

static struct hrb_arg data_arg(const void *data, uint64_t bytes)
{
    return (struct hrb_arg){.data = data, .bytes = bytes};
}

static hr_status launch(struct hrb_kernel *kernel, hr_grid grid, const struct hrb_arg *args, uint32_t n)
{
    return rig.ops->kernel_launch(rig.queue, kernel, &grid, args, n, &rig_no_sync);
}

static hr_grid line(uint64_t n, uint64_t local)
{
    return (hr_grid){
        .size = sizeof(hr_grid), .dims = 1, .global = {n, 1, 1}, .local = {local, local ? 1 : 0, local ? 1 : 0}};
}

static void a_failed_build_has_its_log(void **state)
{
    struct hrb_program *none = NULL;

    (void)state;
    rig_expect_failure(
        rig.ops->program_create(rig.device, "__kernel void f(void) {\n  no_such_thing = 1;\n}\n", NULL, &none),
        HR_BUILD, "no_such_thing");
    /* Lines count from the program's first, or from the prelude's where the compiler ignores #line. */
    assert_true(strstr(rig_message(), strcmp(rig.backend->name, "cuda") == 0 ? "program(2): error" : ":2:") ||
                (strstr(rig_message(), ":4:") && strstr(rig.info.name, "NVIDIA")));
    rig_expect_failure(rig.ops->program_create(rig.device, source, "-no-such-option", &none), HR_BUILD, "");
    assert_null(none);
}

static void options_define_macros(void **state)
{
    struct hrb_program *made = NULL;

    (void)state;
    assert_int_equal(rig.ops->program_create(
                         rig.device, "#if N != 4\n#error N\n#endif\n__kernel void f(__global int *x) { x[0] = N; }\n",
                         "-DN=4", &made),
                     HR_OK);
    rig.ops->program_destroy(made);
}

static void an_unknown_kernel_is_named_with_those_there_are(void **state)
{
    struct hrb_kernel *none = NULL;

    (void)state;
    rig.ops->kernel_destroy(kernel_of("add"));
    rig_expect_failure(rig.ops->kernel_create(program, "ad", &none), HR_NOT_FOUND, "add");
    assert_non_null(strstr(rig_message(), "\"ad\""));
    assert_null(none);
}

static void many_kernels_are_named_too(void **state)
{
    struct hrb_program *many = NULL;
    struct hrb_kernel *none = NULL;
    char text[40 * 128] = "";
    size_t used = 0;

    (void)state;
    for (int i = 0; i < 40; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "__kernel void a_kernel_with_a_long_name_%d(__global int *x) { x[0] = 1; }\n", i);
    assert_int_equal(rig.ops->program_create(rig.device, text, NULL, &many), HR_OK);
    rig_expect_failure(rig.ops->kernel_create(many, "", &none), HR_NOT_FOUND, "a_kernel_with_a_long_name_");
    rig.ops->program_destroy(many);
}

static void wrong_arguments_are_refused(void **state)
{
    struct hrb_kernel *add = kernel_of("add");
    struct hrb_kernel *wide = kernel_of("wide");
    struct hrb_kernel *with_local = kernel_of("with_local");
    struct hrb_buffer *buffer = rig_buffer(HR_MEMORY_DEVICE, 4096);
    const uint64_t eight = 8;
    struct hrb_arg args[5] = {buffer_arg(buffer, 0), data_arg(&eight, 4)};

    (void)state;
    rig_expect_failure(launch(add, line(4, 0), args, 1), HR_INVALID, "has 2 arguments and 1 were given");
    rig_expect_failure(launch(add, line(4, 0), args, 3), HR_INVALID, "has 2 arguments and 3 were given");
    args[1] = data_arg(&eight, 8);
    rig_expect_failure(launch(add, line(4, 0), args, 2), HR_INVALID, "argument 1 of kernel \"add\"");
    assert_non_null(strstr(rig_message(), "4 bytes and 8 were given"));
    args[1] = data_arg(&eight, 3); /* some drivers would take three bytes for a vector */
    rig_expect_failure(launch(add, line(4, 0), args, 2), HR_INVALID, "4 bytes and 3 were given");
    args[1] = buffer_arg(buffer, 0);
    rig_expect_failure(launch(add, line(4, 0), args, 2), HR_INVALID, "a buffer was given");
    args[0] = data_arg(&eight, 8);
    args[1] = data_arg(&eight, 4);
    rig_expect_failure(launch(add, line(4, 0), args, 2), HR_INVALID, "argument 0 of kernel \"add\" is a buffer");
    args[0] = buffer_arg(buffer, 0); /* a ulong is as large as a cl_mem */
    args[1] = buffer_arg(buffer, 0);
    rig_expect_failure(launch(wide, line(1, 0), args, 5), HR_INVALID, "argument 1 of kernel \"wide\" is a scalar");
    rig_expect_failure(launch(with_local, line(1, 0), args, 2), HR_INVALID, "__local");
    args[1] = data_arg(&eight, 4);
    rig_expect_failure(launch(add, line(UINT64_C(1) << 20, UINT64_C(1) << 20), args, 2), HR_INVALID, "1048576 x 1 x 1");
    assert_int_equal(launch(add, line(4, 0), args, 2), HR_OK); /* nothing was left half-set */
    assert_int_equal(rig.ops->queue_finish(rig.queue), HR_OK);
    rig.ops->buffer_destroy(buffer);
    rig.ops->kernel_destroy(with_local);
    rig.ops->kernel_destroy(wide);
    rig.ops->kernel_destroy(add);
}

static void scalars_of_every_width_arrive(void **state)
{
    struct hrb_kernel *wide = kernel_of("wide");
    struct hrb_buffer *buffer = rig_buffer(HR_MEMORY_DEVICE, 64);
    const uint64_t a = UINT64_C(0x123456789ABCDEF0);
    const float b = 2.5f;
    const unsigned char c = 200;
    const float d[4] = {1, 2, 3, 77};
    struct hrb_arg args[] = {buffer_arg(buffer, 0), data_arg(&a, 8), data_arg(&b, 4), data_arg(&c, 1), data_arg(d, 16)};
    uint64_t out[4];

    (void)state;
    assert_int_equal(launch(wide, line(1, 0), args, 5), HR_OK);
    rig_read(buffer, out, sizeof out);
    assert_true(out[0] == a && out[1] == 10 && out[2] == 200 && out[3] == 77);
    rig.ops->buffer_destroy(buffer);
    rig.ops->kernel_destroy(wide);
}

static void every_item_runs_once_whatever_the_shape(void **state)
{
    static const uint64_t shapes[][3] = {{49, 1001, 1}, {1, 1, 1}, {7, 13, 5}, {1009, 3, 1}, {64, 64, 2}, {1, 997, 3}};
    struct hrb_kernel *mark = kernel_of("mark3");

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const uint64_t *n = shapes[i];
        uint64_t total = n[0] * n[1] * n[2];
        uint32_t nx = (uint32_t)n[0], ny = (uint32_t)n[1];
        struct hrb_buffer *buffer = rig_buffer(HR_MEMORY_DEVICE, total * 4);
        struct hrb_arg args[] = {buffer_arg(buffer, 0), data_arg(&nx, 4), data_arg(&ny, 4)};
        hr_grid grid = {.size = sizeof grid, .dims = n[2] > 1 ? 3 : 2, .global = {n[0], n[1], n[2]}};
        uint32_t *out = calloc(total, 4);

        rig_write(buffer, out, total * 4);
        assert_int_equal(launch(mark, grid, args, 3), HR_OK);
        rig_read(buffer, out, total * 4);
        for (uint64_t k = 0; k < total; k++)
            assert_int_equal(out[k], 1);
        free(out);
        rig.ops->buffer_destroy(buffer);
    }
    rig.ops->kernel_destroy(mark);
}

static void offsets_move_the_kernels_pointer(void **state)
{
    const uint64_t step = rig.info.alignment;
    const uint64_t items = step / 4;
    struct hrb_kernel *add = kernel_of("add");
    struct hrb_buffer *buffer = rig_buffer(HR_MEMORY_DEVICE, step * 6);
    struct hrb_buffer *view = NULL;
    const uint32_t one = 1, ten = 10;
    uint32_t *out = calloc(items, 24);
    struct hrb_arg args[] = {buffer_arg(buffer, step * 2), data_arg(&one, 4)};

    (void)state;
    rig_write(buffer, out, step * 6);
    assert_int_equal(rig.ops->buffer_view(buffer, step, step * 4, &view), HR_OK);
    assert_int_equal(launch(add, line(items, 0), args, 2), HR_OK);
    args[0] = buffer_arg(view, step * 3); /* an offset into a view: part 4 of the whole */
    args[1] = data_arg(&ten, 4);
    assert_int_equal(launch(add, line(items, 0), args, 2), HR_OK);
    rig_read(buffer, out, step * 6);
    for (uint64_t i = 0; i < items * 6; i++)
        assert_int_equal(out[i], i / items == 2 ? 1 : i / items == 4 ? 10 : 0);
    rig.ops->buffer_destroy(view);
    rig.ops->buffer_destroy(buffer);
    rig.ops->kernel_destroy(add);
    free(out);
}

static void products_are_rounded_before_they_are_added(void **state)
{
    struct hrb_kernel *fused = kernel_of("fused");
    struct hrb_buffer *buffer = rig_buffer(HR_MEMORY_DEVICE, 16);
    /* (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24, whose last term is lost when the product is rounded */
    const float a = 1.0f + 0x1p-12f;
    float data[4] = {-1, a, a, -(1.0f + 0x1p-11f)};
    struct hrb_arg arg = buffer_arg(buffer, 0);

    (void)state;
    rig_write(buffer, data, sizeof data);
    assert_int_equal(launch(fused, line(1, 0), &arg, 1), HR_OK);
    rig_read(buffer, data, sizeof data);
    assert_true(data[0] == 0.0f);
    rig.ops->buffer_destroy(buffer);
    rig.ops->kernel_destroy(fused);
}

enum { THREADS = 4, ROUNDS = 500 };

struct worker {
    pthread_t thread;
    struct hrb_kernel *kernel;
    struct hrb_queue *queue;
    struct hrb_buffer *buffer;
    uint64_t offset; /* in a buffer that others use too */
    uint32_t by;
    hr_status status;
    char message[256]; /* the thread's own */
};

static void *launch_often(void *data)
{
    struct worker *worker = data;
    struct hrb_arg args[] = {buffer_arg(worker->buffer, worker->offset), data_arg(&worker->by, 4)};
    hr_grid grid = line(16, 0);

    for (int i = 0; i < ROUNDS && worker->status == HR_OK; i++)
        worker->status = rig.ops->kernel_launch(worker->queue, worker->kernel, &grid, args, 2, &rig_no_sync);
    if (worker->status != HR_OK)
        snprintf(worker->message, sizeof worker->message, "%.255s", rig_message());
    return NULL;
}

static void threads_share_a_kernel_without_mixing_arguments(void **state)
{
    const uint64_t step = rig.info.alignment;
    struct worker workers[THREADS] = {0};
    struct hrb_kernel *add = kernel_of("add");
    struct hrb_buffer *buffer = rig_buffer(HR_MEMORY_DEVICE, THREADS * step);
    uint32_t *out = calloc(THREADS, step);

    (void)state;
    rig_write(buffer, out, THREADS * step);
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i].kernel = add;
        workers[i].by = i + 1;
        workers[i].buffer = buffer;
        workers[i].offset = i * step;
        assert_int_equal(rig.ops->queue_create(rig.device, HR_QUEUE_COMPUTE, 0, NULL, &workers[i].queue), HR_OK);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&workers[i].thread, NULL, launch_often, &workers[i]), 0);
    for (int i = 0; i < THREADS; i++) /* all of them, before a check ends the test under their feet */
        pthread_join(workers[i].thread, NULL);
    for (int i = 0; i < THREADS; i++) {
        if (workers[i].status != HR_OK)
            fail_msg("thread %d: %s", i, workers[i].message);
        assert_int_equal(rig.ops->queue_finish(workers[i].queue), HR_OK);
        rig.ops->queue_destroy(workers[i].queue);
    }
    rig_read(buffer, out, THREADS * step);
    for (uint32_t i = 0; i < THREADS; i++)
        for (int k = 0; k < 16; k++)
            assert_int_equal(out[i * step / 4 + (uint64_t)k], ROUNDS * workers[i].by);
    rig.ops->buffer_destroy(buffer);
    rig.ops->kernel_destroy(add);
    free(out);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_failed_build_has_its_log),
    cmocka_unit_test(options_define_macros),
    cmocka_unit_test(an_unknown_kernel_is_named_with_those_there_are),
    cmocka_unit_test(many_kernels_are_named_too),
    cmocka_unit_test(wrong_arguments_are_refused),
    cmocka_unit_test(scalars_of_every_width_arrive),
    cmocka_unit_test(every_item_runs_once_whatever_the_shape),
    cmocka_unit_test(offsets_move_the_kernels_pointer),
    cmocka_unit_test(products_are_rounded_before_they_are_added),
    cmocka_unit_test(threads_share_a_kernel_without_mixing_arguments),
};

rig_main_with(tests, rig_open, close_all)
