/*
 * Simulated driver under ThreadSanitizer: what a program does wrong is a race, since copies read and write in the
 * stream's thread and only events order them with anything else. Each fault runs in a child, which the tool ends.
 */
#include "rig.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

enum { BYTES = 1 << 16, RACE = 66 };

static unsigned char *host, *back;
static hri_cu_stream first, second;
static hri_cu_pointer device;

static void begin(void)
{
    rig_open(NULL);
    host = rig_pinned(BYTES);
    back = rig_pinned(BYTES);
    memset(host, 1, BYTES);
    device = rig_device(BYTES);
    first = rig_stream();
    second = rig_stream();
}

static void in_order(void)
{
    hri_cu_event event = NULL;

    begin();
    event = rig_event(HRI_CU_EVENT_DISABLE_TIMING);
    OK(cu.MemcpyHtoDAsync(device, host, BYTES, first));
    OK(cu.EventRecord(event, first));
    OK(cu.StreamWaitEvent(second, event, 0));
    OK(cu.MemcpyDtoHAsync(back, device, BYTES, second));
    rig_finish(second);
    memset(host, 2, BYTES);
    if (back[BYTES - 1] != 1)
        exit(1);
}

static void read_early(void)
{
    begin();
    OK(cu.MemcpyDtoHAsync(back, device, BYTES, first));
    host[0] = back[BYTES - 1];
    rig_finish(first);
}

static void source_changed(void)
{
    begin();
    OK(cu.MemcpyHtoDAsync(device, host, BYTES, first));
    memset(host, 2, BYTES);
    rig_finish(first);
}

/* Also when all is long over: no wait has said so. */
static void read_late_without_a_wait(void)
{
    struct timespec pause = {.tv_nsec = 100000000};

    begin();
    OK(cu.MemcpyDtoHAsync(back, device, BYTES, first));
    nanosleep(&pause, NULL);
    host[0] = back[BYTES - 1];
}

static void streams_without_an_event(void)
{
    begin();
    OK(cu.MemcpyHtoDAsync(device, host, BYTES, first));
    OK(cu.MemcpyDtoHAsync(back, device, BYTES, second));
    rig_finish(first);
    rig_finish(second);
}

static void ends_with(void (*body)(void), int status)
{
    static char said[1 << 16];
    int ended = rig_child("TSAN_OPTIONS=exitcode=66", body, said, sizeof said);

    if (!WIFEXITED(ended) || WEXITSTATUS(ended) != status ||
        (status == RACE) != (strstr(said, "WARNING: ThreadSanitizer: data race") != NULL))
        fail_msg("wait status %d: %s", ended, said);
}

static void what_is_in_order_is_no_race(void **state)
{
    (void)state;
    ends_with(in_order, 0);
}

static void faults_are_races(void **state)
{
    (void)state;
    ends_with(read_early, RACE);
    ends_with(source_changed, RACE);
    ends_with(read_late_without_a_wait, RACE);
    ends_with(streams_without_an_event, RACE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_in_order_is_no_race),
        cmocka_unit_test(faults_are_races),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
