/* Starting the driver, and counting its devices. */
#include "cuda/internal.h"

#include <stdlib.h>

/* What cuInit's codes mean to somebody who can do something about them; NULL for those without a story. */
static const char *story(hri_cu_result code)
{
    switch (code) {
    case HRI_CU_STUB_LIBRARY:
        return "libcuda.so.1 is the stub of a CUDA toolkit and no driver: install NVIDIA's driver, or take the "
               "toolkit's folder of stubs out of LD_LIBRARY_PATH";
    case HRI_CU_NO_DEVICE:
        return "the NVIDIA driver finds no device: see whether nvidia-smi lists one, whether CUDA_VISIBLE_DEVICES "
               "hides it, and whether this container was given it";
    case HRI_CU_SYSTEM_NOT_READY:
        return "the NVIDIA driver says that the system is not ready: on machines with NVSwitch start "
               "nvidia-fabricmanager";
    case HRI_CU_SYSTEM_DRIVER_MISMATCH:
        return "the NVIDIA driver's library and its kernel module are of different versions: restart the machine, or "
               "install both anew";
    case HRI_CU_COMPAT_UNSUPPORTED:
        return "the NVIDIA driver's compatibility package does not serve this device: take it out of LD_LIBRARY_PATH, "
               "or install a newer driver";
    case HRI_CU_UNKNOWN:
        return "the NVIDIA driver cannot start (CUDA_ERROR_UNKNOWN): see whether nvidia-smi works, and whether the "
               "module nvidia_uvm is loaded and /dev/nvidia* may be opened";
    default:
        return NULL;
    }
}

static hr_status cannot_start(const struct hrb_services *services, const struct hri_cu *cu, hri_cu_result code,
                              const char *what)
{
    const char *words = story(code);
    const char *name = NULL;

    if (words)
        return services->fail(HR_UNAVAILABLE, code, "%s", words);
    if (cu->GetErrorName(code, &name) != HRI_CU_SUCCESS || !name)
        name = "a code without a name";
    return services->fail(HR_UNAVAILABLE, code, "the NVIDIA driver cannot %s (%s): see whether nvidia-smi works", what,
                          name);
}

static hr_status start(struct hrb_instance *made)
{
    const struct hrb_services *services = made->services;
    hr_status st = hri_cu_load(services, &made->cu);
    hri_cu_result code;
    int n = 0;

    if (st != HR_OK)
        return st;
    code = made->cu.Init(0);
    if (code != HRI_CU_SUCCESS)
        return cannot_start(services, &made->cu, code, "start");
    code = made->cu.DriverGetVersion(&made->driver_version);
    if (code == HRI_CU_SUCCESS)
        code = made->cu.DeviceGetCount(&n);
    if (code == HRI_CU_SUCCESS && n <= 0)
        code = HRI_CU_NO_DEVICE;
    if (code != HRI_CU_SUCCESS)
        return cannot_start(services, &made->cu, code, "list its devices");
    made->n = (uint32_t)n;
    return HR_OK;
}

hr_status hri_cu_probe(const struct hrb_backend *self, const struct hrb_services *services,
                       struct hrb_instance **instance)
{
    struct hrb_instance *made = calloc(1, sizeof *made);
    hr_status st;

    if (!made)
        return services->fail(HR_NO_MEMORY, 0, "no memory to look for CUDA devices");
    made->services = services;
    made->backend = self;
    st = start(made);
    if (st != HR_OK) {
        free(made);
        return st;
    }
    *instance = made;
    return HR_OK;
}

uint32_t hri_cu_device_count(struct hrb_instance *instance)
{
    return instance->n;
}
