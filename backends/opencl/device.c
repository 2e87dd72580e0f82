/* An open device: a context of ours with that one device, or the program's own context. */
#include "opencl/internal.h"

#include <stdlib.h>

static const struct hri_cl_listed *find_listed(const struct hrb_instance *instance, cl_device_id device)
{
    for (uint32_t i = 0; i < instance->n; i++)
        if (instance->listed[i].device == device)
            return &instance->listed[i];
    return NULL;
}

/* HR_INVALID unless the context has the device. */
static hr_status check_native(const struct hrb_services *services, cl_context context, cl_device_id device)
{
    size_t bytes = 0;
    cl_device_id *devices;
    cl_int code;
    bool found = false;

    if (!context || !device)
        return services->fail(HR_INVALID, 0, "the cl_context and the cl_device_id must not be NULL");
    code = clGetContextInfo(context, CL_CONTEXT_DEVICES, 0, NULL, &bytes);
    if (code != CL_SUCCESS)
        return services->fail(HR_INVALID, code, "the cl_context does not list its devices (%s)",
                              hri_cl_code_name(code));
    devices = malloc(bytes);
    if (!devices)
        return services->fail(HR_NO_MEMORY, 0, "no memory to list the devices of a cl_context");
    code = clGetContextInfo(context, CL_CONTEXT_DEVICES, bytes, devices, NULL);
    for (size_t i = 0; code == CL_SUCCESS && i < bytes / sizeof(cl_device_id); i++)
        found = found || devices[i] == device;
    free(devices);
    return found ? HR_OK
                 : services->fail(HR_INVALID, code, "the cl_device_id is none of the %zu devices of the cl_context",
                                  bytes / sizeof(cl_device_id));
}

static cl_context make_context(cl_device_id device, cl_int *code)
{
    cl_platform_id platform = NULL;

    *code = clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    if (*code != CL_SUCCESS)
        return NULL;
    return clCreateContext((const cl_context_properties[]){CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0}, 1,
                           &device, NULL, NULL, code);
}

/* Retains the program's context and device, or makes a context. */
static hr_status take_context(struct hri_cl_device *device, const struct hrb_native *native)
{
    const struct hrb_services *services = device->head.services;
    cl_int code;

    if (!native) {
        device->context = make_context(device->device, &code);
        return device->context
                   ? HR_OK
                   : hri_cl_fail(services, HRI_CL_CALL, code, "no context for \"%s\"", device->traits.info.name);
    }
    code = clRetainContext(native->context);
    if (code != CL_SUCCESS)
        return hri_cl_fail(services, HRI_CL_CALL, code, "the program's cl_context cannot be retained");
    code = clRetainDevice(native->device); /* counts for sub-devices alone */
    if (code != CL_SUCCESS) {
        clReleaseContext(native->context);
        return hri_cl_fail(services, HRI_CL_CALL, code, "the program's cl_device_id cannot be retained");
    }
    device->context = native->context;
    return HR_OK;
}

static hr_status start(struct hri_cl_device *device, const struct hrb_native *native)
{
    const struct hrb_services *services = device->head.services;
    hr_status st;
    cl_int code;

    if (!device->traits.info.usable)
        return services->fail(HR_UNAVAILABLE, 0, "\"%s\" cannot be used: %s", device->traits.info.name,
                              device->traits.info.reason);
    st = take_context(device, native);
    if (st != HR_OK)
        return st;
    device->maps = clCreateCommandQueue(device->context, device->device, 0, &code);
    if (device->maps)
        return HR_OK;
    st = hri_cl_fail(services, HRI_CL_CALL, code, "no command queue on \"%s\"", device->traits.info.name);
    clReleaseContext(device->context);
    if (native)
        clReleaseDevice(device->device);
    return st;
}

hr_status hri_cl_device_open(struct hrb_instance *instance, uint32_t index, const struct hrb_native *native,
                             struct hrb_device **device)
{
    const struct hri_cl_listed *listed;
    struct hri_cl_device *made;
    cl_device_id id;
    hr_status st;

    if (native) {
        st = check_native(instance->services, native->context, native->device);
        if (st != HR_OK)
            return st;
    }
    id = native ? native->device : instance->listed[index].device;
    listed = find_listed(instance, id);
    made = calloc(1, sizeof *made);
    if (!made)
        return instance->services->fail(HR_NO_MEMORY, 0, "no memory for a device");
    made->head.services = instance->services;
    made->device = id;
    atomic_init(&made->pinned_slack, 0);
    hri_cl_describe(instance, id, listed, &made->traits);
    st = start(made, native);
    if (st != HR_OK) {
        free(made);
        return st;
    }
    pthread_mutex_init(&made->lock, NULL);
    pthread_mutex_init(&made->parts, NULL);
    if (!(made->traits.info.abilities & HR_ABILITY_ASYNC_KERNELS))
        made->turn = &made->lock;
    *device = &made->head;
    return HR_OK;
}

void hri_cl_device_close(struct hrb_device *device)
{
    struct hri_cl_device *closing = hri_cl_device(device);

    clReleaseCommandQueue(closing->maps);
    clReleaseContext(closing->context);
    pthread_mutex_destroy(&closing->parts);
    pthread_mutex_destroy(&closing->lock);
    clReleaseDevice(closing->device); /* nothing for devices that a platform lists, the program's hold for others */
    free(closing);
}

hr_status hri_cl_device_info(struct hrb_device *device, hr_device_info *info)
{
    uint32_t size = info->size;

    *info = hri_cl_device(device)->traits.info;
    info->size = size;
    return HR_OK;
}

hr_status hri_cl_device_native(struct hrb_device *device, struct hrb_native *native)
{
    native->context = hri_cl_device(device)->context;
    native->device = hri_cl_device(device)->device;
    return HR_OK;
}
