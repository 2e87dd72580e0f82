/* Staging chunks for the snapshots of hr_write(): bounded, shared by the queues, waited for only when all are in use.
 */
#include "transfer/staging.h"

#include "core/util.h"
#include "observe/trace.h"
#include "transfer/object.h"

#include <stdlib.h>

#define MOST_BYTES ((uint64_t)64 << 20)
#define CHUNK_BYTES ((uint64_t)1 << 20) /* memcpy of one piece overlaps the copy of the one before */
#define LEAST_BYTES ((uint64_t)4 << 10)
#define PIECE_ALIGNMENT ((uint64_t)128)
/* The rest of a chunk that is not worth a submission of its own. */
#define LEAST_PIECE ((uint64_t)64 << 10)

void hri_staging_init(struct hri_staging *staging, uint64_t pinned_budget)
{
    uint64_t cap = pinned_budget / 2 < MOST_BYTES ? pinned_budget / 2 : MOST_BYTES;
    uint64_t chunk = cap / 4 < CHUNK_BYTES ? cap / 4 : CHUNK_BYTES;

    *staging = (struct hri_staging){0};
    staging->cap = cap > LEAST_BYTES ? cap : LEAST_BYTES;
    staging->chunk_bytes = chunk > LEAST_BYTES ? chunk & ~(LEAST_BYTES - 1) : LEAST_BYTES;
    pthread_mutex_init(&staging->lock, NULL);
    pthread_cond_init(&staging->changed, NULL);
}

static void unlink_chunk(struct hri_staging *staging, const struct hri_chunk *chunk)
{
    struct hri_chunk **at = &staging->first;

    while (*at != chunk)
        at = &(*at)->next;
    *at = chunk->next;
}

static void append(struct hri_staging *staging, struct hri_chunk *chunk)
{
    struct hri_chunk **at = &staging->first;

    while (*at != NULL)
        at = &(*at)->next;
    *at = chunk;
    chunk->next = NULL;
}

/* Ends the tie between a chunk and the queue that used it; nothing there reads it any more. */
static void untie(struct hri_chunk *chunk)
{
    hr_queue *queue = chunk->queue;

    if (queue == NULL)
        return;
    if (queue->chunk == chunk)
        queue->chunk = NULL;
    chunk->queue = NULL;
    chunk->number = 0;
    hri_queue_drop(queue);
}

static void tie(struct hri_staging *staging, struct hri_chunk *chunk, hr_queue *queue)
{
    untie(chunk);
    hri_queue_hold(queue);
    chunk->queue = queue;
    chunk->fill = 0;
    queue->chunk = chunk;
    unlink_chunk(staging, chunk);
    append(staging, chunk);
}

/* The chunk that the device has read last, which the processor's caches still know. Chunks of one queue pass in order:
 * after one that has not, its others are skipped. */
static struct hri_chunk *find_idle(const struct hri_staging *staging)
{
    struct hri_chunk *idle = NULL;
    const hr_queue *busy = NULL;

    for (struct hri_chunk *chunk = staging->first; chunk != NULL; chunk = chunk->next) {
        if (chunk->pending > 0 || (busy != NULL && chunk->queue == busy))
            continue;
        if (chunk->number == 0 || hri_mark_passed(chunk->queue, chunk->number))
            idle = chunk;
        else
            busy = chunk->queue;
    }
    return idle;
}

/* A new chunk, smaller where memory is short and there is none to wait for. Drops the lock. */
static hr_status fresh(hr_device *device, bool may_wait, struct hri_chunk **out)
{
    struct hri_staging *staging = &device->staging;
    struct hri_chunk *chunk = calloc(1, sizeof *chunk);
    bool none = staging->first == NULL;
    uint64_t bytes = staging->chunk_bytes;
    uint64_t asked = bytes;
    hr_status st;

    if (chunk == NULL)
        return hri_fail(HR_NO_MEMORY, "no host memory for a staging chunk's %zu bytes", sizeof *chunk);
    staging->taken += asked;
    pthread_mutex_unlock(&staging->lock);
    do {
        bool last = none && bytes == LEAST_BYTES;

        st = hri_pool_take(&device->pools[HR_MEMORY_PINNED], bytes, NULL, may_wait && last, &chunk->block);
        if (st != HR_NO_PINNED_MEMORY || !none || last)
            break;
        bytes = bytes / 2 > LEAST_BYTES ? bytes / 2 : LEAST_BYTES;
    } while (true);
    pthread_mutex_lock(&staging->lock);
    staging->taken -= asked;
    pthread_cond_broadcast(&staging->changed);
    if (st != HR_OK) {
        free(chunk);
        return st;
    }
    chunk->bytes = bytes;
    staging->taken += bytes;
    append(staging, chunk);
    *out = chunk;
    return HR_OK;
}

/* Waits until the chunk that has been in use longest is read, or until another thread gives a piece back. */
static void wait_for_oldest(struct hri_staging *staging)
{
    struct hri_chunk *chunk = staging->first;
    hr_queue *queue;
    uint64_t number;

    while (chunk != NULL && chunk->pending > 0)
        chunk = chunk->next;
    if (chunk == NULL) {
        pthread_cond_wait(&staging->changed, &staging->lock);
        return;
    }
    if (chunk->queue == NULL)
        return;
    queue = chunk->queue;
    number = chunk->number;
    hri_queue_hold(queue);
    pthread_mutex_unlock(&staging->lock);
    hri_mark_wait(queue, number);
    hri_queue_drop(queue);
    pthread_mutex_lock(&staging->lock);
}

/* Under the lock: a chunk with room for the queue, or another state of things to look at again. */
static hr_status provide(hr_queue *queue, bool may_wait, bool *waited)
{
    struct hri_staging *staging = &queue->device->staging;
    struct hrb_trace *trace = hri_device_trace(queue->device);
    struct hri_chunk *chunk = find_idle(staging);
    hr_status st = HR_OK;
    uint64_t begin;

    if (chunk == NULL && (staging->first == NULL || staging->taken + staging->chunk_bytes <= staging->cap)) {
        st = fresh(queue->device, may_wait, &chunk);
        if (st != HR_OK && (st != HR_NO_PINNED_MEMORY || staging->first == NULL))
            return st;
    }
    if (chunk != NULL) {
        tie(staging, chunk, queue);
        return HR_OK;
    }
    if (!may_wait)
        return HR_WOULD_BLOCK;
    if (!*waited)
        staging->waits++;
    *waited = true;
    begin = hri_trace_begin(trace);
    wait_for_oldest(staging);
    hri_trace_waited(trace, "wait: staging", begin);
    return HR_OK;
}

/* The room left in the queue's chunk if it is worth a piece; a chunk that is known to be read starts over. */
static uint64_t room_for(struct hri_chunk *chunk, uint64_t bytes)
{
    uint64_t room;

    if (chunk->pending == 0 && hri_mark_seen(chunk->queue, chunk->number))
        chunk->fill = 0;
    room = chunk->bytes - chunk->fill;
    if (room >= bytes || room == chunk->bytes || room >= LEAST_PIECE)
        return room < bytes ? room : bytes;
    return 0;
}

hr_status hri_staging_take(hr_queue *queue, uint64_t bytes, bool may_wait, bool *waited, struct hri_piece *piece)
{
    struct hri_staging *staging = &queue->device->staging;
    char kept[HRI_MESSAGE_BYTES];
    hr_status st = HR_OK;

    hri_message_keep(kept);
    pthread_mutex_lock(&staging->lock);
    while (st == HR_OK) {
        struct hri_chunk *chunk = queue->chunk;
        uint64_t room = chunk != NULL ? room_for(chunk, bytes) : 0;

        if (room > 0) {
            *piece = (struct hri_piece){.chunk = chunk, .offset = chunk->fill, .bytes = room};
            chunk->fill = hri_round_up(chunk->fill + room, PIECE_ALIGNMENT);
            if (chunk->fill > chunk->bytes)
                chunk->fill = chunk->bytes;
            chunk->pending++;
            break;
        }
        st = provide(queue, may_wait, waited);
    }
    pthread_mutex_unlock(&staging->lock);
    if (st == HR_OK)
        hri_message_put_back(kept); /* a shortage that was got over */
    return st;
}

void hri_staging_give(hr_queue *queue, const struct hri_piece *piece, uint64_t number)
{
    struct hri_staging *staging = &queue->device->staging;
    struct hri_chunk *chunk = piece->chunk;
    bool full;

    pthread_mutex_lock(&staging->lock);
    chunk->pending--;
    if (chunk->number < number)
        chunk->number = number;
    full = chunk->pending == 0 && chunk->bytes - chunk->fill < LEAST_PIECE;
    pthread_cond_broadcast(&staging->changed);
    pthread_mutex_unlock(&staging->lock);
    /* Recorded now, the event tells when this chunk has been read; asked for later it would tell of all that came
     * after, and a long write would stop and go. */
    if (full && number > 0)
        hri_mark_record(queue);
}

bool hri_staging_reclaim(hr_device *device)
{
    struct hri_staging *staging = &device->staging;
    bool any = false;

    pthread_mutex_lock(&staging->lock);
    for (struct hri_chunk *chunk; (chunk = find_idle(staging)) != NULL; any = true) {
        untie(chunk);
        unlink_chunk(staging, chunk);
        staging->taken -= chunk->bytes;
        hri_pool_give(&device->pools[HR_MEMORY_PINNED], chunk->block);
        free(chunk);
    }
    pthread_mutex_unlock(&staging->lock);
    return any;
}
