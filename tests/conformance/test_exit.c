/*
 * Case 26: a program that ends without closing anything ends well and in silence. Its kernel has run before: PoCL's
 * compiler does not survive an exit in the middle of the first compilation of a process.
 */
#include "conformance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 100000 };

/* What the child leaves open; still reachable at its end, so that a leak checker is silent too. */
static uint32_t words[WORDS];
static hr_buffer *buffer;
static hr_buffer *pinned;
static hr_buffer *imported;
static hr_queue *queue;
static hr_event *event;

/* One of each, kernels and copies in flight, and out. */
static int child(const char *task)
{
    if (hr_device_open(selector, NULL, &device) != HR_OK || hr_queue_create(device, 0, NULL, &queue) != HR_OK ||
        hr_buffer_create(device, HR_MEMORY_DEVICE, sizeof words, queue, &buffer) != HR_OK ||
        hr_buffer_create(device, HR_MEMORY_PINNED, sizeof words, queue, &pinned) != HR_OK)
        return 2;
    (void)hr_buffer_import(device, words, sizeof words, &imported);
    if (launch_add(queue, buffer, WORDS, 1, NULL) != HR_OK || hr_queue_finish(queue) != HR_OK)
        return 6;
    for (int i = 0; i < 100; i++)
        if (hr_write(queue, buffer, 0, words, sizeof words, NULL) != HR_OK ||
            launch_add(queue, buffer, WORDS, 1, NULL) != HR_OK ||
            hr_copy(queue, pinned, 0, buffer, 0, sizeof words, NULL) != HR_OK)
            return 3;
    if (hr_event_record(queue, &event) != HR_OK)
        return 4;
    if (strcmp(task, "exit") == 0)
        exit(0);
    if (strcmp(task, "finish") == 0 && hr_queue_finish(queue) != HR_OK)
        return 5;
    return 0;
}

static void ends_in_silence(const char *task)
{
    char output[4096];
    int status = run_self(task, NULL, output, sizeof output);

    if (status != 0 || output[0])
        print_error("%s: status %d, output \"%s\"\n", task, status, output);
    assert_int_equal(status, 0);
    assert_string_equal(output, "");
}

static void exit_with_work_in_flight(void **state)
{
    (void)state;
    ends_in_silence("exit");
}

static void return_with_work_in_flight(void **state)
{
    (void)state;
    ends_in_silence("return");
}

static void return_when_all_is_done(void **state)
{
    (void)state;
    ends_in_silence("finish");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exit_with_work_in_flight),
        cmocka_unit_test(return_with_work_in_flight),
        cmocka_unit_test(return_when_all_is_done),
    };

    return conformance_main(argc, argv, tests, child);
}
