/* Buffers: device memory, pinned memory, and parts of device memory, which are addresses. */
#include "cuda/internal.h"

#include <stdlib.h>
#include <unistd.h>

struct hri_cu_buffer *hri_cu_buffer_new(struct hri_cu_device *device, uint32_t kind, uint64_t bytes)
{
    struct hri_cu_buffer *buffer = calloc(1, sizeof *buffer);

    if (!buffer) {
        device->head.services->fail(HR_NO_MEMORY, 0, "no memory for a buffer");
        return NULL;
    }
    buffer->head = (struct hrb_buffer){.device = &device->head, .kind = kind, .bytes = bytes};
    return buffer;
}

/* Pinned memory begins at a page. Drivers cut small blocks from larger ones: where that does not give one, a page more
 * is asked for, and the first whole one used. Inside the context. */
static hri_cu_result allocate_pinned(const struct hri_cu *cu, struct hri_cu_buffer *buffer)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    hri_cu_result code = cu->MemHostAlloc(&buffer->owned, buffer->head.bytes, HRI_CU_HOST_PORTABLE);

    if (code == HRI_CU_SUCCESS && (uintptr_t)buffer->owned % page != 0) {
        cu->MemFreeHost(buffer->owned);
        code = cu->MemHostAlloc(&buffer->owned, buffer->head.bytes + page, HRI_CU_HOST_PORTABLE);
    }
    if (code == HRI_CU_SUCCESS)
        buffer->head.host = (char *)buffer->owned + (page - (uintptr_t)buffer->owned % page) % page;
    return code;
}

hr_status hri_cu_buffer_create(struct hrb_device *device, uint32_t kind, uint64_t bytes, struct hrb_buffer **buffer)
{
    struct hri_cu_device *owner = hri_cu_device(device);
    const bool pinned = kind == HR_MEMORY_PINNED;
    struct hri_cu_buffer *made = hri_cu_buffer_new(owner, kind, bytes);
    hri_cu_result code;
    hr_status st;

    if (!made)
        return HR_NO_MEMORY;
    st = hri_cu_enter(owner);
    if (st == HR_OK) {
        code = pinned ? allocate_pinned(owner->cu, made) : owner->cu->MemAlloc(&made->pointer, bytes);
        hri_cu_leave(owner);
        if (code != HRI_CU_SUCCESS)
            st = hri_cu_fail(owner, pinned ? HRI_CU_ALLOC_PINNED : HRI_CU_ALLOC_DEVICE, code,
                             "no %s of %llu bytes on \"%s\"", pinned ? "pinned memory" : "device memory",
                             (unsigned long long)bytes, owner->info.name);
    }
    if (st != HR_OK) {
        free(made);
        return st;
    }
    *buffer = &made->head;
    return HR_OK;
}

hr_status hri_cu_buffer_view(struct hrb_buffer *parent, uint64_t offset, uint64_t bytes, struct hrb_buffer **view)
{
    struct hri_cu_buffer *made = hri_cu_buffer_new(hri_cu_device(parent->device), parent->kind, bytes);

    if (!made)
        return HR_NO_MEMORY;
    made->pointer = hri_cu_buffer(parent)->pointer + offset;
    made->view = true;
    *view = &made->head;
    return HR_OK;
}

void hri_cu_buffer_destroy(struct hrb_buffer *buffer)
{
    struct hri_cu_device *device = hri_cu_device(buffer->device);
    const struct hri_cu_buffer *closing = hri_cu_buffer(buffer);

    if ((!closing->view || closing->mirror) && hri_cu_enter_quietly(device)) {
        if (buffer->kind == HR_MEMORY_IMPORTED)
            hri_cu_import_end(closing);
        else if (buffer->kind == HR_MEMORY_PINNED)
            device->cu->MemFreeHost(closing->owned);
        else if (!closing->view)
            device->cu->MemFree(closing->pointer);
        hri_cu_mirror_end(closing);
        hri_cu_leave(device);
    }
    if (closing->released)
        hri_cu_event_give(device, closing->released);
    free(buffer);
}

hr_status hri_cu_buffer_native(struct hrb_buffer *buffer, void **native, uint64_t *offset)
{
    if (buffer->kind != HR_MEMORY_DEVICE)
        return buffer->device->services->fail(HR_INVALID, 0,
                                              "host memory has no CUdeviceptr to give: copy it to a device buffer");
    *native = (void *)(uintptr_t)hri_cu_buffer(buffer)->pointer;
    *offset = 0;
    return HR_OK;
}
