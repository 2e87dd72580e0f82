/* The version in the header, the library and its text agree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <headrace/version.h>

static void versions_agree(void **state)
{
    char text[32];
    uint32_t v = hr_version();

    (void)state;
    snprintf(text, sizeof text, "%u.%u.%u", v / 10000, v / 100 % 100, v % 100);
    assert_string_equal(text, hr_version_string());
    assert_int_equal(v, HR_VERSION_MAJOR * 10000 + HR_VERSION_MINOR * 100 + HR_VERSION_PATCH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(versions_agree)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
