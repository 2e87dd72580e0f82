/*
 * Waits and polls: what makes held work go. A wait takes along what its event needs; should that not be enough, since a
 * kernel may wait for a copy of another queue, everything held goes while the wait lasts. A first look at an event
 * whose work is held finds it not done; the second one is meant.
 */
#include "layers/strict.h"

#include <stdlib.h>

#define SLICE_NS UINT64_C(50000000)

/* The host has seen all of `clock` done: copies of that are looked at. Answers the downloads that witness() wants. */
static struct strict_op *seen(struct strict *s, const uint64_t *clock, uint32_t n)
{
    struct strict_op **at = &s->flight, *op, *downloads = NULL;
    struct strict_box box;

    pthread_mutex_lock(&s->lock);
    hrb_strict_join(s->known, clock, n);
    hrb_strict_join(s->maybe, clock, n);
    while ((op = *at) != NULL) {
        if (op->number > s->known[op->slot]) {
            at = &op->next;
            continue;
        }
        *at = op->next;
        if (op->late && hrb_strict_visible(&op->uses[1], &box) && hrb_strict_hash(&box) != op->hash)
            hrb_strict_source_changed(s, op);
        if (op->suspicious && hrb_strict_visible(&op->uses[0], &box)) {
            op->hash = hrb_strict_hash(&box);
            op->next = downloads;
            downloads = op;
        } else {
            hrb_strict_op_free(s, op);
        }
    }
    for (struct strict_memory *memory = s->memories; memory; memory = memory->next)
        hrb_strict_poison_due(s, memory);
    pthread_mutex_unlock(&s->lock);
    return downloads;
}

static void drop_all(struct strict *s, struct strict_op *list)
{
    pthread_mutex_lock(&s->lock);
    while (list) {
        struct strict_op *op = list;

        list = op->next;
        hrb_strict_op_free(s, op);
    }
    pthread_mutex_unlock(&s->lock);
}

/* The slices are the driver's, so that other layers see one wait. */
static hr_status await(struct strict *s, struct hrb_event *real, uint64_t timeout_ns)
{
    const uint64_t begin = s->device->services->now_ns();

    for (;;) {
        uint64_t waited = s->device->services->now_ns() - begin;
        uint64_t left = timeout_ns == HR_FOREVER ? SLICE_NS : waited < timeout_ns ? timeout_ns - waited : 0;

        if (s->driver->event_wait(real, left < SLICE_NS ? left : SLICE_NS) != HR_TIMEOUT)
            return s->below->event_wait(real, HR_FOREVER);
        if (left < SLICE_NS)
            return HR_TIMEOUT;
        hrb_strict_send_all(s);
    }
}

/* A look at held work. True: it is the first one. */
static bool first_look(struct strict *s, const struct strict_event *event)
{
    struct strict_queue *queue = hrb_strict_queue(event->head.queue);
    bool first;

    pthread_mutex_lock(&s->lock);
    first = !event->sent && event->number > s->known[event->slot] && event->number > queue->polled;
    if (first)
        queue->polled = event->number;
    pthread_mutex_unlock(&s->lock);
    return first;
}

static hr_status event_query(struct hrb_event *head, uint32_t *done)
{
    struct strict *s = hrb_strict_of(head->queue->device);
    struct strict_event *event = (struct strict_event *)head;
    uint32_t is = 0;
    hr_status st;

    if (first_look(s, event)) {
        *done = 0;
        return HR_OK;
    }
    hrb_strict_send(s, event->slot, event->number);
    if (event->real) {
        st = s->below->event_query(event->real, &is);
        if (st != HR_OK)
            return st;
        if (is)
            drop_all(s, seen(s, event->clock, event->n));
    }
    st = hrb_strict_verdict(s, hrb_strict_queue(head->queue), event->number);
    if (st == HR_OK)
        *done = is;
    return st;
}

static hr_status event_wait(struct hrb_event *head, uint64_t timeout_ns)
{
    struct strict *s = hrb_strict_of(head->queue->device);
    struct strict_event *event = (struct strict_event *)head;
    uint32_t done = 0;
    hr_status st;

    if (timeout_ns == 0) {
        st = event_query(head, &done);
        return st == HR_OK && !done ? HR_TIMEOUT : st;
    }
    hrb_strict_send(s, event->slot, event->number);
    if (event->real) {
        st = await(s, event->real, timeout_ns);
        if (st != HR_OK)
            return st;
        hrb_strict_witness(s, seen(s, event->clock, event->n));
    }
    return hrb_strict_verdict(s, hrb_strict_queue(head->queue), event->number);
}

static hr_status event_times(struct hrb_event *head, uint64_t *start_ns, uint64_t *end_ns)
{
    struct strict *s = hrb_strict_of(head->queue->device);
    const struct strict_event *event = (struct strict_event *)head;

    if (!event->real)
        return s->device->services->fail(HR_UNSUPPORTED, 0, "the event's work was never submitted: it has no times");
    return s->below->event_times(event->real, start_ns, end_ns);
}

/* A record that nobody has any more need not be made. */
static void event_destroy(struct hrb_event *head)
{
    struct strict *s = hrb_strict_of(head->queue->device);

    struct strict_event *event = (struct strict_event *)head;

    pthread_mutex_lock(&s->lock);
    if (event->refs == 2 && !event->sent)
        hrb_strict_unrecord(s, event);
    hrb_strict_event_drop(s, event);
    pthread_mutex_unlock(&s->lock);
}

hr_status hrb_strict_finish(struct strict *s, struct hrb_queue *head)
{
    struct strict_queue *queue = hrb_strict_queue(head);
    struct hrb_event *event = NULL;
    uint64_t *clock;
    uint32_t room;
    hr_status st;

    pthread_mutex_lock(&s->lock);
    room = s->room;
    clock = malloc(room * sizeof *clock);
    if (clock)
        memcpy(clock, queue->clock, room * sizeof *clock);
    pthread_mutex_unlock(&s->lock);
    if (!clock)
        return s->device->services->fail(HR_NO_MEMORY, 0, "layer strict: no memory to finish a queue");
    hrb_strict_send(s, queue->slot, clock[queue->slot]);
    if (s->driver->event_record(head, 0, &event) == HR_OK) {
        while (s->driver->event_wait(event, SLICE_NS) == HR_TIMEOUT)
            hrb_strict_send_all(s);
        s->driver->event_destroy(event);
    }
    st = s->below->queue_finish(head);
    hrb_strict_witness(s, seen(s, clock, room)); /* whatever the driver says, nothing works on it any more */
    free(clock);
    return st != HR_OK ? st : hrb_strict_verdict(s, queue, UINT64_MAX);
}

static hr_status queue_finish(struct hrb_queue *queue)
{
    return hrb_strict_finish(hrb_strict_of(queue->device), queue);
}

void hrb_strict_wait_ops(struct hrb_ops *ops)
{
    ops->event_query = event_query;
    ops->event_wait = event_wait;
    if (ops->event_times)
        ops->event_times = event_times;
    ops->event_destroy = event_destroy;
    ops->queue_finish = queue_finish;
}
