/* Queues: their two counts, their numbers, their failures. */
#include "core/util.h"
#include "observe/trace.h"
#include "transfer/object.h"

#include <stdlib.h>

static void list_in(hr_device *device, hr_queue *queue)
{
    pthread_mutex_lock(&device->lock);
    queue->next = device->queues;
    if (queue->next != NULL)
        queue->next->prev = queue;
    device->queues = queue;
    pthread_mutex_unlock(&device->lock);
}

static void list_out(hr_device *device, hr_queue *queue)
{
    pthread_mutex_lock(&device->lock);
    *(queue->prev != NULL ? &queue->prev->next : &device->queues) = queue->next;
    if (queue->next != NULL)
        queue->next->prev = queue->prev;
    pthread_mutex_unlock(&device->lock);
}

hr_status hri_queue_make(hr_device *device, uint32_t role, uint32_t flags, void *native, bool own, hr_queue **queue)
{
    hr_queue *made = calloc(1, sizeof *made);
    hr_status st;

    if (made == NULL)
        return hri_fail(HR_NO_MEMORY, "no host memory for a queue's %zu bytes", sizeof *made);
    st = device->ops->queue_create(device->native, role, flags, native, &made->native);
    if (st != HR_OK) {
        free(made);
        return st;
    }
    atomic_init(&made->handles, 1);
    atomic_init(&made->refs, 1);
    atomic_init(&made->foreign, native != NULL);
    atomic_init(&made->read_lost, false);
    made->device = device;
    made->flags = flags;
    made->own = own;
    pthread_mutex_init(&made->lock, NULL);
    list_in(device, made);
    if (!own)
        hri_device_retain(device);
    *queue = made;
    return HR_OK;
}

static bool role_ok(uint32_t role)
{
    return role < HRI_ROLES;
}

static hr_status role_fail(uint32_t role)
{
    return hri_fail(HR_INVALID, "role %u is none: use HR_QUEUE_COMPUTE, HR_QUEUE_COPY_IN or HR_QUEUE_COPY_OUT", role);
}

hr_status hr_queue_create(hr_device *device, uint32_t role, const hr_queue_options *options, hr_queue **queue)
{
    hr_queue_options given = {.size = sizeof given};
    hr_status st;

    if (device == NULL || queue == NULL)
        return hri_fail(HR_INVALID, "hr_queue_create: %s is NULL", device == NULL ? "device" : "queue");
    if (!role_ok(role))
        return role_fail(role);
    if (options != NULL) {
        st = hri_struct_in(&given, sizeof given, options, HRI_LEAST(hr_queue_options, flags), "hr_queue_options");
        if (st != HR_OK)
            return st;
    }
    if ((given.flags & ~(uint32_t)HR_TIMING) != 0)
        return hri_fail(HR_INVALID, "hr_queue_options.flags is 0x%x: only HR_TIMING is known", given.flags);
    st = hri_device_check(device);
    if (st != HR_OK)
        return st;
    if ((given.flags & HR_TIMING) != 0 && !hri_device_has(device, HR_ABILITY_TIMING))
        return hri_fail(HR_UNSUPPORTED, "%s has no timestamps: create the queue without HR_TIMING",
                        device->info.selector);
    return hri_queue_make(device, role, given.flags, NULL, false, queue);
}

hr_status hr_device_get_queue(hr_device *device, uint32_t role, hr_queue **queue)
{
    hr_queue *own;
    hr_status st;

    if (device == NULL || queue == NULL)
        return hri_fail(HR_INVALID, "hr_device_get_queue: %s is NULL", device == NULL ? "device" : "queue");
    if (!role_ok(role))
        return role_fail(role);
    st = hri_device_check(device);
    if (st != HR_OK)
        return st;
    pthread_mutex_lock(&device->lock);
    own = device->own[role];
    pthread_mutex_unlock(&device->lock);
    if (own == NULL) {
        st = hri_queue_make(device, role, 0, NULL, true, &own);
        if (st != HR_OK)
            return st;
        pthread_mutex_lock(&device->lock);
        if (device->own[role] == NULL) {
            device->own[role] = own;
            pthread_mutex_unlock(&device->lock);
        } else { /* another thread was first */
            hr_queue *mine = own;

            own = device->own[role];
            pthread_mutex_unlock(&device->lock);
            hri_queue_drop(mine);
        }
    }
    *queue = own;
    return HR_OK;
}

void hri_queue_hold(hr_queue *queue)
{
    atomic_fetch_add_explicit(&queue->refs, 1, memory_order_relaxed);
}

void hri_queue_drop(hr_queue *queue)
{
    if (atomic_fetch_sub_explicit(&queue->refs, 1, memory_order_acq_rel) > 1)
        return;
    list_out(queue->device, queue);
    hri_mark_close(queue);
    queue->device->ops->queue_destroy(queue->native);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}

void hri_queue_retain(hr_queue *queue)
{
    if (queue->own)
        hri_device_retain(queue->device);
    else
        atomic_fetch_add_explicit(&queue->handles, 1, memory_order_relaxed);
}

void hri_queue_release(hr_queue *queue)
{
    hr_device *device = queue->device;

    if (!queue->own) {
        if (atomic_fetch_sub_explicit(&queue->handles, 1, memory_order_acq_rel) > 1)
            return;
        if (hri_queue_is_foreign(queue)) { /* memory still in use there is told apart from work that comes after */
            hri_queue_mark(queue);
            hri_mark_record(queue);
        }
        hri_queue_drop(queue);
    }
    hri_device_release(device);
}

void hr_queue_close(hr_queue **queue)
{
    if (queue == NULL || *queue == NULL)
        return;
    if (!hri_device_forked((*queue)->device) && !(*queue)->own)
        hri_queue_release(*queue);
    *queue = NULL;
}

hr_device *hri_queue_device(hr_queue *queue)
{
    return queue->device;
}

uint64_t hri_queue_submitted(hr_queue *queue)
{
    return atomic_fetch_add(&queue->submitted, 1) + 1;
}

uint64_t hri_queue_mark(hr_queue *queue)
{
    return hri_queue_is_foreign(queue) ? hri_queue_submitted(queue) : atomic_load(&queue->submitted);
}

bool hri_queue_is_foreign(hr_queue *queue)
{
    return atomic_load(&queue->foreign);
}

hr_status hri_queue_check(hr_queue *queue)
{
    hr_status st = hri_device_check(queue->device);

    return st != HR_OK ? st : hri_failure_get(&queue->failure);
}

hr_status hri_queue_fail(hr_queue *queue, hr_status status)
{
    if (status == HR_DEVICE_LOST)
        hri_failure_set(&queue->device->failure, status);
    return hri_failure_set(&queue->failure, status);
}

hr_status hri_queue_settle(hr_queue *queue)
{
    uint64_t number = atomic_load(&queue->submitted);
    hr_status st = queue->device->ops->queue_finish(queue->native);

    if (st != HR_OK)
        hri_queue_fail(queue, st);
    hri_mark_done(queue, number);
    return hri_failure_get(&queue->failure);
}

void hri_queue_end(hr_queue *queue)
{
    if (hri_queue_is_foreign(queue) && !queue->own)
        hri_mark_wait(queue, atomic_load(&queue->submitted));
    else
        hri_queue_settle(queue);
}

hr_status hr_queue_finish(hr_queue *queue)
{
    struct hrb_trace *trace;
    uint64_t begin;
    hr_status st;

    if (queue == NULL)
        return hri_fail(HR_INVALID, "hr_queue_finish: queue is NULL");
    if (hri_device_forked(queue->device))
        return hri_device_check(queue->device);
    trace = hri_device_trace(queue->device);
    begin = hri_trace_begin(trace);
    st = hri_queue_settle(queue);
    hri_trace_waited(trace, "wait: finish", begin);
    if (st == HR_OK)
        return hri_land(queue);
    hri_land(queue); /* the program may let its memory go now: what has not landed never does */
    return st;
}

hr_status hr_queue_wait(hr_queue *queue, hr_event *event)
{
    hr_status st;

    if (queue == NULL || event == NULL)
        return hri_fail(HR_INVALID, "hr_queue_wait: %s is NULL", queue == NULL ? "queue" : "event");
    st = hri_queue_check(queue);
    if (st != HR_OK)
        return st;
    if (event->queue->device != queue->device)
        return hri_fail(HR_INVALID, "hr_queue_wait: the event is of device %s, the queue of %s",
                        event->queue->device->info.selector, queue->device->info.selector);
    if (atomic_load_explicit(&event->seen, memory_order_acquire))
        return HR_OK;
    st = queue->device->ops->queue_wait(queue->native, event->native);
    if (st == HR_OK)
        hri_queue_submitted(queue);
    return st;
}
