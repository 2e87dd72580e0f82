/*
 * Waiting for an event without taking a core: where the driver's wait spins, or a limit is set, the status is polled
 * between sleeps. A status is no synchronisation point, so clWaitForEvents always has the last word.
 */
#include "opencl/internal.h"

#include <time.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#define SHORTEST_SLEEP_NS 20000u
#define LONGEST_SLEEP_NS 1000000u
#define WAITED_PART 128u
#define SLACK_NS 1000ul

/* CL_COMPLETE (0), another positive status, or a negative one for a failure. */
static cl_int status_of(const struct hri_cl_device *device, cl_event event)
{
    cl_int status = CL_COMPLETE;
    cl_int code;

    hri_cl_enter(device);
    code = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    hri_cl_leave(device);
    return code == CL_SUCCESS ? status : code;
}

static hr_status failure(const struct hri_cl_device *device, cl_int code)
{
    return hri_cl_fail(device->head.services, HRI_CL_WORK, code, "work on \"%s\" failed", device->traits.info.name);
}

static hr_status wait_in_driver(const struct hri_cl_device *device, cl_event event)
{
    cl_int status;
    cl_int code;

    hri_cl_enter(device);
    code = clWaitForEvents(1, &event);
    hri_cl_leave(device);
    status = status_of(device, event); /* names the cause where the wait only says that there is one */
    if (status < 0)
        return failure(device, status);
    return code == CL_SUCCESS ? HR_OK : failure(device, code);
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

static hr_status poll(const struct hri_cl_device *device, cl_event event, uint64_t timeout_ns)
{
    const struct hrb_services *services = device->head.services;
    const uint64_t start = services->now_ns();
    uint64_t waited = 0;

    for (;;) {
        cl_int status = status_of(device, event);
        struct timespec sleep = {0};

        if (status < 0)
            return failure(device, status);
        if (status == CL_COMPLETE)
            return wait_in_driver(device, event);
        if (waited >= timeout_ns)
            return HR_TIMEOUT;
        sleep.tv_nsec = (long)next_sleep(waited, timeout_ns - waited);
        clock_nanosleep(CLOCK_MONOTONIC, 0, &sleep, NULL); /* cut short by a signal: one poll more */
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

hr_status hri_cl_wait(const struct hri_cl_device *device, cl_event event, uint64_t timeout_ns)
{
    unsigned long slack;
    hr_status st;

    if (timeout_ns == HR_FOREVER && device->traits.wait_sleeps)
        return wait_in_driver(device, event);
    if (timeout_ns == 0)
        return poll(device, event, 0);
    slack = sharpen_timers();
    st = poll(device, event, timeout_ns);
    restore_timers(slack);
    return st;
}
