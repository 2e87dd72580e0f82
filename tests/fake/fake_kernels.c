/* The library's own kernels as functions. */
#include "fake/fake_inside.h"

#include <string.h>

static uint64_t number(const struct fake_arg *arg)
{
    uint64_t value;

    memcpy(&value, arg->ptr, sizeof value);
    return value;
}

/* src, ids, dst, src_stride, row_units, rows: see gather.cl. */
static void gather(const hr_grid *grid, const struct fake_arg *args, uint64_t unit)
{
    uint64_t stride = number(&args[3]);
    uint64_t units = number(&args[4]);
    uint64_t rows = number(&args[5]);

    for (uint64_t row = 0; row < grid->global[1] && row < rows; row++) {
        uint64_t n = units < grid->global[0] ? units : grid->global[0];
        uint64_t id;

        memcpy(&id, (unsigned char *)args[1].ptr + row * sizeof id, sizeof id);
        memcpy((unsigned char *)args[2].ptr + row * units * unit, (unsigned char *)args[0].ptr + id * stride * unit,
               n * unit);
    }
}

#define GATHER(bytes)                                                                                                  \
    static void gather_##bytes(const hr_grid *grid, const struct fake_arg *args)                                       \
    {                                                                                                                  \
        gather(grid, args, bytes);                                                                                     \
    }

GATHER(1)
GATHER(2)
GATHER(4)
GATHER(8)
GATHER(16)

void fake_add_gather(struct fake *fake)
{
    fake_add_kernel(fake, "gather_1", gather_1, 6);
    fake_add_kernel(fake, "gather_2", gather_2, 6);
    fake_add_kernel(fake, "gather_4", gather_4, 6);
    fake_add_kernel(fake, "gather_8", gather_8, 6);
    fake_add_kernel(fake, "gather_16", gather_16, 6);
}
