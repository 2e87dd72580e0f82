/* Devices: opened over the table that was chosen, alive until the last object made from them is closed. */
#include "core/forks.h"
#include "core/settings.h"
#include "core/util.h"
#include "transfer/object.h"
#include "transfer/open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static hr_status describe(hr_device *device, const struct hri_choice *choice)
{
    hr_device_info *info = &device->info;
    hr_status st;

    info->size = sizeof *info;
    st = device->backend->ops->device_info(device->native, info);
    if (st != HR_OK)
        return st;
    info->size = sizeof *info;
    snprintf(info->backend, sizeof info->backend, "%s", device->backend->name);
    if (info->selector[0] == '\0')
        snprintf(info->selector, sizeof info->selector, "%.31s",
                 choice->info.selector[0] != '\0' ? choice->info.selector : device->backend->name);
    info->usable = 1;
    info->reason[0] = '\0';
    if (info->alignment == 0)
        info->alignment = 1;
    return HR_OK;
}

/* For the pinned pool: what snapshots and reads that are through still hold. */
static bool reclaim(hr_device *device, bool may_wait)
{
    return hri_staging_reclaim(device) || hri_land_some(device, may_wait);
}

static void set_up(hr_device *device)
{
    const hr_device_info *info = &device->info;

    pthread_mutex_init(&device->lock, NULL);
    pthread_cond_init(&device->built, NULL);
    hri_pool_init(&device->pools[HR_MEMORY_DEVICE], device, HR_MEMORY_DEVICE, info->budget_bytes, NULL);
    hri_pool_init(&device->pools[HR_MEMORY_PINNED], device, HR_MEMORY_PINNED, info->pinned_budget_bytes, reclaim);
    hri_staging_init(&device->staging, info->pinned_budget_bytes);
    hri_landings_init(&device->landings, device->staging.cap, device->staging.chunk_bytes);
}

hr_status hri_device_open_as(const struct hri_choice *choice, const struct hrb_native *native,
                             const hr_device_options *options, hr_device **device)
{
    hr_device_options given = {.size = sizeof given};
    const struct hrb_ops *base = choice->backend->ops;
    hr_device *made;
    hr_status st;

    if (options != NULL) {
        st = hri_struct_in(&given, sizeof given, options, HRI_LEAST(hr_device_options, layers), "hr_device_options");
        if (st != HR_OK)
            return st;
    }
    if (given.flags != 0)
        return hri_fail(HR_INVALID, "hr_device_options.flags is 0x%x: it must be 0", given.flags);
    made = calloc(1, sizeof *made);
    if (made == NULL)
        return hri_fail(HR_NO_MEMORY, "no host memory for a device's %zu bytes", sizeof *made);
    atomic_init(&made->refs, 1);
    made->pid = getpid();
    made->forks = hri_forks_watch();
    made->backend = choice->backend;
    made->ops = base;
    st = base->device_open(choice->instance, choice->index, native, &made->native);
    if (st != HR_OK)
        goto free_made;
    st = describe(made, choice);
    if (st == HR_OK)
        st = hri_budgets(&given, &made->info);
    if (st != HR_OK)
        goto close;
    st = hri_layers_attach(made, given.layers != NULL ? given.layers : hri_setting_text(HRI_SETTING_LAYERS));
    if (st != HR_OK)
        goto detach;
    set_up(made);
    hri_exit_list(made);
    *device = made;
    return HR_OK;

detach:
    hri_layers_detach(made);
close:
    base->device_close(made->native);
free_made:
    free(made);
    return st;
}

hr_status hri_device_open_choice(const struct hri_choice *choice, const hr_device_options *options, hr_device **device)
{
    return hri_device_open_as(choice, NULL, options, device);
}

hr_status hr_device_open(const char *selector, const hr_device_options *options, hr_device **device)
{
    struct hri_choice choice;
    hr_status st;

    if (device == NULL)
        return hri_fail(HR_INVALID, "hr_device_open: device is NULL");
    st = hri_select(selector, &choice);
    if (st != HR_OK)
        return st;
    return hri_device_open_choice(&choice, options, device);
}

hr_status hr_device_get_info(hr_device *device, hr_device_info *info)
{
    if (device == NULL || info == NULL)
        return hri_fail(HR_INVALID, "hr_device_get_info: %s is NULL", device == NULL ? "device" : "info");
    return hri_struct_out(info, &device->info, sizeof device->info, HRI_LEAST(hr_device_info, reserved),
                          "hr_device_info");
}

bool hri_device_forked(const hr_device *device)
{
    return device->forks != hri_forks();
}

hr_status hri_device_check(hr_device *device)
{
    if (hri_device_forked(device))
        return hri_fail(HR_FORKED, "%s was opened by process %ld, and this is its child %ld: open devices after fork()",
                        device->info.selector, (long)device->pid, (long)getpid());
    return hri_failure_get(&device->failure);
}

bool hri_device_has(hr_device *device, uint32_t ability)
{
    return (device->info.abilities & ability) != 0;
}

struct hrb_trace *hri_device_trace(const hr_device *device)
{
    return device->native->trace;
}

uint32_t hri_device_alignment(hr_device *device)
{
    return device->info.alignment;
}

void hri_device_retain(hr_device *device)
{
    atomic_fetch_add_explicit(&device->refs, 1, memory_order_relaxed);
}

/* The last holder has gone: only the device itself still refers to its queues and its memory. */
static void tear_down(hr_device *device)
{
    struct hri_staging *staging = &device->staging;
    char kept[HRI_MESSAGE_BYTES];

    hri_message_keep(kept);
    hri_exit_unlist(device);
    hri_builtin_close(device);
    for (hr_queue *queue = device->queues; queue != NULL; queue = queue->next)
        hri_queue_end(queue);
    hri_landings_close(device);
    hri_staging_reclaim(device);
    hri_pool_close(&device->pools[HR_MEMORY_DEVICE]);
    hri_pool_close(&device->pools[HR_MEMORY_PINNED]);
    for (uint32_t role = 0; role < HRI_ROLES; role++)
        if (device->own[role] != NULL)
            hri_queue_drop(device->own[role]);
    pthread_cond_destroy(&staging->changed);
    pthread_mutex_destroy(&staging->lock);
    pthread_cond_destroy(&device->built);
    pthread_mutex_destroy(&device->lock);
    hri_layers_detach(device);
    device->ops->device_close(device->native);
    free(device);
    hri_message_put_back(kept);
}

void hri_device_release(hr_device *device)
{
    if (atomic_fetch_sub_explicit(&device->refs, 1, memory_order_acq_rel) == 1)
        tear_down(device);
}

void hr_device_close(hr_device **device)
{
    if (device == NULL || *device == NULL)
        return;
    if (!hri_device_forked(*device))
        hri_device_release(*device);
    *device = NULL;
}
