/* The devices as the driver describes them: a plausible discrete GPU. */
#include "fake.h"

#include <stdio.h>

static hri_cu_result check_device(hri_cu_dev device)
{
    return device >= 0 && device < fake_settings()->devices ? 0 : HRI_CU_INVALID_DEVICE;
}

hri_cu_result cuDeviceGetCount(int *count)
{
    hri_cu_result code = fake_begin(FAKE_DeviceGetCount);

    if (code)
        return code;
    *count = fake_settings()->devices;
    return 0;
}

hri_cu_result cuDeviceGet(hri_cu_dev *device, int index)
{
    hri_cu_result code = fake_begin(FAKE_DeviceGet);

    if (code)
        return code;
    if (check_device(index))
        return HRI_CU_INVALID_DEVICE;
    *device = index;
    return 0;
}

hri_cu_result cuDeviceGetName(char *name, int bytes, hri_cu_dev device)
{
    hri_cu_result code = fake_begin(FAKE_DeviceGetName);

    if (code == 0)
        code = check_device(device);
    if (code)
        return code;
    if (bytes < 1)
        return HRI_CU_INVALID_VALUE;
    snprintf(name, (size_t)bytes, "Simulated GPU %d", device);
    return 0;
}

hri_cu_result cuDeviceTotalMem_v2(size_t *bytes, hri_cu_dev device)
{
    hri_cu_result code = fake_begin(FAKE_DeviceTotalMem);

    if (code == 0)
        code = check_device(device);
    if (code)
        return code;
    *bytes = fake_settings()->memory;
    return 0;
}

hri_cu_result cuDeviceGetAttribute(int *value, int attribute, hri_cu_dev device)
{
    static const struct {
        int attribute, value;
    } known[] = {{HRI_CU_ATTR_MAX_THREADS_PER_BLOCK, 1024},
                 {HRI_CU_ATTR_MAX_BLOCK_X, 1024},
                 {HRI_CU_ATTR_MAX_BLOCK_Y, 1024},
                 {HRI_CU_ATTR_MAX_BLOCK_Z, 64},
                 {HRI_CU_ATTR_MAX_GRID_X, 2147483647},
                 {HRI_CU_ATTR_MAX_GRID_Y, 65535},
                 {HRI_CU_ATTR_MAX_GRID_Z, 65535},
                 {HRI_CU_ATTR_WARP_SIZE, 32},
                 {HRI_CU_ATTR_MULTIPROCESSORS, 4},
                 {HRI_CU_ATTR_INTEGRATED, 0},
                 {HRI_CU_ATTR_CAN_MAP_HOST_MEMORY, 1},
                 {HRI_CU_ATTR_COMPUTE_MODE, 0},
                 {HRI_CU_ATTR_COPY_ENGINES, 2},
                 {HRI_CU_ATTR_UNIFIED_ADDRESSING, 1},
                 {HRI_CU_ATTR_MAJOR, FAKE_MAJOR},
                 {HRI_CU_ATTR_MINOR, FAKE_MINOR},
                 {HRI_CU_ATTR_HOST_REGISTER, 1},
                 {HRI_CU_ATTR_READ_ONLY_REGISTER, 1}};
    hri_cu_result code = fake_begin(FAKE_DeviceGetAttribute);

    if (code == 0)
        code = check_device(device);
    if (code)
        return code;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].attribute == attribute) {
            *value = known[i].value;
            return 0;
        }
    return HRI_CU_INVALID_VALUE;
}

hri_cu_result cuDeviceGetPCIBusId(char *id, int bytes, hri_cu_dev device)
{
    hri_cu_result code = fake_begin(FAKE_DeviceGetPCIBusId);

    if (code == 0)
        code = check_device(device);
    if (code)
        return code;
    if (bytes < 13)
        return HRI_CU_INVALID_VALUE;
    snprintf(id, (size_t)bytes, "0000:%02x:00.0", device + 1);
    return 0;
}

hri_cu_result cuMemGetInfo_v2(size_t *unused, size_t *total)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter(FAKE_MemGetInfo, &context);

    if (code)
        return code;
    *unused = fake_arena_free(context->device);
    *total = fake_settings()->memory;
    return 0;
}
