/* The order of an epoch: a pure function of (seed, epoch, position), in constant memory. */
#ifndef HRI_ORDER_H
#define HRI_ORDER_H

#include <stdint.h>

#define HRI_ORDER_ROUNDS 8

/*
 * A keyed bijection on [0, n). All zero but n: the identity. Threads: read-only after hri_order_key().
 */
struct hri_order {
    uint64_t n;
    uint32_t shuffled;
    uint32_t left_bits;  /* of the low half */
    uint32_t right_bits; /* of the high half */
    uint64_t keys[HRI_ORDER_ROUNDS];
};

/* Sets up the order of one epoch. n >= 1. */
void hri_order_key(struct hri_order *order, uint64_t n, int shuffled, uint64_t seed, uint64_t epoch);

/* ids[i] = the row at position first + i, for count positions; first + count <= n. */
void hri_order_rows(const struct hri_order *order, uint64_t first, uint64_t count, uint64_t *ids);

#endif
