/* The loader on a driver without a device: what it asks of the driver, in which order, and what it does when that
 * fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake/loader_rig.h"

#include <cmocka.h>
#include <headrace/kernel.h>

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* Sleeps until so many slots are in a state; the test's time limit is the limit. */
static void await_slots(hr_loader *loader, enum hri_slot_state state, uint32_t n)
{
    for (uint32_t got = 0; got < n; nap()) {
        pthread_mutex_lock(&loader->lock);
        got = loader->ring.count[state];
        pthread_mutex_unlock(&loader->lock);
    }
}

/* One epoch; each batch's rows are checked in its host view. Stops at the first failure. */
static hr_status walk(hr_loader *loader, uint64_t epoch, uint64_t *batches)
{
    hr_status st = hr_loader_start(loader, epoch);
    hr_batch *batch;

    while (st == HR_OK && (st = hr_loader_next(loader, &batch)) == HR_OK) {
        const uint64_t *ids;
        const void *host;
        uint64_t count;
        hr_status host_st = hr_batch_host(batch, RIG_FIELDS - 1, &host), release_st;

        assert_int_equal(hr_batch_row_ids(batch, &ids, &count), HR_OK);
        for (uint64_t i = 0; host_st == HR_OK && i < count; i++)
            assert_int_equal(((const uint32_t *)host)[i], rig_words[RIG_FIELDS - 1][ids[i]]);
        (*batches)++;
        release_st = hr_batch_release(&batch);
        st = host_st != HR_OK ? host_st : release_st;
    }
    return st;
}

/* In steady state a batch of four fields costs one copy and a few events: no allocation, no finish, no host wait. */
static void what_a_batch_costs(void **state)
{
    static const enum fake_op never[] = {FAKE_BUFFER_CREATE, FAKE_BUFFER_VIEW,   FAKE_BUFFER_ACQUIRE, FAKE_QUEUE_CREATE,
                                         FAKE_QUEUE_FINISH,  FAKE_KERNEL_CREATE, FAKE_PROGRAM_CREATE, FAKE_FILL};
    enum { NEVER = sizeof never / sizeof *never, EPOCHS = 20 };
    static const uint32_t routes[] = {HR_ROUTE_STAGED, HR_ROUTE_IN_PLACE, HR_ROUTE_RESIDENT};
    static const uint64_t copies[] = {1, 0, 1}, launches[] = {0, 0, RIG_FIELDS};

    (void)state;
    for (uint32_t r = 0; r < 3; r++) {
        struct fake *fake = rig_fake(routes[r]);
        hr_device *dev = fake_device(fake, NULL);
        uint64_t before[NEVER] = {0}, batches = 0, copied = 0, launched = 0, recorded = 0;
        hr_loader *loader;
        hr_batch *batch;

        assert_int_equal(rig_open(dev, routes[r], 3, &loader), HR_OK);
        for (uint64_t epoch = 0; epoch < EPOCHS + 2; epoch++) {
            if (epoch == 2) {
                await_slots(loader, HRI_SLOT_READY, 3); /* of epoch 2, already */
                for (uint32_t i = 0; i < NEVER; i++)
                    before[i] = fake_count(fake, never[i]);
                copied = fake_count(fake, FAKE_COPY);
                launched = fake_count(fake, FAKE_KERNEL_LAUNCH);
                recorded = fake_count(fake, FAKE_EVENT_RECORD);
                batches = 0;
            }
            assert_int_equal(hr_loader_start(loader, epoch), HR_OK);
            for (; hr_loader_next(loader, &batch) == HR_OK; batches++)
                assert_int_equal(hr_batch_release(&batch), HR_OK);
        }
        await_slots(loader, HRI_SLOT_READY, 3);
        assert_int_equal(batches, EPOCHS * RIG_BATCHES);
        for (uint32_t i = 0; i < NEVER; i++)
            assert_int_equal(fake_count(fake, never[i]), before[i]);
        assert_int_equal(fake_count(fake, FAKE_COPY) - copied, copies[r] * batches);
        assert_int_equal(fake_count(fake, FAKE_KERNEL_LAUNCH) - launched, launches[r] * batches);
        assert_true(fake_count(fake, FAKE_EVENT_RECORD) - recorded <= 2 * batches);
        hr_loader_close(&loader);
        hr_device_close(&dev);
        assert_int_equal(fake_destroy(fake), 0);
    }
}

/* A shard that is never given a row keeps nothing of the kernels between its batches. */
static void empty_parts_collect_nothing(void **state)
{
    static const uint32_t routes[] = {HR_ROUTE_STAGED, HR_ROUTE_IN_PLACE, HR_ROUTE_RESIDENT};

    (void)state;
    for (uint32_t r = 0; r < 3; r++) {
        struct fake *fake = rig_fake(routes[r]);
        hr_device *dev = fake_device(fake, NULL);
        hr_dataset *dataset = rig_dataset(RIG_ROWS);
        hr_loader_options o = {.size = sizeof o, .batch_rows = 1, .route = routes[r], .depth = 2, .shard_count = 2};
        hr_queue *compute;
        hr_loader *loader;
        hr_batch *batch;

        assert_int_equal(hr_device_get_queue(dev, HR_QUEUE_COMPUTE, &compute), HR_OK);
        assert_int_equal(hr_loader_open(dev, dataset, &o, &loader), HR_OK);
        assert_int_equal(hr_loader_start(loader, 0), HR_OK);
        while (hr_loader_next(loader, &batch) == HR_OK) {
            assert_int_equal(hr_batch_rows(batch), 0);
            assert_int_equal(hr_batch_used(batch, compute), HR_OK);
            assert_int_equal(batch->uses.count, 0);
            assert_int_equal(hr_batch_release(&batch), HR_OK);
        }
        hr_loader_close(&loader);
        hr_dataset_close(&dataset);
        hr_device_close(&dev);
        assert_int_equal(fake_destroy(fake), 0);
    }
}

/* After an epoch's last batch the next epoch's first batches are made ready without being asked for: no gap. */
static void next_epoch_is_ready_before_it_starts(void **state)
{
    struct fake *fake = rig_fake(HR_ROUTE_STAGED);
    hr_device *dev = fake_device(fake, NULL);
    uint64_t batches = 0;
    hr_loader *loader;

    (void)state;
    assert_int_equal(rig_open(dev, HR_ROUTE_STAGED, 4, &loader), HR_OK);
    assert_int_equal(walk(loader, 6, &batches), HR_END);
    await_slots(loader, HRI_SLOT_READY, 4);
    pthread_mutex_lock(&loader->lock);
    for (uint32_t s = 0; s < 4; s++) {
        assert_int_equal(loader->slots[s].epoch, 7);
        assert_true(loader->slots[s].index < 4);
    }
    pthread_mutex_unlock(&loader->lock);
    assert_int_equal(walk(loader, 7, &batches), HR_END);
    assert_int_equal(batches, 2 * RIG_BATCHES);
    hr_loader_close(&loader);
    hr_device_close(&dev);
    assert_int_equal(fake_destroy(fake), 0);
}

/* The copy of batch k + 1 is submitted, and done, while the kernel of batch k is held; batch k's slot is not sent anew.
 */
static void copies_run_ahead_of_a_held_kernel(void **state)
{
    struct fake *fake = rig_fake(HR_ROUTE_STAGED);
    hr_device *dev = fake_device(fake, NULL);
    hr_queue *compute, *copy_in;
    hr_event *held;
    hr_loader *loader;
    hr_batch *batch;
    uint64_t copies;

    (void)state;
    assert_int_equal(hr_device_get_queue(dev, HR_QUEUE_COMPUTE, &compute), HR_OK);
    assert_int_equal(hr_device_get_queue(dev, HR_QUEUE_COPY_IN, &copy_in), HR_OK);
    assert_int_equal(rig_open(dev, HR_ROUTE_STAGED, 2, &loader), HR_OK);
    assert_int_equal(hr_loader_start(loader, 0), HR_OK);
    assert_int_equal(hr_loader_next(loader, &batch), HR_OK);
    fake_hold(fake, compute, true);
    assert_int_equal(hr_event_record(compute, &held), HR_OK); /* work of batch 0 */
    assert_int_equal(hr_batch_release(&batch), HR_OK);
    assert_int_equal(hr_loader_next(loader, &batch), HR_OK);
    assert_int_equal(hr_batch_index(batch), 1);
    /* Slot 0 is gathered anew and its copy submitted, behind the held work: two slots, three batches. */
    await_slots(loader, HRI_SLOT_READY, 1);
    copies = fake_count(fake, FAKE_COPY);
    assert_int_equal(copies, 3);
    assert_true(fake_pending(fake, copy_in) > 0);
    fake_hold(fake, compute, false);
    fake_run(fake);
    assert_int_equal(fake_pending(fake, copy_in), 0);
    assert_int_equal(hr_batch_release(&batch), HR_OK);
    hr_event_close(&held);
    hr_loader_close(&loader);
    hr_device_close(&dev);
    assert_int_equal(fake_destroy(fake), 0);
}

/* In place the host writes where kernels read: a slot is not touched before its kernel is done. */
static void in_place_waits_for_the_kernel(void **state)
{
    struct fake *fake = rig_fake(HR_ROUTE_IN_PLACE);
    hr_device *dev = fake_device(fake, NULL);
    hr_loader *loader;
    hr_queue *compute;
    hr_batch *first, *second;
    hr_event *held;
    const void *rows;
    uint32_t copy[RIG_BATCH];

    (void)state;
    assert_int_equal(hr_device_get_queue(dev, HR_QUEUE_COMPUTE, &compute), HR_OK);
    assert_int_equal(rig_open(dev, HR_ROUTE_IN_PLACE, 2, &loader), HR_OK);
    assert_int_equal(hr_loader_start(loader, 0), HR_OK);
    assert_int_equal(hr_loader_next(loader, &first), HR_OK);
    assert_int_equal(hr_loader_next(loader, &second), HR_OK);
    assert_int_equal(hr_batch_host(first, 0, &rows), HR_OK);
    memcpy(copy, rows, sizeof copy);
    fake_hold(fake, compute, true);
    assert_int_equal(hr_event_record(compute, &held), HR_OK);
    assert_int_equal(hr_batch_release(&first), HR_OK);
    fake_await_sleepers(fake, 1); /* the feeder, on the slot's use */
    assert_memory_equal(rows, copy, sizeof copy);
    fake_hold(fake, compute, false);
    await_slots(loader, HRI_SLOT_READY, 1);
    assert_memory_not_equal(rows, copy, sizeof copy);
    assert_int_equal(hr_batch_release(&second), HR_OK);
    hr_event_close(&held);
    hr_loader_close(&loader);
    hr_device_close(&dev);
    assert_int_equal(fake_destroy(fake), 0);
}

/* The nth call of the driver fails, for every n: a clean status, the same afterwards, nothing leaked, no hang. */
static void torture(void **state)
{
    static const uint32_t routes[] = {HR_ROUTE_STAGED, HR_ROUTE_IN_PLACE, HR_ROUTE_RESIDENT};

    (void)state;
    for (uint32_t r = 0; r < 3; r++)
        for (uint64_t n = 1, finished = 0; !finished; n++) {
            struct fake *fake = rig_fake(routes[r]);
            hr_device *dev = fake_device(fake, NULL);
            uint64_t batches = 0, calls = fake_count(fake, FAKE_ANY);
            hr_loader *loader = NULL;
            hr_status st;

            fake_fail(fake, FAKE_ANY, n, HR_DRIVER);
            st = rig_open(dev, routes[r], 2, &loader);
            if (st != HR_OK) {
                assert_null(loader);
            } else {
                st = walk(loader, 0, &batches);
                if (st == HR_END)
                    st = walk(loader, 1, &batches);
                if (st == HR_END) {
                    assert_int_equal(batches, 2 * RIG_BATCHES);
                    /* A call may also fail where a caller can do without it, so the end is when it never came. */
                    finished = fake_count(fake, FAKE_ANY) - calls < n;
                } else {
                    assert_int_equal(st, HR_DRIVER);
                }
            }
            hr_loader_close(&loader);
            hr_device_close(&dev);
            assert_int_equal(fake_destroy(fake), 0);
        }
}

/* Work that fails after its submission reaches next(), and stays. */
static void failed_copies_reach_next(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 6; n++) {
        struct fake *fake = rig_fake(HR_ROUTE_STAGED);
        hr_device *dev = fake_device(fake, NULL);
        uint64_t batches = 0;
        hr_loader *loader;
        hr_batch *batch;
        hr_status st = HR_END;

        assert_int_equal(rig_open(dev, HR_ROUTE_STAGED, 3, &loader), HR_OK);
        fake_fail_work(fake, n, HR_DEVICE_LOST);
        for (uint64_t epoch = 0; epoch < 3 && st == HR_END; epoch++)
            st = walk(loader, epoch, &batches);
        assert_int_equal(st, HR_DEVICE_LOST);
        assert_true(strlen(hr_last_error()) > 0);
        assert_int_equal(hr_loader_next(loader, &batch), HR_DEVICE_LOST);
        assert_int_equal(hr_loader_start(loader, 0), HR_DEVICE_LOST);
        hr_loader_close(&loader);
        hr_device_close(&dev);
        assert_int_equal(fake_destroy(fake), 0);
    }
}

static void *release_later(void *batch)
{
    hr_batch *held = batch;

    assert_int_equal(hr_batch_release(&held), HR_OK);
    return NULL;
}

/* One thread that holds every batch would wait for itself; another thread's batch is worth waiting for. */
static void all_held(void **state)
{
    struct fake *fake = rig_fake(HR_ROUTE_STAGED);
    hr_device *dev = fake_device(fake, NULL);
    hr_batch *held[2], *batch;
    hr_loader *loader;
    pthread_t thread;

    (void)state;
    assert_int_equal(rig_open(dev, HR_ROUTE_STAGED, 2, &loader), HR_OK);
    assert_int_equal(hr_loader_next(loader, &batch), HR_STATE);
    assert_non_null(strstr(hr_last_error(), "hr_loader_start"));
    assert_int_equal(hr_loader_start(loader, 0), HR_OK);
    assert_int_equal(hr_loader_next(loader, &held[0]), HR_OK);
    assert_int_equal(hr_loader_next(loader, &held[1]), HR_OK);
    assert_int_equal(hr_loader_next(loader, &batch), HR_WOULD_DEADLOCK);
    assert_non_null(strstr(hr_last_error(), "all 2 batches"));
    held[0]->holder = 0; /* as if another thread had taken it */
    assert_int_equal(pthread_create(&thread, NULL, release_later, held[0]), 0);
    assert_int_equal(hr_loader_next(loader, &batch), HR_OK);
    pthread_join(thread, NULL);
    assert_int_equal(hr_batch_index(batch), 2);
    assert_int_equal(hr_batch_release(&batch), HR_OK);
    assert_int_equal(hr_batch_release(&held[1]), HR_OK);
    hr_loader_close(&loader);
    hr_device_close(&dev);
    assert_int_equal(fake_destroy(fake), 0);
}

static void expect_words(hr_loader *loader, struct hri_tally tally, const char *text)
{
    hr_loader_stats stats = {.size = sizeof stats};

    tally.batches = 10;
    tally.start_ns = 1000;
    tally.end_ns = 1000 + 1000000;
    tally.bytes = tally.link_bytes = 2000000;
    pthread_mutex_lock(&loader->lock);
    loader->tally = tally;
    pthread_mutex_unlock(&loader->lock);
    assert_int_equal(hr_loader_get_stats(loader, &stats), HR_OK);
    assert_string_equal(stats.bottleneck, text);
}

static void bottleneck_in_words(void **state)
{
    struct fake *fake = rig_fake(HR_ROUTE_STAGED);
    hr_device *dev = fake_device(fake, NULL);
    hr_loader *loader;

    (void)state;
    assert_int_equal(rig_open(dev, HR_ROUTE_STAGED, 2, &loader), HR_OK);
    expect_words(loader, (struct hri_tally){.next_wait_ns = 10000}, "compute: the device never waited");
    expect_words(loader, (struct hri_tally){.next_wait_ns = 600000, .slot_wait_ns = 700000, .send_wait_ns = 60000},
                 "compute: batches wait for the device, 70% of the epoch");
    expect_words(loader, (struct hri_tally){.next_wait_ns = 600000, .slot_wait_ns = 1000, .send_wait_ns = 500000},
                 "link: 2.00 GB/s sent, the feeder waited for copies 50% of the epoch");
    expect_words(loader, (struct hri_tally){.next_wait_ns = 900000, .gather_ns = 900000},
                 "gather: 2.00 GB/s with 2 workers; add workers");
    hr_loader_close(&loader);
    hr_device_close(&dev);
    assert_int_equal(fake_destroy(fake), 0);
}

static struct hri_tally tally_of(hr_loader *loader)
{
    struct hri_tally tally;

    pthread_mutex_lock(&loader->lock);
    tally = loader->tally;
    pthread_mutex_unlock(&loader->lock);
    return tally;
}

/* Resident: a slot that waits for its gather is in use by the device; what travels is no copy to wait for. */
static void a_gather_on_the_device_is_no_copy(void **state)
{
    struct fake *fake = rig_fake(HR_ROUTE_RESIDENT);
    hr_device *dev = fake_device(fake, NULL);
    struct hri_tally before, after;
    hr_loader *loader;
    hr_queue *copy_in;
    hr_batch *batch;

    (void)state;
    assert_int_equal(hr_device_get_queue(dev, HR_QUEUE_COPY_IN, &copy_in), HR_OK);
    assert_int_equal(rig_open(dev, HR_ROUTE_RESIDENT, 2, &loader), HR_OK);
    assert_int_equal(hr_loader_start(loader, 0), HR_OK);
    await_slots(loader, HRI_SLOT_READY, 2);
    fake_hold(fake, copy_in, true);
    before = tally_of(loader);
    assert_true(before.send_wait_ns > 0);
    for (uint32_t i = 0; i < 4; i++) { /* the second round's gathers stand still */
        assert_int_equal(hr_loader_next(loader, &batch), HR_OK);
        assert_int_equal(hr_batch_release(&batch), HR_OK);
    }
    fake_await_sleepers(fake, 1);
    fake_hold(fake, copy_in, false);
    await_slots(loader, HRI_SLOT_READY, 2);
    after = tally_of(loader);
    assert_int_equal(after.send_wait_ns, before.send_wait_ns);
    assert_true(after.slot_wait_ns > before.slot_wait_ns);
    hr_loader_close(&loader);
    hr_device_close(&dev);
    assert_int_equal(fake_destroy(fake), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_batch_costs),
        cmocka_unit_test(empty_parts_collect_nothing),
        cmocka_unit_test(next_epoch_is_ready_before_it_starts),
        cmocka_unit_test(copies_run_ahead_of_a_held_kernel),
        cmocka_unit_test(in_place_waits_for_the_kernel),
        cmocka_unit_test(torture),
        cmocka_unit_test(failed_copies_reach_next),
        cmocka_unit_test(all_held),
        cmocka_unit_test(bottleneck_in_words),
        cmocka_unit_test(a_gather_on_the_device_is_no_copy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
