/* The device's context around driver calls: pushed before and popped after, so that the one which the calling thread
 * has made current is the same after every call of the library, on every way out. */
#include "cuda/internal.h"

hr_status hri_cu_enter(const struct hri_cu_device *device)
{
    hri_cu_result code = device->cu->CtxPushCurrent(device->context);

    if (code != HRI_CU_SUCCESS)
        return hri_cu_fail(device, HRI_CU_CALL, code, "the context of %s cannot be used", device->info.selector);
    return HR_OK;
}

bool hri_cu_enter_quietly(const struct hri_cu_device *device)
{
    return device->cu->CtxPushCurrent(device->context) == HRI_CU_SUCCESS;
}

void hri_cu_leave(const struct hri_cu_device *device)
{
    hri_cu_context popped;

    device->cu->CtxPopCurrent(&popped);
}
