/* include/headrace/cuda.h: native handles in and out, through what the core offers to backends. */
#include "cuda/internal.h"

#include <headrace/cuda.h>

extern const struct hrb_ops hri_cu_ops;
extern const struct hrb_backend hrb_backend_cuda;

/* The default stream's handle (CU_STREAM_LEGACY), which unlike NULL is no missing one. */
#define LEGACY_STREAM ((uintptr_t)1)

hr_status hr_device_from_cuda(struct CUctx_st *context, const hr_device_options *options, hr_device **device)
{
    const struct hrb_native native = {.context = context};

    return hrb_open_native(&hrb_backend_cuda, &native, options, device);
}

hr_status hr_queue_from_cuda(hr_device *device, struct CUstream_st *stream, hr_queue **queue)
{
    void *native = stream ? stream : (void *)LEGACY_STREAM;

    return hrb_queue_from_native(device, &hri_cu_ops, native, queue);
}

hr_status hr_queue_cuda(hr_queue *queue, struct CUstream_st **stream)
{
    void *native;
    hr_status st = hrb_queue_native(queue, &hri_cu_ops, stream ? &native : NULL);

    if (st == HR_OK)
        *stream = native;
    return st;
}

hr_status hr_buffer_cuda(hr_buffer *buffer, unsigned long long *pointer)
{
    void *native;
    uint64_t offset;
    hr_status st = hrb_buffer_native(buffer, &hri_cu_ops, pointer ? &native : NULL, &offset);

    if (st == HR_OK)
        *pointer = (uintptr_t)native + offset;
    return st;
}

hr_status hr_device_cuda(hr_device *device, struct CUctx_st **context)
{
    struct hrb_native native;
    hr_status st = hrb_device_native(device, &hri_cu_ops, context ? &native : NULL);

    if (st == HR_OK)
        *context = native.context;
    return st;
}
