/* The calls that enqueue: each becomes a piece of work that is looked at and held back. */
#include "layers/strict.h"

#include <stdio.h>

/* Held at once; beyond, all is submitted. */
enum { MOST_HELD = 4096 };

/* What will be overwritten by a later call is not looked at any more when the copy that reads it is done. */
static void unlate(struct strict *s, const struct strict_use *write)
{
    struct strict_op *const lists[] = {s->first, s->flight};

    for (int i = 0; i < 2; i++)
        for (struct strict_op *op = lists[i]; op; op = op->next)
            if (op->late && hrb_strict_meet(&op->uses[1].box, &write->box))
                op->late = false;
}

/* What a queue of the program's own is behind, the program may have seen done by means of the driver's. */
static void unlate_seen(struct strict *s, const uint64_t *clock)
{
    struct strict_op *const lists[] = {s->first, s->flight};

    for (int i = 0; i < 2; i++)
        for (struct strict_op *op = lists[i]; op; op = op->next)
            if (op->number <= clock[op->slot])
                op->late = op->suspicious = false;
    hrb_strict_join(s->maybe, clock, s->room);
}

/* The clock that the call would have, in s->scratch. */
static void behind(struct strict *s, const struct strict_queue *queue, const struct strict_op *op)
{
    memcpy(s->scratch, queue->clock, s->room * sizeof *s->scratch);
    hrb_strict_join(s->scratch, s->maybe, s->room);
    for (uint32_t i = 0; i < op->n_waits; i++)
        hrb_strict_join(s->scratch, op->waits[i]->clock, op->waits[i]->n);
}

static void commit(struct strict *s, struct strict_queue *queue, struct strict_op *op)
{
    if (op->kind != STRICT_RECORD)
        queue->number++;
    op->number = queue->number;
    hrb_strict_accessed(s, op);
    memcpy(queue->clock, s->scratch, s->room * sizeof *s->scratch);
    queue->clock[queue->slot] = queue->number;
    if (queue->foreign)
        unlate_seen(s, queue->clock);
    for (uint32_t i = 0; i < op->n_uses; i++)
        if (op->uses[i].kind == STRICT_WRITE && !op->uses[i].memory)
            unlate(s, &op->uses[i]);
    if (op->event) {
        op->event->slot = queue->slot;
        op->event->number = queue->number;
        memcpy(op->event->clock, queue->clock, op->event->n * sizeof *queue->clock);
    }
}

/* Under the lock: all that may be wrong with the call, before anything of it is done. */
static hr_status check(struct strict *s, struct strict_queue *queue, struct strict_op *op)
{
    hr_status st;

    if (op->n_uses > 0 && queue->status != HR_OK && queue->from <= queue->number + 1) {
        memcpy(s->message, queue->message, sizeof s->message); /* a queue's failure stays */
        return queue->status;
    }
    hrb_strict_describe(s, op);
    behind(s, queue, op);
    st = hrb_strict_allowed(s, op);
    return st == HR_OK ? hrb_strict_ordered(s, op) : st;
}

/* Under the lock: takes the call over. */
static void take(struct strict *s, struct strict_queue *queue, struct strict_op *op, bool now)
{
    bool copies = op->kind == STRICT_COPY || op->kind == STRICT_RECT || op->kind == STRICT_FILL;

    if (copies && !now)
        hrb_strict_look(s, op);
    for (uint32_t i = 0; i < op->n_uses; i++)
        if (op->uses[i].memory) {
            op->changes = op->uses[i].memory->changes;
            op->uses[i].memory->due = false;
        }
    commit(s, queue, op);
    hrb_strict_hold(s, op);
}

/* Submitted at once: what the table below says is the call's answer. */
static hr_status at_once(struct strict *s, uint32_t slot, uint64_t number, const struct strict_answer *answer)
{
    hrb_strict_send(s, slot, number);
    if (answer->status == HR_OK)
        return HR_OK;
    pthread_mutex_lock(&s->lock);
    hrb_strict_forget(s, slot, number);
    pthread_mutex_unlock(&s->lock);
    return s->device->services->fail(answer->status, 0, "%s", answer->message);
}

/* Ends a call: frees op or takes it over. now: the table below alone can tell whether it is a right one. */
static hr_status enqueue(struct strict_op *op, const struct hrb_sync *sync, bool now)
{
    struct strict *s = hrb_strict_of(op->queue->device);
    struct strict_queue *queue = hrb_strict_queue(op->queue);
    struct strict_event *event = op->event;
    struct strict_answer answer = {.status = HR_OK};
    uint32_t slot = queue->slot;
    uint64_t number;
    bool full;
    hr_status st;

    pthread_mutex_lock(&s->lock);
    now = now || queue->foreign || ((sync->flags & HR_TIMING) && !(op->queue->flags & HR_TIMING));
    st = check(s, queue, op);
    if (st != HR_OK) {
        st = s->device->services->fail(st, 0, "%s", s->message);
        hrb_strict_op_free(s, op);
        pthread_mutex_unlock(&s->lock);
        return st;
    }
    if (event)
        event->refs++; /* the core's */
    if (now)
        op->answer = &answer;
    take(s, queue, op, now);
    number = op->number;
    full = s->n_held > MOST_HELD;
    pthread_mutex_unlock(&s->lock);
    if (now)
        st = at_once(s, slot, number, &answer);
    else if (full)
        hrb_strict_send_all(s);
    if (st == HR_OK && event)
        *sync->event = &event->head;
    if (st != HR_OK && event) {
        pthread_mutex_lock(&s->lock);
        hrb_strict_event_drop(s, event);
        pthread_mutex_unlock(&s->lock);
    }
    return st;
}

hr_status hrb_strict_mark(struct strict *s, struct strict_queue *queue, const struct strict_use *use, const char *text)
{
    struct strict_use only = *use;
    struct strict_op op = {.kind = STRICT_WAIT, .queue = queue->queue, .slot = queue->slot, .uses = &only, .n_uses = 1};
    hr_status st;

    snprintf(op.text, sizeof op.text, "%s", text);
    behind(s, queue, &op);
    st = hrb_strict_ordered(s, &op);
    if (st == HR_OK)
        commit(s, queue, &op);
    return st;
}

static struct strict_use use_of(const struct hrb_place *place, enum strict_kind kind, const struct strict_op *op)
{
    struct strict_use use = {.kind = kind, .box = hrb_strict_line(place->offset, op->width)};

    if (op->kind == STRICT_RECT)
        use.box =
            (struct strict_box){place->offset, op->width, op->rows, op->slices, place->row_pitch, place->slice_pitch};
    if (place->host) {
        use.box.offset += (uintptr_t)place->host;
    } else {
        use.memory = hrb_strict_buffer(place->buffer)->memory;
        use.box.offset += hrb_strict_buffer(place->buffer)->base;
    }
    return use;
}

static hr_status sides(struct strict_op *op, const struct hrb_place *dst, const struct hrb_place *src)
{
    hr_status st = hrb_strict_op_uses(op, 2);

    if (st != HR_OK)
        return st;
    op->dst = *dst;
    op->uses[op->n_uses++] = use_of(dst, STRICT_WRITE, op);
    if (src) {
        op->src = *src;
        op->uses[op->n_uses++] = use_of(src, STRICT_READ, op);
    }
    return HR_OK;
}

/* A copy of any kind, once its shape is in op. */
static hr_status copy_of(struct strict_op *op, const struct hrb_place *dst, const struct hrb_place *src,
                         const struct hrb_sync *sync)
{
    hr_status st = sides(op, dst, src);

    if (st != HR_OK) {
        hrb_strict_op_drop(op);
        return st;
    }
    return enqueue(op, sync, false);
}

static hr_status copy(struct hrb_queue *queue, const struct hrb_place *dst, const struct hrb_place *src, uint64_t bytes,
                      const struct hrb_sync *sync)
{
    struct strict_op *op = hrb_strict_op_new(hrb_strict_of(queue->device), STRICT_COPY, queue, sync);

    if (!op)
        return HR_NO_MEMORY;
    op->width = bytes;
    return copy_of(op, dst, src, sync);
}

static hr_status copy_rect(struct hrb_queue *queue, const struct hrb_place *dst, const struct hrb_place *src,
                           uint64_t width, uint64_t rows, uint64_t slices, const struct hrb_sync *sync)
{
    struct strict_op *op = hrb_strict_op_new(hrb_strict_of(queue->device), STRICT_RECT, queue, sync);

    if (!op)
        return HR_NO_MEMORY;
    op->width = width;
    op->rows = rows;
    op->slices = slices;
    return copy_of(op, dst, src, sync);
}

static hr_status fill(struct hrb_queue *queue, struct hrb_buffer *buffer, uint64_t offset, uint64_t bytes,
                      const void *pattern, uint32_t pattern_bytes, const struct hrb_sync *sync)
{
    const struct hrb_place dst = {.buffer = buffer, .offset = offset};
    struct strict_op *op = hrb_strict_op_new(hrb_strict_of(queue->device), STRICT_FILL, queue, sync);

    if (!op)
        return HR_NO_MEMORY;
    op->width = bytes;
    op->pattern_bytes = pattern_bytes;
    memcpy(op->pattern, pattern, pattern_bytes);
    return copy_of(op, &dst, NULL, sync);
}

/* A kernel may use all from an argument's first byte to its buffer's last. */
static void argument_use(struct strict_op *op, uint32_t i)
{
    const struct hrb_arg *arg = &op->args[i];
    const struct strict_buffer *buffer = hrb_strict_buffer(arg->buffer);
    uint64_t first = buffer->base + arg->offset, end = buffer->base + arg->buffer->bytes;

    if (end > buffer->memory->extent && first < buffer->memory->extent)
        end = buffer->memory->extent;
    op->uses[op->n_uses++] = (struct strict_use){
        .memory = buffer->memory, .kind = STRICT_KERNEL, .argument = i, .box = hrb_strict_line(first, end - first)};
}

static hr_status kernel_launch(struct hrb_queue *queue, struct hrb_kernel *kernel, const hr_grid *grid,
                               const struct hrb_arg *args, uint32_t n_args, const struct hrb_sync *sync)
{
    struct strict *s = hrb_strict_of(queue->device);
    struct strict_op *op;
    hr_status st = s->below->kernel_check ? s->below->kernel_check(kernel, grid, args, n_args) : HR_UNSUPPORTED;
    bool now = st == HR_UNSUPPORTED;

    if (st != HR_OK && !now)
        return st;
    op = hrb_strict_op_new(s, STRICT_LAUNCH, queue, sync);
    if (!op)
        return HR_NO_MEMORY;
    op->kernel = kernel;
    op->grid = *grid;
    st = hrb_strict_op_args(op, args, n_args, !now);
    if (st == HR_OK)
        st = hrb_strict_op_uses(op, n_args);
    if (st != HR_OK) {
        hrb_strict_op_drop(op);
        return st;
    }
    for (uint32_t i = 0; i < n_args; i++)
        if (args[i].buffer)
            argument_use(op, i);
    return enqueue(op, sync, now);
}

static hr_status queue_wait(struct hrb_queue *queue, struct hrb_event *event)
{
    const struct hrb_sync sync = {.n_waits = 1, .waits = &event};
    struct strict_op *op = hrb_strict_op_new(hrb_strict_of(queue->device), STRICT_WAIT, queue, &sync);

    return op ? enqueue(op, &sync, false) : HR_NO_MEMORY;
}

static hr_status event_record(struct hrb_queue *queue, uint32_t flags, struct hrb_event **event)
{
    const struct hrb_sync sync = {.flags = flags, .event = event};
    struct strict_op *op = hrb_strict_op_new(hrb_strict_of(queue->device), STRICT_RECORD, queue, &sync);

    return op ? enqueue(op, &sync, false) : HR_NO_MEMORY;
}

void hrb_strict_call_ops(struct hrb_ops *ops)
{
    ops->copy = copy;
    ops->copy_rect = copy_rect;
    ops->fill = fill;
    ops->kernel_launch = kernel_launch;
    ops->queue_wait = queue_wait;
    ops->event_record = event_record;
}
