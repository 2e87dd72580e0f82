/* Objects keep what they need: closing in any order is legal and gives everything back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake/fake_backend.h"
#include "transfer/object.h"

/* Everything a program can hold. */
struct all {
    struct fake *fake;
    hr_device *device;
    hr_queue *queue;
    hr_buffer *buffer;
    hr_buffer *view;
    hr_event *event;
    hr_program *program;
    hr_kernel *kernel;
};

static void nothing(const hr_grid *grid, const struct fake_arg *args)
{
    (void)grid;
    (void)args;
}

static void make_all(struct all *a)
{
    unsigned char bytes[100] = {1};
    hr_sync sync = {.size = sizeof sync, .event = &a->event};

    *a = (struct all){.fake = fake_create(NULL)};
    fake_add_kernel(a->fake, "nothing", nothing, 0);
    a->device = fake_device(a->fake, NULL);
    assert_non_null(a->device);
    assert_int_equal(hr_queue_create(a->device, HR_QUEUE_COMPUTE, NULL, &a->queue), HR_OK);
    assert_int_equal(hr_buffer_create(a->device, HR_MEMORY_DEVICE, 4096, a->queue, &a->buffer), HR_OK);
    assert_int_equal(hri_buffer_view(a->buffer, 1024, 1024, &a->view), HR_OK);
    assert_int_equal(hr_write(a->queue, a->view, 0, bytes, sizeof bytes, &sync), HR_OK);
    assert_int_equal(hr_program_create(a->device, "text", NULL, &a->program), HR_OK);
    assert_int_equal(hr_kernel_create(a->program, "nothing", &a->kernel), HR_OK);
}

static void close_one(struct all *a, unsigned which)
{
    switch (which) {
    case 0:
        hr_device_close(&a->device);
        break;
    case 1:
        hr_queue_close(&a->queue);
        break;
    case 2:
        hr_buffer_close(&a->buffer);
        break;
    case 3:
        hr_buffer_close(&a->view);
        break;
    case 4:
        hr_event_close(&a->event);
        break;
    case 5:
        hr_program_close(&a->program);
        break;
    default:
        hr_kernel_close(&a->kernel);
    }
}

enum { KINDS = 7, ORDERS = 5040 };

/* The nth order of the seven, by its factorial digits. */
static void order_of(unsigned n, unsigned *order)
{
    unsigned left[KINDS];

    for (unsigned i = 0; i < KINDS; i++)
        left[i] = i;
    for (unsigned i = 0; i < KINDS; i++) {
        unsigned at = n % (KINDS - i);

        n /= KINDS - i;
        order[i] = left[at];
        memmove(&left[at], &left[at + 1], (KINDS - 1 - i - at) * sizeof left[0]);
    }
}

static void any_order_gives_all_back(void **state)
{
    (void)state;
    for (unsigned n = 0; n < ORDERS; n++) {
        unsigned order[KINDS];
        struct all a;

        order_of(n, order);
        make_all(&a);
        for (unsigned i = 0; i < KINDS; i++) {
            assert_int_equal(fake_live(a.fake, FAKE_DEVICES), 1);
            close_one(&a, order[i]);
        }
        assert_null(a.device);
        assert_null(a.buffer);
        assert_int_equal(fake_live(a.fake, FAKE_DEVICES), 0);
        assert_int_equal(fake_destroy(a.fake), 0);
    }
}

static void closing_nothing_is_fine(void **state)
{
    hr_device *device = NULL;
    hr_queue *queue = NULL;
    hr_buffer *buffer = NULL;
    hr_event *event = NULL;
    hr_program *program = NULL;
    hr_kernel *kernel = NULL;

    (void)state;
    hr_device_close(NULL);
    hr_device_close(&device);
    hr_queue_close(NULL);
    hr_queue_close(&queue);
    hr_buffer_close(NULL);
    hr_buffer_close(&buffer);
    hr_event_close(NULL);
    hr_event_close(&event);
    hr_program_close(NULL);
    hr_program_close(&program);
    hr_kernel_close(NULL);
    hr_kernel_close(&kernel);
}

/* A closed buffer's memory stays while the write into it is on its way; closing waits for nothing. */
static void closing_a_buffer_never_waits(void **state)
{
    unsigned char bytes[64] = {7};
    struct fake *fake = fake_create(NULL);
    hr_device *device = fake_device(fake, NULL);
    hr_queue *queue;
    hr_buffer *buffer;

    (void)state;
    assert_int_equal(hr_device_get_queue(device, HR_QUEUE_COPY_IN, &queue), HR_OK);
    assert_int_equal(hr_buffer_create(device, HR_MEMORY_DEVICE, 64, queue, &buffer), HR_OK);
    assert_int_equal(hr_write(queue, buffer, 0, bytes, sizeof bytes, NULL), HR_OK);
    hr_buffer_close(&buffer);
    assert_int_equal(fake_pending(fake, queue), 1);
    assert_int_equal(fake_count(fake, FAKE_EVENT_WAIT), 0);
    hr_memory_trim(device); /* not idle: it stays */
    assert_int_equal(fake_broken(fake), 0);
    hr_device_close(&device); /* the last holder finishes the queue */
    assert_int_equal(fake_destroy(fake), 0);
}

/* What is closed while the host has it is taken back from the host: the memory is another buffer's next. */
static void closing_ends_host_access(void **state)
{
    struct fake *fake = fake_create(NULL);
    hr_device *device = fake_device(fake, NULL);
    hr_queue *queue;
    hr_buffer *buffers[2];
    void *ptr;

    (void)state;
    assert_int_equal(hr_queue_create(device, HR_QUEUE_COMPUTE, NULL, &queue), HR_OK);
    assert_int_equal(hr_buffer_create(device, HR_MEMORY_DEVICE, 64, queue, &buffers[0]), HR_OK);
    assert_int_equal(hri_buffer_view(buffers[0], 0, 64, &buffers[1]), HR_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(hr_buffer_acquire(buffers[i], queue, HR_ACCESS_WRITE, &ptr), HR_OK);
    hr_queue_close(&queue);
    for (unsigned i = 0; i < 2; i++) {
        hr_buffer_close(&buffers[1 - i]);
        assert_int_equal(fake_count(fake, FAKE_BUFFER_RELEASE), i + 1);
    }
    hr_device_close(&device);
    assert_int_equal(fake_destroy(fake), 0);
}

/* The program may free imported memory right after closing. */
static void closing_an_import_waits(void **state)
{
    unsigned char memory[256];
    unsigned char back[256] = {0};
    struct fake *fake = fake_create(NULL);
    hr_device *device = fake_device(fake, NULL);
    hr_queue *queue;
    hr_buffer *buffer;
    hr_buffer *import;

    (void)state;
    memset(memory, 0x5c, sizeof memory);
    assert_int_equal(hr_device_get_queue(device, HR_QUEUE_COPY_IN, &queue), HR_OK);
    assert_int_equal(hr_buffer_create(device, HR_MEMORY_DEVICE, 256, queue, &buffer), HR_OK);
    assert_int_equal(hr_buffer_import(device, memory, sizeof memory, &import), HR_OK);
    assert_int_equal(hr_copy(queue, buffer, 0, import, 0, 256, NULL), HR_OK);
    assert_int_equal(fake_pending(fake, queue), 1);
    hr_buffer_close(&import);
    assert_int_equal(fake_pending(fake, queue), 0);
    memset(memory, 0, sizeof memory);
    assert_int_equal(hr_read(queue, buffer, 0, back, 256, NULL), HR_OK);
    assert_int_equal(hr_queue_finish(queue), HR_OK);
    assert_int_equal(back[0], 0x5c);
    hr_buffer_close(&buffer);
    hr_device_close(&device);
    assert_int_equal(fake_destroy(fake), 0);
}

static void default_queues_are_the_devices(void **state)
{
    struct fake *fake = fake_create(NULL);
    hr_device *device = fake_device(fake, NULL);
    hr_queue *queue;
    hr_queue *again;
    hr_event *event;

    (void)state;
    assert_int_equal(hr_device_get_queue(device, HR_QUEUE_COMPUTE, &queue), HR_OK);
    assert_int_equal(hr_device_get_queue(device, HR_QUEUE_COMPUTE, &again), HR_OK);
    assert_ptr_equal(queue, again);
    assert_int_equal(hr_event_record(queue, &event), HR_OK);
    hr_queue_close(&again); /* forgets the handle alone */
    assert_null(again);
    hr_device_close(&device);
    assert_int_equal(hr_event_wait(event, HR_FOREVER), HR_OK); /* the event keeps queue and device */
    hr_event_close(&event);
    assert_int_equal(fake_destroy(fake), 0);
}

static void a_child_is_refused(void **state)
{
    struct fake *fake = fake_create(NULL);
    hr_device *device = fake_device(fake, NULL);
    hr_queue *queue;
    hr_buffer *buffer;
    int status;
    pid_t child;

    (void)state;
    assert_int_equal(hr_device_get_queue(device, HR_QUEUE_COMPUTE, &queue), HR_OK);
    assert_int_equal(hr_buffer_create(device, HR_MEMORY_DEVICE, 64, queue, &buffer), HR_OK);
    child = fork();
    if (child == 0) {
        hr_event *event;
        hr_buffer *other;
        int ok = hr_event_record(queue, &event) == HR_FORKED && hr_queue_finish(queue) == HR_FORKED &&
                 hr_buffer_create(device, HR_MEMORY_DEVICE, 64, queue, &other) == HR_FORKED &&
                 hr_write(queue, buffer, 0, &ok, sizeof ok, NULL) == HR_FORKED;

        hr_buffer_close(&buffer);
        hr_device_close(&device);
        _exit(ok && buffer == NULL && device == NULL && fake_count(fake, FAKE_EVENT_RECORD) == 0 ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    hr_buffer_close(&buffer);
    hr_device_close(&device);
    assert_int_equal(fake_destroy(fake), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order_gives_all_back),     cmocka_unit_test(closing_nothing_is_fine),
        cmocka_unit_test(closing_a_buffer_never_waits), cmocka_unit_test(closing_an_import_waits),
        cmocka_unit_test(closing_ends_host_access),     cmocka_unit_test(default_queues_are_the_devices),
        cmocka_unit_test(a_child_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
