/* The uses of a piece of memory: a short list of queues and numbers. */
#include "transfer/mark.h"
#include "transfer/object.h"

#include <stdlib.h>
#include <string.h>

void hri_uses_init(struct hri_uses *uses)
{
    *uses = (struct hri_uses){.room = HRI_FEW_USES};
    uses->list = uses->few;
}

static struct hri_use *find(struct hri_uses *uses, const hr_queue *queue)
{
    for (uint32_t i = 0; i < uses->n; i++)
        if (uses->list[i].queue == queue)
            return &uses->list[i];
    return NULL;
}

static void forget(struct hri_uses *uses, uint32_t i)
{
    hr_queue *queue = uses->list[i].queue;

    uses->list[i] = uses->list[--uses->n];
    hri_queue_drop(queue);
}

static hr_status grow(struct hri_uses *uses)
{
    uint32_t room = uses->room * 2;
    struct hri_use *list = malloc(room * sizeof *list);

    if (list == NULL)
        return hri_fail(HR_NO_MEMORY, "no host memory to note that %u queues use one buffer", uses->n + 1);
    memcpy(list, uses->list, uses->n * sizeof *list);
    if (uses->list != uses->few)
        free(uses->list);
    uses->list = list;
    uses->room = room;
    return HR_OK;
}

hr_status hri_uses_begin(struct hri_uses *uses, hr_queue *queue)
{
    struct hri_use *use = find(uses, queue);

    if (use == NULL) {
        if (uses->n == uses->room)
            hri_uses_passed(uses); /* queues come and go: forget those that are through */
        if (uses->n == uses->room) {
            hr_status st = grow(uses);

            if (st != HR_OK)
                return st;
        }
        hri_queue_hold(queue);
        use = &uses->list[uses->n++];
        *use = (struct hri_use){.queue = queue};
    }
    use->pending++;
    return HR_OK;
}

void hri_uses_end(struct hri_uses *uses, hr_queue *queue, uint64_t number)
{
    struct hri_use *use = find(uses, queue);

    use->pending--;
    if (use->number < number)
        use->number = number;
}

bool hri_uses_seen(const struct hri_uses *uses, const hr_queue *queue)
{
    for (uint32_t i = 0; i < uses->n; i++) {
        const struct hri_use *use = &uses->list[i];

        if (use->queue != queue && (use->pending > 0 || !hri_mark_seen(use->queue, use->number)))
            return false;
    }
    return true;
}

bool hri_uses_passed(struct hri_uses *uses)
{
    uint32_t i = 0;

    while (i < uses->n) {
        const struct hri_use *use = &uses->list[i];

        if (use->pending == 0 && hri_mark_passed(use->queue, use->number))
            forget(uses, i);
        else
            i++;
    }
    return uses->n == 0;
}

hr_status hri_uses_failure(const struct hri_uses *uses)
{
    hr_status st = HR_OK;

    for (uint32_t i = 0; i < uses->n && st == HR_OK; i++)
        st = hri_failure_get(&uses->list[i].queue->failure);
    return st;
}

void hri_uses_wait(struct hri_uses *uses)
{
    char kept[HRI_MESSAGE_BYTES];

    hri_message_keep(kept);
    for (uint32_t i = 0; i < uses->n; i++)
        hri_mark_wait(uses->list[i].queue, uses->list[i].number);
    hri_message_put_back(kept);
    hri_uses_clear(uses);
}

void hri_uses_order(struct hri_uses *uses, hr_queue *queue)
{
    for (uint32_t i = 0; i < uses->n; i++) {
        const struct hri_use *use = &uses->list[i];

        if (use->queue != queue && !hri_mark_seen(use->queue, use->number))
            hri_mark_order(queue, use->queue, use->number);
    }
}

void hri_uses_catch_up(struct hri_uses *uses)
{
    for (uint32_t i = 0; i < uses->n; i++) {
        struct hri_use *use = &uses->list[i];

        if (hri_queue_is_foreign(use->queue)) {
            use->number = hri_queue_mark(use->queue);
            hri_mark_record(use->queue); /* where it fails, a later event covers the work too */
        }
    }
}

void hri_uses_clear(struct hri_uses *uses)
{
    while (uses->n > 0)
        forget(uses, uses->n - 1);
    if (uses->list != uses->few)
        free(uses->list);
    hri_uses_init(uses);
}
