/* Copies between buffers, and the checks that all copies share. */
#include "transfer/copy.h"

#include "core/util.h"

struct hrb_place hri_place(const hr_buffer *buffer, uint64_t offset)
{
    return (struct hrb_place){
        .buffer = buffer->native,
        .host = hri_is_host_side(buffer) ? buffer->native->host : NULL,
        .offset = offset,
    };
}

bool hri_is_host_side(const hr_buffer *buffer)
{
    return buffer->kind != HR_MEMORY_DEVICE;
}

bool hri_same_memory(const hr_buffer *a, const hr_buffer *b)
{
    return a->block == b->block;
}

hr_status hri_check_operand(const char *function, const char *name, hr_queue *queue, const hr_buffer *buffer)
{
    if (queue == NULL)
        return hri_fail(HR_INVALID, "%s: queue is NULL", function);
    if (buffer == NULL)
        return hri_fail(HR_INVALID, "%s: %s is NULL", function, name);
    if (buffer->device != queue->device)
        return hri_fail(HR_INVALID, "%s: %s is of device %s, the queue of %s", function, name,
                        buffer->device->info.selector, queue->device->info.selector);
    return HR_OK;
}

hr_status hri_check_range(const char *function, const char *name, const hr_buffer *buffer, uint64_t offset,
                          uint64_t bytes)
{
    uint64_t end;

    if (hri_add_overflows(offset, bytes, &end) || end > buffer->bytes)
        return hri_fail(HR_RANGE, "%s: %llu bytes at %llu lie outside %s, a buffer of %llu bytes", function,
                        (unsigned long long)bytes, (unsigned long long)offset, name, (unsigned long long)buffer->bytes);
    return HR_OK;
}

static hr_status check(hr_queue *queue, const hr_buffer *dst, uint64_t dst_offset, const hr_buffer *src,
                       uint64_t src_offset, uint64_t bytes)
{
    hr_status st = hri_check_operand("hr_copy", "dst", queue, dst);

    if (st == HR_OK)
        st = hri_check_operand("hr_copy", "src", queue, src);
    if (st == HR_OK)
        st = hri_check_range("hr_copy", "dst", dst, dst_offset, bytes);
    if (st == HR_OK)
        st = hri_check_range("hr_copy", "src", src, src_offset, bytes);
    if (st != HR_OK)
        return st;
    if (hri_is_host_side(dst) && hri_is_host_side(src))
        return hri_fail(HR_UNSUPPORTED, "hr_copy: both buffers are host memory: copy with memcpy() between the "
                                        "pointers of hr_buffer_acquire()");
    if (hri_same_memory(dst, src)) {
        uint64_t to = dst->base + dst_offset;
        uint64_t from = src->base + src_offset;

        if ((to < from ? from - to : to - from) < bytes)
            return hri_fail(HR_INVALID,
                            "hr_copy: the ranges at %llu and %llu of one buffer overlap in a copy of %llu "
                            "bytes: copy through another buffer",
                            (unsigned long long)dst_offset, (unsigned long long)src_offset, (unsigned long long)bytes);
    }
    return HR_OK;
}

hr_status hr_copy(hr_queue *queue, hr_buffer *dst, uint64_t dst_offset, hr_buffer *src, uint64_t src_offset,
                  uint64_t bytes, const hr_sync *sync)
{
    struct hri_job job;
    hr_status st = check(queue, dst, dst_offset, src, src_offset, bytes);

    if (st != HR_OK)
        return st;
    st = hri_job_begin(&job, queue, sync);
    if (st != HR_OK)
        return st;
    st = hri_job_uses(&job, dst);
    if (st == HR_OK)
        st = hri_job_uses(&job, src);
    if (st == HR_OK && bytes == 0) {
        st = hri_job_nothing(&job);
    } else if (st == HR_OK) {
        struct hrb_place to = hri_place(dst, dst_offset);
        struct hrb_place from = hri_place(src, src_offset);

        st = queue->device->ops->copy(queue->native, &to, &from, bytes, &job.sync);
    }
    return hri_job_end(&job, st);
}
