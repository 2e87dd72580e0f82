/* hr_write() and hr_write_from(): snapshots, offsets, what is refused. */
#include "gate.h"

#include <stdlib.h>
#include <string.h>

enum { MB = 1024 * 1024, BYTES = 100001 };

/* Case 1: the source is freed and its memory refilled while the write is still held. */
static void the_source_is_free_at_return(void **state)
{
    uint8_t *expected;
    hr_buffer *buffer;
    hr_queue *queue;

    (void)state;
    NEEDS_GATE();
    expected = new_random(BYTES, 1);
    queue = new_queue(device, HR_QUEUE_COMPUTE);
    buffer = new_buffer(device, BYTES, queue);
    gate_close(device, queue);
    for (int i = 0; i < 8; i++) {
        uint8_t *source = new_random(BYTES, 1);

        OK(hr_write(queue, buffer, 0, source, BYTES, NULL));
        memset(source, 0xee, BYTES);
        free(source);
        source = malloc(BYTES);
        assert_non_null(source);
        memset(source, 0xdd, BYTES);
        free(source);
    }
    GATE_HOLDS();
    gate_end();
    expect_bytes(queue, buffer, 0, expected, BYTES);
    hr_buffer_close(&buffer);
    hr_queue_close(&queue);
    free(expected);
}

/* Case 3: nothing waits for the kernel that holds the queue. */
static void writes_return_while_the_queue_is_held(void **state)
{
    uint8_t *data;
    uint8_t *ptr;
    hr_queue *queue;
    hr_buffer *to[3];
    hr_buffer *pinned;

    (void)state;
    NEEDS_GATE();
    data = new_random(BYTES, 2);
    queue = new_queue(device, HR_QUEUE_COMPUTE);
    pinned = new_pinned(device, BYTES, &ptr);
    memcpy(ptr, data, BYTES);
    for (int i = 0; i < 3; i++)
        to[i] = new_buffer(device, BYTES, queue);
    gate_close(device, queue);
    OK(hr_write(queue, to[0], 0, data, BYTES, NULL));
    GATE_HOLDS();
    OK(hr_copy(queue, to[1], 0, pinned, 0, BYTES, NULL));
    GATE_HOLDS();
    OK(hr_copy(queue, to[2], 0, to[0], 0, BYTES, NULL));
    GATE_HOLDS();
    gate_end();
    for (int i = 0; i < 3; i++) {
        expect_bytes(queue, to[i], 0, data, BYTES);
        hr_buffer_close(&to[i]);
    }
    hr_buffer_close(&pinned);
    hr_queue_close(&queue);
    free(data);
}

/* Case 6: also where device memory is host memory. */
static void a_later_change_of_the_source_is_not_seen(void **state)
{
    (void)state;
    for (uint64_t round = 1; round <= 200; round++) {
        uint64_t bytes = 1 + round * 337 % BYTES;
        uint8_t *data = new_random(bytes, round);
        uint64_t sum = host_sum(data, bytes);
        hr_buffer *buffer = new_buffer(device, bytes, compute);

        OK(hr_write(compute, buffer, 0, data, bytes, NULL));
        memset(data, 0xcc, bytes);
        assert_int_equal(device_sum(compute, buffer, bytes), sum);
        hr_buffer_close(&buffer);
        free(data);
    }
}

static void a_write_touches_its_range_alone(void **state)
{
    static const uint64_t offsets[] = {0, 1, 3, 64, 127, 4097};
    static const uint64_t sizes[] = {1, 2, 5, 129, 4095, 40001};
    enum { ROOM = 50000 };
    uint8_t *expected = malloc(ROOM);
    uint8_t *data = new_random(ROOM, 3);
    hr_buffer *buffer = new_buffer(device, ROOM, compute);

    (void)state;
    assert_non_null(expected);
    for (size_t i = 0; i < 36; i++) {
        uint64_t offset = offsets[i / 6];
        uint64_t bytes = sizes[i % 6];

        OK(hr_fill(compute, buffer, 0, ROOM, "\x77", 1, NULL));
        memset(expected, 0x77, ROOM);
        if (i % 2)
            OK(hr_write(compute, buffer, offset, data + i, bytes, NULL));
        else
            OK(hr_write_from(compute, buffer, offset, data + i, bytes, NULL));
        memcpy(expected + offset, data + i, bytes);
        expect_bytes(compute, buffer, 0, expected, ROOM);
    }
    hr_buffer_close(&buffer);
    free(expected);
    free(data);
}

/* Without a snapshot the source is free at the event. */
static void write_from_is_done_at_its_event(void **state)
{
    uint8_t *data = malloc(3 * MB + 1);
    hr_buffer *buffer = new_buffer(device, 3 * MB + 1, compute);

    (void)state;
    assert_non_null(data);
    for (uint64_t round = 1; round <= 10; round++) {
        hr_event *event = NULL;
        hr_sync sync = sync_of(&event, NULL, 0);
        uint64_t sum;

        random_bytes(data, 3 * MB + 1, round);
        sum = host_sum(data, 3 * MB + 1);
        OK(hr_write_from(compute, buffer, 0, data, 3 * MB + 1, &sync));
        OK(hr_event_wait(event, HR_FOREVER));
        memset(data, 0xcc, 3 * MB + 1);
        assert_int_equal(device_sum(compute, buffer, 3 * MB + 1), sum);
        hr_event_close(&event);
    }
    hr_buffer_close(&buffer);
    free(data);
}

static void nothing_to_write_is_fine(void **state)
{
    hr_buffer *buffer = new_buffer(device, 8, compute);
    hr_event *event = NULL;
    hr_sync sync = sync_of(&event, NULL, 0);

    (void)state;
    OK(hr_write(compute, buffer, 0, "12345678", 8, NULL));
    OK(hr_write(compute, buffer, 8, "x", 0, &sync));
    OK(hr_event_wait(event, HR_FOREVER));
    hr_event_close(&event);
    OK(hr_write_from(compute, buffer, 3, "x", 0, &sync));
    OK(hr_event_wait(event, HR_FOREVER));
    hr_event_close(&event);
    expect_bytes(compute, buffer, 0, "12345678", 8);
    hr_buffer_close(&buffer);
}

typedef hr_status write_function(hr_queue *, hr_buffer *, uint64_t, const void *, uint64_t, const hr_sync *);

static void wrong_arguments_of(write_function *write)
{
    hr_buffer *buffer = new_buffer(device, 100, compute);
    hr_event *event = NULL;
    hr_sync sync = {.size = 0};
    hr_event *const none[] = {NULL};

    FAILS(HR_INVALID, write(NULL, buffer, 0, "x", 1, NULL));
    FAILS(HR_INVALID, write(compute, NULL, 0, "x", 1, NULL));
    FAILS(HR_INVALID, write(compute, buffer, 0, NULL, 1, NULL));
    FAILS(HR_RANGE, write(compute, buffer, 100, "x", 1, NULL));
    SAYS("100");
    FAILS(HR_RANGE, write(compute, buffer, 1, "x", 100, NULL));
    FAILS(HR_RANGE, write(compute, buffer, 101, "x", 0, NULL));
    FAILS(HR_RANGE, write(compute, buffer, UINT64_MAX, "x", 2, NULL));
    FAILS(HR_RANGE, write(compute, buffer, 1, "x", UINT64_MAX, NULL));
    FAILS(HR_INVALID, write(compute, buffer, 0, "x", 1, &sync));
    SAYS("hr_sync");
    sync = sync_of(&event, NULL, 1);
    FAILS(HR_INVALID, write(compute, buffer, 0, "x", 1, &sync));
    sync = sync_of(&event, none, 1);
    FAILS(HR_INVALID, write(compute, buffer, 0, "x", 1, &sync));
    assert_null(event);
    hr_buffer_close(&buffer);
}

static void wrong_arguments(void **state)
{
    (void)state;
    wrong_arguments_of(hr_write);
    wrong_arguments_of(hr_write_from);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        gated_test(the_source_is_free_at_return),
        gated_test(writes_return_while_the_queue_is_held),
        cmocka_unit_test(a_later_change_of_the_source_is_not_seen),
        cmocka_unit_test(a_write_touches_its_range_alone),
        cmocka_unit_test(write_from_is_done_at_its_event),
        cmocka_unit_test(nothing_to_write_is_fine),
        cmocka_unit_test(wrong_arguments),
    };

    return conformance_main(argc, argv, tests, NULL);
}
