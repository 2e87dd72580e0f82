/* The uses of a slot: events to see done, or to order behind, before its memory is overwritten. */
#include "stream/loader.h"

#include <stdlib.h>

hr_status hri_waits_add(struct hri_waits *waits, hr_event *event)
{
    if (waits->count == waits->room) {
        uint32_t room = waits->room ? waits->room * 2 : 4;
        hr_event **events = realloc(waits->events, room * sizeof *events);

        if (!events)
            return hri_fail(HR_NO_MEMORY, "no memory for %u uses of a batch", room);
        waits->events = events;
        waits->room = room;
    }
    waits->events[waits->count++] = event;
    return HR_OK;
}

hr_status hri_waits_first(struct hri_waits *waits, hr_event **event)
{
    for (uint32_t i = 0; i < waits->count; i++) {
        uint32_t done;
        hr_status st = hr_event_done(waits->events[i], &done);

        if (st != HR_OK)
            return st;
        if (!done) {
            *event = waits->events[i];
            return HR_OK;
        }
    }
    *event = NULL;
    return HR_OK;
}

hr_status hri_waits_order(struct hri_waits *waits, hr_queue *queue)
{
    for (uint32_t i = 0; i < waits->count; i++) {
        hr_status st = hr_queue_wait(queue, waits->events[i]);

        if (st != HR_OK)
            return st;
    }
    return HR_OK;
}

void hri_waits_clear(struct hri_waits *waits)
{
    for (uint32_t i = 0; i < waits->count; i++)
        hr_event_close(&waits->events[i]);
    waits->count = 0;
}

void hri_waits_free(struct hri_waits *waits)
{
    hri_waits_clear(waits);
    free(waits->events);
    *waits = (struct hri_waits){0};
}
