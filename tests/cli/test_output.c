/* The pieces of the command that print: JSON from awkward texts, and medians. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *text;
static size_t length;

static int begin(void **state)
{
    *state = open_memstream(&text, &length);
    return *state ? 0 : -1;
}

static int end(void **state)
{
    fclose(*state);
    free(text);
    return 0;
}

static void holds(void **state, const char *expected)
{
    fflush(*state);
    assert_string_equal(text, expected);
}

static void text_is_escaped(void **state)
{
    struct cli_json json;

    cli_json_begin(&json, *state);
    cli_json_text(&json, "a\"b", "quote \" backslash \\ line\n tab\t delete\177");
    cli_json_end(&json);
    holds(state, "{\n  \"a\\\"b\": \"quote \\\" backslash \\\\ line\\u000a tab\\u0009 delete\\u007f\"\n}\n");
}

static void broken_utf8_is_replaced(void **state)
{
    struct cli_json json;

    cli_json_begin(&json, *state);
    cli_json_text(&json, "good", "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    cli_json_text(&json, "bad", "\xff|\xc3|\xe2\x82|\xed\xa0\x80|\xc0\x80|\xf5\x80\x80\x80|\xe2");
    cli_json_end(&json);
    holds(state, "{\n  \"good\": \"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\",\n"
                 "  \"bad\": \"\\ufffd|\\ufffd|\\ufffd\\ufffd|\\ufffd\\ufffd\\ufffd|\\ufffd\\ufffd|"
                 "\\ufffd\\ufffd\\ufffd\\ufffd|\\ufffd\"\n}\n");
}

static void values_and_nesting(void **state)
{
    struct cli_json json;

    cli_json_begin(&json, *state);
    cli_json_open(&json, "empty", '[');
    cli_json_close(&json);
    cli_json_open(&json, "list", '[');
    cli_json_count(&json, NULL, UINT64_MAX);
    cli_json_real(&json, NULL, 0.5);
    cli_json_real(&json, NULL, NAN);
    cli_json_real(&json, NULL, INFINITY);
    cli_json_flag(&json, NULL, true);
    cli_json_close(&json);
    cli_json_end(&json);
    holds(state, "{\n  \"empty\": [],\n  \"list\": [\n    18446744073709551615,\n    0.5,\n    null,\n    null,\n"
                 "    true\n  ]\n}\n");
}

static void medians(void **state)
{
    const double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2}, one[] = {7};

    (void)state;
    assert_true(cli_median(odd, 3) == 3);
    assert_true(cli_median(even, 4) == 2.5);
    assert_true(cli_median(one, 1) == 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(text_is_escaped, begin, end),
        cmocka_unit_test_setup_teardown(broken_utf8_is_replaced, begin, end),
        cmocka_unit_test_setup_teardown(values_and_nesting, begin, end),
        cmocka_unit_test(medians),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
