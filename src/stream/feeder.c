/*
 * The feeder: one thread a loader, the only one that submits to the backend. In this order of preference it submits
 * what is filled, begins a fill in a free slot, and gathers like any worker; else it sleeps.
 */
#include "stream/loader.h"

#include "core/util.h"
#include "observe/trace.h"

void hri_feeder_kick(hr_loader *loader)
{
    loader->kicks++;
    pthread_cond_signal(&loader->feeder_wakes);
}

void hri_loader_fail(hr_loader *loader, hr_status status)
{
    hri_failure_set(&loader->failure, status);
    pthread_cond_broadcast(&loader->program_wakes);
    hri_feeder_kick(loader);
    pthread_cond_broadcast(&loader->workers_wake);
}

static bool failed(hr_loader *loader)
{
    return atomic_load_explicit(&loader->failure.state, memory_order_acquire) != 0;
}

/* Submits the next filled slot. False when there is none. */
static bool send(hr_loader *loader)
{
    int slot = hri_ring_send(&loader->ring);
    uint64_t sent = 0, begin;
    hr_status st = HR_OK;

    if (slot < 0)
        return false;
    if (loader->route->send && loader->slots[slot].part.count > 0) {
        pthread_mutex_unlock(&loader->lock);
        begin = hri_trace_begin(loader->trace);
        if (loader->trace)
            hri_span_send_begin(&loader->slots[slot]);
        st = loader->route->send(&loader->slots[slot], &sent);
        if (loader->trace)
            hri_span_send_end(&loader->slots[slot], begin, st);
        pthread_mutex_lock(&loader->lock);
        loader->tally.link_bytes += sent;
    }
    hri_ring_sent(&loader->ring, (uint32_t)slot);
    if (st != HR_OK)
        hri_loader_fail(loader, st);
    else
        pthread_cond_broadcast(&loader->program_wakes);
    return true;
}

/* Gives a free slot the next batch and the workers their shares. */
static void begin_fill(hr_loader *loader, uint32_t index)
{
    hr_batch *slot = &loader->slots[index];

    slot->epoch = loader->feed_epoch;
    slot->index = loader->feed_index;
    slot->part = hri_plan_part(&loader->plan, slot->index);
    hri_order_key(&slot->order, loader->plan.rows, loader->shuffle != 0, loader->seed, slot->epoch);
    if (++loader->feed_index == loader->plan.batches) {
        loader->feed_index = 0;
        loader->feed_epoch++;
    }
    hri_ring_take(&loader->ring, index, slot->part.count);
    /* As many as there are shares; those that are at work look for more by themselves. */
    if (slot->part.count <= loader->share_rows)
        pthread_cond_signal(&loader->workers_wake);
    else
        pthread_cond_broadcast(&loader->workers_wake);
}

/* The time since `begin` as far as it lies in the epoch that is counted: the feeder may have slept since before. */
static uint64_t since(const hr_loader *loader, uint64_t begin)
{
    return hri_now_ns() - (begin > loader->tally.start_ns ? begin : loader->tally.start_ns);
}

/* Sleeps until the event that keeps the only free slot from being filled is done, in slices; with the lock dropped. */
static hr_status wait_for(hr_loader *loader, hr_event *event, bool use)
{
    uint64_t begin = hri_now_ns();
    hr_status st;

    pthread_mutex_unlock(&loader->lock);
    st = hr_event_wait(event, HRI_WAIT_SLICE_NS);
    hri_trace_waited(loader->trace, use ? "wait: slot in use" : "wait: copy", begin);
    pthread_mutex_lock(&loader->lock);
    *(use ? &loader->tally.slot_wait_ns : &loader->tally.send_wait_ns) += since(loader, begin);
    return st == HR_TIMEOUT ? HR_OK : st;
}

/* Begins a fill if a slot is free and nothing keeps workers from writing to it. Waits for what does only when nothing
 * else is under way. False: nothing done. */
static bool fill(hr_loader *loader)
{
    int slot = hri_ring_free(&loader->ring);
    hr_event *event = NULL;
    bool use = false;
    hr_status st;

    if (slot < 0 || loader->plan.batches == 0)
        return false;
    pthread_mutex_unlock(&loader->lock);
    st = loader->route->blocker(&loader->slots[slot], &event, &use);
    if (st == HR_OK && !event)
        hri_slots_gather(&loader->slots[slot]);
    pthread_mutex_lock(&loader->lock);
    if (st == HR_OK && event) {
        loader->held_up = loader->ring.count[HRI_SLOT_FILLING] + loader->ring.count[HRI_SLOT_FILLED] > 0;
        if (loader->stopping || loader->held_up)
            return false;
        st = wait_for(loader, event, use);
        if (st == HR_OK)
            return true; /* look again: it may be done, or everything may have changed */
    }
    if (st != HR_OK) {
        hri_loader_fail(loader, st);
        return true;
    }
    if (!loader->stopping)
        begin_fill(loader, (uint32_t)slot);
    return true;
}

/* Sees copies done that the program will ask for, so that next() need not ask the driver. False: none more. */
static bool look(hr_loader *loader)
{
    uint64_t before = loader->looked;
    int slot;

    if (!loader->route->send)
        return false;
    if (loader->looked < loader->ring.pop_ticket)
        before = loader->looked = loader->ring.pop_ticket;
    while ((slot = hri_ring_ready(&loader->ring, loader->looked)) >= 0 && loader->slots[slot].ready) {
        uint32_t done = 0;
        hr_status st;

        pthread_mutex_unlock(&loader->lock);
        st = hr_event_done(loader->slots[slot].ready, &done); /* this thread alone replaces it */
        pthread_mutex_lock(&loader->lock);
        if (st != HR_OK)
            hri_loader_fail(loader, st);
        if (st != HR_OK || !done)
            break;
        loader->looked++;
    }
    return loader->looked != before;
}

/* Sleeps until somebody has work for the feeder; no free slot means that the program or the device holds them all. */
static void sleep_feeder(hr_loader *loader)
{
    bool full = loader->started && hri_ring_free(&loader->ring) < 0 && loader->ring.count[HRI_SLOT_FILLING] == 0;
    uint64_t begin = hri_now_ns();

    pthread_cond_wait(&loader->feeder_wakes, &loader->lock);
    if (!full)
        return;
    loader->tally.slot_wait_ns += since(loader, begin);
    hri_trace_waited(loader->trace, "wait: free slot", begin);
}

/* What the route does once, before the first batch: a copy that every batch waits for. */
static void begin_route(hr_loader *loader)
{
    uint64_t sent = 0;
    uint64_t begin = hri_now_ns();
    hr_status st;

    if (!loader->route->begin || loader->stopping)
        return;
    pthread_mutex_unlock(&loader->lock);
    st = loader->route->begin(loader, &sent);
    hri_trace_waited(loader->trace, "wait: data set", begin);
    pthread_mutex_lock(&loader->lock);
    loader->tally.link_bytes += sent;
    loader->tally.send_wait_ns += since(loader, begin);
    if (st != HR_OK)
        hri_loader_fail(loader, st);
}

void *hri_feeder_main(void *argument)
{
    hr_loader *loader = argument;

    if (loader->trace)
        hri_trace_thread("feeder", 0);
    pthread_mutex_lock(&loader->lock);
    while (!loader->started && !loader->stopping)
        pthread_cond_wait(&loader->feeder_wakes, &loader->lock);
    begin_route(loader);
    while (!loader->stopping) {
        uint64_t kicks = loader->kicks;

        if (failed(loader))
            pthread_cond_wait(&loader->feeder_wakes, &loader->lock);
        else if (!send(loader) && !fill(loader) && !hri_worker_step(loader, loader->feeder_rows) && !look(loader) &&
                 kicks == loader->kicks)
            sleep_feeder(loader); /* nothing came while the lock was dropped either */
    }
    loader->exited++;
    pthread_cond_broadcast(&loader->program_wakes);
    pthread_mutex_unlock(&loader->lock);
    return NULL;
}
