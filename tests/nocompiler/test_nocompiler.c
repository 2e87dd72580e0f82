/* A machine with NVIDIA's driver and no compiler: texts are refused with the remedy, and everything else works. */
#include <headrace/headrace.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 1000, ROW = 12, BATCH = 64 };

static const char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                          ".visible .entry seven(.param .u64 out)\n"
                          "{\n"
                          "    .reg .u64 %at;\n"
                          "    .reg .u32 %value;\n"
                          "    ld.param.u64 %at, [out];\n"
                          "    cvta.to.global.u64 %at, %at;\n"
                          "    mov.u32 %value, 7;\n"
                          "    st.global.u32 [%at], %value;\n"
                          "    ret;\n"
                          "}\n";

static hr_device *device;
static hr_queue *queue;

static void ok(hr_status st)
{
    if (st != HR_OK)
        fail_msg("%s: %s", hr_status_name(st), hr_last_error());
}

static int open_device(void **state)
{
    (void)state;
    return hr_device_open("cuda", NULL, &device) == HR_OK &&
                   hr_device_get_queue(device, HR_QUEUE_COMPUTE, &queue) == HR_OK
               ? 0
               : -1;
}

static int close_device(void **state)
{
    (void)state;
    hr_device_close(&device);
    return 0;
}

static void a_text_is_refused_with_the_remedy(void **state)
{
    hr_program *program = NULL;

    (void)state;
    for (int i = 0; i < 2; i++) { /* and again: a later installation would be found */
        assert_int_equal(hr_program_create(device, "__kernel void f(__global int *x) { x[0] = 1; }", NULL, &program),
                         HR_UNAVAILABLE);
        assert_non_null(strstr(hr_last_error(), "NVRTC"));
        assert_non_null(strstr(hr_last_error(), "install"));
        assert_non_null(strstr(hr_last_error(), "hr_program_create_binary"));
        assert_null(program);
    }
}

static void an_image_runs(void **state)
{
    hr_program *program = NULL;
    hr_kernel *kernel = NULL;
    hr_buffer *buffer = NULL;
    uint32_t value = 0;
    hr_grid grid = {.size = sizeof grid, .dims = 1, .global = {1}};

    (void)state;
    ok(hr_program_create_binary(device, ptx, strlen(ptx), &program));
    ok(hr_kernel_create(program, "seven", &kernel));
    ok(hr_buffer_create(device, HR_MEMORY_DEVICE, 4, queue, &buffer));
    hr_arg args[] = {HR_ARG_BUFFER(buffer, 0)};
    ok(hr_kernel_launch(queue, kernel, &grid, args, 1, NULL));
    ok(hr_read(queue, buffer, 0, &value, 4, NULL));
    ok(hr_queue_finish(queue));
    assert_int_equal(value, 7);
    hr_buffer_close(&buffer);
    hr_kernel_close(&kernel);
    hr_program_close(&program);
}

static void check_batch(hr_batch *batch, const uint8_t *rows)
{
    const uint64_t *ids;
    const void *host;
    uint64_t count;

    ok(hr_batch_row_ids(batch, &ids, &count));
    ok(hr_batch_host(batch, 0, &host));
    for (uint64_t r = 0; r < count; r++)
        assert_memory_equal((const uint8_t *)host + r * ROW, rows + ids[r] * ROW, ROW);
}

/* The route that gathers by a kernel. */
static void every_route_works(void **state)
{
    static uint8_t rows[ROWS * ROW];
    static const uint32_t routes[] = {HR_ROUTE_STAGED, HR_ROUTE_RESIDENT};
    hr_array array = {.size = sizeof array, .dtype = HR_U8, .data = rows, .rank = 1, .shape = {ROW}};
    hr_dataset *dataset = NULL;

    (void)state;
    for (int i = 0; i < ROWS * ROW; i++)
        rows[i] = (uint8_t)(i * 31 + i / 256);
    ok(hr_dataset_from_arrays(&array, 1, ROWS, &dataset));
    for (int i = 0; i < 2; i++) {
        const hr_loader_options options = {
            .size = sizeof options, .batch_rows = BATCH, .shuffle = 1, .route = routes[i]};
        hr_loader *loader = NULL;
        hr_batch *batch = NULL;
        hr_status st;

        ok(hr_loader_open(device, dataset, &options, &loader));
        ok(hr_loader_start(loader, 0));
        while ((st = hr_loader_next(loader, &batch)) == HR_OK) {
            check_batch(batch, rows);
            ok(hr_batch_release(&batch));
        }
        assert_int_equal(st, HR_END);
        hr_loader_close(&loader);
    }
    hr_dataset_close(&dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_refused_with_the_remedy),
        cmocka_unit_test(an_image_runs),
        cmocka_unit_test(every_route_works),
    };

    return cmocka_run_group_tests(tests, open_device, close_device);
}
