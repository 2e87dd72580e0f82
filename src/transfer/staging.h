/*
 * Staging: pinned memory in which hr_write() keeps its snapshots until they are copied. Chunks are filled from their
 * beginning to their end by the writes to one queue, and start over when the device has read all of it.
 */
#ifndef HRI_STAGING_H
#define HRI_STAGING_H

#include <headrace/queue.h>
#include <pthread.h>
#include <stdbool.h>

struct hri_block;

struct hri_chunk {
    struct hri_block *block; /* of the pinned pool */
    uint64_t bytes;
    uint64_t fill;    /* the next free byte */
    uint64_t number;  /* of the last submission that reads it */
    uint32_t pending; /* pieces taken and not given back */
    hr_queue *queue;  /* held: whose submissions those are; NULL for none yet */
    struct hri_chunk *next;
};

struct hri_staging {
    uint64_t cap; /* bytes of all chunks together */
    uint64_t chunk_bytes;

    pthread_mutex_t lock;    /* what follows; the locks of queues are taken under it */
    pthread_cond_t changed;  /* a piece or a reservation was given back */
    struct hri_chunk *first; /* longest in use first */
    uint64_t taken;          /* bytes of chunks, and of those being allocated */
    uint64_t waits;          /* writes that had to wait */
};

/* A part of a chunk, to be filled and copied from. */
struct hri_piece {
    struct hri_chunk *chunk;
    uint64_t offset;
    uint64_t bytes;
};

/* pinned_budget: the pinned pool's. */
void hri_staging_init(struct hri_staging *staging, uint64_t pinned_budget);
/* A piece of 1 to `bytes` bytes for a write to `queue`. HR_WOULD_BLOCK, undescribed, if it had to wait and may not;
 * *waited is set if it did. HR_NO_PINNED_MEMORY; HR_NO_MEMORY. */
hr_status hri_staging_take(hr_queue *queue, uint64_t bytes, bool may_wait, bool *waited, struct hri_piece *piece);
/* number: of the submission that reads the piece; 0 if there was none. */
void hri_staging_give(hr_queue *queue, const struct hri_piece *piece, uint64_t number);
/* Gives idle chunks back to the pinned pool; true if there was one. */
bool hri_staging_reclaim(hr_device *device);

#endif
