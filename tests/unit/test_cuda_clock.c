/* Times of events from a driver that tells distances in single precision, on a device whose clock the test moves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cuda/internal.h"

/* What stands behind the driver's handles. */
struct CUevent_st {
    double ns;
};

static double now; /* on the device and on the host, nanoseconds */
static int made;   /* events and streams that are alive */
static hri_cu_result record_answers;

static hri_cu_result stream_create(hri_cu_stream *stream, unsigned flags)
{
    (void)flags;
    made++;
    *stream = (hri_cu_stream)&made;
    return HRI_CU_SUCCESS;
}

static hri_cu_result stream_destroy(hri_cu_stream stream)
{
    (void)stream;
    made--;
    return HRI_CU_SUCCESS;
}

static hri_cu_result event_create(hri_cu_event *event, unsigned flags)
{
    (void)flags;
    made++;
    *event = calloc(1, sizeof **event);
    return HRI_CU_SUCCESS;
}

static hri_cu_result event_destroy(hri_cu_event event)
{
    made--;
    free(event);
    return HRI_CU_SUCCESS;
}

static hri_cu_result event_record(hri_cu_event event, hri_cu_stream stream)
{
    (void)stream;
    event->ns = now;
    return record_answers;
}

static uint64_t now_ns(void)
{
    return (uint64_t)now;
}

static hri_cu_result event_query(hri_cu_event event)
{
    (void)event;
    return HRI_CU_SUCCESS;
}

static hri_cu_result event_synchronize(hri_cu_event event)
{
    (void)event;
    return HRI_CU_SUCCESS;
}

static hri_cu_result elapsed(float *ms, hri_cu_event from, hri_cu_event to)
{
    *ms = (float)((to->ns - from->ns) / 1e6);
    return HRI_CU_SUCCESS;
}

static hri_cu_result push(hri_cu_context context)
{
    (void)context;
    return HRI_CU_SUCCESS;
}

static hri_cu_result pop(hri_cu_context *context)
{
    (void)context;
    return HRI_CU_SUCCESS;
}

static hri_cu_result exchange(hri_cu_capture_mode *mode)
{
    (void)mode;
    return HRI_CU_SUCCESS;
}

static const struct hri_cu driver = {
    .CtxPushCurrent = push,
    .CtxPopCurrent = pop,
    .ThreadExchangeStreamCaptureMode = exchange,
    .StreamCreate = stream_create,
    .StreamDestroy = stream_destroy,
    .EventCreate = event_create,
    .EventDestroy = event_destroy,
    .EventRecord = event_record,
    .EventQuery = event_query,
    .EventSynchronize = event_synchronize,
    .EventElapsedTime = elapsed,
};

static const struct hrb_services services = {.size = sizeof services, .now_ns = now_ns};

static void open_device(struct hri_cu_device *device)
{
    *device = (struct hri_cu_device){.cu = &driver, .head.services = &services};
    pthread_mutex_init(&device->lock, NULL);
    now = 1e15;
    made = 0;
    record_answers = HRI_CU_SUCCESS;
    assert_int_equal(hri_cu_clock_start(device), HRI_CU_SUCCESS);
}

static void close_device(struct hri_cu_device *device)
{
    hri_cu_clock_end(device);
    pthread_mutex_destroy(&device->lock);
    assert_int_equal(made, 0);
}

/* The time that is told for something from `now` on that takes 10 us. */
static void read_now(struct hri_cu_device *device, uint64_t *start_ns, uint64_t *end_ns)
{
    struct CUevent_st start = {.ns = now};
    struct CUevent_st done = {.ns = now + 10000};
    const struct hri_cu_event_object event = {.start = &start, .done = &done};

    hri_cu_clock_tick(device);
    assert_int_equal(hri_cu_clock_read(device, &event, start_ns, end_ns), HRI_CU_SUCCESS);
}

/* Five hours, an event every half a second: durations stay fine, and the clock drifts by less than a ten millionth,
 * which is less than clocks do. */
static void times_stay_fine_for_hours(void **state)
{
    struct hri_cu_device device;
    uint64_t first, end;
    double begin;

    (void)state;
    open_device(&device);
    begin = now;
    read_now(&device, &first, &end);
    for (int i = 1; i <= 36000; i++) {
        uint64_t start;

        now = begin + 5e8 * i + i % 977;
        read_now(&device, &start, &end);
        assert_true(llabs((long long)(end - start) - 10000) <= 10);
        assert_true(llabs((long long)(start - first) - (long long)(now - begin)) <=
                    1000 + (long long)((now - begin) / 1e7));
    }
    close_device(&device);
}

/* After a pause for hours, too: the distance over it is told as coarsely as the driver tells it. */
static void a_long_pause_is_got_over(void **state)
{
    struct hri_cu_device device;
    uint64_t before, start, end;

    (void)state;
    open_device(&device);
    read_now(&device, &before, &end);
    now += 3600e9;
    read_now(&device, &start, &end);
    assert_true(llabs((long long)(start - before) - 3600000000000ll) <= 300000);
    assert_true(llabs((long long)(end - start) - 10000) <= 10);
    before = start;
    now += 1.1e6;
    read_now(&device, &start, &end);
    assert_true(llabs((long long)(start - before) - 1100000) <= 10);
    close_device(&device);
}

/* An event from before the origin's last move. */
static void old_events_keep_their_times(void **state)
{
    struct hri_cu_device device;
    struct CUevent_st old_start, old_done;
    const struct hri_cu_event_object old = {.start = &old_start, .done = &old_done};
    uint64_t first[2], again[2], start, end;

    (void)state;
    open_device(&device);
    now += 1e9;
    old_start.ns = now;
    old_done.ns = now + 10000;
    assert_int_equal(hri_cu_clock_read(&device, &old, &first[0], &first[1]), HRI_CU_SUCCESS);
    for (int i = 0; i < 10; i++) {
        now += 1e9;
        read_now(&device, &start, &end);
    }
    assert_int_equal(hri_cu_clock_read(&device, &old, &again[0], &again[1]), HRI_CU_SUCCESS);
    assert_true(llabs((long long)(again[0] - first[0])) <= 2000);
    assert_true(again[0] <= again[1]);
    close_device(&device);
}

static void an_origin_that_cannot_move_serves_on(void **state)
{
    struct hri_cu_device device;
    uint64_t before, start, end;

    (void)state;
    open_device(&device);
    read_now(&device, &before, &end);
    record_answers = HRI_CU_OUT_OF_MEMORY;
    for (int i = 1; i <= 5; i++) {
        now += 3e9;
        read_now(&device, &start, &end);
        assert_true(llabs((long long)(start - before) - 3000000000ll * i) <= 2000);
    }
    record_answers = HRI_CU_SUCCESS;
    close_device(&device);
}

static void a_clock_that_cannot_start_leaves_nothing(void **state)
{
    struct hri_cu_device device = {.cu = &driver, .head.services = &services};

    (void)state;
    made = 0;
    record_answers = HRI_CU_OUT_OF_MEMORY;
    assert_int_equal(hri_cu_clock_start(&device), HRI_CU_OUT_OF_MEMORY);
    assert_int_equal(made, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_stay_fine_for_hours),
        cmocka_unit_test(a_long_pause_is_got_over),
        cmocka_unit_test(old_events_keep_their_times),
        cmocka_unit_test(an_origin_that_cannot_move_serves_on),
        cmocka_unit_test(a_clock_that_cannot_start_leaves_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
