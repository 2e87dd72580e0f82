/* One submission, from its checks to its number. */
#include "transfer/job.h"

#include "core/util.h"

#include <stdlib.h>

static hr_status copy_waits(struct hri_job *job, const hr_sync *sync)
{
    if (sync->n_waits > 0 && sync->waits == NULL)
        return hri_fail(HR_INVALID, "hr_sync.waits is NULL with n_waits %u", sync->n_waits);
    if (sync->n_waits > HRI_JOB_FEW) {
        job->waits = malloc(sync->n_waits * sizeof(struct hrb_event *));
        if (job->waits == NULL)
            return hri_fail(HR_NO_MEMORY, "no host memory for a list of %u events", sync->n_waits);
    }
    for (uint32_t i = 0; i < sync->n_waits; i++) {
        const hr_event *event = sync->waits[i];

        if (event == NULL)
            return hri_fail(HR_INVALID, "hr_sync.waits[%u] is NULL", i);
        if (event->queue->device != job->queue->device)
            return hri_fail(HR_INVALID, "hr_sync.waits[%u] is an event of device %s, the queue is of %s", i,
                            event->queue->device->info.selector, job->queue->device->info.selector);
        job->waits[i] = event->native;
    }
    return HR_OK;
}

static hr_status check_flags(const struct hri_job *job)
{
    if ((job->flags & ~(uint32_t)(HR_TIMING | HR_NO_WAIT)) != 0)
        return hri_fail(HR_INVALID, "hr_sync.flags is 0x%x: only HR_TIMING and HR_NO_WAIT are known", job->flags);
    if ((job->flags & HR_TIMING) != 0 && !hri_device_has(job->queue->device, HR_ABILITY_TIMING))
        return hri_fail(HR_UNSUPPORTED, "%s has no timestamps: leave HR_TIMING out", job->queue->device->info.selector);
    return HR_OK;
}

static hr_status make_event(struct hri_job *job)
{
    job->event = calloc(1, sizeof *job->event);
    if (job->event == NULL)
        return hri_fail(HR_NO_MEMORY, "no host memory for an event's %zu bytes", sizeof *job->event);
    hri_queue_retain(job->queue);
    job->event->queue = job->queue;
    job->event->timed = ((job->flags | job->queue->flags) & HR_TIMING) != 0;
    return HR_OK;
}

static void drop(struct hri_job *job)
{
    if (job->event != NULL) {
        hri_queue_release(job->queue);
        free(job->event);
    }
    if (job->waits != job->few)
        free(job->waits);
}

hr_status hri_job_begin(struct hri_job *job, hr_queue *queue, const hr_sync *sync)
{
    hr_sync given = {.size = sizeof given};
    hr_status st = hri_queue_check(queue);

    if (st != HR_OK)
        return st;
    if (sync != NULL) {
        st = hri_struct_in(&given, sizeof given, sync, HRI_LEAST(hr_sync, event), "hr_sync");
        if (st != HR_OK)
            return st;
    }
    *job = (struct hri_job){.queue = queue, .flags = given.flags, .out = given.event};
    job->waits = job->few;
    st = check_flags(job);
    if (st == HR_OK)
        st = copy_waits(job, &given);
    if (st == HR_OK && job->out != NULL)
        st = make_event(job);
    if (st != HR_OK) {
        drop(job);
        return st;
    }
    job->sync.n_waits = given.n_waits;
    job->sync.waits = job->waits;
    job->sync.flags = job->flags & HR_TIMING;
    job->sync.event = job->event != NULL ? &job->event_native : NULL;
    job->before = atomic_load(&queue->submitted);
    return HR_OK;
}

hr_status hri_job_uses(struct hri_job *job, hr_buffer *buffer)
{
    hr_status st = hri_buffer_use_begin(buffer, job->queue);

    if (st == HR_OK)
        job->buffers[job->n_buffers++] = buffer;
    return st;
}

hr_status hri_job_nothing(struct hri_job *job)
{
    const struct hrb_ops *ops = job->queue->device->ops;

    for (uint32_t i = 0; i < job->sync.n_waits; i++) {
        hr_status st = ops->queue_wait(job->queue->native, job->sync.waits[i]);

        if (st != HR_OK)
            return st;
    }
    if (job->event == NULL)
        return HR_OK;
    if (hri_queue_is_foreign(job->queue))
        job->before = hri_queue_mark(job->queue); /* a number for the program's own work so far */
    return ops->event_record(job->queue->native, job->sync.flags, job->sync.event);
}

hr_status hri_job_end(struct hri_job *job, hr_status st)
{
    /* A failed submission may have a part behind it: its buffers count as used all the same. */
    uint64_t number = job->number > 0 ? job->number : hri_queue_submitted(job->queue);

    if (st == HR_DEVICE_LOST)
        hri_queue_fail(job->queue, st);
    for (uint32_t i = 0; i < job->n_buffers; i++)
        hri_buffer_use_end(job->buffers[i], job->queue, number);
    if (st == HR_OK && job->event != NULL) {
        job->event->native = job->event_native;
        /* Another thread's submission may have come behind this one and been counted before it: then the event vouches
         * only for what was there before. */
        job->event->number = number == job->before + 1 ? number : job->before;
        *job->out = job->event;
        job->event = NULL;
    }
    drop(job);
    return st;
}
