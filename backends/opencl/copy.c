/* Plain copies and fills. Host memory is always given as a pointer: pinned buffers are mapped, so they are no operands.
 */
#include "opencl/internal.h"

hr_status hri_cl_copy(struct hrb_queue *queue, const struct hrb_place *dst, const struct hrb_place *src, uint64_t bytes,
                      const struct hrb_sync *sync)
{
    cl_command_queue native = hri_cl_queue(queue)->native;
    struct hri_cl_submission sub;
    cl_int code;
    hr_status st = hri_cl_submit_begin(queue, sync, &sub);

    if (st != HR_OK)
        return st;
    if (src->host)
        code = clEnqueueWriteBuffer(native, hri_cl_buffer(dst->buffer)->mem, CL_FALSE, dst->offset, bytes,
                                    (const char *)src->host + src->offset, sub.n_waits, sub.waits,
                                    hri_cl_submit_event(&sub));
    else if (dst->host)
        code = clEnqueueReadBuffer(native, hri_cl_buffer(src->buffer)->mem, CL_FALSE, src->offset, bytes,
                                   (char *)dst->host + dst->offset, sub.n_waits, sub.waits, hri_cl_submit_event(&sub));
    else
        code = clEnqueueCopyBuffer(native, hri_cl_buffer(src->buffer)->mem, hri_cl_buffer(dst->buffer)->mem,
                                   src->offset, dst->offset, bytes, sub.n_waits, sub.waits, hri_cl_submit_event(&sub));
    return hri_cl_submit_end(&sub, code, "a copy cannot be submitted");
}

hr_status hri_cl_fill(struct hrb_queue *queue, struct hrb_buffer *buffer, uint64_t offset, uint64_t bytes,
                      const void *pattern, uint32_t pattern_bytes, const struct hrb_sync *sync)
{
    struct hri_cl_submission sub;
    hr_status st = hri_cl_submit_begin(queue, sync, &sub);

    if (st != HR_OK)
        return st;
    return hri_cl_submit_end(&sub,
                             clEnqueueFillBuffer(hri_cl_queue(queue)->native, hri_cl_buffer(buffer)->mem, pattern,
                                                 pattern_bytes, offset, bytes, sub.n_waits, sub.waits,
                                                 hri_cl_submit_event(&sub)),
                             "a fill cannot be submitted");
}
