/* The layer strict and work that the program enqueues by the driver's own interface: not seen, but it meets poison. */
#include "native.h"
#include "seed.h"

#include <CL/cl.h>
#include <headrace/opencl.h>
#include <string.h>

/* From here on the program has the handle of `out`. */
static void take_handle(struct seed *s)
{
    native_fill(s->out, s->other, 0, 0, SEED_BYTES);
    OK(hr_queue_finish(s->out));
}

/* A copy by the driver's interface that should wait for the upload. */
static hr_status native_copy_before_the_upload(struct seed *s)
{
    hr_status st;

    native_copy(s->out, s->other, 0, s->buffer, 0, SEED_BYTES); /* has the buffers' handles */
    OK(hr_queue_finish(s->out));
    st = hr_copy(s->in, s->buffer, 0, s->pinned, 0, SEED_BYTES, NULL);
    native_copy(s->out, s->other, 0, s->buffer, 0, SEED_BYTES);
    if (st == HR_OK)
        st = hr_read(s->out, s->other, 0, s->host, SEED_BYTES, NULL);
    if (st == HR_OK)
        st = hr_queue_finish(s->out);
    for (int i = 0; s->strict && i < SEED_BYTES; i++)
        assert_int_not_equal(s->host[i], 1); /* what was uploaded: the poison alone, or what was there before */
    return st == HR_OK ? hr_queue_finish(s->in) : st;
}

/* One by the library's that should wait for it. */
static hr_status copy_behind_a_foreign_queue(struct seed *s)
{
    hr_status st;

    take_handle(s);
    st = hr_copy(s->in, s->buffer, 0, s->pinned, 0, SEED_BYTES, NULL);
    if (st == HR_OK)
        st = hr_copy(s->out, s->other, 0, s->buffer, 0, SEED_BYTES, NULL);
    return st == HR_OK ? hr_queue_finish(s->out) : st;
}

static void native_work_meets_poison(void **state)
{
    (void)state;
    NEEDS_NATIVE();
    expect_found(native_copy_before_the_upload, HR_OK, SEED_RACES, (const char *const[]){"", NULL});
    expect_found(copy_behind_a_foreign_queue, HR_RACE, SEED_RACES,
                 (const char *const[]){"copy of 16400 bytes", "upload of 16400 bytes", NULL});
}

/* What was held when the program took the handle is before what it enqueues. */
static void a_handle_comes_behind_the_calls(void **state)
{
    hr_device *own;
    hr_queue *queue;
    hr_buffer *buffer, *other;
    uint8_t expected[64];

    (void)state;
    NEEDS_NATIVE();
    own = open_with(0, 0, "strict");
    queue = new_queue(own, HR_QUEUE_COMPUTE);
    buffer = new_buffer(own, sizeof expected, queue);
    other = new_buffer(own, sizeof expected, queue);
    memset(expected, 'x', sizeof expected);
    OK(hr_fill(queue, buffer, 0, sizeof expected, "x", 1, NULL));
    native_copy(queue, other, 0, buffer, 0, sizeof expected);
    expect_bytes(queue, other, 0, expected, sizeof expected);
    hr_buffer_close(&buffer);
    hr_buffer_close(&other);
    hr_queue_close(&queue);
    hr_device_close(&own);
}

/* The driver's own wait tells the program as much as one of the library's: the source is free, the copies are in order.
 */
static void what_the_driver_tells_is_known(void **state)
{
    hr_device *own;
    hr_queue *in, *foreign, *apart;
    hr_buffer *buffer, *pinned;
    uint8_t *ptr, got[64];
    hr_event *copied = NULL;
    hr_sync sync = sync_of(&copied, NULL, 0);
    cl_command_queue native = NULL;

    (void)state;
    if (!native_is_opencl())
        NOT_APPLICABLE("this is no OpenCL device");
    own = open_with(0, 0, "strict");
    in = new_queue(own, HR_QUEUE_COPY_IN);
    foreign = new_queue(own, HR_QUEUE_COMPUTE);
    apart = new_queue(own, HR_QUEUE_COPY_OUT);
    buffer = new_buffer(own, SEED_BYTES, in);
    pinned = new_pinned(own, SEED_BYTES, &ptr);
    memset(ptr, 1, SEED_BYTES);
    OK(hr_queue_opencl(foreign, &native));
    OK(hr_copy(in, buffer, 0, pinned, 0, SEED_BYTES, &sync));
    OK(hr_queue_wait(foreign, copied));
    assert_int_equal(clFinish(native), CL_SUCCESS);
    ptr[0] = 2;
    OK(hr_read(apart, buffer, 0, got, sizeof got, NULL));
    OK(hr_queue_finish(apart));
    assert_int_equal(got[0], 1);
    OK(hr_queue_finish(in));
    hr_event_close(&copied);
    hr_buffer_close(&buffer);
    hr_buffer_close(&pinned);
    hr_queue_close(&in);
    hr_queue_close(&foreign);
    hr_queue_close(&apart);
    hr_device_close(&own);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(native_work_meets_poison),
        cmocka_unit_test(a_handle_comes_behind_the_calls),
        cmocka_unit_test(what_the_driver_tells_is_known),
    };

    return conformance_main(argc, argv, tests, NULL);
}
