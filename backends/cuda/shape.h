/* The shape of a launch: how many blocks of how many threads. */
#ifndef HRB_CUDA_SHAPE_H
#define HRB_CUDA_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

struct hri_cu_limits {
    uint32_t group; /* threads of a block */
    uint32_t block[3];
    uint32_t grid[3];
};

struct hri_cu_shape {
    uint32_t block[3];
    uint32_t grid[3];
};

/*
 * global, local: three numbers each, as hr_grid has them; local all 0: chosen here, so that it divides global.
 * checked: the kernel checks its range, so that groups may stand over its end, and it goes on in the third dimension
 * where the second has more groups than a launch counts.
 * -1: it can be launched. Otherwise the dimension that has too many groups, or 3 for a block that is too large.
 */
int hri_cu_shape(const struct hri_cu_limits *limits, const uint64_t *global, const uint64_t *local, bool checked,
                 struct hri_cu_shape *shape);

#endif
