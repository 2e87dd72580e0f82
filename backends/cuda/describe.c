/* What a device is and can do, from what the driver tells. */
#include "cuda/internal.h"

#include <stdio.h>
#include <string.h>

/* What cuMemAlloc gives: "always aligned to at least 256 bytes" (CUDA C++ Programming Guide, device memory accesses).
 */
#define ALIGNMENT 256u

int hri_cu_attribute(const struct hri_cu *cu, hri_cu_dev device, int attribute)
{
    int value = 0;

    return cu->DeviceGetAttribute(&value, attribute, device) == HRI_CU_SUCCESS ? value : 0;
}

static uint32_t count_of(const struct hri_cu *cu, hri_cu_dev device, int attribute)
{
    int value = hri_cu_attribute(cu, device, attribute);

    return value > 0 ? (uint32_t)value : 0;
}

/*
 * HR_ABILITY_SHARED_MEMORY is not claimed, on integrated devices neither: kernels would have to work on mapped host
 * memory there, which those devices read past their caches, and no such machine was at hand to measure it. They get the
 * copies that every device gets.
 */
static uint32_t find_abilities(const struct hri_cu *cu, hri_cu_dev device)
{
    uint32_t abilities = HR_ABILITY_ASYNC_KERNELS | HR_ABILITY_TIMING;

    if (hri_cu_attribute(cu, device, HRI_CU_ATTR_COPY_ENGINES) > 0)
        abilities |= HR_ABILITY_COPY_OVERLAP;
    if (hri_cu_attribute(cu, device, HRI_CU_ATTR_HOST_REGISTER) > 0)
        abilities |= HR_ABILITY_IMPORT;
    return abilities;
}

void hri_cu_describe(const struct hrb_instance *instance, uint32_t index, hri_cu_dev device, hr_device_info *info)
{
    const struct hri_cu *cu = &instance->cu;
    size_t bytes = 0;

    memset(info, 0, sizeof *info);
    info->kind = HR_DEVICE_GPU;
    snprintf(info->selector, sizeof info->selector, "%s:%u", instance->backend->name, index);
    snprintf(info->platform, sizeof info->platform, "NVIDIA CUDA");
    if (cu->DeviceGetName(info->name, (int)sizeof info->name, device) != HRI_CU_SUCCESS)
        snprintf(info->name, sizeof info->name, "?");
    info->name[sizeof info->name - 1] = '\0';
    snprintf(info->driver, sizeof info->driver, "CUDA %d.%d, compute capability %d.%d", instance->driver_version / 1000,
             instance->driver_version % 1000 / 10, hri_cu_attribute(cu, device, HRI_CU_ATTR_MAJOR),
             hri_cu_attribute(cu, device, HRI_CU_ATTR_MINOR));
    if (cu->DeviceTotalMem(&bytes, device) == HRI_CU_SUCCESS)
        info->memory_bytes = info->max_buffer_bytes = bytes; /* one buffer may take all of it */
    info->alignment = ALIGNMENT;
    info->compute_units = count_of(cu, device, HRI_CU_ATTR_MULTIPROCESSORS);
    info->max_group_size = count_of(cu, device, HRI_CU_ATTR_MAX_THREADS_PER_BLOCK);
    info->abilities = find_abilities(cu, device);
    if (hri_cu_attribute(cu, device, HRI_CU_ATTR_COMPUTE_MODE) == HRI_CU_COMPUTE_PROHIBITED)
        snprintf(info->reason, sizeof info->reason,
                 "its compute mode is Prohibited: nvidia-smi -c 0 as an administrator allows work on it");
    info->usable = info->reason[0] == '\0';
}

hr_status hri_cu_device_describe(struct hrb_instance *instance, uint32_t index, hr_device_info *info)
{
    const uint32_t size = info->size;
    hri_cu_dev device = 0;
    hri_cu_result code = instance->cu.DeviceGet(&device, (int)index);

    if (code != HRI_CU_SUCCESS)
        return instance->services->fail(HR_UNAVAILABLE, code, "the driver does not give device %u of %u", index,
                                        instance->n);
    hri_cu_describe(instance, index, device, info);
    info->size = size;
    return HR_OK;
}
