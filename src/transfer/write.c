/* Copies between buffers and memory of the program's own: snapshots, plain writes, reads. */
#include "transfer/copy.h"
#include "transfer/staging.h"

#include <stdlib.h>
#include <string.h>

/* One hr_write() under way. */
struct writing {
    struct hri_job job;
    hr_buffer *dst;
    uint64_t offset; /* of the next byte in dst */
    const unsigned char *src;
    uint64_t left;
    bool first; /* nothing submitted yet: the waits are still to be given */
};

static hr_status check(const char *function, const char *side, hr_queue *queue, const hr_buffer *buffer,
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

/* Fills a piece and submits its copy. The first piece waits, the last one tells. Gives the piece back in any case. */
static hr_status send(struct writing *w, const struct hri_piece *piece)
{
    hr_queue *queue = w->job.queue;
    struct hrb_buffer *staging = piece->chunk->block->buffer;
    struct hrb_place to = hri_place(w->dst, w->offset);
    struct hrb_place from = {.buffer = staging, .host = staging->host, .offset = piece->offset};
    struct hrb_sync sync = {0};
    uint64_t number;
    hr_status st;

    memcpy((unsigned char *)staging->host + piece->offset, w->src, piece->bytes);
    if (w->first) {
        sync.waits = w->job.sync.waits;
        sync.n_waits = w->job.sync.n_waits;
    }
    if (piece->bytes == w->left) {
        sync.event = w->job.sync.event;
        sync.flags = w->job.sync.flags;
        w->job.before = atomic_load(&queue->submitted);
    }
    st = queue->device->ops->copy(queue->native, &to, &from, piece->bytes, &sync);
    number = hri_queue_submitted(queue);
    hri_staging_give(queue, piece, number);
    if (st != HR_OK)
        return st;
    w->job.number = number;
    w->first = false;
    w->offset += piece->bytes;
    w->src += piece->bytes;
    w->left -= piece->bytes;
    return HR_OK;
}

static hr_status send_waiting(struct writing *w)
{
    bool waited = false;
    hr_status st = HR_OK;

    while (st == HR_OK && w->left > 0) {
        struct hri_piece piece;

        st = hri_staging_take(w->job.queue, w->left, true, &waited, &piece);
        if (st == HR_OK)
            st = send(w, &piece);
    }
    return st;
}

/* All the staging first, so that nothing is submitted if some is missing. */
static hr_status send_at_once(struct writing *w)
{
    const struct hri_staging *staging = &w->job.queue->device->staging;
    uint64_t most = staging->cap / staging->chunk_bytes + 2;
    struct hri_piece *pieces = malloc(most * sizeof *pieces);
    uint64_t taken = 0;
    uint64_t sent = 0;
    uint64_t n = 0;
    bool waited = false;
    hr_status st = HR_OK;

    if (pieces == NULL)
        return hri_fail(HR_NO_MEMORY, "no host memory for a list of %llu pieces", (unsigned long long)most);
    while (st == HR_OK && taken < w->left) {
        st = n == most ? HR_WOULD_BLOCK : hri_staging_take(w->job.queue, w->left - taken, false, &waited, &pieces[n]);
        if (st == HR_OK)
            taken += pieces[n++].bytes;
    }
    if (st == HR_WOULD_BLOCK)
        hri_fail(st, "hr_write: %llu bytes are more than the free staging memory, and HR_NO_WAIT was given",
                 (unsigned long long)w->left);
    while (st == HR_OK && sent < n)
        st = send(w, &pieces[sent++]);
    while (sent < n)
        hri_staging_give(w->job.queue, &pieces[sent++], 0);
    free(pieces);
    return st;
}

hr_status hr_write(hr_queue *queue, hr_buffer *dst, uint64_t dst_offset, const void *src, uint64_t bytes,
                   const hr_sync *sync)
{
    struct writing w = {.dst = dst, .offset = dst_offset, .src = src, .left = bytes, .first = true};
    hr_status st = check("hr_write", "dst", queue, dst, dst_offset, src, bytes);

    if (st != HR_OK)
        return st;
    st = hri_job_begin(&w.job, queue, sync);
    if (st != HR_OK)
        return st;
    st = hri_job_uses(&w.job, dst);
    if (st == HR_OK) {
        if (bytes == 0)
            st = hri_job_nothing(&w.job);
        else if ((w.job.flags & HR_NO_WAIT) != 0)
            st = send_at_once(&w);
        else
            st = send_waiting(&w);
    }
    return hri_job_end(&w.job, st);
}

/* A copy with pageable memory on one side. */
static hr_status plain(hr_queue *queue, hr_buffer *buffer, uint64_t offset, void *host, uint64_t bytes, bool to_device,
                       const hr_sync *sync)
{
    struct hri_job job;
    hr_status st = hri_job_begin(&job, queue, sync);

    if (st != HR_OK)
        return st;
    st = hri_job_uses(&job, buffer);
    if (st == HR_OK && bytes == 0) {
        st = hri_job_nothing(&job);
    } else if (st == HR_OK) {
        struct hrb_place device_side = hri_place(buffer, offset);
        struct hrb_place host_side = {.host = host};

        st = queue->device->ops->copy(queue->native, to_device ? &device_side : &host_side,
                                      to_device ? &host_side : &device_side, bytes, &job.sync);
    }
    return hri_job_end(&job, st);
}

hr_status hr_write_from(hr_queue *queue, hr_buffer *dst, uint64_t dst_offset, const void *src, uint64_t bytes,
                        const hr_sync *sync)
{
    hr_status st = check("hr_write_from", "dst", queue, dst, dst_offset, src, bytes);

    if (st != HR_OK)
        return st;
    return plain(queue, dst, dst_offset, (void *)(uintptr_t)src, bytes, true, sync); /* only read */
}

hr_status hr_read(hr_queue *queue, hr_buffer *src, uint64_t src_offset, void *dst, uint64_t bytes, const hr_sync *sync)
{
    hr_status st = check("hr_read", "src", queue, src, src_offset, dst, bytes);

    if (st != HR_OK)
        return st;
    return plain(queue, src, src_offset, dst, bytes, false, sync);
}
