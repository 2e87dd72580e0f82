/* The caching allocator: reuse first, the driver second, waiting last. */
#include "transfer/pool.h"

#include "core/util.h"
#include "transfer/bucket.h"
#include "transfer/object.h"

#include <stdlib.h>

/* Up to here sizes are powers of two, beyond multiples of a page: small ones meet again, large ones are exact. */
#define SMALL_BYTES ((uint64_t)64 << 10)
#define PAGE_BYTES ((uint64_t)4 << 10)
#define LEAST_BYTES ((uint64_t)256)
/* A larger block may stand in if it wastes at most this part of itself. */
#define WASTE_PART 8
/* Blocks of one size whose events are asked for before the driver is. */
#define MOST_QUERIES 16

void hri_pool_init(struct hri_pool *pool, hr_device *device, uint32_t kind, uint64_t budget,
                   bool (*reclaim)(hr_device *device, bool may_wait))
{
    *pool = (struct hri_pool){.device = device, .kind = kind, .budget = budget, .reclaim = reclaim};
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->changed, NULL);
}

static uint64_t rounded(const struct hri_pool *pool, uint64_t bytes)
{
    const hr_device_info *info = &pool->device->info;
    uint64_t size = info->alignment > LEAST_BYTES ? info->alignment : LEAST_BYTES;

    if (bytes <= SMALL_BYTES) {
        while (size < bytes)
            size *= 2;
    } else {
        size = hri_round_up(bytes, PAGE_BYTES);
    }
    /* Never past what the driver allows, and a budget's last bytes are not lost to rounding. */
    return size > pool->budget || size > info->max_buffer_bytes ? bytes : size;
}

/* The cached block to take: idle or in use by `queue` alone; else, with a queue, one to be ordered behind others. */
static struct hri_block *find(struct hri_pool *pool, uint64_t size, const hr_queue *queue)
{
    uint64_t most = size + size / (WASTE_PART - 1);
    size_t first = hri_bucket_at_least(pool, size);
    unsigned queries = 0;

    for (size_t i = first; i < pool->n_buckets && pool->buckets[i].bytes <= most; i++)
        for (struct hri_block *block = pool->buckets[i].first; block != NULL; block = block->next)
            if (hri_uses_seen(&block->uses, queue))
                return block;
    for (size_t i = first; i < pool->n_buckets && pool->buckets[i].bytes <= most; i++) {
        for (struct hri_block *block = pool->buckets[i].first; block != NULL; block = block->next) {
            if (queries++ == MOST_QUERIES)
                break;
            if (hri_uses_passed(&block->uses))
                return block;
        }
        if (queue != NULL && pool->buckets[i].first != NULL)
            return pool->buckets[i].first;
    }
    return NULL;
}

static hr_status short_of(const struct hri_pool *pool, uint64_t bytes)
{
    char wanted[32];
    char used[32];
    char budget[32];

    hri_bytes_text(bytes, wanted);
    hri_bytes_text(pool->used, used);
    hri_bytes_text(pool->budget, budget);
    if (pool->kind == HR_MEMORY_DEVICE)
        return hri_fail(HR_NO_DEVICE_MEMORY,
                        "no room for %s of device memory: %s are in use of a budget of %s; close buffers, or raise "
                        "HEADRACE_DEVICE_MEMORY or hr_device_options.device_memory_bytes",
                        wanted, used, budget);
    return hri_fail(HR_NO_PINNED_MEMORY,
                    "no room for %s of pinned memory: %s are in use of a budget of %s; close buffers, or raise "
                    "HEADRACE_PINNED_MEMORY or hr_device_options.pinned_memory_bytes",
                    wanted, used, budget);
}

static void moved(struct hri_pool *pool, uint64_t bytes)
{
    pool->moving -= bytes;
    pthread_cond_broadcast(&pool->changed);
}

/* Asks the driver; the lock is dropped meanwhile, since large pinned blocks take it a second. */
static hr_status fresh(struct hri_pool *pool, uint64_t size, struct hri_block **block)
{
    struct hr_device *device = pool->device;
    struct hrb_buffer *buffer;
    hr_status st = hri_bucket_enter(pool, size);

    if (st != HR_OK)
        return st;
    pool->moving += size;
    pthread_mutex_unlock(&pool->lock);
    st = device->ops->buffer_create(device->native, pool->kind, size, &buffer);
    if (st == HR_OK) {
        st = hri_block_make(buffer, size, block);
        if (st != HR_OK)
            device->ops->buffer_destroy(buffer);
    }
    pthread_mutex_lock(&pool->lock);
    moved(pool, size);
    if (st != HR_OK) {
        hri_bucket_leave(pool, size);
        return st;
    }
    pool->used += size;
    pool->allocs++;
    if (pool->used + pool->cached + pool->moving > pool->peak)
        pool->peak = pool->used + pool->cached + pool->moving;
    return HR_OK;
}

/* Gives idle blocks back to the driver, oldest first, until `bytes` are free; returns whether any was. */
static bool evict(struct hri_pool *pool, uint64_t bytes)
{
    struct hri_block *going = NULL;
    uint64_t freed = 0;

    for (struct hri_block *block = pool->oldest, *newer; block != NULL && freed < bytes; block = newer) {
        newer = block->newer;
        if (!hri_uses_passed(&block->uses))
            continue;
        hri_bucket_out(pool, block);
        freed += block->bytes;
        block->next = going;
        going = block;
    }
    if (going == NULL)
        return false;
    pool->moving += freed;
    pthread_mutex_unlock(&pool->lock);
    for (struct hri_block *block = going; block != NULL; block = block->next)
        pool->device->ops->buffer_destroy(block->buffer);
    pthread_mutex_lock(&pool->lock);
    while (going != NULL) {
        struct hri_block *block = going;

        going = block->next;
        hri_bucket_leave(pool, block->bytes);
        pool->frees++;
        hri_block_free(block);
    }
    moved(pool, freed);
    return true;
}

/* Waits on the host for the block that was given back longest ago; it is then idle. */
static void wait_for_oldest(struct hri_pool *pool)
{
    struct hri_block *block = pool->oldest;

    hri_bucket_out(pool, block);
    pool->moving += block->bytes;
    pthread_mutex_unlock(&pool->lock);
    hri_uses_wait(&block->uses);
    pthread_mutex_lock(&pool->lock);
    hri_bucket_put(pool, block);
    moved(pool, block->bytes);
}

/* Changes something so that another try may succeed; false when nothing is left to change. The lock may have been
 * dropped. */
static bool make_room(struct hri_pool *pool, uint64_t bytes, bool may_wait)
{
    if (evict(pool, bytes))
        return true;
    if (pool->reclaim != NULL) {
        bool any;

        pthread_mutex_unlock(&pool->lock);
        any = pool->reclaim(pool->device, may_wait);
        pthread_mutex_lock(&pool->lock);
        if (any)
            return true;
    }
    if (!may_wait)
        return false;
    if (pool->oldest != NULL)
        wait_for_oldest(pool);
    else if (pool->moving > 0)
        pthread_cond_wait(&pool->changed, &pool->lock);
    else
        return false;
    return true;
}

static bool is_shortage(hr_status st)
{
    return st == HR_NO_DEVICE_MEMORY || st == HR_NO_PINNED_MEMORY;
}

/* Under the lock. */
static hr_status take(struct hri_pool *pool, uint64_t size, hr_queue *queue, bool may_wait, struct hri_block **block)
{
    for (;;) {
        uint64_t left = pool->budget - (pool->used + pool->cached + pool->moving);
        hr_status st = HR_OK;

        *block = find(pool, size, queue);
        if (*block != NULL) {
            hri_bucket_out(pool, *block);
            pool->used += (*block)->bytes;
            return HR_OK;
        }
        if (size <= left) {
            st = fresh(pool, size, block);
            if (!is_shortage(st))
                return st;
        }
        if (!make_room(pool, st == HR_OK ? size - left : size, may_wait))
            return st == HR_OK ? short_of(pool, size) : st; /* the driver has described its own */
    }
}

static void note(const struct hri_pool *pool, uint32_t kind, const struct hri_block *block, uint64_t bytes,
                 const hr_queue *queue)
{
    const struct hrb_ops *ops = pool->device->ops;

    if (ops->note != NULL)
        ops->note(kind, block->buffer, &(struct hrb_range){0, bytes}, queue != NULL ? queue->native : NULL);
}

hr_status hri_pool_take(struct hri_pool *pool, uint64_t bytes, hr_queue *queue, bool may_wait, struct hri_block **block)
{
    struct hri_block *taken = NULL;
    char kept[HRI_MESSAGE_BYTES];
    hr_status st;

    if (pool->kind == HR_MEMORY_PINNED)
        queue = NULL; /* the host writes there at once */
    hri_message_keep(kept);
    pthread_mutex_lock(&pool->lock);
    st = bytes > pool->budget ? short_of(pool, bytes) : take(pool, rounded(pool, bytes), queue, may_wait, &taken);
    pthread_mutex_unlock(&pool->lock);
    if (st != HR_OK)
        return st;
    hri_message_put_back(kept); /* a shortage that was got over */
    if (queue != NULL)
        hri_uses_order(&taken->uses, queue);
    note(pool, HRB_NOTE_TAKEN, taken, bytes, queue);
    *block = taken;
    return HR_OK;
}

void hri_pool_give(struct hri_pool *pool, struct hri_block *block)
{
    note(pool, HRB_NOTE_FREED, block, block->bytes, NULL);
    pthread_mutex_lock(&pool->lock);
    pool->used -= block->bytes;
    hri_bucket_put(pool, block);
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
}

hr_status hri_pool_trim(struct hri_pool *pool)
{
    hr_status st = HR_OK;

    pthread_mutex_lock(&pool->lock);
    evict(pool, UINT64_MAX);
    for (const struct hri_block *block = pool->oldest; block != NULL && st == HR_OK; block = block->newer)
        st = hri_uses_failure(&block->uses);
    pthread_mutex_unlock(&pool->lock);
    return st;
}

void hri_pool_close(struct hri_pool *pool)
{
    for (struct hri_block *block = pool->oldest, *newer; block != NULL; block = newer) {
        newer = block->newer;
        pool->device->ops->buffer_destroy(block->buffer);
        hri_block_free(block);
    }
    free(pool->buckets);
    pthread_cond_destroy(&pool->changed);
    pthread_mutex_destroy(&pool->lock);
}

uint64_t hri_memory_rounded(hr_device *device, uint64_t bytes)
{
    const struct hri_pool unbounded = {.device = device, .budget = UINT64_MAX};

    return rounded(&unbounded, bytes);
}
