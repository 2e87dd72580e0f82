/*
 * Copies. The stream's thread does them, late. Pageable memory is treated as drivers do: a source of up to 64 KiB is
 * taken at once, a larger one when the stream has come so far, both before the call returns; a destination is
 * waited for.
 */
#include "fake.h"

#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 64 << 10, MAX_PITCH = 2147483647 };

struct side {
    uintptr_t address;
    size_t pitch, slice;
    bool device;
    bool pageable;
};

struct copy {
    struct fake_work work;
    struct side dst, src;
    size_t width, height, depth;
    unsigned char *snapshot;
};

/* From the first byte to the last. */
static size_t extent(const struct copy *copy, const struct side *side)
{
    return (copy->depth - 1) * side->slice + (copy->height - 1) * side->pitch + copy->width;
}

static void move(const struct copy *copy, unsigned char *dst, const struct side *to, const unsigned char *src,
                 const struct side *from)
{
    bool dense = to->pitch == copy->width && from->pitch == copy->width;

    for (size_t z = 0; z < copy->depth; z++) {
        unsigned char *d = dst + z * to->slice;
        const unsigned char *s = src + z * from->slice;

        if (dense)
            memcpy(d, s, copy->width * copy->height);
        for (size_t y = 0; y < copy->height && !dense; y++)
            memcpy(d + y * to->pitch, s + y * from->pitch, copy->width);
    }
}

/* Whether the device can still use this memory, now that the stream has come to it. */
static bool still_ok(const struct copy *copy, const struct side *side, enum fake_access access)
{
    hri_cu_context context = copy->work.stream->object.context;

    if (side->pageable)
        return true;
    if (side->device)
        return fake_device_ok(context, side->address, extent(copy, side), access);
    return fake_host_is(context, side->address, extent(copy, side), access) == FAKE_REACHABLE;
}

static void run(struct fake_work *work, bool skip)
{
    struct copy *copy = (struct copy *)work;

    if (!skip) {
        fake_lock_to_read(&fake_ranges_lock);
        if (still_ok(copy, &copy->dst, FAKE_WRITE) && still_ok(copy, &copy->src, FAKE_READ)) {
            const void *src = copy->snapshot ? copy->snapshot : fake_arena_bytes(copy->src.address);

            move(copy, fake_arena_bytes(copy->dst.address), &copy->dst, src, &copy->src);
        } else {
            fake_fault(work->stream->object.context, HRI_CU_ILLEGAL_ADDRESS);
        }
        fake_unlock_shared(&fake_ranges_lock);
    }
    free(copy->snapshot);
    free(copy);
}

static hri_cu_result check_side(hri_cu_context context, const struct copy *copy, struct side *side,
                                enum fake_access access)
{
    hri_cu_result code = 0;

    fake_lock_to_read(&fake_ranges_lock);
    if (side->device) {
        if (!fake_device_ok(context, side->address, extent(copy, side), access))
            code = HRI_CU_INVALID_VALUE;
    } else {
        enum fake_host host = fake_host_is(context, side->address, extent(copy, side), access);

        if (host == FAKE_WRONG || side->address == 0)
            code = HRI_CU_INVALID_VALUE;
        side->pageable = host == FAKE_PAGEABLE;
    }
    fake_unlock_shared(&fake_ranges_lock);
    return code;
}

/* The source as it is now, dense. */
static void take_snapshot(struct copy *copy, hri_cu_stream stream)
{
    size_t bytes = copy->width * copy->height * copy->depth;
    struct side dense = {.pitch = copy->width, .slice = copy->width * copy->height};

    if (bytes > AT_ONCE)
        fake_stream_drain(stream);
    copy->snapshot = malloc(bytes);
    if (!copy->snapshot)
        fake_die("out of memory");
    move(copy, copy->snapshot, &dense, (const unsigned char *)copy->src.address, &copy->src);
    copy->src.pitch = dense.pitch;
    copy->src.slice = dense.slice;
}

static hri_cu_result submit(hri_cu_context context, hri_cu_stream stream, const struct copy *what)
{
    hri_cu_result code = fake_stream_check(context, &stream);
    struct copy copy = *what, *own;
    bool wait;

    if (code)
        return code;
    if (copy.width == 0 || copy.height == 0 || copy.depth == 0)
        return 0;
    code = check_side(context, &copy, &copy.dst, FAKE_WRITE);
    if (code == 0)
        code = check_side(context, &copy, &copy.src, FAKE_READ);
    if (code)
        return code;
    if (copy.src.pageable)
        take_snapshot(&copy, stream);
    wait = copy.dst.pageable;
    own = malloc(sizeof *own);
    if (!own)
        fake_die("out of memory");
    *own = copy;
    own->work.run = run;
    own->work.late = true;
    fake_stream_push(stream, &own->work);
    if (wait)
        fake_stream_drain(stream);
    return wait ? atomic_load(&context->sticky) : 0;
}

static hri_cu_result submit_line(enum fake_call call, struct side dst, struct side src, size_t bytes,
                                 hri_cu_stream stream)
{
    struct copy copy = {.dst = dst, .src = src, .width = bytes, .height = 1, .depth = 1};
    hri_cu_context context;
    hri_cu_result code = fake_enter(call, &context);

    copy.dst.pitch = copy.src.pitch = copy.dst.slice = copy.src.slice = bytes;
    return code ? code : submit(context, stream, &copy);
}

/* -- the driver's functions -------------------------------------------------------------------------------------------
 */

hri_cu_result cuMemcpyHtoDAsync_v2(hri_cu_pointer dst, const void *src, size_t bytes, hri_cu_stream stream)
{
    return submit_line(FAKE_MemcpyHtoDAsync, (struct side){.address = (uintptr_t)dst, .device = true},
                       (struct side){.address = (uintptr_t)src}, bytes, stream);
}

hri_cu_result cuMemcpyDtoHAsync_v2(void *dst, hri_cu_pointer src, size_t bytes, hri_cu_stream stream)
{
    return submit_line(FAKE_MemcpyDtoHAsync, (struct side){.address = (uintptr_t)dst},
                       (struct side){.address = (uintptr_t)src, .device = true}, bytes, stream);
}

hri_cu_result cuMemcpyDtoDAsync_v2(hri_cu_pointer dst, hri_cu_pointer src, size_t bytes, hri_cu_stream stream)
{
    return submit_line(FAKE_MemcpyDtoDAsync, (struct side){.address = (uintptr_t)dst, .device = true},
                       (struct side){.address = (uintptr_t)src, .device = true}, bytes, stream);
}

/* One side of a copy of rows; false for what there cannot be. */
static bool describe(struct side *side, int type, const void *host, hri_cu_pointer device, hri_cu_array array)
{
    if ((type != HRI_CU_MEMORY_HOST && type != HRI_CU_MEMORY_DEVICE) || array)
        return false;
    side->device = type == HRI_CU_MEMORY_DEVICE;
    side->address = side->device ? (uintptr_t)device : (uintptr_t)host;
    return true;
}

/* A pitch of 0 means dense rows. */
static bool set_pitch(struct side *side, size_t pitch, size_t slice_rows, const struct copy *copy)
{
    side->pitch = pitch ? pitch : copy->width;
    side->slice = side->pitch * (slice_rows ? slice_rows : copy->height);
    return side->pitch >= copy->width && side->pitch <= MAX_PITCH && (!slice_rows || slice_rows >= copy->height);
}

hri_cu_result cuMemcpy2DAsync_v2(const struct hri_cu_copy_2d *c, hri_cu_stream stream)
{
    struct copy copy = {.width = c->width, .height = c->height, .depth = 1};
    hri_cu_context context;
    hri_cu_result code = fake_enter(FAKE_Memcpy2DAsync, &context);

    if (code)
        return code;
    if (!describe(&copy.dst, c->dst_type, c->dst_host, c->dst_device, c->dst_array) ||
        !describe(&copy.src, c->src_type, c->src_host, c->src_device, c->src_array) ||
        !set_pitch(&copy.dst, c->dst_pitch, 0, &copy) || !set_pitch(&copy.src, c->src_pitch, 0, &copy))
        return HRI_CU_INVALID_VALUE;
    copy.dst.address += c->dst_y * copy.dst.pitch + c->dst_x;
    copy.src.address += c->src_y * copy.src.pitch + c->src_x;
    return submit(context, stream, &copy);
}

hri_cu_result cuMemcpy3DAsync_v2(const struct hri_cu_copy_3d *c, hri_cu_stream stream)
{
    struct copy copy = {.width = c->width, .height = c->height, .depth = c->depth};
    hri_cu_context context;
    hri_cu_result code = fake_enter(FAKE_Memcpy3DAsync, &context);

    if (code)
        return code;
    if (!describe(&copy.dst, c->dst_type, c->dst_host, c->dst_device, c->dst_array) ||
        !describe(&copy.src, c->src_type, c->src_host, c->src_device, c->src_array) ||
        !set_pitch(&copy.dst, c->dst_pitch, c->dst_height, &copy) ||
        !set_pitch(&copy.src, c->src_pitch, c->src_height, &copy) || c->src_lod != 0 || c->dst_lod != 0 ||
        c->src_reserved || c->dst_reserved)
        return HRI_CU_INVALID_VALUE;
    copy.dst.address += c->dst_z * copy.dst.slice + c->dst_y * copy.dst.pitch + c->dst_x;
    copy.src.address += c->src_z * copy.src.slice + c->src_y * copy.src.pitch + c->src_x;
    return submit(context, stream, &copy);
}
