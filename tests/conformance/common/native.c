/* Commands of the driver's own interface; see native.h. */
#define CL_TARGET_OPENCL_VERSION 120
#include "native.h"
#include "native_cuda.h"

#include <CL/cl.h>
#include <headrace/cuda.h>
#include <headrace/opencl.h>
#include <string.h>

bool native_is_opencl(void)
{
    return strcmp(info.backend, "opencl") == 0 || strcmp(info.backend, "pocl") == 0;
}

bool native_is_cuda(void)
{
    return strcmp(info.backend, "cuda") == 0;
}

static cl_command_queue opencl_queue(hr_queue *queue)
{
    cl_command_queue native = NULL;

    OK(hr_queue_opencl(queue, &native));
    return native;
}

static cl_mem opencl_buffer(hr_buffer *buffer, uint64_t *offset)
{
    cl_mem memory = NULL;
    uint64_t base = 0;

    OK(hr_buffer_opencl(buffer, &memory, &base));
    *offset += base;
    return memory;
}

static struct CUstream_st *cuda_stream(hr_queue *queue)
{
    struct CUstream_st *stream = NULL;

    OK(hr_queue_cuda(queue, &stream));
    return stream;
}

static cuda_pointer cuda_address(hr_buffer *buffer, uint64_t offset)
{
    cuda_pointer pointer = 0;

    OK(hr_buffer_cuda(buffer, &pointer));
    return pointer + offset;
}

/* Around the calls: the context that the device's handles belong to. */
static void cuda_enter(void)
{
    struct CUctx_st *context = NULL;

    OK(hr_device_cuda(device, &context));
    assert_int_equal(cuda_driver()->push(context), 0);
}

static void cuda_leave(void)
{
    struct CUctx_st *popped;

    assert_int_equal(cuda_driver()->pop(&popped), 0);
}

void native_copy(hr_queue *queue, hr_buffer *dst, uint64_t dst_offset, hr_buffer *src, uint64_t src_offset,
                 uint64_t bytes)
{
    if (native_is_cuda()) {
        cuda_enter();
        assert_int_equal(cuda_driver()->copy(cuda_address(dst, dst_offset), cuda_address(src, src_offset), bytes,
                                             cuda_stream(queue)),
                         0);
        cuda_leave();
        return;
    }
    cl_mem to = opencl_buffer(dst, &dst_offset);
    cl_mem from = opencl_buffer(src, &src_offset);

    assert_int_equal(clEnqueueCopyBuffer(opencl_queue(queue), from, to, src_offset, dst_offset, bytes, 0, NULL, NULL),
                     CL_SUCCESS);
}

void native_fill(hr_queue *queue, hr_buffer *buffer, uint64_t offset, uint32_t word, uint64_t bytes)
{
    if (native_is_cuda()) {
        cuda_enter();
        assert_int_equal(cuda_driver()->fill(cuda_address(buffer, offset), word, bytes / 4, cuda_stream(queue)), 0);
        cuda_leave();
        return;
    }
    cl_mem memory = opencl_buffer(buffer, &offset);

    assert_int_equal(clEnqueueFillBuffer(opencl_queue(queue), memory, &word, 4, offset, bytes, 0, NULL, NULL),
                     CL_SUCCESS);
}
