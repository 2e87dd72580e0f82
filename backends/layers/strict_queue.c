/* Queues: made, closed, handed out to the program. */
#include "layers/strict.h"

#include <stdlib.h>

static hr_status queue_create(struct hrb_device *device, uint32_t role, uint32_t flags, void *native,
                              struct hrb_queue **queue)
{
    struct strict *s = hrb_strict_of(device);
    struct strict_queue *word = calloc(1, sizeof *word);
    struct hrb_queue *made;
    hr_status st;

    if (!word)
        return device->services->fail(HR_NO_MEMORY, 0, "layer strict: no memory for a queue");
    st = s->below->queue_create(device, role, flags, native, &made);
    if (st != HR_OK) {
        free(word);
        return st;
    }
    word->queue = made;
    word->foreign = native != NULL;
    pthread_mutex_lock(&s->lock);
    st = hrb_strict_slot_take(s, word);
    word->id = ++s->n_queues;
    pthread_mutex_unlock(&s->lock);
    if (st != HR_OK) {
        s->below->queue_destroy(made);
        free(word);
        return st;
    }
    made->word[STRICT_LAYER] = word;
    *queue = made;
    return HR_OK;
}

/* Is the queue's work all done? Asks the driver. */
static bool is_done(struct strict *s, struct hrb_queue *queue)
{
    char kept[HRB_MESSAGE_BYTES];
    struct hrb_event *event;
    uint32_t done = 0;

    s->device->services->message_keep(kept);
    if (s->driver->event_record(queue, 0, &event) == HR_OK) {
        (void)s->driver->event_query(event, &done);
        s->driver->event_destroy(event);
    }
    s->device->services->message_put_back(kept);
    return done != 0;
}

/* What is held goes first, and what waits for it on other queues too: its events end here. */
static void queue_destroy(struct hrb_queue *queue)
{
    struct strict *s = hrb_strict_of(queue->device);
    struct strict_queue *word = hrb_strict_queue(queue);
    bool done;

    hrb_strict_send_users(s, queue);
    done = is_done(s, queue);
    pthread_mutex_lock(&s->lock);
    if (done && s->known[word->slot] < word->number)
        s->known[word->slot] = word->number;
    for (struct strict_memory *memory = s->memories; memory; memory = memory->next)
        if (memory->filler == queue)
            memory->filler = NULL;
    hrb_strict_slot_give(s, word);
    pthread_mutex_unlock(&s->lock);
    s->below->queue_destroy(queue);
    free(word);
}

/* From here on the program may enqueue work of its own, behind all that it has called so far. */
static hr_status queue_native(struct hrb_queue *queue, void **native)
{
    struct strict *s = hrb_strict_of(queue->device);
    struct strict_queue *word = hrb_strict_queue(queue);

    pthread_mutex_lock(&s->lock);
    word->foreign = true;
    pthread_mutex_unlock(&s->lock);
    hrb_strict_send(s, word->slot, UINT64_MAX);
    return s->below->queue_native(queue, native);
}

void hrb_strict_queue_ops(struct hrb_ops *ops, const struct hrb_ops *below)
{
    ops->queue_create = queue_create;
    ops->queue_destroy = queue_destroy;
    if (below->queue_native)
        ops->queue_native = queue_native;
}
