/* The caching allocator: what is reused, when, and what happens when the budget is short. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fake/fake_backend.h"
#include "transfer/object.h"

#define KIB ((uint64_t)1024)
#define MIB (KIB * 1024)

struct bench {
    struct fake *fake;
    hr_device *device;
    hr_queue *a;
    hr_queue *b;
};

static void open_bench(struct bench *t, uint64_t device_bytes, uint64_t pinned_bytes)
{
    hr_device_options options = {
        .size = sizeof options, .device_memory_bytes = device_bytes, .pinned_memory_bytes = pinned_bytes};

    t->fake = fake_create(NULL);
    t->device = fake_device(t->fake, &options);
    assert_non_null(t->device);
    assert_int_equal(hr_queue_create(t->device, HR_QUEUE_COMPUTE, NULL, &t->a), HR_OK);
    assert_int_equal(hr_queue_create(t->device, HR_QUEUE_COPY_IN, NULL, &t->b), HR_OK);
}

static void close_bench(struct bench *t)
{
    hr_queue_close(&t->a);
    hr_queue_close(&t->b);
    hr_device_close(&t->device);
    assert_int_equal(fake_destroy(t->fake), 0);
}

static hr_memory_stats stats(struct bench *t)
{
    hr_memory_stats s = {.size = sizeof s};

    assert_int_equal(hr_memory_get_stats(t->device, &s), HR_OK);
    return s;
}

static hr_buffer *make(struct bench *t, uint64_t bytes, hr_queue *queue)
{
    hr_buffer *buffer = NULL;

    assert_int_equal(hr_buffer_create(t->device, HR_MEMORY_DEVICE, bytes, queue, &buffer), HR_OK);
    return buffer;
}

static void use(hr_buffer *buffer, hr_queue *queue)
{
    assert_int_equal(hr_fill(queue, buffer, 0, 1, "\x11", 1, NULL), HR_OK);
}

static void large_sizes_are_exact(void **state)
{
    struct bench t;
    hr_buffer *buffer;

    (void)state;
    open_bench(&t, 256 * MIB, MIB);
    buffer = make(&t, 5 * MIB + 1, NULL);
    assert_int_equal(stats(&t).device_used_bytes, 5 * MIB + 4 * KIB);
    hr_buffer_close(&buffer);
    buffer = make(&t, 1032, NULL);
    assert_int_equal(stats(&t).device_used_bytes, 2048);
    hr_buffer_close(&buffer);
    close_bench(&t);
}

/* Odd sizes, five rounds: the driver is asked in the first alone. */
static void a_steady_state_asks_no_driver(void **state)
{
    static const uint64_t sizes[] = {1032, 1, 300, 70000, 4097, 1 << 20, 70001, 999999, 1032};
    enum { N = sizeof sizes / sizeof sizes[0] };
    uint64_t after_first = 0;
    struct bench t;

    (void)state;
    open_bench(&t, 64 * MIB, MIB);
    for (int round = 0; round < 5; round++) {
        hr_buffer *buffers[N];

        for (int i = 0; i < N; i++) {
            buffers[i] = make(&t, sizes[i], t.a);
            use(buffers[i], t.a);
        }
        for (int i = 0; i < N; i++)
            hr_buffer_close(&buffers[(i * 4) % N]); /* in another order */
        if (round == 0)
            after_first = fake_count(t.fake, FAKE_BUFFER_CREATE);
    }
    assert_int_equal(fake_count(t.fake, FAKE_BUFFER_CREATE), after_first);
    assert_int_equal(stats(&t).device_driver_allocs, after_first);
    assert_int_equal(stats(&t).device_driver_frees, 0);
    close_bench(&t);
}

static void the_same_queue_reuses_at_once(void **state)
{
    struct bench t;
    hr_buffer *first;
    hr_buffer *second;
    struct hrb_buffer *memory;

    (void)state;
    open_bench(&t, MIB, MIB);
    first = make(&t, 128 * KIB, t.a);
    use(first, t.a);
    memory = first->native;
    hr_buffer_close(&first);
    second = make(&t, 128 * KIB, t.a);
    assert_ptr_equal(second->native, memory);
    assert_int_equal(fake_count(t.fake, FAKE_EVENT_RECORD), 0); /* nobody had to be asked */
    assert_int_equal(fake_count(t.fake, FAKE_QUEUE_WAIT), 0);
    hr_buffer_close(&second);
    close_bench(&t);
}

/* Pitfall 15: a slow kernel on A, closed, created on B: B's first work comes behind A's, on the device. */
static void another_queue_is_ordered_behind(void **state)
{
    unsigned char seen[64];
    struct bench t;
    hr_buffer *first;
    hr_buffer *second;
    struct hrb_buffer *memory;

    (void)state;
    open_bench(&t, MIB, MIB);
    first = make(&t, 128 * KIB, t.a);
    assert_int_equal(hr_fill(t.a, first, 0, 64, "\x11", 1, NULL), HR_OK);
    memory = first->native;
    hr_buffer_close(&first);
    second = make(&t, 128 * KIB, t.b);
    assert_ptr_equal(second->native, memory);
    assert_int_equal(fake_count(t.fake, FAKE_EVENT_WAIT), 0); /* not on the host */
    assert_int_equal(hr_fill(t.b, second, 0, 64, "\x22", 1, NULL), HR_OK);
    assert_int_equal(hr_read(t.b, second, 0, seen, sizeof seen, NULL), HR_OK);
    assert_int_equal(fake_step(t.fake, t.b, 10), 0); /* stands behind A */
    assert_true(fake_step(t.fake, t.a, 10) > 0);
    assert_int_equal(hr_queue_finish(t.b), HR_OK);
    assert_int_equal(seen[0], 0x22);
    hr_buffer_close(&second);
    close_bench(&t);
}

static void no_queue_means_idle_memory(void **state)
{
    struct bench t;
    hr_buffer *first;
    hr_buffer *second;
    struct hrb_buffer *memory;

    (void)state;
    open_bench(&t, MIB, MIB);
    first = make(&t, 128 * KIB, t.a);
    use(first, t.a);
    memory = first->native;
    hr_buffer_close(&first);
    second = make(&t, 128 * KIB, NULL);
    assert_ptr_not_equal(second->native, memory); /* still in use: a fresh one */
    hr_buffer_close(&second);
    fake_run(t.fake);
    second = make(&t, 128 * KIB, NULL);
    assert_true(fake_pending(t.fake, t.a) == 0);
    assert_int_equal(fake_count(t.fake, FAKE_BUFFER_CREATE), 2);
    hr_buffer_close(&second);
    close_bench(&t);
}

/* The host writes to pinned memory at once, whatever the queue does first. */
static void pinned_memory_is_idle_when_given(void **state)
{
    struct bench t;
    hr_buffer *pinned;
    hr_buffer *buffer;
    struct hrb_buffer *memory;

    (void)state;
    open_bench(&t, MIB, MIB);
    buffer = make(&t, 4096, t.a);
    assert_int_equal(hr_buffer_create(t.device, HR_MEMORY_PINNED, 4096, t.a, &pinned), HR_OK);
    memory = pinned->native;
    assert_int_equal(hr_copy(t.a, buffer, 0, pinned, 0, 4096, NULL), HR_OK);
    hr_buffer_close(&pinned);
    assert_int_equal(hr_buffer_create(t.device, HR_MEMORY_PINNED, 4096, t.a, &pinned), HR_OK);
    assert_ptr_not_equal(pinned->native, memory);
    hr_buffer_close(&pinned);
    hr_buffer_close(&buffer);
    close_bench(&t);
}

static void a_little_waste_is_reused(void **state)
{
    struct bench t;
    hr_buffer *buffer;

    (void)state;
    open_bench(&t, 64 * MIB, MIB);
    buffer = make(&t, 8 * MIB, NULL);
    hr_buffer_close(&buffer);
    buffer = make(&t, 7 * MIB, NULL); /* an eighth */
    assert_int_equal(fake_count(t.fake, FAKE_BUFFER_CREATE), 1);
    hr_buffer_close(&buffer);
    buffer = make(&t, 7 * MIB - 4 * KIB, NULL); /* more */
    assert_int_equal(fake_count(t.fake, FAKE_BUFFER_CREATE), 2);
    hr_buffer_close(&buffer);
    close_bench(&t);
}

static void shortage_gives_idle_memory_back_first(void **state)
{
    struct bench t;
    hr_buffer *buffer;

    (void)state;
    open_bench(&t, MIB, MIB);
    buffer = make(&t, 600 * KIB, t.a);
    hr_buffer_close(&buffer);
    buffer = make(&t, 900 * KIB, t.a);
    assert_int_equal(stats(&t).device_driver_frees, 1);
    assert_int_equal(stats(&t).device_cached_bytes, 0);
    assert_int_equal(stats(&t).device_peak_bytes, 900 * KIB);
    hr_buffer_close(&buffer);
    close_bench(&t);
}

static void shortage_waits_before_it_fails(void **state)
{
    struct bench t;
    hr_buffer *buffer;
    hr_buffer *other = NULL;

    (void)state;
    open_bench(&t, MIB, MIB);
    buffer = make(&t, 600 * KIB, t.a);
    use(buffer, t.a);
    hr_buffer_close(&buffer); /* cached, in use by A */
    buffer = make(&t, 900 * KIB, t.b);
    assert_int_equal(fake_count(t.fake, FAKE_EVENT_WAIT), 1);
    assert_int_equal(fake_broken(t.fake), 0);
    assert_int_equal(hr_buffer_create(t.device, HR_MEMORY_DEVICE, 200 * KIB, t.b, &other), HR_NO_DEVICE_MEMORY);
    assert_null(other);
    assert_non_null(strstr(hr_last_error(), "200 KiB"));
    assert_non_null(strstr(hr_last_error(), "900 KiB"));
    assert_non_null(strstr(hr_last_error(), "1 MiB"));
    assert_non_null(strstr(hr_last_error(), "HEADRACE_DEVICE_MEMORY"));
    hr_buffer_close(&buffer);
    close_bench(&t);
}

static void over_the_budget_is_said_at_once(void **state)
{
    struct bench t;
    hr_buffer *buffer = NULL;

    (void)state;
    open_bench(&t, MIB, 64 * KIB);
    assert_int_equal(hr_buffer_create(t.device, HR_MEMORY_DEVICE, 2 * MIB, NULL, &buffer), HR_NO_DEVICE_MEMORY);
    assert_int_equal(hr_buffer_create(t.device, HR_MEMORY_DEVICE, UINT64_MAX, NULL, &buffer), HR_NO_DEVICE_MEMORY);
    assert_int_equal(hr_buffer_create(t.device, HR_MEMORY_PINNED, 65 * KIB, NULL, &buffer), HR_NO_PINNED_MEMORY);
    assert_non_null(strstr(hr_last_error(), "HEADRACE_PINNED_MEMORY"));
    assert_int_equal(fake_count(t.fake, FAKE_BUFFER_CREATE), 0);
    /* The last bytes of a budget are not lost to rounding. */
    assert_int_equal(hr_buffer_create(t.device, HR_MEMORY_DEVICE, MIB - 1, NULL, &buffer), HR_OK);
    hr_buffer_close(&buffer);
    close_bench(&t);
}

/* The driver has less than the budget promises: the cache is given up before the call fails. */
static void the_drivers_own_shortage(void **state)
{
    struct fake_options small = {.memory_bytes = MIB};
    hr_device_options options = {.size = sizeof options, .device_memory_bytes = 16 * MIB};
    struct fake *fake = fake_create(&small);
    hr_device *device = fake_device(fake, &options);
    hr_buffer *buffer = NULL;
    hr_buffer *other = NULL;

    (void)state;
    assert_int_equal(hr_buffer_create(device, HR_MEMORY_DEVICE, 700 * KIB, NULL, &buffer), HR_OK);
    hr_buffer_close(&buffer);
    assert_int_equal(hr_buffer_create(device, HR_MEMORY_DEVICE, 900 * KIB, NULL, &buffer), HR_OK);
    assert_int_equal(hr_buffer_create(device, HR_MEMORY_DEVICE, 300 * KIB, NULL, &other), HR_NO_DEVICE_MEMORY);
    assert_non_null(strstr(hr_last_error(), "the driver has no"));
    hr_buffer_close(&buffer);
    hr_device_close(&device);
    assert_int_equal(fake_destroy(fake), 0);
}

static void trim_gives_idle_memory_back(void **state)
{
    unsigned char bytes[4096] = {0};
    struct bench t;
    hr_event *event;
    hr_sync sync = {.size = sizeof sync, .event = &event};
    hr_buffer *buffer;

    (void)state;
    open_bench(&t, MIB, MIB);
    buffer = make(&t, 4096, t.a);
    assert_int_equal(hr_write(t.a, buffer, 0, bytes, sizeof bytes, &sync), HR_OK);
    hr_buffer_close(&buffer);
    assert_int_equal(hr_memory_trim(t.device), HR_OK);
    assert_true(stats(&t).device_cached_bytes > 0); /* in use */
    assert_int_equal(hr_event_wait(event, HR_FOREVER), HR_OK);
    fake_hold(t.fake, t.a, true); /* an event recorded from here on would stay open: none is needed */
    assert_int_equal(hr_memory_trim(t.device), HR_OK);
    assert_int_equal(stats(&t).device_cached_bytes, 0);
    assert_int_equal(stats(&t).pinned_used_bytes + stats(&t).pinned_cached_bytes, 0);
    fake_hold(t.fake, t.a, false);
    hr_event_close(&event);
    close_bench(&t);
}

static void a_failed_queues_memory_comes_back(void **state)
{
    struct bench t;
    hr_buffer *buffer;

    (void)state;
    open_bench(&t, MIB, MIB);
    buffer = make(&t, 900 * KIB, t.a);
    fake_fail_work(t.fake, 1, HR_DRIVER);
    use(buffer, t.a);
    hr_buffer_close(&buffer);
    buffer = make(&t, 700 * KIB, t.b); /* waits for A, which fails: that is A's affair */
    use(buffer, t.b);
    assert_int_equal(hr_queue_finish(t.b), HR_OK);
    assert_int_equal(hr_queue_finish(t.a), HR_DRIVER);
    hr_buffer_close(&buffer);
    close_bench(&t);
}

/* -- threads ------------------------------------------------------------------------------------------------------- */

enum { ROUNDS = 300 };

struct worker {
    struct bench *t;
    hr_queue *queue;
    uint64_t seed;
};

static void *churn(void *arg)
{
    struct worker *w = arg;
    uint64_t x = w->seed;

    for (int i = 0; i < ROUNDS; i++) {
        hr_buffer *buffer = NULL;
        unsigned char value;
        unsigned char seen[16] = {0};
        hr_event *event;
        hr_sync sync = {.size = sizeof sync, .event = &event};

        x = x * 6364136223846793005u + 1442695040888963407u;
        value = (unsigned char)(x >> 56);
        if (hr_buffer_create(w->t->device, HR_MEMORY_DEVICE, 64 * KIB + (x >> 44) % (256 * KIB), w->queue, &buffer) !=
            HR_OK)
            return "create";
        if (hr_fill(w->queue, buffer, 0, 64, &value, 1, NULL) != HR_OK ||
            hr_read(w->queue, buffer, 48, seen, sizeof seen, &sync) != HR_OK)
            return "submit";
        if (i % 3 == 0)
            hr_buffer_close(&buffer); /* before the work is done */
        if (hr_event_wait(event, HR_FOREVER) != HR_OK)
            return "wait";
        for (unsigned k = 0; k < sizeof seen; k++)
            if (seen[k] != value)
                return "another's bytes";
        hr_event_close(&event);
        hr_buffer_close(&buffer);
    }
    return NULL;
}

static void threads_share_a_short_budget(void **state)
{
    struct bench t;
    pthread_t threads[4];
    struct worker workers[4];

    (void)state;
    open_bench(&t, 2 * MIB, MIB);
    for (unsigned i = 0; i < 4; i++) {
        workers[i] = (struct worker){&t, i % 2 == 0 ? t.a : t.b, i + 1};
        assert_int_equal(pthread_create(&threads[i], NULL, churn, &workers[i]), 0);
    }
    for (unsigned i = 0; i < 4; i++) {
        void *failed;

        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_true(stats(&t).device_peak_bytes <= 2 * MIB);
    assert_int_equal(stats(&t).device_used_bytes, 0);
    close_bench(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_sizes_are_exact),
        cmocka_unit_test(a_steady_state_asks_no_driver),
        cmocka_unit_test(the_same_queue_reuses_at_once),
        cmocka_unit_test(another_queue_is_ordered_behind),
        cmocka_unit_test(no_queue_means_idle_memory),
        cmocka_unit_test(pinned_memory_is_idle_when_given),
        cmocka_unit_test(a_little_waste_is_reused),
        cmocka_unit_test(shortage_gives_idle_memory_back_first),
        cmocka_unit_test(shortage_waits_before_it_fails),
        cmocka_unit_test(over_the_budget_is_said_at_once),
        cmocka_unit_test(the_drivers_own_shortage),
        cmocka_unit_test(trim_gives_idle_memory_back),
        cmocka_unit_test(a_failed_queues_memory_comes_back),
        cmocka_unit_test(threads_share_a_short_budget),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
