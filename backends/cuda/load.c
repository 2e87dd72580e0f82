/* The driver's library, opened at run time: no toolkit is linked, and one binary serves machines with and without. */
#include "cuda/internal.h"

#include <dlfcn.h>
#include <string.h>

#define LIBRARY "libcuda.so.1" /* never libcuda.so: a toolkit's stub answers to that */

struct symbol {
    const char *name; /* plain: without _v2 */
    int version;      /* of the declaration in driver.h */
    bool optional;
    size_t offset; /* of its pointer in struct hri_cu */
};

static const struct symbol symbols[] = {
#define NEEDED(name, version, exported, parameters) {"cu" #name, version, false, offsetof(struct hri_cu, name)},
#define OPTIONAL(name, version, exported, parameters) {"cu" #name, version, true, offsetof(struct hri_cu, name)},
    HRI_CU_SYMBOLS(NEEDED) HRI_CU_OPTIONAL_SYMBOLS(OPTIONAL)
#undef NEEDED
#undef OPTIONAL
};

/* A symbol of 12.0 is missing. Drivers as old as 2.2 tell their version, which the message is the better for. */
static hr_status too_old(const struct hrb_services *services, void *library)
{
    hri_cu_result (*get_version)(int *version) = NULL;
    void *address = dlsym(library, "cuDriverGetVersion");
    int version = 0;

    memcpy(&get_version, &address, sizeof get_version); /* no cast leads from an object pointer to a function's */
    if (!get_version || get_version(&version) != HRI_CU_SUCCESS || version <= 0)
        return services->fail(HR_UNAVAILABLE, 0,
                              "the NVIDIA driver is too old: " LIBRARY " lacks cuGetProcAddress_v2, which came with "
                              "CUDA 12.0: install a driver of version 525 or later");
    return services->fail(HR_UNAVAILABLE, 0,
                          "the NVIDIA driver is too old: it serves CUDA %d.%d and 12.0 is needed: install a driver of "
                          "version 525 or later",
                          version / 1000, version % 1000 / 10);
}

static hr_status missing(const struct hrb_services *services, const struct symbol *symbol, hri_cu_result code)
{
    if (code == HRI_CU_STUB_LIBRARY)
        return services->fail(HR_UNAVAILABLE, code,
                              LIBRARY " is the stub of a CUDA toolkit and no driver: install NVIDIA's driver, or take "
                                      "the toolkit's folder of stubs out of LD_LIBRARY_PATH");
    return services->fail(HR_UNAVAILABLE, code,
                          "the NVIDIA driver lacks %s of CUDA %d.%d: install a newer driver, or the whole of it",
                          symbol->name, symbol->version / 1000, symbol->version % 1000 / 10);
}

static hr_status fill(const struct hrb_services *services, hri_cu_get_proc *get, struct hri_cu *cu)
{
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        const struct symbol *symbol = &symbols[i];
        int found = HRI_CU_PROC_SUCCESS;
        void *address = NULL;
        hri_cu_result code = get(symbol->name, &address, symbol->version, HRI_CU_PROC_DEFAULT, &found);

        if (code != HRI_CU_SUCCESS || found != HRI_CU_PROC_SUCCESS)
            address = NULL;
        if (!address && !symbol->optional)
            return missing(services, symbol, code);
        memcpy((char *)cu + symbol->offset, &address, sizeof address);
    }
    return HR_OK;
}

hr_status hri_cu_load(const struct hrb_services *services, struct hri_cu *cu)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    hri_cu_get_proc *get = NULL;
    void *address;
    hr_status st;

    if (!library) {
        const char *why = dlerror();

        return services->fail(HR_UNAVAILABLE, 0, "no driver (%s): install NVIDIA's driver, or use another backend",
                              why ? why : LIBRARY " cannot be opened");
    }
    address = dlsym(library, "cuGetProcAddress_v2");
    memcpy(&get, &address, sizeof get);
    st = get ? fill(services, get, cu) : too_old(services, library);
    if (st != HR_OK)
        dlclose(library);
    return st;
}
