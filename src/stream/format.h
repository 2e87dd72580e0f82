/* File formats: from a file's first bytes to the layout of its rows. Parsers touch no file and keep no pointer. */
#ifndef HRI_FORMAT_H
#define HRI_FORMAT_H

#include <headrace/dataset.h>
#include <stdbool.h>

/* Every header that is accepted ends within this many bytes. */
#define HRI_MOST_HEADER_BYTES (64 * 1024 + 16)

/* Where the rows of a file are, and what they are. */
struct hri_layout {
    uint32_t dtype;
    uint32_t rank; /* of a row */
    uint64_t rows; /* >= 1 */
    uint64_t shape[HR_MAX_RANK];
    uint64_t row_bytes; /* >= 1 */
    uint64_t offset;    /* of the first row */
    uint64_t bytes;     /* of all rows; offset + bytes does not overflow */
    bool swapped;       /* the elements' bytes are in the other order than this machine's */
};

/* The layout of a file that begins with the `size` bytes at `head` (all of it, or HRI_MOST_HEADER_BYTES of it).
 * HR_FORMAT: the message does not name the file. Whether the rows are all there is for the caller to check. */
hr_status hri_format_parse(const unsigned char *head, uint64_t size, struct hri_layout *layout);

/* The same for one format, whose magic bytes have been seen. */
bool hri_npy_is(const unsigned char *head, uint64_t size);
hr_status hri_npy_parse(const unsigned char *head, uint64_t size, struct hri_layout *layout);
bool hri_idx_is(const unsigned char *head, uint64_t size);
hr_status hri_idx_parse(const unsigned char *head, uint64_t size, struct hri_layout *layout);

/* For the parsers: fills in a layout, `rank` >= 1 dimensions with the rows first. HR_FORMAT: no rows or no bytes, too
 * many dimensions or bytes. */
hr_status hri_layout_set(struct hri_layout *layout, uint32_t dtype, uint32_t rank, const uint64_t *dims,
                         uint64_t offset);

/* Copies elements of `width` bytes with their bytes reversed; `to` may be `from`. bytes is a multiple of width. */
void hri_swap_copy(unsigned char *to, const unsigned char *from, uint64_t bytes, uint32_t width);

#endif
