/* Host access to buffers: acquire and release. */
#include "observe/trace.h"
#include "transfer/object.h"

static hr_status check(const char *function, hr_buffer *buffer, hr_queue *queue)
{
    if (buffer == NULL)
        return hri_fail(HR_INVALID, "%s: buffer is NULL", function);
    if (queue != NULL && queue->device != buffer->device)
        return hri_fail(HR_INVALID, "%s: the queue is of device %s, the buffer of %s", function,
                        queue->device->info.selector, buffer->device->info.selector);
    if (queue == NULL && buffer->native->host == NULL)
        return hri_fail(HR_INVALID,
                        "%s: queue is NULL, and %s does not share its memory with the host: give the queue that uses "
                        "the buffer",
                        function, buffer->device->info.selector);
    return queue != NULL ? hri_queue_check(queue) : hri_device_check(buffer->device);
}

/* Leaves HRI_ACCESS_HOST or HRI_ACCESS_DRIVER: how it was done, and must be undone. */
static hr_status acquire(hr_buffer *buffer, hr_queue *queue, uint32_t mode, int *access)
{
    void *ptr = buffer->native->host;
    hr_status st = HR_OK;

    if (buffer->kind == HR_MEMORY_DEVICE && queue != NULL) {
        st = buffer->device->ops->buffer_acquire(buffer->native, queue->native, mode, &ptr);
        if (st == HR_DRIVER || st == HR_DEVICE_LOST)
            return hri_queue_fail(queue, st); /* the work that was waited for */
        if (st != HR_OK)
            return st;
        hri_queue_hold(queue);
        buffer->giver = queue;
        *access = HRI_ACCESS_DRIVER;
    } else {
        if (queue != NULL)
            st = hri_mark_wait(queue, hri_queue_mark(queue));
        if (st != HR_OK)
            return st;
        hri_buffer_note(buffer, HRB_NOTE_USE, 0, buffer->bytes, NULL);
        *access = HRI_ACCESS_HOST;
    }
    buffer->ptr = ptr;
    return HR_OK;
}

hr_status hr_buffer_acquire(hr_buffer *buffer, hr_queue *queue, uint32_t mode, void **ptr)
{
    const uint32_t known = HR_ACCESS_READ | HR_ACCESS_WRITE | HR_ACCESS_DISCARD;
    int access = HRI_ACCESS_NONE;
    struct hrb_trace *trace;
    uint64_t begin;
    hr_status st;

    if (ptr == NULL)
        return hri_fail(HR_INVALID, "hr_buffer_acquire: ptr is NULL");
    st = check("hr_buffer_acquire", buffer, queue);
    if (st != HR_OK)
        return st;
    if ((mode & ~known) != 0 || (mode & (HR_ACCESS_READ | HR_ACCESS_WRITE)) == 0)
        return hri_fail(HR_INVALID, "hr_buffer_acquire: mode 0x%x: or HR_ACCESS_READ, _WRITE and _DISCARD", mode);
    if ((mode & HR_ACCESS_DISCARD) != 0 && (mode & (HR_ACCESS_READ | HR_ACCESS_WRITE)) != HR_ACCESS_WRITE)
        return hri_fail(HR_INVALID, "hr_buffer_acquire: mode 0x%x: HR_ACCESS_DISCARD goes with HR_ACCESS_WRITE alone",
                        mode);
    if (!atomic_compare_exchange_strong(&buffer->access, &access, HRI_ACCESS_CHANGING))
        return hri_fail(HR_STATE, "hr_buffer_acquire: the host has the buffer already: hr_buffer_release() first");
    access = HRI_ACCESS_NONE;
    trace = hri_device_trace(buffer->device);
    begin = hri_trace_begin(trace);
    st = acquire(buffer, queue, mode, &access);
    hri_trace_waited(trace, "wait: acquire", begin);
    if (st == HR_OK && queue != NULL)
        hri_land(queue); /* a failure of reads is none of the buffer's: the queue's next call tells it */
    if (st == HR_OK)
        *ptr = buffer->ptr;
    atomic_store(&buffer->access, access);
    return st;
}

/* Undoes HRI_ACCESS_DRIVER; the memory counts as used by `queue` until then. NULL: shared memory. */
static hr_status give_back(hr_buffer *buffer, hr_queue *queue)
{
    hr_status st;

    if (queue == NULL)
        return buffer->device->ops->buffer_release(buffer->native, NULL, buffer->ptr);
    st = hri_buffer_use_begin(buffer, queue);
    if (st != HR_OK)
        return st;
    st = buffer->device->ops->buffer_release(buffer->native, queue->native, buffer->ptr);
    hri_buffer_use_end(buffer, queue, hri_queue_submitted(queue));
    return st;
}

static void forget_giver(hr_buffer *buffer)
{
    hri_queue_drop(buffer->giver);
    buffer->giver = NULL;
}

void hri_access_end(hr_buffer *buffer)
{
    char kept[HRI_MESSAGE_BYTES];

    if (buffer->giver == NULL)
        return;
    hri_message_keep(kept);
    give_back(buffer, buffer->giver); /* where it fails, the memory is as lost as its queue */
    forget_giver(buffer);
    hri_message_put_back(kept);
}

hr_status hr_buffer_release(hr_buffer *buffer, hr_queue *queue)
{
    int access;
    hr_status st = check("hr_buffer_release", buffer, queue);

    if (st != HR_OK)
        return st;
    access = atomic_load(&buffer->access);
    if ((access != HRI_ACCESS_HOST && access != HRI_ACCESS_DRIVER) ||
        !atomic_compare_exchange_strong(&buffer->access, &access, HRI_ACCESS_CHANGING))
        return hri_fail(HR_STATE, "hr_buffer_release: the host does not have the buffer: hr_buffer_acquire() first");
    if (access == HRI_ACCESS_DRIVER)
        st = give_back(buffer, queue);
    if (access == HRI_ACCESS_DRIVER && st == HR_OK)
        forget_giver(buffer);
    atomic_store(&buffer->access, st == HR_OK ? HRI_ACCESS_NONE : access);
    return st;
}
