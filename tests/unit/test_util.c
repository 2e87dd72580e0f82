/* Callers' structs of other sizes, the nearest name, sizes as text, checked sums. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "core/util.h"

#include <cmocka.h>
#include <string.h>

struct first {
    uint32_t size;
    uint32_t a;
};

struct second {
    uint32_t size;
    uint32_t a;
    uint64_t b;
};

static void struct_in_takes_older_and_newer_callers(void **state)
{
    struct first older = {sizeof older, 7};
    struct second newer = {sizeof newer, 8, 9};
    struct second ours;
    struct first small;

    (void)state;
    memset(&ours, 0xff, sizeof ours);
    assert_int_equal(hri_struct_in(&ours, sizeof ours, &older, sizeof older, "thing"), HR_OK);
    assert_int_equal(ours.size, sizeof ours);
    assert_int_equal(ours.a, 7);
    assert_int_equal(ours.b, 0);
    assert_int_equal(hri_struct_in(&small, sizeof small, &newer, sizeof small, "thing"), HR_OK);
    assert_int_equal(small.size, sizeof small);
    assert_int_equal(small.a, 8);
}

static void struct_in_refuses_null_and_small(void **state)
{
    struct second caller = {0, 7, 8}, ours = {1, 2, 3};

    (void)state;
    assert_int_equal(hri_struct_in(&ours, sizeof ours, NULL, sizeof caller, "thing"), HR_INVALID);
    assert_non_null(strstr(hr_last_error(), "thing"));
    assert_int_equal(hri_struct_in(&ours, sizeof ours, &caller, sizeof caller, "thing"), HR_INVALID);
    assert_string_equal(hr_last_error(), "thing.size is 0, at least 16 is needed; set it to sizeof(thing)");
    assert_int_equal(ours.size, 1);
    assert_int_equal(ours.b, 3);
}

static void struct_out_stops_at_the_callers_size(void **state)
{
    struct second ours = {sizeof ours, 7, 8};
    struct second caller = {sizeof(struct first), 1, 2};

    (void)state;
    assert_int_equal(hri_struct_out(&caller, &ours, sizeof ours, sizeof(struct first), "thing"), HR_OK);
    assert_int_equal(caller.size, sizeof(struct first));
    assert_int_equal(caller.a, 7);
    assert_int_equal(caller.b, 2);
    caller.size = 4;
    assert_int_equal(hri_struct_out(&caller, &ours, sizeof ours, sizeof(struct first), "thing"), HR_INVALID);
    assert_int_equal(hri_struct_out(NULL, &ours, sizeof ours, sizeof(struct first), "thing"), HR_INVALID);
}

static void nearest_name(void **state)
{
    static const char *const names[] = {"cuda", "opencl", "pocl"};
    const char *cut = "cut";
    char longer[200];

    (void)state;
    assert_string_equal(hri_nearest("opncl", names, 3), "opencl");
    assert_string_equal(hri_nearest("OPENCL", names, 3), "opencl");
    assert_string_equal(hri_nearest("cdua", names, 3), "cuda");
    assert_string_equal(hri_nearest("pcl", names, 3), "pocl");
    assert_string_equal(hri_nearest("uct", &cut, 1), "cut"); /* a swap is one slip; of three letters two are too many */
    assert_null(hri_nearest("tuc", &cut, 1));
    assert_null(hri_nearest("vulkan", names, 3));
    assert_null(hri_nearest("", names, 3));
    assert_null(hri_nearest("cuda", names, 0));
    memset(longer, 'o', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_null(hri_nearest(longer, names, 3));
}

static void sizes_as_text(void **state)
{
    char out[32];

    (void)state;
    assert_string_equal(hri_bytes_text(0, out), "0 bytes");
    assert_string_equal(hri_bytes_text(1023, out), "1023 bytes");
    assert_string_equal(hri_bytes_text(1024, out), "1 KiB");
    assert_string_equal(hri_bytes_text(UINT64_C(3) << 19, out), "1.5 MiB");
    assert_string_equal(hri_bytes_text(UINT64_C(64) << 30, out), "64 GiB");
    assert_string_equal(hri_bytes_text(UINT64_MAX, out), "16.0 EiB");
}

static void text_is_cut(void **state)
{
    char out[4] = "zzz";

    (void)state;
    hri_text_copy(out, sizeof out, "abcdef");
    assert_string_equal(out, "abc");
    hri_text_copy(out, sizeof out, "");
    assert_string_equal(out, "");
}

static void sums(void **state)
{
    uint64_t out = 0;

    (void)state;
    assert_false(hri_mul_overflows(UINT64_C(1) << 32, 1u << 31, &out));
    assert_true(out == UINT64_C(1) << 63);
    assert_true(hri_mul_overflows(UINT64_C(1) << 32, UINT64_C(1) << 32, &out));
    assert_true(hri_add_overflows(UINT64_MAX, 1, &out));
    assert_int_equal(hri_round_up(0, 64), 0);
    assert_int_equal(hri_round_up(65, 64), 128);
    assert_true(hri_now_ns() <= hri_now_ns());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(struct_in_takes_older_and_newer_callers),
        cmocka_unit_test(struct_in_refuses_null_and_small),
        cmocka_unit_test(struct_out_stops_at_the_callers_size),
        cmocka_unit_test(nearest_name),
        cmocka_unit_test(sizes_as_text),
        cmocka_unit_test(text_is_cut),
        cmocka_unit_test(sums),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
