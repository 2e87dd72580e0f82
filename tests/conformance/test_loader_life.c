/* Loaders that are left in the middle: closed in any state, started anew, outlived by their batches. */
#include "rows.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t routes[] = {HR_ROUTE_AUTO, HR_ROUTE_STAGED, HR_ROUTE_IN_PLACE, HR_ROUTE_RESIDENT};

static bool has_route(uint32_t route)
{
    return route != HR_ROUTE_IN_PLACE || (info.abilities & HR_ABILITY_SHARED_MEMORY);
}

enum { HELD = 4 };

/* Some of everything, as chance has it; at the end up to HELD batches are still held. */
static void wander(hr_loader *loader, uint64_t *random, hr_batch *held[HELD])
{
    uint32_t words = 3;
    uint64_t steps = next_random(random) % 12;

    if (next_random(random) % 8 == 0)
        return; /* never started */
    OK(hr_loader_start(loader, next_random(random) % 5));
    for (uint64_t i = 0; i < steps; i++) {
        hr_batch **slot = &held[next_random(random) % HELD];
        hr_field field = {.size = sizeof field};
        hr_status st;

        OK(hr_batch_release(slot));
        if (next_random(random) % 6 == 0)
            OK(hr_loader_start(loader, next_random(random) % 5));
        st = hr_loader_next(loader, slot);
        if (st == HR_END || st == HR_WOULD_DEADLOCK)
            continue;
        OK(st);
        OK(hr_batch_field(*slot, 0, &field));
        if (next_random(random) % 2) { /* reads the batch while it may be released and the loader closed */
            hr_buffer *sink = new_buffer(device, 12, compute);
            hr_arg args[] = {HR_ARG_BUFFER(field.buffer, field.offset), HR_ARG_BUFFER(sink, 0),
                             HR_ARG_BYTES(&words, sizeof words)};

            OK(launch(compute, shared_kernel("copy_words"), words, args, 3, NULL));
            hr_buffer_close(&sink);
        }
    }
}

/* Case 25. What is still held stays right after the loader is gone. */
static void close_in_any_state(void **state)
{
    uint64_t random = 251201;
    hr_dataset *rows = new_rows();

    (void)state;
    for (int round = 0; round < 1000; round++) {
        hr_loader_options o = loader_options(3 + next_random(&random) % 300);
        hr_batch *held[HELD] = {NULL};
        hr_loader *loader;

        o.route = routes[next_random(&random) % 4];
        if (!has_route(o.route))
            o.route = HR_ROUTE_STAGED;
        o.depth = 2 + (uint32_t)(next_random(&random) % 4);
        o.workers = 1 + (uint32_t)(next_random(&random) % 4);
        o.last = (uint32_t)(next_random(&random) % 3);
        loader = new_loader(device, rows, &o);
        wander(loader, &random, held);
        if (round % 2) {
            OK(hr_loader_close_within(&loader, 20000000000u)); /* a first compilation takes a second or two */
            assert_null(loader);
        } else {
            hr_loader_close(&loader);
        }
        for (int i = 0; i < HELD; i++) {
            if (held[i] && round % 8 == 0)
                check_batch(compute, held[i]);
            OK(hr_batch_release(&held[i]));
        }
    }
    hr_dataset_close(&rows);
}

static void ids_of_next(hr_loader *loader, uint64_t index, uint64_t *ids, uint64_t n)
{
    hr_batch *batch = NULL;
    const uint64_t *got = NULL;
    uint64_t count = 0;

    OK(hr_loader_next(loader, &batch));
    assert_int_equal(hr_batch_index(batch), index);
    OK(hr_batch_row_ids(batch, &got, &count));
    assert_int_equal(count, n);
    memcpy(ids, got, n * sizeof *ids);
    check_batch(compute, batch);
    OK(hr_batch_release(&batch));
}

/* Case 18: an epoch left after three batches begins at its first again, and so does another. */
static void an_epoch_left_begins_anew(void **state)
{
    enum { B = 50 };
    hr_dataset *rows = new_rows();

    (void)state;
    for (size_t r = 0; r < sizeof routes / sizeof routes[0]; r++) {
        hr_loader_options o = loader_options(B);
        uint64_t first[3][B];
        uint64_t again[B];
        hr_loader *loader;

        if (!has_route(routes[r]))
            continue;
        o.route = routes[r];
        loader = new_loader(device, rows, &o);
        OK(hr_loader_start(loader, 4));
        for (uint64_t i = 0; i < 3; i++)
            ids_of_next(loader, i, first[i], B);
        OK(hr_loader_start(loader, 5));
        ids_of_next(loader, 0, again, B);
        assert_memory_not_equal(again, first[0], sizeof again);
        OK(hr_loader_start(loader, 4));
        for (uint64_t i = 0; i < 3; i++) {
            ids_of_next(loader, i, again, B);
            assert_memory_equal(again, first[i], sizeof again);
        }
        hr_loader_close(&loader);
    }
    hr_dataset_close(&rows);
}

/* Batches outlive starts, the loader, the data set and the program's hold on the device. */
static void held_batches_outlive_everything(void **state)
{
    hr_loader_options o = loader_options(100);
    hr_device *own = open_with(0, 0, NULL);
    hr_queue *queue = new_queue(own, HR_QUEUE_COMPUTE);
    hr_dataset *rows = new_rows();
    hr_batch *held[2] = {NULL, NULL};
    hr_loader *loader;

    (void)state;
    o.queue = queue;
    loader = new_loader(own, rows, &o);
    hr_device_close(&own);
    hr_dataset_close(&rows);
    OK(hr_loader_start(loader, 0));
    OK(hr_loader_next(loader, &held[0]));
    OK(hr_loader_start(loader, 9));
    OK(hr_loader_next(loader, &held[1]));
    check_batch(queue, held[0]);
    check_batch(queue, held[1]);
    hr_loader_close(&loader);
    assert_null(loader);
    check_batch(queue, held[0]);
    check_batch(queue, held[1]);
    OK(hr_batch_release(&held[0]));
    check_batch(queue, held[1]);
    hr_queue_close(&queue);
    OK(hr_batch_release(&held[1]));
}

/* -- case 26, in a process of its own --------------------------------------------------------------------------------
 */

static int child(const char *task)
{
    hr_loader_options o = loader_options(20);
    hr_batch *batch = NULL;
    hr_loader *loader;

    if (hr_device_open(selector, NULL, &device) != HR_OK)
        return 2;
    loader = new_loader(device, new_rows(), &o);
    if (hr_loader_start(loader, 0) != HR_OK || hr_loader_next(loader, &batch) != HR_OK)
        return 3;
    if (hr_device_get_queue(device, HR_QUEUE_COMPUTE, &compute) != HR_OK || hr_queue_finish(compute) != HR_OK)
        return 4; /* the gather kernel is compiled: see test_exit.c */
    if (strcmp(task, "exit") == 0)
        exit(0);
    return 0;
}

static void exit_with_a_loader_running(void **state)
{
    char output[4096];

    (void)state;
    assert_int_equal(run_self("exit", NULL, output, sizeof output), 0);
    assert_string_equal(output, "");
    assert_int_equal(run_self("return", NULL, output, sizeof output), 0);
    assert_string_equal(output, "");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(close_in_any_state),
        cmocka_unit_test(an_epoch_left_begins_anew),
        cmocka_unit_test(held_batches_outlive_everything),
        cmocka_unit_test(exit_with_a_loader_running),
    };

    return conformance_main(argc, argv, tests, child);
}
