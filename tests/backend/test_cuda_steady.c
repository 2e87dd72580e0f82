/* What a steady loop costs: no object of the driver, and few calls. */
#include "cuda.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 1 << 16 };

struct bench {
    struct hrb_queue *in;
    struct hrb_buffer *pinned;
    struct hrb_buffer *buffer;
};

/* As a loader does it: a copy on one queue, an event, a wait of the other, an event back. */
static void round_trip(const struct bench *b, uint32_t flags)
{
    const struct hrb_place host = {.buffer = b->pinned, .host = b->pinned->host};
    const struct hrb_place place = {.buffer = b->buffer};
    struct hrb_event *copied = NULL;
    struct hrb_event *used = NULL;
    struct hrb_sync sync = {.flags = flags, .event = &copied};
    uint32_t done = 0;
    void *ptr;

    assert_int_equal(rig.ops->copy(b->in, &place, &host, BYTES, &sync), HR_OK);
    assert_int_equal(rig.ops->queue_wait(rig.queue, copied), HR_OK);
    assert_int_equal(rig.ops->fill(rig.queue, b->buffer, 0, 64, "0123456789abcdef", 16, &rig_no_sync), HR_OK);
    assert_int_equal(rig.ops->event_record(rig.queue, 0, &used), HR_OK);
    assert_int_equal(rig.ops->queue_wait(b->in, used), HR_OK);
    assert_int_equal(rig.ops->event_query(used, &done), HR_OK);
    assert_int_equal(rig.ops->event_wait(used, HR_FOREVER), HR_OK);
    rig.ops->event_destroy(copied);
    rig.ops->event_destroy(used);
    assert_int_equal(rig.ops->queue_finish(b->in), HR_OK);
    assert_int_equal(rig.ops->buffer_acquire(b->buffer, rig.queue, HR_ACCESS_READ | HR_ACCESS_WRITE, &ptr), HR_OK);
    assert_int_equal(rig.ops->buffer_release(b->buffer, rig.queue, ptr), HR_OK);
    assert_int_equal(rig.ops->queue_finish(rig.queue), HR_OK); /* the next round writes on the other queue */
}

static void open_bench(struct bench *b)
{
    assert_int_equal(rig.ops->queue_create(rig.device, HR_QUEUE_COPY_IN, 0, NULL, &b->in), HR_OK);
    b->pinned = rig_buffer(HR_MEMORY_PINNED, BYTES);
    b->buffer = rig_buffer(HR_MEMORY_DEVICE, BYTES);
}

static void close_bench(struct bench *b)
{
    assert_int_equal(rig.ops->queue_finish(rig.queue), HR_OK);
    assert_int_equal(rig.ops->queue_finish(b->in), HR_OK);
    rig.ops->buffer_destroy(b->pinned);
    rig.ops->buffer_destroy(b->buffer);
    rig.ops->queue_destroy(b->in);
}

static void nothing_is_made_in_a_steady_loop(void **state)
{
    static const char *const making[] = {"cuEventCreate",     "cuEventDestroy",     "cuStreamCreate", "cuStreamDestroy",
                                         "cuMemHostAlloc",    "cuMemFreeHost",      "cuMemAlloc",     "cuMemFree",
                                         "cuMemHostRegister", "cuMemHostUnregister"};
    enum { N = sizeof making / sizeof *making };
    uint64_t before[N];
    struct bench b;

    (void)state;
    open_bench(&b);
    for (int i = 0; i < 2; i++) {
        round_trip(&b, 0);
        round_trip(&b, HR_TIMING);
    }
    for (int i = 0; i < N; i++)
        before[i] = fake.calls(making[i]);
    for (int i = 0; i < 500; i++) {
        round_trip(&b, 0);
        round_trip(&b, HR_TIMING);
    }
    for (int i = 0; i < N; i++)
        if (fake.calls(making[i]) != before[i])
            fail_msg("%s was called %d times", making[i], (int)(fake.calls(making[i]) - before[i]));
    close_bench(&b);
}

/* The events that are kept are bounded, and given back with the device. */
static void a_burst_of_events_is_not_kept_for_ever(void **state)
{
    enum { MANY = 1000 };
    static struct hrb_event *events[MANY];
    const long live = fake.live("events");

    (void)state;
    for (int i = 0; i < MANY; i++)
        assert_int_equal(rig.ops->event_record(rig.queue, 0, &events[i]), HR_OK);
    assert_int_equal(rig.ops->queue_finish(rig.queue), HR_OK);
    assert_true(fake.live("events") >= live + MANY - 256);
    for (int i = 0; i < MANY; i++)
        rig.ops->event_destroy(events[i]);
    assert_true(fake.live("events") <= live + 256);
}

/* The driver's calls of one op, with those that guard what is the caller's: its context, and for calls that reach past
 * streams its capture mode. */
#define CALLS(n, call)                                                                                                 \
    do {                                                                                                               \
        const uint64_t before_ = fake.calls("all");                                                                    \
        assert_int_equal((call), HR_OK);                                                                               \
        assert_int_equal(fake.calls("all") - before_, (n) + 2);                                                        \
    } while (0)

static void an_op_is_as_many_calls_as_it_must_be(void **state)
{
    struct hrb_event *event = NULL;
    struct hrb_event *other = NULL;
    struct hrb_sync sync = {.event = &other};
    struct hrb_place host;
    struct hrb_place place;
    uint32_t done;
    struct bench b;

    (void)state;
    open_bench(&b);
    round_trip(&b, 0);
    host = rig_host_place(b.pinned, b.pinned->host, 0);
    place = rig_device_place(b.buffer, 0);
    CALLS(1, rig.ops->event_record(rig.queue, 0, &event));
    assert_int_equal(rig.ops->event_wait(event, HR_FOREVER), HR_OK); /* looks as often as it takes */
    CALLS(1 + 2, rig.ops->event_wait(event, HR_FOREVER));
    CALLS(1 + 2, rig.ops->event_query(event, &done));
    CALLS(1 + 2, rig.ops->event_wait(event, 1000000));
    CALLS(0, rig.ops->queue_wait(rig.queue, event)); /* its own */
    CALLS(1, rig.ops->queue_wait(b.in, event));
    CALLS(1, rig.ops->copy(b.in, &place, &host, BYTES, &rig_no_sync));
    sync.waits = &event;
    sync.n_waits = 1;
    CALLS(3, rig.ops->copy(b.in, &place, &host, BYTES, &sync)); /* a wait, the copy, its event */
    CALLS(1, rig.ops->fill(b.in, b.buffer, 0, BYTES, "a", 1, &rig_no_sync));
    rig.ops->event_destroy(event);
    rig.ops->event_destroy(other);
    close_bench(&b);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(nothing_is_made_in_a_steady_loop),
    cmocka_unit_test(a_burst_of_events_is_not_kept_for_ever),
    cmocka_unit_test(an_op_is_as_many_calls_as_it_must_be),
};

static int close_all(void **state)
{
    rig_close(state);
    return fake.live("all") == 0 ? 0 : -1;
}

rig_main_with(tests, cuda_open_fake, close_all)
