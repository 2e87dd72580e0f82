/*
 * What happens to open devices when the process exits without closing them: their work ends first. A driver whose
 * threads still work while the process takes it apart may crash. Beyond reach is what a driver registers for its own
 * end later than this file does: PoCL's compiler, while it compiles the first kernel of the process.
 */
#include "core/util.h"
#include "observe/trace.h"
#include "transfer/landing.h"
#include "transfer/object.h"
#include "transfer/open.h"

#include <stdlib.h>
#include <unistd.h>

/* Work of the program's own may wait for what only the program could still do, as set a user event: a device that may
 * hold such work is waited for so long. */
#define LONGEST_NS UINT64_C(2000000000)

/* Part of the registry's state: the devices that are open. */
static struct {
    pthread_mutex_t lock;
    pid_t pid; /* that registered the handler; 0: none yet */
    hr_device *first;
} open_devices = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The queue after `queue`, held; `queue` itself is let go. NULL begins and ends. */
static hr_queue *next_queue(hr_device *device, hr_queue *queue)
{
    hr_queue *next;

    pthread_mutex_lock(&device->lock);
    next = queue != NULL ? queue->next : device->queues;
    if (next != NULL)
        hri_queue_hold(next);
    pthread_mutex_unlock(&device->lock);
    if (queue != NULL)
        hri_queue_drop(queue);
    return next;
}

static bool has_foreign(hr_device *device)
{
    bool any = false;

    for (hr_queue *queue = NULL; (queue = next_queue(device, queue)) != NULL;)
        any = any || hri_queue_is_foreign(queue);
    return any;
}

static void end_by(hr_queue *queue, uint64_t deadline)
{
    const struct hrb_ops *ops = queue->device->ops;
    uint64_t now = hri_now_ns();
    struct hrb_event *event;

    if (hri_mark_passed(queue, atomic_load(&queue->submitted)) || ops->event_record(queue->native, 0, &event) != HR_OK)
        return;
    ops->event_wait(event, now < deadline ? deadline - now : 0);
    ops->event_destroy(event);
}

/* Nothing new is submitted (a loader's threads may be at it), and what was submitted ends. */
static void end_work(hr_device *device)
{
    const uint64_t deadline = hri_now_ns() + LONGEST_NS;
    const bool foreign = has_foreign(device);

    hri_failure_set(&device->failure, hri_fail(HR_STATE, "the process is exiting"));
    for (hr_queue *queue = NULL; (queue = next_queue(device, queue)) != NULL;) {
        if (foreign)
            end_by(queue, deadline);
        else
            hri_queue_end(queue);
    }
    hri_land_some(device, false);
}

/* No lock is waited for that a thread could hold for ever: those that hold this one are short. */
static void at_exit(void)
{
    if (open_devices.pid != getpid()) /* a child, where nothing of the devices may be touched */
        return;
    pthread_mutex_lock(&open_devices.lock);
    for (hr_device *device = open_devices.first; device != NULL; device = device->next)
        end_work(device);
    pthread_mutex_unlock(&open_devices.lock);
    hri_trace_exit(); /* the spans of that work too */
}

void hri_exit_list(hr_device *device)
{
    pthread_mutex_lock(&open_devices.lock);
    /* Registered once drivers are loaded, so it runs before theirs. If it cannot be, exiting is as safe as drivers are.
     */
    if (open_devices.pid == 0 && atexit(at_exit) == 0)
        open_devices.pid = getpid();
    device->next = open_devices.first;
    if (device->next != NULL)
        device->next->prev = device;
    open_devices.first = device;
    pthread_mutex_unlock(&open_devices.lock);
}

void hri_exit_unlist(hr_device *device)
{
    pthread_mutex_lock(&open_devices.lock);
    *(device->prev != NULL ? &device->prev->next : &open_devices.first) = device->next;
    if (device->next != NULL)
        device->next->prev = device->prev;
    pthread_mutex_unlock(&open_devices.lock);
}
