/* A system without a device: no OpenCL driver, a CUDA driver that finds nothing. What there would be is listed with its
 * reason, and opening says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <headrace/headrace.h>
#include <string.h>

static void every_entry_says_why(void **state)
{
    uint32_t n = 0;

    (void)state;
    assert_int_equal(hr_device_count(&n), HR_OK);
    assert_true(n >= 3); /* cuda, opencl and pocl at least */
    for (uint32_t i = 0; i < n; i++) {
        hr_device_info info = {.size = sizeof info};

        assert_int_equal(hr_device_describe(i, &info), HR_OK);
        assert_int_equal(info.usable, 0);
        assert_string_not_equal(info.backend, "");
        assert_string_not_equal(info.reason, "");
    }
    assert_string_equal(hr_last_error(), ""); /* no call has failed */
}

static void fails_with(const char *selector, hr_status status, const char *text)
{
    hr_device *device = NULL;

    assert_int_equal(hr_device_open(selector, NULL, &device), status);
    assert_null(device);
    assert_non_null(strstr(hr_last_error(), text));
}

static void opening_says_what_is_missing(void **state)
{
    (void)state;
    fails_with(NULL, HR_UNAVAILABLE, "opencl");
    fails_with("opencl", HR_UNAVAILABLE, "opencl");
    fails_with("pocl", HR_UNAVAILABLE, "pocl");
    fails_with("cuda", HR_UNAVAILABLE, "cuda");
}

static void a_mistyped_name_is_told_from_a_missing_device(void **state)
{
    (void)state;
    fails_with("opncl", HR_NOT_FOUND, "opencl");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_says_why),
        cmocka_unit_test(opening_says_what_is_missing),
        cmocka_unit_test(a_mistyped_name_is_told_from_a_missing_device),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
