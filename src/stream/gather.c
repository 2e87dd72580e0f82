/* Gathers rows; see gather.h. */
#include "stream/gather.h"

#include <string.h>

/* Random rows miss every cache and the TLB: asking for the first lines of a row this far ahead hides most of it. */
#define AHEAD 8
#define LINE 64
#define LINES_AHEAD 8

static void prefetch(const unsigned char *row, uint64_t row_bytes)
{
    uint64_t lines = row_bytes / LINE < LINES_AHEAD ? row_bytes / LINE + 1 : LINES_AHEAD;

    for (uint64_t i = 0; i < lines; i++)
        __builtin_prefetch(row + i * LINE);
}

#define FIXED(bytes)                                                                                                   \
    case bytes:                                                                                                        \
        for (uint64_t i = 0; i < count; i++)                                                                           \
            memcpy(dst + i * (bytes), src + ids[i] * stride, bytes);                                                   \
        return

void hri_gather(unsigned char *dst, const unsigned char *src, uint64_t stride, uint64_t row_bytes, const uint64_t *ids,
                uint64_t count)
{
    /* Ascending neighbours in packed memory are one block: the whole of an ordered epoch. */
    if (stride == row_bytes && count > 1 && ids[count - 1] - ids[0] == count - 1 && ids[1] == ids[0] + 1) {
        uint64_t run = 1;

        while (run < count && ids[run] == ids[0] + run)
            run++;
        if (run == count) {
            memcpy(dst, src + ids[0] * stride, count * row_bytes);
            return;
        }
    }
    switch (row_bytes) {
        FIXED(1);
        FIXED(2);
        FIXED(4);
        FIXED(8);
        FIXED(16);
    default:
        break;
    }
    for (uint64_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            prefetch(src + ids[i + AHEAD] * stride, row_bytes);
        memcpy(dst + i * row_bytes, src + ids[i] * stride, row_bytes);
    }
}
