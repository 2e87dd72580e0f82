/* In-order queues: ours, or the program's own, which must be in order too. */
#include "opencl/internal.h"

#include <stdlib.h>
#include <string.h>

/* What a queue answers, NULL or 0 when it does not. */
static void *queue_handle(cl_command_queue queue, cl_command_queue_info what)
{
    void *handle = NULL;

    return clGetCommandQueueInfo(queue, what, sizeof handle, &handle, NULL) == CL_SUCCESS ? handle : NULL;
}

/* Refuses the program's queues that cannot be used; *flags gains HR_TIMING when the queue has it. */
static hr_status check_native(const struct hri_cl_device *device, cl_command_queue native, uint32_t *flags)
{
    const struct hrb_services *services = device->head.services;
    cl_command_queue_properties properties = 0;
    cl_int code = clGetCommandQueueInfo(native, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL);

    if (code != CL_SUCCESS)
        return services->fail(HR_INVALID, code, "the cl_command_queue does not tell its properties (%s)",
                              hri_cl_code_name(code));
    if (queue_handle(native, CL_QUEUE_CONTEXT) != (void *)device->context)
        return services->fail(HR_INVALID, 0,
                              "the cl_command_queue belongs to another cl_context than the device: open the device "
                              "with hr_device_from_opencl() and the queue's context");
    if (queue_handle(native, CL_QUEUE_DEVICE) != (void *)device->device)
        return services->fail(HR_INVALID, 0, "the cl_command_queue belongs to another cl_device_id of the context");
    if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        return services->fail(HR_UNSUPPORTED, 0,
                              "the cl_command_queue has CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE: only in-order queues "
                              "can be used, create one without that property");
    if ((*flags & HR_TIMING) && !(properties & CL_QUEUE_PROFILING_ENABLE))
        return services->fail(HR_UNSUPPORTED, 0,
                              "HR_TIMING was asked for and the cl_command_queue lacks CL_QUEUE_PROFILING_ENABLE");
    if (properties & CL_QUEUE_PROFILING_ENABLE)
        *flags |= HR_TIMING;
    return HR_OK;
}

/* The program's queue, retained, or one of ours. */
static hr_status take_queue(struct hri_cl_device *device, cl_command_queue given, uint32_t *flags,
                            cl_command_queue *taken)
{
    const struct hrb_services *services = device->head.services;
    cl_command_queue_properties properties = *flags & HR_TIMING ? CL_QUEUE_PROFILING_ENABLE : 0;
    cl_command_queue queue;
    cl_int code;

    if (given) {
        hr_status st = check_native(device, given, flags);

        if (st != HR_OK)
            return st;
        code = clRetainCommandQueue(given);
        if (code != CL_SUCCESS)
            return hri_cl_fail(services, HRI_CL_CALL, code, "the program's cl_command_queue cannot be retained");
        *taken = given;
        return HR_OK;
    }
    if ((*flags & HR_TIMING) && !device->traits.device_timing)
        return services->fail(HR_UNSUPPORTED, 0, "HR_TIMING was asked for and \"%s\" has no timestamps",
                              device->traits.info.name);
    queue = clCreateCommandQueue(device->context, device->device, properties, &code);
    if (!queue)
        return hri_cl_fail(services, HRI_CL_CALL, code, "no command queue on \"%s\"", device->traits.info.name);
    *taken = queue;
    return HR_OK;
}

hr_status hri_cl_queue_create(struct hrb_device *device, uint32_t role, uint32_t flags, void *native,
                              struct hrb_queue **queue)
{
    struct hri_cl_queue *made = calloc(1, sizeof *made);
    hr_status st;

    if (!made)
        return device->services->fail(HR_NO_MEMORY, 0, "no memory for a queue");
    st = take_queue(hri_cl_device(device), native, &flags, &made->native);
    if (st != HR_OK) {
        free(made);
        return st;
    }
    made->head.device = device;
    made->head.role = role;
    made->head.flags = flags;
    made->foreign = native != NULL;
    pthread_mutex_init(&made->lock, NULL);
    *queue = &made->head;
    return HR_OK;
}

void hri_cl_queue_destroy(struct hrb_queue *queue)
{
    const struct hri_cl_device *device = hri_cl_device(queue->device);

    hri_cl_enter(device);
    hri_cl_queue_paid(hri_cl_queue(queue), hri_cl_queue(queue)->n_owed); /* nothing came that could wait */
    if (hri_cl_queue(queue)->last)
        clReleaseEvent(hri_cl_queue(queue)->last);
    clReleaseCommandQueue(hri_cl_queue(queue)->native); /* work in flight keeps what it needs */
    hri_cl_leave(device);
    pthread_mutex_destroy(&hri_cl_queue(queue)->lock);
    free(queue);
}

void hri_cl_queue_last(struct hri_cl_queue *queue, cl_event native)
{
    if (queue->last)
        clReleaseEvent(queue->last);
    queue->last = native;
}

/* An event and a wait that sleeps: some drivers spin in clFinish. Where no event is to be had that is still better than
 * to leave while work runs, since a failure too is taken for its end. */
hr_status hri_cl_queue_finish(struct hrb_queue *queue)
{
    struct hrb_event *event;
    hr_status st = hri_cl_event_record(queue, 0, &event);

    if (st != HR_OK) {
        hri_cl_enter(hri_cl_device(queue->device));
        clFinish(hri_cl_queue(queue)->native);
        hri_cl_leave(hri_cl_device(queue->device));
        return st;
    }
    st = hri_cl_event_wait(event, HR_FOREVER);
    hri_cl_event_destroy(event);
    return st;
}

void hri_cl_queue_paid(struct hri_cl_queue *queue, cl_uint n)
{
    for (cl_uint i = 0; i < n; i++)
        clReleaseEvent(queue->owed[i]);
    queue->n_owed -= n;
    memmove(queue->owed, queue->owed + n, queue->n_owed * sizeof *queue->owed);
}

cl_int hri_cl_queue_settle(struct hri_cl_queue *queue)
{
    cl_event barrier = NULL;
    cl_int code;

    if (queue->n_owed == 0)
        return CL_SUCCESS;
    code = clEnqueueBarrierWithWaitList(queue->native, queue->n_owed, queue->owed, &barrier);
    if (code != CL_SUCCESS)
        return code;
    hri_cl_queue_last(queue, barrier);
    hri_cl_queue_paid(queue, queue->n_owed);
    return clFlush(queue->native);
}

/* Keeps the event for the next command; a queue that has the program's own commands too waits at once. */
static cl_int owe(struct hri_cl_queue *queue, cl_event event)
{
    cl_int code;

    if (queue->foreign)
        return clEnqueueBarrierWithWaitList(queue->native, 1, &event, NULL);
    code = queue->n_owed == HRI_CL_MOST_OWED ? hri_cl_queue_settle(queue) : CL_SUCCESS;
    if (code == CL_SUCCESS)
        code = clRetainEvent(event);
    if (code == CL_SUCCESS)
        queue->owed[queue->n_owed++] = event;
    return code;
}

/* The event's work was flushed when it was submitted. An event that is done needs no wait: the look at it is a
 * synchronisation point. */
hr_status hri_cl_queue_wait(struct hrb_queue *queue, struct hrb_event *event)
{
    struct hri_cl_queue *waiting = hri_cl_queue(queue);
    cl_event native = hri_cl_event(event)->native;
    cl_int code;
    hr_status st;

    if (event->queue == queue || !native)
        return HR_OK; /* in order, or nothing to wait for */
    st = hri_cl_wait(hri_cl_device(queue->device), native, 0);
    if (st != HR_TIMEOUT)
        return st;
    hri_cl_queue_enter(waiting);
    code = owe(waiting, native);
    hri_cl_queue_leave(waiting);
    if (code != CL_SUCCESS)
        return hri_cl_fail(queue->device->services, HRI_CL_CALL, code, "a queue cannot wait for an event");
    return HR_OK;
}

/* From here on the program may enqueue work of its own. */
hr_status hri_cl_queue_native(struct hrb_queue *queue, void **native)
{
    struct hri_cl_queue *given = hri_cl_queue(queue);
    cl_int code;

    hri_cl_queue_enter(given);
    code = hri_cl_queue_settle(given);
    if (code == CL_SUCCESS)
        given->foreign = true;
    hri_cl_queue_leave(given);
    if (code != CL_SUCCESS)
        return hri_cl_fail(queue->device->services, HRI_CL_CALL, code, "a queue cannot wait for an event");
    *native = given->native;
    return HR_OK;
}
