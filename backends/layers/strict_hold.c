/*
 * Work that is held back, in the order of the calls. What a piece of it waits for was called before it, so the order of
 * the calls is always a right one to submit in; submitting a part takes along what that part waits for.
 */
#include "layers/strict.h"

void hrb_strict_hold(struct strict *s, struct strict_op *op)
{
    op->prev = s->last;
    op->next = NULL;
    *(s->last ? &s->last->next : &s->first) = op;
    s->last = op;
    s->n_held++;
}

static void let_go(struct strict *s, struct strict_op *op)
{
    *(op->prev ? &op->prev->next : &s->first) = op->next;
    *(op->next ? &op->next->prev : &s->last) = op->prev;
    op->next = op->prev = NULL;
    s->n_held--;
}

bool hrb_strict_held(const struct strict *s, uint32_t slot, uint64_t number)
{
    for (const struct strict_op *op = s->first; op; op = op->next)
        if (op->slot == slot && op->number == number && op->kind != STRICT_RECORD)
            return true;
    return false;
}

void hrb_strict_unrecord(struct strict *s, const struct strict_event *event)
{
    struct strict_op *op = s->last;

    while (op && op->event != event)
        op = op->prev;
    if (!op || op->kind != STRICT_RECORD || op->busy || op->answer)
        return;
    let_go(s, op);
    hrb_strict_op_free(s, op);
}

static void need(struct strict *s, uint32_t slot, uint64_t number)
{
    if (s->slots[slot].need < number)
        s->slots[slot].need = number;
}

static bool refers_to(const struct strict_op *op, const void *object)
{
    if (op->queue == object || op->kernel == object || op->dst.buffer == object || op->src.buffer == object)
        return true;
    for (uint32_t i = 0; i < op->n_args; i++)
        if (op->args[i].buffer && op->args[i].buffer == object)
            return true;
    for (uint32_t i = 0; i < op->n_waits; i++)
        if (op->waits[i]->head.queue == object)
            return true;
    return false;
}

/* Marks what is needed, latest call first: what it waits for is met after it. object: NULL for none. */
static bool mark(struct strict *s, const void *object)
{
    bool any = false;

    for (struct strict_op *op = s->last; op; op = op->prev) {
        if (object && refers_to(op, object))
            need(s, op->slot, op->number);
        if (op->number > s->slots[op->slot].need)
            continue;
        op->needed = any = true;
        for (uint32_t i = 0; i < op->n_waits; i++)
            if (!op->waits[i]->sent)
                need(s, op->waits[i]->slot, op->waits[i]->number);
    }
    for (uint32_t i = 0; i < s->n_slots; i++)
        s->slots[i].need = 0;
    return any;
}

/* What is looked at again when it is done stays. */
static void leave(struct strict *s, struct strict_op *op)
{
    let_go(s, op);
    op->busy = false;
    if ((op->hashed && op->late) || op->suspicious) {
        op->next = s->flight;
        s->flight = op;
    } else {
        hrb_strict_op_free(s, op);
    }
}

/* With both locks; drops `lock` for each submission. */
static void send_marked(struct strict *s)
{
    struct strict_op *op = s->first;

    while (op) {
        struct strict_op *next;

        if (op->needed) {
            op->busy = true;
            pthread_mutex_unlock(&s->lock);
            hrb_strict_submit(s, op);
            pthread_mutex_lock(&s->lock);
        }
        next = op->next;
        if (op->needed)
            leave(s, op);
        op = next;
    }
}

static void lock_both(struct strict *s)
{
    pthread_mutex_lock(&s->sending);
    pthread_mutex_lock(&s->lock);
}

static void unlock_both(struct strict *s)
{
    pthread_mutex_unlock(&s->lock);
    pthread_mutex_unlock(&s->sending);
}

void hrb_strict_send(struct strict *s, uint32_t slot, uint64_t number)
{
    lock_both(s);
    need(s, slot, number);
    if (mark(s, NULL))
        send_marked(s);
    unlock_both(s);
}

void hrb_strict_send_all(struct strict *s)
{
    lock_both(s);
    for (uint32_t i = 0; i < s->n_slots; i++)
        need(s, i, UINT64_MAX);
    if (mark(s, NULL))
        send_marked(s);
    unlock_both(s);
}

void hrb_strict_send_users(struct strict *s, const void *object)
{
    lock_both(s);
    if (mark(s, object))
        send_marked(s);
    unlock_both(s);
}
