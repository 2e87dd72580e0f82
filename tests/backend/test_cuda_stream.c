/* The program's own streams and contexts: what is used as it is, what is refused, and what is left alone. */
#include "cuda.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static hri_cu_stream own_stream(hri_cu_context context)
{
    hri_cu_context popped;
    hri_cu_stream stream = NULL;

    assert_int_equal(cu.CtxPushCurrent(context), HRI_CU_SUCCESS);
    assert_int_equal(cu.StreamCreate(&stream, HRI_CU_STREAM_NON_BLOCKING), HRI_CU_SUCCESS);
    cu.CtxPopCurrent(&popped);
    return stream;
}

static void end_stream(hri_cu_context context, hri_cu_stream stream)
{
    hri_cu_context popped;

    assert_int_equal(cu.CtxPushCurrent(context), HRI_CU_SUCCESS);
    assert_int_equal(cu.StreamDestroy(stream), HRI_CU_SUCCESS);
    cu.CtxPopCurrent(&popped);
}

static void the_programs_stream_is_used_and_left_alone(void **state)
{
    hri_cu_stream stream = own_stream(cuda_context());
    struct hrb_queue *queue = NULL;
    void *handle = NULL;

    (void)state;
    assert_int_equal(rig.ops->queue_create(rig.device, HR_QUEUE_COMPUTE, 0, stream, &queue), HR_OK);
    assert_int_equal(rig.ops->queue_native(queue, &handle), HR_OK);
    assert_ptr_equal(handle, stream);
    cuda_expect_working(rig.device, queue);
    rig.ops->queue_destroy(queue);
    end_stream(cuda_context(), stream); /* it is still there */
}

/* Every op that would put something into the stream. */
static void expect_all_refused(struct hrb_queue *queue)
{
    struct hrb_buffer *buffer = rig_buffer(HR_MEMORY_DEVICE, 4096);
    struct hrb_buffer *pinned = rig_buffer(HR_MEMORY_PINNED, 4096);
    struct hrb_place place = {.buffer = buffer, .row_pitch = 64, .slice_pitch = 64};
    struct hrb_place host = {.buffer = pinned, .host = pinned->host, .row_pitch = 64, .slice_pitch = 64};
    struct hrb_event *elsewhere = NULL;
    struct hrb_event *event = NULL;
    const struct hrb_sync sync = {.event = &event};
    void *ptr = NULL;

    assert_int_equal(rig.ops->event_record(rig.queue, 0, &elsewhere), HR_OK);
    rig_expect_failure(rig.ops->copy(queue, &place, &host, 4096, &sync), HR_UNSUPPORTED, "capturing");
    rig_expect_failure(rig.ops->copy_rect(queue, &place, &host, 64, 1, 1, &sync), HR_UNSUPPORTED, "capturing");
    rig_expect_failure(rig.ops->fill(queue, buffer, 0, 64, "a", 1, &sync), HR_UNSUPPORTED, "capturing");
    rig_expect_failure(rig.ops->event_record(queue, 0, &event), HR_UNSUPPORTED, "capturing");
    rig_expect_failure(rig.ops->queue_wait(queue, elsewhere), HR_UNSUPPORTED, "capturing");
    rig_expect_failure(rig.ops->queue_finish(queue), HR_UNSUPPORTED, "capturing");
    rig_expect_failure(rig.ops->buffer_acquire(buffer, queue, HR_ACCESS_READ, &ptr), HR_UNSUPPORTED, "capturing");
    assert_null(event);
    assert_null(ptr);
    rig.ops->event_destroy(elsewhere);
    rig.ops->buffer_destroy(pinned);
    rig.ops->buffer_destroy(buffer);
}

static void a_capturing_stream_is_refused(void **state)
{
    hri_cu_stream stream = own_stream(cuda_context());
    struct hrb_queue *queue = NULL;

    (void)state;
    fake.capture(stream, 1);
    rig_expect_failure(rig.ops->queue_create(rig.device, HR_QUEUE_COMPUTE, 0, stream, &queue), HR_UNSUPPORTED,
                       "capturing");
    assert_null(queue);
    fake.capture(stream, 0);
    assert_int_equal(rig.ops->queue_create(rig.device, HR_QUEUE_COMPUTE, 0, stream, &queue), HR_OK);
    fake.capture(stream, 1);
    expect_all_refused(queue);
    fake.capture(stream, 0);
    cuda_expect_working(rig.device, queue);
    rig.ops->queue_destroy(queue);
    end_stream(cuda_context(), stream);
}

/* A stream of ours that was given out may be captured as well. */
static void so_is_a_stream_that_was_given_out(void **state)
{
    struct hrb_queue *queue = NULL;
    void *stream = NULL;

    (void)state;
    assert_int_equal(rig.ops->queue_create(rig.device, HR_QUEUE_COMPUTE, 0, NULL, &queue), HR_OK);
    assert_int_equal(rig.ops->queue_native(queue, &stream), HR_OK);
    fake.capture(stream, 1);
    expect_all_refused(queue);
    fake.capture(stream, 0);
    cuda_expect_working(rig.device, queue);
    rig.ops->queue_destroy(queue);
}

static void a_stream_of_another_context_is_refused(void **state)
{
    hri_cu_context other = fake.context_create(0);
    hri_cu_stream stream = own_stream(other);
    struct hrb_queue *queue = NULL;
    char name[32];

    (void)state;
    snprintf(name, sizeof name, "%p", (void *)other);
    rig_expect_failure(rig.ops->queue_create(rig.device, HR_QUEUE_COMPUTE, 0, stream, &queue), HR_INVALID, name);
    rig_expect_failure(rig.ops->queue_create(rig.device, HR_QUEUE_COMPUTE, 0, (void *)(uintptr_t)2, &queue),
                       HR_UNSUPPORTED, "CU_STREAM_PER_THREAD");
    assert_null(queue);
    end_stream(other, stream);
    fake.context_destroy(other);
}

static void a_device_opens_over_the_programs_context(void **state)
{
    hri_cu_context other = fake.context_create(1);
    const hri_cu_dev right = 1;
    struct hrb_native native = {.context = other};
    struct hrb_native answered = {0};
    struct hrb_device *device = NULL;
    struct hrb_queue *queue = NULL;
    hr_device_info info = {.size = sizeof info};
    const long contexts = fake.live("contexts");

    (void)state;
    assert_int_equal(rig.ops->device_open(rig.instance, 0, &native, &device), HR_OK);
    assert_int_equal(fake.live("contexts"), contexts); /* nothing is retained */
    assert_int_equal(rig.ops->device_info(device, &info), HR_OK);
    assert_string_equal(info.selector, "cuda:1"); /* the context's, whatever the index */
    assert_int_equal(rig.ops->device_native(device, &answered), HR_OK);
    assert_ptr_equal(answered.context, other);
    assert_int_equal(*(hri_cu_dev *)answered.device, 1);
    assert_int_equal(rig.ops->queue_create(device, HR_QUEUE_COMPUTE, 0, NULL, &queue), HR_OK);
    cuda_expect_working(device, queue);
    rig.ops->queue_destroy(queue);
    rig.ops->device_close(device);
    native.device = (void *)(uintptr_t)&right;
    assert_int_equal(rig.ops->device_open(rig.instance, 0, &native, &device), HR_OK);
    rig.ops->device_close(device);
    assert_int_equal(cu.CtxPushCurrent(other), HRI_CU_SUCCESS); /* it is still there */
    cu.CtxPopCurrent(&other);
    fake.context_destroy(other);
}

static void a_context_of_another_device_is_refused(void **state)
{
    hri_cu_context other = fake.context_create(1);
    const hri_cu_dev asked = 0;
    const struct hrb_native native = {.context = other, .device = (void *)(uintptr_t)&asked};
    struct hrb_device *device = NULL;

    (void)state;
    rig_expect_failure(rig.ops->device_open(rig.instance, 0, &native, &device), HR_INVALID,
                       "CUdevice 1 and CUdevice 0 was asked for");
    assert_null(device);
    fake.context_destroy(other);
}

/* While the program captures a stream of its own, all that the library does besides is no part of it and spoils
 * nothing. */
static void a_capture_elsewhere_is_not_spoilt(void **state)
{
    static unsigned char own[4096] __attribute__((aligned(4096)));
    hri_cu_stream stream = own_stream(cuda_context());
    struct hrb_queue *timed = NULL;
    struct hrb_buffer *imported = NULL;
    struct hrb_buffer *buffer;
    struct hrb_program *program = NULL;
    struct hrb_event *event = NULL;
    uint64_t start, end;
    void *ptr;

    (void)state;
    fake.capture(stream, 1);
    cuda_expect_working(rig.device, rig.queue);
    buffer = rig_buffer(HR_MEMORY_DEVICE, 4096);
    assert_int_equal(rig.ops->buffer_acquire(buffer, rig.queue, HR_ACCESS_WRITE, &ptr), HR_OK);
    assert_int_equal(rig.ops->buffer_release(buffer, rig.queue, ptr), HR_OK);
    assert_int_equal(rig.ops->buffer_import(rig.device, own, sizeof own, &imported), HR_OK);
    assert_int_equal(rig.ops->queue_create(rig.device, HR_QUEUE_COMPUTE, HR_TIMING, NULL, &timed), HR_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(rig.ops->event_record(timed, 0, &event), HR_OK);
        assert_int_equal(rig.ops->event_wait(event, 10000000000u), HR_OK);
        assert_int_equal(rig.ops->event_times(event, &start, &end), HR_OK);
        rig.ops->event_destroy(event);
        usleep(110000); /* the origin of times moves on */
    }
    assert_int_equal(rig.ops->program_builtin(rig.device, &program), HR_OK);
    rig.ops->program_destroy(program);
    assert_int_equal(rig.ops->queue_finish(rig.queue), HR_OK);
    rig.ops->buffer_destroy(imported);
    rig.ops->buffer_destroy(buffer);
    rig.ops->queue_destroy(timed);
    assert_int_equal(fake.spoilt(), 0);
    assert_int_equal(fake.capture_mode(), 0); /* the thread's own, as it was */
    fake.capture(stream, 0);
    end_stream(cuda_context(), stream);
}

/* The thread's context is its own, whatever the library does: none, and one of another device. */
static void the_threads_context_stays_what_it_was(void **state)
{
    hri_cu_context other = fake.context_create(1);
    hri_cu_context popped;

    (void)state;
    assert_null(cuda_current());
    cuda_expect_working(rig.device, rig.queue);
    assert_null(cuda_current());
    assert_int_equal(cu.CtxPushCurrent(other), HRI_CU_SUCCESS);
    cuda_expect_working(rig.device, rig.queue);
    assert_ptr_equal(cuda_current(), other);
    assert_int_equal(cu.CtxPopCurrent(&popped), HRI_CU_SUCCESS);
    assert_int_equal(fake.live("pushed"), 0);
    fake.context_destroy(other);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_programs_stream_is_used_and_left_alone),
    cmocka_unit_test(a_capturing_stream_is_refused),
    cmocka_unit_test(so_is_a_stream_that_was_given_out),
    cmocka_unit_test(a_stream_of_another_context_is_refused),
    cmocka_unit_test(a_device_opens_over_the_programs_context),
    cmocka_unit_test(a_context_of_another_device_is_refused),
    cmocka_unit_test(a_capture_elsewhere_is_not_spoilt),
    cmocka_unit_test(the_threads_context_stays_what_it_was),
};

static int open_two(void **state)
{
    setenv("FAKE_CUDA_DEVICES", "2", 1); /* read when the driver starts */
    return cuda_open_fake(state);
}

rig_main_with(tests, open_two, rig_close)
