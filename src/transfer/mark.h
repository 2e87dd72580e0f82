/*
 * Sequence numbers: which submissions of a queue are done, and which of them use a piece of memory.
 * An event recorded when `submitted` was n covers all up to n. Events are recorded when somebody asks.
 */
#ifndef HRI_MARK_H
#define HRI_MARK_H

#include <headrace/queue.h>
#include <stdbool.h>

/* Known to be done without asking the driver. */
bool hri_mark_seen(hr_queue *queue, uint64_t number);
/* Done? Asks the driver, recording an event if none covers `number`. Never waits. */
bool hri_mark_passed(hr_queue *queue, uint64_t number);
/* Waits until done. Returns the queue's failure, after which `number` counts as done all the same: the queue has been
 * finished. WAITS: no lock is held. */
hr_status hri_mark_wait(hr_queue *queue, uint64_t number);
/* Everything up to `number` is done. */
void hri_mark_done(hr_queue *queue, uint64_t number);
/* Records an event now, so that a later question about today's work is not answered by tomorrow's. Where that fails, a
 * later event covers the work too. */
void hri_mark_record(hr_queue *queue);
/* Makes later work of `queue` wait on the device for `number` of `other`; on the host where that fails. Answers up to
 * which number it waits now: an event may cover more. */
uint64_t hri_mark_order(hr_queue *queue, hr_queue *other, uint64_t number);
/* Destroys the markers of a queue that goes. */
void hri_mark_close(hr_queue *queue);

/* A queue that used a piece of memory, up to which number; `pending` submissions have no number yet. */
struct hri_use {
    hr_queue *queue; /* held */
    uint64_t number;
    uint32_t pending;
};

enum { HRI_FEW_USES = 3 };

/* The uses of a piece of memory. Not locked: the owner is. */
struct hri_uses {
    struct hri_use *list; /* few, or allocated */
    uint32_t n;
    uint32_t room;
    struct hri_use few[HRI_FEW_USES];
};

void hri_uses_init(struct hri_uses *uses);
/* Announces a use, so that telling its number cannot fail. HR_NO_MEMORY. */
hr_status hri_uses_begin(struct hri_uses *uses, hr_queue *queue);
void hri_uses_end(struct hri_uses *uses, hr_queue *queue, uint64_t number);
/* True when the uses by queues other than `queue` (NULL: all uses) are known to be done. Asks no driver. */
bool hri_uses_seen(const struct hri_uses *uses, const hr_queue *queue);
/* True when all are done; forgets those that are. Never waits. */
bool hri_uses_passed(struct hri_uses *uses);
/* The failure of the first queue that has one, else HR_OK. */
hr_status hri_uses_failure(const struct hri_uses *uses);
/* Waits for all and forgets them. */
void hri_uses_wait(struct hri_uses *uses);
/* Makes later work of `queue` wait for the uses by other queues. */
void hri_uses_order(struct hri_uses *uses, hr_queue *queue);
/* Native work on foreign queues has no numbers: takes one for it now and records an event. */
void hri_uses_catch_up(struct hri_uses *uses);
/* Forgets all, done or not. */
void hri_uses_clear(struct hri_uses *uses);

#endif
