/* Torture: in a scenario that opens, writes, launches, reads and closes, the nth call of the driver fails, for every n.
 * Every time a clean status, nothing half-done, nothing leaked; and so for the nth piece of work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake/fake_backend.h"
#include "transfer/object.h"
#include "transfer/open.h"

enum { BYTES = 300000 };

static void invert(const hr_grid *grid, const struct fake_arg *args)
{
    unsigned char *bytes = args[0].ptr;

    for (uint64_t i = 0; i < grid->global[0]; i++)
        bytes[i] = (unsigned char)~bytes[i];
}

struct scene {
    hr_device *device;
    hr_queue *in;
    hr_queue *compute;
    hr_buffer *buffer;
    hr_buffer *second;
    hr_buffer *view;
    hr_buffer *pinned;
    hr_buffer *import;
    hr_program *program;
    hr_kernel *kernel;
    hr_kernel *gather;
    hr_event *written;
    hr_event *read;
    unsigned char *host;
    unsigned char *seen;
    unsigned char outside[4096];
};

/* Stops at the first failure, as a program would. */
static hr_status make(struct scene *s)
{
    hr_status st = hr_queue_create(s->device, HR_QUEUE_COMPUTE, NULL, &s->compute);

    if (st == HR_OK)
        st = hr_device_get_queue(s->device, HR_QUEUE_COPY_IN, &s->in);
    if (st == HR_OK)
        st = hr_buffer_create(s->device, HR_MEMORY_DEVICE, BYTES, s->in, &s->buffer);
    if (st == HR_OK)
        st = hr_buffer_create(s->device, HR_MEMORY_PINNED, 4096, NULL, &s->pinned);
    if (st == HR_OK)
        st = hri_buffer_view(s->buffer, 4096, 4096, &s->view);
    if (st == HR_OK)
        st = hr_buffer_import(s->device, s->outside, sizeof s->outside, &s->import);
    if (st == HR_OK)
        st = hr_program_create(s->device, "text", NULL, &s->program);
    if (st == HR_OK)
        st = hr_kernel_create(s->program, "invert", &s->kernel);
    if (st == HR_OK)
        st = hri_device_kernel(s->device, "gather_1", &s->gather);
    return st;
}

static hr_status move(struct scene *s)
{
    hr_sync written = {.size = sizeof written, .event = &s->written};
    hr_sync launched = {.size = sizeof launched, .n_waits = 1, .waits = &s->written};
    hr_sync tell = {.size = sizeof tell, .event = &s->read};
    hr_grid grid = {.size = sizeof grid, .dims = 1, .global = {BYTES}};
    hr_arg arg = HR_ARG_BUFFER(s->buffer, 0);
    hr_status st = hr_write(s->in, s->buffer, 0, s->host, BYTES, &written);
    void *ptr;

    if (st == HR_OK)
        st = hr_copy(s->in, s->view, 0, s->import, 0, 100, NULL);
    if (st == HR_OK)
        st = hr_fill(s->in, s->view, 0, 64, "\x07", 1, NULL);
    if (st == HR_OK)
        st = hr_kernel_launch(s->compute, s->kernel, &grid, &arg, 1, &launched);
    if (st == HR_OK)
        st = hr_buffer_acquire(s->buffer, s->compute, HR_ACCESS_READ, &ptr);
    if (st == HR_OK)
        st = hr_buffer_release(s->buffer, s->compute);
    if (st == HR_OK)
        st = hr_copy(s->compute, s->pinned, 0, s->view, 0, 4096, NULL);
    if (st == HR_OK)
        st = hr_read(s->compute, s->buffer, 0, s->seen, BYTES, &tell);
    if (st == HR_OK)
        st = hr_event_wait(s->read, HR_FOREVER);
    return st;
}

/* A buffer that is given back in use and created again on another queue, then a shortage. */
static hr_status reuse(struct scene *s)
{
    hr_status st;

    hr_buffer_close(&s->view);
    hr_buffer_close(&s->import);
    st = hr_fill(s->in, s->buffer, 0, 64, "\x01", 1, NULL);
    if (st != HR_OK)
        return st;
    hr_buffer_close(&s->buffer);
    st = hr_buffer_create(s->device, HR_MEMORY_DEVICE, BYTES, s->compute, &s->second);
    if (st == HR_OK)
        st = hr_write(s->compute, s->second, 0, s->host, BYTES, NULL);
    if (st != HR_OK)
        return st;
    hr_buffer_close(&s->second);
    st = hr_buffer_create(s->device, HR_MEMORY_DEVICE, BYTES * 3 / 2, NULL, &s->second);
    if (st == HR_OK)
        st = hr_memory_trim(s->device);
    if (st == HR_OK)
        st = hr_queue_finish(s->compute);
    if (st == HR_OK)
        st = hr_queue_finish(s->in);
    return st;
}

static void close_all(struct scene *s)
{
    hr_event_close(&s->written);
    hr_event_close(&s->read);
    hr_kernel_close(&s->kernel);
    hr_program_close(&s->program);
    hr_buffer_close(&s->view);
    hr_buffer_close(&s->import);
    hr_buffer_close(&s->buffer);
    hr_buffer_close(&s->second);
    hr_buffer_close(&s->pinned);
    hr_queue_close(&s->compute);
    hr_device_close(&s->device);
}

/* Runs the scenario; `right`: what came back is what was to come. */
static hr_status play(struct fake *fake, bool *right)
{
    hr_device_options options = {
        .size = sizeof options, .device_memory_bytes = BYTES * 2, .pinned_memory_bytes = 512 << 10};
    struct hri_choice choice;
    struct scene *s = calloc(1, sizeof *s);
    hr_status st;

    s->host = malloc(BYTES);
    s->seen = calloc(1, BYTES);
    memset(s->host, 0x35, BYTES);
    fake_add_kernel(fake, "invert", invert, 1);
    fake_choice(fake, &choice);
    st = hri_device_open_choice(&choice, &options, &s->device);
    if (st == HR_OK)
        st = make(s);
    if (st == HR_OK)
        st = move(s);
    *right = st == HR_OK && s->seen[0] == (unsigned char)~0x35 && s->seen[BYTES - 1] == (unsigned char)~0x35;
    if (st == HR_OK)
        st = reuse(s);
    close_all(s);
    free(s->host);
    free(s->seen);
    free(s);
    return st;
}

static uint64_t undisturbed(void)
{
    struct fake *fake = fake_create(NULL);
    bool right;
    uint64_t calls;

    assert_int_equal(play(fake, &right), HR_OK);
    assert_true(right);
    calls = fake_count(fake, FAKE_ANY);
    assert_int_equal(fake_destroy(fake), 0);
    return calls;
}

/* Failures that the library gets over by itself leave the right result; all others are answered as they are. */
static void the_nth_call_fails(void **state)
{
    static const hr_status statuses[] = {HR_DRIVER, HR_DEVICE_LOST, HR_NO_MEMORY, HR_NO_DEVICE_MEMORY};
    uint64_t calls = undisturbed();
    unsigned answered = 0;

    (void)state;
    assert_true(calls > 40);
    for (unsigned k = 0; k < sizeof statuses / sizeof statuses[0]; k++) {
        for (uint64_t n = 1; n <= calls; n++) {
            struct fake *fake = fake_create(NULL);
            bool right;
            hr_status st;

            fake_fail(fake, FAKE_ANY, n, statuses[k]);
            st = play(fake, &right);
            if (st == HR_OK)
                assert_true(right);
            else
                assert_int_equal(st, statuses[k]);
            if (st != HR_OK)
                assert_non_null(strstr(hr_last_error(), "as planned"));
            answered += st != HR_OK;
            assert_int_equal(fake_live(fake, FAKE_DEVICES), 0);
            assert_int_equal(fake_destroy(fake), 0);
        }
    }
    assert_true(answered > calls * 2); /* most calls matter */
}

static void the_nth_work_fails(void **state)
{
    static const hr_status statuses[] = {HR_DRIVER, HR_DEVICE_LOST};
    unsigned answered = 0;

    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        for (uint64_t n = 1; n <= 30; n++) {
            struct fake *fake = fake_create(NULL);
            bool right;
            hr_status st;

            fake_fail_work(fake, n, statuses[k]);
            st = play(fake, &right);
            assert_true(st == statuses[k] || (st == HR_OK && right));
            answered += st != HR_OK;
            assert_int_equal(fake_destroy(fake), 0);
        }
    }
    assert_true(answered > 10);
}

/* What a call gets over, and what closing meets, is not the last failing call's message. */
static void the_message_stays_the_failing_calls(void **state)
{
    struct fake *fake = fake_create(NULL);
    hr_device *device = fake_device(fake, NULL);
    hr_queue *queue;
    hr_buffer *first;
    hr_buffer *second;
    hr_buffer *import;
    unsigned char memory[64] = {0};
    char told[1024];

    (void)state;
    assert_int_equal(hr_queue_create(device, HR_QUEUE_COMPUTE, NULL, &queue), HR_OK);
    assert_int_equal(hr_buffer_create(device, HR_MEMORY_DEVICE, 64, queue, &first), HR_OK);
    assert_int_equal(hr_buffer_import(device, memory, sizeof memory, &import), HR_OK);
    assert_int_equal(hr_buffer_create(device, HR_MEMORY_DEVICE, 4096, queue, &second), HR_OK);
    hr_buffer_close(&second); /* cached: what a shortage is got over with */
    assert_int_equal(hr_fill(queue, first, 0, 64, memory, 3, NULL), HR_INVALID);
    strcpy(told, hr_last_error());
    fake_fail(fake, FAKE_BUFFER_CREATE, 1, HR_NO_DEVICE_MEMORY);
    assert_int_equal(hr_buffer_create(device, HR_MEMORY_DEVICE, 100000, queue, &second), HR_OK);
    assert_string_equal(hr_last_error(), told);
    assert_int_equal(hr_copy(queue, first, 0, import, 0, 64, NULL), HR_OK);
    fake_fail(fake, FAKE_EVENT_RECORD, 1, HR_DRIVER);
    hr_buffer_close(&import);
    assert_string_equal(hr_last_error(), told);
    assert_int_equal(hr_fill(queue, first, 0, 64, memory, 1, NULL), HR_OK);
    fake_fail_work(fake, 1, HR_DRIVER);
    hr_buffer_close(&first);
    hr_buffer_close(&second);
    hr_queue_close(&queue);
    hr_device_close(&device);
    assert_string_equal(hr_last_error(), told);
    assert_int_equal(fake_destroy(fake), 0);
}

static void opening_checks_its_options(void **state)
{
    struct fake *fake = fake_create(NULL);
    struct hri_choice choice;
    hr_device_options options = {0};
    hr_device *device = NULL;

    (void)state;
    fake_choice(fake, &choice);
    assert_int_equal(hri_device_open_choice(&choice, &options, &device), HR_INVALID); /* size 0 */
    options.size = sizeof options;
    options.flags = 1;
    assert_int_equal(hri_device_open_choice(&choice, &options, &device), HR_INVALID);
    options.flags = 0;
    options.layers = "faulty:op=copy";
    assert_int_equal(hri_device_open_choice(&choice, &options, &device), HR_NOT_FOUND);
    assert_non_null(strstr(hr_last_error(), "faulty"));
    assert_null(device);
    assert_int_equal(hr_device_open(NULL, NULL, NULL), HR_INVALID);
    assert_int_equal(fake_destroy(fake), 0);
}

static void budgets_come_from_options_or_the_device(void **state)
{
    struct fake_options shared = {.memory_bytes = 1000000, .abilities = HR_ABILITY_SHARED_MEMORY};
    hr_device_options options = {.size = sizeof options, .device_memory_bytes = 12345, .pinned_memory_bytes = 6789};
    struct fake *fake = fake_create(&shared);
    hr_device *device = fake_device(fake, &options);
    hr_device_info info = {.size = sizeof info};

    (void)state;
    assert_int_equal(hr_device_get_info(device, &info), HR_OK);
    assert_int_equal(info.budget_bytes, 12345);
    assert_int_equal(info.pinned_budget_bytes, 6789);
    assert_string_equal(info.backend, "fake");
    hr_device_close(&device);
    device = fake_device(fake, NULL);
    assert_int_equal(hr_device_get_info(device, &info), HR_OK);
    assert_int_equal(info.budget_bytes, 500000); /* half of what is the host's too */
    info.size = 3;
    assert_int_equal(hr_device_get_info(device, &info), HR_INVALID);
    hr_device_close(&device);
    assert_int_equal(fake_destroy(fake), 0);
}

/* Ops that a backend leaves out are answered for it. */
static void missing_ops_are_unsupported(void **state)
{
    struct fake *fake = fake_create(NULL);
    struct hri_choice choice;
    struct hrb_ops ops = *fake_backend(fake)->ops;
    struct hrb_backend poor = *fake_backend(fake);
    hr_device *device;
    hr_queue *queue;
    hr_buffer *buffer = NULL;
    unsigned char memory[64];
    void *native;
    uint64_t offset;

    (void)state;
    ops.buffer_import = NULL;
    poor.ops = &ops;
    fake_choice(fake, &choice);
    choice.backend = &poor;
    assert_int_equal(hri_device_open_choice(&choice, NULL, &device), HR_OK);
    assert_int_equal(hr_buffer_import(device, memory, sizeof memory, &buffer), HR_UNSUPPORTED);
    assert_int_equal(hr_device_get_queue(device, HR_QUEUE_COMPUTE, &queue), HR_OK);
    assert_int_equal(hr_buffer_create(device, HR_MEMORY_DEVICE, 64, NULL, &buffer), HR_OK);
    assert_int_equal(hrb_queue_native(queue, &ops, &native), HR_UNSUPPORTED);
    assert_int_equal(hrb_buffer_native(buffer, &ops, &native, &offset), HR_UNSUPPORTED);
    assert_int_equal(hrb_buffer_native(buffer, fake_backend(fake)->ops, &native, &offset), HR_INVALID);
    assert_false(hri_queue_is_foreign(queue));
    hr_buffer_close(&buffer);
    hr_device_close(&device);
    assert_int_equal(fake_destroy(fake), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nth_call_fails),
        cmocka_unit_test(the_nth_work_fails),
        cmocka_unit_test(the_message_stays_the_failing_calls),
        cmocka_unit_test(opening_checks_its_options),
        cmocka_unit_test(budgets_come_from_options_or_the_device),
        cmocka_unit_test(missing_ops_are_unsupported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
