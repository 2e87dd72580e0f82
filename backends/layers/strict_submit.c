/* Gives held work to the table below, and looks whether what it works on is as it was at the call. */
#include "layers/strict.h"

#include <stdio.h>

/* Source and destination of a copy, which nothing but this copy may touch until it is done. */
static void look_again(struct strict *s, struct strict_op *op)
{
    struct strict_box box;
    bool source = false, destination = false;

    if (op->hashed && hrb_strict_visible(&op->uses[1], &box))
        source = hrb_strict_hash(&box) != op->hash;
    if (op->poisoned && hrb_strict_visible(&op->uses[0], &box))
        destination = !hrb_strict_spoilt(&box);
    if (!source && !destination)
        return;
    pthread_mutex_lock(&s->lock);
    op->late = op->late && !source;
    if (source)
        hrb_strict_source_changed(s, op);
    if (destination)
        hrb_strict_broken(s, op->slot, op->number, HR_RACE,
                          "layer strict: %s: something was written to its destination between the call and the copy: "
                          "it is the copy's until the copy's event is done",
                          op->text);
    pthread_mutex_unlock(&s->lock);
}

void hrb_strict_source_changed(struct strict *s, const struct strict_op *op)
{
    hrb_strict_broken(
        s, op->slot, op->number, HR_RACE, "layer strict: %s: its source changed before the copy was done: %s", op->text,
        op->uses[1].memory ? "whatever writes there must wait for an event of the copy, by hr_sync.waits or "
                             "hr_queue_wait()"
                           : "leave it as it is until the copy's event is done, or let hr_write() take a "
                             "snapshot");
}

/* Behind the poison of all it touches. */
static void order_poison(struct strict *s, const struct strict_op *op)
{
    pthread_mutex_lock(&s->lock);
    for (uint32_t i = 0; i < op->n_uses; i++)
        if (op->uses[i].memory)
            hrb_strict_poison_order(s, op->uses[i].memory, op->queue);
    pthread_mutex_unlock(&s->lock);
}

static hr_status submit(struct strict *s, struct strict_op *op, const struct hrb_sync *sync)
{
    const struct hrb_ops *below = s->below;

    switch (op->kind) {
    case STRICT_COPY:
        return below->copy(op->queue, &op->dst, &op->src, op->width, sync);
    case STRICT_RECT:
        return below->copy_rect(op->queue, &op->dst, &op->src, op->width, op->rows, op->slices, sync);
    case STRICT_FILL:
        return below->fill(op->queue, op->dst.buffer, op->dst.offset, op->width, op->pattern, op->pattern_bytes, sync);
    case STRICT_LAUNCH:
        return below->kernel_launch(op->queue, op->kernel, &op->grid, op->args, op->n_args, sync);
    case STRICT_WAIT:
        return sync->n_waits > 0 ? below->queue_wait(op->queue, sync->waits[0]) : HR_OK;
    default:
        return below->event_record(op->queue, op->flags, sync->event);
    }
}

/* The driver's events of what it waits for; what could not be submitted has none, and its failure is this one's. */
static hr_status take_waits(struct strict *s, struct strict_op *op, struct hrb_sync *sync)
{
    hr_status st = HR_OK;

    for (uint32_t i = 0; i < op->n_waits; i++) {
        const struct strict_event *event = op->waits[i];

        if (event->real)
            op->natives[sync->n_waits++] = event->real;
        else
            st = hrb_strict_verdict(s, hrb_strict_queue(event->head.queue), event->number);
    }
    sync->waits = op->natives;
    return st;
}

/* Under the lock. */
static void settle(struct strict *s, struct strict_op *op, hr_status st, struct hrb_event *real)
{
    if (op->event) {
        op->event->real = real;
        op->event->sent = true;
    }
    if (op->answer) {
        op->answer->status = st;
        if (st != HR_OK)
            snprintf(op->answer->message, sizeof op->answer->message, "%s", hr_last_error());
    } else if (st != HR_OK) {
        hrb_strict_keep(s, op->slot, op->number, st, hr_last_error());
    }
    if (st != HR_OK) /* nothing to look at when it is done */
        op->late = op->suspicious = false;
}

void hrb_strict_submit(struct strict *s, struct strict_op *op)
{
    struct hrb_sync sync = {.flags = op->flags};
    struct hrb_event *real = NULL;
    char kept[HRB_MESSAGE_BYTES];
    bool wanted;
    hr_status st;

    s->device->services->message_keep(kept); /* what fails here is told later, or by the caller */
    look_again(s, op);
    order_poison(s, op);
    pthread_mutex_lock(&s->lock);
    wanted = op->event && op->event->refs > 1; /* the program may have closed it */
    pthread_mutex_unlock(&s->lock);
    sync.event = wanted ? &real : NULL;
    st = take_waits(s, op, &sync);
    if (st == HR_OK && (wanted || op->kind != STRICT_RECORD))
        st = submit(s, op, &sync);
    pthread_mutex_lock(&s->lock);
    settle(s, op, st, real);
    pthread_mutex_unlock(&s->lock);
    s->device->services->message_put_back(kept);
}
