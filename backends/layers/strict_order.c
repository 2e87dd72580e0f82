/*
 * Is a call ordered behind what uses the same memory? By clocks: behind all work of its queue, of the events that the
 * queue or the call waits for, and of what the host has seen done.
 *
 * Copies and fills say what they touch, so that two of them which meet without order, one of them writing, are a race.
 * Of a kernel only the buffers are known, not which of their bytes it uses, nor whether it writes there: it races with
 * a copy that overwrites everything it was given of a buffer. Where it may be so, the log (info) has it, no more.
 */
#include "layers/strict.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_ACCESSES = 1024 };

static struct strict_accesses *accesses_of(struct strict *s, const struct strict_use *use)
{
    return use->memory ? &use->memory->accesses : &s->host;
}

static bool is_ordered(const struct strict_access *access, const uint64_t *clock)
{
    return access->number <= clock[access->slot];
}

const struct strict_access *hrb_strict_pending(const struct strict_accesses *accesses, const uint64_t *clock,
                                               const struct strict_box *box, uint32_t kinds)
{
    for (uint32_t i = 0; i < accesses->n; i++) {
        const struct strict_access *access = &accesses->list[i];

        if ((kinds >> access->kind & 1) && !is_ordered(access, clock) && hrb_strict_meet(&access->box, box))
            return access;
    }
    return NULL;
}

const struct strict_access *hrb_strict_unseen(struct strict *s, struct strict_memory *memory, const uint64_t *clock,
                                              const struct strict_box *box, uint32_t kinds)
{
    const struct strict_use use = {.memory = memory, .box = *box};
    struct strict_box bytes;

    if (memory && memory->root->kind == HR_MEMORY_DEVICE)
        return hrb_strict_pending(&memory->accesses, clock, box, kinds);
    hrb_strict_visible(&use, &bytes); /* host memory goes by its address */
    return hrb_strict_pending(&s->host, clock, &bytes, kinds);
}

const struct strict_access *hrb_strict_access_of(const struct strict_accesses *accesses, uint32_t slot, uint64_t number)
{
    for (uint32_t i = 0; i < accesses->n; i++)
        if (accesses->list[i].slot == slot && accesses->list[i].number == number)
            return &accesses->list[i];
    return NULL;
}

static bool races(const struct strict_access *access, const struct strict_use *use)
{
    bool kernels = access->kind == STRICT_KERNEL || use->kind == STRICT_KERNEL;

    if (access->kind == STRICT_BUSY || (access->kind != STRICT_WRITE && use->kind != STRICT_WRITE))
        return false;
    if (!kernels)
        return hrb_strict_meet(&access->box, &use->box);
    return access->kind == STRICT_WRITE ? hrb_strict_covers(&access->box, &use->box)
                                        : hrb_strict_covers(&use->box, &access->box);
}

/* Past an access that is not ordered and no race for sure. */
static void suspect(struct strict *s, struct strict_op *op, const struct strict_use *use,
                    const struct strict_access *access)
{
    if (access->kind == STRICT_BUSY || !hrb_strict_meet(&access->box, &use->box) ||
        (access->kind == STRICT_READ && use->kind == STRICT_READ))
        return;
    if (access->kind == STRICT_KERNEL && use->kind == STRICT_READ && op->kind == STRICT_COPY && op->dst.host) {
        op->suspicious = true; /* strict_witness.c looks what it wrote */
        op->suspect_slot = access->slot;
        op->suspect_number = access->number;
    }
    s->device->services->log(HRB_LOG_INFO,
                             "layer strict: %s and %s may use the same bytes of buffer %u, and nothing orders them",
                             access->text, op->text, use->memory ? use->memory->id : 0);
}

static hr_status race(struct strict *s, const struct strict_op *op, const struct strict_use *use,
                      const struct strict_access *access)
{
    char what[64] = "the same host memory";
    char argument[32] = "";

    if (use->memory)
        snprintf(what, sizeof what, "buffer %u", use->memory->id);
    if (op->kind == STRICT_LAUNCH)
        snprintf(argument, sizeof argument, " (argument %u)", use->argument);
    snprintf(s->message, sizeof s->message,
             "layer strict: %s uses %s%s, and nothing orders it behind %s, which %s there: give it an event of that to "
             "wait for, by hr_sync.waits, hr_queue_wait() or, for a batch, hr_batch_wait() and hr_batch_used()",
             op->text, what, argument, access->text,
             access->kind == STRICT_WRITE  ? "writes"
             : access->kind == STRICT_READ ? "reads"
                                           : "works");
    s->device->services->log(HRB_LOG_ERROR, "%s", s->message);
    hrb_strict_keep(s, access->slot, access->number, HR_RACE, s->message);
    hrb_strict_keep(s, op->slot, hrb_strict_queue(op->queue)->number + 1, HR_RACE, s->message);
    return HR_RACE;
}

static bool reserve(struct strict_accesses *accesses, uint32_t more)
{
    uint32_t room = accesses->room > 0 ? accesses->room : 4;
    struct strict_access *list;

    while (room < accesses->n + more)
        room *= 2;
    if (room == accesses->room)
        return true;
    list = realloc(accesses->list, room * sizeof *list);
    if (!list)
        return false;
    accesses->list = list;
    accesses->room = room;
    return true;
}

hr_status hrb_strict_ordered(struct strict *s, struct strict_op *op)
{
    for (uint32_t u = 0; u < op->n_uses; u++) {
        const struct strict_use *use = &op->uses[u];
        struct strict_accesses *accesses = accesses_of(s, use);

        for (uint32_t i = 0; i < accesses->n; i++) {
            if (is_ordered(&accesses->list[i], s->scratch))
                continue;
            if (races(&accesses->list[i], use))
                return race(s, op, use, &accesses->list[i]);
            suspect(s, op, use, &accesses->list[i]);
        }
        if (!reserve(accesses, op->n_uses)) {
            snprintf(s->message, sizeof s->message, "layer strict: no memory to note what %s uses", op->text);
            return HR_NO_MEMORY;
        }
    }
    return HR_OK;
}

/* Whatever meets the old access without order meets the new one, which the call is ordered behind. */
static bool outdated(const struct strict *s, const struct strict_access *old, const struct strict_access *new)
{
    if (is_ordered(old, s->known))
        return true;
    if (!is_ordered(old, s->scratch) || old->kind == STRICT_BUSY)
        return false;
    return (new->kind == STRICT_WRITE || (old->kind == new->kind && old->slot == new->slot)) &&
           hrb_strict_covers(&new->box, &old->box);
}

/* The two oldest of a slot become one that has both. */
static void merge(struct strict_accesses *accesses)
{
    struct strict_access *first = &accesses->list[0];

    for (uint32_t i = 1; i < accesses->n; i++) {
        struct strict_access *access = &accesses->list[i];
        uint64_t end = hrb_strict_end(&access->box);

        if (access->slot != first->slot)
            continue;
        if (end < hrb_strict_end(&first->box))
            end = hrb_strict_end(&first->box);
        if (first->box.offset < access->box.offset)
            access->box.offset = first->box.offset;
        access->box = hrb_strict_line(access->box.offset, end - access->box.offset);
        access->kind = STRICT_BUSY;
        memmove(first, first + 1, --accesses->n * sizeof *first);
        return;
    }
}

static void add(struct strict *s, struct strict_accesses *accesses, const struct strict_access *new)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < accesses->n; i++)
        if (!outdated(s, &accesses->list[i], new))
            accesses->list[kept++] = accesses->list[i];
    accesses->n = kept;
    if (accesses->n >= MOST_ACCESSES)
        merge(accesses);
    if (accesses->n < accesses->room)
        accesses->list[accesses->n++] = *new;
}

void hrb_strict_accessed(struct strict *s, const struct strict_op *op)
{
    for (uint32_t u = 0; u < op->n_uses; u++) {
        const struct strict_use *use = &op->uses[u];
        struct strict_access access = {.kind = use->kind, .slot = op->slot, .number = op->number, .box = use->box};

        memcpy(access.text, op->text, sizeof access.text);
        if (use->memory && use->kind != STRICT_READ)
            use->memory->changes++;
        add(s, accesses_of(s, use), &access);
    }
}

static void forget(struct strict_accesses *accesses, uint32_t slot, uint64_t number)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < accesses->n; i++)
        if (accesses->list[i].slot != slot || accesses->list[i].number != number)
            accesses->list[kept++] = accesses->list[i];
    accesses->n = kept;
}

void hrb_strict_forget(struct strict *s, uint32_t slot, uint64_t number)
{
    forget(&s->host, slot, number);
    for (struct strict_memory *memory = s->memories; memory; memory = memory->next)
        forget(&memory->accesses, slot, number);
}
