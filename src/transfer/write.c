/* Copies from memory of the program's own by way of staging memory: snapshots. */
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
    w->job.number = number; /* failed too: a part of it may be under way */
    if (st != HR_OK)
        return st;
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

/* All that is left, the driver's own way. */
static hr_status send_unstaged(struct writing *w)
{
    hr_queue *queue = w->job.queue;
    struct hrb_place to = hri_place(w->dst, w->offset);
    const struct hrb_place from = {.host = (void *)(uintptr_t)w->src}; /* only read */
    struct hrb_sync sync = w->job.sync;

    if (!w->first)
        sync.n_waits = 0;
    w->job.number = 0; /* counted when the job ends */
    w->job.before = atomic_load(&queue->submitted);
    return queue->device->ops->copy(queue->native, &to, &from, w->left, &sync);
}

hr_status hri_write_staged(hr_queue *queue, hr_buffer *dst, uint64_t dst_offset, const void *src, uint64_t bytes,
                           bool snapshot, const hr_sync *sync)
{
    struct writing w = {.dst = dst, .offset = dst_offset, .src = src, .left = bytes, .first = true};
    hr_status st = hri_job_begin(&w.job, queue, sync);

    if (st != HR_OK)
        return st;
    st = hri_job_uses(&w.job, dst);
    if (st == HR_OK) {
        if (bytes == 0)
            st = hri_job_nothing(&w.job);
        else if (snapshot && (w.job.flags & HR_NO_WAIT) != 0)
            st = send_at_once(&w);
        else
            st = send_waiting(&w);
    }
    if (st == HR_NO_PINNED_MEMORY && !snapshot)
        st = send_unstaged(&w);
    return hri_job_end(&w.job, st);
}

hr_status hr_write(hr_queue *queue, hr_buffer *dst, uint64_t dst_offset, const void *src, uint64_t bytes,
                   const hr_sync *sync)
{
    hr_status st = hri_check_hosted("hr_write", "dst", queue, dst, dst_offset, src, bytes);

    return st == HR_OK ? hri_write_staged(queue, dst, dst_offset, src, bytes, true, sync) : st;
}
