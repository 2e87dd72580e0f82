/* The plain loop in the CUDA driver interface, opened as the backend opens it; no toolkit is needed. */
#include "bare.h"

#include "cuda/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    struct hri_cu cu;
    hri_cu_dev device;
    hri_cu_context context;
    hri_cu_stream stream[2];
    hri_cu_pointer memory[2];
    void *host[2];
} p;

static void need(hri_cu_result code, const char *what)
{
    char text[32];

    if (code == HRI_CU_SUCCESS)
        return;
    snprintf(text, sizeof text, "code %d", code);
    bare_stop(what, text);
}

/* The exported names carry their versions, so plain dlsym does here. */
static void load(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    void *found;

    if (!library)
        bare_stop("libcuda.so.1", dlerror());
#define LOAD(name, version, symbol, parameters)                                                                        \
    found = dlsym(library, #symbol);                                                                                   \
    memcpy(&p.cu.name, &found, sizeof found);                                                                          \
    if (!found)                                                                                                        \
        bare_stop(#symbol, "not in the driver");
    HRI_CU_SYMBOLS(LOAD)
#undef LOAD
}

static void cuda_open(hr_device *of)
{
    hr_device_info info = {.size = sizeof info};
    const char *index;

    if (hr_device_get_info(of, &info) != HR_OK)
        bare_stop("hr_device_get_info", hr_last_error());
    index = strchr(info.selector, ':');
    load();
    need(p.cu.Init(0), "cuInit");
    need(p.cu.DeviceGet(&p.device, index ? atoi(index + 1) : 0), "cuDeviceGet");
    need(p.cu.DevicePrimaryCtxRetain(&p.context, p.device), "cuDevicePrimaryCtxRetain");
    need(p.cu.CtxPushCurrent(p.context), "cuCtxPushCurrent");
    for (int i = 0; i < 2; i++)
        need(p.cu.StreamCreate(&p.stream[i], HRI_CU_STREAM_NON_BLOCKING), "cuStreamCreate");
}

static void cuda_buffers(size_t bytes, unsigned char *host[2])
{
    for (int i = 0; i < 2; i++) {
        need(p.cu.MemHostAlloc(&p.host[i], bytes, HRI_CU_HOST_PORTABLE), "cuMemHostAlloc");
        need(p.cu.MemAlloc(&p.memory[i], bytes), "cuMemAlloc");
        host[i] = p.host[i];
    }
}

static void cuda_copy(enum direction direction, size_t bytes, bool flush)
{
    (void)flush; /* copies start by themselves */
    if (direction != FROM_DEVICE)
        need(p.cu.MemcpyHtoDAsync(p.memory[0], p.host[0], bytes, p.stream[0]), "cuMemcpyHtoDAsync");
    if (direction != TO_DEVICE)
        need(p.cu.MemcpyDtoHAsync(p.host[1], p.memory[1], bytes, p.stream[1]), "cuMemcpyDtoHAsync");
}

static void cuda_finish(void)
{
    for (int i = 0; i < 2; i++) {
        hri_cu_event event;

        need(p.cu.EventCreate(&event, HRI_CU_EVENT_DISABLE_TIMING), "cuEventCreate");
        need(p.cu.EventRecord(event, p.stream[i]), "cuEventRecord");
        need(p.cu.EventSynchronize(event), "cuEventSynchronize");
        need(p.cu.EventDestroy(event), "cuEventDestroy");
    }
}

static void cuda_across(size_t bytes)
{
    need(p.cu.MemcpyDtoDAsync(p.memory[1], p.memory[0], bytes, p.stream[0]), "cuMemcpyDtoDAsync");
    cuda_finish();
}

static void cuda_free(void)
{
    for (int i = 0; i < 2; i++) {
        need(p.cu.MemFreeHost(p.host[i]), "cuMemFreeHost");
        need(p.cu.MemFree(p.memory[i]), "cuMemFree");
    }
}

static void cuda_close(void)
{
    hri_cu_context context;

    for (int i = 0; i < 2; i++)
        need(p.cu.StreamDestroy(p.stream[i]), "cuStreamDestroy");
    need(p.cu.CtxPopCurrent(&context), "cuCtxPopCurrent");
    need(p.cu.DevicePrimaryCtxRelease(p.device), "cuDevicePrimaryCtxRelease");
}

const struct bare bare_cuda = {
    .name = "CUDA",
    .open = cuda_open,
    .buffers = cuda_buffers,
    .copy = cuda_copy,
    .across = cuda_across,
    .finish = cuda_finish,
    .free = cuda_free,
    .close = cuda_close,
};
