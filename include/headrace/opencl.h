/* Native OpenCL handles in and out. Needs no OpenCL headers: the handle types are those of CL/cl.h. */
#ifndef HEADRACE_OPENCL_H
#define HEADRACE_OPENCL_H

#include <headrace/queue.h>

HR_BEGIN_DECLS

struct _cl_context;
struct _cl_device_id;
struct _cl_command_queue;
struct _cl_mem;

/**
 * Opens a device over the program's own context.
 *
 * context, device  device belongs to context; both are retained.
 * options          as for hr_device_open().
 *
 * Returns HR_OK; HR_INVALID; HR_UNAVAILABLE; HR_NO_MEMORY. Threads: any. Since 0.1.
 */
HR_API hr_status hr_device_from_opencl(struct _cl_context *context, struct _cl_device_id *device_id,
                                       const hr_device_options *options, hr_device **device);

/**
 * A queue over the program's own cl_command_queue, which is retained. Work that the program enqueues there itself is
 * ordered with this library's.
 *
 * Returns HR_OK; HR_UNSUPPORTED for an out-of-order queue; HR_INVALID (another context or device, not an OpenCL
 * device). Threads: any. Since 0.1.
 */
HR_API hr_status hr_queue_from_opencl(hr_device *device, struct _cl_command_queue *native, hr_queue **queue);

/**
 * The cl_command_queue of a queue; from then on the library assumes work of the program's own on it.
 *
 * Returns HR_OK; HR_INVALID (not an OpenCL device). Pointers: borrowed, valid while the queue is. Since 0.1.
 */
HR_API hr_status hr_queue_opencl(hr_queue *queue, struct _cl_command_queue **native);

/**
 * The cl_mem of a buffer and the buffer's first byte in it.
 *
 * Returns HR_OK; HR_INVALID (not an OpenCL device, a pinned buffer). Pointers: borrowed, valid while the buffer is;
 * declare uses with hr_buffer_used(). Since 0.1.
 */
HR_API hr_status hr_buffer_opencl(hr_buffer *buffer, struct _cl_mem **mem, uint64_t *offset);

/** The cl_context of a device. Returns HR_OK; HR_INVALID. Pointers: borrowed, valid while the device is. Since 0.1. */
HR_API hr_status hr_device_opencl(hr_device *device, struct _cl_context **context);

HR_END_DECLS

#endif
