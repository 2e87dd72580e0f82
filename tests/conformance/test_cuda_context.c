/* Case 28: the CUDA context that is current in the calling thread is the same after every public call as before it,
 * whether the call succeeds or not, and whether there is one or none. */
#include "native.h"
#include "native_cuda.h"
#include "table.h"

#include <headrace/cuda.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 4096, ROWS = 300 };

static struct CUctx_st *before; /* what must be current all the time; NULL: nothing */

static struct CUctx_st *current(void)
{
    struct CUctx_st *context = NULL;

    assert_int_equal(cuda_driver()->current(&context), 0);
    return context;
}

/* The call answers `status`, and the context stays. */
#define KEEPS(status, call)                                                                                            \
    do {                                                                                                               \
        if ((status) == HR_OK)                                                                                         \
            OK(call);                                                                                                  \
        else                                                                                                           \
            FAILS((status), call);                                                                                     \
        assert_ptr_equal(current(), before);                                                                           \
    } while (0)

/* A call that answers nothing. */
#define LEAVES(call)                                                                                                   \
    do {                                                                                                               \
        call;                                                                                                          \
        assert_ptr_equal(current(), before);                                                                           \
    } while (0)

static void devices(hr_device **own)
{
    hr_device_info found = {.size = sizeof found};
    const hr_device_options wrong = {.size = sizeof wrong, .layers = "fault:op=nothing"};
    struct CUctx_st *context;
    hr_device *none = NULL;
    uint32_t n;

    KEEPS(HR_OK, hr_device_count(&n));
    KEEPS(HR_OK, hr_device_describe(0, &found));
    KEEPS(HR_OK, hr_device_open(selector, NULL, own));
    KEEPS(HR_NOT_FOUND, hr_device_open("cuda:99", NULL, &none));
    KEEPS(HR_INVALID, hr_device_open(selector, &wrong, &none));
    KEEPS(HR_OK, hr_device_get_info(*own, &found));
    KEEPS(HR_OK, hr_device_cuda(*own, &context));
    KEEPS(HR_OK, hr_device_from_cuda(context, NULL, &none));
    LEAVES(hr_device_close(&none));
    KEEPS(HR_INVALID, hr_device_from_cuda(NULL, NULL, &none));
}

static void memory(hr_device *own, hr_queue *queue)
{
    hr_memory_stats stats = {.size = sizeof stats};
    static uint8_t host[BYTES] __attribute__((aligned(4096)));
    unsigned long long pointer;
    hr_buffer *buffer = NULL, *pinned = NULL, *imported = NULL, *none = NULL;
    void *ptr;

    KEEPS(HR_OK, hr_buffer_create(own, HR_MEMORY_DEVICE, BYTES, queue, &buffer));
    KEEPS(HR_OK, hr_buffer_create(own, HR_MEMORY_PINNED, BYTES, queue, &pinned));
    KEEPS(HR_OK, hr_buffer_import(own, host, BYTES, &imported));
    KEEPS(HR_NO_DEVICE_MEMORY, hr_buffer_create(own, HR_MEMORY_DEVICE, UINT64_C(1) << 46, queue, &none));
    KEEPS(HR_NO_PINNED_MEMORY, hr_buffer_create(own, HR_MEMORY_PINNED, UINT64_C(1) << 46, queue, &none));
    KEEPS(HR_OK, hr_buffer_acquire(buffer, queue, HR_ACCESS_WRITE, &ptr));
    KEEPS(HR_STATE, hr_buffer_acquire(buffer, queue, HR_ACCESS_WRITE, &ptr));
    KEEPS(HR_OK, hr_buffer_release(buffer, queue));
    KEEPS(HR_STATE, hr_buffer_release(buffer, queue));
    KEEPS(HR_OK, hr_buffer_used(buffer, queue));
    KEEPS(HR_OK, hr_buffer_cuda(buffer, &pointer));
    KEEPS(HR_INVALID, hr_buffer_cuda(pinned, &pointer));
    LEAVES(hr_buffer_close(&buffer));
    LEAVES(hr_buffer_close(&pinned));
    LEAVES(hr_buffer_close(&imported));
    KEEPS(HR_OK, hr_memory_get_stats(own, &stats));
    KEEPS(HR_OK, hr_memory_trim(own));
}

static void queues(hr_device *own)
{
    hr_queue *a = NULL, *b = NULL, *none = NULL;
    struct CUstream_st *stream;
    hr_event *event = NULL;
    uint32_t done;

    KEEPS(HR_OK, hr_queue_create(own, HR_QUEUE_COMPUTE, NULL, &a));
    KEEPS(HR_OK, hr_queue_from_cuda(own, NULL, &b));
    KEEPS(HR_UNSUPPORTED, hr_queue_from_cuda(own, (struct CUstream_st *)(uintptr_t)2, &none));
    KEEPS(HR_OK, hr_event_record(a, &event));
    KEEPS(HR_OK, hr_queue_wait(b, event));
    KEEPS(HR_OK, hr_event_wait(event, HR_FOREVER));
    KEEPS(HR_OK, hr_event_done(event, &done));
    LEAVES(hr_event_close(&event));
    KEEPS(HR_OK, hr_queue_cuda(a, &stream));
    KEEPS(HR_OK, hr_queue_finish(a));
    LEAVES(hr_queue_close(&a));
    LEAVES(hr_queue_close(&b));
}

static void copies(hr_device *own, hr_queue *queue)
{
    static uint8_t host[BYTES];
    const hr_rect rect = {.size = sizeof rect, .row_pitch = 64};
    hr_buffer *a = NULL, *b = NULL;
    hr_event *event = NULL;
    hr_sync sync = {.size = sizeof sync, .event = &event};

    KEEPS(HR_OK, hr_buffer_create(own, HR_MEMORY_DEVICE, BYTES, queue, &a));
    KEEPS(HR_OK, hr_buffer_create(own, HR_MEMORY_DEVICE, BYTES, queue, &b));
    KEEPS(HR_OK, hr_fill(queue, a, 0, BYTES, "abcd", 4, NULL));
    KEEPS(HR_OK, hr_fill(queue, a, 0, BYTES, "abcdefghijklmnop", 16, NULL));
    KEEPS(HR_OK, hr_copy(queue, b, 0, a, 0, BYTES, NULL));
    KEEPS(HR_OK, hr_copy_rect(queue, b, &rect, a, &rect, 32, 8, 1, NULL));
    KEEPS(HR_OK, hr_write(queue, a, 0, host, BYTES, NULL));
    KEEPS(HR_OK, hr_write_from(queue, a, 0, host, BYTES, &sync));
    KEEPS(HR_OK, hr_event_wait(event, HR_FOREVER));
    LEAVES(hr_event_close(&event));
    KEEPS(HR_OK, hr_read(queue, a, 0, host, BYTES, &sync));
    KEEPS(HR_OK, hr_event_wait(event, HR_FOREVER));
    LEAVES(hr_event_close(&event));
    KEEPS(HR_RANGE, hr_copy(queue, b, 1, a, 0, BYTES, NULL));
    LEAVES(hr_buffer_close(&a));
    LEAVES(hr_buffer_close(&b));
}

static void kernels(hr_device *own, hr_queue *queue)
{
    static const char source[] = "__kernel void one(__global uint *x) { x[get_global_id(0)] = 1u; }";
    hr_program *program = NULL, *none = NULL;
    hr_kernel *kernel = NULL, *missing = NULL;
    hr_buffer *buffer = NULL;
    hr_grid grid = {.size = sizeof grid, .dims = 1, .global = {64}};

    KEEPS(HR_OK, hr_program_create(own, source, NULL, &program));
    KEEPS(HR_BUILD, hr_program_create(own, "__kernel void f(__global int *x) { x[0] = y; }", NULL, &none));
    KEEPS(HR_BUILD, hr_program_create_binary(own, ".version 6.0\nnonsense", 21, &none));
    KEEPS(HR_OK, hr_kernel_create(program, "one", &kernel));
    KEEPS(HR_NOT_FOUND, hr_kernel_create(program, "two", &missing));
    KEEPS(HR_OK, hr_buffer_create(own, HR_MEMORY_DEVICE, BYTES, queue, &buffer));
    hr_arg args[] = {HR_ARG_BUFFER(buffer, 0)};
    KEEPS(HR_OK, hr_kernel_launch(queue, kernel, &grid, args, 1, NULL));
    KEEPS(HR_INVALID, hr_kernel_launch(queue, kernel, &grid, NULL, 0, NULL));
    grid.local[0] = 7;
    KEEPS(HR_INVALID, hr_kernel_launch(queue, kernel, &grid, args, 1, NULL));
    LEAVES(hr_kernel_close(&kernel));
    LEAVES(hr_program_close(&program));
    LEAVES(hr_buffer_close(&buffer));
}

static void loaders(hr_device *own, hr_queue *queue)
{
    uint32_t routes[3], n_routes = routes_here(routes);
    struct table table;

    table_open(&table, ROWS, 5);
    for (uint32_t r = 0; r < n_routes; r++) {
        const hr_loader_options options = {
            .size = sizeof options, .batch_rows = 64, .shuffle = 1, .route = routes[r], .workers = 2};
        const hr_loader_options wrong = {.size = sizeof wrong, .batch_rows = 0};
        hr_loader *loader = NULL, *none = NULL;
        hr_batch *batch = NULL;
        const void *ptr;
        hr_status st;

        KEEPS(HR_INVALID, hr_loader_open(own, table.dataset, &wrong, &none));
        KEEPS(HR_OK, hr_loader_open(own, table.dataset, &options, &loader));
        KEEPS(HR_STATE, hr_loader_next(loader, &batch));
        KEEPS(HR_OK, hr_loader_start(loader, 0));
        while ((st = hr_loader_next(loader, &batch)) == HR_OK) {
            assert_ptr_equal(current(), before);
            KEEPS(HR_OK, hr_batch_wait(batch, queue));
            KEEPS(HR_OK, hr_batch_used(batch, queue));
            KEEPS(HR_OK, hr_batch_host(batch, 0, &ptr));
            KEEPS(HR_OK, hr_batch_release(&batch));
        }
        assert_int_equal(st, HR_END);
        KEEPS(HR_OK, hr_loader_start(loader, 7)); /* and left in the middle */
        LEAVES(hr_loader_close(&loader));
    }
    table_close(&table);
}

static void all_calls(void)
{
    hr_device *own = NULL;
    hr_queue *queue = NULL;

    devices(&own);
    KEEPS(HR_OK, hr_device_get_queue(own, HR_QUEUE_COMPUTE, &queue));
    memory(own, queue);
    queues(own);
    copies(own, queue);
    kernels(own, queue);
    loaders(own, queue);
    LEAVES(hr_device_close(&own));
}

static void no_context_stays_none(void **state)
{
    (void)state;
    if (!native_is_cuda())
        NOT_APPLICABLE("this is no CUDA device");
    before = NULL;
    assert_null(current());
    all_calls();
}

static void a_foreign_context_stays(void **state)
{
    struct CUctx_st *popped = NULL;
    int handle;

    (void)state;
    if (!native_is_cuda())
        NOT_APPLICABLE("this is no CUDA device");
    assert_int_equal(cuda_driver()->device(&handle, 0), 0);
    before = cuda_context_create(handle);
    assert_int_equal(cuda_driver()->push(before), 0);
    all_calls();
    assert_int_equal(cuda_driver()->pop(&popped), 0); /* nothing was left above it, */
    assert_ptr_equal(popped, before);
    assert_null(current()); /* and nothing below */
    cuda_context_destroy(before);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_context_stays_none),
        cmocka_unit_test(a_foreign_context_stays),
    };

    return conformance_main(argc, argv, tests, NULL);
}
