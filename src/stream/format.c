/* Tells formats apart by their first bytes; what the parsers have in common. */
#include "stream/format.h"

#include "core/message.h"
#include "core/util.h"
#include "stream/build.h"

#include <stdio.h>
#include <string.h>

/* "50 4b 03 04" for a message. */
static const char *first_bytes(const unsigned char *head, uint64_t size, char *out, size_t room)
{
    size_t used = 0;

    out[0] = '\0';
    for (uint64_t i = 0; i < size && i < 8 && used + 4 < room; i++)
        used += (size_t)snprintf(out + used, room - used, i ? " %02x" : "%02x", head[i]);
    return out;
}

hr_status hri_format_parse(const unsigned char *head, uint64_t size, struct hri_layout *layout)
{
    char bytes[32];

    if (hri_npy_is(head, size))
        return hri_npy_parse(head, size, layout);
    if (hri_idx_is(head, size))
        return hri_idx_parse(head, size, layout);
    if (size == 0)
        return hri_fail(HR_FORMAT, "the file is empty; .npy and IDX are read, plain or gzip");
    return hri_fail(
        HR_FORMAT,
        "the file begins with %s%s, which is no format that is read; known are .npy (93 4e 55 4d 50 59) and "
        "IDX (00 00, type, dimensions), each plain or gzip (1f 8b)",
        first_bytes(head, size, bytes, sizeof bytes),
        size >= 4 && memcmp(head, "PK\3\4", 4) == 0 ? " (.npz or zip: np.save each array of it)" : "");
}

hr_status hri_layout_set(struct hri_layout *layout, uint32_t dtype, uint32_t rank, const uint64_t *dims,
                         uint64_t offset)
{
    struct hri_layout made = {.dtype = dtype, .rank = rank - 1, .rows = dims[0], .offset = offset};
    uint64_t end;

    if (rank > HR_MAX_RANK)
        return hri_fail(HR_FORMAT, "%u dimensions; %d are the most: merge some (reshape)", rank, HR_MAX_RANK);
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] == 0)
            return hri_fail(HR_FORMAT, "dimension %u is 0%s; every dimension must be at least 1", i,
                            i ? ", so rows have no bytes" : ", so there are no rows");
    }
    if (!hri_shape_bytes(dtype, rank - 1, dims + 1, &made.row_bytes) ||
        !hri_shape_bytes(dtype, rank, dims, &made.bytes) || hri_add_overflows(made.bytes, offset, &end) ||
        end > PTRDIFF_MAX)
        return hri_fail(HR_FORMAT, "the header's dimensions make more bytes than this machine can address");
    memcpy(made.shape, dims + 1, (rank - 1) * sizeof dims[0]);
    *layout = made;
    return HR_OK;
}

static void swap_2(unsigned char *to, const unsigned char *from, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i += 2) {
        uint16_t v;

        memcpy(&v, from + i, sizeof v);
        v = __builtin_bswap16(v);
        memcpy(to + i, &v, sizeof v);
    }
}

static void swap_4(unsigned char *to, const unsigned char *from, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i += 4) {
        uint32_t v;

        memcpy(&v, from + i, sizeof v);
        v = __builtin_bswap32(v);
        memcpy(to + i, &v, sizeof v);
    }
}

static void swap_8(unsigned char *to, const unsigned char *from, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i += 8) {
        uint64_t v;

        memcpy(&v, from + i, sizeof v);
        v = __builtin_bswap64(v);
        memcpy(to + i, &v, sizeof v);
    }
}

void hri_swap_copy(unsigned char *to, const unsigned char *from, uint64_t bytes, uint32_t width)
{
    if (width == 2)
        swap_2(to, from, bytes);
    else if (width == 4)
        swap_4(to, from, bytes);
    else if (width == 8)
        swap_8(to, from, bytes);
}
