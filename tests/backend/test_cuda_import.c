/* Memory of the program's own, registered in chunks: all of it or none, and copies that cross from one to the next. */
#include "cuda.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CHUNK ((size_t)256 << 20)

static unsigned char *map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    assert_true(memory != MAP_FAILED);
    return memory;
}

/* The first border between chunks in memory of at least two. */
static unsigned char *border_in(unsigned char *memory)
{
    return memory + (CHUNK - (uintptr_t)memory % CHUNK);
}

/* Case 13. */
static void a_piece_that_fails_undoes_those_before(void **state)
{
    const size_t bytes = 3 * CHUNK + 12345;
    unsigned char *memory = map(bytes);
    struct hrb_buffer *buffer = NULL;

    (void)state;
    for (unsigned n = 1; n <= 4; n++) { /* the borders lie where the mapping lies: four or five pieces */
        const uint64_t undone = fake.calls("cuMemHostUnregister");

        fake.fail_at("cuMemHostRegister", n, HRI_CU_OUT_OF_MEMORY);
        rig_expect_failure(rig.ops->buffer_import(rig.device, memory, bytes, &buffer), HR_NO_PINNED_MEMORY,
                           "805318713 bytes");
        fake.fail_at("cuMemHostRegister", 0, 0);
        assert_null(buffer);
        assert_int_equal(fake.live("registered"), 0);
        assert_int_equal(fake.calls("cuMemHostUnregister") - undone, n - 1);
        cuda_expect_working(rig.device, rig.queue);
    }
    assert_int_equal(rig.ops->buffer_import(rig.device, memory, bytes, &buffer), HR_OK);
    assert_true(fake.live("registered") >= 4);
    rig.ops->buffer_destroy(buffer);
    assert_int_equal(fake.live("registered"), 0);
    munmap(memory, bytes);
}

static void memory_that_is_registered_already_is_refused(void **state)
{
    unsigned char *memory = map(65536);
    struct hrb_buffer *first = NULL;
    struct hrb_buffer *second = NULL;

    (void)state;
    assert_int_equal(rig.ops->buffer_import(rig.device, memory + 4096, 8192, &first), HR_OK);
    rig_expect_failure(rig.ops->buffer_import(rig.device, memory, 8192, &second), HR_INVALID, "registered already");
    assert_null(second);
    rig.ops->buffer_destroy(first);
    assert_int_equal(rig.ops->buffer_import(rig.device, memory, 8192, &second), HR_OK);
    rig.ops->buffer_destroy(second);
    munmap(memory, 65536);
}

/* Drivers may pin such a mapping without being told what it is, or not at all: the simulated one asks for the flag. */
static void a_mapping_that_can_only_be_read_is_a_source_alone(void **state)
{
    unsigned char *memory = map(65536);
    struct hrb_buffer *on_device = rig_buffer(HR_MEMORY_DEVICE, 65536);
    struct hrb_buffer *imported = NULL;
    struct hrb_place host;
    struct hrb_place place = {.buffer = on_device, .row_pitch = 64, .slice_pitch = 64};
    unsigned char seen[16] = {0};
    hr_status st;

    (void)state;
    memset(memory, 'r', 65536);
    assert_int_equal(mprotect(memory, 65536, PROT_READ), 0);
    st = rig.ops->buffer_import(rig.device, memory, 65536, &imported);
    if (!fake.calls && st == HR_UNSUPPORTED) {
        rig.ops->buffer_destroy(on_device);
        munmap(memory, 65536);
        skip();
    }
    assert_int_equal(st, HR_OK);
    host = (struct hrb_place){.buffer = imported, .host = memory, .row_pitch = 64, .slice_pitch = 64};
    assert_int_equal(rig.ops->copy(rig.queue, &place, &host, 65536, &rig_no_sync), HR_OK);
    assert_int_equal(rig.ops->queue_finish(rig.queue), HR_OK);
    rig_read(on_device, seen, sizeof seen);
    assert_int_equal(seen[15], 'r');
    if (fake.calls || hri_cu_buffer(imported)->read_only) {
        rig_expect_failure(rig.ops->copy(rig.queue, &host, &place, 64, &rig_no_sync), HR_INVALID, "only be read");
        rig_expect_failure(rig.ops->copy_rect(rig.queue, &host, &place, 64, 1, 1, &rig_no_sync), HR_INVALID,
                           "only be read");
    }
    rig.ops->buffer_destroy(imported);
    rig.ops->buffer_destroy(on_device);
    munmap(memory, 65536);
}

static void what_cannot_be_pinned_is_told_another_way(void **state)
{
    unsigned char *memory = map(65536);
    struct hrb_buffer *buffer = NULL;

    (void)state;
    munmap(memory + 32768, 32768); /* a hole */
    rig_expect_failure(rig.ops->buffer_import(rig.device, memory, 65536, &buffer), HR_UNSUPPORTED, "hr_write_from()");
    assert_null(buffer);
    munmap(memory, 32768);
}

/* Copies of all kinds between a device buffer and registered memory around a border. */
struct crossing {
    unsigned char *mapping;
    unsigned char *memory; /* `bytes` of it, with a border in the middle, at an odd place */
    size_t bytes;
    struct hrb_buffer *imported;
    struct hrb_buffer *on_device;
    unsigned char *expected;
};

static void open_crossing(struct crossing *c, size_t before, size_t bytes)
{
    c->mapping = map(2 * CHUNK);
    c->memory = border_in(c->mapping) - before;
    c->bytes = bytes;
    c->on_device = rig_buffer(HR_MEMORY_DEVICE, bytes);
    c->expected = malloc(bytes);
    for (size_t i = 0; i < bytes; i++)
        c->memory[i] = c->expected[i] = (unsigned char)(i * 131 >> 3);
    assert_int_equal(rig.ops->buffer_import(rig.device, c->memory, bytes, &c->imported), HR_OK);
    if (fake.live)
        assert_int_equal(fake.live("registered"), 2);
}

static void close_crossing(struct crossing *c)
{
    rig.ops->buffer_destroy(c->imported);
    rig.ops->buffer_destroy(c->on_device);
    munmap(c->mapping, 2 * CHUNK);
    free(c->expected);
}

static void plain_copies_cross_from_chunk_to_chunk(void **state)
{
    struct crossing c;
    struct hrb_place host, place;

    (void)state;
    open_crossing(&c, 100001, 200003);
    host = rig_host_place(c.imported, c.memory, 3);
    place = rig_device_place(c.on_device, 3);
    assert_int_equal(rig.ops->copy(rig.queue, &place, &host, c.bytes - 3, &rig_no_sync), HR_OK);
    assert_int_equal(rig.ops->queue_finish(rig.queue), HR_OK);
    memset(c.memory, 0, c.bytes);
    assert_int_equal(rig.ops->copy(rig.queue, &host, &place, c.bytes - 3, &rig_no_sync), HR_OK);
    assert_int_equal(rig.ops->queue_finish(rig.queue), HR_OK);
    assert_memory_equal(c.memory + 3, c.expected + 3, c.bytes - 3);
    assert_int_equal(c.memory[2], 0);
    close_crossing(&c);
}

enum { WIDTH = 37, ROWS = 5, SLICES = 4, ROW_PITCH = 41, SLICE_PITCH = 41 * 6 };

/* The box's bytes are equal on both sides, which have other pitches. */
static void expect_box(const unsigned char *a, uint64_t a_row, uint64_t a_slice, const unsigned char *b, uint64_t b_row,
                       uint64_t b_slice)
{
    for (uint64_t s = 0; s < SLICES; s++)
        for (uint64_t r = 0; r < ROWS; r++)
            assert_memory_equal(a + s * a_slice + r * a_row, b + s * b_slice + r * b_row, WIDTH);
}

/* The border at every place of the box: in rows, between them, between slices. */
static void pitched_copies_cross_from_chunk_to_chunk(void **state)
{
    const size_t bytes = SLICE_PITCH * SLICES;

    (void)state;
    for (size_t before = 1; before < bytes; before += 7) {
        struct crossing c;
        struct hrb_place host = {.row_pitch = ROW_PITCH, .slice_pitch = SLICE_PITCH};
        struct hrb_place place = {.row_pitch = WIDTH, .slice_pitch = WIDTH * ROWS};
        unsigned char *seen = calloc(1, bytes);

        open_crossing(&c, before, bytes);
        host.buffer = c.imported;
        host.host = c.memory;
        place.buffer = c.on_device;
        assert_int_equal(rig.ops->copy_rect(rig.queue, &place, &host, WIDTH, ROWS, SLICES, &rig_no_sync), HR_OK);
        assert_int_equal(rig.ops->queue_finish(rig.queue), HR_OK);
        rig_read(c.on_device, seen, WIDTH * ROWS * SLICES);
        expect_box(seen, WIDTH, WIDTH * ROWS, c.expected, ROW_PITCH, SLICE_PITCH);
        memset(c.memory, 0, bytes);
        assert_int_equal(rig.ops->copy_rect(rig.queue, &host, &place, WIDTH, ROWS, SLICES, &rig_no_sync), HR_OK);
        assert_int_equal(rig.ops->queue_finish(rig.queue), HR_OK);
        expect_box(c.memory, ROW_PITCH, SLICE_PITCH, c.expected, ROW_PITCH, SLICE_PITCH);
        free(seen);
        close_crossing(&c);
    }
}

/* It tells the driver to fail, which only the simulated one does. */
static const struct CMUnitTest simulated[] = {
    cmocka_unit_test(a_piece_that_fails_undoes_those_before),
};
static const struct CMUnitTest tests[] = {
    cmocka_unit_test(memory_that_is_registered_already_is_refused),
    cmocka_unit_test(a_mapping_that_can_only_be_read_is_a_source_alone),
    cmocka_unit_test(what_cannot_be_pinned_is_told_another_way),
    cmocka_unit_test(plain_copies_cross_from_chunk_to_chunk),
    cmocka_unit_test(pitched_copies_cross_from_chunk_to_chunk),
};

int main(int argc, char **argv)
{
    int failed = 0;

    rig.backend = argc == 2 ? rig_backend(argv[1]) : NULL;
    if (!rig.backend)
        return 2;
    failed = cmocka_run_group_tests(tests, cuda_open, rig_close);
    if (fake.calls)
        failed += cmocka_run_group_tests(simulated, cuda_open, rig_close);
    return failed;
}
