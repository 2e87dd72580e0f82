/*
 * The trace layer over a driver whose time the test moves, with a host clock and a timeline of the test's own: what it
 * shows is checked to the nanosecond. The host's clock stands at HOST while the device is opened, the device's at 16
 * when that is over (eight fills of two ticks each): from then on a device's t is HOST - 16 + t on the host.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "core/message.h"
#include "fake/fake_inside.h"
#include "fake/shown.h"
#include "transfer/object.h"

#include <cmocka.h>
#include <string.h>

enum { HOST = 1000000, BEHIND = HOST - 16 };

static uint64_t now;

static uint64_t test_now(void)
{
    return now;
}

static struct hrb_services services;

/* A device with the layer on, two queues, memory of both kinds and a kernel that takes 500 ticks. */
static struct {
    struct fake *fake;
    const struct hrb_layer *layer;
    const struct hrb_ops *driver, *ops;
    struct hrb_device *device;
    struct hrb_queue *queues[2];
    hr_queue handles[2]; /* for the fake's hand */
    struct hrb_buffer *memory, *pinned;
    struct hrb_program *program;
    struct hrb_kernel *kernel;
} bench;

static void slow(const hr_grid *grid, const struct fake_arg *args)
{
    (void)grid;
    (void)args;
    bench.fake->clock += 499; /* and the tick of its end */
}

static void put_on(const struct fake_options *options)
{
    shown_reset();
    now = HOST;
    services = hri_services;
    services.now_ns = test_now;
    services.tracing = &shown_tracing;
    memset(&bench, 0, sizeof bench);
    bench.fake = fake_create(options);
    fake_add_kernel(bench.fake, "slow", slow, 0);
    bench.driver = fake_backend(bench.fake)->ops;
    bench.layer = hri_layer_find("trace");
    assert_non_null(bench.layer);
    assert_int_equal(bench.driver->device_open((struct hrb_instance *)bench.fake, 0, NULL, &bench.device), HR_OK);
    bench.device->services = &services;
    bench.device->next[HRB_LAYER_TRACE] = bench.driver;
    assert_int_equal(bench.layer->attach(bench.device, bench.driver, "file=x", &bench.ops), HR_OK);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(bench.ops->queue_create(bench.device, i, 0, NULL, &bench.queues[i]), HR_OK);
        bench.handles[i].native = bench.queues[i];
    }
    assert_int_equal(bench.ops->buffer_create(bench.device, HR_MEMORY_DEVICE, 4096, &bench.memory), HR_OK);
    assert_int_equal(bench.ops->buffer_create(bench.device, HR_MEMORY_PINNED, 4096, &bench.pinned), HR_OK);
    assert_int_equal(bench.ops->program_create(bench.device, "", NULL, &bench.program), HR_OK);
    assert_int_equal(bench.ops->kernel_create(bench.program, "slow", &bench.kernel), HR_OK);
    assert_int_equal(n_shown, 0);
}

/* Nothing is left: no event, no state. */
static void take_off(void)
{
    for (int i = 0; i < 2; i++)
        if (bench.queues[i])
            bench.ops->queue_destroy(bench.queues[i]);
    assert_int_equal(fake_live(bench.fake, FAKE_EVENTS), 0);
    bench.ops->kernel_destroy(bench.kernel);
    bench.ops->program_destroy(bench.program);
    bench.ops->buffer_destroy(bench.memory);
    bench.ops->buffer_destroy(bench.pinned);
    bench.layer->detach(bench.device);
    assert_null(bench.device->word[HRB_LAYER_TRACE]);
    assert_null(bench.device->trace);
    assert_int_equal(shown_open, 0);
    bench.driver->device_close(bench.device);
    assert_int_equal(fake_destroy(bench.fake), 0);
}

/* An upload of `bytes` at the host's time `at`. event: NULL, or out. */
static hr_status upload(int queue, uint64_t at, uint64_t bytes, struct hrb_event **event)
{
    struct hrb_place dst = {.buffer = bench.memory, .offset = 64};
    struct hrb_place src = {.buffer = bench.pinned, .host = bench.pinned->host};
    struct hrb_sync sync = {.event = event};

    now = at;
    return bench.ops->copy(bench.queues[queue], &dst, &src, bytes, &sync);
}

static hr_status launch_slow(int queue, uint64_t at, struct hrb_event **event)
{
    struct hrb_sync sync = {.event = event};
    hr_grid grid = {.size = sizeof grid, .dims = 2, .global = {8, 4, 1}};

    now = at;
    return bench.ops->kernel_launch(bench.queues[queue], bench.kernel, &grid, NULL, 0, &sync);
}

/* The device begins its next work at its time `at` and is seen to be done by a finish at the host's `seen`. */
static void carry_out(int queue, uint64_t at)
{
    bench.fake->clock = at - 1;
    assert_int_equal(fake_step(bench.fake, &bench.handles[queue], 1), 1);
}

static void look(int queue, uint64_t at)
{
    now = at;
    assert_int_equal(bench.ops->queue_finish(bench.queues[queue]), HR_OK);
}

static void is_span(unsigned index, const char *name, uint64_t start, uint64_t end)
{
    assert_in_range(index, 0, n_shown - 1);
    assert_string_equal(shown[index].name, name);
    assert_int_equal(shown[index].start, start);
    assert_int_equal(shown[index].end, end);
}

/* A copy that the device makes while a kernel of another queue runs lies within that on the timeline. */
static void spans_are_the_device_s(void **state)
{
    (void)state;
    put_on(NULL);
    assert_string_equal(shown_tracks[0], "queue 1: compute");
    assert_string_equal(shown_tracks[1], "queue 2: copy in");
    assert_int_equal(launch_slow(0, HOST + 50, NULL), HR_OK);
    shown_about = (struct hrb_about){1, 2, 7};
    assert_int_equal(upload(1, HOST + 60, 1024, NULL), HR_OK);
    shown_about = (struct hrb_about){0};
    assert_int_equal(n_shown, 0); /* nothing is done */
    carry_out(1, 400);
    look(1, HOST + 2000);
    carry_out(0, 300);
    look(0, HOST + 2100);

    assert_int_equal(n_shown, 2);
    is_span(0, "upload", BEHIND + 400, BEHIND + 401);
    is_span(1, "slow", BEHIND + 300, BEHIND + 800);
    assert_int_equal(shown[0].row, 1);
    assert_int_equal(shown[1].row, 0);
    assert_string_equal(shown[0].category, "copy");
    assert_string_equal(shown[0].details, "buffer=1 offset=64 host=pinned ");
    assert_int_equal(shown[0].bytes, 1024);
    assert_int_equal(shown[0].about.known, 1);
    assert_int_equal(shown[0].about.epoch, 2);
    assert_int_equal(shown[0].about.batch, 7);
    assert_string_equal(shown[1].category, "kernel");
    assert_string_equal(shown[1].details, "items=32 ");
    assert_int_equal(shown[1].about.known, 0);
    take_off();
}

static void every_kind_of_copy_is_named(void **state)
{
    struct hrb_place device = {.buffer = bench.memory}, other, host;
    char bytes[64];
    const struct hrb_sync none = {0};
    struct hrb_queue *queue;

    (void)state;
    put_on(NULL);
    queue = bench.queues[0];
    device = (struct hrb_place){.buffer = bench.memory, .offset = 256, .row_pitch = 16, .slice_pitch = 32};
    other = (struct hrb_place){.buffer = bench.memory, .offset = 512, .row_pitch = 16, .slice_pitch = 32};
    host = (struct hrb_place){.host = bytes, .row_pitch = 8, .slice_pitch = 16};
    assert_int_equal(bench.ops->copy(queue, &host, &device, 64, &none), HR_OK);
    assert_int_equal(bench.ops->copy(queue, &device, &other, 64, &none), HR_OK);
    assert_int_equal(bench.ops->copy_rect(queue, &device, &host, 8, 2, 3, &none), HR_OK);
    assert_int_equal(bench.ops->fill(queue, bench.memory, 32, 16, "abcd", 4, &none), HR_OK);
    look(0, HOST + 100);
    assert_int_equal(n_shown, 4);
    assert_string_equal(shown[0].name, "download");
    assert_string_equal(shown[0].details, "buffer=1 offset=256 host=pageable ");
    assert_string_equal(shown[1].name, "move");
    assert_string_equal(shown[1].details, "buffer=1 offset=256 from buffer=1 from offset=512 ");
    assert_string_equal(shown[2].name, "upload");
    assert_int_equal(shown[2].bytes, 48);
    assert_string_equal(shown[3].name, "fill");
    assert_string_equal(shown[3].details, "buffer=1 offset=32 ");
    take_off();
}

/* No span begins before it was submitted, nor ends after it was seen done; what follows on the device follows. */
static void the_clock_follows_what_can_be(void **state)
{
    (void)state;
    put_on(NULL);
    assert_int_equal(upload(0, HOST + 1000, 8, NULL), HR_OK);
    carry_out(0, 900); /* before HOST + 1000 by the clock so far: it has fallen behind by 116 */
    look(0, HOST + 1010);
    is_span(0, "upload", HOST + 1000, HOST + 1001);
    assert_int_equal(launch_slow(0, HOST + 1011, NULL), HR_OK);
    carry_out(0, 1000);
    look(0, HOST + 1600);
    is_span(1, "slow", HOST + 1100, HOST + 1600);
    assert_int_equal(launch_slow(1, HOST + 1400, NULL), HR_OK);
    carry_out(1, 1501);
    look(1, HOST + 2050); /* it would end at HOST + 2101: the clock has run ahead by 51 */
    is_span(2, "slow", HOST + 1600, HOST + 2050);
    assert_int_equal(upload(0, HOST + 2060, 8, NULL), HR_OK);
    carry_out(0, 2100);
    look(0, HOST + 2200);
    is_span(3, "upload", HOST + 2149, HOST + 2150);
    take_off();
}

/* What one queue has settled holds for the others, also where it is seen later. */
static void a_device_time_has_one_host_time(void **state)
{
    (void)state;
    put_on(NULL);
    assert_int_equal(upload(0, HOST + 50, 8, NULL), HR_OK);
    assert_int_equal(upload(0, HOST + 60, 8, NULL), HR_OK);
    assert_int_equal(launch_slow(1, HOST + 1000, NULL), HR_OK);
    carry_out(0, 100);
    carry_out(0, 200);
    carry_out(1, 300); /* by the clock so far it came before it was submitted */
    look(1, HOST + 1600);
    look(0, HOST + 2000);
    is_span(0, "slow", HOST + 1000, HOST + 1500);
    is_span(1, "upload", BEHIND + 100, BEHIND + 101);
    is_span(2, "upload", BEHIND + 200, BEHIND + 201);
    take_off();
}

/* The program's events are its own: they live as long as it holds them, and no longer than the layer needs them. */
static void events_are_shared(void **state)
{
    struct hrb_event *kept, *dropped;
    uint64_t start, end;
    uint32_t done = 7;

    (void)state;
    put_on(NULL);
    assert_int_equal(upload(0, HOST + 50, 8, &kept), HR_OK);
    assert_int_equal(upload(0, HOST + 51, 8, &dropped), HR_OK);
    assert_int_equal(fake_live(bench.fake, FAKE_EVENTS), 2);
    bench.ops->event_destroy(dropped); /* before it is done */
    assert_int_equal(fake_live(bench.fake, FAKE_EVENTS), 2);
    assert_int_equal(bench.ops->event_query(kept, &done), HR_OK);
    assert_int_equal(done, 0);
    carry_out(0, 100);
    carry_out(0, 200);
    assert_int_equal(n_shown, 0);
    now = HOST + 500;
    assert_int_equal(bench.ops->event_wait(kept, HR_FOREVER), HR_OK); /* both are seen */
    assert_int_equal(n_shown, 2);
    is_span(1, "upload", BEHIND + 200, BEHIND + 201);
    assert_int_equal(fake_live(bench.fake, FAKE_EVENTS), 1);
    assert_int_equal(bench.ops->event_times(kept, &start, &end), HR_OK);
    assert_int_equal(start, 100); /* on the device's own clock */
    assert_int_equal(bench.ops->event_query(kept, &done), HR_OK);
    assert_int_equal(done, 1);
    bench.ops->event_destroy(kept);
    assert_int_equal(fake_live(bench.fake, FAKE_EVENTS), 0);
    take_off();
}

/* Without timestamps: from the submission until it is seen, one after the other, and marked. */
static void host_times_where_the_device_has_none(void **state)
{
    struct fake_options options = {.abilities = HR_ABILITY_ASYNC_KERNELS};

    (void)state;
    put_on(&options);
    assert_int_equal(upload(0, HOST + 50, 8, NULL), HR_OK);
    assert_int_equal(launch_slow(0, HOST + 60, NULL), HR_OK);
    carry_out(0, 1);
    assert_int_equal(upload(0, HOST + 100, 8, NULL), HR_OK); /* the next submission looks */
    assert_int_equal(n_shown, 1);
    is_span(0, "upload", HOST + 50, HOST + 100);
    assert_string_equal(shown[0].details, "buffer=1 offset=64 host=pinned clock=host ");
    look(0, HOST + 200);
    is_span(1, "slow", HOST + 100, HOST + 200);
    is_span(2, "upload", HOST + 200, HOST + 200);
    take_off();
}

static void failures_pass_through(void **state)
{
    struct hrb_event *event = NULL, *second;

    (void)state;
    put_on(NULL);
    fake_fail(bench.fake, FAKE_COPY, 1, HR_DRIVER);
    assert_int_equal(upload(0, HOST + 50, 8, &event), HR_DRIVER);
    assert_null(event);
    assert_int_equal(n_shown, 0);

    fake_fail_work(bench.fake, 1, HR_DEVICE_LOST);
    assert_int_equal(upload(0, HOST + 60, 8, &event), HR_OK);
    assert_int_equal(fake_step(bench.fake, &bench.handles[0], 1), 1);
    hri_fail(HR_RANGE, "the last failing call's");
    assert_int_equal(upload(0, HOST + 90, 8, &second), HR_OK); /* the layer sees the failure here, for itself */
    assert_string_equal(hr_last_error(), "the last failing call's");
    assert_int_equal(n_shown, 1);
    is_span(0, "upload", HOST + 60, HOST + 90);
    assert_non_null(strstr(shown[0].details, "clock=host, failed"));
    assert_int_equal(bench.ops->event_wait(event, HR_FOREVER), HR_DEVICE_LOST);
    assert_string_equal(hr_last_error(), "the event's work failed (native code 7)");
    assert_int_equal(bench.ops->event_wait(second, HR_FOREVER), HR_DEVICE_LOST);
    assert_int_equal(n_shown, 2);
    bench.ops->event_destroy(event);
    bench.ops->event_destroy(second);
    take_off();
}

static void what_is_past_the_most_is_counted(void **state)
{
    enum { MOST = 4096, MORE = 10 };
    struct hrb_event *event;

    (void)state;
    put_on(NULL);
    for (int i = 0; i < MOST + MORE - 1; i++)
        assert_int_equal(upload(0, HOST + 50, 8, NULL), HR_OK);
    assert_int_equal(upload(0, HOST + 50, 8, &event), HR_OK); /* the program's own are not lost to it */
    assert_int_equal(fake_live(bench.fake, FAKE_EVENTS), MOST + 1);
    carry_out(0, 100);
    n_shown = 0;
    assert_int_equal(upload(0, HOST + 60, 8, NULL), HR_OK); /* one has made room */
    assert_int_equal(n_shown, 1);
    look(0, HOST + 9000);
    assert_int_equal(bench.ops->event_wait(event, 0), HR_OK);
    bench.ops->event_destroy(event);
    n_shown = 0;
    bench.ops->queue_destroy(bench.queues[0]);
    bench.queues[0] = NULL;
    assert_int_equal(n_shown, 1);
    is_span(0, "spans lost", HOST + 9000, 0);
    assert_string_equal(shown[0].details, "lost=10 ");
    take_off();
}

/* A queue goes while work is in flight, which goes on. */
static void work_that_outlives_its_queue(void **state)
{
    (void)state;
    put_on(NULL);
    assert_int_equal(upload(0, HOST + 50, 8, NULL), HR_OK);
    now = HOST + 70;
    bench.ops->queue_destroy(bench.queues[0]);
    bench.queues[0] = NULL;
    assert_int_equal(n_shown, 1);
    is_span(0, "upload", HOST + 50, HOST + 70);
    assert_non_null(strstr(shown[0].details, "clock=host, end not seen"));
    fake_run(bench.fake);
    take_off();
}

static void wrong_texts_are_named(void **state)
{
    const char *const wrong[] = {"fil=x", "file=", "x"};
    const struct hrb_ops *ops = NULL;

    (void)state;
    put_on(NULL);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(bench.layer->attach(bench.device, bench.driver, wrong[i], &ops), HR_INVALID);
        assert_non_null(strstr(hr_last_error(), wrong[i]));
        assert_non_null(strstr(hr_last_error(), "file=NAME"));
    }
    assert_int_equal(bench.layer->attach(bench.device, bench.driver, "file=refuse", &ops), HR_IO);
    assert_null(ops);
    take_off();
}

/* The layer's own questions are no calls that the fault layer counts. */
static void fault_rules_count_the_program_s_calls(void **state)
{
    static const char *const layers[] = {"fault:op=event,n=3,status=lost",
                                         "fault:op=event,n=3,status=lost;trace:file=/dev/null"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct fake *fake = fake_create(&(struct fake_options){.eager = true});
        hr_device_options options = {.size = sizeof options, .layers = layers[i]};
        hr_device *device = fake_device(fake, &options);
        hr_queue *queue;
        hr_buffer *buffer;
        hr_event *event;
        hr_sync sync = {.size = sizeof sync, .event = &event};
        uint32_t done;

        assert_non_null(device);
        assert_int_equal(hr_queue_create(device, HR_QUEUE_COMPUTE, NULL, &queue), HR_OK);
        assert_int_equal(hr_buffer_create(device, HR_MEMORY_DEVICE, 64, queue, &buffer), HR_OK);
        for (int call = 1; call <= 3; call++) {
            assert_int_equal(hr_fill(queue, buffer, 0, 64, "abcd", 4, &sync), HR_OK);
            assert_int_equal(hr_event_done(event, &done), call < 3 ? HR_OK : HR_DEVICE_LOST);
            hr_event_close(&event);
        }
        hr_buffer_close(&buffer);
        hr_queue_close(&queue);
        hr_device_close(&device);
        assert_int_equal(fake_destroy(fake), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spans_are_the_device_s),
        cmocka_unit_test(every_kind_of_copy_is_named),
        cmocka_unit_test(the_clock_follows_what_can_be),
        cmocka_unit_test(a_device_time_has_one_host_time),
        cmocka_unit_test(events_are_shared),
        cmocka_unit_test(host_times_where_the_device_has_none),
        cmocka_unit_test(failures_pass_through),
        cmocka_unit_test(what_is_past_the_most_is_counted),
        cmocka_unit_test(work_that_outlives_its_queue),
        cmocka_unit_test(wrong_texts_are_named),
        cmocka_unit_test(fault_rules_count_the_program_s_calls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
