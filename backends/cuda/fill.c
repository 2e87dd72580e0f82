/* Fills: patterns of up to four bytes as they are, longer ones a column of four bytes at a time. */
#include "cuda/internal.h"

#include <string.h>

/* The most rows that a pitched memset takes at a time: grids have such limits, and larger fills are rare. */
#define MOST_ROWS ((uint64_t)1 << 24)

/* Column `c` of every row: four bytes in `pattern_bytes`. */
static hri_cu_result fill_column(const struct hri_cu *cu, hri_cu_stream stream, hri_cu_pointer to, uint64_t bytes,
                                 const unsigned char *pattern, uint32_t pattern_bytes, uint32_t c)
{
    hri_cu_result code = HRI_CU_SUCCESS;
    uint64_t rows = bytes / pattern_bytes;
    uint32_t value;

    memcpy(&value, pattern + 4 * c, sizeof value);
    for (uint64_t row = 0, step; row < rows && code == HRI_CU_SUCCESS; row += step) {
        step = rows - row < MOST_ROWS ? rows - row : MOST_ROWS;
        code = cu->MemsetD2D32Async(to + row * pattern_bytes + 4 * c, pattern_bytes, value, 1, step, stream);
    }
    return code;
}

static hri_cu_result fill(const struct hri_cu *cu, hri_cu_stream stream, hri_cu_pointer to, uint64_t bytes,
                          const unsigned char *pattern, uint32_t pattern_bytes)
{
    hri_cu_result code = HRI_CU_SUCCESS;
    uint16_t two;
    uint32_t four;

    switch (pattern_bytes) {
    case 1:
        return cu->MemsetD8Async(to, pattern[0], bytes, stream);
    case 2:
        memcpy(&two, pattern, sizeof two);
        return cu->MemsetD16Async(to, two, bytes / 2, stream);
    case 4:
        memcpy(&four, pattern, sizeof four);
        return cu->MemsetD32Async(to, four, bytes / 4, stream);
    default:
        for (uint32_t c = 0; c < pattern_bytes / 4 && code == HRI_CU_SUCCESS; c++)
            code = fill_column(cu, stream, to, bytes, pattern, pattern_bytes, c);
        return code;
    }
}

hr_status hri_cu_fill(struct hrb_queue *queue, struct hrb_buffer *buffer, uint64_t offset, uint64_t bytes,
                      const void *pattern, uint32_t pattern_bytes, const struct hrb_sync *sync)
{
    const struct hri_cu *cu = hri_cu_device(queue->device)->cu;
    struct hri_cu_submission sub;
    hr_status st = hri_cu_submit_begin(queue, sync, &sub);

    if (st != HR_OK)
        return st;
    return hri_cu_submit_end(
        &sub, fill(cu, sub.queue->stream, hri_cu_buffer(buffer)->pointer + offset, bytes, pattern, pattern_bytes),
        "a fill cannot be submitted");
}
