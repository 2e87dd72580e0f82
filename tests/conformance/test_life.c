/* Handles: closed in any order, with work in flight, and what is NULL. */
#include "conformance.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 5000, BYTES = WORDS * 4 };

static const char source[] = "__kernel void twice(__global uint *data) { data[get_global_id(0)] *= 2u; }\n";

/* One of each; nothing else keeps the device. */
struct set {
    hr_device *device;
    hr_queue *queue;
    hr_queue *other;
    hr_program *program;
    hr_kernel *kernel;
    hr_buffer *buffer;
    hr_buffer *pinned;
    hr_buffer *imported;
    hr_event *event;
    uint32_t *result; /* the imported memory, or NULL: the result comes back by hr_read() */
};
enum { MEMBERS = 9 };

static void make(struct set *set)
{
    uint8_t *ptr;

    *set = (struct set){.device = open_with(0, 0, NULL)};
    set->queue = new_queue(set->device, HR_QUEUE_COMPUTE);
    set->other = new_queue(set->device, HR_QUEUE_COPY_OUT);
    OK(hr_program_create(set->device, source, NULL, &set->program));
    OK(hr_kernel_create(set->program, "twice", &set->kernel));
    set->buffer = new_buffer(set->device, BYTES, set->queue);
    set->pinned = new_pinned(set->device, BYTES, &ptr);
    for (uint32_t i = 0; i < WORDS; i++)
        memcpy(ptr + i * 4, &i, 4);
    if (info.abilities & HR_ABILITY_IMPORT) {
        set->result = aligned_alloc(4096, 5 * 4096);
        assert_non_null(set->result);
        OK(hr_buffer_import(set->device, set->result, BYTES, &set->imported));
    }
}

/* Doubles on one queue what came from pinned memory, and takes it home on another. */
static void enqueue(struct set *set)
{
    hr_arg arg = HR_ARG_BUFFER(set->buffer, 0);

    OK(hr_copy(set->queue, set->buffer, 0, set->pinned, 0, BYTES, NULL));
    OK(launch(set->queue, set->kernel, WORDS, &arg, 1, NULL));
    set->event = mark(set->queue);
    OK(hr_queue_wait(set->other, set->event));
    if (set->imported)
        OK(hr_copy(set->other, set->imported, 0, set->buffer, 0, BYTES, NULL));
}

static void close_member(struct set *set, int which)
{
    switch (which) {
    case 0:
        hr_device_close(&set->device);
        break;
    case 1:
        hr_queue_close(&set->queue);
        break;
    case 2:
        hr_queue_close(&set->other);
        break;
    case 3:
        hr_program_close(&set->program);
        break;
    case 4:
        hr_kernel_close(&set->kernel);
        break;
    case 5:
        hr_buffer_close(&set->buffer);
        break;
    case 6:
        hr_buffer_close(&set->pinned);
        break;
    case 7:
        hr_buffer_close(&set->imported);
        break;
    default:
        hr_event_close(&set->event);
        break;
    }
}

static void close_in_any_order(void **state)
{
    uint64_t random = 20261201;

    (void)state;
    for (int round = 0; round < 40; round++) {
        int order[MEMBERS] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
        struct set set;

        make(&set);
        enqueue(&set);
        for (int i = MEMBERS - 1; i > 0; i--) {
            int j = (int)(next_random(&random) % (uint64_t)(i + 1));
            int kept = order[i];

            order[i] = order[j];
            order[j] = kept;
        }
        for (int i = 0; i < MEMBERS; i++)
            close_member(&set, order[i]);
        assert_true(!set.device && !set.queue && !set.other && !set.program && !set.kernel && !set.buffer);
        assert_true(!set.pinned && !set.imported && !set.event);
        for (uint32_t i = 0; set.result && i < WORDS; i++)
            assert_int_equal(set.result[i], 2 * i); /* closing the imported buffer waited for its copy */
        free(set.result);
    }
}

static void what_is_left_works_on(void **state)
{
    struct set set;
    uint32_t value = 0;
    hr_event *event = NULL;
    hr_sync sync = sync_of(&event, NULL, 0);

    (void)state;
    make(&set);
    hr_device_close(&set.device);
    hr_program_close(&set.program);
    enqueue(&set);
    OK(hr_read(set.other, set.buffer, BYTES - 4, &value, 4, &sync));
    hr_queue_close(&set.other);
    hr_queue_close(&set.queue);
    hr_buffer_close(&set.buffer);
    OK(hr_event_wait(event, HR_FOREVER));
    assert_int_equal(value, 2 * (WORDS - 1));
    OK(hr_event_wait(set.event, HR_FOREVER));
    hr_event_close(&event);
    for (int i = 0; i < MEMBERS; i++)
        close_member(&set, i);
    free(set.result);
}

static void null_is_fine_to_close(void **state)
{
    struct set set = {0};

    (void)state;
    for (int i = 0; i < MEMBERS; i++)
        close_member(&set, i);
    hr_device_close(NULL);
    hr_queue_close(NULL);
    hr_program_close(NULL);
    hr_kernel_close(NULL);
    hr_buffer_close(NULL);
    hr_event_close(NULL);
}

static void statuses_have_names(void **state)
{
    (void)state;
    assert_string_equal(hr_status_name(HR_WOULD_BLOCK), "HR_WOULD_BLOCK");
    assert_string_equal(hr_status_name(-1000), "HR_?");
    assert_true(strlen(hr_status_text(HR_DEVICE_LOST)) > 10);
    assert_non_null(hr_status_text(-1000));
    assert_int_equal(hr_version(), HR_VERSION_MAJOR * 10000 + HR_VERSION_MINOR * 100 + HR_VERSION_PATCH);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(close_in_any_order),
        cmocka_unit_test(what_is_left_works_on),
        cmocka_unit_test(null_is_fine_to_close),
        cmocka_unit_test(statuses_have_names),
    };

    return conformance_main(argc, argv, tests, NULL);
}
