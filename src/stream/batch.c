/* What a program does with a batch: fields, row numbers, further queues, the host, release. */
#include "stream/loader.h"

#include "core/util.h"
#include "transfer/mark.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

uint64_t hr_batch_rows(hr_batch *batch)
{
    return batch ? batch->part.valid : 0;
}

uint64_t hr_batch_index(hr_batch *batch)
{
    return batch ? batch->index : 0;
}

static hr_status check_field(hr_batch *batch, uint32_t index, const void *out, const char *call)
{
    if (!batch || !out)
        return hri_fail(HR_INVALID, "%s: %s is NULL", call, !batch ? "batch" : "the result's pointer");
    if (index >= batch->loader->dataset->n_fields)
        return hri_fail(HR_RANGE, "%s: field %" PRIu32 " of a batch of %" PRIu32 " fields", call, index,
                        batch->loader->dataset->n_fields);
    return HR_OK;
}

hr_status hr_batch_field(hr_batch *batch, uint32_t index, hr_field *out)
{
    hr_status st = check_field(batch, index, out, "hr_batch_field");
    hr_field field = {0};

    if (st != HR_OK)
        return st;

    const hr_field_info *info = &batch->loader->dataset->fields[index].info;
    uint64_t step = hr_dtype_bytes(info->dtype);

    field.dtype = info->dtype;
    field.buffer = batch->fields[index];
    field.bytes = batch->part.count * info->row_bytes;
    field.rank = info->rank + 1;
    field.shape[0] = batch->part.count;
    field.stride[0] = info->row_bytes;
    memcpy(&field.shape[1], info->shape, info->rank * sizeof info->shape[0]);
    for (uint32_t d = info->rank; d > 0; d--) {
        field.stride[d] = step;
        step *= field.shape[d];
    }
    return hri_struct_out(out, &field, sizeof field, sizeof field, "hr_field");
}

hr_status hr_batch_row_ids(hr_batch *batch, const uint64_t **ids, uint64_t *count)
{
    if (!batch || !ids || !count)
        return hri_fail(HR_INVALID, "hr_batch_row_ids: %s is NULL", !batch ? "batch" : !ids ? "ids" : "count");
    *ids = batch->ids;
    *count = batch->part.count;
    return HR_OK;
}

hr_status hr_batch_wait(hr_batch *batch, hr_queue *queue)
{
    if (!batch || !queue)
        return hri_fail(HR_INVALID, "hr_batch_wait: %s is NULL", !batch ? "batch" : "queue");
    return batch->ready ? hr_queue_wait(queue, batch->ready) : HR_OK;
}

/* Records an event on the queue and keeps it with the slot's uses. A batch without rows has nothing to protect, and
 * where a shard has none in any batch, no copy would ever take its uses away. What a queue has that the library has not
 * seen keeps the memory even where there is no event for it. */
static hr_status use(hr_batch *batch, hr_queue *queue)
{
    hr_loader *loader = batch->loader;
    hr_event *event;
    hr_status st = HR_OK;

    if (batch->part.count == 0)
        return HR_OK;
    if (hri_queue_is_foreign(queue))
        st = hr_buffer_used(batch->block, queue);
    if (st == HR_OK)
        st = hr_event_record(queue, &event);
    if (st != HR_OK)
        return st;
    pthread_mutex_lock(&loader->lock);
    st = hri_waits_add(&batch->uses, event);
    pthread_mutex_unlock(&loader->lock);
    if (st != HR_OK)
        hr_event_close(&event);
    return st;
}

hr_status hr_batch_used(hr_batch *batch, hr_queue *queue)
{
    if (!batch || !queue)
        return hri_fail(HR_INVALID, "hr_batch_used: %s is NULL", !batch ? "batch" : "queue");
    if (hri_queue_device(queue) != batch->loader->device)
        return hri_fail(HR_INVALID, "hr_batch_used: the queue belongs to another device than the batch");
    return use(batch, queue);
}

/* Reads that were submitted before one failed end before `to` may go. */
static void end_reads(hr_queue *queue)
{
    char kept[HRI_MESSAGE_BYTES];

    hri_message_keep(kept);
    hr_queue_finish(queue);
    hri_message_put_back(kept);
}

/* resident: the rows were gathered on the device; brings them back, without what lies between the fields. */
static hr_status fetch(hr_batch *batch, unsigned char *to)
{
    const hr_loader *loader = batch->loader;
    uint32_t n_fields = loader->dataset->n_fields;
    hr_queue *queue;
    hr_event *done = NULL;
    hr_sync last = {.size = sizeof last, .event = &done};
    hr_status st = hr_device_get_queue(loader->device, HR_QUEUE_COPY_OUT, &queue);

    if (batch->part.count == 0)
        return HR_OK;
    if (st != HR_OK)
        return st;
    st = hr_batch_wait(batch, queue);
    for (uint32_t f = 0; st == HR_OK && f < n_fields; f++) {
        uint64_t at = loader->layout.offsets[f];

        st = hr_read(queue, batch->block, at, to + at, batch->part.count * loader->dataset->fields[f].info.row_bytes,
                     f + 1 == n_fields ? &last : NULL);
    }
    if (st == HR_OK)
        st = hr_event_wait(done, HR_FOREVER);
    else
        end_reads(queue);
    hr_event_close(&done);
    return st;
}

/* The whole block on the host, fetched once a generation; two threads at once fetch twice and keep one. */
static hr_status read_back(hr_batch *batch, const unsigned char **base)
{
    hr_loader *loader = batch->loader;
    unsigned char *fresh;
    uint64_t generation;
    bool there;
    hr_status st;

    pthread_mutex_lock(&loader->lock);
    generation = loader->ring.slots[batch->slot].generation;
    there = batch->read_back_of == generation;
    *base = batch->read_back;
    pthread_mutex_unlock(&loader->lock);
    if (there)
        return HR_OK;
    fresh = malloc(loader->layout.bytes);
    if (!fresh)
        return hri_fail(HR_NO_MEMORY, "hr_batch_host: no memory for %" PRIu64 " bytes", loader->layout.bytes);
    st = fetch(batch, fresh);
    if (st == HR_OK) {
        pthread_mutex_lock(&loader->lock);
        if (batch->read_back_of != generation) {
            void *old = batch->read_back;

            batch->read_back = fresh;
            batch->read_back_of = generation;
            fresh = old;
        }
        *base = batch->read_back;
        pthread_mutex_unlock(&loader->lock);
    }
    free(fresh);
    return st;
}

hr_status hr_batch_host(hr_batch *batch, uint32_t field, const void **ptr)
{
    hr_status st = check_field(batch, field, ptr, "hr_batch_host");
    const unsigned char *base;

    if (st != HR_OK)
        return st;
    /* Where workers gathered on the host, the rows stay there until the slot is filled anew. */
    base = batch->host;
    if (!base)
        st = read_back(batch, &base);
    if (st == HR_OK)
        *ptr = base + batch->loader->layout.offsets[field];
    return st;
}

/* What the compute queue does with the batch ends here. Where slots are refilled some at a time, one event is recorded
 * for all of them then: until then the queue's number does. */
static hr_status end_use(hr_batch *batch)
{
    hr_loader *loader = batch->loader;

    if (loader->refill == 1 || hri_queue_is_foreign(loader->compute))
        return use(batch, loader->compute);
    batch->used = hri_queue_mark(loader->compute);
    return HR_OK;
}

void hri_loader_refill(hr_loader *loader)
{
    loader->released = 0;
    if (loader->refill > 1) {
        pthread_mutex_unlock(&loader->lock);
        hri_mark_record(loader->compute);
        pthread_mutex_lock(&loader->lock);
    }
    hri_feeder_kick(loader);
}

hr_status hr_batch_release(hr_batch **handle)
{
    hr_batch *batch = handle ? *handle : NULL;
    hr_status st = HR_OK;
    hr_loader *loader;

    if (!batch)
        return HR_OK;
    loader = batch->loader;
    if (hri_device_forked(loader->device)) {
        *handle = NULL;
        return hri_device_check(loader->device);
    }
    /* Nothing submitted since next(): nothing on the compute queue uses the batch. */
    if (hri_queue_is_foreign(loader->compute) || hri_queue_mark(loader->compute) != batch->mark)
        st = end_use(batch);
    if (batch->part.count > 0)
        hri_buffer_note(batch->block, HRB_NOTE_RELEASED, 0, loader->layout.bytes, loader->compute);
    if (loader->trace)
        hri_span_released(batch);
    *handle = NULL;
    pthread_mutex_lock(&loader->lock);
    hri_ring_release(&loader->ring, batch->slot);
    loader->released++;
    if (st != HR_OK)
        hri_loader_fail(loader, st);
    if (loader->released >= loader->refill || loader->waiting > 0)
        hri_loader_refill(loader);
    pthread_mutex_unlock(&loader->lock);
    hri_loader_release(loader);
    return st;
}
