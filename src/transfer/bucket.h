/* How a pool finds its cached blocks: by size, and by age. Everything here is under the pool's lock. */
#ifndef HRI_BUCKET_H
#define HRI_BUCKET_H

#include "transfer/pool.h"

/* The index of the first bucket of at least `bytes`; n_buckets when there is none. */
size_t hri_bucket_at_least(const struct hri_pool *pool, uint64_t bytes);
/* Counts one more, or one less, block of exactly `bytes`. So that giving a block back can never fail for memory. */
hr_status hri_bucket_enter(struct hri_pool *pool, uint64_t bytes);
void hri_bucket_leave(struct hri_pool *pool, uint64_t bytes);
/* Puts a block among the cached, and takes it out. */
void hri_bucket_put(struct hri_pool *pool, struct hri_block *block);
void hri_bucket_out(struct hri_pool *pool, struct hri_block *block);

#endif
