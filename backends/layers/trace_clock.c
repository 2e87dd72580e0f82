/*
 * How a device's clock stands to the host's. No work starts before it was submitted nor ends after it was seen done:
 * each piece of work bounds the offset on both sides. The lower bound is the sharp one, since what is submitted to an
 * idle queue starts within microseconds: the offset is the largest lower bound so far, so the quickest start counts as
 * none at all. It is lowered where an upper bound says that the clocks have drifted apart.
 *
 * All queues of a device share the clock, and a new offset holds for device times past all that have been seen: a time
 * of the device has one time of the host, whenever it is asked for, so that spans of different queues stand right to
 * each other to the nanosecond.
 */
#include "layers/trace.h"

#include <string.h>

enum { ROUNDS = 8, BYTES = 64, BUFFER = 4096 };

/* A quiet device needs a few microseconds. One that is kept busy is not waited for: its buffer is then in use, so queue
 * and buffer live as long as the device. */
#define LONGEST_NS UINT64_C(200000000)

static uint64_t host_time(const struct trace_clock *clock, uint64_t time)
{
    uint32_t i = clock->n - 1;
    uint64_t host;

    while (i > 0 && time < clock->pieces[i].from)
        i--;
    host = time + clock->pieces[i].offset;
    return (int64_t)(host - clock->pieces[i].floor) < 0 ? clock->pieces[i].floor : host;
}

/* `offset` moved as little as the bounds ask; the lower bound first, since drift alone makes them contradict. */
static uint64_t bounded(uint64_t offset, uint64_t least, uint64_t most)
{
    if ((int64_t)(offset - least) < 0)
        offset = least;
    return (int64_t)(most - offset) < 0 ? most : offset;
}

static void begin_with(struct trace_clock *clock, uint64_t offset)
{
    clock->n = 1;
    clock->pieces[0] = (struct trace_piece){.from = 0, .offset = offset, .floor = offset};
}

static void add_piece(struct trace_clock *clock, uint64_t from, uint64_t offset)
{
    uint64_t floor = host_time(clock, from - 1);

    if (clock->n == TRACE_PIECES) {
        memmove(clock->pieces, clock->pieces + 1, (TRACE_PIECES - 1) * sizeof *clock->pieces);
        clock->n--;
    }
    clock->pieces[clock->n++] = (struct trace_piece){.from = from, .offset = offset, .floor = floor};
}

void hrb_trace_host_times(struct trace_clock *clock, uint64_t submitted, uint64_t seen, uint64_t *start, uint64_t *end)
{
    uint64_t old, offset, from;

    pthread_mutex_lock(&clock->lock);
    if (clock->n == 0)
        begin_with(clock, submitted - *start);
    from = *start;
    if (*start <= clock->latest) /* its time is settled: another offset holds for what comes */
        from = (clock->latest > *end ? clock->latest : *end) + 1;
    if (clock->latest < *end)
        clock->latest = *end;
    old = clock->pieces[clock->n - 1].offset;
    offset = bounded(old, submitted - *start, seen - *end);
    if (offset != old)
        add_piece(clock, from, offset);
    *start = host_time(clock, *start);
    *end = host_time(clock, *end);
    pthread_mutex_unlock(&clock->lock);
}

/* One fill, timed on both clocks. *most: the upper bound of the offset. */
static hr_status measure(struct hrb_queue *queue, struct hrb_buffer *buffer, uint64_t *most)
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
    if (st == HR_OK) {
        if (trace->clock.n == 0 || (int64_t)(*most - (seen - end)) > 0)
            *most = seen - end;
        begin_with(&trace->clock, bounded(trace->clock.n > 0 ? trace->clock.pieces[0].offset : submitted - start,
                                          submitted - start, seen - end));
    }
    ops->event_destroy(event);
    return st;
}

void hrb_trace_calibrate(struct hrb_device *device)
{
    struct trace_device *trace = hrb_trace_device(device);
    const struct hrb_ops *ops = trace->driver;
    char kept[HRB_MESSAGE_BYTES];
    uint64_t most = 0;
    hr_status st;

    device->services->message_keep(kept);
    st = ops->queue_create(device, HR_QUEUE_COMPUTE, HR_TIMING, NULL, &trace->queue);
    if (st == HR_OK)
        st = ops->buffer_create(device, HR_MEMORY_DEVICE, BUFFER, &trace->buffer);
    for (int i = 0; i < ROUNDS && st == HR_OK; i++)
        st = measure(trace->queue, trace->buffer, &most);
    if (st == HR_OK)
        device->services->log(HRB_LOG_INFO, "layer trace: the device's clock is known within %.1f us",
                              (double)(most - trace->clock.pieces[0].offset) * 1e-3);
    else
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
