/* Buffers: device memory, the program's memory, parts of both. Pinned memory is in pinned.c. */
#include "opencl/internal.h"

#include <stdlib.h>

struct hri_cl_buffer *hri_cl_buffer_new(struct hri_cl_device *device, uint32_t kind, uint64_t bytes)
{
    struct hri_cl_buffer *buffer = calloc(1, sizeof *buffer);

    if (!buffer) {
        device->head.services->fail(HR_NO_MEMORY, 0, "no memory for a buffer");
        return NULL;
    }
    buffer->head.device = &device->head;
    buffer->head.kind = kind;
    buffer->head.bytes = bytes;
    return buffer;
}

static hr_status wrap(struct hri_cl_device *device, struct hri_cl_buffer *buffer, cl_mem_flags flags, void *host,
                      enum hri_cl_phase phase)
{
    cl_int code;

    buffer->mem = clCreateBuffer(device->context, CL_MEM_READ_WRITE | flags, buffer->head.bytes, host, &code);
    if (!buffer->mem)
        return hri_cl_fail(device->head.services, phase, code, "no buffer of %llu bytes on \"%s\"",
                           (unsigned long long)buffer->head.bytes, device->traits.info.name);
    buffer->root = buffer->mem;
    buffer->head.host = host;
    return HR_OK;
}

/* Device memory that the host reaches without a map: fine-grained shared memory, wrapped by a buffer so that copies
 * and kernels see what they see elsewhere. */
static hr_status create_shared(struct hri_cl_device *device, struct hri_cl_buffer *buffer)
{
    const cl_svm_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER;
    void *svm = clSVMAlloc(device->context, flags, buffer->head.bytes, 0); /* aligned for the widest vector */
    hr_status st;

    if (!svm)
        return device->head.services->fail(HR_NO_DEVICE_MEMORY, 0,
                                           "\"%s\" gives no %llu bytes of shared memory; its largest buffer has %llu",
                                           device->traits.info.name, (unsigned long long)buffer->head.bytes,
                                           (unsigned long long)device->traits.info.max_buffer_bytes);
    st = wrap(device, buffer, CL_MEM_USE_HOST_PTR, svm, HRI_CL_ALLOC_DEVICE);
    if (st != HR_OK) {
        clSVMFree(device->context, svm);
        return st;
    }
    buffer->svm = svm;
    return HR_OK;
}

static hr_status too_large(const struct hri_cl_device *device, uint64_t bytes)
{
    return device->head.services->fail(
        HR_NO_DEVICE_MEMORY, 0, "a buffer of %llu bytes was asked for and the largest on \"%s\" has %llu",
        (unsigned long long)bytes, device->traits.info.name, (unsigned long long)device->traits.info.max_buffer_bytes);
}

hr_status hri_cl_buffer_create(struct hrb_device *device, uint32_t kind, uint64_t bytes, struct hrb_buffer **buffer)
{
    struct hri_cl_device *owner = hri_cl_device(device);
    struct hri_cl_buffer *made = hri_cl_buffer_new(owner, kind, bytes);
    hr_status st;

    if (!made)
        return HR_NO_MEMORY;
    if (kind == HR_MEMORY_DEVICE && bytes > owner->traits.info.max_buffer_bytes) /* some drivers promise it */
        st = too_large(owner, bytes);
    else if (kind == HR_MEMORY_PINNED)
        st = hri_cl_pinned_create(owner, bytes, made);
    else if (owner->traits.info.abilities & HR_ABILITY_SHARED_MEMORY)
        st = create_shared(owner, made);
    else
        st = wrap(owner, made, 0, NULL, HRI_CL_ALLOC_DEVICE);
    if (st != HR_OK) {
        free(made);
        return st;
    }
    *buffer = &made->head;
    return HR_OK;
}

/* A live buffer over the memory is what makes drivers register it: copies from the pointer then run at the link's
 * speed. The buffer itself is an operand only where device memory is the host's. */
hr_status hri_cl_buffer_import(struct hrb_device *device, void *pointer, uint64_t bytes, struct hrb_buffer **buffer)
{
    struct hri_cl_device *owner = hri_cl_device(device);
    struct hri_cl_buffer *made;
    hr_status st;

    if (bytes > owner->traits.info.max_buffer_bytes)
        return device->services->fail(HR_UNSUPPORTED, 0,
                                      "%llu bytes are to be registered and the largest buffer on \"%s\" has %llu: "
                                      "register parts, or give the memory to hr_write_from() as it is",
                                      (unsigned long long)bytes, owner->traits.info.name,
                                      (unsigned long long)owner->traits.info.max_buffer_bytes);
    made = hri_cl_buffer_new(owner, HR_MEMORY_IMPORTED, bytes);
    if (!made)
        return HR_NO_MEMORY;
    st = wrap(owner, made, CL_MEM_USE_HOST_PTR, pointer, HRI_CL_ALLOC_PINNED);
    if (st != HR_OK) {
        free(made);
        return st;
    }
    *buffer = &made->head;
    return HR_OK;
}

cl_mem hri_cl_buffer_part(const struct hri_cl_buffer *buffer, uint64_t offset, uint64_t bytes, cl_int *code)
{
    const cl_buffer_region region = {.origin = buffer->origin + offset, .size = bytes};

    return clCreateSubBuffer(buffer->root, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, code);
}

hr_status hri_cl_buffer_view(struct hrb_buffer *parent, uint64_t offset, uint64_t bytes, struct hrb_buffer **view)
{
    const struct hri_cl_buffer *from = hri_cl_buffer(parent);
    struct hri_cl_device *device = hri_cl_device(parent->device);
    struct hri_cl_buffer *made = hri_cl_buffer_new(device, parent->kind, bytes);
    cl_int code;

    if (!made)
        return HR_NO_MEMORY;
    pthread_mutex_lock(&device->parts);
    made->mem = hri_cl_buffer_part(from, offset, bytes, &code);
    pthread_mutex_unlock(&device->parts);
    if (!made->mem) {
        free(made);
        return hri_cl_fail(device->head.services, HRI_CL_CALL, code, "no view of %llu bytes at offset %llu",
                           (unsigned long long)bytes, (unsigned long long)offset);
    }
    made->root = from->root;
    made->origin = from->origin + offset;
    made->head.host = parent->host ? (char *)parent->host + offset : NULL;
    *view = &made->head;
    return HR_OK;
}

void hri_cl_buffer_destroy(struct hrb_buffer *buffer)
{
    struct hri_cl_buffer *closing = hri_cl_buffer(buffer);
    struct hri_cl_device *device = hri_cl_device(buffer->device);

    if (closing->mapped)
        hri_cl_pinned_destroy(device, closing);
    pthread_mutex_lock(&device->parts);
    clReleaseMemObject(closing->mem);
    pthread_mutex_unlock(&device->parts);
    if (closing->svm)
        clSVMFree(device->context, closing->svm);
    free(closing);
}

hr_status hri_cl_buffer_native(struct hrb_buffer *buffer, void **native, uint64_t *offset)
{
    if (buffer->kind == HR_MEMORY_PINNED)
        return buffer->device->services->fail(
            HR_INVALID, 0,
            "a pinned buffer has no cl_mem to give: it stays mapped, which makes it no operand; "
            "copy it to a device buffer");
    *native = hri_cl_buffer(buffer)->mem;
    *offset = 0;
    return HR_OK;
}
