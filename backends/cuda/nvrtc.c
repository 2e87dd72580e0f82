/* Loads NVRTC, the compiler of programs in text. Without it the library's own kernels still run, and images too. */
#include "cuda/nvrtc.h"

#include "cuda/internal.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names with their version: a plain libnvrtc.so may be a toolkit's stub. Newest first. */
static const struct {
    const char *file;
    int major;
} known[] = {{"libnvrtc.so.13", 13}, {"libnvrtc.so.12", 12}, {"libnvrtc.so.11.2", 11}};

enum { KNOWN = sizeof known / sizeof *known };

static const struct {
    const char *name;
    size_t offset;
} symbols[] = {
#define SYMBOL(name, parameters) {"nvrtc" #name, offsetof(struct hri_nvrtc, name)},
    HRI_NVRTC_SYMBOLS(SYMBOL)
#undef SYMBOL
        {"nvrtcGetErrorString", offsetof(struct hri_nvrtc, GetErrorString)},
};

/* Fills all symbols; the name of the first that is missing, NULL for none. */
static const char *find_symbols(struct hri_nvrtc *nvrtc)
{
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *symbol = dlsym(nvrtc->library, symbols[i].name);

        if (!symbol)
            return symbols[i].name;
        memcpy((char *)nvrtc + symbols[i].offset, &symbol, sizeof symbol); /* no cast makes a function of an object */
    }
    return NULL;
}

static bool open_one(const struct hrb_services *services, const char *file, struct hri_nvrtc *nvrtc)
{
    const char *missing;

    nvrtc->library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!nvrtc->library) {
        services->log(HRB_LOG_DEBUG, "no %s: %s", file, dlerror());
        return false;
    }
    snprintf(nvrtc->file, sizeof nvrtc->file, "%s", file);
    missing = find_symbols(nvrtc);
    if (!missing && nvrtc->Version(&nvrtc->major, &nvrtc->minor) == HRI_NVRTC_SUCCESS)
        return true;
    services->log(HRB_LOG_WARN, "%s is not used: %s %s", file, missing ? "it lacks" : "it does not tell its version",
                  missing ? missing : "");
    dlclose(nvrtc->library);
    return false;
}

/* A compiler newer than the driver writes what the driver may not read, so those come last. */
static bool open_any(const struct hrb_instance *instance, struct hri_nvrtc *nvrtc)
{
    const int driver = instance->driver_version / 1000;

    for (int newer = 0; newer <= 1; newer++)
        for (size_t i = 0; i < KNOWN; i++)
            if ((known[i].major > driver) == newer && open_one(instance->services, known[i].file, nvrtc))
                return true;
    return false;
}

static hr_status load(const struct hrb_instance *instance, struct hri_nvrtc **nvrtc)
{
    const struct hrb_services *services = instance->services;
    struct hri_nvrtc *made = calloc(1, sizeof *made);

    if (!made)
        return services->fail(HR_NO_MEMORY, 0, "no memory for the compiler's interface");
    if (!open_any(instance, made)) {
        free(made);
        return services->fail(HR_UNAVAILABLE, 0,
                              "a program in text needs NVRTC, and there is no usable %s, %s or %s: install the CUDA "
                              "toolkit's NVRTC (packages like cuda-nvrtc), or compile the program beforehand and give "
                              "its PTX or cubin to hr_program_create_binary",
                              known[0].file, known[1].file, known[2].file);
    }
    services->log(HRB_LOG_INFO, "NVRTC %d.%d from %s", made->major, made->minor, made->file);
    *nvrtc = made;
    return HR_OK;
}

hr_status hri_nvrtc_get(struct hrb_instance *instance, const struct hri_nvrtc **nvrtc)
{
    struct hri_nvrtc *loaded = atomic_load(&instance->nvrtc);
    struct hri_nvrtc *first = NULL;
    hr_status st;

    if (!loaded) {
        st = load(instance, &loaded);
        if (st != HR_OK)
            return st;
        if (!atomic_compare_exchange_strong(&instance->nvrtc, &first, loaded)) {
            dlclose(loaded->library); /* another thread was first; the library counts its openings */
            free(loaded);
            loaded = first;
        }
    }
    *nvrtc = loaded;
    return HR_OK;
}
