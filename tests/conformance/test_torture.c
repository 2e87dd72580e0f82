/* Every driver call of a small program fails in turn: the program is told, or its result is right; all closes. */
#include "conformance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 1000, BYTES = WORDS * 4, MOST_CALLS = 200 };

static const char source[] = "__kernel void twice(__global uint *data) { data[get_global_id(0)] *= 2u; }\n";

struct program {
    hr_device *device;
    hr_queue *queue;
    hr_queue *out;
    hr_program *program;
    hr_kernel *kernel;
    hr_buffer *buffer;
    hr_buffer *pinned;
    hr_event *done;
    hr_event *home;
};

static hr_status make(struct program *p, const hr_device_options *options)
{
    hr_status st = hr_device_open(info.selector, options, &p->device);

    if (st == HR_OK)
        st = hr_queue_create(p->device, HR_QUEUE_COMPUTE, NULL, &p->queue);
    if (st == HR_OK)
        st = hr_queue_create(p->device, HR_QUEUE_COPY_OUT, NULL, &p->out);
    if (st == HR_OK)
        st = hr_program_create(p->device, source, NULL, &p->program);
    if (st == HR_OK)
        st = hr_kernel_create(p->program, "twice", &p->kernel);
    if (st == HR_OK)
        st = hr_buffer_create(p->device, HR_MEMORY_DEVICE, BYTES, p->queue, &p->buffer);
    if (st == HR_OK)
        st = hr_buffer_create(p->device, HR_MEMORY_PINNED, BYTES, p->queue, &p->pinned);
    return st;
}

static hr_status work(struct program *p, const uint32_t *input, uint32_t *output)
{
    hr_arg arg = HR_ARG_BUFFER(p->buffer, 0);
    hr_sync done = sync_of(&p->done, NULL, 0);
    hr_sync home = sync_of(&p->home, &p->done, 1);
    void *ptr = NULL;
    hr_status st = hr_write(p->queue, p->buffer, 0, input, BYTES, NULL);

    if (st == HR_OK)
        st = launch(p->queue, p->kernel, WORDS, &arg, 1, &done);
    if (st == HR_OK)
        st = hr_copy(p->out, p->pinned, 0, p->buffer, 0, BYTES, &home);
    if (st == HR_OK)
        st = hr_event_wait(p->home, HR_FOREVER);
    if (st == HR_OK)
        st = hr_buffer_acquire(p->pinned, NULL, HR_ACCESS_READ, &ptr);
    if (st != HR_OK)
        return st;
    memcpy(output, ptr, BYTES / 2);
    st = hr_buffer_release(p->pinned, NULL);
    if (st == HR_OK)
        st = hr_read(p->out, p->buffer, BYTES / 2, output + WORDS / 2, BYTES / 2, NULL);
    if (st == HR_OK)
        st = hr_queue_finish(p->out);
    return st;
}

static void close_all(struct program *p)
{
    hr_event_close(&p->done);
    hr_event_close(&p->home);
    hr_buffer_close(&p->buffer);
    hr_buffer_close(&p->pinned);
    hr_kernel_close(&p->kernel);
    hr_program_close(&p->program);
    hr_queue_close(&p->queue);
    hr_queue_close(&p->out);
    hr_device_close(&p->device);
}

/* Answers how many runs failed until one in which the driver was not called so often. */
static int torture(const char *format)
{
    uint32_t input[WORDS];
    uint32_t output[WORDS];
    char layers[96];
    hr_device_options options = {.size = sizeof options, .layers = layers};
    int failed = 0;
    int sound = 0;

    for (uint32_t i = 0; i < WORDS; i++)
        input[i] = i;
    for (int n = 1; n < MOST_CALLS && sound < 8; n++) {
        struct program p = {0};
        hr_status st;

        snprintf(layers, sizeof layers, format, n);
        memset(output, 0xff, sizeof output);
        st = make(&p, &options);
        if (st == HR_OK)
            st = work(&p, input, output);
        close_all(&p);
        sound = st == HR_OK ? sound + 1 : 0;
        failed += st != HR_OK;
        if (st != HR_OK)
            assert_int_equal(st, HR_DEVICE_LOST);
        for (uint32_t i = 0; st == HR_OK && i < WORDS; i++)
            assert_int_equal(output[i], 2 * i);
    }
    assert_int_equal(sound, 8); /* the end was reached */
    return failed;
}

static void any_call_fails(void **state)
{
    (void)state;
    assert_true(torture("fault:op=any,n=%d,status=lost") >= 8);
}

static void any_work_fails_late(void **state)
{
    (void)state;
    assert_true(torture("fault:op=any,at=done,n=%d,status=lost") >= 3);
}

static void all_calls_fail_from_one_on(void **state)
{
    (void)state;
    assert_true(torture("fault:op=any,n=%d,count=0,status=lost") >= 8);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_call_fails),
        cmocka_unit_test(any_work_fails_late),
        cmocka_unit_test(all_calls_fail_from_one_on),
    };

    return conformance_main(argc, argv, tests, NULL);
}
