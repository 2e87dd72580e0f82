/* Gather workers: they only move memory. The feeder is one of them between submissions. */
#include "stream/loader.h"

#include "core/util.h"
#include "observe/trace.h"
#include "stream/gather.h"

/* The rows of positions [at, at + count); positions past the last row are padding and begin again at the first. */
static void row_ids(const struct hri_order *order, uint64_t at, uint64_t count, uint64_t *ids)
{
    while (count > 0) {
        uint64_t from = at % order->n;
        uint64_t run = order->n - from < count ? order->n - from : count;

        hri_order_rows(order, from, run, ids);
        ids += run;
        at += run;
        count -= run;
    }
}

/* Fills the share `claim` of a slot: row numbers, and rows where the route gathers on the host. */
static void fill(hr_batch *slot, const struct hri_claim *claim)
{
    hr_loader *loader = slot->loader;
    uint64_t *ids = slot->ids + claim->first;

    row_ids(&slot->order, slot->part.first + claim->first, claim->count, ids);
    if (!slot->host)
        return;
    for (uint32_t f = 0; f < loader->dataset->n_fields; f++) {
        const struct hri_field *field = &loader->dataset->fields[f];

        hri_gather(slot->host + loader->layout.offsets[f] + claim->first * field->info.row_bytes, field->data,
                   field->info.row_stride, field->info.row_bytes, ids, claim->count);
    }
}

/* Without a copy to submit, a filled slot is ready at once, whoever filled it. */
static void deliver(hr_loader *loader)
{
    int slot;

    while ((slot = hri_ring_send(&loader->ring)) >= 0) {
        hri_ring_sent(&loader->ring, (uint32_t)slot);
        if (loader->trace)
            hri_span_mark(&loader->slots[slot], "ready");
    }
    pthread_cond_broadcast(&loader->program_wakes);
}

void hri_worker_done(hr_loader *loader, const struct hri_claim *claim)
{
    if (!hri_ring_done(&loader->ring, claim))
        return;
    if (!loader->route->send)
        deliver(loader);
    /* What the feeder may be asleep over: a slot to send, a fill that it let go first, a discarded slot that is free.
     */
    if (loader->route->send || loader->held_up || loader->ring.slots[claim->slot].state == HRI_SLOT_FREE)
        hri_feeder_kick(loader);
}

bool hri_worker_step(hr_loader *loader, uint64_t most)
{
    struct hri_claim claim;
    uint64_t begin, end;

    if (most == 0 || !hri_ring_claim(&loader->ring, most, &claim))
        return false;
    pthread_mutex_unlock(&loader->lock);
    begin = hri_now_ns();
    fill(&loader->slots[claim.slot], &claim);
    end = hri_now_ns();
    if (loader->trace)
        hri_span_gather(&loader->slots[claim.slot], &claim, begin, end);
    pthread_mutex_lock(&loader->lock);
    loader->tally.gather_ns += end - begin;
    hri_worker_done(loader, &claim);
    return true;
}

void *hri_worker_main(void *argument)
{
    hr_loader *loader = argument;

    pthread_mutex_lock(&loader->lock);
    if (loader->trace)
        hri_trace_thread("worker", ++loader->named);
    while (!loader->stopping)
        if (!hri_worker_step(loader, loader->share_rows))
            pthread_cond_wait(&loader->workers_wake, &loader->lock);
    loader->exited++;
    pthread_cond_broadcast(&loader->program_wakes);
    pthread_mutex_unlock(&loader->lock);
    return NULL;
}
