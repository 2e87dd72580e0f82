/* Reads into pageable memory by way of pinned memory: what is done lands when somebody learns that it is. */
#include "transfer/landing.h"

#include "core/util.h"
#include "transfer/copy.h"
#include "transfer/mark.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_BYTES ((uint64_t)4 << 10)

void hri_landings_init(struct hri_landings *landings, uint64_t staging_cap, uint64_t piece_bytes)
{
    *landings = (struct hri_landings){.cap = staging_cap / 2, .piece_bytes = piece_bytes};
    if (landings->cap < piece_bytes)
        landings->cap = piece_bytes;
    atomic_init(&landings->n, 0);
    pthread_mutex_init(&landings->lock, NULL);
    pthread_cond_init(&landings->changed, NULL);
}

/* -- under the lock ------------------------------------------------------------------------------------------------ */

static void keep_spare(struct hri_landings *landings, struct hri_landing *landing)
{
    landing->next = landings->spare;
    landings->spare = landing;
}

static void unref(hr_device *device, struct hri_landing *landing)
{
    if (--landing->refs > 0)
        return;
    device->ops->event_destroy(landing->event);
    hri_queue_drop(landing->queue);
    keep_spare(&device->landings, landing);
}

/* Ends one that is off the list. whole: its bytes are there; otherwise its copy may still be under way, as its block's
 * uses tell. */
static void end(hr_device *device, struct hri_landing *landing, bool whole)
{
    struct hri_landings *landings = &device->landings;

    if (whole)
        hri_uses_clear(&landing->block->uses);
    if (whole && landing->dst != NULL)
        memcpy(landing->dst, landing->block->buffer->host, landing->bytes);
    if (!whole && landing->dst != NULL)
        atomic_store(&landing->queue->read_lost, true);
    landings->taken -= landing->block->bytes;
    hri_pool_give(&device->pools[HR_MEMORY_PINNED], landing->block);
    atomic_fetch_sub(&landings->n, 1);
    pthread_cond_broadcast(&landings->changed);
    unref(device, landing);
}

/* 1: done; 0: not yet; -1: failed, so that its bytes are not to be had. What a wait has told the program is not asked
 * for again: the answer might be a failure this time. */
static int state_of(const struct hri_landing *landing)
{
    hr_queue *queue = landing->queue;
    uint32_t done = 0;
    hr_status st = hri_failure_get(&queue->failure);

    if (st != HR_OK)
        return -1;
    if (hri_mark_seen(queue, landing->number))
        return 1;
    st = queue->device->ops->event_query(landing->event, &done);
    if (st == HR_OK)
        return done != 0;
    hri_queue_fail(queue, st);
    return -1;
}

/* Those of a queue pass in order: behind one that has not, its others need not be asked. */
static bool land_done(hr_device *device)
{
    struct hri_landing **at = &device->landings.first;
    const hr_queue *busy = NULL;
    bool any = false;

    while (*at != NULL) {
        struct hri_landing *landing = *at;
        int state = landing->queue == busy ? 0 : state_of(landing);

        if (state == 0) {
            busy = landing->queue;
            at = &landing->next;
            continue;
        }
        *at = landing->next;
        end(device, landing, state > 0);
        any = true;
    }
    return any;
}

/* The lock is dropped meanwhile; another thread may bring it down first. */
static bool wait_for_oldest(hr_device *device)
{
    struct hri_landings *landings = &device->landings;
    struct hri_landing *oldest = landings->first;
    hr_status st;

    if (oldest == NULL)
        return false;
    oldest->refs++;
    pthread_mutex_unlock(&landings->lock);
    st = device->ops->event_wait(oldest->event, HR_FOREVER);
    if (st != HR_OK)
        hri_queue_fail(oldest->queue, st);
    pthread_mutex_lock(&landings->lock);
    unref(device, oldest);
    land_done(device);
    return true;
}

static struct hri_landing *new_landing(struct hri_landings *landings)
{
    struct hri_landing *landing = landings->spare;

    if (landing != NULL)
        landings->spare = landing->next;
    else
        landing = malloc(sizeof *landing);
    return landing;
}

hr_status hri_landing_provide(hr_device *device, uint64_t bytes, struct hri_landing **out)
{
    struct hri_landings *landings = &device->landings;
    struct hri_landing *landing;
    uint64_t size = LEAST_BYTES;
    hr_status st;

    while (size < bytes && size < landings->piece_bytes)
        size *= 2;
    if (size > landings->piece_bytes)
        size = landings->piece_bytes;
    while (landings->taken > 0 && landings->taken + size > landings->cap)
        if (!wait_for_oldest(device)) /* all of it is in the hands of threads that are about to submit */
            pthread_cond_wait(&landings->changed, &landings->lock);
    landing = new_landing(landings);
    if (landing == NULL)
        return hri_fail(HR_NO_MEMORY, "no host memory for a read's %zu bytes", sizeof *landing);
    landings->taken += size;
    pthread_mutex_unlock(&landings->lock);
    st = hri_pool_take(&device->pools[HR_MEMORY_PINNED], size, NULL, true, &landing->block);
    pthread_mutex_lock(&landings->lock);
    landings->taken -= size;
    if (st == HR_OK) {
        landings->taken += landing->block->bytes;
        landing->bytes = bytes < size ? bytes : size;
        *out = landing;
        return HR_OK;
    }
    keep_spare(landings, landing);
    pthread_cond_broadcast(&landings->changed);
    return st;
}

void hri_landing_append(hr_device *device, struct hri_landing *landing)
{
    struct hri_landing **last = &device->landings.first;

    while (*last != NULL)
        last = &(*last)->next;
    hri_queue_hold(landing->queue);
    landing->refs = 1;
    landing->next = NULL;
    *last = landing;
    atomic_fetch_add(&device->landings.n, 1);
    pthread_cond_broadcast(&device->landings.changed);
}

void hri_landing_give_up(hr_device *device, struct hri_landing *landing)
{
    device->landings.taken -= landing->block->bytes;
    hri_pool_give(&device->pools[HR_MEMORY_PINNED], landing->block);
    keep_spare(&device->landings, landing);
    pthread_cond_broadcast(&device->landings.changed);
}

void hri_landing_forget(hr_device *device, uint64_t read)
{
    for (struct hri_landing *landing = device->landings.first; landing != NULL; landing = landing->next)
        if (landing->read == read)
            landing->dst = NULL;
}

/* -- without it ---------------------------------------------------------------------------------------------------- */

bool hri_land_some(hr_device *device, bool may_wait)
{
    struct hri_landings *landings = &device->landings;
    char kept[HRI_MESSAGE_BYTES];
    bool any;

    if (atomic_load(&landings->n) == 0)
        return false;
    hri_message_keep(kept);
    pthread_mutex_lock(&landings->lock);
    any = land_done(device) || (may_wait && wait_for_oldest(device));
    pthread_mutex_unlock(&landings->lock);
    hri_message_put_back(kept);
    return any;
}

hr_status hri_land(hr_queue *queue)
{
    hri_land_some(queue->device, false);
    return atomic_load(&queue->read_lost) ? hri_failure_get(&queue->failure) : HR_OK;
}

void hri_landing_release(hr_device *device, struct hri_landing *landing)
{
    pthread_mutex_lock(&device->landings.lock);
    unref(device, landing);
    pthread_mutex_unlock(&device->landings.lock);
}

void hri_landings_close(hr_device *device)
{
    struct hri_landings *landings = &device->landings;

    hri_land_some(device, false);
    while (landings->first != NULL) { /* none, unless a driver forgets what it has finished */
        struct hri_landing *landing = landings->first;

        landings->first = landing->next;
        end(device, landing, false);
    }
    while (landings->spare != NULL) {
        struct hri_landing *landing = landings->spare;

        landings->spare = landing->next;
        free(landing);
    }
    pthread_cond_destroy(&landings->changed);
    pthread_mutex_destroy(&landings->lock);
}
