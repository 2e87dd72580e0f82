/* The feeder never sleeps over something to do, whatever happened while it had let its lock go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "fake/loader_rig.h"

#include <cmocka.h>

/* What a worker may do while the feeder asks the route about another slot: it fills the one that is to be sent. */
static hr_event *never_done;

static hr_status filled_meanwhile(hr_batch *slot, hr_event **event, bool *use)
{
    hr_loader *loader = slot->loader;

    pthread_mutex_lock(&loader->lock);
    *event = hri_worker_step(loader, RIG_ROWS) ? never_done : NULL;
    pthread_mutex_unlock(&loader->lock);
    *use = false;
    return HR_OK;
}

/* A worker that is slow with the first batch: its share is taken when the feeder comes to the second slot. */
static struct hri_claim slow;
static bool slow_taken;

static hr_status slow_worker(hr_batch *slot, hr_event **event, bool *use)
{
    hr_loader *loader = slot->loader;

    pthread_mutex_lock(&loader->lock);
    slow_taken = slow_taken || hri_ring_claim(&loader->ring, RIG_ROWS, &slow);
    pthread_cond_broadcast(&loader->program_wakes);
    pthread_mutex_unlock(&loader->lock);
    *event = NULL;
    *use = false;
    return HR_OK;
}

/* A start discards a batch that a worker still fills; once it is done, its slot is used again. */
static void a_discarded_slot_comes_back(void **state)
{
    struct fake *fake = rig_fake(HR_ROUTE_IN_PLACE);
    hr_device *dev = fake_device(fake, NULL);
    struct hri_route route = hri_route_in_place;
    hr_batch *first, *second;
    hr_loader *loader;

    (void)state;
    slow_taken = false;
    assert_int_equal(rig_open_with(dev, HR_ROUTE_IN_PLACE, 2, 1, &loader), HR_OK);
    route.blocker = slow_worker;
    loader->route = &route; /* no thread looks at it before the start */
    assert_int_equal(hr_loader_start(loader, 0), HR_OK);
    pthread_mutex_lock(&loader->lock);
    while (!slow_taken)
        pthread_cond_wait(&loader->program_wakes, &loader->lock);
    pthread_mutex_unlock(&loader->lock);
    assert_int_equal(hr_loader_start(loader, 5), HR_OK);
    assert_int_equal(hr_loader_next(loader, &first), HR_OK);
    pthread_mutex_lock(&loader->lock);
    hri_worker_done(loader, &slow);
    pthread_mutex_unlock(&loader->lock);
    assert_int_equal(hr_loader_next(loader, &second), HR_OK); /* for ever, if nobody told the feeder */
    assert_int_equal(hr_batch_index(second), 1);
    assert_int_equal(hr_batch_release(&second), HR_OK);
    assert_int_equal(hr_batch_release(&first), HR_OK);
    hr_loader_close(&loader);
    hr_device_close(&dev);
    assert_int_equal(fake_destroy(fake), 0);
}

/* A wake-up that comes while the feeder looks elsewhere is not lost. */
static void no_wake_up_is_lost(void **state)
{
    struct fake *fake = rig_fake(HR_ROUTE_STAGED);
    hr_device *dev = fake_device(fake, NULL);
    struct hri_route route = hri_route_staged;
    hr_loader *loader;
    hr_queue *compute;
    hr_batch *batch;

    (void)state;
    assert_int_equal(hr_device_get_queue(dev, HR_QUEUE_COMPUTE, &compute), HR_OK);
    fake_hold(fake, compute, true);
    assert_int_equal(hr_event_record(compute, &never_done), HR_OK);
    assert_int_equal(rig_open_with(dev, HR_ROUTE_STAGED, 2, 1, &loader), HR_OK);
    route.blocker = filled_meanwhile;
    loader->route = &route; /* no thread looks at it before the start */
    assert_int_equal(hr_loader_start(loader, 0), HR_OK);
    assert_int_equal(hr_loader_next(loader, &batch), HR_OK); /* for ever, if it were */
    assert_int_equal(hr_batch_index(batch), 0);
    fake_hold(fake, compute, false);
    assert_int_equal(hr_batch_release(&batch), HR_OK);
    hr_loader_close(&loader);
    hr_event_close(&never_done);
    hr_device_close(&dev);
    assert_int_equal(fake_destroy(fake), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_wake_up_is_lost),
        cmocka_unit_test(a_discarded_slot_comes_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
