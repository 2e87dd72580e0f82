/* Plain copies. */
#include "cuda/internal.h"

/* What goes in one call: up to where the registered memory of the host side goes over into its next chunk. */
static uint64_t step_of(const struct hrb_place *host, uint64_t done, uint64_t left)
{
    uint64_t most;

    if (!host->buffer || host->buffer->kind != HR_MEMORY_IMPORTED)
        return left;
    most = hri_cu_chunk_left((uintptr_t)host->host + host->offset + done);
    return most < left ? most : left;
}

static hri_cu_result to_device(const struct hri_cu *cu, hri_cu_stream stream, const struct hrb_place *dst,
                               const struct hrb_place *src, uint64_t bytes)
{
    const hri_cu_pointer to = hri_cu_buffer(dst->buffer)->pointer + dst->offset;
    const char *from = (const char *)src->host + src->offset;
    hri_cu_result code = HRI_CU_SUCCESS;

    for (uint64_t done = 0, step; done < bytes && code == HRI_CU_SUCCESS; done += step) {
        step = step_of(src, done, bytes - done);
        code = cu->MemcpyHtoDAsync(to + done, from + done, step, stream);
    }
    return code;
}

static hri_cu_result to_host(const struct hri_cu *cu, hri_cu_stream stream, const struct hrb_place *dst,
                             const struct hrb_place *src, uint64_t bytes)
{
    const hri_cu_pointer from = hri_cu_buffer(src->buffer)->pointer + src->offset;
    char *to = (char *)dst->host + dst->offset;
    hri_cu_result code = HRI_CU_SUCCESS;

    for (uint64_t done = 0, step; done < bytes && code == HRI_CU_SUCCESS; done += step) {
        step = step_of(dst, done, bytes - done);
        code = cu->MemcpyDtoHAsync(to + done, from + done, step, stream);
    }
    return code;
}

hri_cu_result hri_cu_copy_bytes(const struct hri_cu *cu, hri_cu_stream stream, const struct hrb_place *dst,
                                const struct hrb_place *src, uint64_t bytes)
{
    if (src->host)
        return to_device(cu, stream, dst, src, bytes);
    if (dst->host)
        return to_host(cu, stream, dst, src, bytes);
    return cu->MemcpyDtoDAsync(hri_cu_buffer(dst->buffer)->pointer + dst->offset,
                               hri_cu_buffer(src->buffer)->pointer + src->offset, bytes, stream);
}

hr_status hri_cu_check_target(const struct hrb_place *dst)
{
    if (!dst->buffer || !hri_cu_buffer(dst->buffer)->read_only)
        return HR_OK;
    return dst->buffer->device->services->fail(HR_INVALID, 0,
                                               "the memory at %p can only be read: it was registered as a read-only "
                                               "mapping",
                                               dst->buffer->host);
}

hr_status hri_cu_copy(struct hrb_queue *queue, const struct hrb_place *dst, const struct hrb_place *src, uint64_t bytes,
                      const struct hrb_sync *sync)
{
    const struct hri_cu *cu = hri_cu_device(queue->device)->cu;
    struct hri_cu_submission sub;
    hr_status st = hri_cu_check_target(dst);

    if (st == HR_OK)
        st = hri_cu_submit_begin(queue, sync, &sub);
    if (st != HR_OK)
        return st;
    return hri_cu_submit_end(&sub, hri_cu_copy_bytes(cu, sub.queue->stream, dst, src, bytes),
                             "a copy cannot be submitted");
}
