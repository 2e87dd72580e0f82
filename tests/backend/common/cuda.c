/* The driver's functions and the simulated driver's own. */
#include "cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hri_cu cu;
struct cuda_fake fake;

static void find(void *library, const char *name, void *function_pointer)
{
    void *address = dlsym(library, name);

    memcpy(function_pointer, &address, sizeof address); /* no cast leads from an object pointer to a function's */
}

bool cuda_is_simulated(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    bool simulated = library && dlsym(library, "fake_cuda_calls");

    if (library)
        dlclose(library);
    return simulated;
}

int cuda_open(void **state)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

    if (!library || rig_open(state) != 0 || hri_cu_load(&rig_services, &cu) != HR_OK)
        return -1;
    find(library, "fake_cuda_calls", &fake.calls);
    find(library, "fake_cuda_live", &fake.live);
    find(library, "fake_cuda_fail", &fake.fail_at);
    find(library, "fake_cuda_hold", &fake.hold);
    find(library, "fake_cuda_capture", &fake.capture);
    find(library, "fake_cuda_spoilt", &fake.spoilt);
    find(library, "fake_cuda_capture_mode", &fake.capture_mode);
    find(library, "fake_cuda_context_create", &fake.context_create);
    find(library, "fake_cuda_context_destroy", &fake.context_destroy);
    find(library, "fake_cuda_current", &fake.current);
    find(library, "fake_cuda_depth", &fake.depth);
    return 0;
}

int cuda_open_fake(void **state)
{
    if (cuda_open(state) != 0)
        return -1;
    if (fake.calls)
        return 0;
    fprintf(stderr, "not applicable: it tells the driver to fail, which only the simulated one does\n");
    exit(77);
}

hri_cu_stream cuda_stream(const struct hrb_queue *queue)
{
    return ((const struct hri_cu_queue *)queue)->stream;
}

hri_cu_context cuda_context(void)
{
    return hri_cu_device(rig.device)->context;
}

hri_cu_context cuda_current(void)
{
    hri_cu_context context = NULL;

    assert_int_equal(cu.CtxGetCurrent(&context), HRI_CU_SUCCESS);
    return context;
}

void cuda_expect_working(struct hrb_device *device, struct hrb_queue *queue)
{
    struct hrb_buffer *pinned = NULL;
    struct hrb_buffer *buffer = NULL;
    struct hrb_place host;
    struct hrb_place place;

    assert_int_equal(rig.ops->buffer_create(device, HR_MEMORY_PINNED, 64, &pinned), HR_OK);
    assert_int_equal(rig.ops->buffer_create(device, HR_MEMORY_DEVICE, 64, &buffer), HR_OK);
    host = rig_host_place(pinned, pinned->host, 0);
    place = rig_device_place(buffer, 0);
    memset(pinned->host, 0, 64);
    assert_int_equal(rig.ops->fill(queue, buffer, 0, 64, "w", 1, &rig_no_sync), HR_OK);
    assert_int_equal(rig.ops->copy(queue, &host, &place, 64, &rig_no_sync), HR_OK);
    assert_int_equal(rig.ops->queue_finish(queue), HR_OK);
    assert_int_equal(((char *)pinned->host)[63], 'w');
    rig.ops->buffer_destroy(pinned);
    rig.ops->buffer_destroy(buffer);
}
