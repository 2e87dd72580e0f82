/*
 * The order of an epoch: a keyed bijection on [0, n), computed a row at a time, with nothing stored.
 *
 * Construction: a Feistel network over the smallest power of two >= n (2^8 at least: with fewer bits a round has too
 * few inputs to mix), whose halves are mixed into each other in turn, and cycle walking: a value outside [0, n) goes
 * through the network again until it falls inside, fewer than two passes a row on average above 2^8. With five rounds
 * neighbours of 256 rows still show a pattern, with six nothing was found; there are eight.
 *
 * Sources: J. Black, P. Rogaway, "Ciphers with Arbitrary Finite Domains", CT-RSA 2002 (Feistel network and cycle
 * walking as a bijection on any [0, n)); R. Mitchell, D. Stokes, E. Frank, G. Holmes, "Bandwidth-Optimal Random
 * Shuffling for GPUs", 2021 (such a bijection as a shuffle); G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom
 * Number Generators", OOPSLA 2014 (the generator of the round keys).
 *
 * It is a shuffle, not a cipher. The order never changes between versions (tests/unit/test_order.c has known answers),
 * and a device kernel can compute it too, with 32-bit multiplications, shifts and exclusive-ors.
 */
#include "stream/order.h"

#define LANES 16 /* rows in flight: enough for vector units and pipelines, few enough to stay in registers and L1 */
#define LEAST_BITS 8

/* Rows on their way through the network; `low` and `high` are the halves of each value. */
struct walk {
    uint64_t slot[LANES]; /* index in ids */
    uint64_t value[LANES];
    uint32_t low[LANES];
    uint32_t high[LANES];
    uint32_t busy; /* lanes in use, from the first */
};

static uint64_t mix64(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

void hri_order_key(struct hri_order *order, uint64_t n, int shuffled, uint64_t seed, uint64_t epoch)
{
    const uint64_t step = 0x9e3779b97f4a7c15u;
    uint64_t state = mix64(mix64(seed + step) ^ epoch); /* differs for any two epochs of a seed */
    uint32_t bits = LEAST_BITS;

    *order = (struct hri_order){.n = n, .shuffled = shuffled != 0};
    if (!shuffled)
        return;
    while (bits < 64 && (n - 1) >> bits != 0)
        bits++;
    order->left_bits = bits / 2;
    order->right_bits = bits - bits / 2;
    for (int i = 0; i < HRI_ORDER_ROUNDS; i++)
        order->keys[i] = mix64(state += step);
}

/* One round for all lanes: a keyed mix of one half goes into the other. The product's upper bits, which depend on all
 * of the half, are folded onto its lower ones, which are kept. */
static void mix_into(uint32_t *restrict to, const uint32_t *restrict from, uint64_t key, uint32_t mask)
{
    const uint32_t offset = (uint32_t)key;
    const uint32_t factor = (uint32_t)(key >> 32) | 1;

    for (int i = 0; i < LANES; i++) {
        uint32_t v = (from[i] ^ offset) * factor;

        to[i] ^= (v ^ v >> 15) & mask;
    }
}

/* Sends every lane through the network once. */
static void pass(const struct hri_order *order, struct walk *walk)
{
    const uint32_t shift = order->left_bits;
    const uint32_t low_mask = (uint32_t)((UINT64_C(1) << order->left_bits) - 1);
    const uint32_t high_mask = (uint32_t)((UINT64_C(1) << order->right_bits) - 1);

    for (int i = 0; i < LANES; i++) {
        walk->low[i] = (uint32_t)walk->value[i] & low_mask;
        walk->high[i] = (uint32_t)(walk->value[i] >> shift);
    }
    for (int i = 0; i < HRI_ORDER_ROUNDS; i += 2) {
        mix_into(walk->high, walk->low, order->keys[i], high_mask);
        mix_into(walk->low, walk->high, order->keys[i + 1], low_mask);
    }
    for (int i = 0; i < LANES; i++)
        walk->value[i] = (uint64_t)walk->high[i] << shift | walk->low[i];
}

/* Hands every value out, and keeps the lanes that must walk on; their ids are written again when they arrive. Without a
 * branch a row: whether a row walks on cannot be predicted. */
static void collect(const struct hri_order *order, struct walk *walk, uint64_t *ids)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < walk->busy; i++) {
        uint64_t value = walk->value[i];
        uint64_t slot = walk->slot[i];

        ids[slot] = value;
        walk->value[kept] = value;
        walk->slot[kept] = slot;
        kept += value >= order->n;
    }
    walk->busy = kept;
}

void hri_order_rows(const struct hri_order *order, uint64_t first, uint64_t count, uint64_t *ids)
{
    struct walk walk = {.busy = 0};
    uint64_t next = 0;

    if (!order->shuffled) {
        for (uint64_t i = 0; i < count; i++)
            ids[i] = first + i;
        return;
    }
    while (next < count || walk.busy > 0) {
        for (; walk.busy < LANES && next < count; walk.busy++, next++) {
            walk.value[walk.busy] = first + next;
            walk.slot[walk.busy] = next;
        }
        pass(order, &walk);
        collect(order, &walk, ids);
    }
}
