/* Pitched copies. */
#include "core/util.h"
#include "transfer/copy.h"

#define NAME "hr_copy_rect"

/* A box of slices x rows x width bytes. */
struct box {
    uint64_t width;
    uint64_t rows;
    uint64_t slices;
};

/* The bytes from the first to past the last; false when that overflows. */
static bool span(const hr_rect *rect, const struct box *box, uint64_t *bytes)
{
    uint64_t rows;
    uint64_t slices;

    return !hri_mul_overflows(rect->row_pitch, box->rows - 1, &rows) &&
           !hri_mul_overflows(rect->slice_pitch, box->slices - 1, &slices) && !hri_add_overflows(rows, slices, bytes) &&
           !hri_add_overflows(*bytes, box->width, bytes);
}

/* Reads one side and fills in its default pitch. */
static hr_status side_in(const char *name, const hr_rect *given, const hr_buffer *buffer, const struct box *box,
                         hr_rect *rect)
{
    uint64_t slice;
    uint64_t bytes;
    hr_status st = hri_struct_in(rect, sizeof *rect, given, HRI_LEAST(hr_rect, slice_pitch), "hr_rect");

    if (st != HR_OK)
        return st;
    if (rect->row_pitch < box->width)
        return hri_fail(HR_INVALID, NAME ": %s row_pitch %llu is less than the width of %llu bytes", name,
                        (unsigned long long)rect->row_pitch, (unsigned long long)box->width);
    if (hri_mul_overflows(rect->row_pitch, box->rows, &slice))
        return hri_fail(HR_RANGE, NAME ": %s %llu rows of pitch %llu overflow 64 bits", name,
                        (unsigned long long)box->rows, (unsigned long long)rect->row_pitch);
    if (rect->slice_pitch == 0 || box->slices == 1)
        rect->slice_pitch = slice; /* a single slice has no next one */
    if (rect->slice_pitch < slice)
        return hri_fail(HR_INVALID, NAME ": %s slice_pitch %llu is less than %llu, its rows", name,
                        (unsigned long long)rect->slice_pitch, (unsigned long long)slice);
    if (!span(rect, box, &bytes))
        return hri_fail(HR_RANGE, NAME ": %s %llu slices of pitch %llu overflow 64 bits", name,
                        (unsigned long long)box->slices, (unsigned long long)rect->slice_pitch);
    return hri_check_range(NAME, name, buffer, rect->offset, bytes);
}

/* Do two boxes of equal pitches, `distance` bytes apart, share a byte? They do if distance is the sum of a slice step,
 * a row step and a byte step that are all shorter than the box; each step is one of two neighbours. */
static bool boxes_meet(uint64_t distance, const hr_rect *pitch, const struct box *box)
{
    for (uint64_t up = 0; up < 2; up++) {
        uint64_t slices = distance / pitch->slice_pitch + up;
        uint64_t at = slices * pitch->slice_pitch;
        uint64_t rest = up == 0 ? distance - at : at - distance;

        if (slices >= box->slices)
            continue;
        for (uint64_t next = 0; next < 2; next++) {
            uint64_t rows = rest / pitch->row_pitch + next;
            uint64_t row_at = rows * pitch->row_pitch;

            if (rows < box->rows && (next == 0 ? rest - row_at : row_at - rest) < box->width)
                return true;
        }
    }
    return false;
}

static hr_status check_overlap(const hr_buffer *dst, const hr_rect *to, const hr_buffer *src, const hr_rect *from,
                               const struct box *box)
{
    uint64_t a = dst->base + to->offset;
    uint64_t b = src->base + from->offset;

    /* With unequal pitches it is the caller's word alone. */
    if (hri_same_memory(dst, src) && to->row_pitch == from->row_pitch && to->slice_pitch == from->slice_pitch &&
        boxes_meet(a < b ? b - a : a - b, to, box))
        return hri_fail(HR_INVALID,
                        NAME ": the boxes at %llu and %llu of one buffer overlap: copy through another "
                             "buffer",
                        (unsigned long long)to->offset, (unsigned long long)from->offset);
    return HR_OK;
}

static struct hrb_place place(const hr_buffer *buffer, const hr_rect *rect)
{
    struct hrb_place at = hri_place(buffer, rect->offset);

    at.row_pitch = rect->row_pitch;
    at.slice_pitch = rect->slice_pitch;
    return at;
}

static hr_status submit(hr_queue *queue, hr_buffer *dst, const hr_rect *to, hr_buffer *src, const hr_rect *from,
                        const struct box *box, const hr_sync *sync)
{
    struct hri_job job;
    hr_status st = hri_job_begin(&job, queue, sync);

    if (st != HR_OK)
        return st;
    st = hri_job_uses(&job, dst);
    if (st == HR_OK)
        st = hri_job_uses(&job, src);
    if (st == HR_OK && (box->width == 0 || box->rows == 0 || box->slices == 0)) {
        st = hri_job_nothing(&job);
    } else if (st == HR_OK) {
        struct hrb_place dst_place = place(dst, to);
        struct hrb_place src_place = place(src, from);

        st = queue->device->ops->copy_rect(queue->native, &dst_place, &src_place, box->width, box->rows, box->slices,
                                           &job.sync);
    }
    return hri_job_end(&job, st);
}

hr_status hr_copy_rect(hr_queue *queue, hr_buffer *dst, const hr_rect *dst_rect, hr_buffer *src,
                       const hr_rect *src_rect, uint64_t width, uint64_t rows, uint64_t slices, const hr_sync *sync)
{
    struct box box = {width, rows, slices};
    hr_rect to = {0};
    hr_rect from = {0};
    hr_status st = hri_check_operand(NAME, "dst", queue, dst);

    if (st == HR_OK)
        st = hri_check_operand(NAME, "src", queue, src);
    if (st != HR_OK)
        return st;
    if (hri_is_host_side(dst) && hri_is_host_side(src))
        return hri_fail(HR_UNSUPPORTED, NAME ": both buffers are host memory: copy between the pointers of "
                                             "hr_buffer_acquire()");
    if (width > 0 && rows > 0 && slices > 0) {
        st = side_in("dst", dst_rect, dst, &box, &to);
        if (st == HR_OK)
            st = side_in("src", src_rect, src, &box, &from);
        if (st == HR_OK)
            st = check_overlap(dst, &to, src, &from, &box);
        if (st != HR_OK)
            return st;
    }
    return submit(queue, dst, &to, src, &from, &box, sync);
}
