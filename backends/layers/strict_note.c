/* What the core tells: memory that changes hands, batches that come and go, slots that are about to be refilled. */
#include "layers/strict.h"

#include <inttypes.h>
#include <stdio.h>

struct note {
    struct strict *s;
    struct strict_memory *memory;
    struct strict_box box; /* in the memory */
    struct strict_queue *queue;
};

static void freed(const struct note *n)
{
    struct strict_memory *memory = n->memory;

    hrb_strict_mirrors_end(n->s, memory, NULL);
    memory->state = STRICT_FREED;
    memory->raw = false;
    memory->due = memory->root->kind != HR_MEMORY_IMPORTED;
    hrb_strict_poison_due(n->s, memory);
}

static void taken(const struct note *n)
{
    n->memory->due = false; /* the new owner's */
    n->memory->state = STRICT_LIVE;
    n->memory->extent = n->box.width;
}

static void released(const struct note *n)
{
    n->memory->state = STRICT_RELEASED;
    n->memory->filler = NULL;
    n->memory->due = true;
    hrb_strict_poison_due(n->s, n->memory);
}

/* Workers are about to overwrite a slot. */
static void gathered_by_host(const struct note *n)
{
    const uint32_t named = 1u << STRICT_READ | 1u << STRICT_WRITE | 1u << STRICT_KERNEL;
    const struct strict_access *access = hrb_strict_unseen(n->s, n->memory, n->s->maybe, &n->box, named);
    const struct strict_use use = {.memory = n->memory, .box = n->box};
    struct strict_box bytes;

    n->memory->due = false;
    if (access)
        hrb_strict_broken(
            n->s, access->slot, access->number, HR_RACE,
            "layer strict: the slot of a batch (buffer %u) is refilled while %s may still use it: declare "
            "the use by hr_batch_used() before hr_batch_release()",
            n->memory->id, access->text);
    else if (hrb_strict_visible(&use, &bytes) && hrb_strict_idle(n->s, n->memory, &n->box))
        hrb_strict_spoil(&bytes);
}

/* The queue's next work overwrites a slot. */
static void gathered_by(const struct note *n)
{
    const struct strict_use use = {.memory = n->memory, .kind = STRICT_WRITE, .box = n->box};
    char text[STRICT_TEXT], name[48];

    hrb_strict_poison_due(n->s, n->memory);
    n->memory->filler = n->queue->queue;
    snprintf(text, sizeof text, "#%" PRIu64 " the refill of a batch's slot (buffer %u) on %s", ++n->s->calls,
             n->memory->id, hrb_strict_queue_name(n->queue, name));
    (void)hrb_strict_mark(n->s, n->queue, &use, text);
}

static void used_natively(const struct note *n)
{
    const struct strict_use use = {.memory = n->memory, .kind = STRICT_KERNEL, .box = n->box};
    char text[STRICT_TEXT], name[48];

    snprintf(text, sizeof text, "#%" PRIu64 " what hr_buffer_used() told of buffer %u on %s", ++n->s->calls,
             n->memory->id, hrb_strict_queue_name(n->queue, name));
    (void)hrb_strict_mark(n->s, n->queue, &use, text);
}

/* The host has asked for memory that nothing uses, as it says. */
static void given_to_host(const struct note *n)
{
    const struct strict_access *access = hrb_strict_unseen(n->s, n->memory, n->s->maybe, &n->box, 1u << STRICT_WRITE);

    if (n->memory->root->kind == HR_MEMORY_DEVICE)
        n->memory->raw = true;
    if (access)
        hrb_strict_broken(n->s, access->slot, access->number, HR_RACE,
                          "layer strict: hr_buffer_acquire() of buffer %u, which %s still writes: acquire it with that "
                          "queue, or wait for an event of it before",
                          n->memory->id, access->text);
}

void hrb_strict_note(uint32_t kind, struct hrb_buffer *buffer, const struct hrb_range *range, struct hrb_queue *queue)
{
    struct strict *s = hrb_strict_of(buffer->device);
    const struct strict_buffer *word = hrb_strict_buffer(buffer);
    const struct note n = {.s = s,
                           .memory = word->memory,
                           .box = hrb_strict_line(word->base + range->offset, range->bytes),
                           .queue = queue ? hrb_strict_queue(queue) : NULL};

    if (range->bytes == 0)
        return;
    pthread_mutex_lock(&s->lock);
    if (kind == HRB_NOTE_FREED)
        freed(&n);
    else if (kind == HRB_NOTE_TAKEN)
        taken(&n);
    else if (kind == HRB_NOTE_READY)
        n.memory->state = STRICT_READY;
    else if (kind == HRB_NOTE_RELEASED)
        released(&n);
    else if (kind == HRB_NOTE_GATHER && queue)
        gathered_by(&n);
    else if (kind == HRB_NOTE_GATHER)
        gathered_by_host(&n);
    else if (kind == HRB_NOTE_USE && queue)
        used_natively(&n);
    else if (kind == HRB_NOTE_USE)
        given_to_host(&n);
    pthread_mutex_unlock(&s->lock);
}
