/* Copies that fail when a part of them is under way: what the program may free is left alone, what the device still
 * uses is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake/read_rig.h"
#include "transfer/object.h"

/* The program may free what it was to be read into as soon as it has been told. */
static void a_read_that_failed_in_the_middle_writes_nothing_later(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 4; n++) {
        for (int behind = 0; behind <= 1; behind++) {
            struct read_rig t;
            hr_event *event = NULL;
            hr_sync sync = {.size = sizeof sync, .event = &event};

            read_rig_open(&t, 64 * MIB, 3 * MIB + 5);
            fake_hold(t.fake, t.queue, true);
            if (behind)
                fake_fail_behind(t.fake, n, HR_DRIVER);
            else
                fake_fail(t.fake, FAKE_COPY, n, HR_DRIVER);
            assert_int_equal(hr_read(t.queue, t.buffer, 0, t.seen, t.bytes, &sync), HR_DRIVER);
            assert_null(event);
            fake_hold(t.fake, t.queue, false);
            assert_int_equal(hr_queue_finish(t.queue), HR_OK); /* the program was told already */
            assert_true(read_rig_untouched(&t));
            assert_int_equal(hr_read(t.queue, t.buffer, 0, t.seen, t.bytes, NULL), HR_OK);
            assert_int_equal(hr_queue_finish(t.queue), HR_OK);
            read_rig_landed(&t);
            read_rig_close(&t);
        }
    }
}

enum way { READ, WRITE, WRITE_FROM, COPY, WAYS };

static hr_status copy_by(struct read_rig *t, enum way way, hr_buffer *pinned, const hr_sync *sync)
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
            struct read_rig t;
            hr_buffer *pinned;
            hr_event *event = NULL;
            hr_sync sync = {.size = sizeof sync, .event = &event};

            read_rig_open(&t, 64 * MIB, 3 * MIB);
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
            read_rig_close(&t);
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
        struct read_rig t;
        hr_event *event;
        hr_sync sync = {.size = sizeof sync, .event = &event};

        read_rig_open(&t, 64 * MIB, MIB);
        fake_hold(t.fake, t.queue, true);
        assert_int_equal(hr_read(t.queue, t.buffer, 0, t.seen, t.bytes, &sync), HR_OK);
        fake_fail(t.fake, i == 0 ? FAKE_EVENT_QUERY : FAKE_EVENT_WAIT, 1, HR_DRIVER);
        assert_int_equal(asks[i](event), HR_DRIVER);
        hr_memory_trim(t.device);
        assert_int_equal(fake_broken(t.fake), 0);
        fake_hold(t.fake, t.queue, false);
        assert_int_equal(hr_queue_finish(t.queue), HR_DRIVER);
        assert_true(read_rig_untouched(&t));
        hr_event_close(&event);
        read_rig_close(&t);
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
