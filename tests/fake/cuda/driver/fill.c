/* Fills, by the stream's thread. */
#include "fake.h"

#include <stdlib.h>
#include <string.h>

struct fill {
    struct fake_work work;
    uintptr_t address;
    unsigned value;
    unsigned unit; /* bytes of a value */
    size_t width, height, pitch;
};

static size_t extent(const struct fill *fill)
{
    return (fill->height - 1) * fill->pitch + fill->width * fill->unit;
}

static void fill_row(unsigned char *row, const struct fill *fill)
{
    unsigned char value[4];

    memcpy(value, &fill->value, sizeof value);
    fake_saw(row, fill->width * fill->unit, 1);
    for (size_t x = 0; x < fill->width; x++)
        for (unsigned i = 0; i < fill->unit; i++)
            row[x * fill->unit + i] = value[i];
}

static void run(struct fake_work *work, bool skip)
{
    struct fill *fill = (struct fill *)work;
    hri_cu_context context = work->stream->object.context;

    if (!skip) {
        fake_lock_to_read(&fake_ranges_lock);
        if (fake_device_ok(context, fill->address, extent(fill), FAKE_WRITE)) {
            unsigned char *at = fake_arena_bytes(fill->address);

            for (size_t y = 0; y < fill->height; y++)
                fill_row(at + y * fill->pitch, fill);
        } else {
            fake_fault(context, HRI_CU_ILLEGAL_ADDRESS);
        }
        fake_unlock_shared(&fake_ranges_lock);
    }
    free(fill);
}

static hri_cu_result submit(enum fake_call call, const struct fill *what, hri_cu_stream stream)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter(call, &context);
    struct fill *fill;

    if (code == 0)
        code = fake_stream_check(context, &stream);
    if (code || what->width == 0 || what->height == 0)
        return code;
    if (what->address % what->unit != 0 || what->pitch % what->unit != 0 ||
        (what->height > 1 && what->pitch < what->width * what->unit))
        return HRI_CU_INVALID_VALUE;
    fake_lock_to_read(&fake_ranges_lock);
    if (!fake_device_ok(context, what->address, extent(what), FAKE_WRITE))
        code = HRI_CU_INVALID_VALUE;
    fake_unlock_shared(&fake_ranges_lock);
    if (code)
        return code;
    fill = malloc(sizeof *fill);
    if (!fill)
        fake_die("out of memory");
    *fill = *what;
    fill->work.run = run;
    fill->work.late = true;
    fake_stream_push(stream, &fill->work);
    return 0;
}

hri_cu_result cuMemsetD8Async(hri_cu_pointer dst, unsigned char value, size_t count, hri_cu_stream stream)
{
    struct fill fill = {.address = (uintptr_t)dst, .value = value, .unit = 1, .width = count, .height = 1};

    return submit(FAKE_MemsetD8Async, &fill, stream);
}

hri_cu_result cuMemsetD16Async(hri_cu_pointer dst, unsigned short value, size_t count, hri_cu_stream stream)
{
    struct fill fill = {.address = (uintptr_t)dst, .value = value, .unit = 2, .width = count, .height = 1};

    return submit(FAKE_MemsetD16Async, &fill, stream);
}

hri_cu_result cuMemsetD32Async(hri_cu_pointer dst, unsigned value, size_t count, hri_cu_stream stream)
{
    struct fill fill = {.address = (uintptr_t)dst, .value = value, .unit = 4, .width = count, .height = 1};

    return submit(FAKE_MemsetD32Async, &fill, stream);
}

hri_cu_result cuMemsetD2D32Async(hri_cu_pointer dst, size_t pitch, unsigned value, size_t width, size_t height,
                                 hri_cu_stream stream)
{
    struct fill fill = {
        .address = (uintptr_t)dst, .value = value, .unit = 4, .width = width, .height = height, .pitch = pitch};

    return submit(FAKE_MemsetD2D32Async, &fill, stream);
}
