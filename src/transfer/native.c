/* What a backend's own public header calls: native handles in and out. */
#include "backend.h"

#include "core/registry.h"
#include "transfer/object.h"
#include "transfer/open.h"

static hr_status check(const hr_device *device, const struct hrb_ops *ops)
{
    if (device->backend->ops != ops)
        return hri_fail(HR_INVALID, "%s is a device of backend %s, which has other native handles",
                        device->info.selector, device->backend->name);
    if (hri_device_forked(device))
        return hri_fail(HR_FORKED, "%s was opened before fork(): open devices after it", device->info.selector);
    return HR_OK;
}

static hr_status null(const char *function)
{
    return hri_fail(HR_INVALID, "%s: a NULL handle", function);
}

static hr_status missing(const hr_device *device, const char *what)
{
    return hri_fail(HR_UNSUPPORTED, "%s has no native handle of a %s", device->info.selector, what);
}

hr_status hrb_open_native(const struct hrb_backend *backend, const struct hrb_native *native,
                          const hr_device_options *options, hr_device **device)
{
    struct hri_choice choice = {.backend = backend};
    hr_status st;

    if (device == NULL || native == NULL || native->context == NULL)
        return null("opening a device over a native context");
    st = hri_instance(backend, &choice.instance);
    if (st != HR_OK)
        return st;
    return hri_device_open_as(&choice, native, options, device);
}

hr_status hrb_queue_from_native(hr_device *device, const struct hrb_ops *ops, void *native, hr_queue **queue)
{
    hr_status st;

    if (device == NULL || native == NULL || queue == NULL)
        return null("making a queue of a native one");
    st = check(device, ops);
    if (st == HR_OK)
        st = hri_device_check(device);
    if (st != HR_OK)
        return st;
    return hri_queue_make(device, HR_QUEUE_COMPUTE, 0, native, false, queue);
}

hr_status hrb_device_native(hr_device *device, const struct hrb_ops *ops, struct hrb_native *native)
{
    hr_status st;

    if (device == NULL || native == NULL)
        return null("the native handle of a device");
    st = check(device, ops);
    if (st != HR_OK)
        return st;
    if (device->ops->device_native == NULL)
        return missing(device, "device");
    return device->ops->device_native(device->native, native);
}

hr_status hrb_queue_native(hr_queue *queue, const struct hrb_ops *ops, void **native)
{
    hr_device *device;
    hr_status st;

    if (queue == NULL || native == NULL)
        return null("the native handle of a queue");
    device = queue->device;
    st = check(device, ops);
    if (st != HR_OK)
        return st;
    if (device->ops->queue_native == NULL)
        return missing(device, "queue");
    st = device->ops->queue_native(queue->native, native);
    if (st == HR_OK)
        atomic_store(&queue->foreign, true);
    return st;
}

hr_status hrb_buffer_native(hr_buffer *buffer, const struct hrb_ops *ops, void **native, uint64_t *offset)
{
    hr_device *device;
    hr_status st;

    if (buffer == NULL || native == NULL || offset == NULL)
        return null("the native handle of a buffer");
    device = buffer->device;
    st = check(device, ops);
    if (st != HR_OK)
        return st;
    if (buffer->kind != HR_MEMORY_DEVICE)
        return hri_fail(HR_INVALID, "only device buffers have a native handle");
    if (device->ops->buffer_native == NULL)
        return missing(device, "buffer");
    return device->ops->buffer_native(buffer->native, native, offset);
}
