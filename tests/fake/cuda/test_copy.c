/* Simulated driver: copies land late and in order, pageable memory is special, ranges are checked. */
#include "rig.h"

#include <stdlib.h>

enum { BYTES = 1 << 20 };

static void a_copy_lands_late(void **state)
{
    unsigned char *host = rig_pinned(BYTES), *back = rig_pinned(BYTES);
    hri_cu_stream stream = rig_stream();
    hri_cu_pointer device = rig_device(BYTES);

    (void)state;
    memset(host, 1, BYTES);
    memset(back, 9, BYTES);
    fake.hold(stream, 1);
    OK(cu.MemcpyHtoDAsync(device, host, BYTES, stream));
    OK(cu.MemcpyDtoHAsync(back, device, BYTES, stream));
    assert_false(rig_idle(stream));
    assert_int_equal(back[BYTES - 1], 9);
    memset(host, 2, BYTES); /* the source is read when the stream comes to it */
    fake.hold(stream, 0);
    rig_finish(stream);
    assert_int_equal(back[0], 2);
    assert_int_equal(back[BYTES - 1], 2);
    OK(cu.MemFree(device));
    OK(cu.MemFreeHost(host));
    OK(cu.MemFreeHost(back));
    OK(cu.StreamDestroy(stream));
}

static void pageable_memory(void **state)
{
    unsigned char *host = malloc(BYTES), *back = malloc(BYTES);
    hri_cu_stream stream = rig_stream();
    hri_cu_pointer device = rig_device(BYTES);

    (void)state;
    memset(host, 1, BYTES);
    memset(back, 9, BYTES);
    fake.hold(stream, 1);
    OK(cu.MemcpyHtoDAsync(device, host, 4096, stream));
    memset(host, 2, BYTES); /* it has been taken already */
    assert_false(rig_idle(stream));
    fake.hold(stream, 0);
    OK(cu.MemcpyDtoHAsync(back, device, 4096, stream)); /* comes back when it is there */
    assert_int_equal(back[4095], 1);
    OK(cu.MemcpyHtoDAsync(device, host, BYTES, stream));
    memset(host, 3, BYTES);
    OK(cu.MemcpyDtoHAsync(back, device, BYTES, stream));
    assert_int_equal(back[BYTES - 1], 2);
    OK(cu.MemFree(device));
    OK(cu.StreamDestroy(stream));
    free(host);
    free(back);
}

static void ranges_are_checked(void **state)
{
    unsigned char *host = rig_pinned(4096), local[64];
    hri_cu_stream stream = rig_stream();
    hri_cu_pointer device = rig_device(1000), freed = rig_device(1000);

    (void)state;
    OK(cu.MemFree(freed));
    OK(cu.MemcpyHtoDAsync(device + 500, host, 500, stream));
    FAILS(HRI_CU_INVALID_VALUE, cu.MemcpyHtoDAsync(device + 500, host, 501, stream));
    FAILS(HRI_CU_INVALID_VALUE, cu.MemcpyHtoDAsync(device - 1, host, 10, stream));
    FAILS(HRI_CU_INVALID_VALUE, cu.MemcpyHtoDAsync(freed, host, 10, stream));
    FAILS(HRI_CU_INVALID_VALUE, cu.MemcpyHtoDAsync((uintptr_t)local, host, 10, stream));
    FAILS(HRI_CU_INVALID_VALUE, cu.MemcpyDtoHAsync((void *)(uintptr_t)device, device, 10, stream));
    FAILS(HRI_CU_INVALID_VALUE, cu.MemcpyHtoDAsync(device, host + 4000, 97, stream)); /* half pinned, half not */
    FAILS(HRI_CU_INVALID_VALUE, cu.MemcpyHtoDAsync(device, NULL, 10, stream));
    FAILS(HRI_CU_INVALID_VALUE, cu.MemcpyDtoDAsync(device, freed, 10, stream));
    FAILS(HRI_CU_INVALID_VALUE, cu.MemsetD8Async(device, 0, 1001, stream));
    FAILS(HRI_CU_INVALID_VALUE, cu.MemsetD32Async(device + 2, 0, 1, stream));
    FAILS(HRI_CU_INVALID_VALUE, cu.MemFree(device + 8));
    FAILS(HRI_CU_INVALID_VALUE, cu.MemFree(freed));
    OK(cu.MemFree(device));
    OK(cu.MemFreeHost(host));
    OK(cu.StreamDestroy(stream));
}

/* What the stream finds when it comes to a copy whose memory has gone. */
static void memory_freed_under_a_copy_is_a_fault(void **state)
{
    unsigned char *host = rig_pinned(4096);
    hri_cu_stream stream = rig_stream();
    hri_cu_event event = rig_event(HRI_CU_EVENT_DISABLE_TIMING);
    hri_cu_pointer device = rig_device(4096), other;

    (void)state;
    fake.hold(stream, 1);
    OK(cu.MemcpyHtoDAsync(device, host, 4096, stream));
    OK(cu.EventRecord(event, stream));
    OK(cu.MemFree(device));
    fake.hold(stream, 0);
    FAILS(HRI_CU_ILLEGAL_ADDRESS, cu.EventSynchronize(event));
    FAILS(HRI_CU_ILLEGAL_ADDRESS, cu.EventQuery(event)); /* and every later call */
    FAILS(HRI_CU_ILLEGAL_ADDRESS, cu.MemAlloc(&other, 4096));
    FAILS(HRI_CU_ILLEGAL_ADDRESS, cu.MemFreeHost(host)); /* is freed all the same */
    FAILS(HRI_CU_ILLEGAL_ADDRESS, cu.EventDestroy(event));
    FAILS(HRI_CU_ILLEGAL_ADDRESS, cu.StreamDestroy(stream));
}

static void pinned_memory_freed_under_a_copy_is_a_fault(void **state)
{
    unsigned char *host = rig_pinned(4096);
    hri_cu_stream stream = rig_stream();
    hri_cu_event event = rig_event(HRI_CU_EVENT_DISABLE_TIMING);
    hri_cu_pointer device = rig_device(4096);

    (void)state;
    fake.hold(stream, 1);
    OK(cu.MemcpyHtoDAsync(device, host, 4096, stream));
    OK(cu.EventRecord(event, stream));
    OK(cu.MemFreeHost(host));
    fake.hold(stream, 0);
    FAILS(HRI_CU_ILLEGAL_ADDRESS, cu.EventSynchronize(event));
    cu.MemFree(device);
    cu.EventDestroy(event);
    cu.StreamDestroy(stream);
}

static void rows_and_slices(void **state)
{
    enum { X = 7, Y = 5, Z = 3, PITCH = 16, ROWS = 8 };
    unsigned char *host = rig_pinned(PITCH * ROWS * Z), *back = rig_pinned(X * Y * Z);
    hri_cu_stream stream = rig_stream();
    hri_cu_pointer device = rig_device(PITCH * ROWS * Z);
    struct hri_cu_copy_2d flat = {.src_type = HRI_CU_MEMORY_HOST,
                                  .src_host = host,
                                  .src_pitch = PITCH,
                                  .dst_type = HRI_CU_MEMORY_DEVICE,
                                  .dst_device = device,
                                  .dst_pitch = PITCH,
                                  .width = PITCH,
                                  .height = ROWS * Z};
    struct hri_cu_copy_3d box = {.src_type = HRI_CU_MEMORY_DEVICE,
                                 .src_device = device,
                                 .src_x = 2,
                                 .src_y = 1,
                                 .src_pitch = PITCH,
                                 .src_height = ROWS,
                                 .dst_type = HRI_CU_MEMORY_HOST,
                                 .dst_host = back,
                                 .dst_pitch = X,
                                 .dst_height = Y,
                                 .width = X,
                                 .height = Y,
                                 .depth = Z};

    (void)state;
    for (unsigned i = 0; i < PITCH * ROWS * Z; i++)
        host[i] = (unsigned char)i;
    OK(cu.Memcpy2DAsync(&flat, stream));
    OK(cu.Memcpy3DAsync(&box, stream));
    rig_finish(stream);
    for (unsigned z = 0; z < Z; z++)
        for (unsigned y = 0; y < Y; y++)
            for (unsigned x = 0; x < X; x++)
                assert_int_equal(back[(z * Y + y) * X + x], ((z * ROWS + y + 1) * PITCH + x + 2) & 255);
    flat.height++;
    FAILS(HRI_CU_INVALID_VALUE, cu.Memcpy2DAsync(&flat, stream));
    flat.height--;
    flat.src_pitch = PITCH - 1;
    FAILS(HRI_CU_INVALID_VALUE, cu.Memcpy2DAsync(&flat, stream));
    flat.src_type = 3;
    FAILS(HRI_CU_INVALID_VALUE, cu.Memcpy2DAsync(&flat, stream));
    box.src_height = Y - 1;
    FAILS(HRI_CU_INVALID_VALUE, cu.Memcpy3DAsync(&box, stream));
    OK(cu.MemFree(device));
    OK(cu.MemFreeHost(host));
    OK(cu.MemFreeHost(back));
    OK(cu.StreamDestroy(stream));
}

static void fills(void **state)
{
    uint32_t *back = rig_pinned(64);
    unsigned char *bytes = (unsigned char *)back;
    hri_cu_stream stream = rig_stream();
    hri_cu_pointer device = rig_device(64);

    (void)state;
    OK(cu.MemsetD8Async(device, 0x11, 64, stream));
    OK(cu.MemsetD16Async(device + 2, 0x2233, 1, stream));
    OK(cu.MemsetD32Async(device + 4, 0x44556677, 2, stream));
    OK(cu.MemsetD2D32Async(device + 16, 16, 0x8899aabb, 1, 3, stream));
    OK(cu.MemcpyDtoHAsync(back, device, 64, stream));
    rig_finish(stream);
    assert_int_equal(bytes[1], 0x11);
    assert_int_equal(bytes[2], 0x33);
    assert_int_equal(bytes[3], 0x22);
    assert_int_equal(back[1], 0x44556677);
    assert_int_equal(back[2], 0x44556677);
    assert_int_equal(back[3], 0x11111111);
    assert_int_equal(back[4], 0x8899aabb);
    assert_int_equal(back[5], 0x11111111);
    assert_int_equal(back[8], 0x8899aabb);
    assert_int_equal(back[12], 0x8899aabb);
    OK(cu.MemFree(device));
    OK(cu.MemFreeHost(back));
    OK(cu.StreamDestroy(stream));
}

static void new_memory_is_garbage(void **state)
{
    unsigned char back[64];
    hri_cu_stream stream = rig_stream();
    hri_cu_pointer device = rig_device(64);

    (void)state;
    OK(cu.MemcpyDtoHAsync(back, device, 64, stream));
    assert_int_not_equal(back[0], 0);
    OK(cu.MemFree(device));
    OK(cu.StreamDestroy(stream));
}

#define on_a_device(f) cmocka_unit_test_setup_teardown(f, rig_open, rig_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_a_device(a_copy_lands_late),
        on_a_device(pageable_memory),
        on_a_device(ranges_are_checked),
        on_a_device(memory_freed_under_a_copy_is_a_fault),
        on_a_device(pinned_memory_freed_under_a_copy_is_a_fault),
        on_a_device(rows_and_slices),
        on_a_device(fills),
        on_a_device(new_memory_is_garbage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
