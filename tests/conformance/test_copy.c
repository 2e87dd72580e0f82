/* hr_copy() and hr_fill(): ranges, kinds of memory, what is refused. */
#include "conformance.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 70000 };

/* The same copies by the device and by memcpy, at random places, between device and pinned memory both ways. */
static void ranges_between_every_kind(void **state)
{
    uint64_t random = 99;
    uint8_t *model[2] = {new_random(ROOM, 1), new_random(ROOM, 2)};
    uint8_t *ptr;
    hr_buffer *on_device = new_buffer(device, ROOM, compute);
    hr_buffer *other = new_buffer(device, ROOM, compute);
    hr_buffer *pinned = new_pinned(device, ROOM, &ptr);

    (void)state;
    for (int round = 0; round < 60; round++) {
        hr_buffer *far = round % 2 ? pinned : other;
        uint64_t bytes = 1 + next_random(&random) % 30000;
        uint64_t from = next_random(&random) % (ROOM - bytes + 1);
        uint64_t to = next_random(&random) % (ROOM - bytes + 1);
        bool back = next_random(&random) & 1;

        OK(hr_write(compute, on_device, 0, model[0], ROOM, NULL));
        if (far == pinned)
            memcpy(ptr, model[1], ROOM);
        else
            OK(hr_write(compute, other, 0, model[1], ROOM, NULL));
        if (back)
            OK(hr_copy(compute, on_device, to, far, from, bytes, NULL));
        else
            OK(hr_copy(compute, far, to, on_device, from, bytes, NULL));
        memcpy(model[back ? 0 : 1] + to, model[back ? 1 : 0] + from, bytes);
        expect_bytes(compute, on_device, 0, model[0], ROOM);
        if (far == pinned)
            assert_memory_equal(ptr, model[1], ROOM);
        else
            expect_bytes(compute, other, 0, model[1], ROOM);
    }
    hr_buffer_close(&on_device);
    hr_buffer_close(&other);
    hr_buffer_close(&pinned);
    free(model[0]);
    free(model[1]);
}

static void within_one_buffer(void **state)
{
    uint8_t *data = new_random(1000, 3);
    hr_buffer *buffer = new_buffer(device, 1000, compute);

    (void)state;
    OK(hr_write(compute, buffer, 0, data, 1000, NULL));
    OK(hr_copy(compute, buffer, 0, buffer, 500, 500, NULL)); /* touching is not overlapping */
    memmove(data, data + 500, 500);
    expect_bytes(compute, buffer, 0, data, 1000);
    FAILS(HR_INVALID, hr_copy(compute, buffer, 0, buffer, 499, 500, NULL));
    SAYS("overlap");
    FAILS(HR_INVALID, hr_copy(compute, buffer, 10, buffer, 10, 1, NULL));
    OK(hr_copy(compute, buffer, 10, buffer, 10, 0, NULL));
    expect_bytes(compute, buffer, 0, data, 1000);
    hr_buffer_close(&buffer);
    free(data);
}

static void fill_repeats_its_pattern(void **state)
{
    static const uint8_t pattern[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    hr_buffer *buffer = new_buffer(device, 4096, compute);
    uint8_t expected[4096];

    (void)state;
    for (uint32_t width = 1; width <= 16; width *= 2) {
        uint8_t changing[16];

        OK(hr_fill(compute, buffer, 0, 4096, "\x55", 1, NULL));
        memset(expected, 0x55, sizeof expected);
        memcpy(changing, pattern, sizeof changing);
        OK(hr_fill(compute, buffer, 3 * width, 100 * width, changing, width, NULL));
        memset(changing, 0, sizeof changing); /* the pattern was copied */
        for (uint32_t i = 0; i < 100 * width; i++)
            expected[3 * width + i] = pattern[i % width];
        expect_bytes(compute, buffer, 0, expected, 4096);
    }
    OK(hr_fill(compute, buffer, 4096, 0, pattern, 4, NULL));
    hr_buffer_close(&buffer);
}

static void wrong_fills(void **state)
{
    uint8_t *ptr;
    hr_buffer *buffer = new_buffer(device, 4096, compute);
    hr_buffer *pinned = new_pinned(device, 4096, &ptr);

    (void)state;
    FAILS(HR_INVALID, hr_fill(compute, buffer, 0, 30, "abc", 3, NULL));
    FAILS(HR_INVALID, hr_fill(compute, buffer, 0, 30, "abcd", 0, NULL));
    FAILS(HR_INVALID, hr_fill(compute, buffer, 0, 64, ptr, 32, NULL));
    FAILS(HR_INVALID, hr_fill(compute, buffer, 2, 8, "abcd", 4, NULL));
    FAILS(HR_INVALID, hr_fill(compute, buffer, 4, 6, "abcd", 4, NULL));
    FAILS(HR_INVALID, hr_fill(compute, buffer, 0, 8, NULL, 4, NULL));
    FAILS(HR_INVALID, hr_fill(compute, NULL, 0, 8, "abcd", 4, NULL));
    FAILS(HR_INVALID, hr_fill(NULL, buffer, 0, 8, "abcd", 4, NULL));
    FAILS(HR_INVALID, hr_fill(compute, pinned, 0, 8, "abcd", 4, NULL));
    FAILS(HR_RANGE, hr_fill(compute, buffer, 4092, 8, "abcd", 4, NULL));
    FAILS(HR_RANGE, hr_fill(compute, buffer, UINT64_MAX - 3, 8, "abcd", 4, NULL));
    hr_buffer_close(&pinned);
    hr_buffer_close(&buffer);
}

static void wrong_copies(void **state)
{
    uint8_t *ptr;
    hr_buffer *a = new_buffer(device, 100, compute);
    hr_buffer *b = new_buffer(device, 200, compute);
    hr_buffer *pinned = new_pinned(device, 100, &ptr);
    hr_buffer *also_pinned = new_pinned(device, 100, &ptr);
    hr_sync sync = {.size = 0};

    (void)state;
    FAILS(HR_INVALID, hr_copy(NULL, a, 0, b, 0, 1, NULL));
    FAILS(HR_INVALID, hr_copy(compute, NULL, 0, b, 0, 1, NULL));
    FAILS(HR_INVALID, hr_copy(compute, a, 0, NULL, 0, 1, NULL));
    FAILS(HR_INVALID, hr_copy(compute, a, 0, b, 0, 1, &sync));
    FAILS(HR_RANGE, hr_copy(compute, a, 0, b, 0, 101, NULL));
    SAYS("100");
    SAYS("101");
    FAILS(HR_RANGE, hr_copy(compute, a, 50, b, 0, 51, NULL));
    FAILS(HR_RANGE, hr_copy(compute, a, 0, b, 150, 51, NULL));
    FAILS(HR_RANGE, hr_copy(compute, a, 0, b, UINT64_MAX - 10, 20, NULL));
    FAILS(HR_RANGE, hr_copy(compute, a, UINT64_MAX, b, 0, 1, NULL));
    FAILS(HR_UNSUPPORTED, hr_copy(compute, pinned, 0, also_pinned, 0, 10, NULL));
    hr_buffer_close(&a);
    hr_buffer_close(&b);
    hr_buffer_close(&pinned);
    hr_buffer_close(&also_pinned);
}

/* Objects of one open device are nothing to another, even to one opened by the same name. */
static void another_device_is_refused(void **state)
{
    hr_device *strange = open_with(0, 0, NULL);
    hr_buffer *mine = new_buffer(device, 100, compute);
    hr_buffer *theirs = new_buffer(strange, 100, NULL);
    hr_queue *their_queue = new_queue(strange, HR_QUEUE_COMPUTE);
    hr_event *their_event = mark(their_queue);
    hr_event *const waits[] = {their_event};
    hr_sync sync = sync_of(NULL, waits, 1);
    hr_buffer *created = NULL;
    void *ptr = NULL;

    (void)state;
    FAILS(HR_INVALID, hr_copy(compute, mine, 0, theirs, 0, 1, NULL));
    FAILS(HR_INVALID, hr_copy(compute, theirs, 0, mine, 0, 1, NULL));
    FAILS(HR_INVALID, hr_copy(their_queue, mine, 0, mine, 50, 1, NULL));
    FAILS(HR_INVALID, hr_fill(their_queue, mine, 0, 1, "x", 1, NULL));
    FAILS(HR_INVALID, hr_write(their_queue, mine, 0, "x", 1, NULL));
    FAILS(HR_INVALID, hr_write(compute, mine, 0, "x", 1, &sync));
    FAILS(HR_INVALID, hr_queue_wait(compute, their_event));
    FAILS(HR_INVALID, hr_buffer_create(device, HR_MEMORY_DEVICE, 1, their_queue, &created));
    FAILS(HR_INVALID, hr_buffer_acquire(mine, their_queue, HR_ACCESS_READ, &ptr));
    FAILS(HR_INVALID, hr_buffer_used(mine, their_queue));
    FAILS(HR_INVALID, launch_add(their_queue, mine, 1, 1, NULL));
    FAILS(HR_INVALID, launch_add(compute, theirs, 1, 1, NULL));
    assert_null(created);
    hr_event_close(&their_event);
    hr_queue_close(&their_queue);
    hr_buffer_close(&theirs);
    hr_buffer_close(&mine);
    hr_device_close(&strange);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_between_every_kind),
        cmocka_unit_test(within_one_buffer),
        cmocka_unit_test(fill_repeats_its_pattern),
        cmocka_unit_test(wrong_fills),
        cmocka_unit_test(wrong_copies),
        cmocka_unit_test(another_device_is_refused),
    };

    return conformance_main(argc, argv, tests, NULL);
}
