/* The program's walk through a loader: start, next, counts. */
#include "stream/loader.h"

#include "core/util.h"

hr_status hr_loader_start(hr_loader *loader, uint64_t epoch)
{
    bool follows, fresh;
    hr_status st;

    if (!loader)
        return hri_fail(HR_INVALID, "hr_loader_start: loader is NULL");
    if (hri_device_forked(loader->device))
        return hri_device_check(loader->device);
    st = hri_failure_get(&loader->failure);
    if (st != HR_OK)
        return st;
    pthread_mutex_lock(&loader->lock);
    follows = loader->started && loader->given == loader->plan.batches && epoch == loader->epoch + 1;
    fresh = loader->started && loader->given == 0 && epoch == loader->epoch;
    if (!follows && !fresh) {
        hri_ring_discard(&loader->ring);
        loader->feed_epoch = epoch;
        loader->feed_index = 0;
    }
    loader->started = true;
    loader->epoch = epoch;
    loader->given = 0;
    loader->tally = (struct hri_tally){.epoch = epoch, .start_ns = hri_now_ns()};
    hri_feeder_kick(loader);
    pthread_mutex_unlock(&loader->lock);
    return HR_OK;
}

static bool caller_holds_all(const hr_loader *loader)
{
    if (loader->ring.count[HRI_SLOT_LEASED] < loader->depth)
        return false;
    for (uint32_t s = 0; s < loader->depth; s++)
        if (!pthread_equal(loader->slots[s].holder, pthread_self()))
            return false;
    return true;
}

/* With the lock held: the next batch in order, waiting for it if need be; *begin: from when on, 0 if it was there. */
static hr_status pop(hr_loader *loader, uint32_t *index, uint64_t *begin)
{
    int slot;

    for (;;) {
        hr_status st = hri_failure_get(&loader->failure); /* first: a slot whose copy failed is ready too */

        if (st != HR_OK)
            return st;
        slot = hri_ring_pop(&loader->ring);
        if (slot >= 0)
            break;
        if (loader->stopping)
            return hri_fail(HR_CANCELLED, "hr_loader_next: the loader is being closed");
        if (caller_holds_all(loader))
            return hri_fail(
                HR_WOULD_DEADLOCK,
                "hr_loader_next: this thread holds all %u batches of the loader; release one first, or open "
                "the loader with a larger depth",
                loader->depth);
        if (*begin == 0)
            *begin = hri_now_ns();
        if (loader->released > 0) {
            hri_loader_refill(loader);
            continue;
        }
        loader->waiting++;
        pthread_cond_wait(&loader->program_wakes, &loader->lock);
        loader->waiting--;
    }
    if (*begin != 0)
        loader->tally.next_wait_ns += hri_now_ns() - *begin;
    *index = (uint32_t)slot;
    return HR_OK;
}

static void count_batch(hr_loader *loader, const hr_batch *batch)
{
    struct hri_tally *tally = &loader->tally;

    if (loader->given++ == 0)
        tally->first_ns = hri_now_ns();
    tally->batches++;
    tally->rows += batch->part.valid;
    for (uint32_t f = 0; f < loader->dataset->n_fields; f++)
        tally->bytes += batch->part.count * loader->dataset->fields[f].info.row_bytes;
}

/* Orders the compute queue behind the batch's data. A copy that is done already needs no wait on the device. */
static hr_status order_behind_data(hr_batch *batch)
{
    hr_loader *loader = batch->loader;
    uint32_t done = 1;
    hr_status st = batch->ready ? hr_event_done(batch->ready, &done) : HR_OK;

    if (st == HR_OK && !done)
        st = hr_queue_wait(loader->compute, batch->ready);
    batch->mark = hri_queue_mark(loader->compute);
    return st;
}

hr_status hr_loader_next(hr_loader *loader, hr_batch **out)
{
    uint32_t slot = 0;
    uint64_t begin = 0;
    hr_batch *batch;
    hr_status st;

    if (!loader || !out)
        return hri_fail(HR_INVALID, "hr_loader_next: %s is NULL", !loader ? "loader" : "batch");
    if (hri_device_forked(loader->device)) /* no thread of the loader is here */
        return hri_device_check(loader->device);
    pthread_mutex_lock(&loader->lock);
    st = hri_failure_get(&loader->failure);
    if (st == HR_OK && !loader->started)
        st = hri_fail(HR_STATE, "hr_loader_next: no epoch has been started; call hr_loader_start first");
    if (st == HR_OK && loader->given == loader->plan.batches) {
        if (loader->tally.end_ns == 0)
            loader->tally.end_ns = hri_now_ns();
        st = HR_END;
    }
    if (st == HR_OK)
        st = pop(loader, &slot, &begin);
    if (st != HR_OK) {
        pthread_mutex_unlock(&loader->lock);
        return st;
    }
    batch = &loader->slots[slot];
    batch->holder = pthread_self();
    count_batch(loader, batch);
    pthread_mutex_unlock(&loader->lock);
    if (loader->trace)
        hri_span_given(batch, begin);
    atomic_fetch_add(&loader->refs, 1);
    st = order_behind_data(batch);
    if (st != HR_OK) {
        pthread_mutex_lock(&loader->lock);
        hri_ring_release(&loader->ring, slot);
        hri_loader_fail(loader, st);
        pthread_mutex_unlock(&loader->lock);
        hri_loader_release(loader);
        return st;
    }
    if (batch->part.count > 0)
        hri_buffer_note(batch->block, HRB_NOTE_READY, 0, loader->layout.bytes, loader->compute);
    *out = batch;
    return HR_OK;
}

hr_status hr_loader_get_batches(hr_loader *loader, uint64_t *batches)
{
    if (!loader || !batches)
        return hri_fail(HR_INVALID, "hr_loader_get_batches: %s is NULL", !loader ? "loader" : "batches");
    *batches = loader->plan.batches;
    return HR_OK;
}
