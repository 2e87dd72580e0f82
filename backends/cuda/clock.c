/*
 * Times of events. The driver tells how long after another event one was reached, in single precision: from an origin
 * that lies far back the figure is coarse. So the origin moves on whenever events with times are in use, and each
 * origin's time is known from the one before. The first is when the device was opened, on the clock of
 * services->now_ns. Nothing but the start waits: a stream of ours may share a hardware queue with one that a kernel
 * holds.
 */
#include "cuda/internal.h"

#define MOVE_AFTER_NS UINT64_C(100000000) /* up to here the figure is good to 8 ns */

hri_cu_result hri_cu_clock_start(struct hri_cu_device *device)
{
    const struct hri_cu *cu = device->cu;
    struct hri_cu_clock *clock = &device->clock;
    hri_cu_result code = cu->StreamCreate(&clock->stream, HRI_CU_STREAM_NON_BLOCKING);

    for (int i = 0; i < 2 && code == HRI_CU_SUCCESS; i++)
        code = cu->EventCreate(&clock->event[i], HRI_CU_EVENT_BLOCKING_SYNC);
    if (code == HRI_CU_SUCCESS) {
        clock->origin_ns = clock->struck_ns = device->head.services->now_ns();
        code = cu->EventRecord(clock->event[0], clock->stream);
    }
    if (code == HRI_CU_SUCCESS)
        code = cu->EventSynchronize(clock->event[0]);
    if (code != HRI_CU_SUCCESS)
        hri_cu_clock_end(device);
    return code;
}

void hri_cu_clock_end(struct hri_cu_device *device)
{
    struct hri_cu_clock *clock = &device->clock;

    for (int i = 0; i < 2; i++)
        if (clock->event[i])
            device->cu->EventDestroy(clock->event[i]);
    if (clock->stream)
        device->cu->StreamDestroy(clock->stream);
    *clock = (struct hri_cu_clock){.stream = NULL};
}

static uint64_t after_origin(const struct hri_cu_clock *clock, float ms)
{
    const double ns = (double)ms * 1e6;

    return (uint64_t)((int64_t)clock->origin_ns + (int64_t)(ns < 0 ? ns - 0.5 : ns + 0.5));
}

/* Under the lock: takes the next origin once it has been reached. */
static void arrive(const struct hri_cu *cu, struct hri_cu_clock *clock)
{
    hri_cu_event next = clock->event[!clock->origin];
    float ms;

    if (!clock->moving || cu->EventQuery(next) != HRI_CU_SUCCESS ||
        cu->EventElapsedTime(&ms, clock->event[clock->origin], next) != HRI_CU_SUCCESS)
        return;
    clock->origin_ns = after_origin(clock, ms);
    clock->origin = !clock->origin;
    clock->moving = false;
}

/* Where it fails, the old origin serves on: its times are only coarser. */
void hri_cu_clock_tick(struct hri_cu_device *device)
{
    struct hri_cu_clock *clock = &device->clock;
    const uint64_t now = device->head.services->now_ns();

    if (!hri_cu_enter_quietly(device)) /* looks at an event */
        return;
    pthread_mutex_lock(&device->lock);
    arrive(device->cu, clock);
    if (!clock->moving && now - clock->struck_ns > MOVE_AFTER_NS &&
        device->cu->EventRecord(clock->event[!clock->origin], clock->stream) == HRI_CU_SUCCESS) {
        clock->moving = true;
        clock->struck_ns = now;
    }
    pthread_mutex_unlock(&device->lock);
    hri_cu_leave(device);
}

hri_cu_result hri_cu_clock_read(struct hri_cu_device *device, const struct hri_cu_event_object *event,
                                uint64_t *start_ns, uint64_t *end_ns)
{
    struct hri_cu_clock *clock = &device->clock;
    hri_cu_result code;
    float start;
    float lasted;

    pthread_mutex_lock(&device->lock);
    arrive(device->cu, clock);
    code = device->cu->EventElapsedTime(&start, clock->event[clock->origin], event->start);
    if (code == HRI_CU_SUCCESS)
        code = device->cu->EventElapsedTime(&lasted, event->start, event->done);
    if (code == HRI_CU_SUCCESS) {
        *start_ns = after_origin(clock, start);
        *end_ns = *start_ns + (uint64_t)((double)lasted * 1e6 + 0.5);
    }
    pthread_mutex_unlock(&device->lock);
    return code;
}
