/* staged: workers gather rows into a pinned slot, one copy brings all fields to the device slot. */
#include "stream/loader.h"

static hr_status staged_check(const hr_loader *loader)
{
    (void)loader;
    return HR_OK;
}

static hr_status staged_open(hr_loader *loader)
{
    hr_status st = hri_slots_device(loader);

    if (st == HR_OK)
        st = hri_slots_staging(loader);
    if (st == HR_OK)
        st = hri_slots_ids(loader);
    return st;
}

static uint64_t staged_bytes(const hr_loader *loader, uint32_t depth)
{
    return depth * hri_memory_rounded(loader->device, loader->layout.bytes);
}

static hr_status staged_send(hr_batch *slot, uint64_t *sent)
{
    hr_loader *loader = slot->loader;
    uint32_t last = loader->dataset->n_fields - 1;
    uint64_t bytes = loader->layout.offsets[last] + slot->part.count * loader->dataset->fields[last].info.row_bytes;
    hr_event *ready = NULL;
    hr_sync sync = {.size = sizeof sync, .event = &ready};
    hr_status st = hri_waits_order(&slot->uses, loader->copy_in);

    if (st == HR_OK)
        st = hr_copy(loader->copy_in, slot->block, 0, slot->staging, 0, bytes, &sync);
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
    .device_bytes = staged_bytes,
    .pinned_bytes = staged_bytes,
    .blocker = hri_slots_blocker,
    .send = staged_send,
};
