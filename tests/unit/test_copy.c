/* Copies, rects, fills and launches: the right bytes, at the right time, and every wrong argument refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake/fake_backend.h"
#include "transfer/object.h"

enum { BYTES = 4096 };

static struct fake *fake;
static hr_device *device;
static hr_queue *queue;
static hr_queue *second;
static hr_buffer *a;
static hr_buffer *b;
static hr_buffer *pinned;
static unsigned char host[BYTES];

static int set_up(void **state)
{
    (void)state;
    fake = fake_create(NULL);
    device = fake_device(fake, NULL);
    for (int i = 0; i < BYTES; i++)
        host[i] = (unsigned char)(i * 7 + i / 256);
    return hr_queue_create(device, HR_QUEUE_COMPUTE, NULL, &queue) ||
           hr_queue_create(device, HR_QUEUE_COPY_IN, NULL, &second) ||
           hr_buffer_create(device, HR_MEMORY_DEVICE, BYTES, queue, &a) ||
           hr_buffer_create(device, HR_MEMORY_DEVICE, BYTES, queue, &b) ||
           hr_buffer_create(device, HR_MEMORY_PINNED, BYTES, queue, &pinned) ||
           hr_write(queue, a, 0, host, BYTES, NULL) || hr_fill(queue, b, 0, BYTES, "", 1, NULL) ||
           hr_queue_finish(queue);
}

static int tear_down(void **state)
{
    (void)state;
    hr_buffer_close(&a);
    hr_buffer_close(&b);
    hr_buffer_close(&pinned);
    hr_queue_close(&queue);
    hr_queue_close(&second);
    hr_device_close(&device);
    return (int)fake_destroy(fake);
}

static void read_all(hr_buffer *buffer, unsigned char *bytes)
{
    assert_int_equal(hr_read(queue, buffer, 0, bytes, BYTES, NULL), HR_OK);
    assert_int_equal(hr_queue_finish(queue), HR_OK);
}

static void a_copy_is_late_and_right(void **state)
{
    unsigned char seen[BYTES];

    (void)state;
    assert_int_equal(hr_copy(queue, b, 10, a, 100, 1000, NULL), HR_OK);
    read_all(b, seen);
    assert_memory_equal(seen + 10, host + 100, 1000);
    assert_int_equal(seen[9], 0);
    assert_int_equal(seen[1010], 0);
}

static void pinned_memory_goes_both_ways(void **state)
{
    unsigned char seen[BYTES];
    void *ptr;
    void *again;

    (void)state;
    assert_int_equal(hr_buffer_acquire(pinned, NULL, HR_ACCESS_WRITE, &ptr), HR_OK);
    memset(ptr, 0x3d, BYTES);
    assert_int_equal(hr_buffer_acquire(pinned, NULL, HR_ACCESS_READ, &again), HR_STATE);
    assert_int_equal(hr_buffer_release(pinned, NULL), HR_OK);
    assert_int_equal(hr_buffer_release(pinned, NULL), HR_STATE);
    assert_int_equal(hr_copy(queue, b, 0, pinned, 0, 64, NULL), HR_OK);
    assert_int_equal(hr_copy(queue, pinned, 0, a, 0, 32, NULL), HR_OK);
    read_all(b, seen);
    assert_int_equal(seen[63], 0x3d);
    assert_int_equal(hr_buffer_acquire(pinned, queue, HR_ACCESS_READ, &again), HR_OK);
    assert_ptr_equal(again, ptr);
    assert_memory_equal(again, host, 32);
    assert_int_equal(hr_buffer_release(pinned, queue), HR_OK);
}

static void acquire_waits_for_the_queue(void **state)
{
    void *ptr = NULL;

    (void)state;
    assert_int_equal(hr_copy(queue, b, 0, a, 0, BYTES, NULL), HR_OK);
    assert_int_equal(hr_buffer_acquire(b, NULL, HR_ACCESS_READ, &ptr), HR_INVALID); /* not shared: from which queue? */
    assert_null(ptr);
    assert_int_equal(hr_buffer_acquire(b, queue, HR_ACCESS_READ | HR_ACCESS_WRITE, &ptr), HR_OK);
    assert_memory_equal(ptr, host, BYTES);
    assert_int_equal(hr_buffer_release(b, queue), HR_OK);
    assert_int_equal(hr_buffer_acquire(b, queue, HR_ACCESS_DISCARD, &ptr), HR_INVALID);
    assert_int_equal(hr_buffer_acquire(b, queue, 64, &ptr), HR_INVALID);
}

static void waits_and_events_cross_queues(void **state)
{
    unsigned char seen[64];
    hr_event *first;
    hr_event *last;
    hr_sync tell = {.size = sizeof tell, .event = &first};
    hr_sync both = {.size = sizeof both, .n_waits = 1, .waits = &first, .event = &last};

    (void)state;
    assert_int_equal(hr_fill(second, b, 0, 64, "\x42", 1, &tell), HR_OK);
    assert_int_equal(hr_read(queue, b, 0, seen, sizeof seen, &both), HR_OK);
    assert_int_equal(fake_step(fake, queue, 5), 0); /* behind the other queue */
    assert_int_equal(hr_event_wait(last, HR_FOREVER), HR_OK);
    assert_int_equal(seen[5], 0x42);
    hr_event_close(&first);
    hr_event_close(&last);
}

static void many_waits(void **state)
{
    enum { N = 20 };
    hr_event *events[N];
    hr_sync sync = {.size = sizeof sync, .n_waits = N, .waits = events};

    (void)state;
    for (int i = 0; i < N; i++)
        assert_int_equal(hr_event_record(second, &events[i]), HR_OK);
    assert_int_equal(hr_fill(queue, a, 0, 64, "\x01", 1, &sync), HR_OK);
    assert_int_equal(fake_step(fake, queue, 1), 0);
    assert_int_equal(hr_queue_finish(queue), HR_OK);
    assert_int_equal(fake_pending(fake, second), 0);
    for (int i = 0; i < N; i++)
        hr_event_close(&events[i]);
}

static void nothing_still_waits_and_tells(void **state)
{
    hr_event *first;
    hr_event *last;
    hr_sync sync = {.size = sizeof sync, .n_waits = 1, .waits = &first, .event = &last};
    uint32_t done;

    (void)state;
    assert_int_equal(hr_fill(second, b, 0, 64, "\x42", 1, NULL), HR_OK);
    assert_int_equal(hr_event_record(second, &first), HR_OK);
    assert_int_equal(hr_copy(queue, b, BYTES, a, 0, 0, &sync), HR_OK);
    assert_int_equal(hr_event_done(last, &done), HR_OK);
    assert_int_equal(done, 0);
    assert_int_equal(hr_event_wait(last, HR_FOREVER), HR_OK);
    assert_int_equal(fake_pending(fake, second), 0);
    assert_int_equal(fake_count(fake, FAKE_COPY), 1); /* the set-up's write */
    hr_event_close(&first);
    hr_event_close(&last);
    assert_int_equal(hr_write(queue, b, 0, NULL, 0, NULL), HR_OK);
    assert_int_equal(hr_fill(queue, b, 0, 0, "x", 1, NULL), HR_OK);
}

static void rects_move_boxes(void **state)
{
    unsigned char seen[BYTES];
    hr_rect from = {.size = sizeof from, .offset = 3, .row_pitch = 32, .slice_pitch = 512};
    hr_rect to = {.size = sizeof to, .offset = 8, .row_pitch = 10};

    (void)state;
    assert_int_equal(hr_copy_rect(queue, b, &to, a, &from, 7, 4, 3, NULL), HR_OK);
    read_all(b, seen);
    for (int slice = 0; slice < 3; slice++)
        for (int row = 0; row < 4; row++)
            assert_memory_equal(seen + 8 + slice * 40 + row * 10, host + 3 + slice * 512 + row * 32, 7);
    assert_int_equal(seen[15], 0); /* between rows */
}

static void rects_are_checked(void **state)
{
    hr_rect from = {.size = sizeof from, .row_pitch = 64};
    hr_rect to = {.size = sizeof to, .row_pitch = 64};

    (void)state;
    assert_int_equal(hr_copy_rect(queue, b, &to, a, &from, 65, 2, 1, NULL), HR_INVALID); /* wider than its pitch */
    assert_int_equal(hr_copy_rect(queue, b, &to, a, &from, 64, 64, 1, NULL), HR_OK);
    assert_int_equal(hr_copy_rect(queue, b, &to, a, &from, 64, 65, 1, NULL), HR_RANGE);
    assert_int_equal(hr_copy_rect(queue, b, &to, a, &from, 1, UINT64_MAX / 2, 1, NULL), HR_RANGE);
    assert_int_equal(hr_copy_rect(queue, b, &to, a, &from, 1, 2, UINT64_MAX, NULL), HR_RANGE);
    from.slice_pitch = 100;
    assert_int_equal(hr_copy_rect(queue, b, &to, a, &from, 8, 2, 2, NULL), HR_INVALID); /* slices overlap */
    from.slice_pitch = UINT64_MAX;
    assert_int_equal(hr_copy_rect(queue, b, &to, a, &from, 8, 2, 2, NULL), HR_RANGE);
    from.slice_pitch = 0;
    from.offset = BYTES - 63;
    assert_int_equal(hr_copy_rect(queue, b, &to, a, &from, 64, 1, 1, NULL), HR_RANGE);
    from.offset = UINT64_MAX;
    assert_int_equal(hr_copy_rect(queue, b, &to, a, &from, 64, 1, 1, NULL), HR_RANGE);
    assert_int_equal(hr_copy_rect(queue, b, NULL, a, &from, 64, 1, 1, NULL), HR_INVALID);
    from.size = 0;
    assert_int_equal(hr_copy_rect(queue, b, &to, a, &from, 64, 1, 1, NULL), HR_INVALID);
}

/* Against a bitmap: boxes of one buffer meet exactly when a byte is in both. */
static void overlaps_are_exact(void **state)
{
    enum { PITCH = 8, SLICE = 32, ROWS = 3, SLICES = 2, WIDTH = 3 };

    (void)state;
    for (uint64_t distance = 0; distance < 80; distance++) {
        unsigned char map[256] = {0};
        hr_rect from = {.size = sizeof from, .offset = 0, .row_pitch = PITCH, .slice_pitch = SLICE};
        hr_rect to = {.size = sizeof to, .offset = distance, .row_pitch = PITCH, .slice_pitch = SLICE};
        bool meet = false;

        for (unsigned s = 0; s < SLICES; s++)
            for (unsigned r = 0; r < ROWS; r++)
                for (unsigned x = 0; x < WIDTH; x++) {
                    map[s * SLICE + r * PITCH + x] |= 1;
                    map[distance + s * SLICE + r * PITCH + x] |= 2;
                }
        for (unsigned i = 0; i < sizeof map; i++)
            meet = meet || map[i] == 3;
        assert_int_equal(hr_copy_rect(queue, a, &to, a, &from, WIDTH, ROWS, SLICES, NULL), meet ? HR_INVALID : HR_OK);
        assert_int_equal(hr_copy_rect(queue, a, &from, a, &to, WIDTH, ROWS, SLICES, NULL), meet ? HR_INVALID : HR_OK);
    }
}

static void ranges_are_checked(void **state)
{
    hr_buffer *view;
    hr_buffer *none = NULL;

    (void)state;
    assert_int_equal(hr_copy(queue, b, 1, a, 0, BYTES, NULL), HR_RANGE);
    assert_int_equal(hr_copy(queue, b, 0, a, UINT64_MAX, 2, NULL), HR_RANGE);
    assert_non_null(strstr(hr_last_error(), "4096"));
    assert_int_equal(hr_copy(queue, a, 0, a, 63, 64, NULL), HR_INVALID);
    assert_int_equal(hr_copy(queue, a, 0, a, 64, 64, NULL), HR_OK);
    assert_int_equal(hr_copy(queue, pinned, 0, pinned, 64, 64, NULL), HR_UNSUPPORTED);
    assert_int_equal(hr_write(queue, pinned, 0, host, 64, NULL), HR_UNSUPPORTED);
    assert_int_equal(hr_read(queue, pinned, 0, host, 64, NULL), HR_UNSUPPORTED);
    assert_int_equal(hr_write(queue, a, BYTES - 1, host, 2, NULL), HR_RANGE);
    assert_int_equal(hr_read(queue, a, BYTES, host, 1, NULL), HR_RANGE);
    assert_int_equal(hr_fill(queue, pinned, 0, 64, "x", 1, NULL), HR_INVALID);
    assert_int_equal(hr_fill(queue, a, 0, 64, "xyz", 3, NULL), HR_INVALID);
    assert_int_equal(hr_fill(queue, a, 2, 64, "wxyz", 4, NULL), HR_INVALID);
    assert_int_equal(hr_fill(queue, a, BYTES, 4, "wxyz", 4, NULL), HR_RANGE);
    assert_int_equal(hri_buffer_view(a, 32, 64, &none), HR_RANGE); /* alignment 64 */
    assert_int_equal(hri_buffer_view(a, 64, BYTES - 63, &none), HR_RANGE);
    assert_null(none);
    assert_int_equal(hri_buffer_view(a, 64, 128, &view), HR_OK);
    assert_int_equal(hr_copy(queue, view, 0, a, 64, 64, NULL), HR_INVALID); /* the same bytes */
    assert_int_equal(hr_copy(queue, view, 0, a, 0, 64, NULL), HR_OK);
    hr_buffer_close(&view);
}

static void views_of_views(void **state)
{
    unsigned char seen[64];
    hr_buffer *view;
    hr_buffer *inner;

    (void)state;
    assert_int_equal(hri_buffer_view(a, 1024, 1024, &view), HR_OK);
    assert_int_equal(hri_buffer_view(view, 512, 64, &inner), HR_OK);
    hr_buffer_close(&view);
    assert_int_equal(hr_read(queue, inner, 0, seen, sizeof seen, NULL), HR_OK);
    hr_buffer_close(&inner);
    assert_int_equal(hr_queue_finish(queue), HR_OK);
    assert_memory_equal(seen, host + 1536, 64);
}

static void null_arguments(void **state)
{
    hr_sync short_sync = {0};
    hr_event *event = NULL;
    hr_sync null_wait = {.size = sizeof null_wait, .n_waits = 1, .waits = &event};
    hr_sync no_list = {.size = sizeof no_list, .n_waits = 1};
    hr_sync flags = {.size = sizeof flags, .flags = 0x80};

    (void)state;
    assert_int_equal(hr_copy(NULL, b, 0, a, 0, 1, NULL), HR_INVALID);
    assert_int_equal(hr_copy(queue, NULL, 0, a, 0, 1, NULL), HR_INVALID);
    assert_int_equal(hr_copy(queue, b, 0, NULL, 0, 1, NULL), HR_INVALID);
    assert_int_equal(hr_write(queue, a, 0, NULL, 1, NULL), HR_INVALID);
    assert_int_equal(hr_read(queue, a, 0, NULL, 1, NULL), HR_INVALID);
    assert_int_equal(hr_fill(queue, a, 0, 1, NULL, 1, NULL), HR_INVALID);
    assert_int_equal(hr_copy(queue, b, 0, a, 0, 1, &short_sync), HR_INVALID);
    assert_int_equal(hr_copy(queue, b, 0, a, 0, 1, &null_wait), HR_INVALID);
    assert_int_equal(hr_copy(queue, b, 0, a, 0, 1, &no_list), HR_INVALID);
    assert_int_equal(hr_copy(queue, b, 0, a, 0, 1, &flags), HR_INVALID);
    assert_int_equal(hr_event_wait(NULL, 0), HR_INVALID);
    assert_int_equal(hr_queue_wait(queue, NULL), HR_INVALID);
    assert_int_equal(hr_queue_finish(NULL), HR_INVALID);
    assert_int_equal(hr_buffer_get_size(NULL, NULL), HR_INVALID);
    assert_int_equal(hr_queue_create(device, 3, NULL, &queue), HR_INVALID);
    assert_int_equal(hr_buffer_create(device, HR_MEMORY_IMPORTED, 1, NULL, &a), HR_INVALID);
    assert_int_equal(hr_buffer_create(device, HR_MEMORY_DEVICE, 0, NULL, &a), HR_INVALID);
}

static void devices_do_not_mix(void **state)
{
    struct fake *other_fake = fake_create(NULL);
    hr_device *other = fake_device(other_fake, NULL);
    hr_queue *other_queue;
    hr_event *event;
    hr_buffer *none = NULL;
    hr_sync sync = {.size = sizeof sync, .n_waits = 1, .waits = &event};

    (void)state;
    assert_int_equal(hr_device_get_queue(other, HR_QUEUE_COMPUTE, &other_queue), HR_OK);
    assert_int_equal(hr_event_record(other_queue, &event), HR_OK);
    assert_int_equal(hr_copy(other_queue, b, 0, a, 0, 1, NULL), HR_INVALID);
    assert_int_equal(hr_copy(queue, b, 0, a, 0, 1, &sync), HR_INVALID);
    assert_int_equal(hr_queue_wait(queue, event), HR_INVALID);
    assert_int_equal(hr_buffer_create(device, HR_MEMORY_DEVICE, 1, other_queue, &none), HR_INVALID);
    assert_int_equal(hr_buffer_used(a, other_queue), HR_INVALID);
    hr_event_close(&event);
    hr_device_close(&other);
    assert_int_equal(fake_destroy(other_fake), 0);
}

/* -- kernels ------------------------------------------------------------------------------------------------------- */

static void add(const hr_grid *grid, const struct fake_arg *args)
{
    unsigned char *bytes = args[0].ptr;
    unsigned char value = *(unsigned char *)args[1].ptr;

    for (uint64_t i = 0; i < grid->global[0] * grid->global[1] * grid->global[2]; i++)
        bytes[i] = (unsigned char)(bytes[i] + value);
}

static void kernels_run_late_with_their_own_arguments(void **state)
{
    unsigned char seen[BYTES];
    unsigned char value = 3;
    hr_program *program;
    hr_kernel *kernel;
    hr_kernel *none = NULL;
    hr_grid grid = {.size = sizeof grid, .dims = 2, .global = {16, 4}};
    hr_arg args[] = {HR_ARG_BUFFER(b, 64), HR_ARG_BYTES(&value, 1)};

    (void)state;
    fake_add_kernel(fake, "add", add, 2);
    assert_int_equal(hr_program_create(device, "#error no", NULL, &program), HR_BUILD);
    assert_int_equal(hr_program_create(device, "text", NULL, &program), HR_OK);
    assert_int_equal(hr_kernel_create(program, "sub", &none), HR_NOT_FOUND);
    assert_null(none);
    assert_int_equal(hr_kernel_create(program, "add", &kernel), HR_OK);
    assert_int_equal(hr_kernel_launch(queue, kernel, &grid, args, 2, NULL), HR_OK);
    value = 100; /* copied by the launch */
    hr_kernel_close(&kernel);
    hr_program_close(&program);
    read_all(b, seen);
    assert_int_equal(seen[63], 0);
    assert_int_equal(seen[64], 3);
    assert_int_equal(seen[127], 3);
    assert_int_equal(seen[128], 0);
}

static void launches_are_checked(void **state)
{
    unsigned char value = 3;
    hr_program *program;
    hr_kernel *kernel;
    hr_grid grid = {.size = sizeof grid, .dims = 1, .global = {64}};
    hr_grid bad = grid;
    hr_arg args[] = {HR_ARG_BUFFER(b, 0), HR_ARG_BYTES(&value, 1)};
    hr_arg good[2];

    (void)state;
    memcpy(good, args, sizeof good);
    fake_add_kernel(fake, "add", add, 2);
    assert_int_equal(hr_program_create(device, "text", NULL, &program), HR_OK);
    assert_int_equal(hr_kernel_create(program, "add", &kernel), HR_OK);
    assert_int_equal(hr_kernel_launch(queue, kernel, &grid, args, 1, NULL), HR_INVALID);
    assert_int_equal(hr_kernel_launch(queue, kernel, &grid, NULL, 2, NULL), HR_INVALID);
    assert_int_equal(hr_kernel_launch(queue, kernel, NULL, args, 2, NULL), HR_INVALID);
    args[0].offset = 32;
    assert_int_equal(hr_kernel_launch(queue, kernel, &grid, args, 2, NULL), HR_RANGE); /* alignment */
    args[0].offset = BYTES;
    assert_int_equal(hr_kernel_launch(queue, kernel, &grid, args, 2, NULL), HR_RANGE);
    args[0] = good[0];
    args[0].buffer = pinned;
    assert_int_equal(hr_kernel_launch(queue, kernel, &grid, args, 2, NULL), HR_INVALID);
    args[0].buffer = NULL;
    assert_int_equal(hr_kernel_launch(queue, kernel, &grid, args, 2, NULL), HR_INVALID);
    args[0] = good[0];
    args[1].kind = 9;
    assert_int_equal(hr_kernel_launch(queue, kernel, &grid, args, 2, NULL), HR_INVALID);
    args[1] = good[1];
    args[1].bytes = 0;
    assert_int_equal(hr_kernel_launch(queue, kernel, &grid, args, 2, NULL), HR_INVALID);
    args[1] = good[1];
    bad.dims = 4;
    assert_int_equal(hr_kernel_launch(queue, kernel, &bad, args, 2, NULL), HR_INVALID);
    bad = grid;
    bad.global[0] = 0;
    assert_int_equal(hr_kernel_launch(queue, kernel, &bad, args, 2, NULL), HR_INVALID);
    bad = grid;
    bad.local[0] = 48;
    assert_int_equal(hr_kernel_launch(queue, kernel, &bad, args, 2, NULL), HR_INVALID);
    bad.local[0] = bad.global[0] = 512; /* the fake takes 256 */
    assert_int_equal(hr_kernel_launch(queue, kernel, &bad, args, 2, NULL), HR_INVALID);
    assert_int_equal(fake_pending(fake, queue), 0);
    assert_int_equal(hr_kernel_launch(queue, kernel, &grid, args, 2, NULL), HR_OK);
    hr_kernel_close(&kernel);
    hr_program_close(&program);
}

static void the_librarys_own_kernels(void **state)
{
    const uint64_t ids[] = {3, 0, 2};
    uint64_t numbers[] = {16, 16, 3}; /* stride and units of 16 bytes, rows */
    unsigned char seen[768];
    hr_kernel *kernel;
    hr_kernel *again;
    hr_buffer *list;
    hr_grid grid = {.size = sizeof grid, .dims = 2, .global = {16, 3}};

    (void)state;
    assert_int_equal(hri_device_kernel(device, "gather_16", &kernel), HR_OK);
    assert_int_equal(hri_device_kernel(device, "gather_16", &again), HR_OK);
    assert_ptr_equal(kernel, again);
    assert_int_equal(hri_device_kernel(device, "gather_1", &again), HR_OK);
    assert_int_equal(fake_count(fake, FAKE_PROGRAM_CREATE), 1);
    assert_int_equal(hri_device_kernel(device, "gather_3", &again), HR_NOT_FOUND);
    assert_int_equal(hr_buffer_create(device, HR_MEMORY_DEVICE, sizeof ids, queue, &list), HR_OK);
    assert_int_equal(hr_write(queue, list, 0, ids, sizeof ids, NULL), HR_OK);
    {
        hr_arg args[] = {HR_ARG_BUFFER(a, 0),          HR_ARG_BUFFER(list, 0),       HR_ARG_BUFFER(b, 0),
                         HR_ARG_BYTES(&numbers[0], 8), HR_ARG_BYTES(&numbers[1], 8), HR_ARG_BYTES(&numbers[2], 8)};

        assert_int_equal(hr_kernel_launch(queue, kernel, &grid, args, 6, NULL), HR_OK);
    }
    hr_buffer_close(&list);
    assert_int_equal(hr_read(queue, b, 0, seen, sizeof seen, NULL), HR_OK);
    assert_int_equal(hr_queue_finish(queue), HR_OK);
    for (int row = 0; row < 3; row++)
        assert_memory_equal(seen + row * 256, host + ids[row] * 256, 256);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_copy_is_late_and_right),
        TEST(pinned_memory_goes_both_ways),
        TEST(acquire_waits_for_the_queue),
        TEST(waits_and_events_cross_queues),
        TEST(many_waits),
        TEST(nothing_still_waits_and_tells),
        TEST(rects_move_boxes),
        TEST(rects_are_checked),
        TEST(overlaps_are_exact),
        TEST(ranges_are_checked),
        TEST(views_of_views),
        TEST(null_arguments),
        TEST(devices_do_not_mix),
        TEST(kernels_run_late_with_their_own_arguments),
        TEST(launches_are_checked),
        TEST(the_librarys_own_kernels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
