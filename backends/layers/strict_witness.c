/*
 * What a kernel writes is not known, but what it has written can be seen. A download that was not ordered behind an
 * earlier kernel on another queue was done while that kernel was still held: if the bytes are others once the kernel
 * has run, it writes what the download reads, and the program has read it early.
 */
#include "layers/strict.h"

#include <stdlib.h>

/* The kernel may wait for what the program does after its wait for the download; then nothing is found. Else it is only
 * slow, as a simulated device on a busy machine is. */
#define PATIENCE_NS UINT64_C(5000000000)

/* The kernel is still held, and nothing was called since that may write to the memory. */
static bool alone(struct strict *s, const struct strict_op *op)
{
    bool yes;

    pthread_mutex_lock(&s->lock);
    yes = hrb_strict_alive(s, op->uses[1].memory) && op->uses[1].memory->changes == op->changes;
    pthread_mutex_unlock(&s->lock);
    return yes;
}

static bool is_held(struct strict *s, const struct strict_op *op)
{
    bool held;

    pthread_mutex_lock(&s->lock);
    held = hrb_strict_held(s, op->suspect_slot, op->suspect_number);
    pthread_mutex_unlock(&s->lock);
    return held;
}

/* Runs the kernel; false if that takes too long. The lock keeps the queue from going meanwhile. */
static bool run_suspect(struct strict *s, const struct strict_op *op)
{
    struct hrb_event *event = NULL;
    struct strict_queue *queue;
    hr_status st = HR_DRIVER;

    hrb_strict_send(s, op->suspect_slot, op->suspect_number);
    pthread_mutex_lock(&s->lock);
    queue = s->slots[op->suspect_slot].queue;
    if (queue)
        st = s->driver->event_record(queue->queue, 0, &event);
    pthread_mutex_unlock(&s->lock);
    if (st != HR_OK)
        return false;
    st = s->driver->event_wait(event, PATIENCE_NS);
    s->driver->event_destroy(event);
    return st == HR_OK;
}

static bool changed(struct strict *s, const struct strict_op *op)
{
    struct strict_box box;
    void *bytes = malloc(op->width);
    bool other = false;

    if (bytes && hrb_strict_fetch(s, op->uses[1].memory, &op->uses[1].box, bytes)) {
        box = hrb_strict_line((uintptr_t)bytes, op->width);
        other = hrb_strict_hash(&box) != op->hash;
    }
    free(bytes);
    return other;
}

static void found(struct strict *s, const struct strict_op *op)
{
    const struct strict_access *kernel = NULL;

    pthread_mutex_lock(&s->lock);
    if (hrb_strict_alive(s, op->uses[1].memory))
        kernel = hrb_strict_access_of(&op->uses[1].memory->accesses, op->suspect_slot, op->suspect_number);
    hrb_strict_broken(s, op->slot, op->number, HR_RACE,
                      "layer strict: %s read its bytes before %s, called earlier, had written them, and nothing orders "
                      "it behind that: give it an event of the kernel to wait for, by hr_sync.waits or hr_queue_wait()",
                      op->text, kernel ? kernel->text : "a kernel of another queue");
    if (s->slots[op->slot].queue)
        hrb_strict_keep(s, op->suspect_slot, op->suspect_number, HR_RACE, s->slots[op->slot].queue->message);
    pthread_mutex_unlock(&s->lock);
}

static void look(struct strict *s, const struct strict_op *op)
{
    char kept[HRB_MESSAGE_BYTES];

    s->device->services->message_keep(kept); /* a kernel that fails is told by its own queue */
    if (is_held(s, op) && alone(s, op) && run_suspect(s, op) && changed(s, op) && alone(s, op))
        found(s, op);
    s->device->services->message_put_back(kept);
}

void hrb_strict_witness(struct strict *s, struct strict_op *list)
{
    while (list) {
        struct strict_op *op = list;

        list = op->next;
        look(s, op);
        hrb_strict_op_drop(op);
    }
}
