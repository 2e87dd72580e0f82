/*
 * The ring: slots that go round between the feeder, the workers, the device and the program. A pure state machine: it
 * knows nothing of memory or devices, takes no lock (its owner does) and never waits.
 *
 *   FREE -take-> FILLING -claim/done...-> FILLED -send-> SENDING -sent-> READY -pop-> LEASED -release-> FREE
 *
 * A ticket numbers the fills. Slots are sent and popped in ticket order; they are released in any order. discard()
 * takes back whatever has not been popped; a slot that a worker or the feeder still works on becomes free when they are
 * done.
 */
#ifndef HRI_RING_H
#define HRI_RING_H

#include <stdbool.h>
#include <stdint.h>

#define HRI_RING_MOST 64

enum hri_slot_state {
    HRI_SLOT_FREE,
    HRI_SLOT_FILLING,
    HRI_SLOT_FILLED,
    HRI_SLOT_SENDING,
    HRI_SLOT_READY,
    HRI_SLOT_LEASED,
    HRI_SLOT_STATES
};

struct hri_ring_slot {
    enum hri_slot_state state;
    bool discarded;      /* FILLING or SENDING: becomes free instead of going on */
    uint64_t generation; /* raised by every take */
    uint64_t ticket;
    uint64_t freed;   /* when it became free, for first in, first out */
    uint64_t units;   /* rows to fill */
    uint64_t claimed; /* of them given to workers */
    uint64_t done;    /* of them filled */
};

struct hri_ring {
    uint32_t depth;
    uint32_t count[HRI_SLOT_STATES];
    uint64_t next_ticket; /* of the next take */
    uint64_t send_ticket; /* of the next send */
    uint64_t pop_ticket;  /* of the next pop */
    uint64_t freed;
    struct hri_ring_slot slots[HRI_RING_MOST];
};

/* A share of a slot's fill. */
struct hri_claim {
    uint32_t slot;
    uint64_t generation;
    uint64_t first;
    uint64_t count;
};

/* depth 1 to HRI_RING_MOST. */
void hri_ring_init(struct hri_ring *ring, uint32_t depth);

/* The slot that has been free for longest, -1 when there is none. */
int hri_ring_free(const struct hri_ring *ring);

/* Begins to fill a free slot with `units` units; none makes it FILLED at once. */
void hri_ring_take(struct hri_ring *ring, uint32_t slot, uint64_t units);

/* A share of at most `most` units of the oldest fill that has some left; false when there is none. */
bool hri_ring_claim(struct hri_ring *ring, uint64_t most, struct hri_claim *claim);

/* The share is filled. True when that ended the slot's fill (FILLED, or FREE if it had been discarded). */
bool hri_ring_done(struct hri_ring *ring, const struct hri_claim *claim);

/* The next slot in order, if it is FILLED, as SENDING; else -1. */
int hri_ring_send(struct hri_ring *ring);

/* The slot's copy has been submitted: READY, or FREE if it had been discarded. */
void hri_ring_sent(struct hri_ring *ring, uint32_t slot);

/* The next slot in order, if it is READY, as LEASED; else -1. */
int hri_ring_pop(struct hri_ring *ring);

/* The slot of this ticket, if it is READY; else -1. */
int hri_ring_ready(const struct hri_ring *ring, uint64_t ticket);

/* LEASED -> FREE. */
void hri_ring_release(struct hri_ring *ring, uint32_t slot);

/* Takes back everything that has not been popped. */
void hri_ring_discard(struct hri_ring *ring);

#endif
