/* Opens the device under test; checks; small makers. */
#include "conformance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

hr_device *device;
hr_device_info info = {.size = sizeof info};
hr_queue *compute;
hr_queue *copy_in;
const char *selector = "pocl";

static int unavailable(hr_status status)
{
    const char *require = getenv("HR_TEST_REQUIRE");
    bool required = require && strcmp(require, "1") == 0;
    bool absent = status == HR_UNAVAILABLE || status == HR_NOT_FOUND;

    fprintf(stderr, "%s: %s cannot be opened: %s\n", required || !absent ? "failed" : "skipped", selector,
            hr_last_error());
    return required || !absent ? 1 : 77;
}

void conformance_begin(int argc, char **argv, int (*child)(const char *task))
{
    hr_status status;

    if (argc > 1 && strcmp(argv[1], "--") != 0)
        selector = argv[1];
    if (argc > 2 && child)
        exit(child(argv[2]));
    status = hr_device_open(selector, NULL, &device);
    if (status != HR_OK)
        exit(unavailable(status));
    if (hr_device_get_info(device, &info) != HR_OK ||
        hr_device_get_queue(device, HR_QUEUE_COMPUTE, &compute) != HR_OK ||
        hr_device_get_queue(device, HR_QUEUE_COPY_IN, &copy_in) != HR_OK) {
        fprintf(stderr, "failed: %s\n", hr_last_error());
        exit(1);
    }
}

void check_status(hr_status got, hr_status expected, const char *call, const char *file, int line)
{
    if (got == expected && (got >= 0 || hr_last_error()[0]))
        return;
    print_error("%s\n  answered %s, expected %s; last message: \"%s\"\n", call, hr_status_name(got),
                hr_status_name(expected), hr_last_error());
    _fail(file, line);
}

void check_says(const char *text, const char *file, int line)
{
    if (strstr(hr_last_error(), text))
        return;
    print_error("the message \"%s\" does not hold \"%s\"\n", hr_last_error(), text);
    _fail(file, line);
}

hr_device *open_with(uint64_t device_bytes, uint64_t pinned_bytes, const char *layers)
{
    hr_device_options options = {.size = sizeof options,
                                 .device_memory_bytes = device_bytes,
                                 .pinned_memory_bytes = pinned_bytes,
                                 .layers = layers};
    hr_device *opened = NULL;

    OK(hr_device_open(info.selector, &options, &opened));
    return opened;
}

hr_queue *new_queue(hr_device *of, uint32_t role)
{
    hr_queue *queue = NULL;

    OK(hr_queue_create(of, role, NULL, &queue));
    return queue;
}

hr_buffer *new_buffer(hr_device *of, uint64_t bytes, hr_queue *queue)
{
    hr_buffer *buffer = NULL;

    OK(hr_buffer_create(of, HR_MEMORY_DEVICE, bytes, queue, &buffer));
    return buffer;
}

hr_buffer *new_zeros(hr_device *of, uint64_t bytes, hr_queue *queue)
{
    hr_buffer *buffer = new_buffer(of, bytes, queue);

    OK(hr_fill(queue, buffer, 0, bytes, "", 1, NULL));
    return buffer;
}

hr_buffer *new_pinned(hr_device *of, uint64_t bytes, uint8_t **ptr)
{
    hr_buffer *buffer = NULL;
    void *first = NULL;

    OK(hr_buffer_create(of, HR_MEMORY_PINNED, bytes, NULL, &buffer));
    OK(hr_buffer_acquire(buffer, NULL, HR_ACCESS_READ | HR_ACCESS_WRITE, &first));
    OK(hr_buffer_release(buffer, NULL));
    *ptr = first;
    return buffer;
}

hr_memory_stats memory_stats(hr_device *of)
{
    hr_memory_stats stats = {.size = sizeof stats};

    OK(hr_memory_get_stats(of, &stats));
    return stats;
}

hr_event *mark(hr_queue *queue)
{
    hr_event *event = NULL;

    OK(hr_event_record(queue, &event));
    return event;
}

uint32_t is_done(hr_event *event)
{
    uint32_t done = 2;

    OK(hr_event_done(event, &done));
    return done;
}

hr_sync sync_of(hr_event **event, hr_event *const *waits, uint32_t n_waits)
{
    return (hr_sync){.size = sizeof(hr_sync), .event = event, .waits = waits, .n_waits = n_waits};
}
