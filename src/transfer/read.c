/* Copies between buffers and memory of the program's own that stays as it is until they are done: reads, and writes
 * without a snapshot. */
#include "transfer/copy.h"
#include "transfer/landing.h"

#include <string.h>

hr_status hri_check_hosted(const char *function, const char *side, hr_queue *queue, const hr_buffer *buffer,
                           uint64_t offset, const void *host, uint64_t bytes)
{
    hr_status st = hri_check_operand(function, side, queue, buffer);

    if (st != HR_OK)
        return st;
    if (host == NULL && bytes > 0)
        return hri_fail(HR_INVALID, "%s: %s is NULL", function, strcmp(side, "dst") == 0 ? "src" : "dst");
    if (hri_is_host_side(buffer))
        return hri_fail(HR_UNSUPPORTED, "%s: %s is host memory too: copy through hr_buffer_acquire()", function, side);
    return hri_check_range(function, side, buffer, offset, bytes);
}

/* Pageable memory is waited for there: it is taken through pinned memory, or is found to be pinned. */
static bool needs_pinned(const hr_device *device)
{
    return (device->native->flags & HRB_PAGEABLE_WAITS) != 0;
}

/* A copy straight from or to the host. owner: the pinned or imported buffer that has the memory; NULL: none. */
static hr_status plain(hr_queue *queue, hr_buffer *buffer, uint64_t offset, void *host, hr_buffer *owner,
                       uint64_t bytes, bool to_device, const hr_sync *sync)
{
    struct hri_job job;
    hr_status st = hri_job_begin(&job, queue, sync);

    if (st != HR_OK)
        return st;
    st = hri_job_uses(&job, buffer);
    if (st == HR_OK && owner != NULL)
        st = hri_job_uses(&job, owner);
    if (st == HR_OK && bytes == 0) {
        st = hri_job_nothing(&job);
    } else if (st == HR_OK) {
        struct hrb_place device_side = hri_place(buffer, offset);
        struct hrb_place host_side = {.host = host};

        if (owner != NULL) {
            host_side = hri_place(owner, 0);
            host_side.offset = (uint64_t)((char *)host - (char *)host_side.host);
        }
        st = queue->device->ops->copy(queue->native, to_device ? &device_side : &host_side,
                                      to_device ? &host_side : &device_side, bytes, &job.sync);
    }
    return hri_job_end(&job, st);
}

hr_status hr_write_from(hr_queue *queue, hr_buffer *dst, uint64_t dst_offset, const void *src, uint64_t bytes,
                        const hr_sync *sync)
{
    void *host = (void *)(uintptr_t)src; /* only read */
    hr_buffer *owner = NULL;
    hr_status st = hri_check_hosted("hr_write_from", "dst", queue, dst, dst_offset, src, bytes);

    if (st != HR_OK)
        return st;
    if (needs_pinned(queue->device)) {
        owner = hri_device_hosted(queue->device, src, bytes);
        if (owner == NULL)
            return hri_write_staged(queue, dst, dst_offset, src, bytes, false, sync);
    }
    st = plain(queue, dst, dst_offset, host, owner, bytes, true, sync);
    hr_buffer_close(&owner);
    return st;
}

static hr_status read_staged(hr_queue *queue, hr_buffer *src, uint64_t src_offset, void *dst, uint64_t bytes,
                             const hr_sync *sync)
{
    struct hri_job job;
    hr_status st = hri_job_begin(&job, queue, sync);

    if (st != HR_OK)
        return st;
    st = hri_job_uses(&job, src);
    if (st == HR_OK)
        st = bytes == 0 ? hri_job_nothing(&job) : hri_landing_read(&job, src, src_offset, dst, bytes);
    return hri_job_end(&job, st);
}

hr_status hr_read(hr_queue *queue, hr_buffer *src, uint64_t src_offset, void *dst, uint64_t bytes, const hr_sync *sync)
{
    hr_buffer *owner = NULL;
    hr_status st = hri_check_hosted("hr_read", "src", queue, src, src_offset, dst, bytes);

    if (st != HR_OK)
        return st;
    if (needs_pinned(queue->device)) {
        owner = hri_device_hosted(queue->device, dst, bytes);
        if (owner == NULL)
            return read_staged(queue, src, src_offset, dst, bytes, sync);
    }
    st = plain(queue, src, src_offset, dst, owner, bytes, false, sync);
    hr_buffer_close(&owner);
    return st;
}
