/* The fault layer over a table that always succeeds and counts what reaches it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "core/registry.h"

#include <cmocka.h>
#include <pthread.h>
#include <string.h>

static uint32_t reached; /* calls that came through */
static uint32_t waited;  /* event_wait below without a limit */
static uint32_t is_done; /* what event_query below answers */

static hr_status below_create(struct hrb_device *device, uint32_t kind, uint64_t bytes, struct hrb_buffer **buffer)
{
    (void)device, (void)kind, (void)bytes, (void)buffer;
    reached++;
    return HR_OK;
}

static hr_status below_copy(struct hrb_queue *queue, const struct hrb_place *dst, const struct hrb_place *src,
                            uint64_t bytes, const struct hrb_sync *sync)
{
    (void)queue, (void)dst, (void)src, (void)bytes, (void)sync;
    __atomic_fetch_add(&reached, 1, __ATOMIC_RELAXED);
    return HR_OK;
}

static hr_status below_fill(struct hrb_queue *queue, struct hrb_buffer *buffer, uint64_t offset, uint64_t bytes,
                            const void *pattern, uint32_t pattern_bytes, const struct hrb_sync *sync)
{
    (void)queue, (void)buffer, (void)offset, (void)bytes, (void)pattern, (void)pattern_bytes, (void)sync;
    reached++;
    return HR_OK;
}

/* The test puts its own event where the layer will look. */
static struct hrb_event *next_event;

static hr_status below_record(struct hrb_queue *queue, uint32_t flags, struct hrb_event **event)
{
    (void)flags;
    next_event->queue = queue;
    *event = next_event;
    return HR_OK;
}

static hr_status below_compile(struct hrb_device *device, const char *source, const char *options,
                               struct hrb_program **program)
{
    (void)device, (void)source, (void)options, (void)program;
    reached++;
    return HR_OK;
}

static hr_status below_builtin(struct hrb_device *device, struct hrb_program **program)
{
    (void)device, (void)program;
    reached++;
    return HR_OK;
}

static hr_status below_load(struct hrb_device *device, const void *image, uint64_t bytes, struct hrb_program **program)
{
    (void)device, (void)image, (void)bytes, (void)program;
    reached++;
    return HR_OK;
}

static hr_status below_finish(struct hrb_queue *queue)
{
    (void)queue;
    reached++;
    return HR_OK;
}

static hr_status below_queue_wait(struct hrb_queue *queue, struct hrb_event *event)
{
    (void)queue, (void)event;
    return HR_OK;
}

static hr_status below_event_wait(struct hrb_event *event, uint64_t timeout_ns)
{
    (void)event;
    waited += timeout_ns == HR_FOREVER;
    return timeout_ns == 0 ? HR_TIMEOUT : HR_OK;
}

static hr_status below_event_query(struct hrb_event *event, uint32_t *done)
{
    (void)event;
    *done = is_done;
    return HR_OK;
}

static const struct hrb_ops below = {
    .size = sizeof(struct hrb_ops),
    .abi = HRB_ABI,
    .buffer_create = below_create,
    .copy = below_copy,
    .fill = below_fill,
    .event_record = below_record,
    .queue_finish = below_finish,
    .queue_wait = below_queue_wait,
    .event_wait = below_event_wait,
    .event_query = below_event_query,
    .program_create = below_compile,
    .program_builtin = below_builtin,
    .program_load = below_load,
};

/* A device with the layer on, two queues, and places for either direction. */
struct bench {
    struct hrb_device device;
    struct hrb_queue queues[2];
    struct hrb_place host, memory;
    const struct hrb_layer *layer;
    const struct hrb_ops *ops;
};

static const struct hrb_sync nothing;

static hr_status put_on(struct bench *bench, const char *spec)
{
    static char bytes[16];

    memset(bench, 0, sizeof *bench);
    reached = 0;
    bench->layer = hri_layer_find("fault");
    assert_non_null(bench->layer);
    bench->device.services = &hri_services;
    bench->device.next[bench->layer->index] = &below;
    bench->queues[0].device = bench->queues[1].device = &bench->device;
    bench->host.host = bytes;
    return bench->layer->attach(&bench->device, &below, spec, &bench->ops);
}

static void take_off(struct bench *bench)
{
    bench->layer->detach(&bench->device);
    assert_null(bench->device.word[bench->layer->index]);
}

static hr_status upload(struct bench *bench, uint64_t bytes)
{
    return bench->ops->copy(&bench->queues[0], &bench->memory, &bench->host, bytes, &nothing);
}

static hr_status download(struct bench *bench)
{
    return bench->ops->copy(&bench->queues[0], &bench->host, &bench->memory, 1, &nothing);
}

static void the_nth_call_fails_before_the_driver(void **state)
{
    struct bench bench;

    (void)state;
    assert_int_equal(put_on(&bench, "op=copy,n=3,status=lost"), HR_OK);
    assert_int_equal(upload(&bench, 1), HR_OK);
    assert_int_equal(bench.ops->fill(&bench.queues[0], NULL, 0, 1, "", 1, &nothing), HR_OK);
    assert_int_equal(download(&bench), HR_OK);
    assert_int_equal(upload(&bench, 1), HR_DEVICE_LOST);
    assert_string_equal(hr_last_error(), "layer fault: failed as told by \"op=copy,n=3,status=lost\"");
    assert_int_equal(reached, 3);
    assert_int_equal(upload(&bench, 1), HR_OK);
    /* A refused submission leaves the queue as it was. */
    assert_int_equal(bench.ops->queue_finish(&bench.queues[0]), HR_OK);
    take_off(&bench);
}

/* However a program is made, its making is a build; what the table below lacks, the wrapped one lacks too. */
static void every_way_to_a_program_is_a_build(void **state)
{
    struct hrb_program *program;
    struct hrb_ops bare = below;
    struct bench bench;

    (void)state;
    assert_int_equal(put_on(&bench, "op=build,n=3,count=3,status=build"), HR_OK);
    assert_int_equal(bench.ops->program_load(&bench.device, "", 1, &program), HR_OK);
    assert_int_equal(bench.ops->program_builtin(&bench.device, &program), HR_OK);
    assert_int_equal(bench.ops->program_create(&bench.device, "", "", &program), HR_BUILD);
    assert_int_equal(bench.ops->program_load(&bench.device, "", 1, &program), HR_BUILD);
    assert_int_equal(bench.ops->program_builtin(&bench.device, &program), HR_BUILD);
    assert_int_equal(reached, 2);
    assert_int_equal(bench.ops->program_load(&bench.device, "", 1, &program), HR_OK);
    take_off(&bench);

    bare.program_load = NULL;
    bare.program_builtin = NULL;
    bench.device.next[bench.layer->index] = &bare;
    assert_int_equal(bench.layer->attach(&bench.device, &bare, "op=build", &bench.ops), HR_OK);
    assert_true(!bench.ops->program_load && !bench.ops->program_builtin);
    take_off(&bench);
}

static void rules_choose_calls(void **state)
{
    struct bench bench;

    (void)state;
    assert_int_equal(put_on(&bench, "op=download,n=2,every=2,count=2,status=DRIVER+op=upload,min=4K,count=0"), HR_OK);
    for (int i = 1; i <= 8; i++)
        assert_int_equal(download(&bench), i == 2 || i == 4 ? HR_DRIVER : HR_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(upload(&bench, 4095), HR_OK);
        assert_int_equal(upload(&bench, 4096), HR_DRIVER);
    }
    take_off(&bench);

    assert_int_equal(put_on(&bench, "op=pinned,status=no_pinned_memory"), HR_OK);
    assert_int_equal(bench.ops->buffer_create(&bench.device, HR_MEMORY_DEVICE, 1, NULL), HR_OK);
    assert_int_equal(bench.ops->buffer_create(&bench.device, HR_MEMORY_PINNED, 1, NULL), HR_NO_PINNED_MEMORY);
    take_off(&bench);

    assert_int_equal(put_on(&bench, "op=any,n=2"), HR_OK);
    assert_int_equal(upload(&bench, 1), HR_OK);
    assert_int_equal(bench.ops->queue_finish(&bench.queues[0]), HR_DRIVER);
    take_off(&bench);

    /* Of "any", only work is counted when the failure comes with its end. */
    assert_int_equal(put_on(&bench, "op=any,at=done"), HR_OK);
    assert_int_equal(bench.ops->queue_finish(&bench.queues[0]), HR_OK);
    assert_int_equal(upload(&bench, 1), HR_OK);
    assert_int_equal(bench.ops->queue_finish(&bench.queues[0]), HR_DRIVER);
    take_off(&bench);
}

/* The work is submitted; its own event and all later ones of the queue fail, an earlier one does not. */
static void work_fails_when_done(void **state)
{
    struct bench bench;
    struct hrb_event before = {.queue = NULL}, own = before, after = before, *event = NULL;
    struct hrb_sync sync = {.event = &event};
    uint32_t done = 7;

    (void)state;
    assert_int_equal(put_on(&bench, "op=copy,status=lost,at=done"), HR_OK);
    next_event = &before;
    assert_int_equal(bench.ops->event_record(&bench.queues[0], 0, &event), HR_OK);
    own.queue = &bench.queues[0];
    event = &own; /* what copy below would have made */
    assert_int_equal(bench.ops->copy(&bench.queues[0], &bench.memory, &bench.host, 1, &sync), HR_OK);
    assert_int_equal(reached, 1);
    next_event = &after;
    assert_int_equal(bench.ops->event_record(&bench.queues[0], 0, &event), HR_OK);

    assert_int_equal(bench.ops->event_wait(&before, HR_FOREVER), HR_OK);
    assert_int_equal(bench.ops->event_wait(&own, 0), HR_TIMEOUT);
    assert_int_equal(bench.ops->event_wait(&own, HR_FOREVER), HR_DEVICE_LOST);
    assert_int_equal(bench.ops->event_wait(&own, HR_FOREVER), HR_DEVICE_LOST);
    assert_int_equal(bench.ops->event_wait(&after, HR_FOREVER), HR_DEVICE_LOST);
    is_done = 0;
    assert_int_equal(bench.ops->event_query(&own, &done), HR_OK);
    assert_int_equal(done, 0);
    is_done = 1;
    done = 7;
    assert_int_equal(bench.ops->event_query(&own, &done), HR_DEVICE_LOST);
    assert_int_equal(done, 7);
    assert_int_equal(bench.ops->queue_finish(&bench.queues[0]), HR_DEVICE_LOST);
    assert_int_equal(bench.ops->queue_finish(&bench.queues[1]), HR_OK);
    take_off(&bench);
}

static void failed_work_fails_what_waits_for_it(void **state)
{
    for (int by_list = 0; by_list < 2; by_list++) {
        struct bench bench;
        struct hrb_event first = {.queue = NULL}, *event = NULL, *const waits[] = {&first};
        struct hrb_sync sync = {.n_waits = 1, .waits = waits};

        (void)state;
        assert_int_equal(put_on(&bench, "op=upload,status=lost,at=done"), HR_OK);
        assert_int_equal(upload(&bench, 1), HR_OK);
        next_event = &first;
        assert_int_equal(bench.ops->event_record(&bench.queues[0], 0, &event), HR_OK);
        assert_int_equal(bench.ops->queue_finish(&bench.queues[1]), HR_OK);
        if (by_list)
            assert_int_equal(bench.ops->fill(&bench.queues[1], NULL, 0, 1, "", 1, &sync), HR_OK);
        else
            assert_int_equal(bench.ops->queue_wait(&bench.queues[1], &first), HR_OK);
        assert_int_equal(bench.ops->queue_finish(&bench.queues[1]), HR_DEVICE_LOST);
        take_off(&bench);
    }
}

enum { THREADS = 4, CALLS = 100000 };

static pthread_barrier_t start;

/* A caller takes the failure for the end of the work, and may free what it used. */
static void a_failed_wait_has_waited(void **state)
{
    struct bench bench;
    struct hrb_event event = {.queue = NULL};
    uint32_t done = 7;

    (void)state;
    assert_int_equal(put_on(&bench, "op=finish,count=0,status=lost+op=event,n=1,count=0,status=lost"), HR_OK);
    event.queue = &bench.queues[0];
    waited = 0;
    is_done = 0;
    assert_int_equal(bench.ops->queue_finish(&bench.queues[0]), HR_DEVICE_LOST);
    assert_int_equal(reached, 1);
    assert_int_equal(bench.ops->event_wait(&event, 0), HR_DEVICE_LOST);
    assert_int_equal(waited, 1);
    assert_int_equal(bench.ops->event_query(&event, &done), HR_DEVICE_LOST);
    assert_int_equal(waited, 2);
    assert_int_equal(done, 7);
    take_off(&bench);
}

static void *call_often(void *arg)
{
    struct bench *bench = arg;
    uintptr_t failed = 0;

    pthread_barrier_wait(&start);
    for (int i = 0; i < CALLS; i++)
        failed += upload(bench, 1) != HR_OK;
    return (void *)failed;
}

static void threads_are_counted_together(void **state)
{
    struct bench bench;
    pthread_t threads[THREADS];
    uintptr_t failed = 0;

    (void)state;
    assert_int_equal(put_on(&bench, "op=copy,n=400000"), HR_OK); /* the last of all: none may be lost */
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, &bench), 0);
    for (int i = 0; i < THREADS; i++) {
        void *result;

        pthread_join(threads[i], &result);
        failed += (uintptr_t)result;
    }
    pthread_barrier_destroy(&start);
    assert_int_equal(THREADS * CALLS, 400000);
    assert_int_equal(failed, 1);
    assert_int_equal(reached, THREADS * CALLS - 1);
    take_off(&bench);
}

static void optional_ops_stay_absent(void **state)
{
    struct bench bench;

    (void)state;
    assert_int_equal(put_on(&bench, "op=import"), HR_OK);
    assert_null(bench.ops->buffer_import);
    assert_null(bench.ops->event_times);
    take_off(&bench);
}

static void wrong_text_is_named(void **state)
{
    static const struct {
        const char *spec, *part;
    } cases[] = {
        {"", "needs a rule"},
        {"op=cpoy", "unknown op \"cpoy\"; did you mean \"copy\"? Known: alloc, device, pinned"},
        {"op=copy,status=lots", "unknown status \"lots\"; did you mean \"lost\"? Known: invalid,"},
        {"op=copy,status=ok", "unknown status \"ok\""},
        {"op=copy,staus=lost", "unknown key \"staus\"; did you mean \"status\"?"},
        {"op=copy,at=end", "unknown moment \"end\". Known: submit, done"},
        {"op=copy,n=x", "n=x is no number"},
        {"op=copy,n=", "n= is no number"},
        {"op=copy,n=-1", "n=-1 is no number"},
        {"op=copy,min=99999999999G", "is no number"},
        {"op=copy,n=0", "n and every count from 1"},
        {"op=copy,every=0", "n and every count from 1"},
        {"n=3", "\"n=3\" has no op="},
        {"op=copy+", "\"\" in \"\" is not KEY=VALUE"},
        {"copy", "\"copy\" in \"copy\" is not KEY=VALUE"},
        {"op=alloc,at=done", "at=done goes with copy"},
        {"op=copy,n=000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
         "longer than 95 characters"},
    };
    struct bench bench;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(put_on(&bench, cases[i].spec), HR_INVALID);
        if (!strstr(hr_last_error(), cases[i].part))
            fail_msg("\"%s\" is not in: %s", cases[i].part, hr_last_error());
        assert_null(bench.ops);
        assert_null(bench.device.word[HRB_LAYER_FAULT]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nth_call_fails_before_the_driver),
        cmocka_unit_test(every_way_to_a_program_is_a_build),
        cmocka_unit_test(rules_choose_calls),
        cmocka_unit_test(work_fails_when_done),
        cmocka_unit_test(failed_work_fails_what_waits_for_it),
        cmocka_unit_test(a_failed_wait_has_waited),
        cmocka_unit_test(threads_are_counted_together),
        cmocka_unit_test(optional_ops_stay_absent),
        cmocka_unit_test(wrong_text_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
