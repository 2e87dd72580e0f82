/* Device and pinned memory: sizes, budgets, reuse, trim, host access. */
#include "gate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KB = 1024, MB = 1024 * 1024 };

static void sizes(void **state)
{
    static const uint64_t sizes[] = {1, 2, 3, 7, 127, 1032, 4095, 4097, 65537, MB + 1};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint8_t *data = new_random(sizes[i], i + 1);
        hr_buffer *buffer = new_buffer(device, sizes[i], compute);
        uint64_t size = 0;

        OK(hr_buffer_get_size(buffer, &size));
        assert_int_equal(size, sizes[i]);
        OK(hr_write(compute, buffer, 0, data, size, NULL));
        assert_int_equal(device_sum(compute, buffer, size), host_sum(data, size));
        expect_bytes(compute, buffer, 0, data, size);
        hr_buffer_close(&buffer);
        assert_null(buffer);
        free(data);
    }
}

static void wrong_arguments(void **state)
{
    hr_buffer *buffer = NULL;
    uint64_t size;

    (void)state;
    FAILS(HR_INVALID, hr_buffer_create(device, HR_MEMORY_DEVICE, 0, NULL, &buffer));
    FAILS(HR_INVALID, hr_buffer_create(NULL, HR_MEMORY_DEVICE, 1, NULL, &buffer));
    FAILS(HR_INVALID, hr_buffer_create(device, HR_MEMORY_DEVICE, 1, NULL, NULL));
    FAILS(HR_INVALID, hr_buffer_create(device, HR_MEMORY_IMPORTED, 1, NULL, &buffer));
    FAILS(HR_INVALID, hr_buffer_create(device, 77, 1, NULL, &buffer));
    FAILS(HR_INVALID, hr_buffer_get_size(NULL, &size));
    FAILS(HR_INVALID, hr_buffer_used(NULL, compute));
    FAILS(HR_INVALID, hr_memory_trim(NULL));
    FAILS(HR_INVALID, hr_memory_get_stats(NULL, &(hr_memory_stats){.size = sizeof(hr_memory_stats)}));
    FAILS(HR_INVALID, hr_memory_get_stats(device, &(hr_memory_stats){.size = 0}));
    assert_int_not_equal(hr_buffer_create(device, HR_MEMORY_DEVICE, UINT64_MAX, NULL, &buffer), HR_OK);
    assert_int_not_equal(hr_buffer_create(device, HR_MEMORY_DEVICE, info.max_buffer_bytes + 1, NULL, &buffer), HR_OK);
    assert_int_not_equal(hr_buffer_create(device, HR_MEMORY_PINNED, UINT64_MAX - 4096, NULL, &buffer), HR_OK);
    assert_null(buffer);
}

/* A budget of 1 MiB of `kind`: nothing is taken by what fails, and what was given back counts for other sizes. */
static void budget_holds(uint32_t kind, hr_status expected)
{
    hr_device *own = kind == HR_MEMORY_DEVICE ? open_with(MB, 0, NULL) : open_with(0, MB, NULL);
    hr_memory_stats before;
    hr_memory_stats after;
    hr_buffer *first = NULL;
    hr_buffer *second = NULL;

    FAILS(expected, hr_buffer_create(own, kind, 3 * MB, NULL, &first));
    SAYS("3 MiB"); /* what was asked for */
    SAYS("1 MiB"); /* the budget */
    OK(hr_buffer_create(own, kind, 600 * KB, NULL, &first));
    before = memory_stats(own);
    FAILS(expected, hr_buffer_create(own, kind, 512 * KB, NULL, &second));
    SAYS("512 KiB"); /* what was asked for */
    SAYS("600 KiB"); /* in use */
    SAYS("1 MiB");
    assert_null(second);
    after = memory_stats(own);
    assert_memory_equal(&before, &after, sizeof before);
    hr_buffer_close(&first);
    OK(hr_buffer_create(own, kind, 900 * KB, NULL, &second));
    hr_buffer_close(&second);
    after = memory_stats(own);
    assert_int_equal(after.device_used_bytes, 0);
    assert_true(after.device_peak_bytes <= after.device_budget_bytes);
    assert_true(after.pinned_peak_bytes <= after.pinned_budget_bytes);
    hr_device_close(&own);
}

static void budgets_hold(void **state)
{
    (void)state;
    budget_holds(HR_MEMORY_DEVICE, HR_NO_DEVICE_MEMORY);
    budget_holds(HR_MEMORY_PINNED, HR_NO_PINNED_MEMORY);
}

/* One step of a program that makes its buffers anew each time. */
static void step(hr_device *of, hr_queue *queue, uint64_t bytes, const void *data)
{
    hr_buffer *from = new_buffer(of, bytes, queue);
    hr_buffer *to = new_buffer(of, bytes, queue);
    uint8_t *ptr;
    hr_buffer *pinned = new_pinned(of, bytes, &ptr);

    OK(hr_write(queue, from, 0, data, bytes, NULL));
    OK(hr_copy(queue, to, 0, from, 0, bytes, NULL));
    OK(hr_copy(queue, pinned, 0, to, 0, bytes, NULL));
    hr_buffer_close(&from);
    hr_buffer_close(&to);
    OK(hr_queue_finish(queue));
    assert_memory_equal(ptr, data, bytes);
    hr_buffer_close(&pinned);
}

static uint64_t driver_calls(hr_device *of)
{
    hr_memory_stats stats = memory_stats(of);

    return stats.device_driver_allocs + stats.device_driver_frees + stats.pinned_driver_allocs +
           stats.pinned_driver_frees;
}

/* Cases 9 and 11: rounds of odd sizes; the driver is asked in the first alone. */
static void steady_rounds_allocate_nothing(void **state)
{
    static const uint64_t sizes[] = {1032, 3 * 784 + 1, 70001, 1032 * 999};
    hr_device *own = open_with(0, 0, NULL);
    hr_queue *queue = new_queue(own, HR_QUEUE_COMPUTE);
    uint8_t *data = new_random(1032 * 999, 5);
    uint64_t after_first = 0;

    (void)state;
    for (int round = 0; round < 5; round++) {
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
            for (int times = 0; times < 10; times++)
                step(own, queue, sizes[i], data);
        if (round == 0)
            after_first = driver_calls(own);
        assert_int_equal(driver_calls(own), after_first);
    }
    assert_true(after_first > 0);
    free(data);
    hr_queue_close(&queue);
    hr_device_close(&own);
}

/* Case 10. */
static void trim_gives_back_what_is_idle(void **state)
{
    hr_device *own = open_with(0, 0, NULL);
    hr_queue *queue = new_queue(own, HR_QUEUE_COMPUTE);
    uint8_t *data = new_random(300 * KB, 6);
    hr_memory_stats stats;

    (void)state;
    for (int i = 0; i < 20; i++)
        step(own, queue, 300 * KB, data);
    stats = memory_stats(own);
    assert_int_equal(stats.device_used_bytes, 0);
    assert_true(stats.device_cached_bytes >= 600 * KB);
    OK(hr_memory_trim(own));
    stats = memory_stats(own);
    assert_int_equal(stats.device_cached_bytes, 0);
    assert_int_equal(stats.pinned_cached_bytes, 0);
    assert_int_equal(stats.device_driver_frees, stats.device_driver_allocs);
    step(own, queue, 300 * KB, data);
    free(data);
    hr_queue_close(&queue);
    hr_device_close(&own);
}

static void trim_leaves_what_is_in_use(void **state)
{
    hr_device *own;
    hr_queue *queue;
    hr_buffer *buffer;
    hr_memory_stats stats;

    (void)state;
    NEEDS_GATE();
    own = open_with(0, 0, NULL);
    queue = new_queue(own, HR_QUEUE_COMPUTE);
    buffer = new_buffer(own, 300 * KB, queue);
    gate_close(own, queue);
    OK(hr_fill(queue, buffer, 0, 300 * KB, "x", 1, NULL));
    hr_buffer_close(&buffer);
    OK(hr_memory_trim(own)); /* does not wait: the gate is closed */
    GATE_HOLDS();
    stats = memory_stats(own);
    assert_true(stats.device_cached_bytes >= 300 * KB);
    gate_open();
    OK(hr_queue_finish(queue));
    gate_end();
    OK(hr_memory_trim(own));
    assert_int_equal(memory_stats(own).device_cached_bytes, 0);
    hr_queue_close(&queue);
    hr_device_close(&own);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(budgets_hold),
        cmocka_unit_test(steady_rounds_allocate_nothing),
        cmocka_unit_test(trim_gives_back_what_is_idle),
        gated_test(trim_leaves_what_is_in_use),
    };

    return conformance_main(argc, argv, tests, NULL);
}
