/* The plain loop in OpenCL: the host's memory is mapped once for life, copies take the pointer. */
#include "bare.h"

#include <CL/cl.h>
#include <headrace/opencl.h>
#include <stdio.h>

static struct {
    cl_context context;
    cl_command_queue queue[2];
    cl_mem pinned[2], device[2];
    void *host[2];
} p;

static void need(cl_int code, const char *what)
{
    char text[32];

    if (code == CL_SUCCESS)
        return;
    snprintf(text, sizeof text, "code %d", code);
    bare_stop(what, text);
}

static void opencl_open(hr_device *of)
{
    struct _cl_context *context;
    cl_device_id device;
    cl_int code;

    if (hr_device_opencl(of, &context) != HR_OK)
        bare_stop("hr_device_opencl", hr_last_error());
    need(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, NULL), "clGetContextInfo");
    p.context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    need(code, "clCreateContext");
    for (int i = 0; i < 2; i++) {
        p.queue[i] = clCreateCommandQueue(p.context, device, 0, &code);
        need(code, "clCreateCommandQueue");
    }
}

static void opencl_buffers(size_t bytes, unsigned char *host[2])
{
    cl_int code;

    for (int i = 0; i < 2; i++) {
        p.pinned[i] = clCreateBuffer(p.context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &code);
        need(code, "clCreateBuffer");
        p.host[i] = clEnqueueMapBuffer(p.queue[i], p.pinned[i], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, NULL,
                                       NULL, &code);
        need(code, "clEnqueueMapBuffer");
        p.device[i] = clCreateBuffer(p.context, CL_MEM_READ_WRITE, bytes, NULL, &code);
        need(code, "clCreateBuffer");
        host[i] = p.host[i];
    }
}

static void opencl_copy(enum direction direction, size_t bytes, bool flush)
{
    if (direction != FROM_DEVICE)
        need(clEnqueueWriteBuffer(p.queue[0], p.device[0], CL_FALSE, 0, bytes, p.host[0], 0, NULL, NULL),
             "clEnqueueWriteBuffer");
    if (direction != FROM_DEVICE && flush)
        need(clFlush(p.queue[0]), "clFlush");
    if (direction != TO_DEVICE)
        need(clEnqueueReadBuffer(p.queue[1], p.device[1], CL_FALSE, 0, bytes, p.host[1], 0, NULL, NULL),
             "clEnqueueReadBuffer");
    if (direction != TO_DEVICE && flush)
        need(clFlush(p.queue[1]), "clFlush");
}

static void opencl_finish(void)
{
    need(clFlush(p.queue[1]), "clFlush");
    need(clFinish(p.queue[0]), "clFinish");
    need(clFinish(p.queue[1]), "clFinish");
}

static void opencl_across(size_t bytes)
{
    need(clEnqueueCopyBuffer(p.queue[0], p.device[0], p.device[1], 0, 0, bytes, 0, NULL, NULL), "clEnqueueCopyBuffer");
    opencl_finish();
}

static void opencl_free(void)
{
    for (int i = 0; i < 2; i++) {
        need(clEnqueueUnmapMemObject(p.queue[i], p.pinned[i], p.host[i], 0, NULL, NULL), "clEnqueueUnmapMemObject");
        need(clFinish(p.queue[i]), "clFinish");
        clReleaseMemObject(p.pinned[i]);
        clReleaseMemObject(p.device[i]);
    }
}

static void opencl_close(void)
{
    for (int i = 0; i < 2; i++)
        clReleaseCommandQueue(p.queue[i]);
    clReleaseContext(p.context);
}

const struct bare bare_opencl = {
    .name = "OpenCL",
    .can_flush = true,
    .open = opencl_open,
    .buffers = opencl_buffers,
    .copy = opencl_copy,
    .across = opencl_across,
    .finish = opencl_finish,
    .free = opencl_free,
    .close = opencl_close,
};
