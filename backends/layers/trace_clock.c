/*
 * How a device's clock stands to the host's. No work starts before it was submitted nor ends after it was seen done:
 * each piece of work bounds the offset on both sides. The lower bound is the sharp one, since what is submitted to an
 * idle queue starts within microseconds: the offset is the largest lower bound so far, so the quickest start counts as
 * none at all. It is lowered where an upper bound says that the clocks have drifted apart.
 *
 * All queues of a device share it, so that their spans stand right to each other.
 */
#include "layers/trace.h"

enum { ROUNDS = 8, BYTES = 64, BUFFER = 4096 };

/* A quiet device needs a few microseconds. One that is kept busy is not waited for: its buffer is then in use, so queue
 * and buffer live as long as the device. */
#define LONGEST_NS UINT64_C(200000000)

uint64_t hrb_trace_offset(struct trace_clock *clock, uint64_t submitted, uint64_t start, uint64_t end, uint64_t seen)
{
    uint64_t least = submitted - start, most = seen - end, offset;

    pthread_mutex_lock(&clock->lock);
    if (!clock->known || (int64_t)(clock->offset - least) < 0)
        clock->offset = least;
    if ((int64_t)(most - clock->offset) < 0)
        clock->offset = most;
    clock->known = true;
    offset = clock->offset;
    pthread_mutex_unlock(&clock->lock);
    return offset;
}

/* One fill, timed on both clocks. */
static hr_status measure(struct hrb_queue *queue, struct hrb_buffer *buffer)
{
    static const uint32_t zero;
    struct hrb_device *device = queue->device;
    struct trace_device *trace = hrb_trace_device(device);
    const struct hrb_ops *ops = trace->driver;
    struct hrb_event *event = NULL;
    struct hrb_sync sync = {.flags = HR_TIMING, .event = &event};
    uint64_t submitted = device->services->now_ns(), start, end, seen;
    hr_status st = ops->fill(queue, buffer, 0, BYTES, &zero, sizeof zero, &sync);

    if (st != HR_OK)
        return st;
    st = ops->event_wait(event, LONGEST_NS);
    seen = device->services->now_ns();
    if (st == HR_OK)
        st = ops->event_times(event, &start, &end);
    if (st == HR_OK)
        hrb_trace_offset(&trace->clock, submitted, start, end, seen);
    ops->event_destroy(event);
    return st;
}

void hrb_trace_calibrate(struct hrb_device *device)
{
    struct trace_device *trace = hrb_trace_device(device);
    const struct hrb_ops *ops = trace->driver;
    char kept[HRB_MESSAGE_BYTES];
    hr_status st;

    device->services->message_keep(kept);
    st = ops->queue_create(device, HR_QUEUE_COMPUTE, HR_TIMING, NULL, &trace->queue);
    if (st == HR_OK)
        st = ops->buffer_create(device, HR_MEMORY_DEVICE, BUFFER, &trace->buffer);
    for (int i = 0; i < ROUNDS && st == HR_OK; i++)
        st = measure(trace->queue, trace->buffer);
    if (st != HR_OK)
        device->services->log(HRB_LOG_INFO, "layer trace: the device's clock is set by its first work");
    device->services->message_put_back(kept);
}

void hrb_trace_calibrate_end(struct hrb_device *device)
{
    struct trace_device *trace = hrb_trace_device(device);
    char kept[HRB_MESSAGE_BYTES];

    device->services->message_keep(kept);
    if (trace->buffer) {
        (void)trace->driver->queue_finish(trace->queue); /* a fill that was not done in time */
        trace->driver->buffer_destroy(trace->buffer);
    }
    if (trace->queue)
        trace->driver->queue_destroy(trace->queue);
    device->services->message_put_back(kept);
}
