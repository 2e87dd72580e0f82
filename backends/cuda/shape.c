/* The shape of a launch; see shape.h. */
#include "cuda/shape.h"

enum { WARP = 32, USUAL = 256 }; /* threads that run in step; threads of a block that keep a device busy */

/*
 * A divisor of n for a block's width. Whole warps first, from the usual size downwards; then as wide as goes up to it;
 * a number without divisors (a prime) may still fit as a whole, up to `most`.
 */
static uint32_t divisor(uint64_t n, uint32_t usual, uint32_t most)
{
    uint32_t width;

    for (width = usual / WARP * WARP; width > 0; width -= WARP)
        if (n % width == 0)
            return width;
    for (width = n < usual ? (uint32_t)n : usual; n % width != 0;)
        width--;
    return width < WARP && n <= most ? (uint32_t)n : width;
}

static uint32_t round_up_to_power(uint64_t n, uint32_t most)
{
    uint32_t width = 1;

    while (width < n && width * 2 <= most)
        width *= 2;
    return width;
}

static uint32_t less(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void choose(const struct hri_cu_limits *limits, const uint64_t *global, bool checked, uint32_t *block)
{
    uint32_t threads = 1;

    for (int d = 0; d < 3; d++) {
        const uint32_t most = less(limits->group / threads, limits->block[d]);
        const uint32_t usual = threads < USUAL ? less(USUAL / threads, most) : 1;

        block[d] = checked ? round_up_to_power(global[d], usual) : divisor(global[d], usual, most);
        threads *= block[d];
    }
}

int hri_cu_shape(const struct hri_cu_limits *limits, const uint64_t *global, const uint64_t *local, bool checked,
                 struct hri_cu_shape *shape)
{
    uint64_t groups[3];

    if (local[0] == 0) {
        choose(limits, global, checked, shape->block);
    } else {
        if (local[0] > limits->block[0] || local[1] > limits->block[1] || local[2] > limits->block[2] ||
            local[0] * local[1] * local[2] > limits->group) /* of 32 bits each at most, and then small */
            return 3;
        for (int d = 0; d < 3; d++)
            shape->block[d] = (uint32_t)local[d];
    }
    for (int d = 0; d < 3; d++)
        groups[d] = global[d] / shape->block[d] + (global[d] % shape->block[d] != 0);
    if (checked && groups[1] > limits->grid[1] && groups[2] == 1) {
        groups[2] = groups[1] / limits->grid[1] + (groups[1] % limits->grid[1] != 0);
        groups[1] = limits->grid[1];
    }
    for (int d = 0; d < 3; d++) {
        if (groups[d] > limits->grid[d])
            return d;
        shape->grid[d] = (uint32_t)groups[d];
    }
    return -1;
}
