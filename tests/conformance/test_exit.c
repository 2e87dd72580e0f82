/*
 * Case 26: a program that ends without closing anything ends well and in silence. Its kernel has run before: PoCL's
 * compiler does not survive an exit in the middle of the first compilation of a process.
 */
#include "conformance.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { WORDS = 100000 };

/* What the child leaves open; still reachable at its end, so that a leak checker is silent too. */
static uint32_t words[WORDS];
static hr_buffer *buffer;
static hr_buffer *pinned;
static hr_buffer *imported;
static hr_queue *queue;
static hr_event *event;

/* The file in which the child's last copy leaves its result, for the parent to see what became of it. */
static uint32_t *map_result(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT, 0600);
    void *memory;

    if (file < 0 || ftruncate(file, sizeof words) != 0)
        return NULL;
    memory = mmap(NULL, sizeof words, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return memory == MAP_FAILED ? NULL : memory;
}

/* One of each, kernels and copies in flight, and out. */
static int child(const char *task)
{
    uint32_t *result = map_result(getenv("HR_TEST_RESULT"));

    if (!result || hr_device_open(selector, NULL, &device) != HR_OK ||
        hr_queue_create(device, 0, NULL, &queue) != HR_OK ||
        hr_buffer_create(device, HR_MEMORY_DEVICE, sizeof words, queue, &buffer) != HR_OK ||
        hr_buffer_create(device, HR_MEMORY_PINNED, sizeof words, queue, &pinned) != HR_OK)
        return 2;
    (void)hr_buffer_import(device, words, sizeof words, &imported);
    if (launch_add(queue, buffer, WORDS, 1, NULL) != HR_OK || hr_queue_finish(queue) != HR_OK)
        return 3;
    for (int i = 0; i < 100; i++)
        if (hr_write(queue, buffer, 0, words, sizeof words, NULL) != HR_OK ||
            launch_add(queue, buffer, WORDS, 7, NULL) != HR_OK ||
            hr_copy(queue, pinned, 0, buffer, 0, sizeof words, NULL) != HR_OK)
            return 4;
    if (hr_event_record(queue, &event) != HR_OK || hr_read(queue, buffer, 0, result, sizeof words, NULL) != HR_OK)
        return 5;
    if (strcmp(task, "exit") == 0)
        exit(0);
    if (strcmp(task, "finish") == 0 && hr_queue_finish(queue) != HR_OK)
        return 6;
    return 0;
}

/* Status 0, not a word, and what was submitted was done. */
static void ends_in_silence(const char *task)
{
    char path[64];
    char variable[96];
    const char *const environment[] = {variable, NULL};
    char output[4096];
    uint32_t *result;
    int status;
    uint32_t wrong = 0;

    snprintf(path, sizeof path, "/tmp/headrace-exit-%ld", (long)getpid());
    snprintf(variable, sizeof variable, "HR_TEST_RESULT=%s", path);
    status = run_self(task, environment, output, sizeof output);
    result = map_result(path);
    unlink(path);
    assert_non_null(result);
    for (int i = 0; i < WORDS; i++)
        wrong += result[i] != 7;
    munmap(result, sizeof words);
    if (status != 0 || output[0])
        print_error("%s: status %d, output \"%s\"\n", task, status, output);
    assert_int_equal(status, 0);
    assert_string_equal(output, "");
    assert_int_equal(wrong, 0);
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
