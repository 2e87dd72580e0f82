/* Blocks of driver memory, and the buckets of one size in which a pool keeps them. */
#include "core/message.h"
#include "transfer/bucket.h"

#include <stdlib.h>
#include <string.h>

hr_status hri_block_make(struct hrb_buffer *buffer, uint64_t bytes, struct hri_block **block)
{
    struct hri_block *made = calloc(1, sizeof *made);

    if (made == NULL)
        return hri_fail(HR_NO_MEMORY, "no host memory for a block's %zu bytes", sizeof *made);
    made->buffer = buffer;
    made->bytes = bytes;
    pthread_mutex_init(&made->lock, NULL);
    hri_uses_init(&made->uses);
    *block = made;
    return HR_OK;
}

void hri_block_free(struct hri_block *block)
{
    hri_uses_clear(&block->uses);
    pthread_mutex_destroy(&block->lock);
    free(block);
}

size_t hri_bucket_at_least(const struct hri_pool *pool, uint64_t bytes)
{
    size_t low = 0;
    size_t high = pool->n_buckets;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (pool->buckets[middle].bytes < bytes)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct hri_bucket *exact(struct hri_pool *pool, uint64_t bytes)
{
    return &pool->buckets[hri_bucket_at_least(pool, bytes)];
}

hr_status hri_bucket_enter(struct hri_pool *pool, uint64_t bytes)
{
    size_t at = hri_bucket_at_least(pool, bytes);

    if (at == pool->n_buckets || pool->buckets[at].bytes != bytes) {
        if (pool->n_buckets == pool->room) {
            size_t room = pool->room == 0 ? 16 : pool->room * 2;
            struct hri_bucket *buckets = realloc(pool->buckets, room * sizeof *buckets);

            if (buckets == NULL)
                return hri_fail(HR_NO_MEMORY, "no host memory to keep %zu sizes of blocks", room);
            pool->buckets = buckets;
            pool->room = room;
        }
        memmove(&pool->buckets[at + 1], &pool->buckets[at], (pool->n_buckets - at) * sizeof *pool->buckets);
        pool->buckets[at] = (struct hri_bucket){.bytes = bytes};
        pool->n_buckets++;
    }
    pool->buckets[at].blocks++;
    return HR_OK;
}

void hri_bucket_leave(struct hri_pool *pool, uint64_t bytes)
{
    struct hri_bucket *bucket = exact(pool, bytes);

    if (--bucket->blocks > 0)
        return;
    pool->n_buckets--;
    memmove(bucket, bucket + 1, (size_t)(&pool->buckets[pool->n_buckets] - bucket) * sizeof *bucket);
}

void hri_bucket_put(struct hri_pool *pool, struct hri_block *block)
{
    struct hri_bucket *bucket = exact(pool, block->bytes);

    block->next = NULL;
    block->prev = bucket->last;
    *(bucket->last != NULL ? &bucket->last->next : &bucket->first) = block;
    bucket->last = block;

    block->newer = NULL;
    block->older = pool->newest;
    *(pool->newest != NULL ? &pool->newest->newer : &pool->oldest) = block;
    pool->newest = block;
    pool->cached += block->bytes;
}

void hri_bucket_out(struct hri_pool *pool, struct hri_block *block)
{
    struct hri_bucket *bucket = exact(pool, block->bytes);

    *(block->prev != NULL ? &block->prev->next : &bucket->first) = block->next;
    *(block->next != NULL ? &block->next->prev : &bucket->last) = block->prev;
    *(block->older != NULL ? &block->older->newer : &pool->oldest) = block->newer;
    *(block->newer != NULL ? &block->newer->older : &pool->newest) = block->older;
    block->next = block->prev = block->newer = block->older = NULL;
    pool->cached -= block->bytes;
}
