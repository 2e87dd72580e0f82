/* Moves rows on the host: the only inner loop of a gather worker. */
#ifndef HRI_GATHER_H
#define HRI_GATHER_H

#include <stdint.h>

/* Row i of dst (packed) = row ids[i] of src, whose rows are `stride` bytes apart. */
void hri_gather(unsigned char *dst, const unsigned char *src, uint64_t stride, uint64_t row_bytes, const uint64_t *ids,
                uint64_t count);

#endif
