/* Queues and events: what is held stays undone, what waits keeps its order, times where they were asked for. */
#include "gate.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS UINT64_C(1000000)

static void a_held_kernel_holds_nobody_but_its_queue(void **state)
{
    struct hrb_buffer *out;
    struct hrb_event *event = NULL;
    struct hrb_sync sync = {.event = &event};
    struct gate gate;
    unsigned failures;
    uint32_t done = 7;
    uint32_t value;

    (void)state;
    if (!gate_possible())
        skip();
    out = rig_buffer(HR_MEMORY_DEVICE, 64);
    gate_create(&gate);
    failures = rig_failures();
    assert_int_equal(gate_launch(&gate, rig.queue, out, 42, &sync), HR_OK); /* returns while it is held */
    assert_ptr_equal(event->queue, rig.queue);
    assert_int_equal(rig.ops->event_query(event, &done), HR_OK);
    assert_int_equal(done, 0);
    assert_int_equal(rig.ops->event_wait(event, 0), HR_TIMEOUT);
    assert_int_equal(rig.ops->event_wait(event, 3 * MS), HR_TIMEOUT);
    assert_int_equal(rig_failures(), failures); /* a time limit is no failure */
    gate_open(&gate);
    assert_int_equal(rig.ops->event_wait(event, HR_FOREVER), HR_OK);
    assert_int_equal(rig.ops->event_wait(event, 0), HR_OK);
    assert_int_equal(rig.ops->event_query(event, &done), HR_OK);
    assert_int_equal(done, 1);
    rig_read(out, &value, sizeof value);
    assert_int_equal(value, 42);
    rig.ops->event_destroy(event);
    gate_destroy(&gate);
    rig.ops->buffer_destroy(out);
}

/* Enqueues a held kernel and, behind it, work that takes a while before it leaves 43 in out[0]: what does not wait for
 * the event finds something else there, even where a device runs one queue at a time. */
static void enqueue_slowly(struct gate *gate, struct hrb_buffer *out, struct hrb_buffer *ballast,
                           struct hrb_event **event)
{
    const uint32_t value = 43;

    assert_int_equal(gate_launch(gate, rig.queue, out, 1, &rig_no_sync), HR_OK);
    for (int i = 0; i < 16; i++)
        assert_int_equal(rig.ops->fill(rig.queue, ballast, 0, ballast->bytes, "b", 1, &rig_no_sync), HR_OK);
    assert_int_equal(rig.ops->fill(rig.queue, out, 0, 64, &value, sizeof value, &rig_no_sync), HR_OK);
    assert_int_equal(rig.ops->event_record(rig.queue, 0, event), HR_OK);
}

/* The destination is pinned: only such copies never wait.
 * by_list: whether the second queue waits by the copy's wait list, or by queue_wait before it. */
static void wait_across_queues(bool by_list)
{
    struct hrb_buffer *out = rig_buffer(HR_MEMORY_DEVICE, 64);
    struct hrb_buffer *ballast = rig_buffer(HR_MEMORY_DEVICE, 4 << 20);
    struct hrb_queue *second = NULL;
    struct hrb_event *first = NULL;
    struct hrb_event *last = NULL;
    struct hrb_sync sync = {.event = &last};
    struct gate gate;
    struct hrb_buffer *pinned = rig_buffer(HR_MEMORY_PINNED, 64);
    uint32_t *value = pinned->host;
    uint32_t done = 7;
    struct hrb_place dst = rig_host_place(pinned, value, 0);
    struct hrb_place src = rig_device_place(out, 0);

    *value = 0;
    gate_create(&gate);
    assert_int_equal(rig.ops->queue_create(rig.device, HR_QUEUE_COPY_OUT, 0, NULL, &second), HR_OK);
    assert_int_equal(second->role, HR_QUEUE_COPY_OUT);
    enqueue_slowly(&gate, out, ballast, &first);
    if (by_list) {
        sync.n_waits = 1;
        sync.waits = &first;
    } else {
        assert_int_equal(rig.ops->queue_wait(second, first), HR_OK);
        rig.ops->event_destroy(first); /* the wait keeps what it needs */
    }
    assert_int_equal(rig.ops->copy(second, &dst, &src, sizeof *value, &sync), HR_OK);
    assert_int_equal(rig.ops->event_query(last, &done), HR_OK);
    assert_int_equal(done, 0);
    gate_open(&gate);
    assert_int_equal(rig.ops->event_wait(last, HR_FOREVER), HR_OK);
    assert_int_equal(*value, 43);
    if (by_list)
        rig.ops->event_destroy(first);
    rig.ops->event_destroy(last);
    rig.ops->queue_destroy(second);
    assert_int_equal(rig.ops->queue_finish(rig.queue), HR_OK);
    gate_destroy(&gate);
    rig.ops->buffer_destroy(pinned);
    rig.ops->buffer_destroy(ballast);
    rig.ops->buffer_destroy(out);
}

static void a_queue_waits_for_an_event_of_another(void **state)
{
    (void)state;
    if (!gate_possible())
        skip();
    wait_across_queues(false);
}

static void a_copy_waits_for_its_list(void **state)
{
    (void)state;
    if (!gate_possible())
        skip();
    wait_across_queues(true);
}

static void copies_overlap_kernels_where_the_device_says_so(void **state)
{
    struct hrb_buffer *out;
    struct hrb_buffer *in;
    struct hrb_buffer *staging;
    struct hrb_place dst;
    struct hrb_place src;
    struct hrb_queue *copies = NULL;
    struct hrb_event *held = NULL;
    struct hrb_event *copied = NULL;
    struct hrb_sync of_kernel = {.event = &held};
    struct hrb_sync of_copy = {.event = &copied};
    struct gate gate;
    uint32_t done = 7;

    (void)state;
    if (!gate_possible() || !rig_has(HR_ABILITY_COPY_OVERLAP))
        skip();
    out = rig_buffer(HR_MEMORY_DEVICE, 64);
    in = rig_buffer(HR_MEMORY_DEVICE, 1 << 20);
    staging = rig_buffer(HR_MEMORY_PINNED, 1 << 20);
    dst = rig_device_place(in, 0);
    src = rig_host_place(staging, staging->host, 0);
    gate_create(&gate);
    assert_int_equal(rig.ops->queue_create(rig.device, HR_QUEUE_COPY_IN, 0, NULL, &copies), HR_OK);
    assert_int_equal(gate_launch(&gate, rig.queue, out, 44, &of_kernel), HR_OK);
    assert_int_equal(rig.ops->copy(copies, &dst, &src, 1 << 20, &of_copy), HR_OK);
    assert_int_equal(rig.ops->event_wait(copied, HR_FOREVER), HR_OK);
    assert_int_equal(rig.ops->event_query(held, &done), HR_OK);
    assert_int_equal(done, 0);
    gate_open(&gate);
    assert_int_equal(rig.ops->event_wait(held, HR_FOREVER), HR_OK);
    rig.ops->event_destroy(held);
    rig.ops->event_destroy(copied);
    rig.ops->queue_destroy(copies);
    gate_destroy(&gate);
    rig.ops->buffer_destroy(staging);
    rig.ops->buffer_destroy(in);
    rig.ops->buffer_destroy(out);
}

static void long_wait_lists_are_taken(void **state)
{
    struct hrb_buffer *buffer = rig_buffer(HR_MEMORY_DEVICE, 64);
    struct hrb_event *events[40];
    struct hrb_event *last = NULL;
    struct hrb_sync sync = {.n_waits = 40, .waits = events, .event = &last};

    (void)state;
    for (int i = 0; i < 40; i++)
        assert_int_equal(rig.ops->event_record(rig.queue, 0, &events[i]), HR_OK);
    assert_int_equal(rig.ops->queue_wait(rig.queue, events[0]), HR_OK); /* its own: in order anyway */
    assert_int_equal(rig.ops->fill(rig.queue, buffer, 0, 64, "a", 1, &sync), HR_OK);
    assert_int_equal(rig.ops->event_wait(last, 20000 * MS), HR_OK);
    for (int i = 0; i < 40; i++)
        rig.ops->event_destroy(events[i]);
    rig.ops->event_destroy(last);
    rig.ops->buffer_destroy(buffer);
}

static void *open_later(void *gate)
{
    usleep(20000); /* the longer, the surer a wait that is missing shows; a right one passes anyway */
    gate_open(gate);
    return NULL;
}

static void acquiring_waits_for_what_was_enqueued(void **state)
{
    struct hrb_buffer *out;
    struct gate gate;
    pthread_t thread;
    void *ptr = NULL;

    (void)state;
    if (!gate_possible())
        skip();
    out = rig_buffer(HR_MEMORY_DEVICE, 64);
    gate_create(&gate);
    assert_int_equal(gate_launch(&gate, rig.queue, out, 46, &rig_no_sync), HR_OK);
    assert_int_equal(pthread_create(&thread, NULL, open_later, &gate), 0);
    assert_int_equal(rig.ops->buffer_acquire(out, rig.queue, HR_ACCESS_READ, &ptr), HR_OK);
    assert_int_equal(*(uint32_t *)ptr, 46);
    assert_int_equal(rig.ops->buffer_release(out, rig.queue, ptr), HR_OK);
    pthread_join(thread, NULL);
    gate_destroy(&gate);
    rig.ops->buffer_destroy(out);
}

static void *wait_forever(void *event)
{
    return (void *)(intptr_t)rig.ops->event_wait(event, HR_FOREVER);
}

static void many_threads_wait_for_one_event(void **state)
{
    struct hrb_buffer *out;
    struct hrb_event *event = NULL;
    struct hrb_sync sync = {.event = &event};
    struct gate gate;
    pthread_t threads[4];

    (void)state;
    if (!gate_possible())
        skip();
    out = rig_buffer(HR_MEMORY_DEVICE, 64);
    gate_create(&gate);
    assert_int_equal(gate_launch(&gate, rig.queue, out, 45, &sync), HR_OK);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, wait_forever, event), 0);
    gate_open(&gate);
    for (int i = 0; i < 4; i++) {
        void *status;

        pthread_join(threads[i], &status);
        assert_int_equal((intptr_t)status, HR_OK);
    }
    rig.ops->event_destroy(event);
    gate_destroy(&gate);
    rig.ops->buffer_destroy(out);
}

static void times_are_there_when_asked_for(void **state)
{
    struct hrb_buffer *buffer;
    struct hrb_queue *timed = NULL;
    struct hrb_event *events[2] = {NULL, NULL};
    struct hrb_sync sync = {.flags = HR_TIMING, .event = &events[0]};
    uint64_t start[2], end[2];

    (void)state;
    if (!rig_has(HR_ABILITY_TIMING))
        skip();
    buffer = rig_buffer(HR_MEMORY_DEVICE, 1 << 16);
    assert_int_equal(rig.ops->queue_create(rig.device, HR_QUEUE_COMPUTE, HR_TIMING, NULL, &timed), HR_OK);
    assert_int_equal(timed->flags, HR_TIMING);
    assert_int_equal(rig.ops->fill(timed, buffer, 0, 1 << 16, "a", 1, &sync), HR_OK);
    sync = (struct hrb_sync){.event = &events[1]}; /* the queue's flag is enough */
    assert_int_equal(rig.ops->fill(timed, buffer, 0, 1 << 16, "b", 1, &sync), HR_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rig.ops->event_wait(events[i], HR_FOREVER), HR_OK);
        assert_int_equal(rig.ops->event_times(events[i], &start[i], &end[i]), HR_OK);
        assert_true(start[i] <= end[i] && start[i] > 0);
        rig.ops->event_destroy(events[i]);
    }
    assert_true(end[0] <= start[1] + 1000); /* drivers round */
    rig.ops->queue_destroy(timed);
    rig.ops->buffer_destroy(buffer);
}

/* Times of one event on a queue without: there, or refused, as the driver has them. */
static void times_of_one_event_are_there_or_refused(void **state)
{
    struct hrb_buffer *buffer = rig_buffer(HR_MEMORY_DEVICE, 64);
    struct hrb_event *event = NULL;
    struct hrb_sync sync = {.flags = HR_TIMING, .event = &event};
    const unsigned failures = rig_failures();
    uint64_t start = 1;
    uint64_t end = 0;

    (void)state;
    if (rig.ops->fill(rig.queue, buffer, 0, 64, "a", 1, &sync) == HR_OK) {
        assert_int_equal(rig.ops->event_wait(event, HR_FOREVER), HR_OK);
        assert_int_equal(rig.ops->event_times(event, &start, &end), HR_OK);
        assert_true(start <= end);
        rig.ops->event_destroy(event);
    } else {
        assert_int_equal(rig_failures(), failures + 1);
        rig_expect_failure(rig.ops->fill(rig.queue, buffer, 0, 64, "a", 1, &sync), HR_UNSUPPORTED, "HR_TIMING");
        rig_expect_failure(rig.ops->event_record(rig.queue, HR_TIMING, &event), HR_UNSUPPORTED, "HR_TIMING");
        assert_null(event);
    }
    rig.ops->buffer_destroy(buffer);
}

static void times_nobody_asked_for_are_refused(void **state)
{
    struct hrb_event *event = NULL;
    uint64_t start, end;

    (void)state;
    assert_int_equal(rig.ops->event_record(rig.queue, 0, &event), HR_OK);
    assert_int_equal(rig.ops->event_wait(event, HR_FOREVER), HR_OK);
    rig_expect_failure(rig.ops->event_times(event, &start, &end), HR_UNSUPPORTED, "HR_TIMING");
    rig.ops->event_destroy(event);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_held_kernel_holds_nobody_but_its_queue),
    cmocka_unit_test(a_queue_waits_for_an_event_of_another),
    cmocka_unit_test(a_copy_waits_for_its_list),
    cmocka_unit_test(copies_overlap_kernels_where_the_device_says_so),
    cmocka_unit_test(long_wait_lists_are_taken),
    cmocka_unit_test(acquiring_waits_for_what_was_enqueued),
    cmocka_unit_test(many_threads_wait_for_one_event),
    cmocka_unit_test(times_are_there_when_asked_for),
    cmocka_unit_test(times_of_one_event_are_there_or_refused),
    cmocka_unit_test(times_nobody_asked_for_are_refused),
};

rig_main(tests)
