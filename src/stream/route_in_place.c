/* in place: device memory is host memory, so one gather by the workers is all there is. */
#include "stream/loader.h"

static hr_status in_place_check(const hr_loader *loader)
{
    if (hri_device_has(loader->device, HR_ABILITY_SHARED_MEMORY))
        return HR_OK;
    return hri_fail(HR_UNSUPPORTED, "route in place: this device does not share its memory with the host; use "
                                    "HR_ROUTE_AUTO or HR_ROUTE_STAGED");
}

static hr_status in_place_open(hr_loader *loader)
{
    hr_status st = hri_slots_device(loader);

    for (uint32_t s = 0; st == HR_OK && s < loader->depth; s++)
        loader->slots[s].host = hri_buffer_host(loader->slots[s].block);
    return st == HR_OK ? hri_slots_ids(loader) : st;
}

static uint64_t in_place_device_bytes(const hr_loader *loader, uint32_t depth)
{
    return depth * hri_memory_rounded(loader->device, loader->layout.bytes);
}

static uint64_t in_place_pinned_bytes(const hr_loader *loader, uint32_t depth)
{
    (void)loader;
    (void)depth;
    return 0;
}

/* Workers write where kernels read, so the host itself waits for the uses. */
static hr_status in_place_blocker(hr_batch *slot, hr_event **event, bool *use)
{
    hr_status st = hri_waits_first(&slot->uses, event);

    *use = true;
    if (st == HR_OK && !*event)
        hri_waits_clear(&slot->uses);
    return st;
}

const struct hri_route hri_route_in_place = {
    .id = HR_ROUTE_IN_PLACE,
    .name = "in place",
    .check = in_place_check,
    .open = in_place_open,
    .device_bytes = in_place_device_bytes,
    .pinned_bytes = in_place_pinned_bytes,
    .blocker = in_place_blocker,
};
