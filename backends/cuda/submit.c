/* What every submission has in common: the context, the events that its stream waits for, the event behind it. */
#include "cuda/internal.h"

static hri_cu_result wait_for(const struct hri_cu_queue *queue, const struct hrb_sync *sync)
{
    const struct hri_cu *cu = hri_cu_device(queue->head.device)->cu;

    for (uint32_t i = 0; i < sync->n_waits; i++) {
        struct hrb_event *event = sync->waits[i];
        hri_cu_result code;

        if (event->queue == &queue->head)
            continue; /* in order anyway */
        code = cu->StreamWaitEvent(queue->stream, hri_cu_event_object(event)->done, 0);
        if (code != HRI_CU_SUCCESS)
            return code;
    }
    return HRI_CU_SUCCESS;
}

/* Inside the context: what goes before the work itself. */
static hr_status prepare(struct hri_cu_submission *sub, const struct hrb_sync *sync)
{
    struct hri_cu_queue *queue = sub->queue;
    struct hri_cu_device *device = hri_cu_device(queue->head.device);
    hri_cu_result code;
    hr_status st = hri_cu_queue_check(queue);

    if (st != HR_OK)
        return st;
    if (sync->event) {
        st = hri_cu_event_take(&queue->head, ((sync->flags | queue->head.flags) & HR_TIMING) != 0, &sub->event);
        if (st != HR_OK)
            return st;
    }
    code = wait_for(queue, sync);
    if (code == HRI_CU_SUCCESS && sub->event && sub->event->start)
        code = device->cu->EventRecord(sub->event->start, queue->stream);
    if (code == HRI_CU_SUCCESS)
        return HR_OK;
    if (sub->event)
        hri_cu_event_give(device, sub->event);
    return hri_cu_fail(device, HRI_CU_CALL, code, "a queue cannot wait for an event");
}

hr_status hri_cu_submit_begin(struct hrb_queue *queue, const struct hrb_sync *sync, struct hri_cu_submission *sub)
{
    hr_status st;

    *sub = (struct hri_cu_submission){.queue = hri_cu_queue(queue), .out = sync->event};
    st = hri_cu_enter_stream(hri_cu_device(queue->device));
    if (st != HR_OK)
        return st;
    st = prepare(sub, sync);
    if (st != HR_OK)
        hri_cu_leave_stream(hri_cu_device(queue->device));
    return st;
}

hr_status hri_cu_submit_cancel(struct hri_cu_submission *sub, hr_status status)
{
    struct hri_cu_device *device = hri_cu_device(sub->queue->head.device);

    if (sub->event)
        hri_cu_event_give(device, sub->event);
    hri_cu_leave_stream(device);
    return status;
}

hr_status hri_cu_submit_end(struct hri_cu_submission *sub, hri_cu_result code, const char *what)
{
    const struct hri_cu_device *device = hri_cu_device(sub->queue->head.device);

    if (code == HRI_CU_SUCCESS && sub->event)
        code = device->cu->EventRecord(sub->event->done, sub->queue->stream);
    if (code != HRI_CU_SUCCESS)
        return hri_cu_submit_cancel(sub, hri_cu_fail(device, HRI_CU_CALL, code, "%s", what));
    hri_cu_leave_stream(device);
    if (sub->out)
        *sub->out = &sub->event->head;
    return HR_OK;
}
