/* Pageable memory on a device whose driver would wait for the queue: reads land inside the wait, writes are staged. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake/read_rig.h"
#include "transfer/object.h"

static hr_memory_stats stats(struct read_rig *t)
{
    hr_memory_stats s = {.size = sizeof s};

    assert_int_equal(hr_memory_get_stats(t->device, &s), HR_OK);
    return s;
}

static void a_read_returns_at_once_and_lands_in_the_wait(void **state)
{
    struct read_rig t;
    hr_event *event;
    hr_sync sync = {.size = sizeof sync, .event = &event};
    uint32_t done = 7;

    (void)state;
    read_rig_open(&t, 64 * MIB, 3 * MIB + 5);
    fake_hold(t.fake, t.queue, true);
    assert_int_equal(hr_read(t.queue, t.buffer, 0, t.seen, t.bytes, &sync), HR_OK);
    assert_int_equal(hr_event_done(event, &done), HR_OK);
    assert_int_equal(done, 0);
    fake_hold(t.fake, t.queue, false);
    fake_run(t.fake);
    assert_true(read_rig_untouched(&t)); /* nobody has asked yet */
    assert_int_equal(hr_event_wait(event, HR_FOREVER), HR_OK);
    read_rig_landed(&t);
    assert_int_equal(fake_pageable(t.fake), 0);
    hr_event_close(&event);
    read_rig_close(&t);
}

/* Every way to learn that the work is done. */
static void whatever_tells_that_it_is_done_lands_it(void **state)
{
    struct read_rig t;
    hr_event *event;
    hr_event *later;
    hr_sync sync = {.size = sizeof sync, .event = &event};
    uint32_t done = 0;
    void *ptr;

    (void)state;
    read_rig_open(&t, 64 * MIB, 100 * KIB);
    assert_int_equal(hr_read(t.queue, t.buffer, 0, t.seen, t.bytes, &sync), HR_OK);
    fake_run(t.fake);
    assert_int_equal(hr_event_done(event, &done), HR_OK);
    assert_int_equal(done, 1);
    read_rig_landed(&t);
    hr_event_close(&event);

    assert_int_equal(hr_read(t.queue, t.buffer, 0, t.seen, t.bytes, NULL), HR_OK);
    assert_int_equal(hr_queue_finish(t.queue), HR_OK);
    read_rig_landed(&t);

    assert_int_equal(hr_read(t.queue, t.buffer, 0, t.seen, t.bytes, NULL), HR_OK);
    assert_int_equal(hr_event_record(t.queue, &later), HR_OK);
    assert_int_equal(hr_event_wait(later, HR_FOREVER), HR_OK);
    read_rig_landed(&t);
    hr_event_close(&later);

    assert_int_equal(hr_read(t.queue, t.buffer, 0, t.seen, t.bytes, NULL), HR_OK);
    assert_int_equal(hr_buffer_acquire(t.buffer, t.queue, HR_ACCESS_READ, &ptr), HR_OK);
    read_rig_landed(&t);
    assert_int_equal(hr_buffer_release(t.buffer, t.queue), HR_OK);

    /* Another queue's event stands for it, where that queue waited. */
    assert_int_equal(hr_read(t.queue, t.buffer, 0, t.seen, t.bytes, &sync), HR_OK);
    assert_int_equal(hr_queue_wait(t.other, event), HR_OK);
    assert_int_equal(hr_event_record(t.other, &later), HR_OK);
    assert_int_equal(hr_event_wait(later, HR_FOREVER), HR_OK);
    read_rig_landed(&t);
    hr_event_close(&event);
    hr_event_close(&later);
    read_rig_close(&t);
}

static void a_queue_closed_meanwhile_and_the_device_lands_it(void **state)
{
    struct read_rig t;
    unsigned char *seen;

    (void)state;
    read_rig_open(&t, 64 * MIB, 100 * KIB);
    assert_int_equal(hr_read(t.other, t.buffer, 0, t.seen, t.bytes, NULL), HR_OK);
    hr_queue_close(&t.other);
    hr_buffer_close(&t.buffer);
    hr_queue_close(&t.queue);
    seen = t.seen;
    assert_true(read_rig_untouched(&t));
    hr_device_close(&t.device); /* waits for what is in flight */
    assert_memory_equal(seen, t.host, t.bytes);
    read_rig_close(&t);
}

/* The program's event and the landing are one to the driver: either may go first. */
static void the_event_may_be_closed_before_and_used_after(void **state)
{
    struct read_rig t;
    hr_event *event;
    hr_sync sync = {.size = sizeof sync, .event = &event};
    uint32_t done = 0;

    (void)state;
    read_rig_open(&t, 64 * MIB, 100 * KIB);
    assert_int_equal(hr_read(t.queue, t.buffer, 0, t.seen, t.bytes, &sync), HR_OK);
    hr_event_close(&event);
    assert_int_equal(hr_queue_finish(t.queue), HR_OK);
    read_rig_landed(&t);
    assert_int_equal(hr_read(t.queue, t.buffer, 0, t.seen, t.bytes, &sync), HR_OK);
    assert_int_equal(hr_queue_finish(t.queue), HR_OK);
    read_rig_landed(&t);
    assert_true(fake_live(t.fake, FAKE_EVENTS) > 0);
    assert_int_equal(hr_event_done(event, &done), HR_OK);
    assert_int_equal(done, 1);
    hr_event_close(&event);
    read_rig_close(&t);
}

static void a_large_read_waits_for_its_oldest_pieces(void **state)
{
    struct read_rig t;

    (void)state;
    read_rig_open(&t, 4 * MIB, 9 * MIB + 1); /* 512 KiB chunks, 1 MiB of reads under way */
    assert_int_equal(hr_read(t.queue, t.buffer, 0, t.seen, t.bytes, NULL), HR_OK);
    assert_true(fake_pending(t.fake, t.queue) > 0);
    assert_int_equal(hr_queue_finish(t.queue), HR_OK);
    read_rig_landed(&t);
    assert_int_equal(fake_pageable(t.fake), 0);
    assert_true(stats(&t).pinned_peak_bytes <= 4 * MIB);
    read_rig_close(&t);
}

static void a_steady_state_allocates_nothing(void **state)
{
    static const uint64_t sizes[] = {100 * KIB, 1032, 77, 64 * KIB, 9999};
    struct read_rig t;
    uint64_t allocs = 0;

    (void)state;
    read_rig_open(&t, 64 * MIB, 100 * KIB);
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 5; i++)
            assert_int_equal(hr_read(t.queue, t.buffer, 0, t.seen, sizes[i], NULL), HR_OK);
        assert_int_equal(hr_queue_finish(t.queue), HR_OK);
        if (round == 0)
            allocs = stats(&t).pinned_driver_allocs;
    }
    assert_int_equal(stats(&t).pinned_driver_allocs, allocs);
    read_rig_close(&t);
}

static void memory_that_is_pinned_is_copied_to_and_from_directly(void **state)
{
    struct read_rig t;
    hr_buffer *imported;
    uint64_t copies;

    (void)state;
    read_rig_open(&t, 64 * MIB, 4 * MIB);
    assert_int_equal(hr_buffer_import(t.device, t.seen, t.bytes, &imported), HR_OK);
    copies = fake_count(t.fake, FAKE_COPY);
    assert_int_equal(hr_read(t.queue, t.buffer, 0, t.seen, t.bytes, NULL), HR_OK);
    assert_int_equal(hr_queue_finish(t.queue), HR_OK);
    assert_memory_equal(t.seen, t.host, t.bytes);
    assert_int_equal(hr_fill(t.queue, t.buffer, 0, t.bytes, "\0", 1, NULL), HR_OK);
    assert_int_equal(hr_write_from(t.queue, t.buffer, 0, t.seen + 1, t.bytes - 1, NULL), HR_OK);
    assert_int_equal(fake_count(t.fake, FAKE_COPY), copies + 2); /* no pieces */
    assert_int_equal(fake_pageable(t.fake), 0);
    hr_buffer_close(&imported); /* waits for both */
    memset(t.seen, 0, t.bytes);
    assert_int_equal(hr_read(t.queue, t.buffer, 0, t.seen, t.bytes - 1, NULL), HR_OK);
    assert_int_equal(hr_queue_finish(t.queue), HR_OK);
    assert_memory_equal(t.seen, t.host + 1, t.bytes - 1);
    read_rig_close(&t);
}

static void a_write_without_snapshot_returns_at_once(void **state)
{
    struct read_rig t;
    hr_event *event;
    hr_sync sync = {.size = sizeof sync, .event = &event, .flags = HR_NO_WAIT};

    (void)state;
    read_rig_open(&t, 64 * MIB, 3 * MIB);
    assert_int_equal(hr_fill(t.queue, t.buffer, 0, t.bytes, "\0", 1, NULL), HR_OK);
    fake_hold(t.fake, t.queue, true);
    assert_int_equal(hr_write_from(t.queue, t.buffer, 0, t.host, t.bytes, &sync), HR_OK);
    assert_true(fake_pending(t.fake, t.queue) > 1);
    fake_hold(t.fake, t.queue, false);
    assert_int_equal(hr_event_wait(event, HR_FOREVER), HR_OK);
    assert_int_equal(fake_pageable(t.fake), 0);
    hr_event_close(&event);
    assert_int_equal(hr_read(t.queue, t.buffer, 0, t.seen, t.bytes, NULL), HR_OK);
    assert_int_equal(hr_queue_finish(t.queue), HR_OK);
    read_rig_landed(&t);
    read_rig_close(&t);
}

/* Without any pinned memory the driver's own way is left, which waits. */
static void without_pinned_memory_it_goes_all_the_same(void **state)
{
    struct read_rig t;
    hr_buffer *all;

    (void)state;
    read_rig_open(&t, MIB, MIB);
    assert_int_equal(hr_buffer_create(t.device, HR_MEMORY_PINNED, MIB, NULL, &all), HR_OK);
    assert_int_equal(hr_fill(t.queue, t.buffer, 0, t.bytes, "\0", 1, NULL), HR_OK);
    assert_int_equal(hr_write_from(t.queue, t.buffer, 0, t.host, t.bytes, NULL), HR_OK);
    assert_int_equal(hr_read(t.queue, t.buffer, 0, t.seen, t.bytes, NULL), HR_OK);
    assert_int_equal(hr_queue_finish(t.queue), HR_OK);
    read_rig_landed(&t);
    assert_int_equal(fake_pageable(t.fake), 2);
    hr_buffer_close(&all);
    read_rig_close(&t);
}

/* A buffer that is asked for gets the memory that reads hold, once they are through. */
static void reads_give_their_memory_up_for_a_buffer(void **state)
{
    struct read_rig t;
    hr_buffer *all;

    (void)state;
    read_rig_open(&t, 4 * MIB, MIB);
    assert_int_equal(hr_read(t.queue, t.buffer, 0, t.seen, t.bytes, NULL), HR_OK);
    assert_int_equal(hr_buffer_create(t.device, HR_MEMORY_PINNED, 4 * MIB, NULL, &all), HR_OK);
    read_rig_landed(&t);
    hr_buffer_close(&all);
    read_rig_close(&t);
}

static void failed_work_lands_nothing_and_closes_cleanly(void **state)
{
    struct read_rig t;

    (void)state;
    read_rig_open(&t, 64 * MIB, 3 * MIB);
    fake_fail_work(t.fake, 2, HR_DEVICE_LOST);
    assert_int_equal(hr_read(t.queue, t.buffer, 0, t.seen, t.bytes, NULL), HR_OK);
    assert_int_equal(hr_queue_finish(t.queue), HR_DEVICE_LOST);
    assert_int_equal(t.seen[t.bytes - 1], 0);
    assert_int_equal(hr_read(t.other, t.buffer, 0, t.seen, t.bytes, NULL), HR_DEVICE_LOST);
    read_rig_close(&t);
}

/* Any call of the driver that fails leaves nothing behind. */
static void whatever_fails_leaves_nothing_behind(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 24; n++) {
        struct read_rig t;
        hr_event *event = NULL;
        hr_sync sync = {.size = sizeof sync, .event = &event};
        hr_status st;

        read_rig_open(&t, 4 * MIB, 3 * MIB);
        fake_fail(t.fake, FAKE_ANY, n, HR_DRIVER);
        st = hr_read(t.queue, t.buffer, 0, t.seen, t.bytes, &sync);
        assert_int_equal(st == HR_OK, event != NULL);
        if (hr_queue_finish(t.queue) == HR_OK && st == HR_OK)
            read_rig_landed(&t);
        fake_fail(t.fake, FAKE_ANY, 0, HR_OK);
        hr_queue_finish(t.queue);
        hr_event_close(&event);
        read_rig_close(&t);
    }
}

enum { THREADS = 4, ROUNDS = 200, PART = 40000 };

struct reader {
    struct read_rig *t;
    hr_queue *queue;
    unsigned index;
};

static void *read_and_check(void *arg)
{
    const struct reader *r = arg;
    unsigned char *seen = malloc(PART);
    void *failed = NULL;

    for (uint32_t round = 0; round < ROUNDS && failed == NULL; round++) {
        uint64_t n = 1 + (round * 7919 + r->index * 13) % PART;
        hr_event *event;
        hr_sync sync = {.size = sizeof sync, .event = &event};

        memset(seen, 0, n);
        if (hr_read(r->queue, r->t->buffer, r->index * PART, seen, n, &sync) != HR_OK)
            return "read";
        if (hr_event_wait(event, HR_FOREVER) != HR_OK)
            failed = "wait";
        hr_event_close(&event);
        if (memcmp(seen, r->t->host + r->index * PART, n) != 0)
            failed = "bytes";
    }
    free(seen);
    return failed;
}

static void threads_read_from_two_queues(void **state)
{
    struct read_rig t;
    pthread_t threads[THREADS];
    struct reader readers[THREADS];

    (void)state;
    read_rig_open(&t, 128 * KIB, THREADS * PART); /* 32 KiB for the reads of all */
    for (unsigned i = 0; i < THREADS; i++) {
        readers[i] = (struct reader){&t, i % 2 == 0 ? t.queue : t.other, i};
        assert_int_equal(pthread_create(&threads[i], NULL, read_and_check, &readers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        void *failed;

        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_int_equal(fake_pageable(t.fake), 0);
    read_rig_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_returns_at_once_and_lands_in_the_wait),
        cmocka_unit_test(whatever_tells_that_it_is_done_lands_it),
        cmocka_unit_test(a_queue_closed_meanwhile_and_the_device_lands_it),
        cmocka_unit_test(the_event_may_be_closed_before_and_used_after),
        cmocka_unit_test(a_large_read_waits_for_its_oldest_pieces),
        cmocka_unit_test(a_steady_state_allocates_nothing),
        cmocka_unit_test(memory_that_is_pinned_is_copied_to_and_from_directly),
        cmocka_unit_test(a_write_without_snapshot_returns_at_once),
        cmocka_unit_test(without_pinned_memory_it_goes_all_the_same),
        cmocka_unit_test(reads_give_their_memory_up_for_a_buffer),
        cmocka_unit_test(failed_work_lands_nothing_and_closes_cleanly),
        cmocka_unit_test(whatever_fails_leaves_nothing_behind),
        cmocka_unit_test(threads_read_from_two_queues),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
