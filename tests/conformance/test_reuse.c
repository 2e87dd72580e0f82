/* Closed buffers whose memory is still in use by the device, and host access to what kernels see. */
#include "gate.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 16384, BYTES = WORDS * 4 };

static void copy_words(hr_queue *queue, hr_buffer *from, hr_buffer *to)
{
    uint32_t words = WORDS;
    hr_arg args[] = {HR_ARG_BUFFER(from, 0), HR_ARG_BUFFER(to, 0), HR_ARG_BYTES(&words, sizeof words)};

    OK(launch(queue, shared_kernel("copy_words"), WORDS, args, 3, NULL));
}

/* Pitfall 15: memory closed behind a held kernel on one queue is taken by another, and filled. */
static void reuse_across_queues(hr_queue *second, bool declared)
{
    uint8_t *old = new_random(BYTES, 1);
    uint8_t *new = new_random(BYTES, 2);
    hr_queue *first = new_queue(device, HR_QUEUE_COMPUTE);
    hr_buffer *result = new_buffer(device, BYTES, first);
    hr_buffer *buffer = new_buffer(device, BYTES, first);
    hr_buffer *taken[4];

    OK(hr_write(first, buffer, 0, old, BYTES, NULL));
    gate_close(device, first);
    copy_words(first, buffer, result);
    hr_buffer_close(&buffer);
    for (int i = 0; i < 4; i++) { /* one of them is bound to be the block that was closed, if any may be */
        taken[i] = new_buffer(device, BYTES, declared ? second : NULL);
        OK(hr_write(second, taken[i], 0, new, BYTES, NULL));
    }
    GATE_HOLDS();
    gate_end();
    expect_bytes(first, result, 0, old, BYTES);
    for (int i = 0; i < 4; i++) {
        expect_bytes(second, taken[i], 0, new, BYTES);
        hr_buffer_close(&taken[i]);
    }
    hr_buffer_close(&result);
    hr_queue_close(&first);
    free(old);
    free(new);
}

static void reuse_on_another_queue(void **state)
{
    (void)state;
    NEEDS_GATE();
    (void)shared_kernel("copy_words");
    reuse_across_queues(copy_in, true);
    reuse_across_queues(copy_in, false);
}

/* The same where the first queue is closed too, before its work is done. */
static void reuse_after_the_queue_is_closed(void **state)
{
    uint8_t *old = new_random(BYTES, 3);
    uint8_t *new = new_random(BYTES, 4);
    hr_queue *first = new_queue(device, HR_QUEUE_COMPUTE);
    hr_buffer *result = new_buffer(device, BYTES, first);
    hr_buffer *buffer = new_buffer(device, BYTES, first);
    hr_buffer *taken;
    hr_event *end;

    (void)state;
    for (int round = 0; round < 50; round++) {
        OK(hr_write(first, buffer, 0, old, BYTES, NULL));
        copy_words(first, buffer, result);
        end = mark(first);
        hr_buffer_close(&buffer);
        hr_queue_close(&first);
        taken = new_buffer(device, BYTES, copy_in);
        OK(hr_write(copy_in, taken, 0, new, BYTES, NULL));
        OK(hr_event_wait(end, HR_FOREVER));
        hr_event_close(&end);
        expect_bytes(copy_in, result, 0, old, BYTES);
        hr_buffer_close(&taken);
        first = new_queue(device, HR_QUEUE_COMPUTE);
        buffer = new_buffer(device, BYTES, first);
    }
    hr_buffer_close(&buffer);
    hr_buffer_close(&result);
    hr_queue_close(&first);
    free(old);
    free(new);
}

static void the_host_writes_and_kernels_read(void **state)
{
    uint8_t *data = new_random(BYTES, 7);
    hr_buffer *buffer = new_buffer(device, BYTES, compute);
    void *ptr = NULL;

    (void)state;
    OK(hr_buffer_acquire(buffer, compute, HR_ACCESS_WRITE | HR_ACCESS_DISCARD, &ptr));
    memcpy(ptr, data, BYTES);
    OK(hr_buffer_release(buffer, compute));
    assert_int_equal(device_sum(compute, buffer, BYTES), host_sum(data, BYTES));
    OK(hr_buffer_acquire(buffer, compute, HR_ACCESS_READ | HR_ACCESS_WRITE, &ptr)); /* keeps what is not written */
    assert_memory_equal(ptr, data, BYTES);
    ((uint8_t *)ptr)[BYTES - 1] = data[BYTES - 1] = 99;
    OK(hr_buffer_release(buffer, compute));
    assert_int_equal(device_sum(compute, buffer, BYTES), host_sum(data, BYTES));
    hr_buffer_close(&buffer);
    free(data);
}

static void kernels_write_and_the_host_reads(void **state)
{
    uint32_t *expected = calloc(WORDS, 4);
    hr_buffer *buffer = new_buffer(device, BYTES, compute);
    void *ptr = NULL;

    (void)state;
    OK(hr_write(compute, buffer, 0, expected, BYTES, NULL));
    for (uint32_t round = 1; round <= 20; round++) {
        OK(launch_add(compute, buffer, WORDS, round, NULL));
        OK(hr_buffer_acquire(buffer, compute, HR_ACCESS_READ, &ptr));
        for (int i = 0; i < WORDS; i++)
            expected[i] += round;
        assert_memory_equal(ptr, expected, BYTES);
        OK(hr_buffer_release(buffer, compute));
    }
    hr_buffer_close(&buffer);
    free(expected);
}

static void access_in_the_wrong_order(void **state)
{
    hr_buffer *buffer = new_buffer(device, BYTES, compute);
    uint8_t *pinned_ptr;
    hr_buffer *pinned = new_pinned(device, BYTES, &pinned_ptr);
    void *ptr = NULL;

    (void)state;
    FAILS(HR_STATE, hr_buffer_release(buffer, compute));
    OK(hr_buffer_acquire(buffer, compute, HR_ACCESS_WRITE, &ptr));
    FAILS(HR_STATE, hr_buffer_acquire(buffer, compute, HR_ACCESS_READ, &ptr));
    OK(hr_buffer_release(buffer, compute));
    FAILS(HR_STATE, hr_buffer_release(buffer, compute));
    FAILS(HR_INVALID, hr_buffer_acquire(buffer, compute, 0, &ptr));
    FAILS(HR_INVALID, hr_buffer_acquire(buffer, compute, 1u << 9, &ptr));
    FAILS(HR_INVALID, hr_buffer_acquire(buffer, compute, HR_ACCESS_READ, NULL));
    FAILS(HR_INVALID, hr_buffer_acquire(NULL, compute, HR_ACCESS_READ, &ptr));
    FAILS(HR_INVALID, hr_buffer_release(NULL, compute));
    OK(hr_buffer_acquire(pinned, compute, HR_ACCESS_READ, &ptr));
    assert_ptr_equal(ptr, pinned_ptr); /* mapped for life */
    OK(hr_buffer_release(pinned, compute));
    hr_buffer_close(&pinned);
    hr_buffer_close(&buffer);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        gated_test(reuse_on_another_queue),
        cmocka_unit_test(reuse_after_the_queue_is_closed),
        cmocka_unit_test(the_host_writes_and_kernels_read),
        cmocka_unit_test(kernels_write_and_the_host_reads),
        cmocka_unit_test(access_in_the_wrong_order),
    };

    return conformance_main(argc, argv, tests, NULL);
}
