/* Copies that fail when a part of them is under way: what the program may free is left alone, what the device still
 * uses is kept. */
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
    hr_buffer *buffer;
    unsigned char *host; /* what the buffer has */
    unsigned char *seen; /* zeros */
    uint64_t bytes;
};

static void fill_host(struct bench *t)
{
    for (uint64_t i = 0; i < t->bytes; i++)
        t->host[i] = (unsigned char)(((uint32_t)i * 2654435761u >> 24) | 1); /* never 0 */
}

static void open_bench(struct bench *t, uint64_t bytes)
{
    const struct fake_options waiting = {.pageable_waits = true};
    hr_device_options options = {
        .size = sizeof options, .device_memory_bytes = 256 * MIB, .pinned_memory_bytes = 64 * MIB};

    t->fake = fake_create(&waiting);
    t->device = fake_device(t->fake, &options);
    t->bytes = bytes;
    t->host = malloc(bytes);
    t->seen = calloc(1, bytes);
    assert_non_null(t->device);
    assert_int_equal(hr_queue_create(t->device, HR_QUEUE_COPY_OUT, NULL, &t->queue), HR_OK);
    assert_int_equal(hr_buffer_create(t->device, HR_MEMORY_DEVICE, bytes, NULL, &t->buffer), HR_OK);
    fill_host(t);
    assert_int_equal(hr_write(t->queue, t->buffer, 0, t->host, bytes, NULL), HR_OK);
    assert_int_equal(hr_queue_finish(t->queue), HR_OK);
}

static void close_bench(struct bench *t)
{
    hr_buffer_close(&t->buffer);
    hr_queue_close(&t->queue);
    hr_device_close(&t->device);
    free(t->host);
    free(t->seen);
    assert_int_equal(fake_destroy(t->fake), 0);
}

static bool untouched(const struct bench *t)
{
    for (uint64_t i = 0; i < t->bytes; i++)
        if (t->seen[i] != 0)
            return false;
    return true;
}

static void landed(struct bench *t)
{
    assert_memory_equal(t->seen, t->host, t->bytes);
    memset(t->seen, 0, t->bytes);
}

/* The program may free what it was to be read into as soon as it has been told. */
static void a_read_that_failed_in_the_middle_writes_nothing_later(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 4; n++) {
        for (int behind = 0; behind <= 1; behind++) {
            struct bench t;
            hr_event *event = NULL;
            hr_sync sync = {.size = sizeof sync, .event = &event};

            open_bench(&t, 3 * MIB + 5);
            fake_hold(t.fake, t.queue, true);
            if (behind)
                fake_fail_behind(t.fake, n, HR_DRIVER);
            else
                fake_fail(t.fake, FAKE_COPY, n, HR_DRIVER);
            assert_int_equal(hr_read(t.queue, t.buffer, 0, t.seen, t.bytes, &sync), HR_DRIVER);
            assert_null(event);
            fake_hold(t.fake, t.queue, false);
            assert_int_equal(hr_queue_finish(t.queue), HR_OK); /* the program was told already */
            assert_true(untouched(&t));
            assert_int_equal(hr_read(t.queue, t.buffer, 0, t.seen, t.bytes, NULL), HR_OK);
            assert_int_equal(hr_queue_finish(t.queue), HR_OK);
            landed(&t);
            close_bench(&t);
        }
    }
}

enum way { READ, WRITE, WRITE_FROM, COPY, WAYS };

static hr_status copy_by(struct bench *t, enum way way, hr_buffer *pinned, const hr_sync *sync)
{
    switch (way) {
    case READ:
        return hr_read(t->queue, t->buffer, 0, t->seen, t->bytes, sync);
    case WRITE:
        return hr_write(t->queue, t->buffer, 0, t->host, t->bytes, sync);
    case WRITE_FROM:
        return hr_write_from(t->queue, t->buffer, 0, t->host, t->bytes, sync);
    default:
        return hr_copy(t->queue, t->buffer, 0, pinned, 0, KIB, sync);
    }
}

/* A call may fail behind the submission, as when the driver has no event left: its work goes on in the memory. */
static void what_a_failed_call_left_under_way_keeps_its_memory(void **state)
{
    (void)state;
    for (enum way way = READ; way < WAYS; way++) {
        for (unsigned n = 1; n <= (way == COPY ? 1 : 3); n++) {
            struct bench t;
            hr_buffer *pinned;
            hr_event *event = NULL;
            hr_sync sync = {.size = sizeof sync, .event = &event};

            open_bench(&t, 3 * MIB);
            assert_int_equal(hr_buffer_create(t.device, HR_MEMORY_PINNED, KIB, NULL, &pinned), HR_OK);
            assert_int_equal(hr_memory_trim(t.device), HR_OK);
            fake_hold(t.fake, t.queue, true);
            fake_fail_behind(t.fake, n, HR_DRIVER);
            assert_int_equal(copy_by(&t, way, pinned, &sync), HR_DRIVER);
            hr_buffer_close(&t.buffer);
            hr_buffer_close(&pinned);
            assert_int_equal(hr_memory_trim(t.device), HR_OK);
            assert_int_equal(fake_broken(t.fake), 0);
            fake_hold(t.fake, t.queue, false);
            close_bench(&t);
        }
    }
}

static hr_status ask(hr_event *event)
{
    uint32_t done;

    return hr_event_done(event, &done);
}

static hr_status wait(hr_event *event)
{
    return hr_event_wait(event, HR_FOREVER);
}

/* Nor is it reused when the queue has failed by something else, which may be any time before. */
static void a_lost_read_keeps_its_memory_too(void **state)
{
    static hr_status (*const asks[])(hr_event *) = {ask, wait};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct bench t;
        hr_event *event;
        hr_sync sync = {.size = sizeof sync, .event = &event};

        open_bench(&t, MIB);
        fake_hold(t.fake, t.queue, true);
        assert_int_equal(hr_read(t.queue, t.buffer, 0, t.seen, t.bytes, &sync), HR_OK);
        fake_fail(t.fake, i == 0 ? FAKE_EVENT_QUERY : FAKE_EVENT_WAIT, 1, HR_DRIVER);
        assert_int_equal(asks[i](event), HR_DRIVER);
        hr_memory_trim(t.device);
        assert_int_equal(fake_broken(t.fake), 0);
        fake_hold(t.fake, t.queue, false);
        assert_int_equal(hr_queue_finish(t.queue), HR_DRIVER);
        assert_true(untouched(&t));
        hr_event_close(&event);
        close_bench(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_that_failed_in_the_middle_writes_nothing_later),
        cmocka_unit_test(what_a_failed_call_left_under_way_keeps_its_memory),
        cmocka_unit_test(a_lost_read_keeps_its_memory_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
