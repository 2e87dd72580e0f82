/* hr_write() with little pinned memory: its budget, waiting for staging, and being asked not to wait. */
#include "gate.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KB = 1024, MB = 1024 * 1024, PIECE = 256 * 1024, PIECES = 64 };

static hr_device *own;
static hr_queue *queue;

static int open_small(void **state)
{
    (void)state;
    own = open_with(0, MB, NULL);
    queue = new_queue(own, HR_QUEUE_COMPUTE);
    return 0;
}

static int close_small(void **state)
{
    (void)gate_teardown(state);
    hr_queue_close(&queue);
    hr_device_close(&own);
    return 0;
}

/* Case 8, for hr_write. */
static void pinned_memory_stays_within_its_budget(void **state)
{
    hr_buffer *buffer = new_buffer(own, 400 * KB, queue);
    uint8_t *data = new_random(400 * KB, 1);
    uint64_t random = 4711;
    hr_memory_stats late;

    (void)state;
    for (uint64_t i = 0; i < 2000; i++) {
        uint64_t bytes = 1 + next_random(&random) % (300 * KB);

        OK(hr_write(queue, buffer, i % 1000, data, bytes, NULL));
    }
    OK(hr_queue_finish(queue));
    late = memory_stats(own);
    assert_int_equal(late.pinned_budget_bytes, MB);
    assert_true(late.pinned_peak_bytes <= MB);
    /* Flat: what was allocated is all still there; how much that is depends on how far the device fell behind. */
    assert_int_equal(late.pinned_driver_frees, 0);
    assert_true(late.pinned_used_bytes + late.pinned_cached_bytes <= MB / 2);
    hr_buffer_close(&buffer);
    free(data);
}

static void a_write_larger_than_staging_arrives(void **state)
{
    enum { BYTES = 9 * MB + 7 };
    hr_buffer *buffer = new_buffer(own, BYTES, queue);
    uint8_t *data = new_random(BYTES, 2);
    hr_event *event = NULL;
    hr_sync sync = sync_of(&event, NULL, 0);

    (void)state;
    OK(hr_write(queue, buffer, 0, data, BYTES, &sync));
    OK(hr_event_wait(event, HR_FOREVER));
    hr_event_close(&event);
    expect_bytes(queue, buffer, 0, data, BYTES);
    OK(hr_fill(queue, buffer, 0, BYTES, "", 1, NULL));
    OK(hr_write_from(queue, buffer, 0, data, BYTES, NULL));
    expect_bytes(queue, buffer, 0, data, BYTES);
    assert_true(memory_stats(own).pinned_peak_bytes <= MB);
    hr_buffer_close(&buffer);
    free(data);
}

/* Behind a gate, pieces are taken until staging is out; the one that is refused leaves nothing behind. */
static void asked_not_to_wait_it_says_would_block(void **state)
{
    hr_sync sync = {.size = sizeof sync, .flags = HR_NO_WAIT};
    uint8_t *data;
    uint8_t *old;
    hr_buffer *buffer;
    hr_status status = HR_OK;
    uint64_t taken = 0;

    (void)state;
    NEEDS_GATE();
    data = new_random(PIECE, 3);
    old = calloc(1, PIECE);
    assert_non_null(old);
    buffer = new_buffer(own, (uint64_t)PIECE * PIECES, queue);
    OK(hr_fill(queue, buffer, 0, (uint64_t)PIECE * PIECES, "", 1, NULL));
    gate_close(own, queue);
    for (; taken < PIECES; taken++) {
        status = hr_write(queue, buffer, taken * PIECE, data, PIECE, &sync);
        if (status != HR_OK)
            break;
    }
    assert_int_equal(status, HR_WOULD_BLOCK);
    assert_true(taken >= 1); /* there was free staging */
    GATE_HOLDS();
    gate_end();
    for (uint64_t i = 0; i < taken; i++)
        expect_bytes(queue, buffer, i * PIECE, data, PIECE);
    expect_bytes(queue, buffer, taken * PIECE, old, PIECE);
    OK(hr_write(queue, buffer, taken * PIECE, data, PIECE, &sync)); /* the queue went on */
    expect_bytes(queue, buffer, taken * PIECE, data, PIECE);
    hr_buffer_close(&buffer);
    free(data);
    free(old);
}

/* Opens the gate once a write has begun to wait, or after five seconds. */
static void *open_when_waited(void *unused)
{
    hr_memory_stats stats = {.size = sizeof stats};

    for (int i = 0; i < 5000 && stats.staging_waits == 0; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        if (hr_memory_get_stats(own, &stats) != HR_OK)
            break;
    }
    gate_open();
    return unused;
}

static void otherwise_it_waits_for_staging(void **state)
{
    uint8_t *data;
    hr_buffer *buffer;
    pthread_t opener;

    (void)state;
    NEEDS_GATE();
    data = new_random(PIECE, 4);
    buffer = new_buffer(own, (uint64_t)PIECE * PIECES, queue);
    gate_close(own, queue);
    assert_int_equal(pthread_create(&opener, NULL, open_when_waited, NULL), 0);
    for (uint64_t i = 0; i < PIECES; i++)
        OK(hr_write(queue, buffer, i * PIECE, data, PIECE, NULL));
    pthread_join(opener, NULL);
    gate_end();
    assert_true(memory_stats(own).staging_waits > 0);
    for (uint64_t i = 0; i < PIECES; i++)
        expect_bytes(queue, buffer, i * PIECE, data, PIECE);
    hr_buffer_close(&buffer);
    free(data);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pinned_memory_stays_within_its_budget, open_small, close_small),
        cmocka_unit_test_setup_teardown(a_write_larger_than_staging_arrives, open_small, close_small),
        cmocka_unit_test_setup_teardown(asked_not_to_wait_it_says_would_block, open_small, close_small),
        cmocka_unit_test_setup_teardown(otherwise_it_waits_for_staging, open_small, close_small),
    };

    return conformance_main(argc, argv, tests, NULL);
}
