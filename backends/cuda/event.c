/*
 * Events. Objects and the driver's events are used again, so that a steady loop makes neither: a recorded event may be
 * recorded anew while its work runs, since what waits for it on the device has taken note of that work already.
 */
#include "cuda/internal.h"

#include <stdlib.h>

#define MOST_SPARE 256u /* of a kind: more than a loader and its program have at a time */

static hri_cu_result make_events(const struct hri_cu *cu, bool timed, struct hri_cu_event_object *made)
{
    const unsigned flags = timed ? 0u : (unsigned)HRI_CU_EVENT_DISABLE_TIMING; /* no BLOCKING_SYNC: see wait.c */
    hri_cu_result code = cu->EventCreate(&made->done, flags);

    if (code != HRI_CU_SUCCESS || !timed)
        return code;
    code = cu->EventCreate(&made->start, flags);
    if (code != HRI_CU_SUCCESS)
        cu->EventDestroy(made->done);
    return code;
}

static hr_status make(struct hri_cu_device *device, bool timed, struct hri_cu_event_object **event)
{
    struct hri_cu_event_object *made = calloc(1, sizeof *made);
    hri_cu_result code;

    if (!made)
        return device->head.services->fail(HR_NO_MEMORY, 0, "no memory for an event");
    code = make_events(device->cu, timed, made);
    if (code != HRI_CU_SUCCESS) {
        free(made);
        return hri_cu_fail(device, HRI_CU_CALL, code, "no event on \"%s\"", device->info.name);
    }
    *event = made;
    return HR_OK;
}

hr_status hri_cu_event_take(struct hrb_queue *queue, bool timed, struct hri_cu_event_object **event)
{
    struct hri_cu_device *device = hri_cu_device(queue->device);
    struct hri_cu_event_object *taken;
    hr_status st = HR_OK;

    if (timed)
        hri_cu_clock_tick(device);
    pthread_mutex_lock(&device->lock);
    taken = device->spare[timed];
    if (taken) {
        device->spare[timed] = taken->next;
        device->n_spare[timed]--;
    }
    pthread_mutex_unlock(&device->lock);
    if (!taken)
        st = make(device, timed, &taken);
    if (st != HR_OK)
        return st;
    taken->head = (struct hrb_event){.queue = queue};
    *event = taken;
    return HR_OK;
}

static void destroy(const struct hri_cu *cu, struct hri_cu_event_object *event)
{
    cu->EventDestroy(event->done);
    if (event->start)
        cu->EventDestroy(event->start);
    free(event);
}

void hri_cu_event_give(struct hri_cu_device *device, struct hri_cu_event_object *event)
{
    const bool timed = event->start != NULL;
    bool kept = false;
    bool inside;

    pthread_mutex_lock(&device->lock);
    if (device->n_spare[timed] < MOST_SPARE) {
        event->next = device->spare[timed];
        device->spare[timed] = event;
        device->n_spare[timed]++;
        kept = true;
    }
    pthread_mutex_unlock(&device->lock);
    if (kept)
        return;
    inside = hri_cu_enter_quietly(device);
    destroy(device->cu, event);
    if (inside)
        hri_cu_leave(device);
}

void hri_cu_events_close(struct hri_cu_device *device)
{
    const bool inside = hri_cu_enter_quietly(device);

    for (int timed = 0; timed < 2; timed++) {
        for (struct hri_cu_event_object *event = device->spare[timed], *next; event; event = next) {
            next = event->next;
            destroy(device->cu, event);
        }
    }
    if (inside)
        hri_cu_leave(device);
}

hr_status hri_cu_event_record(struct hrb_queue *queue, uint32_t flags, struct hrb_event **event)
{
    const struct hrb_sync sync = {.flags = flags, .event = event};
    struct hri_cu_submission sub;
    hr_status st = hri_cu_submit_begin(queue, &sync, &sub);

    if (st != HR_OK)
        return st;
    return hri_cu_submit_end(&sub, HRI_CU_SUCCESS, "an event cannot be recorded");
}

hr_status hri_cu_event_times(struct hrb_event *event, uint64_t *start_ns, uint64_t *end_ns)
{
    struct hri_cu_device *device = hri_cu_device(event->queue->device);
    const struct hri_cu_event_object *timed = hri_cu_event_object(event);
    uint64_t start = 0;
    uint64_t end = 0;
    hri_cu_result code;
    hr_status st;

    if (!timed->start)
        return device->head.services->fail(HR_UNSUPPORTED, 0,
                                           "the event has no times: ask for HR_TIMING when the queue or the event is "
                                           "made");
    st = hri_cu_enter(device);
    if (st != HR_OK)
        return st;
    code = hri_cu_clock_read(device, timed, &start, &end);
    hri_cu_leave(device);
    if (code != HRI_CU_SUCCESS)
        return hri_cu_fail(device, HRI_CU_WORK, code, "the times of an event cannot be read");
    *start_ns = start;
    *end_ns = end;
    return HR_OK;
}

void hri_cu_event_destroy(struct hrb_event *event)
{
    hri_cu_event_give(hri_cu_device(event->queue->device), hri_cu_event_object(event));
}
