/* Native CUDA handles: the program's own context and stream in, and what is refused. */
#include "native.h"
#include "native_cuda.h"

#include <headrace/cuda.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 4096, BYTES = WORDS * 4 };

#define NEEDS_CUDA()                                                                                                   \
    do {                                                                                                               \
        if (!native_is_cuda())                                                                                         \
            NOT_APPLICABLE("this is no CUDA device");                                                                  \
    } while (0)

/* What a program has that uses CUDA already. */
static struct CUctx_st *context;
static struct CUstream_st *stream;

static struct CUstream_st *new_stream(struct CUctx_st *of)
{
    struct CUctx_st *popped;
    struct CUstream_st *made = NULL;

    assert_int_equal(cuda_driver()->push(of), 0);
    assert_int_equal(cuda_driver()->stream_create(&made, 0), 0);
    assert_int_equal(cuda_driver()->pop(&popped), 0);
    return made;
}

static void drop_stream(struct CUctx_st *of, struct CUstream_st *made)
{
    struct CUctx_st *popped;

    assert_int_equal(cuda_driver()->push(of), 0);
    assert_int_equal(cuda_driver()->stream_destroy(made), 0);
    assert_int_equal(cuda_driver()->pop(&popped), 0);
}

static int make_own(void **state)
{
    int index, handle;

    (void)state;
    if (!native_is_cuda())
        return 0;
    index = atoi(strchr(info.selector, ':') + 1);
    assert_int_equal(cuda_driver()->device(&handle, index), 0);
    context = cuda_context_create(handle);
    stream = new_stream(context);
    return context && stream ? 0 : -1;
}

static int drop_own(void **state)
{
    (void)state;
    if (stream)
        drop_stream(context, stream);
    if (context)
        cuda_context_destroy(context);
    stream = NULL;
    context = NULL;
    return 0;
}

static void own_context_and_stream(void **state)
{
    hr_device *own = NULL;
    hr_queue *queue = NULL;
    hr_buffer *buffer;
    uint8_t *data;
    struct CUctx_st *seen = NULL;
    struct CUstream_st *seen_stream = NULL;
    hr_device_info own_info = {.size = sizeof own_info};

    (void)state;
    NEEDS_CUDA();
    OK(hr_device_from_cuda(context, NULL, &own));
    OK(hr_queue_from_cuda(own, stream, &queue));
    OK(hr_device_cuda(own, &seen));
    assert_ptr_equal(seen, context);
    OK(hr_queue_cuda(queue, &seen_stream));
    assert_ptr_equal(seen_stream, stream);
    OK(hr_device_get_info(own, &own_info));
    assert_string_equal(own_info.selector, info.selector);
    data = new_random(BYTES, 1);
    buffer = new_buffer(own, BYTES, queue);
    OK(hr_write(queue, buffer, 0, data, BYTES, NULL));
    expect_bytes(queue, buffer, 0, data, BYTES);
    hr_buffer_close(&buffer);
    hr_queue_close(&queue);
    hr_device_close(&own);
    free(data);
    assert_int_equal(drop_own(state), 0); /* the program's own still, and alive */
}

/* Kernels of every origin, in a context of the program's own. */
static void programs_in_an_own_context(void **state)
{
    static const char source[] = "__kernel void twice(__global uint *x) { x[get_global_id(0)] *= 2u; }";
    hr_device *own = NULL;
    hr_program *program = NULL;
    hr_kernel *kernel = NULL;
    hr_queue *queue = NULL;
    hr_buffer *buffer;
    uint32_t data[WORDS];

    (void)state;
    NEEDS_CUDA();
    OK(hr_device_from_cuda(context, NULL, &own));
    OK(hr_device_get_queue(own, HR_QUEUE_COMPUTE, &queue));
    OK(hr_program_create(own, source, NULL, &program));
    OK(hr_kernel_create(program, "twice", &kernel));
    buffer = new_buffer(own, BYTES, queue);
    OK(hr_fill(queue, buffer, 0, BYTES, "\3\0\0\0", 4, NULL));
    hr_arg args[] = {HR_ARG_BUFFER(buffer, 0)};
    OK(launch(queue, kernel, WORDS, args, 1, NULL));
    for (int i = 0; i < WORDS; i++)
        data[i] = 6;
    expect_bytes(queue, buffer, 0, data, BYTES);
    hr_buffer_close(&buffer);
    hr_kernel_close(&kernel);
    hr_program_close(&program);
    hr_device_close(&own);
}

/* NULL is what frameworks call their current stream; the program's work on it and the library's keep their order. */
static void the_default_stream(void **state)
{
    static const uintptr_t handles[] = {0, 1};
    uint32_t expected[WORDS];

    (void)state;
    NEEDS_CUDA();
    for (int h = 0; h < 2; h++) {
        struct CUstream_st *native = NULL;
        hr_queue *queue = NULL;
        hr_buffer *buffer;

        OK(hr_queue_from_cuda(device, (struct CUstream_st *)handles[h], &queue));
        OK(hr_queue_cuda(queue, &native));
        assert_int_equal((uintptr_t)native, 1);
        buffer = new_buffer(device, BYTES, queue);
        OK(hr_fill(queue, buffer, 0, BYTES, "\1\0\0\0", 4, NULL));
        native_fill(queue, buffer, 0, 5, BYTES / 2);
        OK(launch_add(queue, buffer, WORDS, 1, NULL));
        for (int k = 0; k < WORDS; k++)
            expected[k] = k < WORDS / 2 ? 6 : 2;
        expect_bytes(queue, buffer, 0, expected, BYTES);
        hr_buffer_close(&buffer);
        hr_queue_close(&queue);
    }
}

static void unfit_streams_are_refused(void **state)
{
    struct CUctx_st *popped;
    hr_device *own = NULL;
    hr_queue *queue = NULL;
    hr_buffer *buffer;

    (void)state;
    NEEDS_CUDA();
    FAILS(HR_UNSUPPORTED, hr_queue_from_cuda(device, (struct CUstream_st *)(uintptr_t)2, &queue));
    SAYS("CU_STREAM_PER_THREAD");
    FAILS(HR_INVALID, hr_queue_from_cuda(device, stream, &queue));
    SAYS("CUcontext");
    assert_null(queue);
    OK(hr_device_from_cuda(context, NULL, &own));
    assert_int_equal(cuda_driver()->push(context), 0);
    cuda_capture(stream, true);
    FAILS(HR_UNSUPPORTED, hr_queue_from_cuda(own, stream, &queue));
    SAYS("captur");
    assert_null(queue);
    cuda_capture(stream, false);
    OK(hr_queue_from_cuda(own, stream, &queue));
    buffer = new_buffer(own, BYTES, queue);
    cuda_capture(stream, true);
    FAILS(HR_UNSUPPORTED, hr_fill(queue, buffer, 0, BYTES, "a", 1, NULL));
    SAYS("captur");
    cuda_capture(stream, false);
    OK(hr_fill(queue, buffer, 0, BYTES, "a", 1, NULL)); /* nothing was left half-done, and no failure is kept */
    OK(hr_queue_finish(queue));
    assert_int_equal(cuda_driver()->pop(&popped), 0);
    hr_buffer_close(&buffer);
    hr_queue_close(&queue);
    hr_device_close(&own);
}

static void wrong_handles(void **state)
{
    hr_device *own = NULL;
    hr_queue *queue = NULL;
    struct CUctx_st *seen = NULL;
    struct CUstream_st *native = NULL;
    unsigned long long pointer = 7;
    uint8_t *ptr;
    hr_buffer *pinned = new_pinned(device, 100, &ptr);

    (void)state;
    FAILS(HR_INVALID, hr_buffer_cuda(NULL, &pointer));
    FAILS(HR_INVALID, hr_queue_cuda(NULL, &native));
    FAILS(HR_INVALID, hr_device_cuda(NULL, &seen));
    FAILS(HR_INVALID, hr_queue_from_cuda(NULL, NULL, &queue));
    FAILS(HR_INVALID, hr_queue_from_cuda(device, NULL, NULL));
    FAILS(HR_INVALID, hr_device_cuda(device, NULL));
    FAILS(HR_INVALID, hr_queue_cuda(compute, NULL));
    FAILS(HR_INVALID, hr_buffer_cuda(pinned, &pointer));
    FAILS(HR_INVALID, hr_buffer_cuda(pinned, NULL));
    FAILS(HR_INVALID, hr_device_from_cuda(NULL, NULL, &own));
    if (!native_is_cuda()) { /* other devices have other handles */
        FAILS(HR_INVALID, hr_device_cuda(device, &seen));
        SAYS(info.backend);
        FAILS(HR_INVALID, hr_queue_cuda(compute, &native));
        FAILS(HR_INVALID, hr_queue_from_cuda(device, NULL, &queue));
    }
    assert_true(!own && !queue && !seen && !native && pointer == 7);
    hr_buffer_close(&pinned);
}

#define with_own(f) cmocka_unit_test_setup_teardown(f, make_own, drop_own)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        with_own(own_context_and_stream),    with_own(programs_in_an_own_context), with_own(the_default_stream),
        with_own(unfit_streams_are_refused), cmocka_unit_test(wrong_handles),
    };

    return conformance_main(argc, argv, tests, NULL);
}
