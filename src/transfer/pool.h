/* A caching allocator: one for device memory, one for pinned. Blocks go back to it with work still using them. */
#ifndef HRI_POOL_H
#define HRI_POOL_H

#include "transfer/mark.h"

#include <pthread.h>

struct hrb_buffer;

/* Memory of the driver and the work that uses it. */
struct hri_block {
    struct hrb_buffer *buffer;
    uint64_t bytes;
    pthread_mutex_t lock; /* uses, while a live buffer has the block */
    struct hri_uses uses;
    struct hri_block *next; /* of its bucket */
    struct hri_block *prev;
    struct hri_block *newer; /* of all that are cached */
    struct hri_block *older;
};

/* All blocks of one size. */
struct hri_bucket {
    uint64_t bytes;
    uint64_t blocks;         /* live ones too: a bucket goes with its last block */
    struct hri_block *first; /* cached, longest first */
    struct hri_block *last;
};

struct hri_pool {
    hr_device *device;
    uint32_t kind;
    uint64_t budget; /* used + cached + moving stays within */
    /* Asks others to give memory back that is idle, or will be after a wait; true if any came. NULL: nobody. */
    bool (*reclaim)(hr_device *device, bool may_wait);

    pthread_mutex_t lock;       /* what follows; the locks of queues are taken under it */
    pthread_cond_t changed;     /* `moving` went down */
    struct hri_bucket *buckets; /* ascending sizes */
    size_t n_buckets;
    size_t room;
    struct hri_block *oldest;
    struct hri_block *newest;
    uint64_t used;
    uint64_t cached;
    uint64_t moving; /* in a thread's hands: being allocated, freed or waited for */
    uint64_t peak;
    uint64_t allocs;
    uint64_t frees;
};

void hri_pool_init(struct hri_pool *pool, hr_device *device, uint32_t kind, uint64_t budget,
                   bool (*reclaim)(hr_device *device, bool may_wait));
/*
 * A block of at least `bytes` (> 0). queue: whose work uses it first, ordered there behind the block's earlier uses;
 * NULL, and always for pinned memory: nothing uses the block any more. WAITS only if may_wait, and only where the
 * budget leaves nothing else. HR_NO_DEVICE_MEMORY or HR_NO_PINNED_MEMORY, described.
 */
hr_status hri_pool_take(struct hri_pool *pool, uint64_t bytes, hr_queue *queue, bool may_wait,
                        struct hri_block **block);
void hri_pool_give(struct hri_pool *pool, struct hri_block *block);
/* Gives cached blocks that nothing uses any more back to the driver. Returns the failure of a queue that still uses one
 * that stays, else HR_OK. */
hr_status hri_pool_trim(struct hri_pool *pool);
/* All queues are finished and all blocks given back. */
void hri_pool_close(struct hri_pool *pool);

/* A block that belongs to no pool, for imported memory. HR_NO_MEMORY. */
hr_status hri_block_make(struct hrb_buffer *buffer, uint64_t bytes, struct hri_block **block);
void hri_block_free(struct hri_block *block);

#endif
