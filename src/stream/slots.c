/* The memory of a loader's slots: device blocks with a view a field, pinned staging, row numbers. */
#include "stream/loader.h"
#include "transfer/mark.h"

#include <stdlib.h>

hr_status hri_slots_device(hr_loader *loader)
{
    uint32_t n_fields = loader->dataset->n_fields;

    for (uint32_t s = 0; s < loader->depth; s++) {
        hr_batch *slot = &loader->slots[s];
        hr_status st = hr_buffer_create(loader->device, HR_MEMORY_DEVICE, loader->layout.bytes, NULL, &slot->block);

        if (st != HR_OK)
            return st;
        for (uint32_t f = 0; f < n_fields; f++) {
            uint64_t bytes = loader->plan.part * loader->dataset->fields[f].info.row_bytes;

            /* A shard smaller than a batch has no rows at all: its views are never read. */
            st = hri_buffer_view(slot->block, loader->layout.offsets[f], bytes ? bytes : 1, &slot->fields[f]);
            if (st != HR_OK)
                return st;
        }
    }
    return HR_OK;
}

hr_status hri_slots_staging(hr_loader *loader)
{
    for (uint32_t s = 0; s < loader->depth; s++) {
        hr_batch *slot = &loader->slots[s];
        hr_status st = hr_buffer_create(loader->device, HR_MEMORY_PINNED, loader->layout.bytes, NULL, &slot->staging);

        if (st != HR_OK)
            return st;
        slot->host = hri_buffer_host(slot->staging);
    }
    return HR_OK;
}

hr_status hri_slots_ids(hr_loader *loader)
{
    for (uint32_t s = 0; s < loader->depth; s++) {
        loader->slots[s].ids = malloc((loader->plan.part ? loader->plan.part : 1) * sizeof(uint64_t));
        if (!loader->slots[s].ids)
            return hri_fail(HR_NO_MEMORY, "no memory for the row numbers of a batch of %llu rows",
                            (unsigned long long)loader->plan.part);
    }
    return HR_OK;
}

hr_status hri_slots_blocker(hr_batch *slot, hr_event **event, bool *use)
{
    hr_event *behind = NULL;
    uint32_t done = 1;
    hr_status st = slot->ready ? hr_event_done(slot->ready, &done) : HR_OK;

    if (st != HR_OK)
        return st;
    if (!done) {
        st = hri_waits_first(&slot->before, &behind);
        if (st != HR_OK)
            return st;
    }
    *event = done ? NULL : slot->ready;
    *use = behind != NULL || !hri_mark_seen(slot->loader->compute, slot->before_used);
    return HR_OK;
}

hr_status hri_slots_order(hr_batch *slot)
{
    hr_loader *loader = slot->loader;
    hr_status st = hri_waits_order(&slot->uses, loader->copy_in);

    if (st == HR_OK && slot->used > loader->copy_behind && !hri_mark_seen(loader->compute, slot->used))
        loader->copy_behind = hri_mark_order(loader->copy_in, loader->compute, slot->used);
    return st;
}

void hri_slots_sent(hr_batch *slot, hr_event *ready)
{
    struct hri_waits old = slot->before;

    hr_event_close(&slot->ready);
    slot->ready = ready;
    hri_waits_clear(&old);
    slot->before = slot->uses;
    slot->uses = old;
    slot->before_used = slot->used;
    slot->used = 0;
}

void hri_slots_gather(hr_batch *slot)
{
    const hr_loader *loader = slot->loader;

    if (slot->ids_staging)
        hri_buffer_note(slot->ids_staging, HRB_NOTE_GATHER, 0, loader->plan.part * sizeof *slot->ids, NULL);
    if (slot->host)
        hri_buffer_note(slot->staging ? slot->staging : slot->block, HRB_NOTE_GATHER, 0, loader->layout.bytes, NULL);
}

static void slot_close(hr_loader *loader, hr_batch *slot)
{
    for (uint32_t f = 0; slot->fields && f < loader->dataset->n_fields; f++)
        hr_buffer_close(&slot->fields[f]);
    free(slot->fields);
    hr_buffer_close(&slot->block);
    hr_buffer_close(&slot->staging);
    if (slot->ids_staging)
        hr_buffer_close(&slot->ids_staging);
    else
        free(slot->ids);
    hr_buffer_close(&slot->ids_device);
    free(slot->read_back);
    hr_event_close(&slot->ready);
    hri_waits_free(&slot->uses);
    hri_waits_free(&slot->before);
}

void hri_slots_close(hr_loader *loader)
{
    for (uint32_t s = 0; loader->slots && s < loader->depth; s++)
        slot_close(loader, &loader->slots[s]);
    free(loader->slots);
    loader->slots = NULL;
}
