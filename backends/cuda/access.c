/*
 * Host access to device memory: a mirror in pinned memory, filled when the host takes the buffer and copied back when
 * it has written. It stays with the buffer's memory, so that taking the buffer again and again allocates nothing.
 */
#include "cuda/internal.h"

static bool must_fetch(uint32_t mode)
{
    return (mode & HR_ACCESS_READ) || !(mode & HR_ACCESS_DISCARD); /* what is not overwritten stays as it was */
}

static hri_cu_result fetch(struct hri_cu_buffer *buffer, uint32_t mode, hri_cu_stream stream)
{
    const struct hri_cu *cu = hri_cu_device(buffer->head.device)->cu;

    if (!must_fetch(mode))
        return HRI_CU_SUCCESS;
    return cu->MemcpyDtoHAsync(buffer->mirror, buffer->pointer, buffer->head.bytes, stream);
}

static hr_status provide_mirror(struct hri_cu_buffer *buffer)
{
    const struct hri_cu_device *device = hri_cu_device(buffer->head.device);
    hri_cu_result code;
    hr_status st;

    if (buffer->mirror)
        return HR_OK;
    st = hri_cu_enter(device);
    if (st != HR_OK)
        return st;
    code = device->cu->MemHostAlloc(&buffer->mirror, buffer->head.bytes, HRI_CU_HOST_PORTABLE);
    hri_cu_leave(device);
    if (code == HRI_CU_SUCCESS)
        return HR_OK;
    buffer->mirror = NULL;
    return hri_cu_fail(device, HRI_CU_ALLOC_PINNED, code,
                       "no pinned memory in which the host could have a buffer of %llu bytes",
                       (unsigned long long)buffer->head.bytes);
}

hr_status hri_cu_buffer_acquire(struct hrb_buffer *buffer, struct hrb_queue *queue, uint32_t mode, void **ptr)
{
    struct hri_cu_buffer *taken = hri_cu_buffer(buffer);
    struct hrb_event *event;
    const struct hrb_sync sync = {.event = &event};
    struct hri_cu_submission sub;
    hr_status st = provide_mirror(taken);

    if (st == HR_OK)
        st = hri_cu_submit_begin(queue, &sync, &sub);
    if (st != HR_OK)
        return st;
    st = hri_cu_submit_end(&sub, fetch(taken, mode, sub.queue->stream), "a buffer cannot be fetched for the host");
    if (st != HR_OK) {
        hri_cu_stream_wait(sub.queue); /* the copy may be under way, and nothing tells when the mirror is free */
        return st;
    }
    st = hri_cu_event_wait(event, HR_FOREVER);
    hri_cu_event_destroy(event);
    if (st != HR_OK)
        return st;
    taken->mode = mode;
    *ptr = taken->mirror;
    return HR_OK;
}

/* The memory of a view goes on when the view is closed; its mirror does not, and has to know when it may. */
static void keep_event(struct hri_cu_buffer *view, struct hrb_event *event)
{
    struct hri_cu_device *device = hri_cu_device(view->head.device);

    if (view->released)
        hri_cu_event_give(device, view->released);
    view->released = hri_cu_event_object(event);
}

hr_status hri_cu_buffer_release(struct hrb_buffer *buffer, struct hrb_queue *queue, void *ptr)
{
    struct hri_cu_buffer *taken = hri_cu_buffer(buffer);
    const struct hri_cu *cu = hri_cu_device(buffer->device)->cu;
    struct hrb_event *event = NULL;
    const struct hrb_sync sync = {.event = taken->view ? &event : NULL};
    struct hri_cu_submission sub;
    hr_status st;

    if (!(taken->mode & HR_ACCESS_WRITE))
        return HR_OK;
    st = hri_cu_submit_begin(queue, &sync, &sub);
    if (st != HR_OK)
        return st;
    st = hri_cu_submit_end(&sub, cu->MemcpyHtoDAsync(taken->pointer, ptr, buffer->bytes, sub.queue->stream),
                           "what the host wrote cannot be copied back");
    if (st != HR_OK)
        hri_cu_stream_wait(sub.queue); /* as above */
    else if (event)
        keep_event(taken, event);
    return st;
}

void hri_cu_mirror_end(const struct hri_cu_buffer *buffer)
{
    const struct hri_cu_device *device = hri_cu_device(buffer->head.device);

    if (buffer->released)
        hri_cu_wait_quietly(device, buffer->released->done);
    if (buffer->mirror)
        device->cu->MemFreeHost(buffer->mirror);
}
