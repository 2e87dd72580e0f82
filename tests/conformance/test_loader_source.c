/* Where rows come from: memory that is pinned already, and rows past 4 GiB. */
#include "table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { ROWS = 1000, ROW = 24 };

static hr_dataset *dataset_over(const uint8_t *rows, uint64_t n)
{
    hr_array arrays[] = {
        {.size = sizeof(hr_array), .dtype = HR_U8, .rank = 1, .shape = {16}, .data = rows},
        {.size = sizeof(hr_array), .dtype = HR_F64, .data = rows + n * 16},
    };
    hr_dataset *dataset = NULL;

    OK(hr_dataset_from_arrays(arrays, 2, n, &dataset));
    return dataset;
}

/* One epoch of ordered batches, as kernels and as the host see them, padding included. */
static void walk(hr_loader *loader, const uint8_t *rows)
{
    hr_batch *batch;
    hr_status st;

    OK(hr_loader_start(loader, 0));
    while ((st = hr_loader_next(loader, &batch)) == HR_OK) {
        const uint64_t *ids;
        uint64_t count;

        OK(hr_batch_row_ids(batch, &ids, &count));
        for (uint32_t f = 0; f < 2; f++) {
            uint64_t bytes = f == 0 ? 16 : 8;
            const uint8_t *data = f == 0 ? rows : rows + ROWS * 16;
            hr_field field = {.size = sizeof field};
            const void *host;
            uint8_t expected[64 * 16];

            for (uint64_t i = 0; i < count; i++)
                memcpy(expected + i * bytes, data + ids[i] * bytes, bytes);
            OK(hr_batch_field(batch, f, &field));
            expect_bytes(compute, field.buffer, field.offset, expected, count * bytes);
            OK(hr_batch_host(batch, f, &host));
            assert_memory_equal(host, expected, count * bytes);
        }
        OK(hr_batch_release(&batch));
    }
    assert_int_equal(st, HR_END);
}

/* Case 15: a source that is pinned already, ordered batches: not a byte is staged. Shuffled ones are. */
static void nothing_is_staged(void **state)
{
    hr_device *own = open_with(0, 0, NULL);
    uint8_t *pinned, *random = new_random(ROWS * ROW, 3);
    hr_buffer *buffer = new_pinned(own, ROWS * ROW, &pinned);
    hr_loader_options o = {.batch_rows = 64, .last = HR_LAST_PAD, .route = HR_ROUTE_STAGED};
    uint64_t before = memory_stats(own).pinned_used_bytes;
    hr_dataset *dataset;
    hr_loader *loader;

    (void)state;
    memcpy(pinned, random, ROWS * ROW);
    dataset = dataset_over(pinned, ROWS);
    loader = open_loader(own, dataset, o);
    assert_int_equal(memory_stats(own).pinned_used_bytes, before);
    hr_buffer_close(&buffer); /* the loader keeps it */
    hr_loader_close(&loader);
    assert_int_equal(memory_stats(own).pinned_used_bytes, 0);
    hr_dataset_close(&dataset);
    hr_device_close(&own);
    free(random);
}

static void ordered_rows_of_pinned_and_imported_memory(void **state)
{
    uint8_t *random = new_random(ROWS * ROW, 5), *pinned;
    hr_buffer *buffers[2] = {new_pinned(device, ROWS * ROW, &pinned), NULL};
    const uint8_t *sources[2] = {pinned, random};

    (void)state;
    memcpy(pinned, random, ROWS * ROW);
    if (info.abilities & HR_ABILITY_IMPORT)
        OK(hr_buffer_import(device, random, ROWS * ROW, &buffers[1]));
    for (uint32_t i = 0; i < 2; i++)
        for (uint32_t shuffle = 0; shuffle < 2; shuffle++) {
            hr_loader_options o = {
                .batch_rows = 64, .last = HR_LAST_PAD, .route = HR_ROUTE_STAGED, .shuffle = shuffle, .workers = 3};
            hr_dataset *dataset = dataset_over(sources[i], ROWS);
            uint64_t before = memory_stats(device).pinned_used_bytes;
            hr_loader *loader = open_loader(device, dataset, o);

            if (buffers[i])
                assert_int_equal(memory_stats(device).pinned_used_bytes > before, shuffle);
            walk(loader, sources[i]);
            hr_loader_close(&loader);
            hr_dataset_close(&dataset);
        }
    hr_buffer_close(&buffers[0]);
    hr_buffer_close(&buffers[1]);
    free(random);
}

/* Case 31: rows past 4 GiB of a sparse source. */
static void rows_past_4_gib(void **state)
{
    enum { MIB = 1 << 20, N = 5 * 1024 };
    uint64_t bytes = (uint64_t)N * MIB;
    uint8_t *data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    hr_array array = {.size = sizeof array, .dtype = HR_U8, .rank = 1, .shape = {MIB}, .data = data};
    /* The last of 2560 shards of one global batch: rows 5118 and 5119. */
    hr_loader_options o = {.batch_rows = N, .shard_index = 2559, .shard_count = 2560};
    uint32_t routes[3], n_routes = routes_here(routes);
    hr_dataset *dataset;

    (void)state;
    assert_ptr_not_equal(data, MAP_FAILED);
    random_bytes(data + bytes - 2 * MIB, 2 * MIB, 9);
    OK(hr_dataset_from_arrays(&array, 1, N, &dataset));
    for (uint32_t r = 0; r < n_routes; r++) {
        hr_field field = {.size = sizeof field};
        hr_loader *loader;
        hr_batch *batch;

        if (routes[r] == HR_ROUTE_RESIDENT)
            continue; /* the whole of it would have to fit */
        o.route = routes[r];
        loader = open_loader(device, dataset, o);
        OK(hr_loader_start(loader, 0));
        OK(hr_loader_next(loader, &batch));
        assert_int_equal(hr_batch_rows(batch), 2);
        OK(hr_batch_field(batch, 0, &field));
        expect_bytes(compute, field.buffer, field.offset, data + bytes - 2 * MIB, 2 * MIB);
        OK(hr_batch_release(&batch));
        hr_loader_close(&loader);
    }
    hr_dataset_close(&dataset);
    munmap(data, bytes);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_staged),
        cmocka_unit_test(ordered_rows_of_pinned_and_imported_memory),
        cmocka_unit_test(rows_past_4_gib),
    };

    return conformance_main(argc, argv, tests, NULL);
}
