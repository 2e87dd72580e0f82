/* The loader delivers each row once an epoch, in one order, whatever the route, the workers and the shards. */
#include "table.h"

#include <stdlib.h>
#include <string.h>

static struct table table;

static int make_table(void **state)
{
    (void)state;
    table_open(&table, 1000, 7);
    return 0;
}

static int drop_table(void **state)
{
    (void)state;
    table_close(&table);
    return 0;
}

/* One epoch: checks every batch, writes the ids in delivered order; returns their number. */
static uint64_t walk(hr_loader *loader, uint64_t epoch, uint64_t *ids)
{
    hr_batch *batch;
    uint64_t n = 0, batches = 0, expected;
    hr_status st;

    OK(hr_loader_start(loader, epoch));
    while ((st = hr_loader_next(loader, &batch)) == HR_OK) {
        const uint64_t *row_ids;
        uint64_t count;

        assert_int_equal(hr_batch_index(batch), batches++);
        expect_rows(&table, batch, compute);
        OK(hr_batch_row_ids(batch, &row_ids, &count));
        assert_true(hr_batch_rows(batch) <= count);
        memcpy(ids + n, row_ids, hr_batch_rows(batch) * sizeof *ids);
        n += hr_batch_rows(batch);
        OK(hr_batch_release(&batch));
        assert_null(batch);
    }
    assert_int_equal(st, HR_END);
    assert_int_equal(hr_loader_next(loader, &batch), HR_END);
    OK(hr_loader_get_batches(loader, &expected));
    assert_int_equal(batches, expected);
    return n;
}

static void expect_permutation(const uint64_t *ids, uint64_t n)
{
    uint8_t *seen = calloc(n, 1);

    assert_non_null(seen);
    for (uint64_t i = 0; i < n; i++) {
        assert_true(ids[i] < n);
        assert_int_equal(seen[ids[i]]++, 0);
    }
    free(seen);
}

/* Every route, two epochs: all rows once, another order each epoch, the same on every route. */
static void all_routes_agree(void **state)
{
    uint32_t routes[3], n_routes = routes_here(routes);
    uint64_t first[2][1000], ids[1000];

    (void)state;
    for (uint32_t r = 0; r < n_routes; r++) {
        hr_loader *loader = open_loader(
            device, table.dataset, (hr_loader_options){.batch_rows = 64, .shuffle = 1, .seed = 3, .route = routes[r]});

        for (uint64_t epoch = 0; epoch < 2; epoch++) {
            assert_int_equal(walk(loader, epoch, ids), 1000);
            expect_permutation(ids, 1000);
            if (r == 0)
                memcpy(first[epoch], ids, sizeof ids);
            else
                assert_memory_equal(first[epoch], ids, sizeof ids);
        }
        hr_loader_close(&loader);
        assert_null(loader);
    }
    assert_memory_not_equal(first[0], first[1], sizeof first[0]);
}

static void workers_change_nothing(void **state)
{
    static const uint32_t workers[] = {1, 2, 4, 10};
    uint64_t first[1000], ids[1000];

    (void)state;
    for (uint32_t w = 0; w < 4; w++) {
        hr_loader *loader = open_loader(
            device, table.dataset,
            (hr_loader_options){.batch_rows = 100, .shuffle = 1, .seed = 9, .workers = workers[w], .depth = 3});

        assert_int_equal(walk(loader, 5, w ? ids : first), 1000);
        if (w)
            assert_memory_equal(first, ids, sizeof ids);
        hr_loader_close(&loader);
    }
}

static void ordered_is_ascending(void **state)
{
    uint32_t routes[3], n_routes = routes_here(routes);
    uint64_t ids[1000];

    (void)state;
    for (uint32_t r = 0; r < n_routes; r++) {
        hr_loader *loader =
            open_loader(device, table.dataset, (hr_loader_options){.batch_rows = 37, .workers = 8, .route = routes[r]});

        assert_int_equal(walk(loader, 0, ids), 1000);
        for (uint64_t i = 0; i < 1000; i++)
            assert_int_equal(ids[i], i);
        hr_loader_close(&loader);
    }
}

/* 1000 rows, batches of 64: the last has 40, is left out, or is filled up with the epoch's first rows. */
static void tails(void **state)
{
    static const uint64_t rows[] = {1000, 960, 1000};
    uint32_t routes[3], n_routes = routes_here(routes);
    uint64_t ids[1000];

    (void)state;
    for (uint32_t r = 0; r < n_routes; r++)
        for (uint32_t last = HR_LAST_KEEP; last <= HR_LAST_PAD; last++) {
            hr_loader *loader = open_loader(
                device, table.dataset,
                (hr_loader_options){.batch_rows = 64, .shuffle = 1, .seed = 1, .last = last, .route = routes[r]});
            uint64_t batches;

            OK(hr_loader_get_batches(loader, &batches));
            assert_int_equal(batches, last == HR_LAST_DROP ? 15 : 16);
            assert_int_equal(walk(loader, 0, ids), rows[last]);
            hr_loader_close(&loader);
        }
}

static void padding_is_the_epochs_first_rows(void **state)
{
    hr_loader *loader = open_loader(
        device, table.dataset, (hr_loader_options){.batch_rows = 64, .shuffle = 1, .seed = 1, .last = HR_LAST_PAD});
    uint64_t first[64], count = 0;
    const uint64_t *ids;
    hr_batch *batch;

    (void)state;
    OK(hr_loader_start(loader, 0));
    for (uint32_t k = 0; k < 16; k++) {
        OK(hr_loader_next(loader, &batch));
        OK(hr_batch_row_ids(batch, &ids, &count));
        if (k == 0)
            memcpy(first, ids, sizeof first);
        if (k == 15) {
            assert_int_equal(hr_batch_rows(batch), 40);
            assert_int_equal(count, 64);
            assert_memory_equal(ids + 40, first, 24 * sizeof *ids);
        }
        OK(hr_batch_release(&batch));
    }
    hr_loader_close(&loader);
}

/* Ten rows over four shards: together exactly what one shard sees, and as many steps for each. */
static void shards(void **state)
{
    hr_dataset *ten;
    hr_array array = {.size = sizeof array, .dtype = HR_U8, .data = table.data[1]};

    (void)state;
    OK(hr_dataset_from_arrays(&array, 1, 10, &ten));
    for (uint32_t last = HR_LAST_KEEP; last <= HR_LAST_PAD; last++) {
        uint32_t seen[10] = {0}, total = 0;

        for (uint32_t s = 0; s < 4; s++) {
            hr_loader *loader = open_loader(
                device, ten,
                (hr_loader_options){
                    .batch_rows = 4, .shuffle = 1, .seed = 2, .last = last, .shard_index = s, .shard_count = 4});
            uint64_t steps = 0;
            hr_batch *batch;

            OK(hr_loader_start(loader, 1));
            while (hr_loader_next(loader, &batch) == HR_OK) {
                const uint64_t *ids;
                uint64_t count;

                OK(hr_batch_row_ids(batch, &ids, &count));
                for (uint64_t i = 0; i < hr_batch_rows(batch); i++, total++)
                    assert_int_equal(seen[ids[i]]++, 0);
                steps++;
                OK(hr_batch_release(&batch));
            }
            assert_int_equal(steps, last == HR_LAST_DROP ? 2 : 3);
            hr_loader_close(&loader);
        }
        assert_int_equal(total, last == HR_LAST_DROP ? 8 : 10);
    }
    hr_dataset_close(&ten);
}

/* A batch on the host is the batch. */
static void host_view(void **state)
{
    uint32_t routes[3], n_routes = routes_here(routes);

    (void)state;
    for (uint32_t r = 0; r < n_routes; r++) {
        hr_loader *loader = open_loader(device, table.dataset,
                                        (hr_loader_options){.batch_rows = 128, .shuffle = 1, .route = routes[r]});
        hr_batch *batch;

        OK(hr_loader_start(loader, 0));
        while (hr_loader_next(loader, &batch) == HR_OK) {
            const uint64_t *ids;
            uint64_t count;

            OK(hr_batch_row_ids(batch, &ids, &count));
            for (uint32_t f = 0; f < TABLE_FIELDS; f++) {
                const void *rows;

                OK(hr_batch_host(batch, f, &rows));
                assert_int_equal(host_sum(rows, count * table.row_bytes[f]), table_sum(&table, f, ids, count));
            }
            OK(hr_batch_release(&batch));
        }
        hr_loader_close(&loader);
    }
}

static void field_description(void **state)
{
    hr_loader *loader = open_loader(device, table.dataset, (hr_loader_options){.batch_rows = 10});
    hr_field field = {.size = sizeof field};
    hr_batch *batch;

    (void)state;
    OK(hr_loader_start(loader, 0));
    OK(hr_loader_next(loader, &batch));
    OK(hr_batch_field(batch, 0, &field));
    assert_int_equal(field.dtype, HR_F32);
    assert_int_equal(field.rank, 3);
    assert_int_equal(field.shape[0], 10);
    assert_int_equal(field.shape[1], 2);
    assert_int_equal(field.shape[2], 3);
    assert_int_equal(field.stride[0], 24);
    assert_int_equal(field.stride[1], 12);
    assert_int_equal(field.stride[2], 4);
    assert_int_equal(field.offset % info.alignment, 0);
    OK(hr_batch_field(batch, 2, &field));
    assert_int_equal(field.rank, 1);
    assert_int_equal(field.stride[0], 8);
    FAILS(HR_RANGE, hr_batch_field(batch, 3, &field));
    SAYS("field 3 of a batch of 3");
    OK(hr_batch_release(&batch));
    hr_loader_close(&loader);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_routes_agree, make_table, drop_table),
        cmocka_unit_test_setup_teardown(workers_change_nothing, make_table, drop_table),
        cmocka_unit_test_setup_teardown(ordered_is_ascending, make_table, drop_table),
        cmocka_unit_test_setup_teardown(tails, make_table, drop_table),
        cmocka_unit_test_setup_teardown(padding_is_the_epochs_first_rows, make_table, drop_table),
        cmocka_unit_test_setup_teardown(shards, make_table, drop_table),
        cmocka_unit_test_setup_teardown(host_view, make_table, drop_table),
        cmocka_unit_test_setup_teardown(field_description, make_table, drop_table),
    };

    return conformance_main(argc, argv, tests, NULL);
}
