/* Deep rings whose batches are used by work: every call of the driver fails in its turn, in any hands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fake/loader_rig.h"
#include "transfer/object.h"

enum { DEPTH = 9, HELD = 3, EPOCHS = 3 };

/* The test's own queue, the device's for computing, the one that the loader copies on itself. */
enum whose { OWN, COMPUTE, COPY_IN, WHOSE };

struct rig {
    struct fake *fake;
    hr_device *dev;
    hr_queue *queue;
    hr_buffer *buffer;
    hr_loader *loader;
};

static hr_status open_rig(struct rig *r, uint32_t route, enum whose whose, bool foreign)
{
    hr_dataset *dataset = rig_dataset(RIG_ROWS);
    hr_loader_options o = {.size = sizeof o, .batch_rows = RIG_BATCH, .workers = 2, .route = route, .depth = DEPTH};
    hr_status st;

    if (whose == OWN)
        st = hr_queue_create(r->dev, HR_QUEUE_COMPUTE, NULL, &r->queue);
    else
        st = hr_device_get_queue(r->dev, whose == COMPUTE ? HR_QUEUE_COMPUTE : HR_QUEUE_COPY_IN, &r->queue);
    if (st == HR_OK && foreign)
        atomic_store(&r->queue->foreign, true); /* as if its native handle had been asked for */
    if (st == HR_OK)
        st = hr_buffer_create(r->dev, HR_MEMORY_DEVICE, 64, NULL, &r->buffer);
    o.queue = r->queue;
    if (st == HR_OK)
        st = hr_loader_open(r->dev, dataset, &o, &r->loader);
    hr_dataset_close(&dataset);
    return st;
}

/* A few epochs with some batches held; the first failure, whoever says it. */
static hr_status walk(struct rig *r, uint64_t *batches)
{
    hr_batch *held[HELD] = {NULL};
    hr_status st = HR_OK;

    for (uint64_t epoch = 0; epoch < EPOCHS && (st == HR_OK || st == HR_END); epoch++) {
        st = hr_loader_start(r->loader, epoch);
        for (uint32_t i = 0; st == HR_OK; i++) {
            hr_batch **batch = &held[i % HELD];

            st = hr_batch_release(batch);
            if (st == HR_OK)
                st = hr_loader_next(r->loader, batch);
            if (st == HR_OK)
                st = hr_fill(r->queue, r->buffer, 0, 64, "a", 1, NULL);
            *batches += st == HR_OK;
        }
    }
    for (uint32_t i = 0; i < HELD; i++) {
        hr_status released = hr_batch_release(&held[i]);

        st = st == HR_END && released != HR_OK ? released : st;
    }
    return st;
}

static void close_rig(struct rig *r)
{
    hr_loader_close(&r->loader);
    hr_buffer_close(&r->buffer);
    hr_queue_close(&r->queue);
    hr_device_close(&r->dev);
    assert_int_equal(fake_destroy(r->fake), 0);
}

static void each_fails(uint32_t route, enum whose whose, bool foreign, enum fake_op op)
{
    bool finished = false;

    for (uint64_t n = 1; !finished && n < 400; n++) {
        struct rig r = {.fake = rig_fake(route)};
        uint64_t batches = 0;
        uint64_t calls;
        hr_status st;

        r.dev = fake_device(r.fake, NULL);
        calls = fake_count(r.fake, op);
        fake_fail(r.fake, op, n, HR_DRIVER);
        st = open_rig(&r, route, whose, foreign);
        if (st == HR_OK) {
            st = walk(&r, &batches);
            if (st == HR_END) {
                assert_int_equal(batches, EPOCHS * RIG_BATCHES);
                finished = fake_count(r.fake, op) - calls < n;
            }
        }
        if (st != HR_END)
            assert_int_equal(st, HR_DRIVER);
        close_rig(&r);
    }
}

static void every_call_fails_in_its_turn(void **state)
{
    static const uint32_t routes[] = {HR_ROUTE_STAGED, HR_ROUTE_IN_PLACE, HR_ROUTE_RESIDENT};
    static const enum fake_op ops[] = {FAKE_EVENT_RECORD, FAKE_QUEUE_WAIT, FAKE_EVENT_QUERY,  FAKE_EVENT_WAIT,
                                       FAKE_COPY,         FAKE_FILL,       FAKE_KERNEL_LAUNCH};

    (void)state;
    for (size_t route = 0; route < 3; route++)
        for (enum whose whose = OWN; whose < WHOSE; whose++)
            for (int foreign = 0; foreign <= 1; foreign++)
                for (size_t op = 0; op < sizeof ops / sizeof *ops; op++)
                    each_fails(routes[route], whose, foreign, ops[op]);
}

/* What the library has not seen on the program's queue uses the batch, and an event for it could not be recorded: the
 * memory waits for the queue all the same. */
static void memory_of_a_use_that_could_not_be_recorded(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 4; n++) {
        struct rig r = {.fake = rig_fake(HR_ROUTE_STAGED)};
        hr_memory_stats stats = {.size = sizeof stats};
        hr_batch *batch;

        r.dev = fake_device(r.fake, NULL);
        assert_int_equal(open_rig(&r, HR_ROUTE_STAGED, OWN, true), HR_OK);
        assert_int_equal(hr_loader_start(r.loader, 0), HR_OK);
        assert_int_equal(hr_loader_next(r.loader, &batch), HR_OK);
        fake_hold(r.fake, r.queue, true);
        assert_int_equal(hr_fill(r.queue, r.buffer, 0, 64, "a", 1, NULL), HR_OK); /* what events wait for */
        fake_fail(r.fake, FAKE_EVENT_RECORD, n, HR_DRIVER);
        if (n > 2)
            hr_batch_used(batch, r.queue);
        hr_batch_release(&batch);
        assert_null(batch);
        hr_loader_close(&r.loader);
        hr_memory_trim(r.dev);
        assert_int_equal(hr_memory_get_stats(r.dev, &stats), HR_OK);
        assert_int_equal(stats.device_driver_frees, DEPTH - 1); /* all but the one that is in use */
        fake_hold(r.fake, r.queue, false);
        close_rig(&r);
    }
}

/* The rows come back a field at a time: those before the one that failed must not land in memory that is gone. */
static void a_host_view_that_fails_leaves_no_read_behind(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= RIG_FIELDS + 1; n++) {
        const struct fake_options o = {.eager = true, .pageable_waits = true};
        struct rig r = {.fake = fake_create(&o)};
        const void *rows = NULL;
        hr_batch *batch;
        hr_status st;

        r.dev = fake_device(r.fake, NULL);
        assert_int_equal(open_rig(&r, HR_ROUTE_RESIDENT, OWN, false), HR_OK);
        assert_int_equal(hr_loader_start(r.loader, 0), HR_OK);
        for (uint32_t i = 0; i < DEPTH; i++) /* none is left for the feeder to fill */
            assert_int_equal(hr_loader_next(r.loader, &batch), HR_OK);
        fake_fail(r.fake, FAKE_COPY, n, HR_DRIVER);
        st = hr_batch_host(batch, 0, &rows);
        assert_int_equal(st, n <= RIG_FIELDS ? HR_DRIVER : HR_OK);
        assert_int_equal(atomic_load(&r.dev->landings.n), 0);
        for (uint32_t i = 0; i < DEPTH; i++) {
            hr_batch *held = &r.loader->slots[i];

            hr_batch_release(&held);
        }
        close_rig(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_fails_in_its_turn),
        cmocka_unit_test(a_host_view_that_fails_leaves_no_read_behind),
        cmocka_unit_test(memory_of_a_use_that_could_not_be_recorded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
