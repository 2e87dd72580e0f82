/* Memory of the program's own, registered. */
#include "gate.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BYTES = 300001 };

#define NEEDS_IMPORT()                                                                                                 \
    do {                                                                                                               \
        if (!(info.abilities & HR_ABILITY_IMPORT))                                                                     \
            NOT_APPLICABLE("this device registers no memory");                                                         \
    } while (0)

static hr_buffer *import(hr_device *of, void *memory, uint64_t bytes)
{
    hr_buffer *buffer = NULL;

    OK(hr_buffer_import(of, memory, bytes, &buffer));
    return buffer;
}

/* Page-aligned memory and memory that nothing aligns, there and back. */
static void copies_from_and_to_it(void **state)
{
    uint8_t *memory = aligned_alloc(4096, (BYTES / 4096 + 2) * 4096);

    (void)state;
    NEEDS_IMPORT();
    assert_non_null(memory);
    for (uint64_t shift = 0; shift < 12; shift += shift ? 7 : 4) {
        hr_buffer *imported;
        hr_buffer *buffer = new_buffer(device, BYTES, compute);
        uint8_t *expected = new_random(BYTES, shift + 1);
        uint64_t size = 0;

        memcpy(memory + shift, expected, BYTES);
        imported = import(device, memory + shift, BYTES);
        OK(hr_buffer_get_size(imported, &size));
        assert_int_equal(size, BYTES);
        OK(hr_copy(compute, buffer, 0, imported, 0, BYTES, NULL));
        expect_bytes(compute, buffer, 0, expected, BYTES);
        OK(hr_fill(compute, buffer, 0, BYTES / 4 * 4, "wxyz", 4, NULL));
        OK(hr_copy(compute, imported, 5, buffer, 1, 1000, NULL));
        hr_buffer_close(&imported); /* waits */
        for (int i = 0; i < 1000; i++)
            expected[5 + i] = (uint8_t) "wxyz"[(i + 1) % 4];
        assert_memory_equal(memory + shift, expected, BYTES);
        hr_buffer_close(&buffer);
        free(expected);
    }
    free(memory);
}

/* Case 15, for copies: what is pinned already is not staged. */
static void nothing_is_staged(void **state)
{
    hr_device *own;
    hr_queue *queue;
    uint8_t *memory;
    uint8_t *expected;
    hr_buffer *imported;
    hr_buffer *buffer;
    hr_memory_stats before;
    hr_memory_stats after;

    (void)state;
    NEEDS_IMPORT();
    own = open_with(0, 0, NULL);
    queue = new_queue(own, HR_QUEUE_COPY_IN);
    memory = aligned_alloc(4096, 1 << 20);
    assert_non_null(memory);
    random_bytes(memory, 1 << 20, 4);
    expected = new_random(1 << 20, 4);
    imported = import(own, memory, 1 << 20);
    buffer = new_buffer(own, 1 << 20, queue);
    before = memory_stats(own);
    for (int i = 0; i < 10; i++) {
        OK(hr_copy(queue, buffer, 0, imported, 0, 1 << 20, NULL));
        OK(hr_copy(queue, imported, 0, buffer, 0, 1 << 20, NULL));
    }
    OK(hr_queue_finish(queue));
    after = memory_stats(own);
    assert_memory_equal(&after, &before, sizeof after);
    assert_memory_equal(memory, expected, 1 << 20);
    hr_buffer_close(&buffer);
    hr_buffer_close(&imported);
    hr_queue_close(&queue);
    hr_device_close(&own);
    free(memory);
    free(expected);
}

static void *open_later(void *unused)
{
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    gate_open();
    return unused;
}

/* When close returns, the copies are over: the gate is opened behind its back. */
static void close_waits_for_its_copies(void **state)
{
    uint8_t *memory;
    hr_queue *queue;
    hr_buffer *imported;
    hr_buffer *buffer;
    hr_event *copied = NULL;
    hr_sync sync = sync_of(&copied, NULL, 0);
    pthread_t opener;

    (void)state;
    NEEDS_IMPORT();
    NEEDS_GATE();
    memory = new_random(BYTES, 6);
    queue = new_queue(device, HR_QUEUE_COMPUTE);
    buffer = new_buffer(device, BYTES, queue);
    imported = import(device, memory, BYTES);
    gate_close(device, queue);
    OK(hr_copy(queue, buffer, 0, imported, 0, BYTES, &sync));
    assert_int_equal(pthread_create(&opener, NULL, open_later, NULL), 0);
    hr_buffer_close(&imported);
    uint32_t done = is_done(copied);
    memset(memory, 0, BYTES); /* the program's again */
    pthread_join(opener, NULL);
    gate_end();
    assert_int_equal(done, 1);
    random_bytes(memory, BYTES, 6);
    expect_bytes(queue, buffer, 0, memory, BYTES);
    hr_event_close(&copied);
    hr_buffer_close(&buffer);
    hr_queue_close(&queue);
    free(memory);
}

static void wrong_arguments(void **state)
{
    static uint8_t memory[8192];
    hr_buffer *buffer = NULL;

    (void)state;
    NEEDS_IMPORT();
    FAILS(HR_INVALID, hr_buffer_import(NULL, memory, 4096, &buffer));
    FAILS(HR_INVALID, hr_buffer_import(device, NULL, 4096, &buffer));
    FAILS(HR_INVALID, hr_buffer_import(device, memory, 0, &buffer));
    FAILS(HR_INVALID, hr_buffer_import(device, memory, 4096, NULL));
    FAILS(HR_INVALID, hr_buffer_import(device, memory, UINT64_MAX, &buffer));
    assert_null(buffer);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_from_and_to_it),
        cmocka_unit_test(nothing_is_staged),
        gated_test(close_waits_for_its_copies),
        cmocka_unit_test(wrong_arguments),
    };

    return conformance_main(argc, argv, tests, NULL);
}
