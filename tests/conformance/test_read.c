/* Downloads: valid at their event, into any memory, behind what was enqueued before. */
#include "gate.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WORDS = 1024, BYTES = WORDS * 4 };

static bool all_are(const uint32_t *words, uint32_t value)
{
    for (int i = 0; i < WORDS; i++)
        if (words[i] != value)
            return false;
    return true;
}

/* Waits, or looks now and again, as programs do. */
static void reach(hr_event *event, uint32_t round)
{
    if (round % 3 != 0) {
        OK(hr_event_wait(event, HR_FOREVER));
        return;
    }
    while (!is_done(event))
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}

/* Case 2: the destination is poisoned, read after its event, and right; 10,000 rounds or four seconds. */
static void every_download_is_whole_at_its_event(void **state)
{
    uint32_t *to[2] = {malloc(BYTES), malloc(BYTES)};
    hr_event *events[2] = {NULL, NULL};
    hr_buffer *buffer = new_buffer(device, BYTES, compute);
    time_t end = time(NULL) + 4;
    uint32_t round = 0;

    (void)state;
    assert_true(to[0] && to[1]);
    OK(hr_fill(compute, buffer, 0, BYTES, "", 1, NULL));
    for (; round < 10000 && (round % 64 != 0 || time(NULL) <= end); round++) {
        hr_sync sync = sync_of(&events[round % 2], NULL, 0);

        memset(to[round % 2], 0xff, BYTES);
        OK(launch_add(compute, buffer, WORDS, 1, NULL));
        OK(hr_read(compute, buffer, 0, to[round % 2], BYTES, &sync));
        if (round == 0)
            continue; /* one is always in flight behind the one that is looked at */
        reach(events[(round - 1) % 2], round);
        hr_event_close(&events[(round - 1) % 2]);
        assert_true(all_are(to[(round - 1) % 2], round));
    }
    print_message("%u rounds\n", round);
    OK(hr_queue_finish(compute)); /* a later wait on the queue serves as well */
    assert_true(all_are(to[(round - 1) % 2], round));
    hr_event_close(&events[(round - 1) % 2]);
    hr_buffer_close(&buffer);
    free(to[0]);
    free(to[1]);
}

static void a_read_fills_its_range_alone(void **state)
{
    static const uint64_t offsets[] = {0, 1, 3, 127, 4097};
    static const uint64_t sizes[] = {1, 5, 129, 4095, 40001};
    enum { ROOM = 50000 };
    uint8_t *data = new_random(ROOM, 3);
    uint8_t *got = malloc(ROOM);
    uint8_t *expected = malloc(ROOM);
    hr_buffer *buffer = new_buffer(device, ROOM, compute);

    (void)state;
    assert_true(got && expected);
    OK(hr_write(compute, buffer, 0, data, ROOM, NULL));
    for (size_t i = 0; i < 25; i++) {
        uint64_t offset = offsets[i / 5];
        uint64_t bytes = sizes[i % 5];

        memset(got, 0x5a, ROOM);
        memset(expected, 0x5a, ROOM);
        memcpy(expected + i, data + offset, bytes);
        OK(hr_read(compute, buffer, offset, got + i, bytes, NULL));
        OK(hr_queue_finish(compute));
        assert_memory_equal(got, expected, ROOM);
    }
    hr_buffer_close(&buffer);
    free(data);
    free(got);
    free(expected);
}

static void a_large_read_with_little_pinned_memory(void **state)
{
    enum { LARGE = 9 * 1024 * 1024 + 5 };
    hr_device *own = open_with(0, 1024 * 1024, NULL);
    hr_queue *queue = new_queue(own, HR_QUEUE_COPY_OUT);
    uint8_t *data = new_random(LARGE, 8);
    hr_buffer *buffer = new_buffer(own, LARGE, queue);

    (void)state;
    OK(hr_write_from(queue, buffer, 0, data, LARGE, NULL));
    expect_bytes(queue, buffer, 0, data, LARGE);
    assert_true(memory_stats(own).pinned_peak_bytes <= 1024 * 1024);
    hr_buffer_close(&buffer);
    hr_queue_close(&queue);
    hr_device_close(&own);
    free(data);
}

/* Behind a held kernel the call returns, the event is not done, and the time limit passes. */
static void a_read_is_not_done_before_what_precedes_it(void **state)
{
    uint32_t got[WORDS];
    hr_queue *queue;
    hr_buffer *buffer;
    hr_event *event = NULL;
    hr_sync sync = sync_of(&event, NULL, 0);

    (void)state;
    NEEDS_GATE();
    queue = new_queue(device, HR_QUEUE_COMPUTE);
    buffer = new_buffer(device, BYTES, queue);
    OK(hr_fill(queue, buffer, 0, BYTES, "", 1, NULL));
    (void)shared_kernel("add_words");
    gate_close(device, queue);
    OK(launch_add(queue, buffer, WORDS, 7, NULL));
    OK(hr_read(queue, buffer, 0, got, BYTES, &sync));
    GATE_HOLDS();
    assert_int_equal(is_done(event), 0);
    FAILS(HR_TIMEOUT, hr_event_wait(event, 2000000));
    gate_open();
    OK(hr_event_wait(event, HR_FOREVER));
    assert_true(all_are(got, 7));
    gate_end();
    hr_event_close(&event);
    hr_buffer_close(&buffer);
    hr_queue_close(&queue);
}

static void wrong_arguments(void **state)
{
    hr_buffer *buffer = new_buffer(device, 100, compute);
    uint8_t to[100];
    hr_sync sync = {.size = 0};

    (void)state;
    FAILS(HR_INVALID, hr_read(NULL, buffer, 0, to, 1, NULL));
    FAILS(HR_INVALID, hr_read(compute, NULL, 0, to, 1, NULL));
    FAILS(HR_INVALID, hr_read(compute, buffer, 0, NULL, 1, NULL));
    FAILS(HR_INVALID, hr_read(compute, buffer, 0, to, 1, &sync));
    FAILS(HR_RANGE, hr_read(compute, buffer, 100, to, 1, NULL));
    FAILS(HR_RANGE, hr_read(compute, buffer, UINT64_MAX, to, 2, NULL));
    FAILS(HR_RANGE, hr_read(compute, buffer, 2, to, UINT64_MAX - 1, NULL));
    OK(hr_read(compute, buffer, 100, to, 0, NULL));
    hr_buffer_close(&buffer);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_download_is_whole_at_its_event),
        cmocka_unit_test(a_read_fills_its_range_alone),
        cmocka_unit_test(a_large_read_with_little_pinned_memory),
        gated_test(a_read_is_not_done_before_what_precedes_it),
        cmocka_unit_test(wrong_arguments),
    };

    return conformance_main(argc, argv, tests, NULL);
}
