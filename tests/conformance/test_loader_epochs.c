/* Epoch after epoch: restarts, held batches, flat memory, and a data set of 10^9 rows. */
#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct table table;

static int make_table(void **state)
{
    (void)state;
    table_open(&table, 1000, 5);
    return 0;
}

static int drop_table(void **state)
{
    (void)state;
    table_close(&table);
    return 0;
}

static void ids_of_next(hr_loader *loader, uint64_t *ids, uint64_t *index)
{
    const uint64_t *row_ids;
    hr_batch *batch;
    uint64_t count;

    OK(hr_loader_next(loader, &batch));
    OK(hr_batch_row_ids(batch, &row_ids, &count));
    memcpy(ids, row_ids, count * sizeof *ids);
    *index = hr_batch_index(batch);
    OK(hr_batch_release(&batch));
}

/* A break after three batches, then any start: it begins at batch 0 of that epoch, as if nothing had been before. */
static void starts_begin_at_the_first_batch(void **state)
{
    static const uint64_t epochs[] = {0, 0, 1, 7, 7, 2, 3, 4};
    uint64_t ids[64], fresh[64], index;

    (void)state;
    hr_loader_options o = {.batch_rows = 64, .shuffle = 1, .seed = 4, .workers = 3};
    hr_loader *loader = open_loader(device, table.dataset, o);

    for (size_t i = 0; i < sizeof epochs / sizeof *epochs; i++) {
        hr_loader *other = open_loader(device, table.dataset, o);

        OK(hr_loader_start(other, epochs[i]));
        ids_of_next(other, fresh, &index);
        hr_loader_close(&other);
        OK(hr_loader_start(loader, epochs[i]));
        ids_of_next(loader, ids, &index);
        assert_int_equal(index, 0);
        assert_memory_equal(ids, fresh, sizeof ids);
        ids_of_next(loader, ids, &index);
        ids_of_next(loader, ids, &index);
        assert_int_equal(index, 2);
    }
    hr_loader_close(&loader);
}

/* Fifty epochs with one batch held throughout: it never changes, and memory is flat after the second epoch. */
static void held_batch_and_flat_memory(void **state)
{
    uint32_t routes[3], n_routes = routes_here(routes);

    (void)state;
    for (uint32_t r = 0; r < n_routes; r++) {
        hr_loader *loader =
            open_loader(device, table.dataset,
                        (hr_loader_options){.batch_rows = 100, .shuffle = 1, .depth = 3, .route = routes[r]});
        hr_buffer *result = new_buffer(device, info.alignment, compute);
        hr_memory_stats early = {0};
        hr_batch *held, *batch;

        OK(hr_loader_start(loader, 0));
        OK(hr_loader_next(loader, &held));
        for (uint64_t epoch = 0; epoch < 50; epoch++) {
            hr_memory_stats now;

            if (epoch > 0)
                OK(hr_loader_start(loader, epoch));
            while (hr_loader_next(loader, &batch) == HR_OK) {
                launch_field_sum(compute, batch, 0, result, 0); /* a consumer that is slower than the loader */
                OK(hr_batch_release(&batch));
            }
            now = memory_stats(device);
            if (epoch == 1)
                early = now;
            if (epoch > 1) {
                assert_int_equal(now.device_used_bytes, early.device_used_bytes);
                assert_int_equal(now.device_driver_allocs, early.device_driver_allocs);
                assert_int_equal(now.pinned_used_bytes, early.pinned_used_bytes);
                assert_int_equal(now.pinned_driver_allocs, early.pinned_driver_allocs);
            }
        }
        expect_rows(&table, held, compute);
        OK(hr_batch_release(&held));
        hr_buffer_close(&result);
        hr_loader_close(&loader);
    }
}

/* A hundred epochs, ten gather threads: every batch is summed on the device and equals the host's sum. */
static void hundred_epochs(void **state)
{
    hr_loader *loader = open_loader(device, table.dataset,
                                    (hr_loader_options){.batch_rows = 64, .shuffle = 1, .workers = 10, .depth = 4});
    uint64_t stride = info.alignment / sizeof(uint64_t), batches, n = 0;

    (void)state;
    OK(hr_loader_get_batches(loader, &batches));
    uint64_t *expected = calloc(batches, sizeof *expected), *sums = calloc(batches * stride, sizeof *sums);
    hr_buffer *result = new_zeros(device, batches * info.alignment, compute);

    for (uint64_t epoch = 0; epoch < 100; epoch++) {
        hr_batch *batch;

        OK(hr_loader_start(loader, epoch));
        for (n = 0; hr_loader_next(loader, &batch) == HR_OK; n++) {
            const uint64_t *ids;
            uint64_t count;

            OK(hr_batch_row_ids(batch, &ids, &count));
            expected[n] = table_sum(&table, (uint32_t)(n % TABLE_FIELDS), ids, count);
            launch_field_sum(compute, batch, (uint32_t)(n % TABLE_FIELDS), result, n);
            OK(hr_batch_release(&batch));
        }
        assert_int_equal(n, batches);
        OK(hr_read(compute, result, 0, sums, n * info.alignment, NULL));
        OK(hr_queue_finish(compute));
        for (uint64_t i = 0; i < n; i++)
            assert_int_equal(sums[i * stride], expected[i]);
    }
    hr_buffer_close(&result);
    hr_loader_close(&loader);
    free(sums);
    free(expected);
}

static uint64_t resident_kib(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long long total, resident;

    assert_non_null(file);
    assert_int_equal(fscanf(file, "%llu %llu", &total, &resident), 2);
    fclose(file);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

static void expect_distinct(uint64_t *ids, uint64_t n, uint64_t rows)
{
    qsort(ids, n, sizeof *ids, by_value);
    assert_true(ids[n - 1] < rows);
    for (uint64_t i = 1; i < n; i++)
        assert_true(ids[i] != ids[i - 1]);
}

/* 10^9 rows shuffled: no index array, no row twice in what is looked at. */
static void billion_rows(void **state)
{
    enum { LOOK = 64, BATCH = 1024 };
    uint64_t rows = 1000000000, before, *seen = malloc((uint64_t)LOOK * BATCH * sizeof *seen), n = 0;
    void *data = mmap(NULL, rows, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    hr_array array = {.size = sizeof array, .dtype = HR_U8, .data = data};
    hr_loader *loader;
    hr_dataset *dataset;
    hr_batch *batch;

    (void)state;
    assert_ptr_not_equal(data, MAP_FAILED);
    memset(seen, 0, (uint64_t)LOOK * BATCH * sizeof *seen);
    OK(hr_dataset_from_arrays(&array, 1, rows, &dataset));
    before = resident_kib();
    (void)before;
    loader =
        open_loader(device, dataset, (hr_loader_options){.batch_rows = BATCH, .shuffle = 1, .route = HR_ROUTE_AUTO});
    OK(hr_loader_start(loader, 0));
    for (uint32_t k = 0; k < LOOK; k++) {
        const uint64_t *ids;
        uint64_t count;

        OK(hr_loader_next(loader, &batch));
        OK(hr_batch_row_ids(batch, &ids, &count));
        memcpy(seen + n, ids, count * sizeof *ids);
        n += count;
        OK(hr_batch_release(&batch));
    }
#ifndef __SANITIZE_THREAD__ /* its shadow of all that is read is counted too */
    /* The zero pages that were read cost page tables alone. */
    assert_in_range(resident_kib() - before, 0, 10 * 1024);
#endif
    hr_loader_close(&loader);
    hr_dataset_close(&dataset);
    munmap(data, rows);
    expect_distinct(seen, n, rows);
    free(seen);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(starts_begin_at_the_first_batch, make_table, drop_table),
        cmocka_unit_test_setup_teardown(held_batch_and_flat_memory, make_table, drop_table),
        cmocka_unit_test_setup_teardown(hundred_epochs, make_table, drop_table),
        cmocka_unit_test(billion_rows),
    };

    return conformance_main(argc, argv, tests, NULL);
}
