/*
 * Pitched copies: the whole box in one call where the driver can describe it, else slice by slice. The driver counts
 * slices in rows, so slice pitches must be multiples of row pitches. Memory that was registered in chunks is copied in
 * parts that stay within one; a row that lies across a border goes as a plain copy. The queue is in order, so the waits
 * before the first step and the event behind the last stand for all.
 */
#include "cuda/internal.h"

struct rect {
    struct hrb_place dst;
    struct hrb_place src;
    uint64_t width;
    uint64_t rows;
    uint64_t slices;
};

/* Every device's CU_DEVICE_ATTRIBUTE_MAX_PITCH; rows that are farther apart are few and go one by one. */
#define MOST_PITCH (((uint64_t)1 << 31) - 1)

static bool pitches_fit(const struct rect *rect)
{
    return rect->dst.row_pitch <= MOST_PITCH && rect->src.row_pitch <= MOST_PITCH;
}

/* The bytes that one call may take of the host's side: up to the end of a chunk of registered memory. */
static uint64_t left_in_chunk(const struct rect *rect)
{
    const struct hrb_place *host = rect->src.host ? &rect->src : &rect->dst;

    if (!host->host || !host->buffer || host->buffer->kind != HR_MEMORY_IMPORTED)
        return UINT64_MAX;
    return hri_cu_chunk_left((uintptr_t)host->host + host->offset);
}

static bool fits_one_call(const struct rect *rect)
{
    const struct hrb_place *host = rect->src.host ? &rect->src : &rect->dst;
    const uint64_t span = (rect->slices - 1) * host->slice_pitch + (rect->rows - 1) * host->row_pitch + rect->width;

    return pitches_fit(rect) && rect->dst.slice_pitch % rect->dst.row_pitch == 0 &&
           rect->src.slice_pitch % rect->src.row_pitch == 0 && span <= left_in_chunk(rect);
}

static const void *source(const struct hrb_place *place)
{
    return place->host ? (const char *)place->host + place->offset : NULL;
}

static void *target(const struct hrb_place *place)
{
    return place->host ? (char *)place->host + place->offset : NULL;
}

static hri_cu_pointer pointer(const struct hrb_place *place)
{
    return place->host ? 0 : hri_cu_buffer(place->buffer)->pointer + place->offset;
}

static int type_of(const struct hrb_place *place)
{
    return place->host ? HRI_CU_MEMORY_HOST : HRI_CU_MEMORY_DEVICE;
}

static hri_cu_result copy_2d(const struct hri_cu *cu, hri_cu_stream stream, const struct rect *rect)
{
    const struct hri_cu_copy_2d copy = {
        .src_type = type_of(&rect->src),
        .src_host = source(&rect->src),
        .src_device = pointer(&rect->src),
        .src_pitch = rect->src.row_pitch,
        .dst_type = type_of(&rect->dst),
        .dst_host = target(&rect->dst),
        .dst_device = pointer(&rect->dst),
        .dst_pitch = rect->dst.row_pitch,
        .width = rect->width,
        .height = rect->rows,
    };

    return cu->Memcpy2DAsync(&copy, stream);
}

static hri_cu_result copy_3d(const struct hri_cu *cu, hri_cu_stream stream, const struct rect *rect)
{
    const struct hri_cu_copy_3d copy = {
        .src_type = type_of(&rect->src),
        .src_host = source(&rect->src),
        .src_device = pointer(&rect->src),
        .src_pitch = rect->src.row_pitch,
        .src_height = rect->src.slice_pitch / rect->src.row_pitch,
        .dst_type = type_of(&rect->dst),
        .dst_host = target(&rect->dst),
        .dst_device = pointer(&rect->dst),
        .dst_pitch = rect->dst.row_pitch,
        .dst_height = rect->dst.slice_pitch / rect->dst.row_pitch,
        .width = rect->width,
        .height = rect->rows,
        .depth = rect->slices,
    };

    return cu->Memcpy3DAsync(&copy, stream);
}

/* The rows from the first on that go in one call; 0: not even one, it lies across a border or the pitch is too large.
 */
static uint64_t rows_in_call(const struct rect *rect)
{
    const uint64_t pitch = rect->src.host ? rect->src.row_pitch : rect->dst.row_pitch;
    const uint64_t left = left_in_chunk(rect);
    uint64_t n;

    if (left < rect->width || (rect->rows > 1 && !pitches_fit(rect)))
        return 0;
    n = (left - rect->width) / pitch + 1;
    return n < rect->rows ? n : rect->rows;
}

/* `whole` from a slice and a row on, rows of that slice alone. */
static struct rect part(const struct rect *whole, uint64_t slice, uint64_t row)
{
    struct rect rect = *whole;

    rect.dst.offset += slice * whole->dst.slice_pitch + row * whole->dst.row_pitch;
    rect.src.offset += slice * whole->src.slice_pitch + row * whole->src.row_pitch;
    rect.rows = whole->rows - row;
    rect.slices = 1;
    return rect;
}

static hri_cu_result copy_slice(const struct hri_cu *cu, hri_cu_stream stream, const struct rect *whole, uint64_t slice)
{
    hri_cu_result code = HRI_CU_SUCCESS;

    for (uint64_t row = 0; row < whole->rows && code == HRI_CU_SUCCESS;) {
        struct rect rect = part(whole, slice, row);
        const uint64_t rows = rows_in_call(&rect);

        rect.rows = rows;
        code = rows > 1 ? copy_2d(cu, stream, &rect) : hri_cu_copy_bytes(cu, stream, &rect.dst, &rect.src, rect.width);
        row += rows > 1 ? rows : 1;
    }
    return code;
}

static hri_cu_result copy_box(const struct hri_cu *cu, hri_cu_stream stream, const struct rect *rect)
{
    hri_cu_result code = HRI_CU_SUCCESS;

    if (rect->slices > 1 && fits_one_call(rect))
        return copy_3d(cu, stream, rect);
    for (uint64_t slice = 0; slice < rect->slices && code == HRI_CU_SUCCESS; slice++)
        code = copy_slice(cu, stream, rect, slice);
    return code;
}

hr_status hri_cu_copy_rect(struct hrb_queue *queue, const struct hrb_place *dst, const struct hrb_place *src,
                           uint64_t width, uint64_t rows, uint64_t slices, const struct hrb_sync *sync)
{
    const struct hri_cu *cu = hri_cu_device(queue->device)->cu;
    struct rect rect = {.dst = *dst, .src = *src, .width = width, .rows = rows, .slices = slices};
    struct hri_cu_submission sub;
    hr_status st = hri_cu_check_target(dst);

    if (rows == 1) { /* slices of a row each are the rows of one slice */
        rect.rows = slices;
        rect.slices = 1;
        rect.dst.row_pitch = dst->slice_pitch;
        rect.src.row_pitch = src->slice_pitch;
    }
    if (st == HR_OK)
        st = hri_cu_submit_begin(queue, sync, &sub);
    if (st != HR_OK)
        return st;
    return hri_cu_submit_end(&sub, copy_box(cu, sub.queue->stream, &rect), "a pitched copy cannot be submitted");
}
