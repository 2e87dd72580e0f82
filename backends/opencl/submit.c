/*
 * What every submission has in common: its wait list, its event, its flush. Each is flushed at once, so that an event
 * may be waited for, polled or given to another queue without a thought for who flushes its producer.
 *
 * Each command's event is kept as the queue's last: on an in-order queue it stands for all before it, so recording an
 * event submits nothing. A marker would not do: on NVIDIA's driver (580, H200) a marker on an idle queue waits for the
 * kernels that run on other queues, while a copy's own event does not.
 *
 * What a queue is told to wait for goes into the wait list of its next command, which an in-order queue's later
 * commands stand behind anyway: a barrier would be one more call, and NVIDIA's driver serves one call at a time.
 */
#include "opencl/internal.h"

#include <stdlib.h>

static hr_status take_waits(const struct hrb_sync *sync, struct hri_cl_submission *sub)
{
    const struct hrb_services *services = sub->queue->head.device->services;
    cl_event *waits = sub->few;

    if (sync->n_waits > HRI_CL_FEW_WAITS) {
        waits = malloc((sync->n_waits + (size_t)HRI_CL_MOST_OWED) * sizeof(cl_event));
        if (!waits)
            return services->fail(HR_NO_MEMORY, 0, "no memory for a wait list of %u events", sync->n_waits);
    }
    for (uint32_t i = 0; i < sync->n_waits; i++)
        if (hri_cl_event(sync->waits[i])->native)
            waits[sub->n_waits++] = hri_cl_event(sync->waits[i])->native;
    sub->list = waits;
    return HR_OK;
}

/* The queue's own come last. With its lock held, and until the command is submitted or given up. */
static void take_owed(struct hri_cl_submission *sub)
{
    for (sub->n_owed = 0; sub->n_owed < sub->queue->n_owed; sub->n_owed++)
        sub->list[sub->n_waits++] = sub->queue->owed[sub->n_owed];
    sub->waits = sub->n_waits ? sub->list : NULL;
}

static void drop_waits(struct hri_cl_submission *sub)
{
    if (sub->list != sub->few)
        free(sub->list);
}

static hr_status prepare(struct hrb_queue *queue, const struct hrb_sync *sync, struct hri_cl_submission *sub)
{
    const struct hrb_services *services = queue->device->services;
    hr_status st;

    sub->queue = hri_cl_queue(queue);
    sub->event = NULL;
    sub->native = NULL;
    sub->out = sync->event;
    sub->n_waits = 0;
    if ((sync->flags & HR_TIMING) && !(queue->flags & HR_TIMING))
        return services->fail(HR_UNSUPPORTED, 0,
                              "HR_TIMING was asked for one event, and OpenCL times whole queues: create the queue "
                              "with HR_TIMING");
    st = take_waits(sync, sub);
    if (st != HR_OK || !sync->event)
        return st;
    sub->event = hri_cl_event_new(queue);
    if (!sub->event) {
        drop_waits(sub);
        return HR_NO_MEMORY;
    }
    return HR_OK;
}

hr_status hri_cl_submit_begin(struct hrb_queue *queue, const struct hrb_sync *sync, struct hri_cl_submission *sub)
{
    hr_status st = prepare(queue, sync, sub);

    if (st != HR_OK)
        return st;
    hri_cl_queue_enter(sub->queue);
    take_owed(sub);
    return HR_OK;
}

cl_event *hri_cl_submit_event(struct hri_cl_submission *sub)
{
    return sub->event || !sub->queue->foreign ? &sub->native : NULL;
}

void hri_cl_submit_cancel(struct hri_cl_submission *sub)
{
    hri_cl_queue_leave(sub->queue);
    drop_waits(sub);
    free(sub->event);
}

hr_status hri_cl_submit_end(struct hri_cl_submission *sub, cl_int code, const char *what)
{
    const struct hrb_services *services = sub->queue->head.device->services;

    if (code != CL_SUCCESS) {
        hri_cl_submit_cancel(sub);
        return hri_cl_fail(services, HRI_CL_CALL, code, "%s", what);
    }
    hri_cl_queue_paid(sub->queue, sub->n_owed);
    code = clFlush(sub->queue->native);
    if (code == CL_SUCCESS && sub->event) {
        sub->event->native = sub->native;
        clRetainEvent(sub->native);
    }
    if (sub->native)
        hri_cl_queue_last(sub->queue, sub->native);
    if (code != CL_SUCCESS) {
        hri_cl_submit_cancel(sub);
        return hri_cl_fail(services, HRI_CL_CALL, code, "%s: it cannot be flushed", what);
    }
    hri_cl_queue_leave(sub->queue);
    drop_waits(sub);
    if (sub->out)
        *sub->out = &sub->event->head;
    return HR_OK;
}
