/* Simulated driver: streams are independent, events order them, and failures stick. */
#include "rig.h"

#include <pthread.h>

enum { BYTES = 4096 };

static void a_held_stream_stops_no_other(void **state)
{
    unsigned char *host = rig_pinned(BYTES);
    hri_cu_stream held = rig_stream(), free_one = rig_stream();
    hri_cu_pointer device = rig_device(BYTES);

    (void)state;
    fake.hold(held, 1);
    OK(cu.MemsetD8Async(device, 1, BYTES, held));
    OK(cu.MemsetD8Async(device, 2, BYTES, free_one));
    OK(cu.MemcpyDtoHAsync(host, device, BYTES, free_one));
    rig_finish(free_one);
    assert_int_equal(host[0], 2);
    fake.hold(held, 0);
    rig_finish(held);
    OK(cu.MemcpyDtoHAsync(host, device, BYTES, free_one));
    rig_finish(free_one);
    assert_int_equal(host[0], 1);
    OK(cu.StreamDestroy(held));
    OK(cu.StreamDestroy(free_one));
    OK(cu.MemFree(device));
    OK(cu.MemFreeHost(host));
}

static void an_event_orders_two_streams(void **state)
{
    unsigned char *host = rig_pinned(BYTES);
    hri_cu_stream first = rig_stream(), second = rig_stream();
    hri_cu_event event = rig_event(HRI_CU_EVENT_DISABLE_TIMING);
    hri_cu_pointer device = rig_device(BYTES);

    (void)state;
    OK(cu.StreamWaitEvent(second, event, 0)); /* never recorded: done */
    rig_finish(second);
    fake.hold(first, 1);
    OK(cu.MemsetD8Async(device, 7, BYTES, first));
    OK(cu.EventRecord(event, first));
    OK(cu.StreamWaitEvent(second, event, 0));
    OK(cu.MemcpyDtoHAsync(host, device, BYTES, second));
    assert_false(rig_idle(second));
    FAILS(HRI_CU_NOT_READY, cu.EventQuery(event));
    OK(cu.EventDestroy(event)); /* the wait stays */
    assert_false(rig_idle(second));
    fake.hold(first, 0);
    rig_finish(second);
    assert_int_equal(host[BYTES - 1], 7);
    OK(cu.StreamDestroy(first));
    OK(cu.StreamDestroy(second));
    OK(cu.MemFree(device));
    OK(cu.MemFreeHost(host));
}

/* A wait is for the record that was the last when it was made. */
static void a_later_record_does_not_move_a_wait(void **state)
{
    hri_cu_stream first = rig_stream(), second = rig_stream(), third = rig_stream();
    hri_cu_event event = rig_event(HRI_CU_EVENT_DISABLE_TIMING);

    (void)state;
    OK(cu.EventRecord(event, first));
    OK(cu.StreamWaitEvent(second, event, 0));
    fake.hold(third, 1);
    OK(cu.EventRecord(event, third));
    rig_finish(second);
    FAILS(HRI_CU_NOT_READY, cu.EventQuery(event));
    fake.hold(third, 0);
    OK(cu.EventSynchronize(event));
    OK(cu.EventQuery(event));
    OK(cu.EventDestroy(event));
    OK(cu.StreamDestroy(first));
    OK(cu.StreamDestroy(second));
    OK(cu.StreamDestroy(third));
}

static void times(void **state)
{
    hri_cu_stream stream = rig_stream();
    hri_cu_event start = rig_event(HRI_CU_EVENT_BLOCKING_SYNC), end = rig_event(0);
    hri_cu_event untimed = rig_event(HRI_CU_EVENT_DISABLE_TIMING);
    hri_cu_pointer device = rig_device(BYTES);
    float ms = -1;

    (void)state;
    FAILS(HRI_CU_INVALID_HANDLE, cu.EventElapsedTime(&ms, start, end));
    OK(cu.EventRecord(start, stream));
    OK(cu.MemsetD8Async(device, 1, BYTES, stream));
    fake.hold(stream, 1);
    OK(cu.EventRecord(end, stream));
    OK(cu.EventRecord(untimed, stream));
    FAILS(HRI_CU_NOT_READY, cu.EventElapsedTime(&ms, start, end));
    FAILS(HRI_CU_INVALID_HANDLE, cu.EventElapsedTime(&ms, start, untimed));
    fake.hold(stream, 0);
    OK(cu.EventSynchronize(untimed));
    OK(cu.EventElapsedTime(&ms, start, end));
    assert_true(ms > 0 && ms < 60000);
    OK(cu.EventDestroy(start));
    OK(cu.EventDestroy(end));
    OK(cu.EventDestroy(untimed));
    OK(cu.MemFree(device));
    OK(cu.StreamDestroy(stream));
}

static void a_destroyed_stream_ends_its_work(void **state)
{
    unsigned char *host = rig_pinned(BYTES);
    hri_cu_stream stream = rig_stream();
    hri_cu_event event = rig_event(HRI_CU_EVENT_DISABLE_TIMING);
    hri_cu_pointer device = rig_device(BYTES);

    (void)state;
    OK(cu.MemsetD8Async(device, 5, BYTES, stream));
    OK(cu.MemcpyDtoHAsync(host, device, BYTES, stream));
    OK(cu.EventRecord(event, stream));
    OK(cu.StreamDestroy(stream));
    OK(cu.EventSynchronize(event));
    assert_int_equal(host[0], 5);
    OK(cu.EventDestroy(event));
    OK(cu.MemFree(device));
    OK(cu.MemFreeHost(host));
}

static void a_capturing_stream_takes_no_work(void **state)
{
    hri_cu_stream stream = rig_stream();
    hri_cu_pointer device = rig_device(BYTES);
    int status = -1;

    (void)state;
    OK(cu.StreamIsCapturing(stream, &status));
    assert_int_equal(status, HRI_CU_CAPTURE_NONE);
    fake.capture(stream, 1);
    OK(cu.StreamIsCapturing(stream, &status));
    assert_int_not_equal(status, HRI_CU_CAPTURE_NONE);
    FAILS(HRI_CU_CAPTURE_UNSUPPORTED, cu.MemsetD8Async(device, 1, BYTES, stream));
    fake.capture(stream, 0);
    OK(cu.MemFree(device));
    OK(cu.StreamDestroy(stream));
}

static void a_capture_refuses_what_reaches_past_streams(void **state)
{
    hri_cu_stream captured = rig_stream(), other = rig_stream();
    hri_cu_event event = rig_event(HRI_CU_EVENT_DISABLE_TIMING);
    hri_cu_capture_mode mode = HRI_CU_CAPTURE_RELAXED;
    hri_cu_pointer device = 0;

    (void)state;
    fake.capture(captured, 1);
    OK(cu.EventRecord(event, other)); /* work goes on */
    FAILS(HRI_CU_CAPTURE_UNSUPPORTED, cu.EventQuery(event));
    FAILS(HRI_CU_CAPTURE_UNSUPPORTED, cu.MemAlloc(&device, BYTES));
    assert_int_equal(fake.spoilt(), 2);
    OK(cu.ThreadExchangeStreamCaptureMode(&mode));
    assert_int_equal(mode, 0);
    OK(cu.EventSynchronize(event));
    OK(cu.MemAlloc(&device, BYTES));
    OK(cu.MemFree(device));
    assert_int_equal(fake.spoilt(), 2);
    OK(cu.ThreadExchangeStreamCaptureMode(&mode));
    OK(cu.StreamDestroy(captured)); /* which ends the capture */
    OK(cu.EventQuery(event));
    OK(cu.EventDestroy(event));
    OK(cu.StreamDestroy(other));
}

static void failed_work_sticks(void **state)
{
    hri_cu_stream stream = rig_stream(), other = rig_stream();
    hri_cu_event before = rig_event(HRI_CU_EVENT_DISABLE_TIMING), after = rig_event(HRI_CU_EVENT_DISABLE_TIMING);
    hri_cu_pointer device = rig_device(BYTES);
    unsigned char *host = rig_pinned(BYTES);

    (void)state;
    host[0] = 9;
    OK(cu.EventRecord(before, stream));
    OK(cu.EventSynchronize(before));
    assert_int_equal(fake.inject("work", 2, HRI_CU_LAUNCH_FAILED), 0);
    OK(cu.MemsetD8Async(device, 1, BYTES, stream));
    OK(cu.MemsetD8Async(device, 2, BYTES, stream));
    OK(cu.MemcpyDtoHAsync(host, device, BYTES, stream));
    OK(cu.EventRecord(after, stream));
    FAILS(HRI_CU_LAUNCH_FAILED, cu.EventSynchronize(after));
    assert_int_equal(host[0], 9); /* what came behind was not done */
    FAILS(HRI_CU_LAUNCH_FAILED, cu.EventQuery(before));
    FAILS(HRI_CU_LAUNCH_FAILED, cu.MemsetD8Async(device, 1, BYTES, other));
    /* The primary context begins anew when nobody holds it any more. */
    OK(cu.CtxPopCurrent(&context));
    OK(cu.DevicePrimaryCtxRelease(0));
    OK(cu.DevicePrimaryCtxRetain(&context, 0));
    OK(cu.CtxPushCurrent(context));
    device = rig_device(BYTES);
    OK(cu.MemFree(device));
}

static void *wait_for(void *event)
{
    hri_cu_context popped;

    OK(cu.CtxPushCurrent(context));
    OK(cu.EventSynchronize(event));
    OK(cu.CtxPopCurrent(&popped));
    return NULL;
}

static void many_threads_wait_for_one_event(void **state)
{
    hri_cu_stream stream = rig_stream();
    hri_cu_event event = rig_event(HRI_CU_EVENT_DISABLE_TIMING | HRI_CU_EVENT_BLOCKING_SYNC);
    pthread_t threads[4];

    (void)state;
    fake.hold(stream, 1);
    OK(cu.EventRecord(event, stream));
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, wait_for, event);
    fake.hold(stream, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    OK(cu.EventDestroy(event));
    OK(cu.StreamDestroy(stream));
}

#define on_a_device(f) cmocka_unit_test_setup_teardown(f, rig_open, rig_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_a_device(a_held_stream_stops_no_other),
        on_a_device(an_event_orders_two_streams),
        on_a_device(a_later_record_does_not_move_a_wait),
        on_a_device(times),
        on_a_device(a_destroyed_stream_ends_its_work),
        on_a_device(a_capturing_stream_takes_no_work),
        on_a_device(a_capture_refuses_what_reaches_past_streams),
        on_a_device(failed_work_sticks),
        on_a_device(many_threads_wait_for_one_event),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
