/*
 * Pitched copies. OpenCL wants slice pitches that are multiples of row pitches, and equal pitches within one buffer:
 * what it would refuse is submitted slice by slice or row by row. The queue is in order, so the wait list of the first
 * step and the event of the last stand for all; its times are the last step's.
 */
#include "opencl/internal.h"

struct rect {
    const struct hrb_place *dst;
    const struct hrb_place *src;
    uint64_t width;
    uint64_t rows;
    uint64_t slices;
};

struct pitches {
    uint64_t row;
    uint64_t slice;
};

/* The pitches that count, as OpenCL checks them: those of one row or one slice mean nothing. */
static struct pitches pitches_of(const struct rect *rect, const struct hrb_place *place)
{
    struct pitches pitches = {.row = place->row_pitch, .slice = place->slice_pitch};

    if (rect->rows == 1)
        pitches.row = rect->slices == 1 ? rect->width : place->slice_pitch;
    if (rect->slices == 1)
        pitches.slice = pitches.row * rect->rows;
    return pitches;
}

static bool acceptable(const struct rect *rect)
{
    const struct pitches dst = pitches_of(rect, rect->dst);
    const struct pitches src = pitches_of(rect, rect->src);

    if (dst.slice % dst.row != 0 || src.slice % src.row != 0)
        return false;
    return rect->dst->host || rect->src->host || rect->dst->buffer != rect->src->buffer ||
           (dst.row == src.row && dst.slice == src.slice);
}

/* One command; `at` counts from the places' offsets. */
static cl_int enqueue(cl_command_queue queue, const struct rect *rect, uint64_t dst_at, uint64_t src_at,
                      cl_uint n_waits, const cl_event *waits, cl_event *event)
{
    static const size_t none[3] = {0, 0, 0};
    const size_t region[3] = {rect->width, rect->rows, rect->slices};
    const size_t dst_origin[3] = {rect->dst->offset + dst_at, 0, 0};
    const size_t src_origin[3] = {rect->src->offset + src_at, 0, 0};
    const struct pitches dst = pitches_of(rect, rect->dst);
    const struct pitches src = pitches_of(rect, rect->src);

    if (rect->src->host)
        return clEnqueueWriteBufferRect(queue, hri_cl_buffer(rect->dst->buffer)->mem, CL_FALSE, dst_origin, none,
                                        region, dst.row, dst.slice, src.row, src.slice,
                                        (const char *)rect->src->host + src_origin[0], n_waits, waits, event);
    if (rect->dst->host)
        return clEnqueueReadBufferRect(queue, hri_cl_buffer(rect->src->buffer)->mem, CL_FALSE, src_origin, none, region,
                                       src.row, src.slice, dst.row, dst.slice, (char *)rect->dst->host + dst_origin[0],
                                       n_waits, waits, event);
    return clEnqueueCopyBufferRect(queue, hri_cl_buffer(rect->src->buffer)->mem, hri_cl_buffer(rect->dst->buffer)->mem,
                                   src_origin, dst_origin, region, src.row, src.slice, dst.row, dst.slice, n_waits,
                                   waits, event);
}

/* step: a part of `whole` of step->rows rows (all or one) of one slice. */
static cl_int enqueue_steps(struct hri_cl_submission *sub, const struct rect *whole, const struct rect *step)
{
    const uint64_t per_slice = whole->rows / step->rows;
    const uint64_t n = whole->slices * per_slice;

    for (uint64_t i = 0; i < n; i++) {
        uint64_t slice = i / per_slice;
        uint64_t row = i % per_slice; /* 0 when a step has all rows */
        cl_int code = enqueue(sub->queue->native, step, slice * whole->dst->slice_pitch + row * whole->dst->row_pitch,
                              slice * whole->src->slice_pitch + row * whole->src->row_pitch, i == 0 ? sub->n_waits : 0,
                              i == 0 ? sub->waits : NULL, i == n - 1 ? hri_cl_submit_event(sub) : NULL);

        if (code != CL_SUCCESS)
            return code;
    }
    return CL_SUCCESS;
}

hr_status hri_cl_copy_rect(struct hrb_queue *queue, const struct hrb_place *dst, const struct hrb_place *src,
                           uint64_t width, uint64_t rows, uint64_t slices, const struct hrb_sync *sync)
{
    const struct rect whole = {.dst = dst, .src = src, .width = width, .rows = rows, .slices = slices};
    struct rect step = whole;
    struct hri_cl_submission sub;
    cl_int code;
    hr_status st = hri_cl_submit_begin(queue, sync, &sub);

    if (st != HR_OK)
        return st;
    if (acceptable(&whole)) {
        code = enqueue(sub.queue->native, &whole, 0, 0, sub.n_waits, sub.waits, hri_cl_submit_event(&sub));
    } else {
        step.slices = 1;
        if (!acceptable(&step))
            step.rows = 1;
        code = enqueue_steps(&sub, &whole, &step);
    }
    return hri_cl_submit_end(&sub, code, "a pitched copy cannot be submitted");
}
