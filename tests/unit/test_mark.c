/* Sequence numbers, events and failures of queues. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fake/fake_backend.h"
#include "transfer/job.h"

struct bench {
    struct fake *fake;
    hr_device *device;
    hr_queue *a;
    hr_queue *b;
    hr_buffer *buffer;
};

static void open_bench(struct bench *t)
{
    t->fake = fake_create(NULL);
    t->device = fake_device(t->fake, NULL);
    assert_non_null(t->device);
    assert_int_equal(hr_queue_create(t->device, HR_QUEUE_COMPUTE, NULL, &t->a), HR_OK);
    assert_int_equal(hr_queue_create(t->device, HR_QUEUE_COPY_IN, NULL, &t->b), HR_OK);
    assert_int_equal(hr_buffer_create(t->device, HR_MEMORY_DEVICE, 4096, NULL, &t->buffer), HR_OK);
}

static void close_bench(struct bench *t)
{
    hr_buffer_close(&t->buffer);
    hr_queue_close(&t->a);
    hr_queue_close(&t->b);
    hr_device_close(&t->device);
    assert_int_equal(fake_destroy(t->fake), 0);
}

static void work(struct bench *t, hr_queue *queue)
{
    assert_int_equal(hr_fill(queue, t->buffer, 0, 64, "\x01", 1, NULL), HR_OK);
}

static void numbers_count_submissions(void **state)
{
    struct bench t;

    (void)state;
    open_bench(&t);
    assert_int_equal(hri_queue_mark(t.a), 0);
    assert_true(hri_mark_passed(t.a, 0));
    work(&t, t.a);
    work(&t, t.a);
    assert_int_equal(hri_queue_mark(t.a), 2);
    assert_int_equal(hri_queue_mark(t.b), 0);
    assert_int_equal(hri_queue_mark(t.a), 2); /* asking changes nothing */
    close_bench(&t);
}

static void an_event_is_recorded_when_asked(void **state)
{
    struct bench t;

    (void)state;
    open_bench(&t);
    work(&t, t.a);
    work(&t, t.a);
    assert_int_equal(fake_count(t.fake, FAKE_EVENT_RECORD), 0);
    assert_false(hri_mark_passed(t.a, 1));
    assert_false(hri_mark_passed(t.a, 2));
    assert_int_equal(fake_count(t.fake, FAKE_EVENT_RECORD), 1); /* one covers both */
    assert_int_equal(fake_step(t.fake, t.a, 2), 2);
    assert_false(hri_mark_passed(t.a, 1)); /* the event itself has not been reached */
    assert_int_equal(fake_step(t.fake, t.a, 1), 1);
    assert_true(hri_mark_passed(t.a, 2));
    assert_int_equal(fake_live(t.fake, FAKE_EVENTS), 0);
    work(&t, t.a);
    assert_false(hri_mark_passed(t.a, 3));
    assert_int_equal(fake_count(t.fake, FAKE_EVENT_RECORD), 2);
    assert_int_equal(fake_count(t.fake, FAKE_EVENT_WAIT), 0);
    close_bench(&t);
}

static void a_programs_wait_teaches_the_numbers(void **state)
{
    struct bench t;
    hr_event *event;
    hr_sync sync = {.size = sizeof sync, .event = &event};

    (void)state;
    open_bench(&t);
    work(&t, t.a);
    assert_int_equal(hr_fill(t.a, t.buffer, 0, 64, "\x01", 1, &sync), HR_OK);
    assert_int_equal(hr_event_wait(event, HR_FOREVER), HR_OK);
    assert_true(hri_mark_seen(t.a, 2));
    assert_int_equal(fake_count(t.fake, FAKE_EVENT_RECORD), 0);
    hr_event_close(&event);
    work(&t, t.a);
    assert_int_equal(hr_queue_finish(t.a), HR_OK);
    assert_true(hri_mark_seen(t.a, 3));
    close_bench(&t);
}

/* Another thread's submission, counted before this event was: the event must not vouch for it. */
static void an_event_vouches_for_no_stranger(void **state)
{
    struct bench t;
    struct hri_job job;
    hr_event *event;
    hr_sync sync = {.size = sizeof sync, .event = &event};

    (void)state;
    open_bench(&t);
    work(&t, t.a);
    assert_int_equal(hri_job_begin(&job, t.a, &sync), HR_OK);
    assert_int_equal(hri_job_nothing(&job), HR_OK);
    work(&t, t.a); /* another thread's, behind the event */
    assert_int_equal(hri_job_end(&job, HR_OK), HR_OK);
    assert_int_equal(fake_step(t.fake, t.a, 2), 2);
    assert_int_equal(hr_event_wait(event, 0), HR_OK);
    assert_true(hri_mark_seen(t.a, 1));
    assert_false(hri_mark_seen(t.a, 2));
    hr_event_close(&event);
    assert_int_equal(hr_event_record(t.a, &event), HR_OK); /* undisturbed, it vouches for all */
    assert_int_equal(event->number, 4);
    hr_event_close(&event);
    close_bench(&t);
}

static void foreign_queues_always_have_something_new(void **state)
{
    struct bench t;
    uint64_t mark;

    (void)state;
    open_bench(&t);
    assert_false(hri_queue_is_foreign(t.a));
    atomic_store(&t.a->foreign, true);
    work(&t, t.a);
    mark = hri_queue_mark(t.a);
    assert_int_equal(hr_queue_finish(t.a), HR_OK);
    assert_true(hri_mark_seen(t.a, mark));
    assert_true(hri_queue_mark(t.a) > mark);
    /* A use there gets an event at once: what the program enqueues later is not waited for. */
    assert_int_equal(hr_buffer_used(t.buffer, t.a), HR_OK);
    assert_int_equal(fake_count(t.fake, FAKE_EVENT_RECORD), 1);
    assert_int_equal(fake_step(t.fake, t.a, 1), 1);
    assert_true(hri_uses_passed(&t.buffer->block->uses));
    assert_int_equal(fake_count(t.fake, FAKE_EVENT_RECORD), 1);
    close_bench(&t);
}

/* Closing a buffer that was used on a foreign queue marks the place: what the program enqueues there later is not
 * waited for. So does closing the queue itself. */
static void closing_marks_the_place_on_a_foreign_queue(void **state)
{
    struct bench t;
    struct hri_block *block;
    hr_event *event;
    uint64_t records;

    (void)state;
    open_bench(&t);
    atomic_store(&t.a->foreign, true);
    work(&t, t.a);
    block = t.buffer->block;
    hr_buffer_close(&t.buffer);
    assert_int_equal(fake_count(t.fake, FAKE_EVENT_RECORD), 1);
    assert_int_equal(hr_event_record(t.a, &event), HR_OK); /* later work of the program's */
    assert_int_equal(fake_step(t.fake, t.a, 2), 2);        /* the work and the mark */
    assert_true(hri_uses_passed(&block->uses));
    hr_event_close(&event);
    records = fake_count(t.fake, FAKE_EVENT_RECORD);
    hr_queue_close(&t.a);
    assert_int_equal(fake_count(t.fake, FAKE_EVENT_RECORD), records + 1);
    close_bench(&t);
}

/* Failures that the library meets while it looks after memory are kept for the program. */
static void a_failure_seen_in_passing_is_kept(void **state)
{
    struct bench t;

    (void)state;
    open_bench(&t);
    fake_fail_work(t.fake, 1, HR_DRIVER);
    work(&t, t.a);
    assert_false(hri_mark_passed(t.a, 1));
    fake_run(t.fake);
    assert_false(hri_mark_passed(t.a, 1)); /* failed is not passed: the queue has to be finished first */
    assert_int_equal(hr_fill(t.a, t.buffer, 0, 64, "\x01", 1, NULL), HR_DRIVER);
    assert_int_equal(hri_mark_wait(t.a, 1), HR_DRIVER);
    assert_true(hri_mark_seen(t.a, 1));
    close_bench(&t);
}

static void a_submission_can_lose_the_device(void **state)
{
    struct bench t;

    (void)state;
    open_bench(&t);
    fake_fail(t.fake, FAKE_FILL, 1, HR_DEVICE_LOST);
    assert_int_equal(hr_fill(t.a, t.buffer, 0, 64, "\x01", 1, NULL), HR_DEVICE_LOST);
    assert_int_equal(hr_fill(t.b, t.buffer, 0, 64, "\x01", 1, NULL), HR_DEVICE_LOST);
    assert_non_null(strstr(hr_last_error(), "as planned"));
    close_bench(&t);
}

static void queues_that_come_and_go_are_forgotten(void **state)
{
    struct bench t;

    (void)state;
    open_bench(&t);
    for (int i = 0; i < 50; i++) {
        hr_queue *queue;

        assert_int_equal(hr_queue_create(t.device, HR_QUEUE_COMPUTE, NULL, &queue), HR_OK);
        work(&t, queue);
        assert_int_equal(hr_queue_finish(queue), HR_OK);
        hr_queue_close(&queue);
        assert_true(fake_live(t.fake, FAKE_QUEUES) <= 2 + HRI_FEW_USES);
    }
    close_bench(&t);
}

static void many_queues_use_one_buffer(void **state)
{
    enum { N = 20 };
    hr_queue *queues[N];
    struct bench t;

    (void)state;
    open_bench(&t);
    for (int i = 0; i < N; i++) {
        assert_int_equal(hr_queue_create(t.device, HR_QUEUE_COMPUTE, NULL, &queues[i]), HR_OK);
        work(&t, queues[i]);
    }
    assert_int_equal(t.buffer->block->uses.n, N);
    assert_false(hri_uses_passed(&t.buffer->block->uses));
    for (int i = 0; i < N; i++)
        hr_queue_close(&queues[i]);
    assert_int_equal(fake_live(t.fake, FAKE_QUEUES), 2 + N); /* their work is in flight */
    hri_uses_wait(&t.buffer->block->uses);
    assert_int_equal(fake_live(t.fake, FAKE_QUEUES), 2);
    close_bench(&t);
}

static void a_wait_is_on_the_device(void **state)
{
    struct bench t;
    hr_event *event;

    (void)state;
    open_bench(&t);
    work(&t, t.a);
    assert_int_equal(hr_event_record(t.a, &event), HR_OK);
    assert_int_equal(hr_queue_wait(t.b, event), HR_OK);
    hr_event_close(&event); /* at once */
    work(&t, t.b);
    assert_int_equal(fake_step(t.fake, t.b, 10), 0);
    fake_step(t.fake, t.a, 10);
    assert_int_equal(fake_step(t.fake, t.b, 10), 2);
    close_bench(&t);
}

static void looking_and_time_limits(void **state)
{
    struct bench t;
    hr_event *event;
    uint32_t done = 7;

    (void)state;
    open_bench(&t);
    work(&t, t.a);
    assert_int_equal(hr_event_record(t.a, &event), HR_OK);
    assert_int_equal(hr_event_done(event, &done), HR_OK);
    assert_int_equal(done, 0);
    assert_int_equal(hr_event_wait(event, 0), HR_TIMEOUT);
    fake_hold(t.fake, t.a, true);
    assert_int_equal(hr_event_wait(event, 1000), HR_TIMEOUT);
    fake_hold(t.fake, t.a, false);
    assert_int_equal(hr_event_wait(event, HR_FOREVER), HR_OK);
    assert_int_equal(hr_event_done(event, &done), HR_OK);
    assert_int_equal(done, 1);
    hr_event_close(&event);
    close_bench(&t);
}

static void times_are_for_those_who_asked(void **state)
{
    struct bench t;
    hr_event *event;
    hr_sync sync = {.size = sizeof sync, .event = &event};
    uint64_t start = 0;
    uint64_t end = 0;

    (void)state;
    open_bench(&t);
    assert_int_equal(hr_fill(t.a, t.buffer, 0, 64, "\x01", 1, &sync), HR_OK);
    assert_int_equal(hr_event_get_times(event, &start, &end), HR_UNSUPPORTED);
    hr_event_close(&event);
    sync.flags = HR_TIMING;
    assert_int_equal(hr_fill(t.a, t.buffer, 0, 64, "\x01", 1, &sync), HR_OK);
    assert_int_equal(hr_event_get_times(event, &start, &end), HR_STATE);
    assert_int_equal(hr_event_wait(event, HR_FOREVER), HR_OK);
    assert_int_equal(hr_event_get_times(event, &start, &end), HR_OK);
    assert_true(start < end);
    hr_event_close(&event);
    close_bench(&t);
}

static void the_first_failure_stays_in_its_queue(void **state)
{
    struct bench t;
    hr_event *event;

    (void)state;
    open_bench(&t);
    fake_fail_work(t.fake, 1, HR_DRIVER);
    work(&t, t.a);
    assert_int_equal(hr_event_record(t.a, &event), HR_OK); /* submission is not completion */
    assert_int_equal(hr_event_wait(event, HR_FOREVER), HR_DRIVER);
    assert_int_equal(hr_event_wait(event, HR_FOREVER), HR_DRIVER);
    assert_int_equal(hr_fill(t.a, t.buffer, 0, 64, "\x01", 1, NULL), HR_DRIVER);
    assert_non_null(strstr(hr_last_error(), "work failed"));
    assert_int_equal(hr_queue_finish(t.a), HR_DRIVER);
    work(&t, t.b); /* another queue is none the worse */
    assert_int_equal(hr_queue_finish(t.b), HR_OK);
    hr_event_close(&event);
    close_bench(&t);
}

static void a_lost_device_is_everybodys_failure(void **state)
{
    struct bench t;
    hr_buffer *buffer = NULL;

    (void)state;
    open_bench(&t);
    fake_fail_work(t.fake, 1, HR_DEVICE_LOST);
    work(&t, t.a);
    assert_int_equal(hr_queue_finish(t.a), HR_DEVICE_LOST);
    assert_int_equal(hr_fill(t.b, t.buffer, 0, 64, "\x01", 1, NULL), HR_DEVICE_LOST);
    assert_int_equal(hr_buffer_create(t.device, HR_MEMORY_DEVICE, 64, NULL, &buffer), HR_DEVICE_LOST);
    assert_null(buffer);
    close_bench(&t);
}

/* -- threads ------------------------------------------------------------------------------------------------------- */

enum { ROUNDS = 500 };

static void *submit(void *arg)
{
    struct bench *t = arg;

    for (int i = 0; i < ROUNDS; i++) {
        hr_event *event;
        hr_sync sync = {.size = sizeof sync, .event = &event};
        uint64_t mark;

        if (hr_fill(t->a, t->buffer, 0, 64, "\x01", 1, &sync) != HR_OK)
            return "fill";
        mark = hri_queue_mark(t->a);
        if (i % 2 == 0 && hr_event_wait(event, HR_FOREVER) != HR_OK)
            return "wait";
        hr_event_close(&event);
        if (i % 5 == 0 && hri_mark_wait(t->a, mark) != HR_OK)
            return "mark";
        hri_mark_passed(t->a, mark);
    }
    return NULL;
}

static void threads_share_a_queue(void **state)
{
    struct bench t;
    pthread_t threads[4];

    (void)state;
    open_bench(&t);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, submit, &t), 0);
    for (unsigned i = 0; i < 4; i++) {
        void *failed;

        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_int_equal(hri_queue_mark(t.a), 4 * ROUNDS);
    assert_true(atomic_load(&t.a->done) <= 4 * ROUNDS);
    close_bench(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_count_submissions),
        cmocka_unit_test(an_event_is_recorded_when_asked),
        cmocka_unit_test(a_programs_wait_teaches_the_numbers),
        cmocka_unit_test(an_event_vouches_for_no_stranger),
        cmocka_unit_test(foreign_queues_always_have_something_new),
        cmocka_unit_test(closing_marks_the_place_on_a_foreign_queue),
        cmocka_unit_test(a_failure_seen_in_passing_is_kept),
        cmocka_unit_test(a_submission_can_lose_the_device),
        cmocka_unit_test(queues_that_come_and_go_are_forgotten),
        cmocka_unit_test(many_queues_use_one_buffer),
        cmocka_unit_test(a_wait_is_on_the_device),
        cmocka_unit_test(looking_and_time_limits),
        cmocka_unit_test(times_are_for_those_who_asked),
        cmocka_unit_test(the_first_failure_stays_in_its_queue),
        cmocka_unit_test(a_lost_device_is_everybodys_failure),
        cmocka_unit_test(threads_share_a_queue),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
