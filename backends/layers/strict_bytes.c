/* Bytes of a box in memory that the host sees: their hash, and poison. */
#include "layers/strict.h"

static void *row_of(const struct strict_box *box, uint64_t slice, uint64_t row)
{
    return (void *)(uintptr_t)(box->offset + slice * box->slice_pitch + row * box->row_pitch);
}

/* Eight bytes at a time; two streams, so that a multiplication does not wait for the one before. */
static uint64_t add_row(uint64_t hash, const unsigned char *at, uint64_t bytes)
{
    const uint64_t factor = UINT64_C(0x9fb21c651e98df25);
    uint64_t other = ~hash;
    uint64_t word[2] = {0, 0};

    for (; bytes >= sizeof word; bytes -= sizeof word, at += sizeof word) {
        memcpy(word, at, sizeof word);
        hash = (hash ^ word[0]) * factor;
        hash ^= hash >> 29;
        other = (other ^ word[1]) * factor;
        other ^= other >> 31;
    }
    word[0] = word[1] = 0;
    memcpy(word, at, bytes);
    hash = ((hash ^ word[0]) * factor) ^ bytes;
    other = (other ^ word[1]) * factor;
    return (hash ^ (hash >> 32) ^ (other << 1 | other >> 63)) * factor;
}

uint64_t hrb_strict_hash(const struct strict_box *box)
{
    uint64_t hash = box->width;

    for (uint64_t k = 0; k < box->slices; k++)
        for (uint64_t j = 0; j < box->rows; j++)
            hash = add_row(hash, row_of(box, k, j), box->width);
    return hash;
}

void hrb_strict_spoil(const struct strict_box *box)
{
    for (uint64_t k = 0; k < box->slices; k++)
        for (uint64_t j = 0; j < box->rows; j++)
            memset(row_of(box, k, j), STRICT_POISON, box->width);
}

/* All bytes are the first one, and that is poison. */
static bool row_is(const unsigned char *at, uint64_t bytes)
{
    return bytes == 0 || (at[0] == STRICT_POISON && memcmp(at, at + 1, bytes - 1) == 0);
}

bool hrb_strict_spoilt(const struct strict_box *box)
{
    for (uint64_t k = 0; k < box->slices; k++)
        for (uint64_t j = 0; j < box->rows; j++)
            if (!row_is(row_of(box, k, j), box->width))
                return false;
    return true;
}
