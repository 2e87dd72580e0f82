/* hr_write(): a snapshot in bounded pinned memory. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake/fake_backend.h"
#include "transfer/object.h"

#define KIB ((uint64_t)1024)
#define MIB (KIB * 1024)

struct bench {
    struct fake *fake;
    hr_device *device;
    hr_queue *queue;
    hr_queue *other;
    hr_buffer *buffer;
    unsigned char *host;
    unsigned char *seen;
    uint64_t bytes;
};

/* Does not repeat from piece to piece. */
static unsigned char byte_at(uint64_t i)
{
    return (unsigned char)((uint32_t)i * 2654435761u >> 24);
}

/* A pinned budget of 2 * cap gives staging `cap`. */
static void open_bench(struct bench *t, uint64_t pinned, uint64_t bytes)
{
    hr_device_options options = {
        .size = sizeof options, .device_memory_bytes = 256 * MIB, .pinned_memory_bytes = pinned};

    t->fake = fake_create(NULL);
    t->device = fake_device(t->fake, &options);
    t->bytes = bytes;
    t->host = malloc(bytes);
    t->seen = calloc(1, bytes);
    assert_non_null(t->device);
    assert_int_equal(hr_queue_create(t->device, HR_QUEUE_COPY_IN, NULL, &t->queue), HR_OK);
    assert_int_equal(hr_queue_create(t->device, HR_QUEUE_COPY_IN, NULL, &t->other), HR_OK);
    assert_int_equal(hr_buffer_create(t->device, HR_MEMORY_DEVICE, bytes, NULL, &t->buffer), HR_OK);
    for (uint64_t i = 0; i < bytes; i++)
        t->host[i] = byte_at(i);
}

static void close_bench(struct bench *t)
{
    hr_buffer_close(&t->buffer);
    hr_queue_close(&t->queue);
    hr_queue_close(&t->other);
    hr_device_close(&t->device);
    free(t->host);
    free(t->seen);
    assert_int_equal(fake_destroy(t->fake), 0);
}

static hr_memory_stats stats(struct bench *t)
{
    hr_memory_stats s = {.size = sizeof s};

    assert_int_equal(hr_memory_get_stats(t->device, &s), HR_OK);
    return s;
}

static void check(struct bench *t)
{
    assert_int_equal(hr_read(t->queue, t->buffer, 0, t->seen, t->bytes, NULL), HR_OK);
    assert_int_equal(hr_queue_finish(t->queue), HR_OK);
    for (uint64_t i = 0; i < t->bytes; i++)
        t->host[i] = byte_at(i);
    assert_memory_equal(t->seen, t->host, t->bytes);
}

/* Case 1: freed and refilled right after the call, while the queue stands still. */
static void the_source_is_free_at_return(void **state)
{
    struct bench t;

    (void)state;
    open_bench(&t, 64 * MIB, 5 * MIB + 13);
    fake_hold(t.fake, t.queue, true);
    assert_int_equal(hr_write(t.queue, t.buffer, 0, t.host, t.bytes, NULL), HR_OK);
    memset(t.host, 0xee, t.bytes);
    assert_true(fake_pending(t.fake, t.queue) >= 6); /* pieces: the copy of one overlaps the snapshot of the next */
    fake_hold(t.fake, t.queue, false);
    check(&t);
    assert_int_equal(stats(&t).staging_waits, 0);
    close_bench(&t);
}

static void a_write_beyond_staging_waits(void **state)
{
    struct bench t;

    (void)state;
    open_bench(&t, 2 * MIB, 9 * MIB);
    assert_int_equal(hr_write(t.queue, t.buffer, 0, t.host, t.bytes, NULL), HR_OK);
    memset(t.host, 0xee, t.bytes);
    check(&t);
    assert_int_equal(stats(&t).staging_waits, 1); /* calls, not pieces */
    assert_true(stats(&t).pinned_peak_bytes <= MIB);
    close_bench(&t);
}

/* A long write waits for its oldest piece alone, not for all that is behind it: staging stays nearly full of work. */
static void a_wait_is_for_the_oldest_piece(void **state)
{
    struct bench t;

    (void)state;
    open_bench(&t, 16 * MIB, 14 * MIB); /* 8 chunks of 1 MiB */
    assert_int_equal(hr_write(t.queue, t.buffer, 0, t.host, 14 * MIB, NULL), HR_OK);
    assert_int_equal(stats(&t).staging_waits, 1);
    assert_true(fake_pending(t.fake, t.queue) >= 8);
    memset(t.host, 0xee, t.bytes);
    check(&t);
    close_bench(&t);
}

static void asked_not_to_wait(void **state)
{
    hr_sync sync = {.size = sizeof sync, .flags = HR_NO_WAIT};
    struct bench t;
    unsigned pending;

    (void)state;
    open_bench(&t, 8 * MIB, 6 * MIB); /* 4 MiB of staging */
    assert_int_equal(hr_write(t.queue, t.buffer, 0, t.host, 3 * MIB, &sync), HR_OK);
    pending = fake_pending(t.fake, t.queue);
    assert_int_equal(hr_write(t.queue, t.buffer, 3 * MIB, t.host + 3 * MIB, 3 * MIB, &sync), HR_WOULD_BLOCK);
    assert_non_null(strstr(hr_last_error(), "HR_NO_WAIT"));
    assert_int_equal(stats(&t).staging_waits, 0);
    assert_int_equal(fake_count(t.fake, FAKE_EVENT_WAIT), 0);
    assert_int_equal(fake_count(t.fake, FAKE_COPY), 3); /* nothing of it was submitted */
    assert_true(fake_pending(t.fake, t.queue) <= pending + 1);
    fake_run(t.fake); /* with the events that were recorded at the chunks' ends */
    assert_int_equal(hr_write(t.queue, t.buffer, 3 * MIB, t.host + 3 * MIB, 3 * MIB, &sync), HR_OK);
    assert_int_equal(hr_write(t.queue, t.buffer, 0, t.host, 6 * MIB, &sync), HR_WOULD_BLOCK); /* never fits */
    memset(t.host, 0xee, t.bytes);
    check(&t);
    close_bench(&t);
}

static void small_writes_share_a_chunk(void **state)
{
    struct bench t;

    (void)state;
    open_bench(&t, 64 * MIB, MIB);
    for (uint64_t at = 0; at < t.bytes; at += 1024)
        assert_int_equal(hr_write(t.queue, t.buffer, at, t.host + at, 1024, NULL), HR_OK);
    assert_int_equal(stats(&t).pinned_driver_allocs, 1);
    memset(t.host, 0xee, t.bytes);
    check(&t);
    for (int round = 0; round < 20; round++) { /* and it starts over */
        assert_int_equal(hr_write(t.queue, t.buffer, 0, t.host, t.bytes, NULL), HR_OK);
        assert_int_equal(hr_queue_finish(t.queue), HR_OK);
    }
    assert_int_equal(stats(&t).pinned_driver_allocs, 1);
    close_bench(&t);
}

static void waits_come_first_and_the_event_last(void **state)
{
    struct bench t;
    hr_event *before;
    hr_event *after;
    hr_sync sync = {.size = sizeof sync, .n_waits = 1, .waits = &before, .event = &after};

    (void)state;
    open_bench(&t, 64 * MIB, 3 * MIB);
    assert_int_equal(hr_fill(t.other, t.buffer, 0, 64, "\x09", 1, NULL), HR_OK);
    assert_int_equal(hr_event_record(t.other, &before), HR_OK);
    assert_int_equal(hr_write(t.queue, t.buffer, 0, t.host, t.bytes, &sync), HR_OK);
    assert_int_equal(fake_step(t.fake, t.queue, 1), 0);
    assert_int_equal(hr_event_wait(after, HR_FOREVER), HR_OK);
    assert_true(hri_mark_seen(t.queue, hri_queue_mark(t.queue))); /* it covers the last piece */
    check(&t);
    hr_event_close(&before);
    hr_event_close(&after);
    close_bench(&t);
}

/* Case 12: pinning fails above some size: smaller pieces, right data. */
static void little_pinned_memory_makes_small_pieces(void **state)
{
    struct fake_options poor = {.pinned_bytes = 40 * KIB};
    hr_device_options options = {.size = sizeof options, .pinned_memory_bytes = 64 * MIB};
    struct fake *fake = fake_create(&poor);
    hr_device *device = fake_device(fake, &options);
    static unsigned char bytes[300000];
    static unsigned char seen[300000];
    hr_queue *queue;
    hr_buffer *buffer;

    (void)state;
    memset(bytes, 0x71, sizeof bytes);
    assert_int_equal(hr_device_get_queue(device, HR_QUEUE_COPY_IN, &queue), HR_OK);
    assert_int_equal(hr_buffer_create(device, HR_MEMORY_DEVICE, sizeof bytes, queue, &buffer), HR_OK);
    assert_int_equal(hr_write(queue, buffer, 0, bytes, sizeof bytes, NULL), HR_OK);
    assert_int_equal(hr_read(queue, buffer, 0, seen, sizeof seen, NULL), HR_OK);
    assert_int_equal(hr_queue_finish(queue), HR_OK);
    assert_memory_equal(seen, bytes, sizeof bytes);
    hr_buffer_close(&buffer);
    hr_device_close(&device);
    assert_int_equal(fake_destroy(fake), 0);
}

static void no_pinned_memory_is_an_error(void **state)
{
    hr_buffer *all;
    struct bench t;

    (void)state;
    open_bench(&t, MIB, MIB);
    assert_int_equal(hr_buffer_create(t.device, HR_MEMORY_PINNED, MIB, NULL, &all), HR_OK);
    assert_int_equal(hr_write(t.queue, t.buffer, 0, t.host, t.bytes, NULL), HR_NO_PINNED_MEMORY);
    assert_int_equal(fake_pending(t.fake, t.queue), 0);
    hr_buffer_close(&all);
    assert_int_equal(hr_write(t.queue, t.buffer, 0, t.host, t.bytes, NULL), HR_OK);
    /* And the other way: idle staging is given up for the program's buffer. */
    assert_int_equal(hr_queue_finish(t.queue), HR_OK);
    assert_int_equal(hr_buffer_create(t.device, HR_MEMORY_PINNED, MIB, NULL, &all), HR_OK);
    hr_buffer_close(&all);
    close_bench(&t);
}

/* Two queues: the chunks of the one are lent to the other once they are idle. */
static void queues_share_the_chunks(void **state)
{
    struct bench t;

    (void)state;
    open_bench(&t, 8 * MIB, 4 * MIB);
    assert_int_equal(hr_write(t.other, t.buffer, 0, t.host, 4 * MIB, NULL), HR_OK);
    assert_int_equal(hr_write(t.queue, t.buffer, 0, t.host, 4 * MIB, NULL), HR_OK);
    assert_int_equal(stats(&t).pinned_driver_allocs, 4);
    hr_queue_close(&t.other); /* with a chunk still tied to it, perhaps */
    memset(t.host, 0xee, t.bytes);
    check(&t);
    assert_int_equal(hr_write(t.queue, t.buffer, 0, t.host, 4 * MIB, NULL), HR_OK);
    assert_int_equal(stats(&t).pinned_driver_allocs, 4);
    close_bench(&t);
}

/* -- threads ------------------------------------------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 200, PART = 40000 };

struct writer {
    struct bench *t;
    hr_queue *queue;
    unsigned index;
};

static void *write_and_check(void *arg)
{
    struct writer *w = arg;
    unsigned char *bytes = malloc(PART);
    unsigned char *seen = malloc(PART);
    void *failed = NULL;

    for (int round = 0; round < ROUNDS && failed == NULL; round++) {
        uint64_t n = 1 + (uint64_t)(round * 7919 + (int)w->index * 13) % PART;
        hr_event *event;
        hr_sync sync = {.size = sizeof sync, .event = &event};

        memset(bytes, round + (int)w->index, n);
        if (hr_write(w->queue, w->t->buffer, w->index * PART, bytes, n, NULL) != HR_OK)
            failed = "write";
        memset(bytes, 0xee, n);
        if (hr_read(w->queue, w->t->buffer, w->index * PART, seen, n, &sync) != HR_OK)
            return "read";
        if (hr_event_wait(event, HR_FOREVER) != HR_OK)
            failed = "wait";
        hr_event_close(&event);
        for (uint64_t i = 0; i < n && failed == NULL; i++)
            if (seen[i] != (unsigned char)(round + (int)w->index))
                failed = "bytes";
    }
    free(bytes);
    free(seen);
    return failed;
}

static void threads_write_to_two_queues(void **state)
{
    struct bench t;
    pthread_t threads[THREADS];
    struct writer writers[THREADS];

    (void)state;
    open_bench(&t, 128 * KIB, THREADS * PART); /* 64 KiB of staging for all */
    for (unsigned i = 0; i < THREADS; i++) {
        writers[i] = (struct writer){&t, i % 2 == 0 ? t.queue : t.other, i};
        assert_int_equal(pthread_create(&threads[i], NULL, write_and_check, &writers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        void *failed;

        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_true(stats(&t).pinned_peak_bytes <= 128 * KIB);
    close_bench(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_source_is_free_at_return),
        cmocka_unit_test(a_write_beyond_staging_waits),
        cmocka_unit_test(a_wait_is_for_the_oldest_piece),
        cmocka_unit_test(asked_not_to_wait),
        cmocka_unit_test(small_writes_share_a_chunk),
        cmocka_unit_test(waits_come_first_and_the_event_last),
        cmocka_unit_test(little_pinned_memory_makes_small_pieces),
        cmocka_unit_test(no_pinned_memory_is_an_error),
        cmocka_unit_test(queues_share_the_chunks),
        cmocka_unit_test(threads_write_to_two_queues),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
