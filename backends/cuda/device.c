/* An open device: its primary context, retained, or the program's own context, used as it is. */
#include "cuda/internal.h"

#include <stdlib.h>

/* The driver's handle and number of the device that the program's context is of. */
static hr_status device_of_context(const struct hrb_instance *instance, hri_cu_context context, hri_cu_dev *device,
                                   uint32_t *index)
{
    const struct hri_cu *cu = &instance->cu;
    hri_cu_context popped;
    hri_cu_result code = cu->CtxPushCurrent(context);

    if (code == HRI_CU_SUCCESS) {
        code = cu->CtxGetDevice(device);
        cu->CtxPopCurrent(&popped);
    }
    if (code != HRI_CU_SUCCESS)
        return instance->services->fail(HR_INVALID, code, "the CUcontext cannot be used: give a live context");
    for (*index = 0; *index < instance->n; ++*index) {
        hri_cu_dev listed;

        if (cu->DeviceGet(&listed, (int)*index) == HRI_CU_SUCCESS && listed == *device)
            return HR_OK;
    }
    return instance->services->fail(HR_INVALID, 0, "the CUcontext is of a device that the driver does not list");
}

/* native->device: NULL, or where the CUdevice is that the program takes the context to be of. */
static hr_status check_native(const struct hrb_instance *instance, const struct hrb_native *native, hri_cu_dev *device,
                              uint32_t *index)
{
    const hri_cu_dev *asked = native->device;
    hr_status st = device_of_context(instance, native->context, device, index);

    if (st != HR_OK || !asked || *asked == *device)
        return st;
    return instance->services->fail(HR_INVALID, 0, "the CUcontext is of CUdevice %d and CUdevice %d was asked for",
                                    *device, *asked);
}

static void leave_context(const struct hri_cu_device *device)
{
    if (device->primary)
        device->cu->DevicePrimaryCtxRelease(device->device);
}

static hr_status start_clock(struct hri_cu_device *made)
{
    hr_status st = hri_cu_enter(made);
    hri_cu_result code;

    if (st != HR_OK)
        return st;
    code = hri_cu_clock_start(made);
    hri_cu_leave(made);
    return code == HRI_CU_SUCCESS
               ? HR_OK
               : hri_cu_fail(made, HRI_CU_CALL, code, "no stream and no event on \"%s\"", made->info.name);
}

static hr_status take_context(struct hri_cu_device *made, const struct hrb_native *native)
{
    const struct hrb_services *services = made->head.services;
    hri_cu_result code;

    if (!made->info.usable)
        return services->fail(HR_UNAVAILABLE, 0, "\"%s\" cannot be used: %s", made->info.name, made->info.reason);
    if (native) {
        made->context = native->context;
        return HR_OK;
    }
    code = made->cu->DevicePrimaryCtxRetain(&made->context, made->device);
    if (code != HRI_CU_SUCCESS)
        return hri_cu_fail(made, HRI_CU_ALLOC_DEVICE, code, "no context on \"%s\"", made->info.name);
    made->primary = true;
    return HR_OK;
}

hr_status hri_cu_device_open(struct hrb_instance *instance, uint32_t index, const struct hrb_native *native,
                             struct hrb_device **device)
{
    struct hri_cu_device *made;
    hri_cu_dev handle = 0;
    hr_status st = HR_OK;

    if (native)
        st = check_native(instance, native, &handle, &index);
    else if (instance->cu.DeviceGet(&handle, (int)index) != HRI_CU_SUCCESS)
        st =
            instance->services->fail(HR_UNAVAILABLE, 0, "the driver does not give device %u of %u", index, instance->n);
    if (st != HR_OK)
        return st;
    made = calloc(1, sizeof *made);
    if (!made)
        return instance->services->fail(HR_NO_MEMORY, 0, "no memory for a device");
    made->head.services = instance->services;
    made->head.flags =
        HRB_PAGEABLE_WAITS; /* its copies to pageable memory end inside the call, large ones from it too */
    made->instance = instance;
    made->cu = &instance->cu;
    made->device = handle;
    made->major = hri_cu_attribute(made->cu, handle, HRI_CU_ATTR_MAJOR);
    made->minor = hri_cu_attribute(made->cu, handle, HRI_CU_ATTR_MINOR);
    hri_cu_describe(instance, index, handle, &made->info);
    st = take_context(made, native);
    if (st != HR_OK)
        goto free_made;
    st = start_clock(made);
    if (st != HR_OK)
        goto leave;
    pthread_mutex_init(&made->lock, NULL);
    *device = &made->head;
    return HR_OK;

leave:
    leave_context(made);
free_made:
    free(made);
    return st;
}

void hri_cu_device_close(struct hrb_device *device)
{
    struct hri_cu_device *closing = hri_cu_device(device);

    hri_cu_events_close(closing);
    if (hri_cu_enter_quietly(closing)) {
        hri_cu_clock_end(closing);
        hri_cu_leave(closing);
    }
    leave_context(closing);
    pthread_mutex_destroy(&closing->lock);
    free(closing);
}

hr_status hri_cu_device_info(struct hrb_device *device, hr_device_info *info)
{
    uint32_t size = info->size;

    *info = hri_cu_device(device)->info;
    info->size = size;
    return HR_OK;
}

hr_status hri_cu_device_native(struct hrb_device *device, struct hrb_native *native)
{
    native->context = hri_cu_device(device)->context;
    native->device = &hri_cu_device(device)->device;
    return HR_OK;
}
