/* Closing a loader whose feeder is busy in the driver or waits for it. */
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake/fake_backend.h"

#include <cmocka.h>
#include <headrace/loader.h>

enum { ROWS = 16 };

static const uint32_t words[ROWS];
static sem_t entered, leave;

/* A gather kernel that ends when the test says so. */
static void stuck(const hr_grid *grid, const struct fake_arg *args)
{
    (void)grid;
    (void)args;
    sem_post(&entered);
    sem_wait(&leave);
}

/* The feeder cannot be stopped inside a driver call: closing with a limit says so and leaves the handle valid. */
static void close_with_a_limit(void **state)
{
    struct fake *fake = fake_create(&(struct fake_options){.eager = true});
    hr_device *dev = fake_device(fake, NULL);
    hr_loader_options o = {.size = sizeof o, .batch_rows = 16, .route = HR_ROUTE_RESIDENT, .depth = 2};
    hr_array array = {.size = sizeof array, .dtype = HR_U32, .data = words};
    hr_dataset *dataset;
    hr_loader *loader;
    hr_batch *batch;

    (void)state;
    sem_init(&entered, 0, 0);
    sem_init(&leave, 0, 0);
    fake_add_kernel(fake, "gather_4", stuck, 6);
    assert_int_equal(hr_dataset_from_arrays(&array, 1, ROWS, &dataset), HR_OK);
    assert_int_equal(hr_loader_open(dev, dataset, &o, &loader), HR_OK);
    hr_dataset_close(&dataset);
    assert_int_equal(hr_loader_start(loader, 0), HR_OK);
    sem_wait(&entered);
    assert_int_equal(hr_loader_close_within(&loader, 1000000), HR_TIMEOUT);
    assert_non_null(loader);
    assert_int_equal(hr_loader_next(loader, &batch), HR_CANCELLED);
    sem_post(&leave);
    assert_int_equal(hr_loader_close_within(&loader, HR_FOREVER), HR_OK);
    assert_null(loader);
    hr_device_close(&dev);
    assert_int_equal(fake_destroy(fake), 0);
    sem_destroy(&entered);
    sem_destroy(&leave);
}

/* In the child of a fork the loader's threads are missing: every call says so, closing forgets the handle, none hangs.
 */
static int in_the_child(hr_loader *loader, hr_batch *held)
{
    hr_loader_stats stats = {.size = sizeof stats};
    hr_batch *batch;

    if (hr_loader_start(loader, 1) != HR_FORKED || hr_loader_next(loader, &batch) != HR_FORKED ||
        hr_loader_get_stats(loader, &stats) != HR_FORKED || hr_batch_release(&held) != HR_FORKED || held)
        return 1;
    hr_loader_close(&loader);
    return loader != NULL;
}

static void a_forked_child_only_forgets(void **state)
{
    struct fake *fake = fake_create(&(struct fake_options){.eager = true});
    hr_device *dev = fake_device(fake, NULL);
    hr_loader_options o = {.size = sizeof o, .batch_rows = 4, .workers = 3};
    hr_array array = {.size = sizeof array, .dtype = HR_U32, .data = words};
    hr_dataset *dataset;
    hr_loader *loader;
    hr_batch *held;
    int status = -1;
    pid_t child;

    (void)state;
    assert_int_equal(hr_dataset_from_arrays(&array, 1, ROWS, &dataset), HR_OK);
    assert_int_equal(hr_loader_open(dev, dataset, &o, &loader), HR_OK);
    hr_dataset_close(&dataset);
    assert_int_equal(hr_loader_start(loader, 0), HR_OK);
    assert_int_equal(hr_loader_next(loader, &held), HR_OK);
    child = fork();
    if (child == 0)
        _exit(in_the_child(loader, held));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(hr_batch_release(&held), HR_OK); /* the parent goes on */
    assert_int_equal(hr_loader_next(loader, &held), HR_OK);
    assert_int_equal(hr_batch_release(&held), HR_OK);
    hr_loader_close(&loader);
    hr_device_close(&dev);
    assert_int_equal(fake_destroy(fake), 0);
}

/* A data set on its way to the device is left there: closing does not wait for the queue that copies it. */
static void close_during_the_upload(void **state)
{
    struct fake *fake = fake_create(&(struct fake_options){.eager = true});
    hr_device *dev = fake_device(fake, NULL);
    uint64_t rows = 8 << 20;
    unsigned char *data = calloc(rows, 1);
    hr_array array = {.size = sizeof array, .dtype = HR_U8, .data = data};
    hr_loader_options o = {.size = sizeof o, .batch_rows = 16, .route = HR_ROUTE_RESIDENT};
    hr_dataset *dataset;
    hr_loader *loader;
    hr_queue *copy_in;

    (void)state;
    assert_non_null(data);
    assert_int_equal(hr_dataset_from_arrays(&array, 1, rows, &dataset), HR_OK);
    assert_int_equal(hr_device_get_queue(dev, HR_QUEUE_COPY_IN, &copy_in), HR_OK);
    fake_hold(fake, copy_in, true);
    assert_int_equal(hr_loader_open(dev, dataset, &o, &loader), HR_OK);
    assert_int_equal(hr_loader_start(loader, 0), HR_OK);
    fake_await_sleepers(fake, 1);
    hr_loader_close(&loader);
    hr_dataset_close(&dataset);
    free(data);
    fake_hold(fake, copy_in, false);
    hr_device_close(&dev);
    assert_int_equal(fake_destroy(fake), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_forked_child_only_forgets),
        cmocka_unit_test(close_with_a_limit),
        cmocka_unit_test(close_during_the_upload),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
