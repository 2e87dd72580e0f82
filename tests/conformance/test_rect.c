/* hr_copy_rect(): pitches in two and three dimensions against the same copy on the host. */
#include "conformance.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 200000 };

struct shape {
    hr_rect dst;
    hr_rect src;
    uint64_t width;
    uint64_t rows;
    uint64_t slices;
};

static hr_rect rect(uint64_t offset, uint64_t row_pitch, uint64_t slice_pitch)
{
    return (hr_rect){.size = sizeof(hr_rect), .offset = offset, .row_pitch = row_pitch, .slice_pitch = slice_pitch};
}

static uint64_t place(const hr_rect *r, uint64_t rows, uint64_t row, uint64_t slice)
{
    uint64_t slice_pitch = r->slice_pitch ? r->slice_pitch : r->row_pitch * rows;

    return r->offset + slice * slice_pitch + row * r->row_pitch;
}

static void host_rect(uint8_t *to, const uint8_t *from, const struct shape *s)
{
    for (uint64_t slice = 0; slice < s->slices; slice++)
        for (uint64_t row = 0; row < s->rows; row++)
            memcpy(to + place(&s->dst, s->rows, row, slice), from + place(&s->src, s->rows, row, slice), s->width);
}

static hr_status device_rect(hr_buffer *to, hr_buffer *from, const struct shape *s)
{
    return hr_copy_rect(compute, to, &s->dst, from, &s->src, s->width, s->rows, s->slices, NULL);
}

/* device to device, pinned to device, device to pinned */
static void compare(const struct shape *shape)
{
    uint8_t *data = new_random(ROOM, 1);
    uint8_t *expected = calloc(1, ROOM);
    uint8_t *from_ptr;
    uint8_t *to_ptr;
    hr_buffer *from = new_buffer(device, ROOM, compute);
    hr_buffer *to = new_buffer(device, ROOM, compute);
    hr_buffer *from_pinned = new_pinned(device, ROOM, &from_ptr);
    hr_buffer *to_pinned = new_pinned(device, ROOM, &to_ptr);

    assert_non_null(expected);
    host_rect(expected, data, shape);
    memcpy(from_ptr, data, ROOM);
    memset(to_ptr, 0, ROOM);
    OK(hr_write(compute, from, 0, data, ROOM, NULL));
    for (int pinned = 0; pinned < 2; pinned++) {
        OK(hr_fill(compute, to, 0, ROOM, "", 1, NULL));
        OK(device_rect(to, pinned ? from_pinned : from, shape));
        expect_bytes(compute, to, 0, expected, ROOM);
    }
    OK(device_rect(to_pinned, from, shape));
    OK(hr_queue_finish(compute));
    assert_memory_equal(to_ptr, expected, ROOM);
    hr_buffer_close(&from);
    hr_buffer_close(&to);
    hr_buffer_close(&from_pinned);
    hr_buffer_close(&to_pinned);
    free(data);
    free(expected);
}

static void as_on_the_host(void **state)
{
    const struct shape shapes[] = {
        {rect(0, 100, 0), rect(0, 100, 0), 100, 10, 1},    /* packed: one range */
        {rect(7, 100, 0), rect(1003, 333, 0), 77, 40, 1},  /* a tile, odd everywhere */
        {rect(7, 1000, 0), rect(11, 77, 0), 77, 13, 1},    /* spread */
        {rect(0, 64, 0), rect(128, 128, 4096), 64, 16, 8}, /* slices, packed at the far end */
        {rect(5, 77, 1777), rect(3, 99, 2001), 51, 17, 9}, /* nothing divides anything */
        {rect(1, 10, 100), rect(2, 9, 300), 9, 1, 20},     /* one row a slice */
        {rect(0, 4, 0), rect(0, 4096, 0), 4, 40, 1},       /* a column */
        {rect(199999, 1, 1), rect(0, 1, 1), 1, 1, 1},      /* one byte, the last */
        {rect(0, 100, 0), rect(0, 100, 0), 50, 0, 1},      /* nothing */
    };

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        compare(&shapes[i]);
}

static void random_shapes(void **state)
{
    uint64_t random = 31337;

    (void)state;
    for (int i = 0; i < 40; i++) {
        struct shape s = {.width = 1 + next_random(&random) % 90,
                          .rows = 1 + next_random(&random) % 20,
                          .slices = 1 + next_random(&random) % 8};

        s.dst = rect(next_random(&random) % 500, s.width + next_random(&random) % 60, 0);
        s.src = rect(next_random(&random) % 500, s.width + next_random(&random) % 60, 0);
        if (i % 2)
            s.dst.slice_pitch = s.dst.row_pitch * s.rows + next_random(&random) % 500;
        if (i % 3)
            s.src.slice_pitch = s.src.row_pitch * s.rows + next_random(&random) % 500;
        compare(&s);
    }
}

static void wrong_rects(void **state)
{
    uint8_t *ptr;
    hr_buffer *to = new_buffer(device, 1000, compute);
    hr_buffer *from = new_buffer(device, 1000, compute);
    hr_buffer *pinned[2] = {new_pinned(device, 1000, &ptr), new_pinned(device, 1000, &ptr)};
    const hr_rect good = rect(0, 10, 0);
    const hr_rect narrow = rect(0, 4, 0);
    const hr_rect late = rect(996, 10, 0);
    const hr_rect huge = rect(0, UINT64_MAX / 2, UINT64_MAX / 2);
    const hr_rect close = rect(0, 10, 19); /* slices closer than their rows */
    const hr_rect no_size = {.row_pitch = 10};

    (void)state;
    FAILS(HR_INVALID, hr_copy_rect(compute, to, NULL, from, &good, 5, 2, 1, NULL));
    FAILS(HR_INVALID, hr_copy_rect(compute, to, &good, from, NULL, 5, 2, 1, NULL));
    FAILS(HR_INVALID, hr_copy_rect(compute, NULL, &good, from, &good, 5, 2, 1, NULL));
    FAILS(HR_INVALID, hr_copy_rect(compute, to, &good, from, &no_size, 5, 2, 1, NULL));
    SAYS("hr_rect");
    FAILS(HR_INVALID, hr_copy_rect(compute, to, &narrow, from, &good, 5, 2, 1, NULL));
    FAILS(HR_INVALID, hr_copy_rect(compute, to, &good, from, &narrow, 5, 2, 1, NULL));
    FAILS(HR_INVALID, hr_copy_rect(compute, to, &close, from, &good, 5, 2, 2, NULL));
    FAILS(HR_INVALID, hr_copy_rect(compute, to, &good, from, &close, 5, 2, 2, NULL));
    FAILS(HR_RANGE, hr_copy_rect(compute, to, &good, from, &good, 5, 101, 1, NULL));
    FAILS(HR_RANGE, hr_copy_rect(compute, to, &late, from, &good, 5, 1, 1, NULL));
    FAILS(HR_RANGE, hr_copy_rect(compute, to, &good, from, &late, 5, 1, 1, NULL));
    FAILS(HR_RANGE, hr_copy_rect(compute, to, &huge, from, &good, 5, 3, 1, NULL));
    FAILS(HR_RANGE, hr_copy_rect(compute, to, &huge, from, &good, 5, 1, 3, NULL));
    FAILS(HR_RANGE, hr_copy_rect(compute, to, &good, from, &good, 10, UINT64_MAX / 5, UINT64_MAX / 5, NULL));
    FAILS(HR_UNSUPPORTED, hr_copy_rect(compute, pinned[0], &good, pinned[1], &good, 5, 2, 1, NULL));
    hr_buffer_close(&pinned[0]);
    hr_buffer_close(&pinned[1]);
    hr_buffer_close(&to);
    hr_buffer_close(&from);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_on_the_host),
        cmocka_unit_test(random_shapes),
        cmocka_unit_test(wrong_rects),
    };

    return conformance_main(argc, argv, tests, NULL);
}
