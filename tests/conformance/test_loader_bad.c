/* Loaders and batches: wrong arguments, too little memory, calls in the wrong order. */
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hr_dataset *rows;

static int make_rows(void **state)
{
    (void)state;
    rows = new_rows();
    return 0;
}

static int drop_rows(void **state)
{
    (void)state;
    hr_dataset_close(&rows);
    return 0;
}

static void open_fails(hr_status status, const hr_loader_options *options)
{
    hr_loader *loader = NULL;

    FAILS(status, hr_loader_open(device, rows, options, &loader));
    assert_null(loader);
}

static void wrong_options(void **state)
{
    hr_loader_options o = loader_options(64);
    hr_loader *loader = NULL;
    hr_memory_stats before;
    hr_memory_stats after;

    (void)state;
    before = memory_stats(device);
    FAILS(HR_INVALID, hr_loader_open(NULL, rows, &o, &loader));
    FAILS(HR_INVALID, hr_loader_open(device, NULL, &o, &loader));
    FAILS(HR_INVALID, hr_loader_open(device, rows, NULL, &loader));
    FAILS(HR_INVALID, hr_loader_open(device, rows, &o, NULL));
    o.size = 0;
    open_fails(HR_INVALID, &o);
    SAYS("hr_loader_options");
    o = loader_options(0);
    open_fails(HR_INVALID, &o);
    SAYS("batch_rows");
    o = loader_options(64);
    o.last = 3;
    open_fails(HR_INVALID, &o);
    o = loader_options(64);
    o.route = 99;
    open_fails(HR_INVALID, &o);
    SAYS("99");
    o = loader_options(64);
    o.depth = 1;
    open_fails(HR_INVALID, &o);
    SAYS("depth");
    o.depth = 65;
    open_fails(HR_INVALID, &o);
    SAYS("65");
    o = loader_options(64);
    o.workers = 257;
    open_fails(HR_INVALID, &o);
    SAYS("257");
    after = memory_stats(device);
    assert_int_equal(after.device_used_bytes, before.device_used_bytes);
    assert_int_equal(after.pinned_used_bytes, before.pinned_used_bytes);
}

static void wrong_shards_and_queues(void **state)
{
    hr_loader_options o = loader_options(64);
    hr_device *strange = open_with(0, 0, NULL);

    (void)state;
    o.shard_count = 4;
    o.shard_index = 4;
    open_fails(HR_RANGE, &o);
    SAYS("4");
    o.shard_count = 0;
    o.shard_index = 1;
    open_fails(HR_RANGE, &o);
    o = loader_options(64);
    o.queue = new_queue(strange, HR_QUEUE_COMPUTE);
    open_fails(HR_INVALID, &o);
    hr_queue_close(&o.queue);
    hr_device_close(&strange);
}

static void a_route_that_the_device_has_not(void **state)
{
    hr_loader_options o = loader_options(64);

    (void)state;
    if (info.abilities & HR_ABILITY_SHARED_MEMORY)
        NOT_APPLICABLE("this device has every route");
    o.route = HR_ROUTE_IN_PLACE;
    open_fails(HR_UNSUPPORTED, &o);
}

/* The last number of bytes in the message: what it names as the least that works. */
static uint64_t least_named(void)
{
    const char *at = strstr(hr_last_error(), "at least ");
    unsigned long long least = 0;

    if (!at || sscanf(at, "at least %llu", &least) != 1)
        fail_msg("no \"at least N bytes\" in \"%s\"", hr_last_error());
    return least;
}

/* Too little device memory, or pinned memory, for the route: the message names the least, and it is the least. */
static void budget_of(uint32_t route, hr_status expected)
{
    bool on_device = expected == HR_NO_DEVICE_MEMORY;
    hr_loader_options o = loader_options(ROWS);
    hr_loader *loader = NULL;
    hr_device *small = on_device ? open_with(16384, 0, NULL) : open_with(0, 16384, NULL);
    hr_memory_stats before = memory_stats(small);
    hr_memory_stats after;
    uint64_t least;

    o.route = route;
    FAILS(expected, hr_loader_open(small, rows, &o, &loader));
    least = least_named();
    assert_null(loader);
    after = memory_stats(small);
    assert_int_equal(after.device_used_bytes, before.device_used_bytes);
    assert_int_equal(after.pinned_used_bytes, before.pinned_used_bytes);
    hr_device_close(&small);

    small = on_device ? open_with(least - 1, 0, NULL) : open_with(0, least - 1, NULL);
    FAILS(expected, hr_loader_open(small, rows, &o, &loader));
    hr_device_close(&small);

    small = on_device ? open_with(least, 0, NULL) : open_with(0, least, NULL);
    loader = new_loader(small, rows, &o);
    for (uint64_t epoch = 0; epoch < 2; epoch++) {
        hr_batch *batch = NULL;
        hr_queue *queue = NULL;

        OK(hr_device_get_queue(small, HR_QUEUE_COMPUTE, &queue));
        OK(hr_loader_start(loader, epoch));
        OK(hr_loader_next(loader, &batch));
        check_batch(queue, batch);
        OK(hr_batch_release(&batch));
    }
    after = memory_stats(small);
    assert_true(after.device_peak_bytes <= after.device_budget_bytes);
    assert_true(after.pinned_peak_bytes <= after.pinned_budget_bytes);
    hr_loader_close(&loader);
    hr_device_close(&small);
}

static void too_little_memory_for_one_batch(void **state)
{
    (void)state;
    budget_of(HR_ROUTE_STAGED, HR_NO_DEVICE_MEMORY);
    budget_of(HR_ROUTE_STAGED, HR_NO_PINNED_MEMORY);
    budget_of(HR_ROUTE_RESIDENT, HR_NO_DEVICE_MEMORY);
    budget_of(HR_ROUTE_RESIDENT, HR_NO_PINNED_MEMORY);
    if (info.abilities & HR_ABILITY_SHARED_MEMORY)
        budget_of(HR_ROUTE_IN_PLACE, HR_NO_DEVICE_MEMORY);
}

/* Batches that no memory could hold are refused, and the sum of what they would take does not wrap around. */
static void a_batch_beyond_all_memory(void **state)
{
    hr_loader_options o = loader_options(0);

    (void)state;
    o.last = HR_LAST_PAD;
    for (uint32_t bit = 44; bit < 64; bit++) {
        hr_loader *loader = NULL;
        hr_status st;

        o.batch_rows = UINT64_C(1) << bit;
        st = hr_loader_open(device, rows, &o, &loader);
        assert_null(loader);
        if (st == HR_NO_DEVICE_MEMORY) {
            assert_true(least_named() >= 2 * o.batch_rows);
        } else {
            assert_int_equal(st, HR_INVALID);
            SAYS("batch_rows");
        }
    }
}

static void calls_in_the_wrong_order(void **state)
{
    hr_loader_options o = loader_options(400);
    hr_loader *loader = new_loader(device, rows, &o);
    hr_batch *batch = NULL;
    uint64_t batches = 0;

    (void)state;
    FAILS(HR_STATE, hr_loader_next(loader, &batch));
    OK(hr_loader_get_batches(loader, &batches));
    assert_int_equal(batches, 3);
    OK(hr_loader_start(loader, 5));
    for (uint64_t i = 0; i < batches; i++) {
        OK(hr_loader_next(loader, &batch));
        assert_int_equal(hr_batch_index(batch), i);
        OK(hr_batch_release(&batch));
        assert_null(batch);
        OK(hr_batch_release(&batch)); /* NULL is fine */
    }
    FAILS(HR_END, hr_loader_next(loader, &batch));
    FAILS(HR_END, hr_loader_next(loader, &batch));
    assert_null(batch);
    OK(hr_loader_start(loader, 6));
    OK(hr_loader_next(loader, &batch));
    OK(hr_batch_release(&batch));
    FAILS(HR_INVALID, hr_loader_next(loader, NULL));
    FAILS(HR_INVALID, hr_loader_next(NULL, &batch));
    FAILS(HR_INVALID, hr_loader_start(NULL, 0));
    FAILS(HR_INVALID, hr_loader_get_batches(loader, NULL));
    FAILS(HR_INVALID, hr_loader_get_stats(loader, NULL));
    FAILS(HR_INVALID, hr_loader_get_stats(loader, &(hr_loader_stats){.size = 0}));
    OK(hr_batch_release(NULL));
    hr_loader_close(&loader);
    hr_loader_close(&loader);
    hr_loader_close(NULL);
}

static void one_thread_holds_all(void **state)
{
    enum { DEPTH = 3 };
    hr_loader_options o = loader_options(10);
    hr_batch *held[DEPTH + 1] = {NULL};
    hr_loader *loader;

    (void)state;
    o.depth = DEPTH;
    loader = new_loader(device, rows, &o);
    OK(hr_loader_start(loader, 0));
    for (int i = 0; i < DEPTH; i++)
        OK(hr_loader_next(loader, &held[i]));
    FAILS(HR_WOULD_DEADLOCK, hr_loader_next(loader, &held[DEPTH]));
    assert_null(held[DEPTH]);
    FAILS(HR_WOULD_DEADLOCK, hr_loader_next(loader, &held[DEPTH]));
    for (int i = 0; i < DEPTH; i++)
        check_batch(compute, held[i]);
    OK(hr_batch_release(&held[1]));
    OK(hr_loader_next(loader, &held[1])); /* the epoch goes on where it was */
    assert_int_equal(hr_batch_index(held[1]), DEPTH);
    check_batch(compute, held[1]);
    for (int i = 0; i < DEPTH; i++)
        OK(hr_batch_release(&held[i]));
    hr_loader_close(&loader);
}

static void wrong_calls_on_a_batch(void **state)
{
    hr_loader_options o = loader_options(64);
    hr_loader *loader = new_loader(device, rows, &o);
    hr_batch *batch = NULL;
    hr_field field = {.size = sizeof field};
    const uint64_t *ids = NULL;
    const void *host = NULL;
    uint64_t count = 0;

    (void)state;
    OK(hr_loader_start(loader, 0));
    OK(hr_loader_next(loader, &batch));
    FAILS(HR_RANGE, hr_batch_field(batch, 2, &field));
    SAYS("2");
    FAILS(HR_INVALID, hr_batch_field(batch, 0, NULL));
    FAILS(HR_INVALID, hr_batch_field(NULL, 0, &field));
    field.size = 0;
    FAILS(HR_INVALID, hr_batch_field(batch, 0, &field));
    FAILS(HR_INVALID, hr_batch_row_ids(batch, NULL, &count));
    FAILS(HR_INVALID, hr_batch_row_ids(NULL, &ids, &count));
    FAILS(HR_RANGE, hr_batch_host(batch, 2, &host));
    FAILS(HR_INVALID, hr_batch_host(batch, 0, NULL));
    FAILS(HR_INVALID, hr_batch_wait(batch, NULL));
    FAILS(HR_INVALID, hr_batch_wait(NULL, compute));
    FAILS(HR_INVALID, hr_batch_used(batch, NULL));
    FAILS(HR_INVALID, hr_batch_used(NULL, compute));
    assert_int_equal(hr_batch_rows(batch), 64);
    check_batch(compute, batch);
    OK(hr_batch_release(&batch));
    hr_loader_close(&loader);
}

#define with_rows(f) cmocka_unit_test_setup_teardown(f, make_rows, drop_rows)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        with_rows(wrong_options),
        with_rows(wrong_shards_and_queues),
        with_rows(a_route_that_the_device_has_not),
        with_rows(too_little_memory_for_one_batch),
        with_rows(a_batch_beyond_all_memory),
        with_rows(calls_in_the_wrong_order),
        with_rows(one_thread_holds_all),
        with_rows(wrong_calls_on_a_batch),
    };

    return conformance_main(argc, argv, tests, NULL);
}
