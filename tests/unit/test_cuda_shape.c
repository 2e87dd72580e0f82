/* Launch shapes: blocks that divide what they must, and grids that the device counts. */
#include "cuda/shape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct hri_cu_limits limits = {1024, {1024, 1024, 64}, {2147483647, 65535, 65535}};

static void covers(const uint64_t *global, bool checked, uint32_t least_threads)
{
    static const uint64_t none[3];
    struct hri_cu_shape shape;
    uint32_t threads = 1;

    assert_int_equal(hri_cu_shape(&limits, global, none, checked, &shape), -1);
    for (int d = 0; d < 3; d++) {
        uint64_t items = (uint64_t)shape.grid[d] * shape.block[d];

        assert_true(shape.block[d] > 0 && shape.block[d] <= limits.block[d]);
        assert_true(checked ? items >= global[d] && items - global[d] < shape.block[d] : items == global[d]);
        threads *= shape.block[d];
    }
    assert_true(threads >= least_threads && threads <= limits.group);
}

static void chosen_blocks_divide_the_grid(void **state)
{
    static const struct {
        uint64_t global[3];
        uint32_t threads;
    } grids[] = {
        {{1, 1, 1}, 1},        {{256, 1, 1}, 256},       {{1000, 1, 1}, 250}, {{997, 1, 1}, 997},
        {{1009, 1, 1}, 1009},  {{1 << 30, 1, 1}, 256},   {{10007, 1, 1}, 1},  {{49, 1001, 1}, 49},
        {{1, 65536, 1}, 256},  {{7, 5, 3}, 105},         {{8, 4, 6}, 192},    {{1, 1, 128}, 64},
        {{64, 64, 64}, 256},   {{6000000000, 1, 1}, 32}, {{1, 997, 1}, 997},  {{96, 3, 1}, 96},
        {{992, 1024, 1}, 128}, {{1024, 1024, 64}, 256},
    };

    (void)state;
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++)
        covers(grids[i].global, false, grids[i].threads);
}

/* A kernel that checks its range is given full blocks whatever the grid. */
static void checked_grids_are_rounded_up(void **state)
{
    (void)state;
    covers((const uint64_t[3]){10007, 1, 1}, true, 256);
    covers((const uint64_t[3]){1, 65537, 1}, true, 256);
    covers((const uint64_t[3]){49, 1001, 1}, true, 256);
    covers((const uint64_t[3]){1, 1, 1}, true, 1);
    covers((const uint64_t[3]){3, 2, 1}, true, 8);
    covers((const uint64_t[3]){5, 5, 5}, true, 256);
}

static void too_many_groups_are_told_by_dimension(void **state)
{
    static const uint64_t none[3], ones[3] = {1, 1, 1};
    struct hri_cu_shape shape;

    (void)state;
    assert_int_equal(hri_cu_shape(&limits, (const uint64_t[3]){UINT64_C(1) << 33, 1, 1}, ones, false, &shape), 0);
    assert_int_equal(hri_cu_shape(&limits, (const uint64_t[3]){UINT64_C(1) << 63, 1, 1}, none, false, &shape), 0);
    assert_int_equal(hri_cu_shape(&limits, (const uint64_t[3]){1, 65536, 1}, ones, false, &shape), 1);
    assert_int_equal(hri_cu_shape(&limits, (const uint64_t[3]){1, 65535, 65536}, ones, false, &shape), 2);
    assert_int_equal(hri_cu_shape(&limits, (const uint64_t[3]){1, 65535, 65535}, ones, false, &shape), -1);
    assert_int_equal(hri_cu_shape(&limits, (const uint64_t[3]){2147483647, 1, 1}, ones, false, &shape), -1);
}

/* The second dimension goes on in the third: enough groups, and less than a layer too many. */
static void checked_grids_go_on_in_the_third_dimension(void **state)
{
    static const uint64_t row[3] = {64, 1, 1};
    struct hri_cu_shape shape;

    (void)state;
    for (uint64_t rows = 65535; rows < 10000000; rows = rows * 3 + 1) {
        uint64_t layers;

        assert_int_equal(hri_cu_shape(&limits, (const uint64_t[3]){64, rows, 1}, row, true, &shape), -1);
        layers = shape.grid[2];
        assert_true(shape.grid[1] * layers >= rows && shape.grid[1] * (layers - 1) < rows);
    }
    assert_int_equal(hri_cu_shape(&limits, (const uint64_t[3]){64, 70000, 2}, row, true, &shape), 1);
    assert_int_equal(hri_cu_shape(&limits, (const uint64_t[3]){64, UINT64_C(1) << 33, 1}, row, true, &shape), 2);
}

static void given_blocks_are_kept_or_refused(void **state)
{
    const struct hri_cu_limits small = {512, {1024, 1024, 64}, {2147483647, 65535, 65535}};
    struct hri_cu_shape shape;

    (void)state;
    assert_int_equal(
        hri_cu_shape(&limits, (const uint64_t[3]){64, 32, 8}, (const uint64_t[3]){16, 8, 4}, false, &shape), -1);
    assert_true(shape.block[0] == 16 && shape.block[1] == 8 && shape.block[2] == 4);
    assert_true(shape.grid[0] == 4 && shape.grid[1] == 4 && shape.grid[2] == 2);
    assert_int_equal(
        hri_cu_shape(&small, (const uint64_t[3]){1024, 1, 1}, (const uint64_t[3]){1024, 1, 1}, false, &shape), 3);
    assert_int_equal(
        hri_cu_shape(&limits, (const uint64_t[3]){1, 1, 128}, (const uint64_t[3]){1, 1, 128}, false, &shape), 3);
    assert_int_equal(hri_cu_shape(&limits, (const uint64_t[3]){UINT64_C(1) << 40, 1, 1},
                                  (const uint64_t[3]){UINT64_C(1) << 40, 1, 1}, false, &shape),
                     3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chosen_blocks_divide_the_grid),
        cmocka_unit_test(checked_grids_are_rounded_up),
        cmocka_unit_test(too_many_groups_are_told_by_dimension),
        cmocka_unit_test(checked_grids_go_on_in_the_third_dimension),
        cmocka_unit_test(given_blocks_are_kept_or_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
