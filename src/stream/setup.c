/* What a loader is set up with: checked options, plan, route, workers, layout, memory. */
#include "stream/loader.h"

#include "core/log.h"
#include "core/settings.h"
#include "core/util.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/* Eight slots smooth what the scheduler of a busy machine does: streamed over resident 0.91 to 1.05 on two cores, where
 * four gave 1.01 to 1.06 (2026-12-01, 1 MiB batches). Batches that are not small get four. */
#define SMALL_DEPTH 8
#define DEFAULT_DEPTH 4
#define LEAST_DEPTH 2
#define MOST_WORKERS 256
/* So many keep one feeder busy with submitting alone. */
#define MANY_WORKERS 8
/* Slots for one batch to be held, one to be ready and one to be sent, beside those that workers fill. */
#define SPARE_DEPTH 3
/* Small batches get a slot for every worker, as far as that costs no more than this. */
#define DEFAULT_BYTES (64u << 20)
#define BUDGET_PART 8 /* nor more than this part of the device's memory */
/* A worker's share of a batch: large enough that handing it out costs nothing, small enough that all have one. */
#define LEAST_SHARE (64u << 10)
#define MOST_SHARE (4u << 20)
/* Of a slot: more than any device has, and small enough that 64 slots with their row numbers can be added up. */
#define MOST_SLOT_BYTES (UINT64_C(1) << 53)

static hr_status check_options(const hr_loader_options *o)
{
    if (o->depth != 0 && (o->depth < LEAST_DEPTH || o->depth > HRI_RING_MOST))
        return hri_fail(HR_INVALID, "depth is %" PRIu32 "; it goes from %d to %d, or 0 for the default", o->depth,
                        LEAST_DEPTH, HRI_RING_MOST);
    if (o->workers > MOST_WORKERS)
        return hri_fail(HR_INVALID, "workers is %" PRIu32 "; at most %d, or 0 for the default", o->workers,
                        MOST_WORKERS);
    if (o->route > HR_ROUTE_RESIDENT)
        return hri_fail(HR_INVALID,
                        "route is %" PRIu32 "; the known ones are HR_ROUTE_AUTO (0) to HR_ROUTE_RESIDENT (%d)",
                        o->route, HR_ROUTE_RESIDENT);
    return HR_OK;
}

static hr_status choose_route(hr_loader *loader, uint32_t wanted)
{
    static const struct hri_route *const routes[] = {&hri_route_staged, &hri_route_in_place, &hri_route_resident};

    if (wanted == HR_ROUTE_AUTO)
        wanted = hri_device_has(loader->device, HR_ABILITY_SHARED_MEMORY) ? HR_ROUTE_IN_PLACE : HR_ROUTE_STAGED;
    for (size_t i = 0; i < sizeof routes / sizeof *routes; i++)
        if (routes[i]->id == wanted)
            loader->route = routes[i];
    return loader->route->check(loader);
}

/* Gathering wants every core but one where the device computes elsewhere, and half of them where it computes here. */
static hr_status choose_workers(hr_loader *loader, uint32_t wanted)
{
    hr_device_info info = {.size = sizeof info};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t setting = 0;
    hr_status st = hri_setting_number(HRI_SETTING_WORKERS, &setting);

    if (st == HR_OK)
        st = hr_device_get_info(loader->device, &info);
    if (st != HR_OK)
        return st;
    loader->on_cores = info.kind == HR_DEVICE_CPU;
    if (setting > MOST_WORKERS)
        return hri_fail(HR_INVALID, "HEADRACE_WORKERS is %" PRIu64 "; at most %d", setting, MOST_WORKERS);
    if (wanted == 0)
        wanted = (uint32_t)setting;
    if (wanted == 0) {
        cores = loader->on_cores ? cores / 2 : cores - 1;
        wanted = cores < 1 ? 1 : cores > 16 ? 16 : (uint32_t)cores;
    }
    loader->workers = wanted;
    return HR_OK;
}

static hr_status make_layout(hr_loader *loader)
{
    uint64_t align = hri_device_alignment(loader->device);
    uint64_t at = 0;

    loader->layout.offsets = calloc(loader->dataset->n_fields, sizeof(uint64_t));
    if (!loader->layout.offsets)
        return hri_fail(HR_NO_MEMORY, "no memory for the layout of %u fields", loader->dataset->n_fields);
    for (uint32_t f = 0; f < loader->dataset->n_fields; f++) {
        const hr_field_info *info = &loader->dataset->fields[f].info;
        uint64_t bytes;

        at = hri_round_up(at, align);
        loader->layout.offsets[f] = at;
        if (hri_mul_overflows(loader->plan.part, info->row_bytes, &bytes) || hri_add_overflows(at, bytes, &at) ||
            at > MOST_SLOT_BYTES)
            return hri_fail(HR_INVALID,
                            "batch_rows is %" PRIu64 ", which with %" PRIu64
                            " bytes a row of field '%s' makes more than the %" PRIu64
                            " bytes that a batch can have; use a smaller batch",
                            loader->plan.batch, info->row_bytes, info->name, (uint64_t)MOST_SLOT_BYTES);
        at += bytes == 0; /* a shard without rows has views all the same */
    }
    loader->layout.bytes = hri_round_up(at, align);
    return HR_OK;
}

/*
 * A whole batch a worker where there are slots for that: nothing is faster, since nobody waits for the others' parts.
 * Elsewhere than in host memory a slot goes on to be sent and used while its worker wants the next one: as many again.
 * H200, 15 workers, 1 MiB batches: 29 GB/s with 18 slots, 44 with 32 (the link: 45), 43 with 64 (2026-12-01).
 */
static uint32_t default_depth(const hr_loader *loader)
{
    hr_memory_stats stats = {.size = sizeof stats};
    uint64_t depth = loader->workers * (loader->on_cores ? 1u : 2u) + SPARE_DEPTH;
    uint64_t most = DEFAULT_BYTES;

    /* The program's own buffers come later and want memory too. */
    if (hr_memory_get_stats(loader->device, &stats) == HR_OK && most > stats.device_budget_bytes / BUDGET_PART)
        most = stats.device_budget_bytes / BUDGET_PART;
    most /= loader->layout.bytes;
    if (depth < SMALL_DEPTH)
        depth = SMALL_DEPTH;
    if (depth > most)
        depth = most;
    if (depth > HRI_RING_MOST)
        depth = HRI_RING_MOST;
    return depth < DEFAULT_DEPTH ? DEFAULT_DEPTH : (uint32_t)depth;
}

static uint64_t rows_in(const hr_loader *loader, uint64_t bytes)
{
    uint64_t row_bytes = loader->layout.bytes / (loader->plan.part ? loader->plan.part : 1);

    return bytes / row_bytes ? bytes / row_bytes : 1;
}

static void choose_shares(hr_loader *loader)
{
    uint64_t slots = loader->depth > SPARE_DEPTH ? loader->depth - SPARE_DEPTH : 1;
    uint64_t parts = (loader->workers + slots - 1) / slots;
    uint64_t bytes = loader->layout.bytes / parts;

    if (bytes > MOST_SHARE)
        bytes = MOST_SHARE;
    loader->share_rows = rows_in(loader, bytes < LEAST_SHARE ? LEAST_SHARE : bytes);
    /* Among others the feeder takes little at a time, so that what they filled is soon sent; among many, nothing. */
    loader->feeder_rows = loader->workers == 1             ? loader->share_rows
                          : loader->workers < MANY_WORKERS ? rows_in(loader, LEAST_SHARE)
                                                           : 0;
}

static hr_status open_slots(hr_loader *loader, uint32_t depth)
{
    loader->depth = depth;
    loader->slots = calloc(depth, sizeof *loader->slots);
    if (!loader->slots)
        return hri_fail(HR_NO_MEMORY, "no memory for %u slots", depth);
    for (uint32_t s = 0; s < depth; s++) {
        loader->slots[s].loader = loader;
        loader->slots[s].slot = s;
        loader->slots[s].fields = calloc(loader->dataset->n_fields, sizeof(hr_buffer *));
        if (!loader->slots[s].fields)
            return hri_fail(HR_NO_MEMORY, "no memory for %u fields", loader->dataset->n_fields);
    }
    return loader->route->open(loader);
}

void hri_loader_unset(hr_loader *loader)
{
    hri_slots_close(loader);
    for (uint32_t f = 0; loader->resident && f < loader->dataset->n_fields; f++)
        hr_buffer_close(&loader->resident[f]);
    for (uint32_t f = 0; loader->covers && f < loader->dataset->n_fields; f++)
        hr_buffer_close(&loader->covers[f]);
    free(loader->covers);
    loader->covers = NULL;
    hr_buffer_close(&loader->upload);
    free(loader->resident);
    free(loader->gathers);
    loader->resident = NULL;
    loader->gathers = NULL;
}

/* Adds to the allocator's message what would have been enough. */
static hr_status say_least(hr_loader *loader, hr_status st, uint32_t depth)
{
    hr_memory_stats stats = {.size = sizeof stats};
    bool device = st == HR_NO_DEVICE_MEMORY;
    uint64_t held, own;

    if (hr_memory_get_stats(loader->device, &stats) != HR_OK)
        return st;
    held = device ? stats.device_used_bytes : stats.pinned_used_bytes;
    own = device ? loader->route->device_bytes(loader, depth) : loader->route->pinned_bytes(loader, depth);
    return hri_fail_context(
        st,
        "a loader of %" PRIu32 " slots of %" PRIu64 " bytes takes %" PRIu64 " bytes of %s memory, and "
        "%" PRIu64 " are in use: it needs a budget of at least %" PRIu64 " bytes, or a smaller batch",
        depth, loader->layout.bytes, own, device ? "device" : "pinned", held, held + own);
}

/* A default depth gives way to the budget; what was asked for does not. */
static hr_status open_memory(hr_loader *loader, uint32_t wanted)
{
    uint32_t depth = wanted ? wanted : default_depth(loader);
    uint32_t least = wanted ? wanted : LEAST_DEPTH;
    hr_status st;

    for (;; depth--) {
        st = open_slots(loader, depth);
        if (st == HR_OK || depth == least || (st != HR_NO_DEVICE_MEMORY && st != HR_NO_PINNED_MEMORY))
            break;
        hri_loader_unset(loader);
    }
    if (st == HR_NO_DEVICE_MEMORY || st == HR_NO_PINNED_MEMORY) {
        hri_loader_unset(loader);
        return say_least(loader, st, depth);
    }
    if (st == HR_OK)
        hri_log(HRI_LOG_INFO, "loader: route %s, %u slots of %" PRIu64 " bytes, %u workers", loader->route->name, depth,
                loader->layout.bytes, loader->workers);
    return st;
}

hr_status hri_loader_setup(hr_loader *loader, const hr_loader_options *options)
{
    hr_status st = check_options(options);

    if (st == HR_OK)
        st = hri_plan_make(options, loader->dataset->rows, &loader->plan);
    if (st == HR_OK)
        st = choose_route(loader, options->route);
    if (st == HR_OK)
        st = choose_workers(loader, options->workers);
    if (st == HR_OK)
        st = make_layout(loader);
    if (st == HR_OK)
        st = open_memory(loader, options->depth);
    if (st != HR_OK)
        return st;
    choose_shares(loader);
    /* Where many slots go round, waking the feeder for each costs more than refilling some at a time. */
    loader->refill = loader->route->send && loader->depth >= SMALL_DEPTH ? loader->depth / 4 : 1;
    hri_ring_init(&loader->ring, loader->depth);
    return HR_OK;
}
