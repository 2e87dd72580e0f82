/* The ring's state machine; see ring.h. At most 64 slots, so a scan is as good as a list. */
#include "stream/ring.h"

#include <assert.h>
#include <string.h>

static void set_state(struct hri_ring *ring, uint32_t slot, enum hri_slot_state state)
{
    struct hri_ring_slot *s = &ring->slots[slot];

    ring->count[s->state]--;
    ring->count[state]++;
    s->state = state;
    if (state == HRI_SLOT_FREE) {
        s->discarded = false;
        s->freed = ++ring->freed;
    }
}

/* The slot of a ticket that is in `state`, -1 when it is elsewhere. */
static int find(const struct hri_ring *ring, uint64_t ticket, enum hri_slot_state state)
{
    if (ring->count[state] == 0)
        return -1;
    for (uint32_t i = 0; i < ring->depth; i++) {
        const struct hri_ring_slot *s = &ring->slots[i];

        if (s->state == state && s->ticket == ticket && !s->discarded)
            return (int)i;
    }
    return -1;
}

void hri_ring_init(struct hri_ring *ring, uint32_t depth)
{
    assert(depth >= 1 && depth <= HRI_RING_MOST);
    memset(ring, 0, sizeof *ring);
    ring->depth = depth;
    ring->count[HRI_SLOT_FREE] = depth;
}

int hri_ring_free(const struct hri_ring *ring)
{
    int best = -1;

    for (uint32_t i = 0; i < ring->depth; i++)
        if (ring->slots[i].state == HRI_SLOT_FREE && (best < 0 || ring->slots[i].freed < ring->slots[best].freed))
            best = (int)i;
    return best;
}

void hri_ring_take(struct hri_ring *ring, uint32_t slot, uint64_t units)
{
    struct hri_ring_slot *s = &ring->slots[slot];

    assert(s->state == HRI_SLOT_FREE);
    s->generation++;
    s->ticket = ring->next_ticket++;
    s->units = units;
    s->claimed = 0;
    s->done = 0;
    set_state(ring, slot, units ? HRI_SLOT_FILLING : HRI_SLOT_FILLED);
}

bool hri_ring_claim(struct hri_ring *ring, uint64_t most, struct hri_claim *claim)
{
    int best = -1;

    if (ring->count[HRI_SLOT_FILLING] == 0)
        return false;
    for (uint32_t i = 0; i < ring->depth; i++) {
        const struct hri_ring_slot *s = &ring->slots[i];

        if (s->state == HRI_SLOT_FILLING && s->claimed < s->units && (best < 0 || s->ticket < ring->slots[best].ticket))
            best = (int)i;
    }
    if (best < 0)
        return false;

    struct hri_ring_slot *s = &ring->slots[best];

    claim->slot = (uint32_t)best;
    claim->generation = s->generation;
    claim->first = s->claimed;
    claim->count = s->units - s->claimed < most ? s->units - s->claimed : most;
    s->claimed += claim->count;
    return true;
}

bool hri_ring_done(struct hri_ring *ring, const struct hri_claim *claim)
{
    struct hri_ring_slot *s = &ring->slots[claim->slot];

    assert(s->state == HRI_SLOT_FILLING && s->generation == claim->generation);
    s->done += claim->count;
    assert(s->done <= s->claimed);
    if (s->done < s->units)
        return false;
    set_state(ring, claim->slot, s->discarded ? HRI_SLOT_FREE : HRI_SLOT_FILLED);
    return true;
}

int hri_ring_send(struct hri_ring *ring)
{
    int slot = find(ring, ring->send_ticket, HRI_SLOT_FILLED);

    if (slot >= 0) {
        set_state(ring, (uint32_t)slot, HRI_SLOT_SENDING);
        ring->send_ticket++;
    }
    return slot;
}

void hri_ring_sent(struct hri_ring *ring, uint32_t slot)
{
    assert(ring->slots[slot].state == HRI_SLOT_SENDING);
    set_state(ring, slot, ring->slots[slot].discarded ? HRI_SLOT_FREE : HRI_SLOT_READY);
}

int hri_ring_pop(struct hri_ring *ring)
{
    int slot = find(ring, ring->pop_ticket, HRI_SLOT_READY);

    if (slot >= 0) {
        set_state(ring, (uint32_t)slot, HRI_SLOT_LEASED);
        ring->pop_ticket++;
    }
    return slot;
}

int hri_ring_ready(const struct hri_ring *ring, uint64_t ticket)
{
    return find(ring, ticket, HRI_SLOT_READY);
}

void hri_ring_release(struct hri_ring *ring, uint32_t slot)
{
    assert(ring->slots[slot].state == HRI_SLOT_LEASED);
    set_state(ring, slot, HRI_SLOT_FREE);
}

void hri_ring_discard(struct hri_ring *ring)
{
    for (uint32_t i = 0; i < ring->depth; i++) {
        struct hri_ring_slot *s = &ring->slots[i];

        switch (s->state) {
        case HRI_SLOT_FILLING:
            s->units = s->claimed; /* what is not claimed yet is dropped */
            if (s->done == s->units)
                set_state(ring, i, HRI_SLOT_FREE);
            else
                s->discarded = true;
            break;
        case HRI_SLOT_FILLED:
        case HRI_SLOT_READY:
            set_state(ring, i, HRI_SLOT_FREE);
            break;
        case HRI_SLOT_SENDING:
            s->discarded = true;
            break;
        default:
            break;
        }
    }
    ring->send_ticket = ring->next_ticket;
    ring->pop_ticket = ring->next_ticket;
}
