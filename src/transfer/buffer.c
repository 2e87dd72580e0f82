/* Buffers: created from the pools, given back behind the queues that use them. */
#include "core/util.h"
#include "transfer/object.h"

#include <stdlib.h>

static hr_status check_create(const hr_device *device, uint32_t kind, uint64_t bytes)
{
    char asked[32];
    char most[32];

    if (kind != HR_MEMORY_DEVICE && kind != HR_MEMORY_PINNED)
        return hri_fail(HR_INVALID, "hr_buffer_create: kind %u is none: use HR_MEMORY_DEVICE or HR_MEMORY_PINNED",
                        kind);
    if (bytes == 0)
        return hri_fail(HR_INVALID, "hr_buffer_create: a buffer of 0 bytes: ask for at least 1");
    /* Over the budget is a shortage, and the pool says so. */
    if (bytes > device->info.max_buffer_bytes && bytes <= device->pools[kind].budget)
        return hri_fail(
            HR_INVALID, "hr_buffer_create: %s is more than %s, the largest single buffer of %s: use several",
            hri_bytes_text(bytes, asked), hri_bytes_text(device->info.max_buffer_bytes, most), device->info.selector);
    return HR_OK;
}

static hr_status check_queue(const char *function, const hr_device *device, const hr_queue *queue)
{
    if (queue != NULL && queue->device != device)
        return hri_fail(HR_INVALID, "%s: the queue is of device %s, the buffer of %s", function,
                        queue->device->info.selector, device->info.selector);
    return HR_OK;
}

hr_status hr_buffer_create(hr_device *device, uint32_t kind, uint64_t bytes, hr_queue *queue, hr_buffer **buffer)
{
    hr_buffer *made;
    hr_status st;

    if (device == NULL || buffer == NULL)
        return hri_fail(HR_INVALID, "hr_buffer_create: %s is NULL", device == NULL ? "device" : "buffer");
    st = hri_device_check(device);
    if (st == HR_OK)
        st = check_create(device, kind, bytes);
    if (st == HR_OK)
        st = check_queue("hr_buffer_create", device, queue);
    if (st != HR_OK)
        return st;
    made = calloc(1, sizeof *made);
    if (made == NULL)
        return hri_fail(HR_NO_MEMORY, "no host memory for a buffer's %zu bytes", sizeof *made);
    st = hri_pool_take(&device->pools[kind], bytes, queue, true, &made->block);
    if (st != HR_OK) {
        free(made);
        return st;
    }
    atomic_init(&made->refs, 1);
    made->device = device;
    made->bytes = bytes;
    made->kind = kind;
    made->native = made->block->buffer;
    hri_device_retain(device);
    if (kind == HR_MEMORY_PINNED)
        hri_hosted_add(made);
    *buffer = made;
    return HR_OK;
}

hr_status hr_buffer_import(hr_device *device, void *pointer, uint64_t bytes, hr_buffer **buffer)
{
    hr_buffer *made;
    uint64_t end;
    hr_status st;

    if (device == NULL || pointer == NULL || buffer == NULL)
        return hri_fail(HR_INVALID, "hr_buffer_import: %s is NULL",
                        device == NULL ? "device" : (pointer == NULL ? "pointer" : "buffer"));
    if (bytes == 0 || hri_add_overflows((uintptr_t)pointer, bytes, &end) || end > UINTPTR_MAX)
        return hri_fail(HR_INVALID, "hr_buffer_import: %llu bytes from %p are no memory range",
                        (unsigned long long)bytes, pointer);
    st = hri_device_check(device);
    if (st != HR_OK)
        return st;
    if (device->ops->buffer_import == NULL)
        return hri_fail(HR_UNSUPPORTED, "%s cannot register memory: hr_write_from() takes it as it is",
                        device->info.selector);
    made = calloc(1, sizeof *made);
    if (made == NULL)
        return hri_fail(HR_NO_MEMORY, "no host memory for a buffer's %zu bytes", sizeof *made);
    st = device->ops->buffer_import(device->native, pointer, bytes, &made->native);
    if (st != HR_OK)
        goto free_made;
    st = hri_block_make(made->native, bytes, &made->block);
    if (st != HR_OK)
        goto destroy;
    atomic_init(&made->refs, 1);
    made->device = device;
    made->bytes = bytes;
    made->kind = HR_MEMORY_IMPORTED;
    hri_device_retain(device);
    hri_hosted_add(made);
    *buffer = made;
    return HR_OK;

destroy:
    device->ops->buffer_destroy(made->native);
free_made:
    free(made);
    return st;
}

hr_status hri_buffer_view(hr_buffer *parent, uint64_t offset, uint64_t bytes, hr_buffer **view)
{
    hr_device *device = parent->device;
    hr_buffer *root = parent->root != NULL ? parent->root : parent;
    hr_buffer *made;
    uint64_t end;
    hr_status st = hri_device_check(device);

    if (st != HR_OK)
        return st;
    if (parent->kind != HR_MEMORY_DEVICE)
        return hri_fail(HR_INVALID, "only device buffers have views");
    if (bytes == 0 || hri_add_overflows(offset, bytes, &end) || end > parent->bytes)
        return hri_fail(HR_RANGE, "a view of %llu bytes at %llu lies outside a buffer of %llu",
                        (unsigned long long)bytes, (unsigned long long)offset, (unsigned long long)parent->bytes);
    if (offset % device->info.alignment != 0)
        return hri_fail(HR_RANGE, "a view at byte %llu is not aligned to %u, as %s asks", (unsigned long long)offset,
                        device->info.alignment, device->info.selector);
    made = calloc(1, sizeof *made);
    if (made == NULL)
        return hri_fail(HR_NO_MEMORY, "no host memory for a buffer's %zu bytes", sizeof *made);
    st = device->ops->buffer_view(root->native, parent->base + offset, bytes, &made->native);
    if (st != HR_OK) {
        free(made);
        return st;
    }
    atomic_init(&made->refs, 1);
    made->device = device;
    made->root = root;
    made->base = parent->base + offset;
    made->bytes = bytes;
    made->kind = HR_MEMORY_DEVICE;
    made->block = root->block;
    atomic_fetch_add_explicit(&root->refs, 1, memory_order_relaxed);
    hri_device_retain(device);
    *view = made;
    return HR_OK;
}

static void end_memory(hr_buffer *buffer)
{
    struct hri_block *block = buffer->block;

    if (buffer->kind == HR_MEMORY_IMPORTED) {
        hri_buffer_note(buffer, HRB_NOTE_FREED, 0, buffer->bytes, NULL);
        hri_uses_catch_up(&block->uses);
        hri_uses_wait(&block->uses); /* the program may free the memory next */
        buffer->device->ops->buffer_destroy(buffer->native);
        hri_block_free(block);
    } else {
        hri_uses_catch_up(&block->uses);
        hri_pool_give(&buffer->device->pools[buffer->kind], block);
    }
}

static void release(hr_buffer *buffer)
{
    hr_device *device = buffer->device;
    hr_buffer *root = buffer->root;

    if (atomic_fetch_sub_explicit(&buffer->refs, 1, memory_order_acq_rel) > 1)
        return;
    hri_access_end(buffer);
    if (buffer->kind != HR_MEMORY_DEVICE)
        hri_hosted_remove(buffer);
    if (root == NULL) {
        end_memory(buffer);
    } else { /* work in flight goes on in the root's memory */
        device->ops->buffer_destroy(buffer->native);
        release(root);
    }
    free(buffer);
    hri_device_release(device);
}

void hr_buffer_close(hr_buffer **buffer)
{
    if (buffer == NULL || *buffer == NULL)
        return;
    if (!hri_device_forked((*buffer)->device))
        release(*buffer);
    *buffer = NULL;
}

hr_status hr_buffer_get_size(hr_buffer *buffer, uint64_t *bytes)
{
    if (buffer == NULL || bytes == NULL)
        return hri_fail(HR_INVALID, "hr_buffer_get_size: %s is NULL", buffer == NULL ? "buffer" : "bytes");
    *bytes = buffer->bytes;
    return HR_OK;
}

hr_status hri_buffer_use_begin(hr_buffer *buffer, hr_queue *queue)
{
    hr_status st;

    pthread_mutex_lock(&buffer->block->lock);
    st = hri_uses_begin(&buffer->block->uses, queue);
    pthread_mutex_unlock(&buffer->block->lock);
    return st;
}

void hri_buffer_use_end(hr_buffer *buffer, hr_queue *queue, uint64_t number)
{
    pthread_mutex_lock(&buffer->block->lock);
    hri_uses_end(&buffer->block->uses, queue, number);
    pthread_mutex_unlock(&buffer->block->lock);
}

hr_status hr_buffer_used(hr_buffer *buffer, hr_queue *queue)
{
    hr_status st;

    if (buffer == NULL || queue == NULL)
        return hri_fail(HR_INVALID, "hr_buffer_used: %s is NULL", buffer == NULL ? "buffer" : "queue");
    if (hri_device_forked(buffer->device))
        return hri_device_check(buffer->device);
    st = check_queue("hr_buffer_used", buffer->device, queue);
    if (st != HR_OK)
        return st;
    st = hri_buffer_use_begin(buffer, queue);
    if (st != HR_OK)
        return st;
    hri_buffer_use_end(buffer, queue, hri_queue_mark(queue));
    if (hri_queue_is_foreign(queue))
        hri_mark_record(queue); /* where it fails, a later event covers the work too */
    hri_buffer_note(buffer, HRB_NOTE_USE, 0, buffer->bytes, queue);
    return HR_OK;
}

void *hri_buffer_host(hr_buffer *buffer)
{
    return buffer->native->host;
}

void hri_buffer_note(hr_buffer *buffer, uint32_t kind, uint64_t offset, uint64_t bytes, hr_queue *queue)
{
    const struct hrb_ops *ops = buffer->device->ops;

    if (ops->note != NULL)
        ops->note(kind, buffer->native, &(struct hrb_range){offset, bytes}, queue != NULL ? queue->native : NULL);
}
