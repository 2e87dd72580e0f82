/* hr_read() into pageable memory, piece by piece through pinned memory: landing.h. */
#include "transfer/copy.h"
#include "transfer/landing.h"
#include "transfer/mark.h"

/* One hr_read() under way. */
struct reading {
    struct hri_job *job;
    hr_buffer *src;
    uint64_t offset; /* of the next byte in src */
    unsigned char *dst;
    uint64_t left;
    bool first;      /* nothing submitted yet: the waits are still to be given */
    uint64_t number; /* of this hr_read() among the device's */
};

/* Past what was submitted. */
static void advance(struct reading *r, uint64_t bytes)
{
    r->first = false;
    r->offset += bytes;
    r->dst += bytes;
    r->left -= bytes;
}

static bool is_last(const struct reading *r, uint64_t bytes)
{
    return bytes == r->left;
}

/* A piece as a copy to `to`, with an event of its own or, the last piece, as the job says. The first one waits. Counted
 * even where it fails: a part of it may be under way. */
static hr_status copy_piece(struct reading *r, const struct hrb_place *to, uint64_t bytes, struct hrb_event **event)
{
    hr_queue *queue = r->job->queue;
    struct hrb_place from = hri_place(r->src, r->offset);
    struct hrb_sync sync = {.event = event};
    hr_status st;

    if (r->first) {
        sync.waits = r->job->sync.waits;
        sync.n_waits = r->job->sync.n_waits;
    }
    if (is_last(r, bytes)) {
        sync.flags = r->job->sync.flags;
        r->job->before = atomic_load(&queue->submitted);
    }
    st = queue->device->ops->copy(queue->native, to, &from, bytes, &sync);
    r->job->number = hri_queue_submitted(queue);
    return st;
}

/* One piece into pinned memory. Under the lock: pieces of a queue stand in the list as they do in the queue. */
static hr_status send(struct reading *r)
{
    hr_queue *queue = r->job->queue;
    struct hri_landing *landing;
    struct hrb_place to;
    bool last;
    hr_status st = hri_landing_provide(queue->device, r->left, &landing);

    if (st != HR_OK)
        return st;
    to = (struct hrb_place){.buffer = landing->block->buffer, .host = landing->block->buffer->host};
    st = hri_uses_begin(&landing->block->uses, queue);
    if (st == HR_OK) {
        st = copy_piece(r, &to, landing->bytes, &landing->event);
        hri_uses_end(&landing->block->uses, queue, r->job->number);
    }
    if (st != HR_OK) {
        hri_landing_give_up(queue->device, landing);
        return st;
    }
    landing->queue = queue;
    landing->dst = r->dst;
    landing->read = r->number;
    last = is_last(r, landing->bytes);
    advance(r, landing->bytes);
    landing->number = r->job->number;
    hri_landing_append(queue->device, landing);
    if (last && r->job->event != NULL) { /* one event serves the program and the landing */
        landing->refs++;
        r->job->event->landing = landing;
        r->job->event_native = landing->event;
    }
    return HR_OK;
}

/* All that is left, the driver's own way. */
static hr_status send_unstaged(struct reading *r)
{
    const struct hrb_place to = {.host = r->dst};
    hr_status st = copy_piece(r, &to, r->left, r->job->sync.event);

    if (st == HR_OK)
        advance(r, r->left);
    return st;
}

hr_status hri_landing_read(struct hri_job *job, hr_buffer *src, uint64_t offset, void *dst, uint64_t bytes)
{
    struct reading r = {.job = job, .src = src, .offset = offset, .dst = dst, .left = bytes, .first = true};
    hr_device *device = job->queue->device;
    char kept[HRI_MESSAGE_BYTES];
    hr_status st = HR_OK;

    hri_message_keep(kept);
    pthread_mutex_lock(&device->landings.lock);
    r.number = ++device->landings.reads;
    pthread_mutex_unlock(&device->landings.lock);
    while (st == HR_OK && r.left > 0) {
        pthread_mutex_lock(&device->landings.lock);
        st = send(&r);
        pthread_mutex_unlock(&device->landings.lock);
        if (st == HR_NO_PINNED_MEMORY)
            st = hri_land_some(device, true) ? HR_OK : send_unstaged(&r);
    }
    if (st == HR_OK) {
        hri_message_put_back(kept); /* a shortage that was got over */
        return HR_OK;
    }
    pthread_mutex_lock(&device->landings.lock);
    hri_landing_forget(device, r.number);
    pthread_mutex_unlock(&device->landings.lock);
    return st;
}
