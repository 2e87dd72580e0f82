/* The layer "trace": a timeline of what a loader, the program's kernels and copies did, read back and checked. */
#include "gate.h"
#include "table.h"
#include "timeline/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 1000, BATCH = 128, BATCHES = 8, EPOCHS = 2 };

/* Start and end of one piece of work are figures of their own, which a driver rounds: CUDA's to half a microsecond. */
#define ROUNDED_NS 1000u

static const char source[] = "__kernel void touch(__global const uchar *in, __global uint *out)\n"
                             "{\n"
                             "    out[get_global_id(0)] = in[get_global_id(0)];\n"
                             "}\n";

/* A device of the test's own that writes a timeline, and a kernel on it. */
static struct {
    char path[64];
    hr_device *device;
    hr_queue *compute;
    hr_program *program;
    hr_kernel *touch;
    hr_buffer *out;
    struct timeline timeline;
} traced;

static void open_traced(void)
{
    char layers[96];

    snprintf(traced.path, sizeof traced.path, "/tmp/headrace-trace-%ld.json", (long)getpid());
    unlink(traced.path);
    snprintf(layers, sizeof layers, "trace:file=%s", traced.path);
    traced.device = open_with(0, 0, layers);
    OK(hr_device_get_queue(traced.device, HR_QUEUE_COMPUTE, &traced.compute));
    OK(hr_program_create(traced.device, source, NULL, &traced.program));
    OK(hr_kernel_create(traced.program, "touch", &traced.touch));
    traced.out = new_buffer(traced.device, 4096, traced.compute);
}

static void close_traced(void)
{
    hr_buffer_close(&traced.out);
    hr_kernel_close(&traced.touch);
    hr_program_close(&traced.program);
    hr_device_close(&traced.device);
}

/* Closes the device and reads what it wrote. */
static void read_back(void)
{
    const struct timeline_event *a, *b;

    close_traced();
    assert_true(timeline_read(traced.path, &traced.timeline));
    assert_true(traced.timeline.whole);
    if (timeline_overlap(&traced.timeline, &a, &b))
        fail_msg("%s: \"%s\" until %llu overlaps \"%s\" from %llu", timeline_row(&traced.timeline, a), a->name,
                 (unsigned long long)a->end_ns, b->name, (unsigned long long)b->start_ns);
}

static int drop(void **state)
{
    gate_teardown(state);
    close_traced();
    timeline_free(&traced.timeline);
    if (traced.path[0])
        unlink(traced.path);
    return 0;
}

static void launch_touch(hr_buffer *in, uint64_t offset)
{
    hr_arg args[] = {HR_ARG_BUFFER(in, offset), HR_ARG_BUFFER(traced.out, 0)};

    OK(launch(traced.compute, traced.touch, 16, args, 2, NULL));
}

/* The events of one batch: the span of that name (NULL: any) in the category, of which there is one. */
static const struct timeline_event *only(const char *category, const char *name, uint64_t epoch, uint64_t batch)
{
    const struct timeline_event *event, *found = NULL;
    size_t at = 0;

    while ((event = timeline_next(&traced.timeline, &at, category, name)) != NULL)
        if (timeline_number(event, "epoch") == epoch && timeline_number(event, "batch") == batch) {
            if (found)
                fail_msg("two of %s/%s for epoch %u, batch %u", category, name ? name : "", (unsigned)epoch,
                         (unsigned)batch);
            found = event;
        }
    if (!found)
        fail_msg("no %s/%s for epoch %u, batch %u", category, name ? name : "", (unsigned)epoch, (unsigned)batch);
    return found;
}

static uint64_t rows_in(uint64_t batch)
{
    return batch + 1 < BATCHES ? BATCH : ROWS - (BATCHES - 1) * BATCH;
}

static uint64_t row_bytes(const struct table *table)
{
    uint64_t bytes = 0;

    for (uint32_t f = 0; f < TABLE_FIELDS; f++)
        bytes += table->row_bytes[f];
    return bytes;
}

/* Parts of a batch may be gathered by several threads: together they are the whole. */
static void expect_gathered(const char *name, uint64_t epoch, uint64_t batch, uint64_t bytes_a_row)
{
    const struct timeline_event *event;
    uint64_t rows = 0, bytes = 0;
    size_t at = 0;

    while ((event = timeline_next(&traced.timeline, &at, "gather", name)) != NULL)
        if (timeline_number(event, "epoch") == epoch && timeline_number(event, "batch") == batch) {
            rows += timeline_number(event, "rows");
            bytes += bytes_a_row ? timeline_number(event, "bytes") : 0;
            assert_string_equal(timeline_group(&traced.timeline, event), "host");
        }
    assert_int_equal(rows, rows_in(batch));
    assert_int_equal(bytes, rows * bytes_a_row);
}

/* A batch goes its way on the host, and on the device its data are there before its kernel reads them. */
static void expect_batch(const struct table *table, uint32_t route, uint64_t epoch, uint64_t batch)
{
    const struct timeline_event *kernel = only("kernel", "touch", epoch, batch);
    const struct timeline_event *ready = only("batch", "ready", epoch, batch);
    const struct timeline_event *next = only("batch", "next", epoch, batch);
    const struct timeline_event *released = only("batch", "released", epoch, batch);

    assert_non_null(strstr(timeline_row(&traced.timeline, kernel), "compute"));
    assert_string_equal(timeline_row(&traced.timeline, next), "main");
    assert_true(next->start_ns <= released->start_ns);
    assert_int_equal(timeline_number(ready, "slot"), timeline_number(next, "slot"));
    expect_gathered(route == HR_ROUTE_RESIDENT ? "row numbers" : "gather", epoch, batch,
                    route == HR_ROUTE_RESIDENT ? 0 : row_bytes(table));
    if (route != HR_ROUTE_IN_PLACE) {
        const struct timeline_event *copy = only("copy", "upload", epoch, batch);

        assert_non_null(strstr(timeline_row(&traced.timeline, copy), "copy in"));
        assert_true(copy->end_ns <= kernel->start_ns + ROUNDED_NS);
        if (route == HR_ROUTE_STAGED)
            assert_true(timeline_number(copy, "bytes") >= rows_in(batch) * row_bytes(table));
        else
            assert_int_equal(timeline_number(copy, "bytes"), rows_in(batch) * sizeof(uint64_t));
        only("submit", NULL, epoch, batch);
    }
}

static void every_batch_has_its_spans(void **state)
{
    uint32_t routes[3], n_routes = routes_here(routes);
    struct table table;

    (void)state;
    table_open(&table, ROWS, 5);
    for (uint32_t r = 0; r < n_routes; r++) {
        hr_loader *loader;
        hr_batch *batch;

        open_traced();
        loader = open_loader(
            traced.device, table.dataset,
            (hr_loader_options){.batch_rows = BATCH, .shuffle = 1, .depth = 3, .workers = 2, .route = routes[r]});
        for (uint64_t epoch = 0; epoch < EPOCHS; epoch++) {
            OK(hr_loader_start(loader, epoch));
            while (hr_loader_next(loader, &batch) == HR_OK) {
                hr_field field = {.size = sizeof field};

                OK(hr_batch_field(batch, 0, &field));
                launch_touch(field.buffer, field.offset);
                OK(hr_batch_release(&batch));
            }
        }
        OK(hr_queue_finish(traced.compute));
        hr_loader_close(&loader);
        read_back();
        for (uint64_t epoch = 0; epoch < EPOCHS; epoch++)
            for (uint64_t b = 0; b < BATCHES; b++)
                expect_batch(&table, routes[r], epoch, b);
        assert_int_equal(timeline_count(&traced.timeline, "kernel", "touch"), EPOCHS * BATCHES);
        assert_int_equal(timeline_count(&traced.timeline, "wait", "wait: finish"), 1);
        timeline_free(&traced.timeline);
    }
    table_close(&table);
}

static const struct timeline_event *first(const char *category, const char *name)
{
    size_t at = 0;
    const struct timeline_event *event = timeline_next(&traced.timeline, &at, category, name);

    assert_non_null(event);
    return event;
}

/* While a kernel is held a copy is made on another queue, and shows within it; where the device cannot do that, the
 * copy waits for the kernel, and shows after it. */
static void a_copy_beside_a_kernel_lies_within_it(void **state)
{
    bool apart = info.abilities & HR_ABILITY_COPY_OVERLAP;
    const struct timeline_event *copy, *kernel;
    hr_buffer *buffer, *pinned;
    hr_queue *queue;
    hr_event *arrived;
    hr_sync sync = sync_of(&arrived, NULL, 0);
    uint8_t *ptr;

    (void)state;
    NEEDS_GATE();
    open_traced();
    queue = new_queue(traced.device, HR_QUEUE_COPY_OUT);
    buffer = new_buffer(traced.device, 65536, queue);
    pinned = new_pinned(traced.device, 65536, &ptr);
    memset(ptr, 1, 65536);
    /* The gate's own opener copies one word where it is no CPU; this copy is known by its size. */
    gate_close(traced.device, traced.compute);
    if (apart)
        gate_await();
    else
        OK(hr_queue_wait(queue, gate_event()));
    OK(hr_copy(queue, buffer, 0, pinned, 0, 65536, &sync));
    if (apart)
        OK(hr_event_wait(arrived, HR_FOREVER));
    GATE_HOLDS();
    gate_open();
    OK(hr_event_wait(arrived, HR_FOREVER));
    gate_end();
    hr_event_close(&arrived);
    hr_buffer_close(&buffer);
    hr_buffer_close(&pinned);
    hr_queue_close(&queue);
    read_back();
    kernel = first("kernel", "gate");
    for (size_t at = 0; (copy = timeline_next(&traced.timeline, &at, "copy", "upload")) != NULL;)
        if (timeline_number(copy, "bytes") == 65536)
            break;
    assert_non_null(copy);
    assert_string_equal(timeline_arg(copy, "host"), "pinned");
    if (apart)
        assert_true(kernel->start_ns <= copy->start_ns && copy->end_ns <= kernel->end_ns);
    else
        assert_true(kernel->end_ns <= copy->start_ns);
}

/* What the program sees is what it would see without: an event's times are asked for or are not. */
static void the_program_s_times_are_its_own(void **state)
{
    hr_queue_options options = {.size = sizeof options, .flags = HR_TIMING};
    hr_event *plain, *timed;
    hr_sync sync = sync_of(&plain, NULL, 0);
    uint64_t start = 1, end = 0;
    hr_queue *queue;

    (void)state;
    if (!(info.abilities & HR_ABILITY_TIMING))
        NOT_APPLICABLE("this device has no timestamps");
    open_traced();
    OK(hr_fill(traced.compute, traced.out, 0, 64, "abcd", 4, &sync));
    OK(hr_event_wait(plain, HR_FOREVER));
    FAILS(HR_UNSUPPORTED, hr_event_get_times(plain, &start, &end));
    hr_event_close(&plain);
    OK(hr_queue_create(traced.device, HR_QUEUE_COMPUTE, &options, &queue));
    sync.event = &timed;
    OK(hr_fill(queue, traced.out, 0, 64, "abcd", 4, &sync));
    OK(hr_event_wait(timed, HR_FOREVER));
    OK(hr_event_get_times(timed, &start, &end));
    assert_true(start <= end);
    hr_event_close(&timed);
    hr_queue_close(&queue);
    read_back();
    assert_int_equal(timeline_count(&traced.timeline, "copy", "fill"), 2);
    assert_null(timeline_arg(first("copy", "fill"), "clock")); /* the device's own times */
}

static void a_file_that_cannot_be_written_fails_the_open(void **state)
{
    hr_device_options options = {.size = sizeof options, .layers = "trace:file=/nowhere/trace.json"};
    hr_device *opened = NULL;

    (void)state;
    FAILS(HR_IO, hr_device_open(info.selector, &options, &opened));
    SAYS("/nowhere/trace.json");
    SAYS("No such file or directory");
    options.layers = "trace:file=/dev/full";
    FAILS(HR_IO, hr_device_open(info.selector, &options, &opened));
    SAYS("No space left on device");
    options.layers = "trace:fiel=x";
    FAILS(HR_INVALID, hr_device_open(info.selector, &options, &opened));
    SAYS("file=NAME");
    assert_null(opened);
}

/* Ends without closing anything, its work in flight; HEADRACE_TRACE says where the timeline goes. */
static int child(const char *task)
{
    static hr_buffer *buffer; /* still reachable at the end */
    static hr_queue *queue;

    (void)task;
    if (hr_device_open(selector, NULL, &device) != HR_OK ||
        hr_device_get_queue(device, HR_QUEUE_COPY_IN, &queue) != HR_OK ||
        hr_buffer_create(device, HR_MEMORY_DEVICE, 4096, queue, &buffer) != HR_OK)
        return 2;
    for (int i = 0; i < 10; i++)
        if (hr_fill(queue, buffer, 0, 4096, "abcd", 4, NULL) != HR_OK)
            return 3;
    exit(0);
}

static void a_program_that_just_exits_leaves_all_of_it(void **state)
{
    char variable[96], output[4096];
    const char *const environment[] = {variable, "HEADRACE_LAYERS=", NULL};
    const struct timeline_event *a, *b;

    (void)state;
    snprintf(traced.path, sizeof traced.path, "/tmp/headrace-trace-%ld.json", (long)getpid());
    snprintf(variable, sizeof variable, "HEADRACE_TRACE=%s", traced.path);
    assert_int_equal(run_self("exit", environment, output, sizeof output), 0);
    assert_string_equal(output, "");
    assert_true(timeline_read(traced.path, &traced.timeline));
    assert_true(traced.timeline.whole);
    assert_int_equal(timeline_count(&traced.timeline, "copy", "fill"), 10);
    assert_false(timeline_overlap(&traced.timeline, &a, &b));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_batch_has_its_spans, drop),
        cmocka_unit_test_teardown(a_copy_beside_a_kernel_lies_within_it, drop),
        cmocka_unit_test_teardown(the_program_s_times_are_its_own, drop),
        cmocka_unit_test_teardown(a_file_that_cannot_be_written_fails_the_open, drop),
        cmocka_unit_test_teardown(a_program_that_just_exits_leaves_all_of_it, drop),
    };

    return conformance_main(argc, argv, tests, child);
}
