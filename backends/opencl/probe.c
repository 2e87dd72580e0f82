/* Finds the devices of every platform that the ICD loader knows, or says why there is none. */
#include "opencl/internal.h"

#include <stdlib.h>
#include <string.h>

#define PLATFORM_NOT_FOUND_KHR (-1001)

static bool is_gpu(cl_device_id device)
{
    cl_device_type type = 0;

    return clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL) == CL_SUCCESS &&
           (type & CL_DEVICE_TYPE_GPU) != 0;
}

/* Adds one platform's devices. One that does not answer is left out: others may be fine. */
static hr_status list_platform(struct hrb_instance *instance, cl_platform_id platform, uint32_t platform_index)
{
    cl_uint n = 0;
    cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, &n);
    cl_device_id *ids;
    struct hri_cl_listed *grown;

    if (code != CL_SUCCESS || n == 0) {
        if (code != CL_DEVICE_NOT_FOUND && code != CL_SUCCESS)
            instance->services->log(HRB_LOG_WARN, "OpenCL platform %u gives no devices: %s", platform_index,
                                    hri_cl_code_name(code));
        return HR_OK;
    }
    ids = calloc(n, sizeof(cl_device_id));
    grown = realloc(instance->listed, (instance->n + n) * sizeof(struct hri_cl_listed));
    if (grown)
        instance->listed = grown;
    if (!ids || !grown) {
        free(ids);
        return instance->services->fail(HR_NO_MEMORY, 0, "no memory to list %u OpenCL devices", n);
    }
    code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, n, ids, NULL);
    for (cl_uint i = 0; code == CL_SUCCESS && i < n; i++)
        instance->listed[instance->n++] = (struct hri_cl_listed){platform, ids[i], platform_index, i};
    free(ids);
    return HR_OK;
}

static hr_status list_platforms(struct hrb_instance *instance, const cl_platform_id *platforms, cl_uint n)
{
    const char *only = instance->profile->platform;
    uint32_t index = 0; /* a profile counts its own platforms alone */

    for (cl_uint i = 0; i < n; i++) {
        char name[128];
        hr_status st;

        hri_cl_platform_text(platforms[i], CL_PLATFORM_NAME, name, sizeof name);
        if (only && strcmp(name, only) != 0)
            continue;
        st = list_platform(instance, platforms[i], index++);
        if (st != HR_OK)
            return st;
    }
    return HR_OK;
}

/* GPUs to the front, the order otherwise kept. */
static void sort_gpus_first(struct hri_cl_listed *listed, uint32_t n)
{
    uint32_t gpus = 0;

    for (uint32_t i = 0; i < n; i++) {
        struct hri_cl_listed found = listed[i];

        if (!is_gpu(found.device))
            continue;
        memmove(&listed[gpus + 1], &listed[gpus], (i - gpus) * sizeof found);
        listed[gpus++] = found;
    }
}

/* All platforms of the process; the caller frees them. */
static hr_status get_platforms(const struct hrb_instance *instance, cl_platform_id **platforms, cl_uint *n)
{
    const struct hrb_services *services = instance->services;
    const char *remedy = instance->profile->remedy;
    cl_uint found = 0;
    cl_int code = clGetPlatformIDs(0, NULL, &found);
    cl_platform_id *ids;

    if (code == PLATFORM_NOT_FOUND_KHR || (code == CL_SUCCESS && found == 0))
        return services->fail(HR_UNAVAILABLE, 0,
                              "the OpenCL loader finds no platform (it looks in /etc/OpenCL/vendors, or in the folder "
                              "that OCL_ICD_VENDORS names): %s",
                              remedy);
    if (code != CL_SUCCESS)
        return services->fail(HR_UNAVAILABLE, code, "the OpenCL loader does not list its platforms (%s): %s",
                              hri_cl_code_name(code), remedy);
    ids = calloc(found, sizeof(cl_platform_id));
    if (!ids)
        return services->fail(HR_NO_MEMORY, 0, "no memory to list %u OpenCL platforms", found);
    code = clGetPlatformIDs(found, ids, NULL);
    if (code != CL_SUCCESS) {
        free(ids);
        return services->fail(HR_UNAVAILABLE, code, "the OpenCL loader does not list its platforms (%s): %s",
                              hri_cl_code_name(code), remedy);
    }
    *platforms = ids;
    *n = found;
    return HR_OK;
}

hr_status hri_cl_probe(const struct hrb_backend *self, const struct hrb_services *services,
                       struct hrb_instance **instance)
{
    struct hrb_instance *made = calloc(1, sizeof *made);
    cl_platform_id *platforms = NULL;
    cl_uint n = 0;
    hr_status st;

    if (!made)
        return services->fail(HR_NO_MEMORY, 0, "no memory to look for OpenCL devices");
    made->services = services;
    made->backend = self;
    made->profile = self->profile;
    st = get_platforms(made, &platforms, &n);
    if (st != HR_OK)
        goto fail;
    st = list_platforms(made, platforms, n);
    free(platforms);
    if (st != HR_OK)
        goto fail;
    if (made->n == 0) {
        const char *only = made->profile->platform;

        st = services->fail(HR_UNAVAILABLE, 0, "none of the %u OpenCL platforms here %s%s%s: %s", n,
                            only ? "is \"" : "has a device", only ? only : "", only ? "\" with a device" : "",
                            made->profile->remedy);
        goto fail;
    }
    sort_gpus_first(made->listed, made->n);
    *instance = made;
    return HR_OK;

fail:
    free(made->listed);
    free(made);
    return st;
}

uint32_t hri_cl_device_count(struct hrb_instance *instance)
{
    return instance->n;
}
