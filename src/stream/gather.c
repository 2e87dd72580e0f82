/* Gathers rows; see gather.h. */
#include "stream/gather.h"

#include <string.h>

/*
 * Random rows miss every cache and the TLB, so rows to come are asked for while one is copied: about AHEAD_BYTES of
 * them, each whole up to MOST_LINES; of longer ones, where the processor's own prefetching takes over, only the
 * beginning. Measured on an EPYC with 2 cores, 2026-12-01, 1 GiB table: 128 B rows 7.7 -> 11.2 GB/s a core against 8
 * rows and 8 lines, 1 KB 14.1 -> 18.0, 4 KB 14.6 -> 18.0; a plain memcpy a row reaches 9.6 and 12.2.
 */
#define AHEAD_BYTES 8192
#define MOST_AHEAD 32
#define LINE 64
#define MOST_LINES 64
#define LINES_OF_LONG 8

struct ahead {
    uint64_t rows;
    uint64_t lines; /* of each */
};

static struct ahead ahead_for(uint64_t row_bytes)
{
    struct ahead ahead = {.rows = AHEAD_BYTES / row_bytes, .lines = (row_bytes + LINE - 1) / LINE};

    if (ahead.rows > MOST_AHEAD)
        ahead.rows = MOST_AHEAD;
    if (ahead.rows < 1)
        ahead.rows = 1;
    if (ahead.lines > MOST_LINES)
        ahead.lines = LINES_OF_LONG;
    return ahead;
}

#define FIXED(bytes)                                                                                                   \
    case bytes:                                                                                                        \
        for (uint64_t i = 0; i < count; i++)                                                                           \
            memcpy(dst + i * (bytes), src + ids[i] * stride, bytes);                                                   \
        return

void hri_gather(unsigned char *dst, const unsigned char *src, uint64_t stride, uint64_t row_bytes, const uint64_t *ids,
                uint64_t count)
{
    struct ahead ahead;

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
    ahead = ahead_for(row_bytes);
    for (uint64_t i = 0; i < count; i++) {
        if (i + ahead.rows < count)
            for (uint64_t line = 0; line < ahead.lines; line++)
                __builtin_prefetch(src + ids[i + ahead.rows] * stride + line * LINE);
        memcpy(dst + i * row_bytes, src + ids[i] * stride, row_bytes);
    }
}
