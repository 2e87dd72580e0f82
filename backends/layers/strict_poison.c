/*
 * Poison: written over what a copy will overwrite, what was released and what was freed, once nothing uses it that the
 * host has not seen done. Where the host sees the memory it writes there itself; else copies on a queue of the layer's
 * own bring it, and whatever touches the memory next waits for them.
 */
#include "layers/strict.h"

#include <stdlib.h>

/* At most so much of a piece of memory. */
#define MOST_BYTES (UINT64_C(64) << 20)
/* A copy's worth of poison, and the most copies that one rectangle is worth. */
enum { BLOCK_BYTES = 1 << 20, MOST_ROWS = 64 };

/* -- a queue of the layer's own ------------------------------------------------------------------------------------ */

static bool own_queue(struct strict *s)
{
    return s->own_queue || s->driver->queue_create(s->device, HR_QUEUE_COPY_IN, 0, NULL, &s->own_queue) == HR_OK;
}

static bool own_block(struct strict *s)
{
    if (!own_queue(s))
        return false;
    if (s->own_block)
        return true;
    if (s->driver->buffer_create(s->device, HR_MEMORY_PINNED, BLOCK_BYTES, &s->own_block) != HR_OK)
        return false;
    memset(s->own_block->host, STRICT_POISON, BLOCK_BYTES);
    return true;
}

void hrb_strict_own_close(struct strict *s)
{
    if (s->own_queue)
        (void)s->driver->queue_finish(s->own_queue);
    if (s->own_block)
        s->driver->buffer_destroy(s->own_block);
    if (s->own_queue)
        s->driver->queue_destroy(s->own_queue);
}

bool hrb_strict_poison_done(struct strict *s, struct strict_memory *memory)
{
    uint32_t done = 1;

    if (!memory->poisoning)
        return true;
    if (s->driver->event_query(memory->poisoning, &done) == HR_OK && !done)
        return false;
    s->driver->event_destroy(memory->poisoning);
    memory->poisoning = NULL;
    return true;
}

void hrb_strict_poison_order(struct strict *s, struct strict_memory *memory, struct hrb_queue *queue)
{
    if (!hrb_strict_poison_done(s, memory))
        (void)s->driver->queue_wait(queue, memory->poisoning);
}

void hrb_strict_poison_wait(struct strict *s, struct strict_memory *memory)
{
    struct hrb_event *event;

    pthread_mutex_lock(&s->lock);
    event = hrb_strict_poison_done(s, memory) ? NULL : memory->poisoning;
    memory->poisoning = NULL;
    pthread_mutex_unlock(&s->lock);
    if (!event)
        return;
    (void)s->driver->event_wait(event, HR_FOREVER);
    s->driver->event_destroy(event);
}

/* One row; false where the driver refuses. */
static bool copy_row(struct strict *s, struct strict_memory *memory, uint64_t offset, uint64_t bytes)
{
    struct hrb_place src = {.buffer = s->own_block, .host = s->own_block->host};

    for (uint64_t at = 0, n; at < bytes; at += n) {
        struct hrb_place dst = {.buffer = memory->root, .offset = offset + at};

        n = bytes - at < BLOCK_BYTES ? bytes - at : BLOCK_BYTES;
        if (s->driver->copy(s->own_queue, &dst, &src, n, &(struct hrb_sync){0}) != HR_OK)
            return false;
    }
    return true;
}

/* The memory's end, and work that touches it, come behind what the layer's own queue has now. */
static void copies_until_here(struct strict *s, struct strict_memory *memory)
{
    struct hrb_event *event;

    if (s->driver->event_record(s->own_queue, 0, &event) != HR_OK)
        return;
    if (memory->poisoning)
        s->driver->event_destroy(memory->poisoning);
    memory->poisoning = event;
}

static void copy_poison(struct strict *s, struct strict_memory *memory, const struct strict_box *box)
{
    char kept[HRB_MESSAGE_BYTES];
    bool ok;

    if (box->rows * box->slices > MOST_ROWS)
        return;
    s->device->services->message_keep(kept); /* without poison it goes on */
    ok = own_block(s);
    for (uint64_t k = 0; k < box->slices && ok; k++)
        for (uint64_t j = 0; j < box->rows && ok; j++)
            ok = copy_row(s, memory, box->offset + k * box->slice_pitch + j * box->row_pitch, box->width);
    if (s->own_queue)
        copies_until_here(s, memory);
    s->device->services->message_put_back(kept);
}

/* Under the lock. */
static struct hrb_event *start_fetch(struct strict *s, struct strict_memory *memory, uint64_t offset, uint64_t bytes,
                                     void *to)
{
    struct hrb_place src = {.buffer = memory->root, .offset = offset};
    struct hrb_place dst = {.host = to};
    struct hrb_event *event = NULL;
    struct hrb_sync sync = {.event = &event};

    if (!own_queue(s) || s->driver->copy(s->own_queue, &dst, &src, bytes, &sync) != HR_OK)
        return NULL;
    copies_until_here(s, memory);
    return event;
}

bool hrb_strict_fetch(struct strict *s, struct strict_memory *memory, const struct strict_box *box, void *to)
{
    struct hrb_event *event = NULL;
    hr_status st;

    pthread_mutex_lock(&s->lock);
    if (hrb_strict_alive(s, memory) && memory->root->host)
        memcpy(to, (const char *)memory->root->host + box->offset, box->width);
    else if (hrb_strict_alive(s, memory))
        event = start_fetch(s, memory, box->offset, box->width, to);
    st = hrb_strict_alive(s, memory) && (memory->root->host || event) ? HR_OK : HR_DRIVER;
    pthread_mutex_unlock(&s->lock);
    if (event) {
        st = s->driver->event_wait(event, HR_FOREVER);
        s->driver->event_destroy(event);
    }
    return st == HR_OK;
}

/* -- what is poisoned, and when ------------------------------------------------------------------------------------ */

/* Work that the program enqueued itself is all done. Asks the driver. */
static bool foreign_idle(struct strict *s)
{
    for (uint32_t i = 0; i < s->n_slots; i++) {
        struct strict_queue *queue = s->slots[i].queue;
        struct hrb_event *event;
        uint32_t done = 0;

        if (!queue || !queue->foreign)
            continue;
        if (s->driver->event_record(queue->queue, 0, &event) != HR_OK)
            return false;
        (void)s->driver->event_query(event, &done);
        s->driver->event_destroy(event);
        if (!done)
            return false;
    }
    return true;
}

bool hrb_strict_idle(struct strict *s, struct strict_memory *memory, const struct strict_box *box)
{
    return !hrb_strict_unseen(s, memory, s->known, box, UINT32_MAX) && (!memory || !memory->exposed || foreign_idle(s));
}

static struct strict_box cut(const struct strict_box *box)
{
    return hrb_strict_is_line(box) && box->width > MOST_BYTES ? hrb_strict_line(box->offset, MOST_BYTES) : *box;
}

static bool small(const struct strict_box *box)
{
    return box->width * box->rows * box->slices <= MOST_BYTES;
}

void hrb_strict_poison(struct strict *s, struct strict_memory *memory, const struct strict_box *box)
{
    const struct strict_box part = cut(box);
    struct strict_use use = {.memory = memory, .box = part};
    struct strict_box bytes;

    if (!small(&part))
        return;
    if (hrb_strict_visible(&use, &bytes))
        hrb_strict_spoil(&bytes);
    else
        copy_poison(s, memory, &part);
}

void hrb_strict_poison_due(struct strict *s, struct strict_memory *memory)
{
    struct strict_box all = hrb_strict_line(0, memory->root->bytes);

    if (!memory->due || !hrb_strict_idle(s, memory, &all))
        return;
    memory->due = false;
    if (memory->state == STRICT_RELEASED)
        all = hrb_strict_line(0, memory->extent);
    hrb_strict_poison(s, memory, &all);
}

void hrb_strict_look(struct strict *s, struct strict_op *op)
{
    const uint32_t writes = 1u << STRICT_WRITE | 1u << STRICT_KERNEL | 1u << STRICT_BUSY;
    struct strict_use *dst = &op->uses[0], *src = &op->uses[1];
    struct strict_box bytes;

    if (op->n_uses > 1 && hrb_strict_visible(src, &bytes) &&
        !hrb_strict_pending(src->memory ? &src->memory->accesses : &s->host, s->known, &src->box, writes) &&
        (!src->memory || !src->memory->exposed)) {
        op->hash = hrb_strict_hash(&bytes);
        op->hashed = true;
        op->late = !src->memory;
    }
    if (!hrb_strict_idle(s, dst->memory, &dst->box))
        return;
    hrb_strict_poison(s, dst->memory, &dst->box);
    op->poisoned = hrb_strict_visible(dst, &bytes) && small(&dst->box);
}
