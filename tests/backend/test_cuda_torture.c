/*
 * Every driver call fails in its turn, and every op keeps what it promises: the thread's current context is the same
 * before and after, a failure describes itself once, and nothing is left behind. The thread has another context than
 * the device's current meanwhile, as programs do.
 */
#include "cuda.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hri_cu_context other;

/* The op, with what it may not change looked at afterwards. */
#define KEEPS(call) keeps(call, #call)

static hr_status keeps(hr_status st, const char *call)
{
    if (fake.current() != other || fake.depth() != 1)
        fail_msg("another context is current after %s", call);
    if (fake.capture_mode() != 1)
        fail_msg("another capture mode is set after %s", call);
    return st;
}

/* Ops that answer nothing. */
static void kept(const char *call)
{
    keeps(HR_OK, call);
}

/* What a round has made; whatever could not be made is NULL. */
struct round {
    struct hrb_device *device;
    struct hrb_queue *queue;
    struct hrb_queue *second;
    struct hrb_buffer *buffer;
    struct hrb_buffer *apart; /* the second queue's: whether a wait between the two was possible is not sure */
    struct hrb_buffer *view;
    struct hrb_buffer *pinned;
    struct hrb_buffer *imported;
    struct hrb_event *event;
    struct hrb_event *timed;
};

static void make(struct round *r, unsigned char *own)
{
    const struct hrb_ops *ops = rig.ops;

    if (KEEPS(ops->device_open(rig.instance, 0, NULL, &r->device)) != HR_OK)
        return;
    KEEPS(ops->queue_create(r->device, HR_QUEUE_COMPUTE, 0, NULL, &r->queue));
    KEEPS(ops->queue_create(r->device, HR_QUEUE_COPY_IN, HR_TIMING, NULL, &r->second));
    KEEPS(ops->buffer_create(r->device, HR_MEMORY_DEVICE, 8192, &r->buffer));
    KEEPS(ops->buffer_create(r->device, HR_MEMORY_DEVICE, 64, &r->apart));
    KEEPS(ops->buffer_create(r->device, HR_MEMORY_PINNED, 8192, &r->pinned));
    KEEPS(ops->buffer_import(r->device, own, 8192, &r->imported));
    if (r->buffer)
        KEEPS(ops->buffer_view(r->buffer, 4096, 4096, &r->view));
}

static void move(const struct round *r)
{
    const struct hrb_place on_device = {.buffer = r->buffer, .row_pitch = 64, .slice_pitch = 1024};
    const struct hrb_place on_host = {
        .buffer = r->pinned, .host = r->pinned->host, .row_pitch = 128, .slice_pitch = 2048};
    const struct hrb_place uneven = {
        .buffer = r->imported, .host = r->imported->host, .row_pitch = 100, .slice_pitch = 1050};
    static const unsigned char pattern[16] = {1, 2, 3};
    const struct hrb_ops *ops = rig.ops;

    KEEPS(ops->copy(r->queue, &on_device, &on_host, 8192, &rig_no_sync));
    KEEPS(ops->copy(r->queue, &on_host, &on_device, 8192, &rig_no_sync));
    KEEPS(ops->copy(r->queue, &on_device, &uneven, 8192, &rig_no_sync));
    KEEPS(ops->copy_rect(r->queue, &on_device, &on_host, 50, 4, 1, &rig_no_sync));
    KEEPS(ops->copy_rect(r->queue, &on_host, &on_device, 50, 4, 3, &rig_no_sync));
    KEEPS(ops->copy_rect(r->queue, &on_device, &uneven, 50, 4, 3, &rig_no_sync));
    for (uint32_t n = 1; n <= 16; n *= 2)
        KEEPS(ops->fill(r->queue, r->buffer, 0, 4096, pattern, n, &rig_no_sync));
}

static void wait(struct round *r)
{
    const struct hrb_ops *ops = rig.ops;
    struct hrb_sync with_waits = {.flags = HR_TIMING, .event = &r->timed};
    uint64_t start;
    uint64_t end;
    uint32_t done;

    if (KEEPS(ops->event_record(r->queue, 0, &r->event)) == HR_OK) {
        KEEPS(ops->queue_wait(r->second, r->event));
        with_waits.n_waits = 1;
        with_waits.waits = &r->event;
    } else { /* what comes on the other queue still has to be ordered */
        ops->queue_finish(r->queue);
    }
    if (KEEPS(ops->fill(r->second, r->apart, 0, 64, "a", 1, &with_waits)) == HR_OK) {
        KEEPS(ops->event_query(r->timed, &done));
        KEEPS(ops->event_wait(r->timed, 5000000000u));
        if (KEEPS(ops->event_wait(r->timed, HR_FOREVER)) == HR_OK)
            KEEPS(ops->event_times(r->timed, &start, &end));
    }
    KEEPS(ops->queue_finish(r->queue));
}

static void take(const struct round *r, struct hrb_buffer *buffer)
{
    void *ptr;

    if (KEEPS(rig.ops->buffer_acquire(buffer, r->queue, HR_ACCESS_READ | HR_ACCESS_WRITE, &ptr)) == HR_OK)
        KEEPS(rig.ops->buffer_release(buffer, r->queue, ptr));
}

#define DESTROY(op, object)                                                                                            \
    do {                                                                                                               \
        if (object)                                                                                                    \
            rig.ops->op(object);                                                                                       \
        kept(#op);                                                                                                     \
    } while (0)

static void unmake(struct round *r)
{
    if (r->queue)
        rig.ops->queue_finish(r->queue); /* buffers are destroyed when nothing uses them any more */
    if (r->second)
        rig.ops->queue_finish(r->second);
    DESTROY(event_destroy, r->event);
    DESTROY(event_destroy, r->timed);
    DESTROY(buffer_destroy, r->view);
    DESTROY(buffer_destroy, r->imported);
    DESTROY(buffer_destroy, r->pinned);
    DESTROY(buffer_destroy, r->apart);
    DESTROY(buffer_destroy, r->buffer);
    DESTROY(queue_destroy, r->second);
    DESTROY(queue_destroy, r->queue);
    DESTROY(device_close, r->device);
}

/* All of it; returns how many failures were described. */
static unsigned one_round(unsigned char *own)
{
    const unsigned before = rig_failures();
    struct round r = {.device = NULL};

    make(&r, own);
    if (r.device && r.queue && r.second && r.buffer && r.apart && r.pinned && r.imported && r.view) {
        move(&r);
        wait(&r);
        take(&r, r.buffer);
        take(&r, r.view);
    }
    unmake(&r);
    return rig_failures() - before;
}

/* An op that answers only when the stream is idle, though it fails. */
struct finishing {
    hr_status (*op)(const struct finishing *f);
    struct hrb_queue *queue;
    struct hrb_buffer *buffer;
    void *ptr;
    pthread_mutex_t lock;
    bool back;
};

static hr_status finish(const struct finishing *f)
{
    return rig.ops->queue_finish(f->queue);
}

static hr_status acquire(const struct finishing *f)
{
    void *ptr;

    return rig.ops->buffer_acquire(f->buffer, f->queue, HR_ACCESS_READ, &ptr);
}

static hr_status release(const struct finishing *f)
{
    return rig.ops->buffer_release(f->buffer, f->queue, f->ptr);
}

static void *run(void *arg)
{
    struct finishing *f = arg;

    if (f->op(f) == HR_OK)
        fprintf(stderr, "the op did not fail\n");
    pthread_mutex_lock(&f->lock);
    f->back = true;
    pthread_mutex_unlock(&f->lock);
    return NULL;
}

static bool is_back(struct finishing *f)
{
    bool back;

    pthread_mutex_lock(&f->lock);
    back = f->back;
    pthread_mutex_unlock(&f->lock);
    return back;
}

/* The core takes the failure of a finish for the end of the work, and a mirror is copied from and to until its event:
 * where there is none, the stream itself is asked. */
static void without_an_event_the_stream_is_waited_for(void **state)
{
    static const struct {
        const char *name;
        hr_status (*op)(const struct finishing *f);
    } cases[] = {{"cuEventCreate", finish},
                 {"cuEventRecord", finish},
                 {"cuCtxPushCurrent", finish},
                 {"cuEventRecord", acquire},
                 {"cuEventRecord", release}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct finishing f = {.lock = PTHREAD_MUTEX_INITIALIZER, .op = cases[i].op};
        struct hrb_device *device = NULL;
        struct hrb_buffer *buffer = NULL;
        const uint64_t before = fake.calls("cuStreamQuery");
        pthread_t thread;

        assert_int_equal(rig.ops->device_open(rig.instance, 0, NULL, &device), HR_OK); /* has no event to use again */
        assert_int_equal(rig.ops->queue_create(device, HR_QUEUE_COMPUTE, 0, NULL, &f.queue), HR_OK);
        assert_int_equal(rig.ops->buffer_create(device, HR_MEMORY_DEVICE, 64, &buffer), HR_OK);
        assert_int_equal(rig.ops->buffer_view(buffer, 0, 64, &f.buffer), HR_OK);
        if (f.op == release)
            assert_int_equal(rig.ops->buffer_acquire(f.buffer, f.queue, HR_ACCESS_WRITE, &f.ptr), HR_OK);
        fake.hold(cuda_stream(f.queue), 1);
        assert_int_equal(rig.ops->fill(f.queue, buffer, 0, 64, "a", 1, &rig_no_sync), HR_OK);
        fake.fail_at(cases[i].name, 1, HRI_CU_OUT_OF_MEMORY);
        assert_int_equal(pthread_create(&thread, NULL, run, &f), 0);
        while (!is_back(&f) && fake.calls("cuStreamQuery") < before + 3)
            sched_yield();
        assert_false(is_back(&f));
        fake.hold(cuda_stream(f.queue), 0);
        pthread_join(thread, NULL);
        fake.fail_at(cases[i].name, 0, 0);
        rig.ops->buffer_destroy(f.buffer);
        rig.ops->buffer_destroy(buffer);
        rig.ops->queue_destroy(f.queue);
        rig.ops->device_close(device);
    }
}

static bool is_in(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

/* What undoes and destroys has nobody to tell, and what the driver keeps stays there. */
static const char *const undoing[] = {"cuMemFree",
                                      "cuMemFreeHost",
                                      "cuMemHostUnregister",
                                      "cuEventDestroy",
                                      "cuStreamDestroy",
                                      "cuCtxPopCurrent",
                                      "cuDevicePrimaryCtxRelease",
                                      "cuThreadExchangeStreamCaptureMode",
                                      NULL};
/* Asked in passing, with an answer for no answer; called by what destroys, too. */
static const char *const silent[] = {"cuDeviceGetAttribute", "cuDeviceGetName", "cuDeviceTotalMem",
                                     "cuCtxPushCurrent",     "cuEventQuery",    NULL};

static void fail_each(const char *name, unsigned char *own)
{
    for (unsigned n = 1;; n++) {
        const long live = fake.live("all");
        const uint64_t calls = fake.calls(name);
        unsigned described;

        fake.fail_at(name, n, HRI_CU_OUT_OF_MEMORY);
        described = one_round(own);
        fake.fail_at(name, 0, 0);
        if (fake.calls(name) - calls < n)
            return; /* there is no nth call */
        if (described == 0 && !is_in(name, silent))
            fail_msg("call %u of %s failed, and nobody was told", n, name);
        if (fake.live("all") != live && strcmp(name, "cuCtxPushCurrent") != 0) /* destroying needs it too */
            fail_msg("call %u of %s failed, and %ld objects are left", n, name, fake.live("all") - live);
    }
}

static void every_call_fails_in_its_turn(void **state)
{
    static const char *const names[] = {
#define NAME(name, version, exported, parameters) "cu" #name,
        HRI_CU_SYMBOLS(NAME)
#undef NAME
    };
    unsigned char *own = aligned_alloc(4096, 8192);

    (void)state;
    memset(own, 3, 8192);
    assert_int_equal(one_round(own), 0); /* nothing fails by itself */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!is_in(names[i], undoing))
            fail_each(names[i], own);
    free(own);
}

static int open_with_another(void **state)
{
    hri_cu_capture_mode mode = 1; /* CU_STREAM_CAPTURE_MODE_THREAD_LOCAL: not what threads begin with */

    if (cuda_open_fake(state) != 0 || cu.ThreadExchangeStreamCaptureMode(&mode) != HRI_CU_SUCCESS)
        return -1;
    other = fake.context_create(0);
    return cu.CtxPushCurrent(other) == HRI_CU_SUCCESS ? 0 : -1;
}

static int close_another(void **state)
{
    hri_cu_context popped;

    rig_close(state);
    cu.CtxPopCurrent(&popped);
    fake.context_destroy(other);
    return fake.live("all") == 0 ? 0 : -1;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(without_an_event_the_stream_is_waited_for),
    cmocka_unit_test(every_call_fails_in_its_turn),
};

rig_main_with(tests, open_with_another, close_another)
