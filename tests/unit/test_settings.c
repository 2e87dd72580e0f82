/* Settings from the environment; each case in a child of its own, since the environment is looked through once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "core/log.h"
#include "core/message.h"
#include "core/settings.h"

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs `body` in a child with standard error in `text`; answers the child's exit status. */
static int in_child(int (*body)(void), char *text, size_t room)
{
    int ends[2], status;
    size_t used = 0;
    ssize_t got;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        _exit(body());
    }
    close(ends[1]);
    while ((got = read(ends[0], text + used, room - 1 - used)) > 0)
        used += (size_t)got;
    text[used] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int mistyped(void)
{
    setenv("HEADRACE_LOG", "warn", 1);
    setenv("HEADRACE_BAKCEND", "pocl", 1);
    setenv("HEADRACE_COLOUR_OF_SKY", "blue", 1);
    hri_setting_text(HRI_SETTING_BACKEND);
    hri_setting_text(HRI_SETTING_DEVICE);
    return 0;
}

static void mistyped_variable_is_named_once(void **state)
{
    char text[4096];
    const char *found;

    (void)state;
    assert_int_equal(in_child(mistyped, text, sizeof text), 0);
    found = strstr(text, "HEADRACE_BAKCEND");
    assert_non_null(found);
    assert_non_null(strstr(text, "did you mean HEADRACE_BACKEND?"));
    assert_null(strstr(found + 1, "HEADRACE_BAKCEND"));
    assert_non_null(strstr(text, "HEADRACE_COLOUR_OF_SKY is ignored; the README"));
    assert_null(strstr(text, "HEADRACE_LOG"));
}

static int mistyped_without_log(void)
{
    unsetenv("HEADRACE_LOG");
    setenv("HEADRACE_BAKCEND", "pocl", 1);
    hri_setting_text(HRI_SETTING_BACKEND);
    return 0;
}

static int mistyped_level(void)
{
    setenv("HEADRACE_LOG", "inof", 1);
    hri_log(HRI_LOG_INFO, "not shown");
    hri_log(HRI_LOG_WARN, "shown %d", 1);
    return hri_log_on(HRI_LOG_WARN) && !hri_log_on(HRI_LOG_INFO) ? 0 : 1;
}

static void log_speaks_only_as_asked(void **state)
{
    char text[4096];

    (void)state;
    assert_int_equal(in_child(mistyped_without_log, text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(in_child(mistyped_level, text, sizeof text), 0);
    assert_non_null(strstr(text, "HEADRACE_LOG is \"inof\"; known: error, warn, info, debug; did you mean info?"));
    assert_non_null(strstr(text, "headrace: warn: shown 1\n"));
    assert_null(strstr(text, "not shown"));
}

static void text_or_default(void **state)
{
    (void)state;
    unsetenv("HEADRACE_DEVICE");
    assert_string_equal(hri_setting_text(HRI_SETTING_DEVICE), "");
    setenv("HEADRACE_DEVICE", "1:0", 1);
    assert_string_equal(hri_setting_text(HRI_SETTING_DEVICE), "1:0");
    setenv("HEADRACE_WORKERS", "", 1);
    assert_string_equal(hri_setting_text(HRI_SETTING_WORKERS), "0");
}

static void numbers(void **state)
{
    uint64_t value = 5;

    (void)state;
    unsetenv("HEADRACE_DEVICE_MEMORY");
    assert_int_equal(hri_setting_number(HRI_SETTING_DEVICE_MEMORY, &value), HR_OK);
    assert_int_equal(value, 0);
    setenv("HEADRACE_DEVICE_MEMORY", "16M", 1);
    assert_int_equal(hri_setting_number(HRI_SETTING_DEVICE_MEMORY, &value), HR_OK);
    assert_int_equal(value, 16 << 20);
    setenv("HEADRACE_DEVICE_MEMORY", "16X", 1);
    assert_int_equal(hri_setting_number(HRI_SETTING_DEVICE_MEMORY, &value), HR_INVALID);
    assert_int_equal(value, 16 << 20);
    assert_non_null(strstr(hr_last_error(), "HEADRACE_DEVICE_MEMORY is \"16X\""));
    setenv("HEADRACE_WORKERS", "4", 1);
    assert_int_equal(hri_setting_number(HRI_SETTING_WORKERS, &value), HR_OK);
    assert_int_equal(value, 4);
    setenv("HEADRACE_WORKERS", "4K", 1);
    assert_int_equal(hri_setting_number(HRI_SETTING_WORKERS, &value), HR_INVALID);
    assert_non_null(strstr(hr_last_error(), "HEADRACE_WORKERS is \"4K\""));
}

static void bytes_as_written(void **state)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"0", 0},
                {"4096", 4096},
                {"64M", 64 << 20},
                {"1.5G", UINT64_C(3) << 29},
                {"2k", 2048},
                {"1T", UINT64_C(1) << 40},
                {"0.25K", 256},
                {"1.00000000000000000000000001K", 1024},
                {"18446744073709551615", UINT64_MAX}};
    static const char *const bad[] = {"",          "M",     "-1", "1.5",  "1.G", ".5G",
                                      "1KB",       "1 K",   " 1", "0x10", "1e3", "18446744073709551616",
                                      "16777216T", "1.5.5G"};
    uint64_t value = 77;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(hri_parse_bytes(bad[i], &value), HR_FORMAT);
        assert_int_equal(value, 77);
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(hri_parse_bytes(good[i].text, &value), HR_OK);
        assert_true(value == good[i].bytes);
    }
}

static void rows_for_help(void **state)
{
    const char *variable, *def, *help;
    unsigned n = 0;

    (void)state;
    for (; hri_setting_row(n, &variable, &def, &help); n++) {
        assert_int_equal(strncmp(variable, "HEADRACE_", 9), 0);
        assert_non_null(def);
        assert_true(strlen(help) > 10);
    }
    assert_int_equal(n, HRI_SETTINGS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mistyped_variable_is_named_once),
        cmocka_unit_test(log_speaks_only_as_asked),
        cmocka_unit_test(text_or_default),
        cmocka_unit_test(numbers),
        cmocka_unit_test(bytes_as_written),
        cmocka_unit_test(rows_for_help),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
