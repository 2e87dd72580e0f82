/* Which host memory the device copies from directly: every pinned and imported buffer, so that a data set that lies in
 * one need not be staged. */
#include "transfer/object.h"

void hri_hosted_add(hr_buffer *buffer)
{
    hr_device *device = buffer->device;

    pthread_mutex_lock(&device->lock);
    buffer->hosted_next = device->hosted;
    if (buffer->hosted_next != NULL)
        buffer->hosted_next->hosted_prev = buffer;
    device->hosted = buffer;
    pthread_mutex_unlock(&device->lock);
}

void hri_hosted_remove(hr_buffer *buffer)
{
    hr_device *device = buffer->device;

    pthread_mutex_lock(&device->lock);
    *(buffer->hosted_prev != NULL ? &buffer->hosted_prev->hosted_next : &device->hosted) = buffer->hosted_next;
    if (buffer->hosted_next != NULL)
        buffer->hosted_next->hosted_prev = buffer->hosted_prev;
    pthread_mutex_unlock(&device->lock);
}

/* One reference more, unless the last one has gone and the buffer is on its way out. */
static bool retain(hr_buffer *buffer)
{
    unsigned refs = atomic_load_explicit(&buffer->refs, memory_order_relaxed);

    while (refs != 0)
        if (atomic_compare_exchange_weak_explicit(&buffer->refs, &refs, refs + 1, memory_order_acq_rel,
                                                  memory_order_relaxed))
            return true;
    return false;
}

hr_buffer *hri_device_hosted(hr_device *device, const void *pointer, uint64_t bytes)
{
    const char *first = pointer;
    hr_buffer *buffer;

    pthread_mutex_lock(&device->lock);
    for (buffer = device->hosted; buffer != NULL; buffer = buffer->hosted_next) {
        const char *host = buffer->native->host;

        if (first >= host && bytes <= buffer->bytes && (uint64_t)(first - host) <= buffer->bytes - bytes &&
            retain(buffer))
            break;
    }
    pthread_mutex_unlock(&device->lock);
    return buffer;
}
