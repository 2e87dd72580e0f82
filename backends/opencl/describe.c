/* What a device is and can do, from what its driver tells. */
#include "opencl/internal.h"

#include <stdio.h>
#include <string.h>

void hri_cl_platform_text(cl_platform_id platform, cl_platform_info what, char *out, size_t bytes)
{
    char text[1024] = "";

    if (clGetPlatformInfo(platform, what, sizeof text - 1, text, NULL) != CL_SUCCESS)
        strcpy(text, "?");
    snprintf(out, bytes, "%.*s", (int)bytes - 1, text);
}

static void device_text(cl_device_id device, cl_device_info what, char *out, size_t bytes)
{
    char text[1024] = "";

    if (clGetDeviceInfo(device, what, sizeof text - 1, text, NULL) != CL_SUCCESS)
        strcpy(text, "?");
    snprintf(out, bytes, "%.*s", (int)bytes - 1, text);
}

/* A number of the driver's own width (cl_bool, cl_uint, size_t, cl_ulong, a bit-field); 0 when it does not tell. */
static uint64_t device_number(cl_device_id device, cl_device_info what)
{
    union {
        cl_uint narrow;
        cl_ulong wide;
    } value = {.wide = 0};
    size_t bytes = 0;

    if (clGetDeviceInfo(device, what, sizeof value, &value, &bytes) != CL_SUCCESS)
        return 0;
    return bytes == sizeof value.narrow ? value.narrow : value.wide;
}

static uint32_t kind_of(cl_device_id device)
{
    uint64_t type = device_number(device, CL_DEVICE_TYPE);

    if (type & CL_DEVICE_TYPE_GPU)
        return HR_DEVICE_GPU;
    if (type & CL_DEVICE_TYPE_CPU)
        return HR_DEVICE_CPU;
    return type & CL_DEVICE_TYPE_ACCELERATOR ? HR_DEVICE_ACCELERATOR : HR_DEVICE_OTHER;
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* PoCL's single-threaded device runs kernels inside the call that submits them; its name before and from 4.0 on. */
static bool runs_inline(const hr_device_info *info)
{
    return starts_with(info->platform, "Portable Computing Language") &&
           (starts_with(info->name, "basic") || starts_with(info->name, "cpu-minimal"));
}

/* Why a device cannot be used here; empty when it can. */
static void find_reason(cl_device_id device, char *out, size_t bytes)
{
    char version[128];
    int major = 0;
    int minor = 0;

    device_text(device, CL_DEVICE_VERSION, version, sizeof version);
    if (sscanf(version, "OpenCL %d.%d", &major, &minor) != 2 || major < 1 || (major == 1 && minor < 2))
        snprintf(out, bytes, "OpenCL 1.2 or later is needed, the driver has \"%.100s\"", version);
    else if (!device_number(device, CL_DEVICE_AVAILABLE))
        snprintf(out, bytes, "the driver says that the device is not available");
    else if (!device_number(device, CL_DEVICE_COMPILER_AVAILABLE))
        snprintf(out, bytes, "the driver has no compiler for kernels");
    else if (!device_number(device, CL_DEVICE_ENDIAN_LITTLE))
        snprintf(out, bytes, "the device is big-endian, data are delivered little-endian");
    else
        out[0] = '\0';
}

static uint32_t find_abilities(cl_device_id device, const struct hri_cl_profile *profile,
                               const struct hri_cl_traits *traits)
{
    uint32_t abilities = HR_ABILITY_IMPORT;

    if (!runs_inline(&traits->info))
        abilities |= HR_ABILITY_ASYNC_KERNELS;
    /* A processor's kernels take the workers that would copy: PoCL ends a kernel before another queue's write. */
    if (traits->info.kind == HR_DEVICE_GPU)
        abilities |= HR_ABILITY_COPY_OVERLAP;
    if (traits->device_timing)
        abilities |= HR_ABILITY_TIMING;
    if (profile->shared_memory &&
        (device_number(device, CL_DEVICE_SVM_CAPABILITIES) & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) != 0)
        abilities |= HR_ABILITY_SHARED_MEMORY;
    return abilities;
}

static void find_texts(cl_device_id device, hr_device_info *info)
{
    cl_platform_id platform = NULL;
    char driver[60];
    char version[64];

    if (clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) == CL_SUCCESS)
        hri_cl_platform_text(platform, CL_PLATFORM_NAME, info->platform, sizeof info->platform);
    device_text(device, CL_DEVICE_NAME, info->name, sizeof info->name);
    device_text(device, CL_DRIVER_VERSION, driver, sizeof driver);
    device_text(device, CL_DEVICE_VERSION, version, sizeof version);
    snprintf(info->driver, sizeof info->driver, "%s, %s", driver, version);
}

void hri_cl_describe(struct hrb_instance *instance, cl_device_id device, const struct hri_cl_listed *listed,
                     struct hri_cl_traits *traits)
{
    hr_device_info *info = &traits->info;
    uint64_t alignment = device_number(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8; /* told in bits */

    memset(traits, 0, sizeof *traits);
    info->kind = kind_of(device);
    find_texts(device, info);
    find_reason(device, info->reason, sizeof info->reason);
    info->usable = info->reason[0] == '\0';
    if (listed)
        snprintf(info->selector, sizeof info->selector, "%s:%u:%u", instance->backend->name, listed->platform_index,
                 listed->device_index);
    info->memory_bytes = device_number(device, CL_DEVICE_GLOBAL_MEM_SIZE);
    info->max_buffer_bytes = device_number(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    info->alignment = alignment < 16 ? 16 : (uint32_t)alignment; /* 16: the widest fill pattern */
    info->compute_units = (uint32_t)device_number(device, CL_DEVICE_MAX_COMPUTE_UNITS);
    info->max_group_size = (uint32_t)device_number(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    traits->device_timing = (device_number(device, CL_DEVICE_QUEUE_PROPERTIES) & CL_QUEUE_PROFILING_ENABLE) != 0;
    /* A device that computes on this processor's cores gains nothing by spinning on one of them. */
    traits->wait_sleeps = info->kind == HR_DEVICE_CPU;
    info->abilities = find_abilities(device, instance->profile, traits);
}

hr_status hri_cl_device_describe(struct hrb_instance *instance, uint32_t index, hr_device_info *info)
{
    const struct hri_cl_listed *listed = &instance->listed[index];
    struct hri_cl_traits traits;
    uint32_t size = info->size;

    hri_cl_describe(instance, listed->device, listed, &traits);
    *info = traits.info;
    info->size = size;
    return HR_OK;
}
