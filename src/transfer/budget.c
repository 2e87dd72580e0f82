/* How much device and pinned memory a device may hold. */
#include "core/settings.h"
#include "transfer/object.h"
#include "transfer/open.h"

#include <unistd.h>

static uint64_t host_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES);
    long page = sysconf(_SC_PAGE_SIZE);

    /* A system that does not say is taken for a small one. */
    return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : (uint64_t)1 << 30;
}

static hr_status budget(uint64_t asked, enum hri_setting setting, uint64_t fallback, uint64_t *bytes)
{
    hr_status st = HR_OK;

    if (asked == 0)
        st = hri_setting_number(setting, &asked);
    if (st == HR_OK)
        *bytes = asked != 0 ? asked : fallback;
    return st;
}

hr_status hri_budgets(const hr_device_options *options, hr_device_info *info)
{
    uint64_t host = host_bytes();
    uint64_t memory = info->memory_bytes != 0 ? info->memory_bytes : host / 2;
    bool shared = (info->abilities & HR_ABILITY_SHARED_MEMORY) != 0;
    hr_status st = budget(options->device_memory_bytes, HRI_SETTING_DEVICE_MEMORY,
                          shared ? memory / 2 : memory / 10 * 9, &info->budget_bytes);

    if (st == HR_OK)
        st = budget(options->pinned_memory_bytes, HRI_SETTING_PINNED_MEMORY, host / 4, &info->pinned_budget_bytes);
    return st;
}
