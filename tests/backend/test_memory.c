/* Buffers of every kind, copies in every direction, pitched copies, fills, views. */
#include "rig.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 100003 }; /* no multiple of anything */

static void fill_host(unsigned char *data, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = (unsigned char)((i * 31 + seed * 97 + (i >> 8)) & 255);
}

static void buffers_say_what_they_are(void **state)
{
    struct hrb_buffer *device = rig_buffer(HR_MEMORY_DEVICE, BYTES);
    struct hrb_buffer *pinned = rig_buffer(HR_MEMORY_PINNED, BYTES);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    (void)state;
    assert_ptr_equal(device->device, rig.device);
    assert_int_equal(device->kind, HR_MEMORY_DEVICE);
    assert_int_equal(device->bytes, BYTES);
    assert_int_equal(device->host != NULL, rig_has(HR_ABILITY_SHARED_MEMORY));
    assert_int_equal(pinned->kind, HR_MEMORY_PINNED);
    assert_non_null(pinned->host);
    assert_int_equal((uintptr_t)pinned->host % page, 0);
    memset(pinned->host, 7, BYTES);
    rig.ops->buffer_destroy(pinned);
    rig.ops->buffer_destroy(device);
}

static void pinned_buffers_begin_at_pages_whatever_their_size(void **state)
{
    static const uint64_t sizes[] = {1, 4095, 4096, 1000000, 5};
    struct hrb_buffer *buffers[5];

    (void)state;
    for (int i = 0; i < 5; i++) {
        buffers[i] = rig_buffer(HR_MEMORY_PINNED, sizes[i]);
        assert_int_equal((uintptr_t)buffers[i]->host % (size_t)sysconf(_SC_PAGESIZE), 0);
        memset(buffers[i]->host, i, sizes[i]);
    }
    for (int i = 0; i < 5; i++) {
        assert_int_equal(((unsigned char *)buffers[i]->host)[sizes[i] - 1], i);
        rig.ops->buffer_destroy(buffers[i]);
    }
}

static void an_impossible_size_is_said_to_be_one(void **state)
{
    struct hrb_buffer *buffer = NULL;

    (void)state;
    rig_expect_failure(rig.ops->buffer_create(rig.device, HR_MEMORY_DEVICE, UINT64_C(1) << 60, &buffer),
                       HR_NO_DEVICE_MEMORY, "1152921504606846976 bytes");
    rig_expect_failure(rig.ops->buffer_create(rig.device, HR_MEMORY_PINNED, UINT64_C(1) << 60, &buffer),
                       HR_NO_PINNED_MEMORY, "1152921504606846976 bytes");
    assert_null(buffer);
}

/* host -> device -> device -> host, at odd offsets; `in` and `out` belong to pinned or imported buffers, or to none. */
static void round_trip(struct hrb_buffer *in_owner, unsigned char *in, struct hrb_buffer *out_owner, unsigned char *out,
                       unsigned seed)
{
    struct hrb_buffer *a = rig_buffer(HR_MEMORY_DEVICE, BYTES);
    struct hrb_buffer *b = rig_buffer(HR_MEMORY_DEVICE, BYTES);
    const uint64_t bytes = BYTES - 101;
    struct hrb_place to, from;

    fill_host(in, BYTES, seed);
    memset(out, 0, BYTES);
    to = rig_device_place(a, 3), from = rig_host_place(in_owner, in, 7);
    assert_int_equal(rig.ops->copy(rig.queue, &to, &from, bytes, &rig_no_sync), HR_OK);
    to = rig_device_place(b, 50), from = rig_device_place(a, 3);
    assert_int_equal(rig.ops->copy(rig.queue, &to, &from, bytes, &rig_no_sync), HR_OK);
    to = rig_host_place(out_owner, out, 11), from = rig_device_place(b, 50);
    assert_int_equal(rig.ops->copy(rig.queue, &to, &from, bytes, &rig_no_sync), HR_OK);
    assert_int_equal(rig.ops->queue_finish(rig.queue), HR_OK);
    assert_memory_equal(out + 11, in + 7, bytes);
    assert_int_equal(out[10], 0);
    assert_int_equal(out[11 + bytes], 0);
    rig.ops->buffer_destroy(a);
    rig.ops->buffer_destroy(b);
}

static void copies_from_and_to_pageable_memory(void **state)
{
    unsigned char *in = malloc(BYTES);
    unsigned char *out = malloc(BYTES);

    (void)state;
    round_trip(NULL, in, NULL, out, 1);
    free(in);
    free(out);
}

static void copies_from_and_to_pinned_memory(void **state)
{
    struct hrb_buffer *in = rig_buffer(HR_MEMORY_PINNED, BYTES);
    struct hrb_buffer *out = rig_buffer(HR_MEMORY_PINNED, BYTES);

    (void)state;
    round_trip(in, in->host, out, out->host, 2);
    rig.ops->buffer_destroy(in);
    rig.ops->buffer_destroy(out);
}

static void copies_from_and_to_imported_memory(void **state)
{
    unsigned char *in = malloc(BYTES + 4);
    unsigned char *out = malloc(BYTES);
    struct hrb_buffer *in_buffer = NULL;
    struct hrb_buffer *out_buffer = NULL;

    (void)state;
    /* Aligned for nothing: what a driver would copy silently must still be right. */
    assert_int_equal(rig.ops->buffer_import(rig.device, in + 4, BYTES, &in_buffer), HR_OK);
    assert_int_equal(rig.ops->buffer_import(rig.device, out, BYTES, &out_buffer), HR_OK);
    assert_int_equal(in_buffer->kind, HR_MEMORY_IMPORTED);
    assert_ptr_equal(in_buffer->host, in + 4);
    round_trip(in_buffer, in + 4, out_buffer, out, 3);
    round_trip(in_buffer, in + 4, out_buffer, out, 4); /* changed by the host since */
    rig.ops->buffer_destroy(in_buffer);
    rig.ops->buffer_destroy(out_buffer);
    free(in);
    free(out);
}

/* What is registered is host memory: the device's does not bound it, unless its driver makes a buffer of it. */
static void only_opencl_bounds_what_is_registered(void **state)
{
    unsigned char byte = 0;
    struct hrb_buffer *buffer = NULL;

    (void)state;
    if (strcmp(rig.backend->name, "cuda") == 0)
        skip(); /* test_cuda_import registers more than the simulated device has */
    rig_expect_failure(rig.ops->buffer_import(rig.device, &byte, rig.info.max_buffer_bytes + 1, &buffer),
                       HR_UNSUPPORTED, "register parts");
    assert_null(buffer);
}

static void fills_repeat_their_pattern(void **state)
{
    static const unsigned char pattern[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    struct hrb_buffer *buffer = rig_buffer(HR_MEMORY_DEVICE, 4096);
    unsigned char data[4096];

    (void)state;
    for (uint32_t n = 1; n <= 16; n *= 2) {
        uint64_t offset = n * 3;
        uint64_t bytes = n * 50;

        memset(data, 0xEE, sizeof data);
        rig_write(buffer, data, sizeof data);
        assert_int_equal(rig.ops->fill(rig.queue, buffer, offset, bytes, pattern, n, &rig_no_sync), HR_OK);
        rig_read(buffer, data, sizeof data);
        for (uint64_t i = 0; i < sizeof data; i++)
            assert_int_equal(data[i], i >= offset && i < offset + bytes ? pattern[(i - offset) % n] : 0xEE);
    }
    rig.ops->buffer_destroy(buffer);
}

static void views_are_parts_of_their_parents(void **state)
{
    const uint64_t step = rig.info.alignment;
    struct hrb_buffer *parent = rig_buffer(HR_MEMORY_DEVICE, step * 8);
    struct hrb_buffer *view = NULL;
    struct hrb_buffer *inner = NULL;
    unsigned char *data = calloc(step, 8);

    (void)state;
    assert_int_equal(rig.ops->buffer_view(parent, step * 2, step * 4, &view), HR_OK);
    assert_int_equal(rig.ops->buffer_view(view, step, step, &inner), HR_OK); /* a view of a view */
    assert_int_equal(inner->bytes, step);
    assert_int_equal(inner->kind, HR_MEMORY_DEVICE);
    if (parent->host)
        assert_ptr_equal(inner->host, (char *)parent->host + step * 3);
    else
        assert_null(inner->host);
    rig_write(parent, data, step * 8);
    assert_int_equal(rig.ops->fill(rig.queue, inner, 0, step, "z", 1, &rig_no_sync), HR_OK);
    rig.ops->buffer_destroy(inner); /* its fill may be in flight */
    rig.ops->buffer_destroy(view);
    rig_read(parent, data, step * 8);
    for (uint64_t i = 0; i < step * 8; i++)
        assert_int_equal(data[i], i / step == 3 ? 'z' : 0);
    rig.ops->buffer_destroy(parent);
    free(data);
}

static void the_host_reads_and_writes_what_it_acquired(void **state)
{
    struct hrb_buffer *buffer = rig_buffer(HR_MEMORY_DEVICE, BYTES);
    unsigned char *data = malloc(BYTES);
    void *ptr = NULL;

    (void)state;
    fill_host(data, BYTES, 5);
    rig_write(buffer, data, BYTES);
    assert_int_equal(rig.ops->fill(rig.queue, buffer, 0, 100, "x", 1, &rig_no_sync), HR_OK);
    assert_int_equal(rig.ops->buffer_acquire(buffer, rig.queue, HR_ACCESS_READ | HR_ACCESS_WRITE, &ptr), HR_OK);
    assert_int_equal(((unsigned char *)ptr)[99], 'x'); /* what was enqueued before is done */
    assert_memory_equal((unsigned char *)ptr + 100, data + 100, BYTES - 100);
    memset(ptr, 'y', 50);
    assert_int_equal(rig.ops->buffer_release(buffer, rig.queue, ptr), HR_OK);
    rig_read(buffer, data, BYTES);
    assert_int_equal(data[49], 'y');
    assert_int_equal(data[50], 'x');

    assert_int_equal(rig.ops->buffer_acquire(buffer, rig.queue, HR_ACCESS_WRITE | HR_ACCESS_DISCARD, &ptr), HR_OK);
    memset(ptr, 'w', BYTES);
    assert_int_equal(rig.ops->buffer_release(buffer, rig.queue, ptr), HR_OK);
    rig_read(buffer, data, BYTES);
    assert_int_equal(data[BYTES - 1], 'w');

    /* What is not written stays, unless it was said to be of no use. */
    assert_int_equal(rig.ops->fill(rig.queue, buffer, 0, BYTES, "k", 1, &rig_no_sync), HR_OK);
    assert_int_equal(rig.ops->buffer_acquire(buffer, rig.queue, HR_ACCESS_WRITE, &ptr), HR_OK);
    memset(ptr, 'v', 10);
    assert_int_equal(rig.ops->buffer_release(buffer, rig.queue, ptr), HR_OK);
    rig_read(buffer, data, BYTES);
    assert_int_equal(data[9], 'v');
    assert_int_equal(data[10], 'k');
    assert_int_equal(data[BYTES - 1], 'k');
    rig.ops->buffer_destroy(buffer);
    free(data);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(buffers_say_what_they_are),
    cmocka_unit_test(pinned_buffers_begin_at_pages_whatever_their_size),
    cmocka_unit_test(an_impossible_size_is_said_to_be_one),
    cmocka_unit_test(copies_from_and_to_pageable_memory),
    cmocka_unit_test(copies_from_and_to_pinned_memory),
    cmocka_unit_test(copies_from_and_to_imported_memory),
    cmocka_unit_test(only_opencl_bounds_what_is_registered),
    cmocka_unit_test(fills_repeat_their_pattern),
    cmocka_unit_test(views_are_parts_of_their_parents),
    cmocka_unit_test(the_host_reads_and_writes_what_it_acquired),
};

rig_main(tests)
