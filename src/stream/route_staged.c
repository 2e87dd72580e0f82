/* staged: workers gather rows into a pinned slot, one copy brings all fields to the device slot. Ordered rows of memory
 * that is pinned already are copied from there. */
#include "stream/loader.h"

#include <stdlib.h>

static hr_status staged_check(const hr_loader *loader)
{
    (void)loader;
    return HR_OK;
}

/* The buffers that hold the fields' rows, if every field is packed and lies in one. */
static hr_status find_covers(hr_loader *loader)
{
    uint32_t n_fields = loader->dataset->n_fields;

    loader->covers = calloc(n_fields, sizeof(hr_buffer *));
    if (!loader->covers)
        return hri_fail(HR_NO_MEMORY, "no memory for %u fields", n_fields);
    loader->covered = !loader->shuffle;
    for (uint32_t f = 0; loader->covered && f < n_fields; f++) {
        const struct hri_field *field = &loader->dataset->fields[f];

        if (field->info.row_stride == field->info.row_bytes)
            loader->covers[f] =
                hri_device_hosted(loader->device, field->data, loader->plan.rows * field->info.row_bytes);
        loader->covered = loader->covers[f] != NULL;
    }
    return HR_OK;
}

static hr_status staged_open(hr_loader *loader)
{
    hr_status st = find_covers(loader);

    if (st == HR_OK)
        st = hri_slots_device(loader);
    if (st == HR_OK && !loader->covered)
        st = hri_slots_staging(loader);
    if (st == HR_OK)
        st = hri_slots_ids(loader);
    return st;
}

static uint64_t staged_device_bytes(const hr_loader *loader, uint32_t depth)
{
    return depth * hri_memory_rounded(loader->device, loader->layout.bytes);
}

static uint64_t staged_pinned_bytes(const hr_loader *loader, uint32_t depth)
{
    return loader->covered ? 0 : staged_device_bytes(loader, depth);
}

/* One field's rows straight from the program's memory; padding begins again at the first row. */
static hr_status copy_field(hr_batch *slot, uint32_t f, const hr_sync *last)
{
    hr_loader *loader = slot->loader;
    const struct hri_field *field = &loader->dataset->fields[f];
    uint64_t row_bytes = field->info.row_bytes;
    uint64_t base = (uint64_t)(field->data - (const unsigned char *)hri_buffer_host(loader->covers[f]));
    hr_status st = HR_OK;

    for (uint64_t at = 0, run; st == HR_OK && at < slot->part.count; at += run) {
        uint64_t from = (slot->part.first + at) % loader->plan.rows;

        run = slot->part.count - at;
        if (run > loader->plan.rows - from)
            run = loader->plan.rows - from;
        st = hr_copy(loader->copy_in, slot->fields[f], at * row_bytes, loader->covers[f], base + from * row_bytes,
                     run * row_bytes, at + run == slot->part.count ? last : NULL);
    }
    return st;
}

static hr_status send_covered(hr_batch *slot, const hr_sync *sync, uint64_t *sent)
{
    uint32_t n_fields = slot->loader->dataset->n_fields;
    hr_status st = HR_OK;

    for (uint32_t f = 0; st == HR_OK && f < n_fields; f++) {
        *sent += slot->part.count * slot->loader->dataset->fields[f].info.row_bytes;
        st = copy_field(slot, f, f + 1 == n_fields ? sync : NULL);
    }
    return st;
}

static hr_status send_staging(hr_batch *slot, const hr_sync *sync, uint64_t *sent)
{
    hr_loader *loader = slot->loader;
    uint32_t last = loader->dataset->n_fields - 1;

    *sent = loader->layout.offsets[last] + slot->part.count * loader->dataset->fields[last].info.row_bytes;
    return hr_copy(loader->copy_in, slot->block, 0, slot->staging, 0, *sent, sync);
}

static hr_status staged_send(hr_batch *slot, uint64_t *sent)
{
    hr_event *ready = NULL;
    hr_sync sync = {.size = sizeof sync, .event = &ready};
    uint64_t bytes = 0;
    hr_status st = hri_slots_order(slot);

    if (st == HR_OK)
        hri_buffer_note(slot->block, HRB_NOTE_GATHER, 0, slot->loader->layout.bytes, slot->loader->copy_in);
    if (st == HR_OK)
        st = slot->loader->covered ? send_covered(slot, &sync, &bytes) : send_staging(slot, &sync, &bytes);
    if (st != HR_OK)
        return st;
    hri_slots_sent(slot, ready);
    *sent = bytes;
    return HR_OK;
}

const struct hri_route hri_route_staged = {
    .id = HR_ROUTE_STAGED,
    .name = "staged",
    .check = staged_check,
    .open = staged_open,
    .device_bytes = staged_device_bytes,
    .pinned_bytes = staged_pinned_bytes,
    .blocker = hri_slots_blocker,
    .send = staged_send,
};
