/* A loader's statistics, and what limits it in words. */
#include "stream/loader.h"

#include "core/util.h"

#include <stdio.h>
#include <string.h>

/* A stage that the feeder waited for during this share of the epoch is the limit; less is start-up and chance. */
#define SHARE 0.05

static double rate(uint64_t bytes, uint64_t ns)
{
    return ns ? (double)bytes / (double)ns : 0.0; /* bytes a nanosecond: GB/s */
}

static void bottleneck(const hr_loader *loader, hr_loader_stats *stats)
{
    const struct hri_tally *t = &loader->tally;
    double wall = (double)stats->wall_ns;
    char *text = stats->bottleneck;
    size_t room = sizeof stats->bottleneck;

    if (stats->batches == 0)
        snprintf(text, room, "nothing delivered yet");
    else if ((double)t->next_wait_ns < SHARE * wall)
        snprintf(text, room, "compute: the device never waited");
    else if ((double)t->slot_wait_ns >= SHARE * wall && t->slot_wait_ns >= t->send_wait_ns)
        snprintf(text, room, "compute: batches wait for the device, %.0f%% of the epoch",
                 100.0 * (double)t->slot_wait_ns / wall);
    else if ((double)t->send_wait_ns >= SHARE * wall)
        snprintf(text, room, "link: %.2f GB/s sent, the feeder waited for copies %.0f%% of the epoch",
                 rate(t->link_bytes, stats->wall_ns), 100.0 * (double)t->send_wait_ns / wall);
    else if (loader->route->id == HR_ROUTE_RESIDENT)
        snprintf(text, room, "compute: rows are gathered on the device");
    else
        snprintf(text, room, "gather: %.2f GB/s with %u worker%s; add workers", rate(t->bytes, stats->wall_ns),
                 loader->workers, loader->workers == 1 ? "" : "s");
}

static void report(const hr_loader *loader, hr_loader_stats *stats)
{
    const struct hri_tally *t = &loader->tally;
    uint64_t now = hri_now_ns();

    memset(stats, 0, sizeof *stats);
    stats->route = loader->route->id;
    stats->depth = loader->depth;
    stats->workers = loader->workers;
    stats->epoch = t->epoch;
    stats->batches = t->batches;
    stats->rows = t->rows;
    stats->bytes = t->bytes;
    stats->link_bytes = t->link_bytes;
    stats->wall_ns = t->start_ns ? (t->end_ns ? t->end_ns : now) - t->start_ns : 0;
    stats->next_wait_ns = t->next_wait_ns;
    stats->slot_wait_ns = t->slot_wait_ns;
    stats->gather_ns = t->gather_ns;
    stats->send_wait_ns = t->send_wait_ns;
    stats->first_batch_ns = t->first_ns ? t->first_ns - t->start_ns : 0;
    bottleneck(loader, stats);
}

hr_status hr_loader_get_stats(hr_loader *loader, hr_loader_stats *out)
{
    hr_loader_stats stats;

    if (!loader)
        return hri_fail(HR_INVALID, "hr_loader_get_stats: loader is NULL");
    if (hri_device_forked(loader->device))
        return hri_device_check(loader->device);
    pthread_mutex_lock(&loader->lock);
    report(loader, &stats);
    pthread_mutex_unlock(&loader->lock);
    return hri_struct_out(out, &stats, sizeof stats, sizeof stats, "hr_loader_stats");
}
