/* Queues and events: order across queues, waiting, timing, closing early. */
#include "gate.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS = 1024, BYTES = WORDS * 4 };

/* A queue behind a gate, and one that waits for it in one of two ways. */
static void the_second_waits_for_the_first(bool by_list)
{
    uint32_t expected[WORDS];
    hr_queue *first = new_queue(device, HR_QUEUE_COPY_IN);
    hr_queue *second = new_queue(device, HR_QUEUE_COMPUTE);
    hr_buffer *buffer = new_buffer(device, BYTES, first);
    hr_event *filled = NULL;
    hr_event *added = NULL;
    hr_event *waits[1];
    hr_sync fill_sync = sync_of(&filled, NULL, 0);
    hr_sync add_sync = sync_of(&added, by_list ? waits : NULL, by_list ? 1 : 0);

    gate_close(device, first);
    OK(hr_fill(first, buffer, 0, BYTES, "\7\0\0\0", 4, &fill_sync));
    waits[0] = filled;
    if (!by_list)
        OK(hr_queue_wait(second, filled));
    OK(launch_add(second, buffer, WORDS, 3, &add_sync));
    hr_event_close(&filled); /* "the event may be closed at once" */
    GATE_HOLDS();
    assert_int_equal(is_done(added), 0);
    FAILS(HR_TIMEOUT, hr_event_wait(added, 1000000));
    FAILS(HR_TIMEOUT, hr_event_wait(added, 0));
    gate_open();
    OK(hr_event_wait(added, HR_FOREVER));
    assert_int_equal(is_done(added), 1);
    OK(hr_event_wait(added, 0));
    gate_end();
    for (int i = 0; i < WORDS; i++)
        expected[i] = 10;
    expect_bytes(second, buffer, 0, expected, BYTES);
    hr_event_close(&added);
    hr_buffer_close(&buffer);
    hr_queue_close(&first);
    hr_queue_close(&second);
}

static void events_order_queues(void **state)
{
    (void)state;
    NEEDS_GATE();
    (void)shared_kernel("add_words");
    the_second_waits_for_the_first(true);
    the_second_waits_for_the_first(false);
}

/* A queue that is closed behind a gate finishes its work; so do its events. */
static void closing_with_work_in_flight(void **state)
{
    uint32_t expected[WORDS];
    hr_queue *queue;
    hr_buffer *buffer;
    hr_event *end;

    (void)state;
    NEEDS_GATE();
    queue = new_queue(device, HR_QUEUE_COMPUTE);
    buffer = new_buffer(device, BYTES, queue);
    (void)shared_kernel("add_words");
    gate_close(device, queue);
    OK(hr_fill(queue, buffer, 0, BYTES, "\1\0\0\0", 4, NULL));
    OK(launch_add(queue, buffer, WORDS, 1, NULL));
    end = mark(queue);
    hr_queue_close(&queue);
    assert_null(queue);
    GATE_HOLDS();
    assert_int_equal(is_done(end), 0);
    gate_open();
    OK(hr_event_wait(end, HR_FOREVER));
    gate_end();
    for (int i = 0; i < WORDS; i++)
        expected[i] = 2;
    expect_bytes(compute, buffer, 0, expected, BYTES);
    hr_event_close(&end);
    hr_buffer_close(&buffer);
}

/* One queue held does not hold another, where the device says that it can. */
static void copies_pass_a_kernel(void **state)
{
    uint8_t *data;
    hr_queue *held;
    hr_buffer *buffer;
    hr_event *event = NULL;
    hr_sync sync = sync_of(&event, NULL, 0);

    (void)state;
    NEEDS_GATE();
    if (!(info.abilities & HR_ABILITY_COPY_OVERLAP))
        NOT_APPLICABLE("this device runs no copy beside a kernel");
    data = new_random(BYTES, 1);
    held = new_queue(device, HR_QUEUE_COMPUTE);
    buffer = new_buffer(device, BYTES, copy_in);
    gate_close(device, held);
    OK(hr_write(copy_in, buffer, 0, data, BYTES, &sync));
    OK(hr_event_wait(event, 5000000000u));
    GATE_HOLDS();
    gate_end();
    expect_bytes(held, buffer, 0, data, BYTES);
    hr_event_close(&event);
    hr_buffer_close(&buffer);
    hr_queue_close(&held);
    free(data);
}

static void many_waits(void **state)
{
    enum { QUEUES = 9 };
    hr_queue *queues[QUEUES];
    hr_buffer *parts[QUEUES];
    hr_event *filled[QUEUES];
    hr_buffer *whole = new_buffer(device, QUEUES, compute);
    hr_sync sync = sync_of(NULL, filled, QUEUES);

    (void)state;
    for (int i = 0; i < QUEUES; i++) {
        uint8_t value = (uint8_t)('1' + i);
        hr_sync own = sync_of(&filled[i], NULL, 0);

        queues[i] = new_queue(device, (uint32_t)(i % 3));
        parts[i] = new_buffer(device, 1, queues[i]);
        OK(hr_write(queues[i], parts[i], 0, &value, 1, &own));
    }
    OK(hr_copy(compute, whole, 0, parts[0], 0, 1, &sync));
    for (int i = 1; i < QUEUES; i++)
        OK(hr_copy(compute, whole, (uint64_t)i, parts[i], 0, 1, NULL));
    expect_bytes(compute, whole, 0, "123456789", QUEUES);
    for (int i = 0; i < QUEUES; i++) {
        hr_event_close(&filled[i]);
        hr_buffer_close(&parts[i]);
        hr_queue_close(&queues[i]);
    }
    hr_buffer_close(&whole);
}

static void times_where_asked_for(void **state)
{
    hr_queue_options options = {.size = sizeof options, .flags = HR_TIMING};
    hr_queue *queue = NULL;
    hr_buffer *buffer = new_buffer(device, BYTES, compute);
    hr_event *events[2] = {NULL, NULL};
    hr_sync sync = {.size = sizeof sync, .flags = HR_TIMING, .event = &events[0]};
    uint64_t times[4] = {0};

    (void)state;
    if (!(info.abilities & HR_ABILITY_TIMING)) {
        FAILS(HR_UNSUPPORTED, hr_queue_create(device, HR_QUEUE_COMPUTE, &options, &queue));
        hr_buffer_close(&buffer);
        return;
    }
    OK(hr_queue_create(device, HR_QUEUE_COMPUTE, &options, &queue));
    OK(launch_add(queue, buffer, WORDS, 1, &sync));
    sync.event = &events[1];
    OK(hr_copy(queue, buffer, 0, buffer, BYTES / 2, BYTES / 2, &sync));
    OK(hr_queue_finish(queue));
    for (int i = 0; i < 2; i++) {
        OK(hr_event_get_times(events[i], &times[2 * i], &times[2 * i + 1]));
        assert_true(times[2 * i] > 0 && times[2 * i] <= times[2 * i + 1]);
        FAILS(HR_INVALID, hr_event_get_times(events[i], NULL, &times[0]));
        hr_event_close(&events[i]);
    }
    assert_true(times[1] <= times[3]); /* in order */
    hr_buffer_close(&buffer);
    hr_queue_close(&queue);
}

static void no_times_unasked(void **state)
{
    hr_buffer *buffer = new_buffer(device, BYTES, compute);
    hr_event *event = NULL;
    hr_sync sync = sync_of(&event, NULL, 0);
    uint64_t start = 77;
    uint64_t end = 77;

    (void)state;
    OK(hr_fill(compute, buffer, 0, BYTES, "x", 1, &sync));
    OK(hr_event_wait(event, HR_FOREVER));
    FAILS(HR_UNSUPPORTED, hr_event_get_times(event, &start, &end));
    assert_true(start == 77 && end == 77);
    hr_event_close(&event);
    hr_buffer_close(&buffer);
}

static void no_times_before_the_end(void **state)
{
    hr_queue_options options = {.size = sizeof options, .flags = HR_TIMING};
    hr_queue *queue = NULL;
    hr_event *event;
    uint64_t start;
    uint64_t end;

    (void)state;
    NEEDS_GATE();
    if (!(info.abilities & HR_ABILITY_TIMING))
        NOT_APPLICABLE("this device has no timestamps");
    OK(hr_queue_create(device, HR_QUEUE_COMPUTE, &options, &queue));
    gate_close(device, queue);
    event = mark(queue);
    FAILS(HR_STATE, hr_event_get_times(event, &start, &end));
    gate_end();
    OK(hr_event_wait(event, HR_FOREVER));
    OK(hr_event_get_times(event, &start, &end));
    hr_event_close(&event);
    hr_queue_close(&queue);
}

static void wrong_arguments(void **state)
{
    hr_queue_options options = {.size = 0};
    hr_queue *queue = NULL;
    hr_event *event = NULL;
    uint32_t done = 7;

    (void)state;
    FAILS(HR_INVALID, hr_queue_create(NULL, HR_QUEUE_COMPUTE, NULL, &queue));
    FAILS(HR_INVALID, hr_queue_create(device, 3, NULL, &queue));
    FAILS(HR_INVALID, hr_queue_create(device, HR_QUEUE_COMPUTE, NULL, NULL));
    FAILS(HR_INVALID, hr_queue_create(device, HR_QUEUE_COMPUTE, &options, &queue));
    SAYS("hr_queue_options");
    FAILS(HR_INVALID, hr_queue_finish(NULL));
    FAILS(HR_INVALID, hr_queue_wait(compute, NULL));
    FAILS(HR_INVALID, hr_event_record(NULL, &event));
    FAILS(HR_INVALID, hr_event_record(compute, NULL));
    FAILS(HR_INVALID, hr_event_wait(NULL, 0));
    FAILS(HR_INVALID, hr_event_done(NULL, &done));
    event = mark(compute);
    FAILS(HR_INVALID, hr_queue_wait(NULL, event));
    FAILS(HR_INVALID, hr_event_done(event, NULL));
    OK(hr_event_wait(event, HR_FOREVER)); /* of a queue without work */
    hr_event_close(&event);
    assert_true(!queue && done == 7);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        gated_test(events_order_queues),         gated_test(closing_with_work_in_flight),
        gated_test(copies_pass_a_kernel),        cmocka_unit_test(many_waits),
        cmocka_unit_test(times_where_asked_for), cmocka_unit_test(no_times_unasked),
        gated_test(no_times_before_the_end),     cmocka_unit_test(wrong_arguments),
    };

    return conformance_main(argc, argv, tests, NULL);
}
