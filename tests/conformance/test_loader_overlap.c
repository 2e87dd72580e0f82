/* The loader streams ahead of the kernels, and never over them. */
#include "gate.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 4096, BATCH = 256 };

static struct table table;

static int make_table(void **state)
{
    (void)state;
    table_open(&table, ROWS, 11);
    return 0;
}

static int drop_table(void **state)
{
    gate_teardown(state);
    table_close(&table);
    return 0;
}

/*
 * While the kernel of batch k is held, batch k + 1 is delivered: its copy has been submitted, and where the device
 * copies beside kernels (or no copy is needed) its data have arrived.
 */
static void next_batch_comes_while_a_kernel_is_held(void **state)
{
    uint32_t routes[3], n_routes = routes_here(routes);

    (void)state;
    NEEDS_GATE();
    for (uint32_t r = 0; r < n_routes; r++) {
        hr_loader *loader = open_loader(device, table.dataset,
                                        (hr_loader_options){.batch_rows = BATCH, .shuffle = 1, .route = routes[r]});
        hr_batch *first, *second;
        uint32_t apart = info.abilities & HR_ABILITY_COPY_OVERLAP && routes[r] == HR_ROUTE_STAGED;
        hr_queue *other = new_queue(device, HR_QUEUE_COPY_OUT); /* now: a driver may wait for kernels to make one */

        OK(hr_loader_start(loader, 0));
        OK(hr_loader_next(loader, &first));
        gate_close(device, compute);
        OK(hr_batch_release(&first)); /* its kernel, the gate, is still running */
        OK(hr_loader_next(loader, &second));
        GATE_HOLDS();
        if (apart || routes[r] == HR_ROUTE_IN_PLACE) {
            hr_event *arrived;

            if (apart) {
                OK(hr_batch_wait(second, other));
                arrived = mark(other);
                OK(hr_event_wait(arrived, HR_FOREVER));
                hr_event_close(&arrived);
            } else {
                const uint64_t *ids;
                const void *host;
                uint64_t count;

                OK(hr_batch_row_ids(second, &ids, &count));
                OK(hr_batch_host(second, 0, &host));
                assert_int_equal(host_sum(host, count * table.row_bytes[0]), table_sum(&table, 0, ids, count));
            }
            GATE_HOLDS();
        }
        gate_open();
        expect_rows(&table, second, compute);
        gate_end();
        OK(hr_batch_release(&second));
        hr_queue_close(&other);
        hr_loader_close(&loader);
    }
}

/* Kernels read each batch long after its release; with two slots a slot filled too early shows in the sums. */
static void slots_wait_for_their_kernels(void **state)
{
    uint32_t routes[3], n_routes = routes_here(routes);
    uint64_t stride = info.alignment / sizeof(uint64_t);
    uint64_t batches = ROWS / BATCH, *expected = calloc(batches * 4, sizeof *expected);
    uint64_t *sums = calloc(batches * 4 * stride, sizeof *sums);

    (void)state;
    for (uint32_t r = 0; r < n_routes; r++) {
        hr_loader *loader = open_loader(
            device, table.dataset,
            (hr_loader_options){.batch_rows = BATCH, .shuffle = 1, .depth = 2, .workers = 2, .route = routes[r]});
        hr_buffer *result = new_zeros(device, batches * 4 * info.alignment, compute);
        hr_event *event = NULL;
        hr_sync sync = sync_of(&event, NULL, 0);
        uint64_t n = 0;
        hr_batch *batch;

        for (uint64_t epoch = 0; epoch < 4; epoch++) {
            OK(hr_loader_start(loader, epoch));
            while (hr_loader_next(loader, &batch) == HR_OK) {
                const uint64_t *ids;
                uint64_t count;

                OK(hr_batch_row_ids(batch, &ids, &count));
                expected[n] = table_sum(&table, 0, ids, count);
                launch_field_sum(compute, batch, 0, result, n++);
                OK(hr_batch_release(&batch));
            }
        }
        OK(hr_read(compute, result, 0, sums, n * info.alignment, &sync));
        OK(hr_event_wait(event, HR_FOREVER));
        hr_event_close(&event);
        for (uint64_t i = 0; i < n; i++)
            assert_int_equal(sums[i * stride], expected[i]);
        hr_buffer_close(&result);
        hr_loader_close(&loader);
    }
    free(sums);
    free(expected);
}

/* Every slot of a deep ring is released while the compute queue is held, and some are sent anew: their copies wait on
 * the device, whichever releases shared an event. */
static void many_slots_wait_for_their_kernels(void **state)
{
    enum { DEPTH = 12, AGAIN = 4, ALL = DEPTH + AGAIN };
    uint32_t routes[3], n_routes = routes_here(routes);
    uint64_t stride = info.alignment / sizeof(uint64_t), expected[ALL];
    uint64_t *sums;

    (void)state;
    NEEDS_GATE();
    sums = calloc(ALL * stride, sizeof *sums);
    for (uint32_t r = 0; r < n_routes; r++) {
        hr_loader_options options = {.batch_rows = BATCH, .shuffle = 1, .depth = DEPTH, .route = routes[r]};
        hr_buffer *result;
        hr_loader *loader;
        hr_batch *batch;

        if (routes[r] == HR_ROUTE_IN_PLACE)
            continue; /* the host itself waits there */
        result = new_zeros(device, ALL * info.alignment, compute);
        (void)shared_kernel("sum_bytes");
        loader = open_loader(device, table.dataset, options);
        OK(hr_loader_start(loader, 0));
        OK(hr_loader_next(loader, &batch)); /* what is copied once, and kernels that are built once, are there */
        OK(hr_batch_release(&batch));
        OK(hr_loader_start(loader, 1));
        gate_close(device, compute);
        for (uint64_t n = 0; n < ALL; n++) {
            const uint64_t *ids;
            uint64_t count;

            OK(hr_loader_next(loader, &batch));
            OK(hr_batch_row_ids(batch, &ids, &count));
            expected[n] = table_sum(&table, 0, ids, count);
            launch_field_sum(compute, batch, 0, result, n);
            OK(hr_batch_release(&batch));
        }
        GATE_HOLDS();
        gate_open();
        OK(hr_read(compute, result, 0, sums, ALL * info.alignment, NULL));
        OK(hr_queue_finish(compute));
        gate_end();
        for (uint64_t n = 0; n < ALL; n++)
            assert_int_equal(sums[n * stride], expected[n]);
        hr_buffer_close(&result);
        hr_loader_close(&loader);
    }
    free(sums);
}

/* A further queue holds the slot back only if it says so. */
static void used_on_a_further_queue(void **state)
{
    hr_loader *loader =
        open_loader(device, table.dataset, (hr_loader_options){.batch_rows = BATCH, .shuffle = 1, .depth = 2});
    hr_queue *other = new_queue(device, HR_QUEUE_COMPUTE);
    hr_buffer *result = new_buffer(device, (ROWS / BATCH) * info.alignment, other);
    uint64_t expected[ROWS / BATCH], sum, n = 0;
    hr_batch *batch;

    (void)state;
    OK(hr_loader_start(loader, 3));
    while (hr_loader_next(loader, &batch) == HR_OK) {
        const uint64_t *ids;
        uint64_t count;

        OK(hr_batch_row_ids(batch, &ids, &count));
        expected[n] = table_sum(&table, 0, ids, count);
        OK(hr_batch_wait(batch, other));
        launch_field_sum(other, batch, 0, result, n++);
        OK(hr_batch_used(batch, other));
        OK(hr_batch_release(&batch));
    }
    for (uint64_t i = 0; i < n; i++) {
        OK(hr_read(other, result, i * info.alignment, &sum, sizeof sum, NULL));
        OK(hr_queue_finish(other));
        assert_int_equal(sum, expected[i]);
    }
    hr_buffer_close(&result);
    hr_queue_close(&other);
    hr_loader_close(&loader);
}

/* Closing waits for no kernel; what it read stays right, and batches still held stay valid. */
static void close_while_a_kernel_is_held(void **state)
{
    uint32_t routes[3], n_routes = routes_here(routes);

    (void)state;
    NEEDS_GATE();
    for (uint32_t r = 0; r < n_routes; r++) {
        hr_loader *loader = open_loader(device, table.dataset,
                                        (hr_loader_options){.batch_rows = BATCH, .shuffle = 1, .route = routes[r]});
        hr_buffer *result = new_buffer(device, info.alignment, compute);
        uint64_t sum, expected, count;
        hr_batch *batch, *held;
        const uint64_t *ids;

        OK(hr_loader_start(loader, 0));
        OK(hr_loader_next(loader, &batch));
        OK(hr_loader_next(loader, &held));
        gate_close(device, compute);
        OK(hr_batch_row_ids(batch, &ids, &count));
        expected = table_sum(&table, 0, ids, count);
        launch_field_sum(compute, batch, 0, result, 0);
        OK(hr_batch_release(&batch));
        hr_loader_close(&loader);
        GATE_HOLDS();
        gate_open();
        OK(hr_read(compute, result, 0, &sum, sizeof sum, NULL));
        OK(hr_queue_finish(compute));
        assert_int_equal(sum, expected);
        expect_rows(&table, held, compute);
        gate_end();
        OK(hr_batch_release(&held));
        hr_buffer_close(&result);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(next_batch_comes_while_a_kernel_is_held, make_table, drop_table),
        cmocka_unit_test_setup_teardown(slots_wait_for_their_kernels, make_table, drop_table),
        cmocka_unit_test_setup_teardown(many_slots_wait_for_their_kernels, make_table, drop_table),
        cmocka_unit_test_setup_teardown(used_on_a_further_queue, make_table, drop_table),
        cmocka_unit_test_setup_teardown(close_while_a_kernel_is_held, make_table, drop_table),
    };

    return conformance_main(argc, argv, tests, NULL);
}
