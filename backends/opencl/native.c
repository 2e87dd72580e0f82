/* include/headrace/opencl.h: native handles in and out, through what the core offers to backends. */
#include "opencl/internal.h"

#include <headrace/opencl.h>

extern const struct hrb_backend hrb_backend_opencl;

hr_status hr_device_from_opencl(struct _cl_context *context, struct _cl_device_id *device_id,
                                const hr_device_options *options, hr_device **device)
{
    const struct hrb_native native = {.context = context, .device = device_id};

    return hrb_open_native(&hrb_backend_opencl, &native, options, device);
}

hr_status hr_queue_from_opencl(hr_device *device, struct _cl_command_queue *native, hr_queue **queue)
{
    return hrb_queue_from_native(device, &hri_cl_ops, native, queue);
}

hr_status hr_queue_opencl(hr_queue *queue, struct _cl_command_queue **native)
{
    void *handle;
    hr_status st = hrb_queue_native(queue, &hri_cl_ops, native ? &handle : NULL);

    if (st == HR_OK)
        *native = handle;
    return st;
}

hr_status hr_buffer_opencl(hr_buffer *buffer, struct _cl_mem **mem, uint64_t *offset)
{
    void *handle;
    hr_status st = hrb_buffer_native(buffer, &hri_cl_ops, mem ? &handle : NULL, offset);

    if (st == HR_OK)
        *mem = handle;
    return st;
}

hr_status hr_device_opencl(hr_device *device, struct _cl_context **context)
{
    struct hrb_native native;
    hr_status st = hrb_device_native(device, &hri_cl_ops, context ? &native : NULL);

    if (st == HR_OK)
        *context = native.context;
    return st;
}
