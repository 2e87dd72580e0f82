/* Three stages at once: a tile comes, another is computed, a third goes back. */
#include "conformance.h"
#include "gate.h"

#include <string.h>

#define TILE 65536u

static void fill_tile(unsigned char *bytes, unsigned char first)
{
    for (uint32_t i = 0; i < TILE; i++)
        bytes[i] = (unsigned char)(first + i * 7);
}

/* While a kernel holds the compute queue, both other stages are submitted, and where the device copies beside kernels,
 * both end: nothing about them waits for the kernel. */
static void copies_both_ways_pass_a_held_kernel(void **state)
{
    static unsigned char came[TILE], back[TILE];
    hr_queue *in, *out;
    hr_buffer *coming, *going, *from, *to;
    void *source, *target;
    hr_event *arrived = NULL, *left = NULL;
    hr_sync in_sync = {.size = sizeof in_sync, .event = &arrived};
    hr_sync out_sync = {.size = sizeof out_sync, .event = &left};

    (void)state;
    NEEDS_GATE();
    coming = new_buffer(device, TILE, NULL);
    going = new_buffer(device, TILE, NULL);
    OK(hr_device_get_queue(device, HR_QUEUE_COPY_IN, &in));
    OK(hr_device_get_queue(device, HR_QUEUE_COPY_OUT, &out));
    OK(hr_buffer_create(device, HR_MEMORY_PINNED, TILE, NULL, &from));
    OK(hr_buffer_create(device, HR_MEMORY_PINNED, TILE, NULL, &to));
    OK(hr_buffer_acquire(from, NULL, HR_ACCESS_WRITE, &source));
    OK(hr_buffer_acquire(to, NULL, HR_ACCESS_READ | HR_ACCESS_WRITE, &target));
    fill_tile(source, 1);
    fill_tile(back, 2);
    memset(target, 0, TILE);
    OK(hr_write(in, going, 0, back, TILE, NULL));
    OK(hr_queue_finish(in));

    gate_close(device, compute);
    OK(hr_copy(in, coming, 0, from, 0, TILE, &in_sync));
    OK(hr_copy(out, to, 0, going, 0, TILE, &out_sync));
    if (info.abilities & HR_ABILITY_COPY_OVERLAP) {
        OK(hr_event_wait(arrived, HR_FOREVER));
        OK(hr_event_wait(left, HR_FOREVER));
        assert_memory_equal(target, back, TILE);
    }
    GATE_HOLDS();
    gate_open();
    OK(hr_event_wait(arrived, HR_FOREVER));
    OK(hr_event_wait(left, HR_FOREVER));
    gate_end();

    assert_memory_equal(target, back, TILE);
    OK(hr_read(out, coming, 0, came, TILE, NULL));
    OK(hr_queue_finish(out));
    assert_memory_equal(came, source, TILE);
    hr_event_close(&arrived);
    hr_event_close(&left);
    OK(hr_buffer_release(from, NULL));
    OK(hr_buffer_release(to, NULL));
    hr_buffer_close(&from);
    hr_buffer_close(&to);
    hr_buffer_close(&coming);
    hr_buffer_close(&going);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        gated_test(copies_both_ways_pass_a_held_kernel),
    };

    return conformance_main(argc, argv, tests, NULL);
}
