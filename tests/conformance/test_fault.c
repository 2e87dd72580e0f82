/* Failures on order (the fault layer): what fails says so, what failed stays failed, and everything closes. */
#include "conformance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 1000, BYTES = WORDS * 4 };

static const char source[] = "__kernel void twice(__global uint *data) { data[get_global_id(0)] *= 2u; }\n";

/* -- each kind of call, told to fail once when it is submitted ------------------------------------------------------
 */

struct bench {
    hr_device *device;
    hr_queue *queue;
    hr_buffer *buffer;
    hr_buffer *other;
    hr_buffer *pinned;
    hr_program *program;
    hr_kernel *kernel;
};

static void bench_open(struct bench *b, const char *layers)
{
    uint8_t *ptr;

    *b = (struct bench){.device = open_with(0, 0, layers)};
    b->queue = new_queue(b->device, HR_QUEUE_COMPUTE);
    b->buffer = new_buffer(b->device, BYTES, b->queue);
    b->other = new_buffer(b->device, BYTES, b->queue);
    b->pinned = new_pinned(b->device, BYTES, &ptr);
    memset(ptr, 1, BYTES);
    OK(hr_program_create(b->device, source, NULL, &b->program));
    OK(hr_kernel_create(b->program, "twice", &b->kernel));
}

static void bench_close(struct bench *b)
{
    hr_kernel_close(&b->kernel);
    hr_program_close(&b->program);
    hr_buffer_close(&b->buffer);
    hr_buffer_close(&b->other);
    hr_buffer_close(&b->pinned);
    hr_queue_close(&b->queue);
    hr_device_close(&b->device);
}

static hr_status do_copy(struct bench *b, hr_event **event)
{
    hr_sync sync = sync_of(event, NULL, 0);

    return hr_copy(b->queue, b->buffer, 0, b->other, 0, BYTES, &sync);
}

static hr_status do_upload(struct bench *b, hr_event **event)
{
    hr_sync sync = sync_of(event, NULL, 0);

    return hr_copy(b->queue, b->buffer, 0, b->pinned, 0, BYTES, &sync);
}

static hr_status do_rect(struct bench *b, hr_event **event)
{
    hr_sync sync = sync_of(event, NULL, 0);
    hr_rect rect = {.size = sizeof rect, .row_pitch = 100};

    return hr_copy_rect(b->queue, b->buffer, &rect, b->other, &rect, 50, 5, 1, &sync);
}

static hr_status do_fill(struct bench *b, hr_event **event)
{
    hr_sync sync = sync_of(event, NULL, 0);

    return hr_fill(b->queue, b->buffer, 0, BYTES, "x", 1, &sync);
}

static hr_status do_launch(struct bench *b, hr_event **event)
{
    hr_sync sync = sync_of(event, NULL, 0);
    hr_arg arg = HR_ARG_BUFFER(b->buffer, 0);

    return launch(b->queue, b->kernel, WORDS, &arg, 1, &sync);
}

struct kind {
    const char *op; /* of the fault layer */
    hr_status (*act)(struct bench *b, hr_event **event);
};

static const struct kind kinds[] = {
    {"move", do_copy}, {"upload", do_upload}, {"move", do_rect}, {"fill", do_fill}, {"launch", do_launch},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* The third submission fails: the call says so, gives no event, and two before it are done. */
static void the_nth_submission_fails(void **state)
{
    char layers[96];

    (void)state;
    for (int i = 0; i < KINDS; i++) {
        struct bench b;
        hr_event *events[3] = {NULL, NULL, NULL};

        snprintf(layers, sizeof layers, "fault:op=%s,n=3,status=lost", kinds[i].op);
        bench_open(&b, layers);
        OK(kinds[i].act(&b, &events[0]));
        OK(kinds[i].act(&b, &events[1]));
        FAILS(HR_DEVICE_LOST, kinds[i].act(&b, &events[2]));
        SAYS("fault");
        assert_null(events[2]);
        OK(hr_event_wait(events[0], HR_FOREVER));
        OK(hr_event_wait(events[1], HR_FOREVER));
        hr_event_close(&events[0]);
        hr_event_close(&events[1]);
        bench_close(&b);
    }
}

/* The first piece of work fails when it is done: its event says so every time, the queue from then on, with the first
 * failure; other queues of the device go on. */
static void work_that_fails_stays_failed(void **state)
{
    char layers[160];

    (void)state;
    for (int i = 0; i < KINDS; i++) {
        struct bench b;
        hr_event *events[2] = {NULL, NULL};
        hr_queue *sound;
        uint32_t done = 7;

        snprintf(layers, sizeof layers, "fault:op=%s,at=done,status=driver+op=any,n=2,at=done,status=lost",
                 kinds[i].op);
        bench_open(&b, layers);
        sound = new_queue(b.device, HR_QUEUE_COPY_IN);
        OK(kinds[i].act(&b, &events[0]));
        FAILS(HR_DRIVER, hr_event_wait(events[0], HR_FOREVER));
        SAYS("fault");
        FAILS(HR_DRIVER, hr_event_wait(events[0], HR_FOREVER));
        FAILS(HR_DRIVER, hr_event_done(events[0], &done));
        assert_int_equal(done, 7);
        FAILS(HR_DRIVER, kinds[i].act(&b, &events[1]));
        SAYS("fault");
        FAILS(HR_DRIVER, hr_fill(b.queue, b.other, 0, 4, "x", 1, NULL));
        FAILS(HR_DRIVER, hr_write(b.queue, b.other, 0, "x", 1, NULL));
        FAILS(HR_DRIVER, hr_queue_finish(b.queue));
        FAILS(HR_DRIVER, hr_event_record(b.queue, &events[1]));
        assert_null(events[1]);
        OK(hr_queue_finish(sound));
        hr_event_close(&events[0]);
        hr_queue_close(&sound);
        bench_close(&b);
    }
}

/* A failure travels along events: a queue that waits for failed work fails too. */
static void a_failure_reaches_who_waits_for_it(void **state)
{
    struct bench b;
    hr_queue *waiting;
    hr_event *failed = NULL;
    hr_event *after = NULL;
    hr_status status;

    (void)state;
    bench_open(&b, "fault:op=fill,at=done,status=lost");
    waiting = new_queue(b.device, HR_QUEUE_COPY_OUT);
    OK(do_fill(&b, &failed));
    status = hr_queue_wait(waiting, failed); /* may know already */
    if (status == HR_OK)
        status = hr_event_record(waiting, &after);
    if (status == HR_OK)
        status = hr_event_wait(after, HR_FOREVER);
    assert_int_equal(status, HR_DEVICE_LOST);
    FAILS(HR_DEVICE_LOST, hr_queue_finish(waiting));
    hr_event_close(&failed);
    hr_event_close(&after);
    hr_queue_close(&waiting);
    bench_close(&b);
}

/* -- what makes objects fails, and leaves counters and outputs as they were ------------------------------------------
 */

static void allocations_fail_cleanly(void **state)
{
    hr_device *own = open_with(0, 0,
                               "fault:op=device,n=2,status=no_device_memory,min=1M,count=2+op=pinned,n=2,min=1M,"
                               "count=2,status=no_pinned_memory");
    hr_buffer *first = NULL;
    hr_buffer *second = NULL;
    hr_memory_stats before;
    hr_memory_stats after;

    (void)state;
    for (uint32_t kind = HR_MEMORY_DEVICE; kind <= HR_MEMORY_PINNED; kind++) {
        hr_status expected = kind == HR_MEMORY_DEVICE ? HR_NO_DEVICE_MEMORY : HR_NO_PINNED_MEMORY;

        OK(hr_buffer_create(own, kind, 3 << 20, NULL, &first));
        before = memory_stats(own);
        FAILS(expected, hr_buffer_create(own, kind, 5 << 20, NULL, &second));
        assert_null(second);
        after = memory_stats(own);
        assert_memory_equal(&after, &before, sizeof after);
        hr_buffer_close(&first);
        /* The driver may be asked again once the cache has been given back: that is the second failure. */
        if (hr_buffer_create(own, kind, 5 << 20, NULL, &second) != HR_OK)
            OK(hr_buffer_create(own, kind, 5 << 20, NULL, &second));
        hr_buffer_close(&second);
    }
    after = memory_stats(own);
    assert_int_equal(after.device_used_bytes, 0);
    hr_device_close(&own);
}

static void makers_fail_cleanly(void **state)
{
    struct bench b;
    hr_program *program = NULL;
    hr_kernel *kernel = NULL;
    hr_event *event = NULL;

    (void)state;
    bench_open(&b,
               "fault:op=build,n=2,status=no_memory+op=kernel,n=2,status=no_memory+op=record,count=0,status=driver");
    FAILS(HR_NO_MEMORY, hr_program_create(b.device, source, NULL, &program));
    FAILS(HR_NO_MEMORY, hr_kernel_create(b.program, "twice", &kernel));
    FAILS(HR_DRIVER, hr_event_record(b.queue, &event));
    assert_true(!program && !kernel && !event);
    OK(hr_kernel_create(b.program, "twice", &kernel));
    hr_kernel_close(&kernel);
    bench_close(&b);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nth_submission_fails),
        cmocka_unit_test(work_that_fails_stays_failed),
        cmocka_unit_test(a_failure_reaches_who_waits_for_it),
        cmocka_unit_test(allocations_fail_cleanly),
        cmocka_unit_test(makers_fail_cleanly),
    };

    return conformance_main(argc, argv, tests, NULL);
}
