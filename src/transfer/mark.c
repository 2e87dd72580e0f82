/* Sequence numbers of a queue, and the events that tell how far it has come. */
#include "transfer/mark.h"

#include "transfer/object.h"

#include <stdlib.h>

bool hri_mark_seen(hr_queue *queue, uint64_t number)
{
    return number <= atomic_load_explicit(&queue->done, memory_order_acquire);
}

void hri_mark_done(hr_queue *queue, uint64_t number)
{
    unsigned long long done = atomic_load_explicit(&queue->done, memory_order_relaxed);

    while (done < number && !atomic_compare_exchange_weak_explicit(&queue->done, &done, number, memory_order_acq_rel,
                                                                   memory_order_relaxed))
        ;
}

/* Under the queue's lock. One struct is kept, so that a steady state allocates none. */
static void unref(hr_queue *queue, struct hri_marker *marker)
{
    if (--marker->refs > 0)
        return;
    queue->device->ops->event_destroy(marker->event);
    free(queue->spare);
    queue->spare = marker;
}

/* Under the queue's lock: drops the markers that tell nothing new. */
static void prune(hr_queue *queue)
{
    while (queue->first != NULL && hri_mark_seen(queue, queue->first->number)) {
        struct hri_marker *marker = queue->first;

        queue->first = marker->next;
        if (queue->first == NULL)
            queue->last = NULL;
        unref(queue, marker);
    }
}

/* Under the queue's lock. The number is read before the event is recorded: the event covers it and perhaps more. */
static hr_status record(hr_queue *queue, struct hri_marker **out)
{
    struct hri_marker *marker = queue->spare != NULL ? queue->spare : malloc(sizeof *marker);
    hr_status st;

    if (marker == NULL)
        return hri_fail(HR_NO_MEMORY, "no host memory for an event's %zu bytes", sizeof *marker);
    queue->spare = marker;
    *marker = (struct hri_marker){.number = atomic_load(&queue->submitted), .refs = 1};
    st = queue->device->ops->event_record(queue->native, 0, &marker->event);
    if (st != HR_OK)
        return st;
    queue->spare = NULL;
    if (queue->last != NULL)
        queue->last->next = marker;
    else
        queue->first = marker;
    queue->last = marker;
    *out = marker;
    return HR_OK;
}

/* Under the queue's lock: the earliest event that covers `number`, recorded if there is none. */
static hr_status cover(hr_queue *queue, uint64_t number, struct hri_marker **out)
{
    for (struct hri_marker *marker = queue->first; marker != NULL; marker = marker->next) {
        if (marker->number >= number) {
            *out = marker;
            return HR_OK;
        }
    }
    return record(queue, out);
}

bool hri_mark_passed(hr_queue *queue, uint64_t number)
{
    struct hri_marker *marker = NULL;
    char kept[HRI_MESSAGE_BYTES];
    uint32_t done = 0;

    if (hri_mark_seen(queue, number))
        return true;
    hri_message_keep(kept);
    pthread_mutex_lock(&queue->lock);
    prune(queue);
    if (!hri_mark_seen(queue, number) && cover(queue, number, &marker) == HR_OK && !marker->failed) {
        hr_status st = queue->device->ops->event_query(marker->event, &done);

        if (st != HR_OK) {
            marker->failed = 1;
            hri_queue_fail(queue, st);
        } else if (done) {
            hri_mark_done(queue, marker->number);
            prune(queue);
        }
    }
    pthread_mutex_unlock(&queue->lock);
    hri_message_put_back(kept);
    return hri_mark_seen(queue, number);
}

hr_status hri_mark_wait(hr_queue *queue, uint64_t number)
{
    struct hri_marker *marker = NULL;
    hr_status st;

    if (hri_mark_seen(queue, number))
        return hri_failure_get(&queue->failure);
    pthread_mutex_lock(&queue->lock);
    prune(queue);
    st = cover(queue, number, &marker);
    if (st == HR_OK)
        marker->refs++;
    pthread_mutex_unlock(&queue->lock);
    if (st == HR_OK) {
        st = queue->device->ops->event_wait(marker->event, HR_FOREVER);
        if (st == HR_OK)
            hri_mark_done(queue, marker->number);
        else
            hri_queue_fail(queue, st);
        pthread_mutex_lock(&queue->lock);
        prune(queue);
        unref(queue, marker);
        pthread_mutex_unlock(&queue->lock);
    }
    if (st != HR_OK)
        hri_queue_settle(queue);
    return hri_failure_get(&queue->failure);
}

void hri_mark_record(hr_queue *queue)
{
    struct hri_marker *marker;
    char kept[HRI_MESSAGE_BYTES];

    hri_message_keep(kept);
    pthread_mutex_lock(&queue->lock);
    prune(queue);
    if (queue->last == NULL || queue->last->number < atomic_load(&queue->submitted))
        record(queue, &marker);
    pthread_mutex_unlock(&queue->lock);
    hri_message_put_back(kept);
}

static uint64_t order(hr_queue *queue, hr_queue *other, uint64_t number)
{
    uint64_t covered = number;
    struct hri_marker *marker = NULL;
    hr_status st;

    if (atomic_load(&other->failure.state) != 0) {
        hri_mark_wait(other, number); /* a driver may fail what waits for failed work */
        return covered;
    }
    pthread_mutex_lock(&other->lock);
    st = cover(other, number, &marker);
    if (st == HR_OK)
        marker->refs++;
    pthread_mutex_unlock(&other->lock);
    if (st == HR_OK) {
        covered = marker->number;
        st = queue->device->ops->queue_wait(queue->native, marker->event);
        pthread_mutex_lock(&other->lock);
        unref(other, marker);
        pthread_mutex_unlock(&other->lock);
    }
    if (st == HR_OK)
        hri_queue_submitted(queue);
    else
        hri_mark_wait(other, number);
    return st == HR_OK ? covered : number;
}

uint64_t hri_mark_order(hr_queue *queue, hr_queue *other, uint64_t number)
{
    char kept[HRI_MESSAGE_BYTES];

    hri_message_keep(kept);
    number = order(queue, other, number);
    hri_message_put_back(kept);
    return number;
}

void hri_mark_close(hr_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->first != NULL) {
        struct hri_marker *marker = queue->first;

        queue->first = marker->next;
        unref(queue, marker);
    }
    queue->last = NULL;
    free(queue->spare);
    queue->spare = NULL;
    pthread_mutex_unlock(&queue->lock);
}
