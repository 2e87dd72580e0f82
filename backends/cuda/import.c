/*
 * Memory of the program's own, registered in chunks: when one fails, those before are undone, and the driver pins at
 * most a chunk at a time. Chunks end at multiples of their size in the address space, so an address tells its chunk.
 */
#include "cuda/internal.h"

#include <stdlib.h>

#define CHUNK ((uintptr_t)256 << 20)

uint64_t hri_cu_chunk_left(uintptr_t at)
{
    return CHUNK - at % CHUNK;
}

/* The bytes of the chunk that begins at `at`, a part of [first, end). */
static size_t chunk_bytes(uintptr_t at, uintptr_t end)
{
    uint64_t left = hri_cu_chunk_left(at);

    return left < end - at ? (size_t)left : (size_t)(end - at);
}

static void unregister(const struct hri_cu *cu, char *first, uintptr_t end)
{
    for (char *at = first; (uintptr_t)at < end; at += chunk_bytes((uintptr_t)at, end))
        cu->MemHostUnregister(at);
}

/* All of it or none. */
static hri_cu_result register_all(const struct hri_cu *cu, char *first, uintptr_t end, unsigned flags)
{
    for (char *at = first; (uintptr_t)at < end; at += chunk_bytes((uintptr_t)at, end)) {
        hri_cu_result code = cu->MemHostRegister(at, chunk_bytes((uintptr_t)at, end), flags);

        if (code != HRI_CU_SUCCESS) {
            unregister(cu, first, (uintptr_t)at);
            return code;
        }
    }
    return HRI_CU_SUCCESS;
}

/* Mappings that may only be read are refused, with a code that says little: then by the flag that is made for them. */
static hri_cu_result try_ways(const struct hri_cu_device *device, struct hri_cu_buffer *buffer)
{
    const uintptr_t end = (uintptr_t)buffer->head.host + buffer->head.bytes;
    hri_cu_result code = register_all(device->cu, buffer->head.host, end, HRI_CU_REGISTER_PORTABLE);

    if (code == HRI_CU_SUCCESS || code == HRI_CU_ALREADY_REGISTERED || code == HRI_CU_OUT_OF_MEMORY ||
        hri_cu_attribute(device->cu, device->device, HRI_CU_ATTR_READ_ONLY_REGISTER) <= 0)
        return code;
    if (register_all(device->cu, buffer->head.host, end, HRI_CU_REGISTER_PORTABLE | HRI_CU_REGISTER_READ_ONLY) !=
        HRI_CU_SUCCESS)
        return code; /* the first failure says more */
    buffer->read_only = true;
    return HRI_CU_SUCCESS;
}

static hr_status refused(const struct hri_cu_device *device, hri_cu_result code, const struct hrb_buffer *head)
{
    const struct hrb_services *services = device->head.services;
    const unsigned long long bytes = head->bytes;

    switch (code) {
    case HRI_CU_ALREADY_REGISTERED:
        return services->fail(
            HR_INVALID, code,
            "a part of the %llu bytes at %p is registered already: close the buffer that holds it, or "
            "import both as one",
            bytes, head->host);
    case HRI_CU_INVALID_VALUE:
    case HRI_CU_NOT_PERMITTED:
    case HRI_CU_NOT_SUPPORTED:
    case HRI_CU_OPERATING_SYSTEM:
        return services->fail(HR_UNSUPPORTED, code,
                              "the %llu bytes at %p cannot be registered (a mapping that is read-only, or of a kind "
                              "that cannot be pinned): give them to hr_write_from() as they are",
                              bytes, head->host);
    default:
        return hri_cu_fail(device, HRI_CU_ALLOC_PINNED, code, "the %llu bytes at %p cannot be registered", bytes,
                           head->host);
    }
}

hr_status hri_cu_buffer_import(struct hrb_device *device, void *pointer, uint64_t bytes, struct hrb_buffer **buffer)
{
    struct hri_cu_device *owner = hri_cu_device(device);
    struct hri_cu_buffer *made;
    hri_cu_result code;
    hr_status st;

    if (!(owner->info.abilities & HR_ABILITY_IMPORT))
        return device->services->fail(
            HR_UNSUPPORTED, 0, "\"%s\" cannot register memory: hr_write_from() takes it as it is", owner->info.name);
    made = hri_cu_buffer_new(owner, HR_MEMORY_IMPORTED, bytes);
    if (!made)
        return HR_NO_MEMORY;
    made->head.host = pointer;
    st = hri_cu_enter(owner);
    if (st == HR_OK) {
        code = try_ways(owner, made);
        hri_cu_leave(owner);
        if (code != HRI_CU_SUCCESS)
            st = refused(owner, code, &made->head);
    }
    if (st != HR_OK) {
        free(made);
        return st;
    }
    *buffer = &made->head;
    return HR_OK;
}

void hri_cu_import_end(const struct hri_cu_buffer *buffer)
{
    unregister(hri_cu_device(buffer->head.device)->cu, buffer->head.host,
               (uintptr_t)buffer->head.host + buffer->head.bytes);
}
