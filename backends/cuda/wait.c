/*
 * Waiting for events: they are looked at between sleeps. The driver's own wait spins, but for events made with
 * BLOCKING_SYNC: each of those interrupts a core when it is reached, whether somebody waits or not, and a loop of small
 * batches records many.
 */
#include "cuda/internal.h"

#include <time.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#define SHORTEST_SLEEP_NS 20000u
#define LONGEST_SLEEP_NS 1000000u
#define WAITED_PART 128u
#define SLACK_NS 1000ul

static hr_status failure(const struct hri_cu_device *device, hri_cu_result code)
{
    return hri_cu_fail(device, HRI_CU_WORK, code, "work on \"%s\" failed", device->info.name);
}

/* One look: HRI_CU_NOT_READY while there is work, else what became of it. */
static hr_status look(const struct hri_cu_device *device, hri_cu_event event, hri_cu_result *code)
{
    hr_status st = hri_cu_enter(device);

    if (st != HR_OK)
        return st;
    *code = device->cu->EventQuery(event);
    hri_cu_leave(device);
    return *code == HRI_CU_SUCCESS || *code == HRI_CU_NOT_READY ? HR_OK : failure(device, *code);
}

/* A part of the time waited so far: short waits stay short, and long ones are no more than that part too long (an
 * eighth made copies of 30 ms look 2 % slower than they were) and cost little. */
static uint64_t next_sleep(uint64_t waited_ns, uint64_t left_ns)
{
    uint64_t ns = waited_ns / WAITED_PART;

    if (ns < SHORTEST_SLEEP_NS)
        ns = SHORTEST_SLEEP_NS;
    if (ns > LONGEST_SLEEP_NS)
        ns = LONGEST_SLEEP_NS;
    return ns < left_ns ? ns : left_ns;
}

static void sleep_for(uint64_t ns)
{
    const struct timespec sleep = {.tv_nsec = (long)ns};

    clock_nanosleep(CLOCK_MONOTONIC, 0, &sleep, NULL); /* cut short by a signal: one look more */
}

void hri_cu_wait_quietly(const struct hri_cu_device *device, hri_cu_event event)
{
    while (device->cu->EventQuery(event) == HRI_CU_NOT_READY)
        sleep_for(SHORTEST_SLEEP_NS);
}

static hr_status poll(const struct hri_cu_device *device, hri_cu_event event, uint64_t timeout_ns)
{
    const struct hrb_services *services = device->head.services;
    const uint64_t start = services->now_ns();
    uint64_t waited = 0;

    for (;;) {
        hri_cu_result code;
        hr_status st = look(device, event, &code);

        if (st != HR_OK || code == HRI_CU_SUCCESS)
            return st;
        if (waited >= timeout_ns)
            return HR_TIMEOUT;
        sleep_for(next_sleep(waited, timeout_ns - waited));
        waited = services->now_ns() - start;
    }
}

/* A thread's timers may be 50 us late by default, longer than a copy of a megabyte takes. Answers what was set before,
 * 0 where nothing is to be put back. */
static unsigned long sharpen_timers(void)
{
#ifdef __linux__
    int slack = prctl(PR_GET_TIMERSLACK);

    if (slack > 0 && prctl(PR_SET_TIMERSLACK, SLACK_NS) == 0)
        return (unsigned long)slack;
#endif
    return 0;
}

static void restore_timers(unsigned long slack)
{
#ifdef __linux__
    if (slack > 0)
        prctl(PR_SET_TIMERSLACK, slack);
#else
    (void)slack;
#endif
}

hr_status hri_cu_event_wait(struct hrb_event *event, uint64_t timeout_ns)
{
    const struct hri_cu_device *device = hri_cu_device(event->queue->device);
    hri_cu_event done = hri_cu_event_object(event)->done;
    unsigned long slack;
    hr_status st;

    if (timeout_ns == 0)
        return poll(device, done, 0);
    slack = sharpen_timers();
    st = poll(device, done, timeout_ns);
    restore_timers(slack);
    return st;
}

static bool is_busy(const struct hri_cu_device *device, hri_cu_stream stream)
{
    hri_cu_result code;

    if (!hri_cu_enter_quietly(device))
        return false;
    code = device->cu->StreamQuery(stream);
    hri_cu_leave(device);
    return code == HRI_CU_NOT_READY;
}

void hri_cu_stream_wait(const struct hri_cu_queue *queue)
{
    const struct hri_cu_device *device = hri_cu_device(queue->head.device);
    const struct hrb_services *services = device->head.services;
    const uint64_t start = services->now_ns();

    while (is_busy(device, queue->stream))
        sleep_for(next_sleep(services->now_ns() - start, HR_FOREVER));
}

hr_status hri_cu_event_query(struct hrb_event *event, uint32_t *done)
{
    hri_cu_result code;
    hr_status st = look(hri_cu_device(event->queue->device), hri_cu_event_object(event)->done, &code);

    if (st == HR_OK)
        *done = code == HRI_CU_SUCCESS;
    return st;
}
