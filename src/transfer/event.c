/* Events: how far a queue had come when they were made. */
#include "core/util.h"
#include "observe/trace.h"
#include "transfer/job.h"

#include <stdlib.h>

hr_status hr_event_record(hr_queue *queue, hr_event **event)
{
    struct hri_job job;
    hr_sync sync = {.size = sizeof sync, .event = event};
    hr_status st;

    if (queue == NULL || event == NULL)
        return hri_fail(HR_INVALID, "hr_event_record: %s is NULL", queue == NULL ? "queue" : "event");
    st = hri_job_begin(&job, queue, &sync);
    if (st != HR_OK)
        return st;
    return hri_job_end(&job, hri_job_nothing(&job));
}

/* Last of all the word to other threads: what they do then needs the landed bytes. */
static hr_status seen(hr_event *event)
{
    hr_status st;

    hri_mark_done(event->queue, event->number);
    st = hri_land(event->queue);
    if (st == HR_OK)
        atomic_store_explicit(&event->seen, true, memory_order_release);
    return st;
}

/* The program may let its memory go now: reads of this queue that have not landed never do. */
static hr_status lost(hr_event *event, hr_status st)
{
    hri_queue_fail(event->queue, st);
    hri_land(event->queue);
    return st;
}

hr_status hr_event_wait(hr_event *event, uint64_t timeout_ns)
{
    struct hrb_trace *trace;
    uint64_t begin;
    hr_status st;

    if (event == NULL)
        return hri_fail(HR_INVALID, "hr_event_wait: event is NULL");
    if (hri_device_forked(event->queue->device))
        return hri_device_check(event->queue->device);
    if (atomic_load_explicit(&event->seen, memory_order_acquire))
        return HR_OK;
    trace = timeout_ns > 0 ? hri_device_trace(event->queue->device) : NULL;
    begin = hri_trace_begin(trace);
    st = event->queue->device->ops->event_wait(event->native, timeout_ns);
    hri_trace_waited(trace, "wait: event", begin);
    if (st == HR_OK)
        return seen(event);
    return st == HR_TIMEOUT ? st : lost(event, st);
}

hr_status hr_event_done(hr_event *event, uint32_t *done)
{
    uint32_t is = 0;
    hr_status st;

    if (event == NULL || done == NULL)
        return hri_fail(HR_INVALID, "hr_event_done: %s is NULL", event == NULL ? "event" : "done");
    if (hri_device_forked(event->queue->device))
        return hri_device_check(event->queue->device);
    if (atomic_load_explicit(&event->seen, memory_order_acquire)) {
        *done = 1;
        return HR_OK;
    }
    st = event->queue->device->ops->event_query(event->native, &is);
    if (st != HR_OK)
        return lost(event, st);
    if (is)
        st = seen(event);
    if (st == HR_OK)
        *done = is != 0;
    return st;
}

hr_status hr_event_get_times(hr_event *event, uint64_t *start_ns, uint64_t *end_ns)
{
    const struct hrb_ops *ops;
    uint64_t start = 0;
    uint64_t end = 0;
    uint32_t done;
    hr_status st;

    if (event == NULL || start_ns == NULL || end_ns == NULL)
        return hri_fail(HR_INVALID, "hr_event_get_times: %s is NULL",
                        event == NULL ? "event" : (start_ns == NULL ? "start_ns" : "end_ns"));
    ops = event->queue->device->ops;
    if (!event->timed || ops->event_times == NULL)
        return hri_fail(HR_UNSUPPORTED, "the event has no times: ask for HR_TIMING when creating the queue, or in the "
                                        "hr_sync of the copy or kernel");
    st = hr_event_done(event, &done);
    if (st != HR_OK)
        return st;
    if (!done)
        return hri_fail(HR_STATE, "the event's work is not done: wait with hr_event_wait() first");
    st = ops->event_times(event->native, &start, &end);
    if (st != HR_OK)
        return st;
    *start_ns = start;
    *end_ns = end;
    return HR_OK;
}

void hr_event_close(hr_event **event)
{
    hr_event *closing;

    if (event == NULL || *event == NULL)
        return;
    closing = *event;
    *event = NULL;
    if (hri_device_forked(closing->queue->device))
        return;
    if (closing->landing != NULL)
        hri_landing_release(closing->queue->device, closing->landing);
    else
        closing->queue->device->ops->event_destroy(closing->native);
    hri_queue_release(closing->queue);
    free(closing);
}
