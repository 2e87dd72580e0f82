/* Waits on a timeline: each is caused, on a driver that stands still until the test moves it, and read back by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "fake/loader_rig.h"
#include "fake/scratch.h"
#include "timeline/timeline.h"

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char path[128];

static hr_device *open_traced(struct fake *fake, const char *name, uint64_t pinned_bytes)
{
    char layers[160];
    hr_device_options options = {.size = sizeof options, .pinned_memory_bytes = pinned_bytes, .layers = layers};
    hr_device *device;

    snprintf(path, sizeof path, "%s", scratch_path(name));
    snprintf(layers, sizeof layers, "trace:file=%s", path);
    device = fake_device(fake, &options);
    assert_non_null(device);
    return device;
}

/* At least one such wait, all of them on that row. */
static void expect_wait(const char *name, const char *row)
{
    struct timeline timeline;
    const struct timeline_event *event, *b;
    size_t at = 0, n = 0;

    assert_true(timeline_read(path, &timeline));
    while ((event = timeline_next(&timeline, &at, "wait", name)) != NULL) {
        assert_string_equal(timeline_row(&timeline, event), row);
        assert_int_equal(event->phase, 'X');
        n++;
    }
    if (n == 0)
        fail_msg("no \"%s\"", name);
    assert_false(timeline_overlap(&timeline, &event, &b));
    timeline_free(&timeline);
}

static void a_write_waits_for_staging(void **state)
{
    enum { BYTES = 256 << 10 };
    struct fake *fake = fake_create(NULL);
    hr_device *device = open_traced(fake, "staging.json", 64 << 10);
    unsigned char *bytes = calloc(1, BYTES);
    hr_queue *queue;
    hr_buffer *buffer;

    (void)state;
    assert_int_equal(hr_device_get_queue(device, HR_QUEUE_COPY_IN, &queue), HR_OK);
    assert_int_equal(hr_buffer_create(device, HR_MEMORY_DEVICE, BYTES, queue, &buffer), HR_OK);
    assert_int_equal(hr_write(queue, buffer, 0, bytes, BYTES, NULL), HR_OK);
    hr_buffer_close(&buffer);
    hr_device_close(&device);
    assert_int_equal(fake_destroy(fake), 0);
    free(bytes);
    expect_wait("wait: staging", "main");
}

/* The first batch's slot comes back while its copy has not been made. */
static void the_feeder_waits_for_a_copy(void **state)
{
    struct fake *fake = rig_fake(HR_ROUTE_STAGED);
    hr_device *device = open_traced(fake, "copy.json", 0);
    hr_loader *loader;
    hr_queue *copies;
    hr_batch *batch;

    (void)state;
    assert_int_equal(hr_device_get_queue(device, HR_QUEUE_COPY_IN, &copies), HR_OK);
    fake_hold(fake, copies, true);
    assert_int_equal(rig_open_with(device, HR_ROUTE_STAGED, 2, 1, &loader), HR_OK);
    assert_int_equal(hr_loader_start(loader, 0), HR_OK);
    assert_int_equal(hr_loader_next(loader, &batch), HR_OK);
    assert_int_equal(hr_batch_release(&batch), HR_OK);
    fake_await_sleepers(fake, 1);
    fake_hold(fake, copies, false);
    hr_loader_close(&loader);
    hr_device_close(&device);
    assert_int_equal(fake_destroy(fake), 0);
    expect_wait("wait: copy", "feeder");
    expect_wait("wait: event", "feeder");
}

/* The slot comes back while the compute queue, which has used it, stands still. */
static void the_feeder_waits_for_a_kernel(void **state)
{
    struct fake *fake = rig_fake(HR_ROUTE_IN_PLACE);
    hr_device *device = open_traced(fake, "kernel.json", 0);
    hr_loader *loader;
    hr_queue *compute;
    hr_batch *batch;

    (void)state;
    assert_int_equal(hr_device_get_queue(device, HR_QUEUE_COMPUTE, &compute), HR_OK);
    fake_hold(fake, compute, true);
    assert_int_equal(rig_open_with(device, HR_ROUTE_IN_PLACE, 2, 1, &loader), HR_OK);
    assert_int_equal(hr_loader_start(loader, 0), HR_OK);
    assert_int_equal(hr_loader_next(loader, &batch), HR_OK);
    assert_int_equal(hr_batch_used(batch, compute), HR_OK);
    assert_int_equal(hr_batch_release(&batch), HR_OK);
    fake_await_sleepers(fake, 1);
    fake_hold(fake, compute, false);
    hr_loader_close(&loader);
    hr_device_close(&device);
    assert_int_equal(fake_destroy(fake), 0);
    expect_wait("wait: slot in use", "feeder");
}

static void the_program_waits(void **state)
{
    struct fake *fake = fake_create(NULL);
    hr_device *device = open_traced(fake, "program.json", 0);
    hr_queue *queue;
    hr_buffer *buffer;
    hr_event *event;
    void *pointer;

    (void)state;
    assert_int_equal(hr_device_get_queue(device, HR_QUEUE_COMPUTE, &queue), HR_OK);
    assert_int_equal(hr_buffer_create(device, HR_MEMORY_DEVICE, 64, queue, &buffer), HR_OK);
    assert_int_equal(hr_fill(queue, buffer, 0, 64, "abcd", 4, NULL), HR_OK);
    assert_int_equal(hr_event_record(queue, &event), HR_OK);
    assert_int_equal(hr_event_wait(event, HR_FOREVER), HR_OK);
    assert_int_equal(hr_queue_finish(queue), HR_OK);
    assert_int_equal(hr_buffer_acquire(buffer, queue, HR_ACCESS_READ, &pointer), HR_OK);
    assert_int_equal(hr_buffer_release(buffer, queue), HR_OK);
    hr_event_close(&event);
    hr_buffer_close(&buffer);
    hr_device_close(&device);
    assert_int_equal(fake_destroy(fake), 0);
    expect_wait("wait: event", "main");
    expect_wait("wait: finish", "main");
    expect_wait("wait: acquire", "main");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_waits_for_staging),
        cmocka_unit_test(the_feeder_waits_for_a_copy),
        cmocka_unit_test(the_feeder_waits_for_a_kernel),
        cmocka_unit_test(the_program_waits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
