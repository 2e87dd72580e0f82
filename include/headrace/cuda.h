/* Native CUDA handles in and out. Needs no CUDA headers: the handle types are those of cuda.h. */
#ifndef HEADRACE_CUDA_H
#define HEADRACE_CUDA_H

#include <headrace/queue.h>

HR_BEGIN_DECLS

struct CUctx_st;
struct CUstream_st;

/**
 * Opens a device over the program's own context, such as one of cuCtxCreate() or the primary one, which the runtime
 * interface and the frameworks upon it use.
 *
 * context  a CUcontext, which the program keeps alive until the device and all that was made of it are closed. No call
 *          of this library changes which context is current.
 * options  as for hr_device_open().
 *
 * Returns HR_OK; HR_INVALID (NULL, or no live context); HR_UNAVAILABLE; HR_NO_MEMORY. Threads: any. Since 0.1.
 */
HR_API hr_status hr_device_from_cuda(struct CUctx_st *context, const hr_device_options *options, hr_device **device);

/**
 * A queue over the program's own stream. Work that the program enqueues there itself is ordered with this library's.
 *
 * stream  a CUstream of the device's context, which the program keeps alive until the queue is closed. NULL and
 *         CU_STREAM_LEGACY are the legacy default stream, as PyTorch and others use it. While the stream is capturing
 *         into a graph, work on the queue is refused.
 *
 * Returns HR_OK; HR_UNSUPPORTED for CU_STREAM_PER_THREAD, which is another stream for each of this library's threads,
 * and for a stream that is capturing; HR_INVALID (another context's, not a CUDA device). Threads: any. Since 0.1.
 */
HR_API hr_status hr_queue_from_cuda(hr_device *device, struct CUstream_st *stream, hr_queue **queue);

/**
 * The CUstream of a queue; from then on the library assumes work of the program's own on it.
 *
 * Returns HR_OK; HR_INVALID (not a CUDA device). Pointers: borrowed, valid while the queue is. Since 0.1.
 */
HR_API hr_status hr_queue_cuda(hr_queue *queue, struct CUstream_st **stream);

/**
 * The CUdeviceptr of a buffer's first byte.
 *
 * Returns HR_OK; HR_INVALID (not a CUDA device, a pinned buffer). The address is valid while the buffer is; declare
 * uses with hr_buffer_used(). Since 0.1.
 */
HR_API hr_status hr_buffer_cuda(hr_buffer *buffer, unsigned long long *pointer);

/**
 * The CUcontext of a device, the device's primary one unless the program gave its own: what is to be current where the
 * program calls CUDA on the handles above.
 *
 * Returns HR_OK; HR_INVALID (not a CUDA device). Pointers: borrowed, valid while the device is. Since 0.1.
 */
HR_API hr_status hr_device_cuda(hr_device *device, struct CUctx_st **context);

HR_END_DECLS

#endif
