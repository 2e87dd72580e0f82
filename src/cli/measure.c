/* Clock, medians, and the device that is measured. */
#include "cli.h"
#include "core/util.h"

#include <stdlib.h>
#include <string.h>

double cli_seconds(void)
{
    return (double)hri_now_ns() * 1e-9;
}

double cli_median(const double *values, unsigned n)
{
    double sorted[CLI_MAX_ROUNDS];

    for (unsigned i = 0; i < n; i++) {
        unsigned at = i;

        for (; at > 0 && sorted[at - 1] > values[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = values[i];
    }
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

bool cli_in_host_memory(const hr_device_info *info)
{
    return info->kind == HR_DEVICE_CPU || (info->abilities & HR_ABILITY_SHARED_MEMORY);
}

const char *cli_kind_name(uint32_t kind)
{
    switch (kind) {
    case HR_DEVICE_CPU:
        return "CPU";
    case HR_DEVICE_GPU:
        return "GPU";
    case HR_DEVICE_ACCELERATOR:
        return "accelerator";
    default:
        return "other";
    }
}

int cli_open(const char *selector, const char *trace, hr_device **device, hr_device_info *info)
{
    hr_status st;

    /* By the environment, which goes with whatever layers it names. */
    if (trace && setenv("HEADRACE_TRACE", trace, 1) != 0)
        return cli_error("no memory for --trace");
    st = hr_device_open(selector, NULL, device);
    if (st != HR_OK)
        return cli_failed(st, "cannot open the device");
    memset(info, 0, sizeof *info);
    info->size = sizeof *info;
    st = hr_device_get_info(*device, info);
    if (st != HR_OK) {
        hr_device_close(device);
        return cli_failed(st, "cannot describe the device");
    }
    return CLI_GO;
}
