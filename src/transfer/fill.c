/* Fills of device memory. */
#include "transfer/copy.h"

static hr_status check(hr_queue *queue, const hr_buffer *dst, uint64_t offset, uint64_t bytes, const void *pattern,
                       uint32_t pattern_bytes)
{
    hr_status st = hri_check_operand("hr_fill", "dst", queue, dst);

    if (st != HR_OK)
        return st;
    if (pattern == NULL)
        return hri_fail(HR_INVALID, "hr_fill: pattern is NULL");
    if (pattern_bytes == 0 || pattern_bytes > 16 || (pattern_bytes & (pattern_bytes - 1)) != 0)
        return hri_fail(HR_INVALID, "hr_fill: a pattern of %u bytes: use 1, 2, 4, 8 or 16", pattern_bytes);
    if (hri_is_host_side(dst))
        return hri_fail(HR_INVALID, "hr_fill: dst is host memory: fill it through hr_buffer_acquire()");
    if (offset % pattern_bytes != 0 || bytes % pattern_bytes != 0)
        return hri_fail(HR_INVALID, "hr_fill: %llu bytes at %llu are not multiples of the pattern's %u bytes",
                        (unsigned long long)bytes, (unsigned long long)offset, pattern_bytes);
    return hri_check_range("hr_fill", "dst", dst, offset, bytes);
}

hr_status hr_fill(hr_queue *queue, hr_buffer *dst, uint64_t offset, uint64_t bytes, const void *pattern,
                  uint32_t pattern_bytes, const hr_sync *sync)
{
    struct hri_job job;
    hr_status st = check(queue, dst, offset, bytes, pattern, pattern_bytes);

    if (st != HR_OK)
        return st;
    st = hri_job_begin(&job, queue, sync);
    if (st != HR_OK)
        return st;
    st = hri_job_uses(&job, dst);
    if (st == HR_OK)
        st = bytes == 0 ? hri_job_nothing(&job)
                        : queue->device->ops->fill(queue->native, dst->native, offset, bytes, pattern, pattern_bytes,
                                                   &job.sync);
    return hri_job_end(&job, st);
}
