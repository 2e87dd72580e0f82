/* Host access to device memory: shared memory needs order alone, other memory a map. */
#include "opencl/internal.h"

static cl_map_flags map_flags(uint32_t mode)
{
    cl_map_flags flags = 0;

    /* The flags exclude each other, and what is read as well must be fetched. */
    if ((mode & HR_ACCESS_DISCARD) && (mode & HR_ACCESS_WRITE) && !(mode & HR_ACCESS_READ))
        return CL_MAP_WRITE_INVALIDATE_REGION;
    if (mode & HR_ACCESS_READ)
        flags |= CL_MAP_READ;
    if (mode & HR_ACCESS_WRITE)
        flags |= CL_MAP_WRITE;
    return flags;
}

static hr_status acquire_mapped(struct hri_cl_device *device, const struct hri_cl_buffer *buffer,
                                cl_command_queue queue, uint32_t mode, void **ptr)
{
    cl_event event = NULL;
    cl_int flushed = CL_SUCCESS;
    cl_int code;
    void *mapped;
    hr_status st;

    hri_cl_enter(device);
    mapped = clEnqueueMapBuffer(queue, buffer->mem, CL_FALSE, map_flags(mode), 0, buffer->head.bytes, 0, NULL, &event,
                                &code);
    if (mapped)
        flushed = clFlush(queue);
    hri_cl_leave(device);
    if (!mapped)
        return hri_cl_fail(device->head.services, HRI_CL_CALL, code, "a buffer of %llu bytes cannot be mapped",
                           (unsigned long long)buffer->head.bytes);
    st = flushed == CL_SUCCESS
             ? hri_cl_wait(device, event, HR_FOREVER)
             : hri_cl_fail(device->head.services, HRI_CL_CALL, flushed, "the map of a buffer cannot be submitted");
    hri_cl_enter(device);
    clReleaseEvent(event);
    if (st != HR_OK)
        clEnqueueUnmapMemObject(queue, buffer->mem, mapped, 0, NULL, NULL);
    hri_cl_leave(device);
    if (st == HR_OK)
        *ptr = mapped;
    return st;
}

/* A map takes no part in the queue's waits. */
static cl_int settle(struct hri_cl_queue *queue)
{
    cl_int code;

    hri_cl_queue_enter(queue);
    code = hri_cl_queue_settle(queue);
    hri_cl_queue_leave(queue);
    return code;
}

hr_status hri_cl_buffer_acquire(struct hrb_buffer *buffer, struct hrb_queue *queue, uint32_t mode, void **ptr)
{
    struct hri_cl_device *device = hri_cl_device(buffer->device);

    if (!buffer->host) {
        cl_int code = queue ? settle(hri_cl_queue(queue)) : CL_SUCCESS;

        if (code != CL_SUCCESS)
            return hri_cl_fail(buffer->device->services, HRI_CL_CALL, code, "a queue cannot wait for an event");
        return acquire_mapped(device, hri_cl_buffer(buffer), queue ? hri_cl_queue(queue)->native : device->maps, mode,
                              ptr);
    }
    if (queue) {
        hr_status st = hri_cl_queue_finish(queue);

        if (st != HR_OK)
            return st;
    }
    *ptr = buffer->host;
    return HR_OK;
}

/* The unmap is a command like any other: what is recorded next stands behind it. */
static cl_int unmap_in(struct hri_cl_queue *queue, const struct hri_cl_buffer *buffer, void *ptr)
{
    cl_event event = NULL;
    cl_int code;

    hri_cl_queue_enter(queue);
    code = hri_cl_queue_settle(queue);
    if (code == CL_SUCCESS)
        code = clEnqueueUnmapMemObject(queue->native, buffer->mem, ptr, 0, NULL, queue->foreign ? NULL : &event);
    if (event)
        hri_cl_queue_last(queue, event);
    if (code == CL_SUCCESS)
        code = clFlush(queue->native);
    hri_cl_queue_leave(queue);
    return code;
}

/* Without a queue: on the one for maps. */
static cl_int unmap_now(const struct hri_cl_device *device, const struct hri_cl_buffer *buffer, void *ptr)
{
    cl_int code;

    hri_cl_enter(device);
    code = clEnqueueUnmapMemObject(device->maps, buffer->mem, ptr, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = clFlush(device->maps);
    hri_cl_leave(device);
    return code;
}

hr_status hri_cl_buffer_release(struct hrb_buffer *buffer, struct hrb_queue *queue, void *ptr)
{
    const struct hri_cl_device *device = hri_cl_device(buffer->device);
    cl_int code;

    if (buffer->host)
        return HR_OK; /* what is enqueued from now on sees shared memory as the host left it */
    code = queue ? unmap_in(hri_cl_queue(queue), hri_cl_buffer(buffer), ptr)
                 : unmap_now(device, hri_cl_buffer(buffer), ptr);
    if (code != CL_SUCCESS)
        return hri_cl_fail(device->head.services, HRI_CL_CALL, code, "a buffer cannot be unmapped");
    return HR_OK;
}
