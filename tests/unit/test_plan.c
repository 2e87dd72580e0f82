/* Batches, shards and tails as arithmetic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "stream/plan.h"

#include <cmocka.h>

static struct hri_plan plan_of(uint64_t rows, uint64_t batch, uint32_t last, uint32_t shard, uint32_t shards)
{
    hr_loader_options o = {
        .size = sizeof o, .batch_rows = batch, .last = last, .shard_index = shard, .shard_count = shards};
    struct hri_plan plan;

    assert_int_equal(hri_plan_make(&o, rows, &plan), HR_OK);
    return plan;
}

/* 1000 rows in batches of 64: 16 batches, the last of 40 rows, dropped or padded as asked. */
static void last_batch(void **state)
{
    struct hri_plan keep = plan_of(1000, 64, HR_LAST_KEEP, 0, 1);
    struct hri_plan drop = plan_of(1000, 64, HR_LAST_DROP, 0, 1);
    struct hri_plan pad = plan_of(1000, 64, HR_LAST_PAD, 0, 1);
    struct hri_part part;

    (void)state;
    assert_int_equal(keep.batches, 16);
    part = hri_plan_part(&keep, 15);
    assert_int_equal(part.first, 960);
    assert_int_equal(part.count, 40);
    assert_int_equal(part.valid, 40);
    assert_int_equal(drop.batches, 15);
    assert_int_equal(pad.batches, 16);
    part = hri_plan_part(&pad, 15);
    assert_int_equal(part.count, 64);
    assert_int_equal(part.valid, 40);
}

/* Whatever the tail policy, the shards' valid positions make up exactly what one shard would see. */
static void check_union(uint64_t rows, uint64_t batch, uint32_t last, uint32_t shards)
{
    unsigned char seen[256];
    struct hri_plan whole = plan_of(rows, batch, last, 0, 1);

    memset(seen, 0, sizeof seen);
    for (uint32_t s = 0; s < shards; s++) {
        struct hri_plan plan = plan_of(rows, batch, last, s, shards);

        assert_int_equal(plan.batches, whole.batches);
        for (uint64_t k = 0; k < plan.batches; k++) {
            struct hri_part part = hri_plan_part(&plan, k);

            assert_true(part.count <= plan.part);
            for (uint64_t i = 0; i < part.valid; i++) {
                assert_true(part.first + i < rows);
                assert_int_equal(seen[part.first + i]++, 0);
            }
            for (uint64_t i = part.valid; i < part.count; i++)
                assert_true(part.first + i >= rows);
        }
    }
    for (uint64_t i = 0; i < rows; i++)
        assert_int_equal(seen[i], last == HR_LAST_DROP ? i < rows / batch * batch : 1);
}

static void shards_are_exact(void **state)
{
    (void)state;
    check_union(10, 4, HR_LAST_KEEP, 4);
    for (uint32_t last = HR_LAST_KEEP; last <= HR_LAST_PAD; last++)
        for (uint64_t rows = 1; rows < 40; rows += 3)
            for (uint64_t batch = 1; batch <= (last == HR_LAST_KEEP ? 50 : rows); batch++)
                for (uint32_t shards = 1; shards <= 9; shards += 2)
                    check_union(rows, batch, last, shards);
}

/* Row numbers and batch sizes near the end of 64 bits neither wrap nor divide by zero. */
static void large_numbers(void **state)
{
    struct hri_plan plan = plan_of(UINT64_MAX / 2, 1ull << 40, HR_LAST_KEEP, 4294967294u, 4294967295u);
    struct hri_part part = hri_plan_part(&plan, plan.batches - 1);

    (void)state;
    assert_true(part.first + part.count <= UINT64_MAX / 2);
    assert_true(part.count <= plan.part);
}

static void expect_error(hr_loader_options o, hr_status status, const char *text)
{
    struct hri_plan plan;

    assert_int_equal(hri_plan_make(&o, 10, &plan), status);
    assert_non_null(strstr(hr_last_error(), text));
}

static void bad_options(void **state)
{
    (void)state;
    expect_error((hr_loader_options){.size = 1}, HR_INVALID, "batch_rows is 0");
    expect_error((hr_loader_options){.batch_rows = 1, .last = 7}, HR_INVALID, "last is 7");
    expect_error((hr_loader_options){.batch_rows = 1, .shard_index = 2, .shard_count = 2}, HR_RANGE, "0 to 1");
    expect_error((hr_loader_options){.batch_rows = 11, .last = HR_LAST_DROP}, HR_INVALID, "at most 10");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(last_batch),
        cmocka_unit_test(shards_are_exact),
        cmocka_unit_test(large_numbers),
        cmocka_unit_test(bad_options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
