/* Boxes of bytes: slices of rows of bytes. Do two share a byte? */
#include "layers/strict.h"

struct strict_box hrb_strict_line(uint64_t offset, uint64_t bytes)
{
    return (struct strict_box){offset, bytes, 1, 1, bytes, bytes};
}

uint64_t hrb_strict_end(const struct strict_box *box)
{
    return box->offset + (box->slices - 1) * box->slice_pitch + (box->rows - 1) * box->row_pitch + box->width;
}

bool hrb_strict_is_line(const struct strict_box *box)
{
    return box->rows == 1 && box->slices == 1;
}

/* The first of `n` steps of `pitch` from `first` whose `length` bytes end past `at`. */
static uint64_t first_past(uint64_t first, uint64_t pitch, uint64_t length, uint64_t n, uint64_t at)
{
    uint64_t step;

    if (first + length > at)
        return 0;
    step = pitch > 0 ? (at - length - first) / pitch + 1 : n;
    return step < n ? step : n;
}

/* Does the box have a byte of [from, to)? Rows do not overlap, nor do slices: the first row that ends past `from` is
 * the one to look at, in each slice that reaches there. */
static bool has_of(const struct strict_box *box, uint64_t from, uint64_t to)
{
    uint64_t depth = (box->rows - 1) * box->row_pitch + box->width;

    for (uint64_t k = first_past(box->offset, box->slice_pitch, depth, box->slices, from); k < box->slices; k++) {
        uint64_t slice = box->offset + k * box->slice_pitch;
        uint64_t j = first_past(slice, box->row_pitch, box->width, box->rows, from);

        if (slice >= to)
            return false;
        if (j < box->rows && slice + j * box->row_pitch < to)
            return true;
    }
    return false;
}

static uint64_t rows_of(const struct strict_box *box)
{
    return box->rows * box->slices;
}

bool hrb_strict_meet(const struct strict_box *a, const struct strict_box *b)
{
    const struct strict_box *few = rows_of(a) <= rows_of(b) ? a : b;
    const struct strict_box *many = few == a ? b : a;

    if (a->offset >= hrb_strict_end(b) || b->offset >= hrb_strict_end(a))
        return false;
    for (uint64_t k = 0; k < few->slices; k++) {
        for (uint64_t j = 0; j < few->rows; j++) {
            uint64_t row = few->offset + k * few->slice_pitch + j * few->row_pitch;

            if (has_of(many, row, row + few->width))
                return true;
        }
    }
    return false;
}

bool hrb_strict_covers(const struct strict_box *outer, const struct strict_box *inner)
{
    return hrb_strict_is_line(outer) && outer->offset <= inner->offset &&
           hrb_strict_end(inner) <= hrb_strict_end(outer);
}
