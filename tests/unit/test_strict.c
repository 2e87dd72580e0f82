/* The strict layer over a driver whose time stands still: what is held back, and what makes it go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <pthread.h>
#include <time.h>

#include "fake/fake_backend.h"
#include "layers/strict.h"
#include "transfer/object.h"

enum { BYTES = 4096 };

static struct fake *fake;
static hr_device *device;
static hr_queue *first;
static hr_queue *second;
static hr_buffer *a;
static hr_buffer *b;
static unsigned char host[BYTES];

/* args: a word of memory, a scalar */
static void add_one(const hr_grid *grid, const struct fake_arg *args)
{
    unsigned char *byte = args[0].ptr;

    (void)grid;
    byte[0] = (unsigned char)(byte[0] + *(unsigned char *)args[1].ptr);
}

#define OK(call) assert_int_equal((call), HR_OK)

static void open_all(uint32_t abilities)
{
    struct fake_options options = {.abilities = abilities};
    hr_device_options layers = {.size = sizeof layers, .layers = "strict"};

    fake = fake_create(&options);
    fake_add_kernel(fake, "add_one", add_one, 2);
    device = fake_device(fake, &layers);
    assert_non_null(device);
    OK(hr_queue_create(device, HR_QUEUE_COPY_IN, NULL, &first));
    OK(hr_queue_create(device, HR_QUEUE_COMPUTE, NULL, &second));
    OK(hr_buffer_create(device, HR_MEMORY_DEVICE, BYTES, first, &a));
    OK(hr_buffer_create(device, HR_MEMORY_DEVICE, BYTES, first, &b));
    memset(host, 7, sizeof host);
}

/* Memory that the host sees: the layer copies nothing of its own. */
static int set_up(void **state)
{
    (void)state;
    open_all(HR_ABILITY_SHARED_MEMORY | HR_ABILITY_TIMING);
    return 0;
}

static int set_up_apart(void **state)
{
    (void)state;
    open_all(HR_ABILITY_TIMING | HR_ABILITY_IMPORT);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    hr_buffer_close(&a);
    hr_buffer_close(&b);
    hr_queue_close(&first);
    hr_queue_close(&second);
    hr_device_close(&device);
    return (int)fake_destroy(fake);
}

static hr_event *write_a(hr_queue *queue)
{
    hr_event *event = NULL;
    hr_sync sync = {.size = sizeof sync, .event = &event};

    OK(hr_write_from(queue, a, 0, host, BYTES, &sync));
    return event;
}

static void copies_are(uint64_t n)
{
    assert_int_equal(fake_count(fake, FAKE_COPY), n);
}

static uint32_t look(hr_event *event)
{
    uint32_t done = 2;

    OK(hr_event_done(event, &done));
    return done;
}

/* -- what makes held work go --------------------------------------------------------------------------------------- */

static void a_wait_does(void **state)
{
    hr_event *event = write_a(first);

    (void)state;
    OK(hr_queue_wait(second, event));
    OK(hr_fill(second, b, 0, 16, "x", 1, NULL));
    copies_are(0);
    assert_int_equal(fake_count(fake, FAKE_QUEUE_WAIT), 0);
    OK(hr_event_wait(event, HR_FOREVER));
    copies_are(1);
    assert_int_equal(fake_count(fake, FAKE_FILL), 0); /* nobody asked for that */
    hr_event_close(&event);
}

static void the_second_look_does(void **state)
{
    hr_event *event = write_a(first);

    (void)state;
    assert_int_equal(look(event), 0);
    copies_are(0);
    assert_int_equal(look(event), 0); /* submitted, not moved */
    copies_are(1);
    fake_run(fake);
    assert_int_equal(look(event), 1);
    assert_int_equal(hr_event_wait(event, 0), HR_OK);
    hr_event_close(&event);
}

static void a_wait_without_time_is_a_look(void **state)
{
    hr_event *event = write_a(first);

    (void)state;
    assert_int_equal(hr_event_wait(event, 0), HR_TIMEOUT);
    copies_are(0);
    assert_int_equal(hr_event_wait(event, 0), HR_TIMEOUT);
    copies_are(1);
    hr_event_close(&event);
}

/* And what that waits for, on other queues; not what comes behind. */
static void a_finish_does(void **state)
{
    hr_event *event = write_a(first);
    hr_sync sync = {.size = sizeof sync, .waits = &event, .n_waits = 1};
    unsigned char got[16];

    (void)state;
    OK(hr_copy(second, b, 0, a, 0, BYTES, &sync));
    hr_event_close(&event); /* it was the queue's to keep */
    OK(hr_read(first, a, 0, got, sizeof got, NULL));
    copies_are(0);
    OK(hr_queue_finish(second));
    copies_are(2);
    assert_int_equal(got[0], STRICT_POISON);
    OK(hr_queue_finish(first));
    copies_are(3);
    assert_int_equal(got[0], 7);
}

static void an_acquire_does(void **state)
{
    hr_event *event = write_a(first);
    void *ptr;

    (void)state;
    OK(hr_buffer_acquire(a, first, HR_ACCESS_READ, &ptr));
    assert_memory_equal(ptr, host, BYTES);
    OK(hr_buffer_release(a, first));
    hr_event_close(&event);
}

/* Closing takes nothing away from work in flight. */
static void closing_does(void **state)
{
    hr_buffer *view;

    (void)state;
    OK(hri_buffer_view(a, 1024, 1024, &view));
    OK(hr_write_from(first, view, 0, host, 1024, NULL));
    OK(hr_write_from(first, b, 0, host, BYTES, NULL));
    copies_are(0);
    hr_buffer_close(&view);
    copies_are(1);
    hr_queue_close(&first); /* the buffers still refer to it */
    copies_are(1);
    hr_buffer_close(&a);
    hr_buffer_close(&b);
    OK(hr_memory_trim(device));
    OK(hr_memory_trim(device));
    copies_are(2);
}

/* A kernel's own copy of its scalars; the kernel and its program closed. */
static void kernels_are_held_too(void **state)
{
    hr_program *program = NULL;
    hr_kernel *kernel = NULL;
    unsigned char by = 3;
    hr_arg args[] = {HR_ARG_BUFFER(a, 0), HR_ARG_BYTES(&by, 1)};
    hr_grid grid = {.size = sizeof grid, .dims = 1, .global = {1}};
    hr_event *event = write_a(first);
    hr_sync sync = {.size = sizeof sync, .waits = &event, .n_waits = 1};
    unsigned char got;

    (void)state;
    OK(hr_program_create(device, "text", NULL, &program));
    OK(hr_kernel_create(program, "add_one", &kernel));
    assert_int_equal(hr_kernel_launch(second, kernel, &grid, args, 1, &sync), HR_INVALID); /* said at once */
    OK(hr_kernel_launch(second, kernel, &grid, args, 2, &sync));
    by = 100;
    assert_int_equal(fake_count(fake, FAKE_KERNEL_LAUNCH), 0);
    hr_program_close(&program);
    hr_kernel_close(&kernel);
    assert_int_equal(fake_count(fake, FAKE_KERNEL_LAUNCH), 1);
    OK(hr_read(second, a, 0, &got, 1, NULL));
    OK(hr_queue_finish(second));
    assert_int_equal(got, 10);
    hr_event_close(&event);
}

static void too_many_go(void **state)
{
    (void)state;
    for (int i = 0; i < 4096; i++)
        OK(hr_fill(first, a, 0, 16, "x", 1, NULL));
    assert_int_equal(fake_count(fake, FAKE_FILL), 0);
    OK(hr_fill(first, a, 0, 16, "x", 1, NULL));
    assert_int_equal(fake_count(fake, FAKE_FILL), 4097);
}

static void *finish_second(void *unused)
{
    (void)unused;
    return hr_queue_finish(second) == HR_OK ? NULL : &host;
}

/* A kernel may wait for what a copy of another queue brings, which nobody waits for. */
static void a_wait_that_lasts_takes_everything(void **state)
{
    hr_event *event = write_a(first);
    pthread_t thread;
    void *failed;

    (void)state;
    OK(hr_fill(second, b, 0, 16, "x", 1, NULL));
    fake_hold(fake, second, true);
    assert_int_equal(pthread_create(&thread, NULL, finish_second, NULL), 0);
    for (int i = 0; i < 5000 && fake_count(fake, FAKE_COPY) == 0; i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    copies_are(1);
    fake_hold(fake, second, false);
    pthread_join(thread, &failed);
    assert_null(failed);
    hr_event_close(&event);
}

/* -- failures ------------------------------------------------------------------------------------------------------ */

static void a_late_refusal_is_the_queues_failure(void **state)
{
    hr_event *event = write_a(first), *after = NULL;

    (void)state;
    OK(hr_event_record(first, &after));
    fake_fail(fake, FAKE_COPY, 1, HR_DRIVER);
    assert_int_equal(hr_event_wait(event, HR_FOREVER), HR_DRIVER);
    assert_int_equal(hr_event_wait(event, HR_FOREVER), HR_DRIVER);
    assert_int_equal(hr_event_wait(after, HR_FOREVER), HR_DRIVER);
    assert_int_equal(hr_queue_finish(first), HR_DRIVER);
    assert_int_equal(hr_fill(first, b, 0, 4, "x", 1, NULL), HR_DRIVER);
    OK(hr_queue_finish(second));
    hr_event_close(&event);
    hr_event_close(&after);
}

static void it_reaches_who_waits_for_it(void **state)
{
    hr_event *event = write_a(first);

    (void)state;
    OK(hr_queue_wait(second, event));
    OK(hr_copy(second, b, 0, a, 0, 16, NULL));
    fake_fail(fake, FAKE_COPY, 1, HR_DEVICE_LOST);
    assert_int_equal(hr_queue_finish(second), HR_DEVICE_LOST);
    hr_event_close(&event);
}

static void work_that_fails_says_so_every_time(void **state)
{
    hr_event *event = write_a(first);

    (void)state;
    fake_fail_work(fake, 1, HR_DRIVER);
    assert_int_equal(hr_event_wait(event, HR_FOREVER), HR_DRIVER);
    assert_int_equal(hr_event_wait(event, HR_FOREVER), HR_DRIVER);
    assert_int_equal(hr_queue_finish(first), HR_DRIVER);
    hr_event_close(&event);
}

static void it_takes_no_text(void **state)
{
    hr_device_options layers = {.size = sizeof layers, .layers = "strict:harder"};
    struct fake *other = fake_create(NULL);

    (void)state;
    assert_null(fake_device(other, &layers));
    assert_non_null(strstr(hr_last_error(), "harder"));
    assert_int_equal(fake_destroy(other), 0);
}

/* -- memory that the host does not see ----------------------------------------------------------------------------- */

/* Poison of fresh memory is under way, on a queue that nobody knows, when the memory goes back to the driver. */
static void memory_goes_behind_its_poison(void **state)
{
    hr_buffer *large = NULL;

    (void)state;
    OK(hr_buffer_create(device, HR_MEMORY_DEVICE, 3 << 20, first, &large));
    hr_buffer_close(&large);
    OK(hr_memory_trim(device));
    assert_int_equal(fake_broken(fake), 0);
    fake_run(fake);
    OK(hr_buffer_create(device, HR_MEMORY_DEVICE, 5 << 20, first, &large));
    hr_buffer_close(&large);
}

/* And work waits for it. */
static void work_comes_behind_poison(void **state)
{
    unsigned char got[BYTES];

    (void)state;
    OK(hr_fill(first, a, 0, BYTES, "y", 1, NULL));
    OK(hr_read(first, a, 0, got, BYTES, NULL));
    OK(hr_queue_finish(first));
    for (int i = 0; i < BYTES; i++)
        assert_int_equal(got[i], 'y');
    OK(hr_read(first, b, 100, got, 16, NULL));
    OK(hr_queue_finish(first));
    for (int i = 0; i < 16; i++)
        assert_int_equal(got[i], STRICT_POISON);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define TEST_APART(name) cmocka_unit_test_setup_teardown(name, set_up_apart, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_wait_does),
        TEST(the_second_look_does),
        TEST(a_wait_without_time_is_a_look),
        TEST(a_finish_does),
        TEST(an_acquire_does),
        TEST(closing_does),
        TEST(kernels_are_held_too),
        TEST(too_many_go),
        TEST(a_wait_that_lasts_takes_everything),
        TEST(a_late_refusal_is_the_queues_failure),
        TEST(it_reaches_who_waits_for_it),
        TEST(work_that_fails_says_so_every_time),
        TEST(it_takes_no_text),
        TEST_APART(memory_goes_behind_its_poison),
        TEST_APART(work_comes_behind_poison),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
