/*
 * Pinned host memory by the recipe that reaches the link's speed on every driver: memory of the driver's, mapped once
 * and for life. Copies take the mapped pointer; the buffer itself is never an operand, since it is mapped.
 */
#include "opencl/internal.h"

#include <unistd.h>

static hr_status map(struct hri_cl_device *device, uint64_t bytes, size_t slack, struct hri_cl_buffer *buffer)
{
    const struct hrb_services *services = device->head.services;
    cl_int code;

    buffer->mem =
        clCreateBuffer(device->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes + slack, NULL, &code);
    if (!buffer->mem)
        return hri_cl_fail(services, HRI_CL_ALLOC_PINNED, code, "no pinned memory of %llu bytes",
                           (unsigned long long)bytes);
    hri_cl_enter(device);
    buffer->mapped = clEnqueueMapBuffer(device->maps, buffer->mem, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                        bytes + slack, 0, NULL, NULL, &code);
    hri_cl_leave(device);
    if (buffer->mapped)
        return HR_OK;
    clReleaseMemObject(buffer->mem);
    return hri_cl_fail(services, HRI_CL_ALLOC_PINNED, code, "pinned memory of %llu bytes cannot be mapped",
                       (unsigned long long)bytes);
}

static void unmap(struct hri_cl_device *device, struct hri_cl_buffer *buffer)
{
    /* Nothing is lost if it fails: the memory goes with the buffer. */
    hri_cl_enter(device);
    clEnqueueUnmapMemObject(device->maps, buffer->mem, buffer->mapped, 0, NULL, NULL);
    clFlush(device->maps);
    hri_cl_leave(device);
}

/* Bytes from the mapped pointer to the first page that begins in it. */
static size_t to_page(const void *pointer, size_t page)
{
    return (size_t)(-(uintptr_t)pointer & (page - 1));
}

hr_status hri_cl_pinned_create(struct hri_cl_device *device, uint64_t bytes, struct hri_cl_buffer *buffer)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t slack = atomic_load(&device->pinned_slack);
    hr_status st = map(device, bytes, slack, buffer);

    if (st == HR_OK && to_page(buffer->mapped, page) > slack) {
        /* This driver's memory begins anywhere: from now on a page more is asked for, and its first page used. */
        unmap(device, buffer);
        clReleaseMemObject(buffer->mem);
        slack = page;
        atomic_store(&device->pinned_slack, slack);
        st = map(device, bytes, slack, buffer);
    }
    if (st != HR_OK)
        return st;
    buffer->root = buffer->mem;
    buffer->head.host = (char *)buffer->mapped + to_page(buffer->mapped, page);
    return HR_OK;
}

void hri_cl_pinned_destroy(struct hri_cl_device *device, struct hri_cl_buffer *buffer)
{
    unmap(device, buffer);
}
