/* resident: the data set is copied to the device once; per batch the row numbers travel and a kernel gathers. */
#include "stream/loader.h"

#include "core/util.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of the data set that are copied at a time: enough to hide the cost of a call. */
#define MOST_PIECE (UINT64_C(1) << 20)

static uint64_t field_extent(const struct hri_field *field, uint64_t rows)
{
    return (rows - 1) * field->info.row_stride + field->info.row_bytes;
}

/* The widest unit that moves whole rows from whole strides. */
static uint64_t unit_of(const struct hri_field *field)
{
    uint64_t unit = 16;

    while (field->info.row_bytes % unit != 0 || field->info.row_stride % unit != 0)
        unit /= 2;
    return unit;
}

static hr_status resident_check(const hr_loader *loader)
{
    (void)loader;
    return HR_OK;
}

static hr_status open_field(hr_loader *loader, uint32_t f)
{
    const struct hri_field *field = &loader->dataset->fields[f];
    char name[16];
    hr_status st = hr_buffer_create(loader->device, HR_MEMORY_DEVICE, field_extent(field, loader->plan.rows), NULL,
                                    &loader->resident[f]);

    if (st != HR_OK)
        return st;
    snprintf(name, sizeof name, "gather_%u", (unsigned)unit_of(field));
    return hri_device_kernel(loader->device, name, &loader->gathers[f]);
}

/* Half of the upload's memory: one is filled while the other is copied. */
static uint64_t piece_bytes(const hr_loader *loader)
{
    uint64_t most = 0;

    for (uint32_t f = 0; f < loader->dataset->n_fields; f++) {
        uint64_t extent = field_extent(&loader->dataset->fields[f], loader->plan.rows);

        most = extent > most ? extent : most;
    }
    return most < MOST_PIECE ? most : MOST_PIECE;
}

static uint64_t ids_bytes(const hr_loader *loader)
{
    return (loader->plan.part ? loader->plan.part : 1) * sizeof(uint64_t);
}

static hr_status open_slot_ids(hr_loader *loader, hr_batch *slot)
{
    uint64_t bytes = ids_bytes(loader);
    hr_status st = hr_buffer_create(loader->device, HR_MEMORY_PINNED, bytes, NULL, &slot->ids_staging);

    if (st != HR_OK)
        return st;
    slot->ids = hri_buffer_host(slot->ids_staging);
    return hr_buffer_create(loader->device, HR_MEMORY_DEVICE, bytes, NULL, &slot->ids_device);
}

static hr_status resident_open(hr_loader *loader)
{
    uint32_t n_fields = loader->dataset->n_fields;
    hr_status st = HR_OK;

    loader->resident = calloc(n_fields, sizeof(hr_buffer *));
    loader->gathers = calloc(n_fields, sizeof(hr_kernel *));
    if (!loader->resident || !loader->gathers)
        return hri_fail(HR_NO_MEMORY, "no memory for %u resident fields", n_fields);
    for (uint32_t f = 0; st == HR_OK && f < n_fields; f++)
        st = open_field(loader, f);
    if (st == HR_OK)
        st = hr_buffer_create(loader->device, HR_MEMORY_PINNED, 2 * piece_bytes(loader), NULL, &loader->upload);
    if (st == HR_OK)
        st = hri_slots_device(loader);
    for (uint32_t s = 0; st == HR_OK && s < loader->depth; s++)
        st = open_slot_ids(loader, &loader->slots[s]);
    return st;
}

static uint64_t resident_device_bytes(const hr_loader *loader, uint32_t depth)
{
    uint64_t bytes = depth * (hri_memory_rounded(loader->device, loader->layout.bytes) +
                              hri_memory_rounded(loader->device, ids_bytes(loader)));

    for (uint32_t f = 0; f < loader->dataset->n_fields; f++)
        bytes += hri_memory_rounded(loader->device, field_extent(&loader->dataset->fields[f], loader->plan.rows));
    return bytes;
}

static uint64_t resident_pinned_bytes(const hr_loader *loader, uint32_t depth)
{
    return depth * hri_memory_rounded(loader->device, ids_bytes(loader)) +
           hri_memory_rounded(loader->device, 2 * piece_bytes(loader));
}

static bool stopping(hr_loader *loader)
{
    bool yes;

    pthread_mutex_lock(&loader->lock);
    yes = loader->stopping;
    pthread_mutex_unlock(&loader->lock);
    return yes;
}

/* The copy that reads a half is done, or the loader is stopping. */
static hr_status half_free(hr_loader *loader, hr_event **copy)
{
    hr_status st = HR_TIMEOUT;

    if (!*copy)
        return HR_OK;
    while (st == HR_TIMEOUT && !stopping(loader))
        st = hr_event_wait(*copy, HRI_WAIT_SLICE_NS);
    hr_event_close(copy);
    return st == HR_TIMEOUT ? HR_OK : st;
}

/* Copies one field through the two halves; copies[i] is the last copy from half i. */
static hr_status upload_field(hr_loader *loader, uint32_t f, hr_event *copies[2], uint64_t *sent)
{
    const struct hri_field *field = &loader->dataset->fields[f];
    uint64_t extent = field_extent(field, loader->plan.rows);
    uint64_t piece = piece_bytes(loader);
    unsigned char *host = hri_buffer_host(loader->upload);
    uint32_t half = 0;

    for (uint64_t at = 0; at < extent; at += piece, half ^= 1) {
        uint64_t bytes = extent - at < piece ? extent - at : piece;
        hr_sync sync = {.size = sizeof sync, .event = &copies[half]};
        hr_status st = half_free(loader, &copies[half]);

        if (st != HR_OK || stopping(loader))
            return st;
        memcpy(host + half * piece, field->data + at, bytes);
        st = hr_copy(loader->copy_in, loader->resident[f], at, loader->upload, half * piece, bytes, &sync);
        if (st != HR_OK)
            return st;
        *sent += bytes;
    }
    return HR_OK;
}

/* The copy of the whole data set; gathers follow on the same queue. */
static hr_status resident_begin(hr_loader *loader, uint64_t *sent)
{
    hr_event *copies[2] = {NULL, NULL};
    hr_status st = HR_OK;

    for (uint32_t f = 0; st == HR_OK && f < loader->dataset->n_fields; f++)
        st = upload_field(loader, f, copies, sent);
    hr_event_close(&copies[0]);
    hr_event_close(&copies[1]);
    hr_buffer_close(&loader->upload);
    return st;
}

static hr_status launch(hr_batch *slot, uint32_t f, const hr_sync *sync)
{
    hr_loader *loader = slot->loader;
    const struct hri_field *field = &loader->dataset->fields[f];
    uint64_t unit = unit_of(field);
    uint64_t stride = field->info.row_stride / unit;
    uint64_t row_units = field->info.row_bytes / unit;
    uint64_t rows = slot->part.count;
    /* One fixed group shape: a CPU driver compiles each shape anew. */
    hr_grid grid = {.size = sizeof grid, .dims = 2, .global = {hri_round_up(row_units, 64), rows}, .local = {64, 1}};
    hr_arg args[] = {HR_ARG_BUFFER(loader->resident[f], 0),      HR_ARG_BUFFER(slot->ids_device, 0),
                     HR_ARG_BUFFER(slot->fields[f], 0),          HR_ARG_BYTES(&stride, sizeof stride),
                     HR_ARG_BYTES(&row_units, sizeof row_units), HR_ARG_BYTES(&rows, sizeof rows)};

    return hr_kernel_launch(loader->copy_in, loader->gathers[f], &grid, args, 6, sync);
}

/* What is waited for is no copy: the slot's gather on the device, or the kernels that it waits for itself. */
static hr_status resident_blocker(hr_batch *slot, hr_event **event, bool *use)
{
    hr_status st = hri_slots_blocker(slot, event, use);

    *use = true;
    return st;
}

static hr_status resident_send(hr_batch *slot, uint64_t *sent)
{
    hr_loader *loader = slot->loader;
    uint64_t bytes = slot->part.count * sizeof(uint64_t);
    uint32_t last = loader->dataset->n_fields - 1;
    hr_event *ready = NULL;
    hr_sync sync = {.size = sizeof sync, .event = &ready};
    hr_status st = hri_slots_order(slot);

    if (st == HR_OK)
        hri_buffer_note(slot->block, HRB_NOTE_GATHER, 0, loader->layout.bytes, loader->copy_in);
    if (st == HR_OK)
        st = hr_copy(loader->copy_in, slot->ids_device, 0, slot->ids_staging, 0, bytes, NULL);
    for (uint32_t f = 0; st == HR_OK && f <= last; f++)
        st = launch(slot, f, f == last ? &sync : NULL);
    if (st != HR_OK)
        return st;
    hri_slots_sent(slot, ready);
    *sent = bytes;
    return HR_OK;
}

const struct hri_route hri_route_resident = {
    .id = HR_ROUTE_RESIDENT,
    .name = "resident",
    .check = resident_check,
    .open = resident_open,
    .device_bytes = resident_device_bytes,
    .pinned_bytes = resident_pinned_bytes,
    .begin = resident_begin,
    .blocker = resident_blocker,
    .send = resident_send,
};
