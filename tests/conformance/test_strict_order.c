/* The layer strict: waits between queues that are missing. */
#include "seed.h"

#include <stdlib.h>
#include <string.h>

static hr_status kernel_before_its_upload(struct seed *s)
{
    hr_event *done = NULL;
    hr_sync sync = sync_of(&done, NULL, 0);
    hr_status st = hr_copy(s->in, s->buffer, 0, s->pinned, 0, SEED_BYTES, NULL);

    if (st == HR_OK)
        st = seed_add(s, s->work, s->buffer, &sync); /* no wait for the copy */
    return seed_wait(st, &done);
}

static hr_status download_before_its_kernel(struct seed *s)
{
    hr_event *done = NULL;
    hr_sync sync = sync_of(&done, NULL, 0);
    hr_status st = seed_add(s, s->work, s->buffer, NULL);

    if (st == HR_OK)
        st = hr_read(s->out, s->buffer, 0, s->host, SEED_BYTES, &sync); /* no wait for the kernel */
    return seed_wait(st, &done);
}

static hr_status download_before_its_kernel_pinned(struct seed *s)
{
    hr_status st = seed_add(s, s->work, s->buffer, NULL);

    if (st == HR_OK)
        st = hr_copy(s->out, s->pinned, 0, s->buffer, 0, SEED_BYTES, NULL);
    return st == HR_OK ? hr_queue_finish(s->out) : st;
}

static hr_status copy_before_its_upload(struct seed *s)
{
    hr_status st = hr_copy(s->in, s->buffer, 0, s->pinned, 0, SEED_BYTES, NULL);

    if (st == HR_OK)
        st = hr_copy(s->out, s->other, 0, s->buffer, 64, 128, NULL);
    return st == HR_OK ? hr_queue_finish(s->out) : st;
}

static hr_status upload_over_a_kernel_at_work(struct seed *s)
{
    hr_status st = seed_add(s, s->work, s->buffer, NULL);

    if (st == HR_OK)
        st = hr_copy(s->in, s->buffer, 0, s->pinned, 0, SEED_BYTES, NULL);
    return st == HR_OK ? hr_queue_finish(s->in) : st;
}

/* The kernel runs, the download is still to come. */
static hr_status kernel_over_a_download(struct seed *s)
{
    hr_event *done = NULL;
    hr_sync sync = sync_of(&done, NULL, 0);
    hr_status st = hr_copy(s->out, s->pinned, 0, s->buffer, 0, SEED_BYTES, &sync);

    if (st == HR_OK)
        st = seed_add(s, s->work, s->buffer, NULL);
    if (st == HR_OK)
        st = hr_queue_finish(s->work);
    return seed_wait(st, &done);
}

static hr_status fill_over_a_rectangle(struct seed *s)
{
    hr_rect box = {.size = sizeof box, .row_pitch = 256, .offset = 16};
    hr_status st = hr_copy_rect(s->in, s->buffer, &box, s->pinned, &box, 64, 8, 1, NULL);

    if (st == HR_OK) /* between the rows, then in one */
        st = hr_fill(s->work, s->buffer, 16 + 256 + 64, 128, "x", 1, NULL);
    if (st == HR_OK)
        st = hr_fill(s->work, s->buffer, 16 + 2 * 256 + 60, 8, "x", 1, NULL);
    return st == HR_OK ? hr_queue_finish(s->work) : st;
}

/* What the host wrote is `in`'s; the kernel's queue does not wait for it. */
static hr_status kernel_before_the_hosts_bytes(struct seed *s)
{
    void *ptr;
    hr_status st = hr_buffer_acquire(s->buffer, s->in, HR_ACCESS_WRITE | HR_ACCESS_DISCARD, &ptr);

    if (st == HR_OK) {
        memset(ptr, 1, SEED_BYTES);
        st = hr_buffer_release(s->buffer, s->in);
    }
    if (st == HR_OK)
        st = seed_add(s, s->work, s->buffer, NULL);
    return st == HR_OK ? hr_queue_finish(s->work) : st;
}

#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void dropped_waits_are_found(void **state)
{
    (void)state;
    expect_found(kernel_before_its_upload, HR_RACE, 0,
                 TEXTS("kernel add on queue 2 (compute)", "argument 0", "upload of 16400 bytes", "hr_queue_wait()"));
    expect_found(download_before_its_kernel, HR_RACE, 0,
                 TEXTS("download of 16400 bytes", "kernel add on queue 2 (compute)", "hr_queue_wait()"));
    expect_found(download_before_its_kernel_pinned, HR_RACE, 0, TEXTS("download of 16400 bytes", "kernel add"));
    expect_found(copy_before_its_upload, HR_RACE, SEED_RACES,
                 TEXTS("copy of 128 bytes", "upload of 16400 bytes", "writes"));
    expect_found(upload_over_a_kernel_at_work, HR_RACE, 0, TEXTS("upload of 16400 bytes", "kernel add"));
    expect_found(fill_over_a_rectangle, HR_RACE, SEED_RACES, TEXTS("fill of 8 bytes", "at 588", "bytes in rows"));
}

/* Where the host sees device memory. */
static void changes_of_device_memory_are_found(void **state)
{
    (void)state;
    if (!(info.abilities & HR_ABILITY_SHARED_MEMORY))
        NOT_APPLICABLE("the layer does not look into this device's memory");
    expect_found(kernel_over_a_download, HR_RACE, 0, TEXTS("download of 16400 bytes", "its source changed"));
}

static void the_hosts_bytes_are_a_queues(void **state)
{
    (void)state;
    expect_found(kernel_before_the_hosts_bytes, HR_RACE, 0, TEXTS("kernel add", "hr_buffer_release() of buffer"));
}

/* Both queues say so from then on, the events of work before it do not. */
static void the_scope_of_what_is_found(void **state)
{
    hr_device *own = open_with(0, 0, "strict");
    hr_queue *in = new_queue(own, HR_QUEUE_COPY_IN), *out = new_queue(own, HR_QUEUE_COPY_OUT);
    hr_queue *apart = new_queue(own, HR_QUEUE_COMPUTE);
    hr_buffer *buffer = new_buffer(own, 100, in);
    hr_event *before = NULL, *after = NULL;
    uint8_t byte = 0;

    (void)state;
    OK(hr_fill(in, buffer, 50, 10, "x", 1, NULL));
    before = mark(in);
    OK(hr_fill(in, buffer, 0, 10, "x", 1, NULL));
    after = mark(in);
    FAILS(HR_RACE, hr_read(out, buffer, 5, &byte, 1, NULL));
    OK(hr_event_wait(before, HR_FOREVER));
    FAILS(HR_RACE, hr_event_wait(after, HR_FOREVER));
    SAYS("fill of 10 bytes");
    FAILS(HR_RACE, hr_queue_finish(out));
    FAILS(HR_RACE, hr_queue_finish(in));
    OK(hr_queue_finish(apart));
    hr_event_close(&before);
    hr_event_close(&after);
    hr_buffer_close(&buffer);
    hr_queue_close(&in);
    hr_queue_close(&out);
    hr_queue_close(&apart);
    hr_device_close(&own);
}

/* One of each way to be in order; and halves of a buffer, which two queues work on at once. */
static void ordered_programs_are_silent(void **state)
{
    hr_device *own = open_with(0, 0, "strict");
    hr_queue *in = new_queue(own, HR_QUEUE_COPY_IN), *out = new_queue(own, HR_QUEUE_COPY_OUT);
    hr_buffer *buffer = new_buffer(own, 2 * SEED_BYTES, in);
    uint8_t *host = new_random(2 * SEED_BYTES, 1), *got = new_random(SEED_BYTES, 2);
    hr_event *events[2] = {NULL, NULL};
    hr_sync tell = sync_of(&events[0], NULL, 0), wait = sync_of(&events[1], &events[0], 1);

    (void)state;
    OK(hr_write_from(in, buffer, 0, host, SEED_BYTES, &tell));
    OK(hr_fill(out, buffer, SEED_BYTES, SEED_BYTES, "y", 1, NULL));
    OK(hr_read(out, buffer, 0, got, SEED_BYTES, &wait)); /* by the list */
    OK(hr_queue_wait(in, events[1]));
    OK(hr_fill(in, buffer, SEED_BYTES, SEED_BYTES, "z", 1, NULL)); /* by the queue */
    OK(hr_event_wait(events[1], HR_FOREVER));
    assert_memory_equal(got, host, SEED_BYTES);
    OK(hr_queue_finish(in));
    OK(hr_read(out, buffer, 0, host, 2 * SEED_BYTES, NULL)); /* by the host */
    OK(hr_queue_finish(out));
    assert_memory_equal(got, host, SEED_BYTES);
    for (int i = SEED_BYTES; i < 2 * SEED_BYTES; i++)
        assert_int_equal(host[i], 'z');
    hr_event_close(&events[0]);
    hr_event_close(&events[1]);
    hr_buffer_close(&buffer);
    hr_queue_close(&in);
    hr_queue_close(&out);
    hr_device_close(&own);
    free(host);
    free(got);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dropped_waits_are_found),      cmocka_unit_test(changes_of_device_memory_are_found),
        cmocka_unit_test(the_hosts_bytes_are_a_queues), cmocka_unit_test(the_scope_of_what_is_found),
        cmocka_unit_test(ordered_programs_are_silent),
    };

    return conformance_main(argc, argv, tests, NULL);
}
