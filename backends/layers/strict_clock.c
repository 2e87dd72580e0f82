/* Slots, a queue's place in all clocks, and the clocks themselves. */
#include "layers/strict.h"

#include <stdlib.h>

enum { FIRST_ROOM = 16 };

void hrb_strict_join(uint64_t *to, const uint64_t *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (to[i] < from[i])
            to[i] = from[i];
}

static bool widen(uint64_t **clock, uint32_t room, uint32_t wider)
{
    uint64_t *made = realloc(*clock, wider * sizeof *made);

    if (!made)
        return false;
    memset(made + room, 0, (wider - room) * sizeof *made);
    *clock = made;
    return true;
}

static hr_status grow(struct strict *s)
{
    uint32_t wider = s->room > 0 ? 2 * s->room : FIRST_ROOM;
    struct strict_slot *slots = realloc(s->slots, wider * sizeof *slots);
    bool ok = slots != NULL;

    if (ok)
        s->slots = slots;
    ok = ok && widen(&s->known, s->room, wider) && widen(&s->maybe, s->room, wider) &&
         widen(&s->scratch, s->room, wider);
    for (uint32_t i = 0; ok && i < s->n_slots; i++)
        ok = !s->slots[i].queue || widen(&s->slots[i].queue->clock, s->room, wider);
    if (!ok)
        return s->device->services->fail(HR_NO_MEMORY, 0, "layer strict: no memory for %u queues", wider);
    s->room = wider;
    return HR_OK;
}

/* A slot whose last queue is gone, with all of its work: its numbers go on. */
static uint32_t find(const struct strict *s)
{
    uint32_t i = 0;

    while (i < s->n_slots && (s->slots[i].queue || s->known[i] < s->slots[i].number))
        i++;
    return i;
}

hr_status hrb_strict_slot_take(struct strict *s, struct strict_queue *queue)
{
    uint32_t slot = find(s);
    hr_status st = slot == s->room ? grow(s) : HR_OK;

    if (st != HR_OK)
        return st;
    queue->clock = calloc(s->room, sizeof *queue->clock);
    if (!queue->clock)
        return s->device->services->fail(HR_NO_MEMORY, 0, "layer strict: no memory for a queue");
    if (slot == s->n_slots)
        s->slots[s->n_slots++] = (struct strict_slot){0};
    s->slots[slot].queue = queue;
    queue->slot = slot;
    queue->number = queue->polled = s->slots[slot].number;
    queue->clock[slot] = queue->number;
    return HR_OK;
}

void hrb_strict_slot_give(struct strict *s, struct strict_queue *queue)
{
    s->slots[queue->slot].queue = NULL;
    s->slots[queue->slot].number = queue->number;
    free(queue->clock);
}
