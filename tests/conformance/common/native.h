/* Work that a program enqueues by the driver's own interface, on the handles that the library gives: the same few
 * commands for OpenCL and for CUDA. */
#ifndef CONFORMANCE_NATIVE_H
#define CONFORMANCE_NATIVE_H

#include "conformance.h"

bool native_is_opencl(void);
bool native_is_cuda(void);

#define NEEDS_NATIVE()                                                                                                 \
    do {                                                                                                               \
        if (!native_is_opencl() && !native_is_cuda())                                                                  \
            NOT_APPLICABLE("this device has no native handles");                                                       \
    } while (0)

/* Enqueued on the queue's native handle. */
void native_copy(hr_queue *queue, hr_buffer *dst, uint64_t dst_offset, hr_buffer *src, uint64_t src_offset,
                 uint64_t bytes);
void native_fill(hr_queue *queue, hr_buffer *buffer, uint64_t offset, uint32_t word, uint64_t bytes);

#endif
