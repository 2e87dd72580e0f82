/* Memory counters, and giving memory back to the driver. */
#include "core/util.h"
#include "transfer/object.h"

static void device_stats(struct hri_pool *pool, hr_memory_stats *stats)
{
    pthread_mutex_lock(&pool->lock);
    stats->device_used_bytes = pool->used;
    stats->device_cached_bytes = pool->cached + pool->moving;
    stats->device_peak_bytes = pool->peak;
    stats->device_budget_bytes = pool->budget;
    stats->device_driver_allocs = pool->allocs;
    stats->device_driver_frees = pool->frees;
    pthread_mutex_unlock(&pool->lock);
}

static void pinned_stats(struct hri_pool *pool, hr_memory_stats *stats)
{
    pthread_mutex_lock(&pool->lock);
    stats->pinned_used_bytes = pool->used;
    stats->pinned_cached_bytes = pool->cached + pool->moving;
    stats->pinned_peak_bytes = pool->peak;
    stats->pinned_budget_bytes = pool->budget;
    stats->pinned_driver_allocs = pool->allocs;
    stats->pinned_driver_frees = pool->frees;
    pthread_mutex_unlock(&pool->lock);
}

hr_status hr_memory_get_stats(hr_device *device, hr_memory_stats *stats)
{
    hr_memory_stats ours = {.size = sizeof ours};

    if (device == NULL || stats == NULL)
        return hri_fail(HR_INVALID, "hr_memory_get_stats: %s is NULL", device == NULL ? "device" : "stats");
    if (hri_device_forked(device))
        return hri_device_check(device);
    device_stats(&device->pools[HR_MEMORY_DEVICE], &ours);
    pinned_stats(&device->pools[HR_MEMORY_PINNED], &ours);
    pthread_mutex_lock(&device->staging.lock);
    ours.staging_waits = device->staging.waits;
    pthread_mutex_unlock(&device->staging.lock);
    return hri_struct_out(stats, &ours, sizeof ours, HRI_LEAST(hr_memory_stats, staging_waits), "hr_memory_stats");
}

hr_status hr_memory_trim(hr_device *device)
{
    hr_status st;
    hr_status pinned;

    if (device == NULL)
        return hri_fail(HR_INVALID, "hr_memory_trim: device is NULL");
    if (hri_device_forked(device))
        return hri_device_check(device);
    hri_staging_reclaim(device);
    st = hri_pool_trim(&device->pools[HR_MEMORY_DEVICE]);
    pinned = hri_pool_trim(&device->pools[HR_MEMORY_PINNED]);
    return st != HR_OK ? st : pinned;
}
