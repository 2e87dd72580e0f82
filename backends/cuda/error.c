/* From the driver's codes to statuses: the one place that knows what a code means. */
#include "cuda/internal.h"

#include <stdarg.h>
#include <stdio.h>

/* After these the context is of no use: every later call answers the same, until it is destroyed. */
static bool is_sticky(hri_cu_result code)
{
    switch (code) {
    case HRI_CU_DEINITIALIZED: /* the process is exiting, and the driver has left already */
    case HRI_CU_DEVICE_UNAVAILABLE:
    case HRI_CU_INVALID_CONTEXT: /* ours was valid: the program has destroyed or reset it */
    case HRI_CU_CONTEXT_IS_DESTROYED:
    case HRI_CU_ECC_UNCORRECTABLE:
    case HRI_CU_NVLINK_UNCORRECTABLE:
    case HRI_CU_CONTAINED:
    case HRI_CU_ILLEGAL_ADDRESS:
    case HRI_CU_LAUNCH_TIMEOUT:
    case HRI_CU_ASSERT:
    case HRI_CU_HARDWARE_STACK_ERROR:
    case HRI_CU_ILLEGAL_INSTRUCTION:
    case HRI_CU_MISALIGNED_ADDRESS:
    case HRI_CU_INVALID_ADDRESS_SPACE:
    case HRI_CU_INVALID_PC:
    case HRI_CU_LAUNCH_FAILED:
    case HRI_CU_UNKNOWN:
        return true;
    default:
        return false;
    }
}

static hr_status meaning(enum hri_cu_phase phase, hri_cu_result code)
{
    if (is_sticky(code))
        return HR_DEVICE_LOST;
    if (code >= HRI_CU_CAPTURE_UNSUPPORTED && code <= HRI_CU_CAPTURE_WRONG_THREAD)
        return HR_UNSUPPORTED;
    /* Sizes beyond all reason are an invalid value to some drivers. */
    if (phase == HRI_CU_ALLOC_PINNED && (code == HRI_CU_OUT_OF_MEMORY || code == HRI_CU_INVALID_VALUE))
        return HR_NO_PINNED_MEMORY;
    if (phase == HRI_CU_ALLOC_DEVICE && (code == HRI_CU_OUT_OF_MEMORY || code == HRI_CU_INVALID_VALUE))
        return HR_NO_DEVICE_MEMORY;
    if (code == HRI_CU_NOT_SUPPORTED)
        return HR_UNSUPPORTED;
    if (code == HRI_CU_OUT_OF_MEMORY)
        return HR_NO_DEVICE_MEMORY; /* what a submission or a module needs is the device's */
    return HR_DRIVER;
}

hr_status hri_cu_fail(const struct hri_cu_device *device, enum hri_cu_phase phase, hri_cu_result code,
                      const char *format, ...)
{
    const char *name = NULL;
    const char *words = NULL;
    char what[320];
    va_list list;

    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    if (device->cu->GetErrorName(code, &name) != HRI_CU_SUCCESS || !name)
        name = "a code without a name";
    if (device->cu->GetErrorString(code, &words) != HRI_CU_SUCCESS || !words)
        words = "no more is known";
    return device->head.services->fail(meaning(phase, code), code, "%s: CUDA says %s, %s", what, name, words);
}
