/* Pitched copies against a plain loop, in every direction, with the pitches that OpenCL itself would refuse. */
#include "rig.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 8192 };

struct side {
    uint64_t offset, row_pitch, slice_pitch;
};

struct rect {
    struct side dst, src;
    uint64_t width, rows, slices;
};

static const struct rect rects[] = {
    {{0, 64, 64 * 5}, {0, 32, 32 * 5}, 32, 5, 4},
    {{13, 50, 50 * 7}, {5, 33, 33 * 9}, 20, 6, 5},           /* slices with rows to spare */
    {{13, 50, 50 * 7 + 3}, {5, 33, 300}, 20, 6, 5},          /* slice pitches that are no multiple of the row pitch */
    {{100, 200, 200}, {1, 64, 64}, 40, 1, 6},                /* one row a slice */
    {{90, 97, 300}, {11, 61, 7}, 50, 3, 1},                  /* one slice: its pitch means nothing */
    {{60, 64, 64 * 3}, {40, 64, 64 * 3}, 32, 3, 2},          /* rows that cross a pitch's border */
    {{7, 1, 1}, {9, 1, 1}, 100, 1, 1},                       /* one row: both pitches mean nothing */
    {{8192 - 64 * 3 - 32, 64, 256}, {0, 32, 128}, 32, 4, 1}, /* up to the last byte */
};

static void expect(unsigned char *dst, const unsigned char *src, const struct rect *r)
{
    for (uint64_t z = 0; z < r->slices; z++)
        for (uint64_t y = 0; y < r->rows; y++)
            memcpy(dst + r->dst.offset + z * r->dst.slice_pitch + y * r->dst.row_pitch,
                   src + r->src.offset + z * r->src.slice_pitch + y * r->src.row_pitch, r->width);
}

static void set_side(struct hrb_place *place, const struct side *side)
{
    place->offset = side->offset;
    place->row_pitch = side->row_pitch;
    place->slice_pitch = side->slice_pitch;
}

static void copy_rect(struct hrb_place dst, struct hrb_place src, const struct rect *r)
{
    struct hrb_event *event = NULL;
    struct hrb_event *before = NULL;
    struct hrb_sync sync = {.n_waits = 1, .waits = &before, .event = &event};

    assert_int_equal(rig.ops->event_record(rig.queue, 0, &before), HR_OK);
    set_side(&dst, &r->dst);
    set_side(&src, &r->src);
    if (rig.ops->copy_rect(rig.queue, &dst, &src, r->width, r->rows, r->slices, &sync) != HR_OK)
        fail_msg("%s", rig_message());
    assert_int_equal(rig.ops->event_wait(event, HR_FOREVER), HR_OK); /* that of the last step */
    rig.ops->event_destroy(before);
    rig.ops->event_destroy(event);
}

static void prepare(unsigned char *dst, unsigned char *src)
{
    for (unsigned i = 0; i < BYTES; i++) {
        dst[i] = 0xDD;
        src[i] = (unsigned char)(i * 7 + (i >> 8));
    }
}

static void in_every_direction(void **state)
{
    static unsigned char dst[BYTES], src[BYTES], want[BYTES];
    struct hrb_buffer *a = rig_buffer(HR_MEMORY_DEVICE, BYTES);
    struct hrb_buffer *b = rig_buffer(HR_MEMORY_DEVICE, BYTES);

    (void)state;
    for (size_t i = 0; i < sizeof rects / sizeof *rects; i++) {
        prepare(want, src);
        expect(want, src, &rects[i]);

        prepare(dst, src);
        rig_write(a, dst, BYTES);
        copy_rect(rig_device_place(a, 0), rig_host_place(NULL, src, 0), &rects[i]);
        rig_read(a, dst, BYTES);
        assert_memory_equal(dst, want, BYTES);

        prepare(dst, src);
        rig_write(b, src, BYTES);
        copy_rect(rig_host_place(NULL, dst, 0), rig_device_place(b, 0), &rects[i]);
        assert_memory_equal(dst, want, BYTES);

        prepare(dst, src);
        rig_write(a, dst, BYTES);
        copy_rect(rig_device_place(a, 0), rig_device_place(b, 0), &rects[i]);
        rig_read(a, dst, BYTES);
        assert_memory_equal(dst, want, BYTES);
    }
    rig.ops->buffer_destroy(a);
    rig.ops->buffer_destroy(b);
}

static void within_one_buffer(void **state)
{
    /* The second half is the source: equal pitches, other slice pitches, other row pitches. */
    static const struct rect inside[] = {
        {{0, 64, 64 * 4}, {4096, 64, 64 * 4}, 30, 4, 3},
        {{3, 64, 64 * 4}, {4096, 64, 64 * 5}, 30, 4, 3},
        {{5, 40, 40 * 4}, {4096, 64, 64 * 5 + 1}, 30, 4, 3},
    };
    static unsigned char data[BYTES], want[BYTES], fresh[BYTES];
    struct hrb_buffer *buffer = rig_buffer(HR_MEMORY_DEVICE, BYTES);

    (void)state;
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
        prepare(data, fresh);
        memcpy(want, fresh, BYTES);
        expect(want, fresh, &inside[i]);
        rig_write(buffer, fresh, BYTES);
        copy_rect(rig_device_place(buffer, 0), rig_device_place(buffer, 0), &inside[i]);
        rig_read(buffer, data, BYTES);
        assert_memory_equal(data, want, BYTES);
    }
    rig.ops->buffer_destroy(buffer);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(in_every_direction),
    cmocka_unit_test(within_one_buffer),
};

rig_main(tests)
