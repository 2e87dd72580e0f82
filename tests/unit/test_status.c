/* Every status of the list has its name and text, and no other value has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <headrace/status.h>
#include <string.h>

static void names_and_texts(void **state)
{
    (void)state;
    assert_string_equal(hr_status_name(HR_OK), "HR_OK");
    assert_string_equal(hr_status_name(HR_DEVICE_LOST), "HR_DEVICE_LOST");
    assert_string_equal(hr_status_text(HR_OK), "success");
#define HAS_BOTH(name, value, text)                                                                                    \
    assert_string_equal(hr_status_name(value), "HR_" #name);                                                           \
    assert_true(strlen(hr_status_text(value)) > 4);
    HR_STATUS_LIST(HAS_BOTH)
#undef HAS_BOTH
}

static void unknown_values(void **state)
{
    (void)state;
    assert_string_equal(hr_status_name(4), "HR_?");
    assert_string_equal(hr_status_name(INT32_MIN), "HR_?");
    assert_string_equal(hr_status_text(1000), "no status of this library");
}

static void outcomes_are_positive_and_errors_negative(void **state)
{
    (void)state;
    assert_int_equal(HR_OK, 0);
    assert_true(HR_END > 0 && HR_TIMEOUT > 0 && HR_WOULD_BLOCK > 0);
    assert_true(HR_INVALID < 0 && HR_FORKED < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_texts),
        cmocka_unit_test(unknown_values),
        cmocka_unit_test(outcomes_are_positive_and_errors_negative),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
