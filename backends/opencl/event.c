/* Events: that of a copy or kernel, and those that are recorded: the queue's last command's, or a marker's. */
#include "opencl/internal.h"

#include <stdlib.h>

struct hri_cl_event *hri_cl_event_new(struct hrb_queue *queue)
{
    struct hri_cl_event *event = calloc(1, sizeof *event);

    if (event)
        event->head.queue = queue;
    else
        queue->device->services->fail(HR_NO_MEMORY, 0, "no memory for an event");
    return event;
}

/* Where the program's own commands may stand behind the last one that is known. */
static hr_status record_marker(struct hrb_queue *queue, uint32_t flags, struct hrb_event **event)
{
    const struct hrb_sync sync = {.flags = flags, .event = event};
    struct hri_cl_submission sub;
    hr_status st = hri_cl_submit_begin(queue, &sync, &sub);

    if (st != HR_OK)
        return st;
    sub.n_owed = 0; /* with a wait list it would stand for that list alone */
    return hri_cl_submit_end(
        &sub, clEnqueueMarkerWithWaitList(hri_cl_queue(queue)->native, 0, NULL, hri_cl_submit_event(&sub)),
        "an event cannot be recorded");
}

static hr_status cannot_wait(const struct hrb_queue *queue, cl_int code)
{
    return hri_cl_fail(queue->device->services, HRI_CL_CALL, code, "a queue cannot wait for an event");
}

hr_status hri_cl_event_record(struct hrb_queue *queue, uint32_t flags, struct hrb_event **event)
{
    struct hri_cl_queue *recorded = hri_cl_queue(queue);
    struct hri_cl_event *made;
    cl_int code;

    /* Times are asked for: a marker's are those of the record itself. */
    if (flags & HR_TIMING) {
        hri_cl_queue_enter(recorded);
        code = hri_cl_queue_settle(recorded);
        hri_cl_queue_leave(recorded);
        if (code != CL_SUCCESS)
            return cannot_wait(queue, code);
        return record_marker(queue, flags, event);
    }
    made = hri_cl_event_new(queue);
    if (!made)
        return HR_NO_MEMORY;
    hri_cl_queue_enter(recorded);
    if (recorded->foreign) {
        hri_cl_queue_leave(recorded);
        free(made);
        return record_marker(queue, flags, event);
    }
    code = hri_cl_queue_settle(recorded);
    made->native = recorded->last;
    if (made->native)
        clRetainEvent(made->native);
    hri_cl_queue_leave(recorded);
    if (code != CL_SUCCESS) {
        hri_cl_event_destroy(&made->head);
        return cannot_wait(queue, code);
    }
    *event = &made->head;
    return HR_OK;
}

hr_status hri_cl_event_wait(struct hrb_event *event, uint64_t timeout_ns)
{
    cl_event native = hri_cl_event(event)->native;

    return native ? hri_cl_wait(hri_cl_device(event->queue->device), native, timeout_ns) : HR_OK;
}

hr_status hri_cl_event_query(struct hrb_event *event, uint32_t *done)
{
    hr_status st = hri_cl_event_wait(event, 0);

    if (st != HR_OK && st != HR_TIMEOUT)
        return st;
    *done = st == HR_OK;
    return HR_OK;
}

hr_status hri_cl_event_times(struct hrb_event *event, uint64_t *start_ns, uint64_t *end_ns)
{
    const struct hrb_services *services = event->queue->device->services;
    cl_event native = hri_cl_event(event)->native;
    cl_ulong start = 0;
    cl_ulong end = 0;
    cl_int code;

    if (!(event->queue->flags & HR_TIMING))
        return services->fail(HR_UNSUPPORTED, 0, "the event's queue was created without HR_TIMING");
    if (!native)
        return services->fail(HR_UNSUPPORTED, 0, "the event was recorded before any work, so it has no times");
    code = clGetEventProfilingInfo(native, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL);
    if (code == CL_SUCCESS)
        code = clGetEventProfilingInfo(native, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    if (code == CL_PROFILING_INFO_NOT_AVAILABLE)
        return services->fail(HR_UNSUPPORTED, code, "the driver has no times for the event");
    if (code != CL_SUCCESS)
        return hri_cl_fail(services, HRI_CL_CALL, code, "the times of an event cannot be read");
    *start_ns = start;
    *end_ns = end;
    return HR_OK;
}

void hri_cl_event_destroy(struct hrb_event *event)
{
    const struct hri_cl_device *device = hri_cl_device(event->queue->device);

    hri_cl_enter(device);
    if (hri_cl_event(event)->native)
        clReleaseEvent(hri_cl_event(event)->native);
    hri_cl_leave(device);
    free(event);
}
