/* Work and events as objects: made at the call, freed when nobody refers to them. */
#include "layers/strict.h"

#include <stdlib.h>

static hr_status no_memory(struct strict *s)
{
    return s->device->services->fail(HR_NO_MEMORY, 0, "layer strict: no memory to hold a call back");
}

struct strict_event *hrb_strict_event_new(struct strict *s, struct hrb_queue *queue)
{
    uint32_t n = s->room; /* may grow meanwhile: the clock has what there is now */
    struct strict_event *event = calloc(1, sizeof *event + n * sizeof event->clock[0]);

    if (!event) {
        no_memory(s);
        return NULL;
    }
    event->head.queue = queue;
    event->refs = 1;
    event->n = n;
    return event;
}

void hrb_strict_event_drop(struct strict *s, struct strict_event *event)
{
    if (--event->refs > 0)
        return;
    if (event->real)
        s->below->event_destroy(event->real);
    free(event);
}

static hr_status take_waits(struct strict *s, struct strict_op *op, const struct hrb_sync *sync)
{
    if (sync->n_waits == 0)
        return HR_OK;
    op->waits = calloc(sync->n_waits, sizeof(struct strict_event *));
    op->natives = calloc(sync->n_waits, sizeof(struct hrb_event *));
    if (!op->waits || !op->natives)
        return no_memory(s);
    for (; op->n_waits < sync->n_waits; op->n_waits++) {
        op->waits[op->n_waits] = (struct strict_event *)sync->waits[op->n_waits];
        op->waits[op->n_waits]->refs++;
    }
    return HR_OK;
}

struct strict_op *hrb_strict_op_new(struct strict *s, enum strict_op_kind kind, struct hrb_queue *queue,
                                    const struct hrb_sync *sync)
{
    struct strict_op *op = calloc(1, sizeof *op);
    hr_status st = op ? HR_OK : no_memory(s);

    if (st != HR_OK)
        return NULL;
    op->kind = kind;
    op->queue = queue;
    op->slot = hrb_strict_queue(queue)->slot;
    op->flags = sync->flags;
    op->rows = op->slices = 1;
    pthread_mutex_lock(&s->lock);
    st = take_waits(s, op, sync);
    if (st == HR_OK && sync->event) {
        op->event = hrb_strict_event_new(s, queue);
        st = op->event ? HR_OK : HR_NO_MEMORY;
    }
    if (st != HR_OK) {
        hrb_strict_op_free(s, op);
        op = NULL;
    }
    pthread_mutex_unlock(&s->lock);
    return op;
}

/* keep: the scalars' bytes too, behind the arguments; else they are read by nobody but the table below, in the call. */
hr_status hrb_strict_op_args(struct strict_op *op, const struct hrb_arg *args, uint32_t n_args, bool keep)
{
    uint64_t scalars = 0;
    unsigned char *at;

    for (uint32_t i = 0; i < n_args; i++)
        scalars += args[i].buffer ? 0 : args[i].bytes;
    op->args = malloc(n_args * sizeof *op->args + (keep ? scalars : 0) + 1);
    if (!op->args)
        return no_memory(hrb_strict_of(op->queue->device));
    at = (unsigned char *)(op->args + n_args);
    for (uint32_t i = 0; i < n_args; i++) {
        op->args[i] = args[i];
        if (args[i].buffer || !keep)
            continue;
        memcpy(at, args[i].data, args[i].bytes);
        op->args[i].data = at;
        at += args[i].bytes;
    }
    op->n_args = n_args;
    op->scalars = keep;
    return HR_OK;
}

hr_status hrb_strict_op_uses(struct strict_op *op, uint32_t most)
{
    op->uses = calloc(most + 1, sizeof *op->uses);
    return op->uses ? HR_OK : no_memory(hrb_strict_of(op->queue->device));
}

void hrb_strict_op_drop(struct strict_op *op)
{
    struct strict *s = hrb_strict_of(op->queue->device);

    pthread_mutex_lock(&s->lock);
    hrb_strict_op_free(s, op);
    pthread_mutex_unlock(&s->lock);
}

void hrb_strict_op_free(struct strict *s, struct strict_op *op)
{
    for (uint32_t i = 0; i < op->n_waits; i++)
        hrb_strict_event_drop(s, op->waits[i]);
    if (op->event)
        hrb_strict_event_drop(s, op->event);
    free(op->waits);
    free(op->natives);
    free(op->args);
    free(op->uses);
    free(op);
}

bool hrb_strict_visible(const struct strict_use *use, struct strict_box *box)
{
    *box = use->box;
    if (!use->memory)
        return true;
    box->offset += (uintptr_t)use->memory->root->host;
    return use->memory->root->host != NULL;
}
