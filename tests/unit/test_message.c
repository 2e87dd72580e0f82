/* The last message is the thread's own; the first failure of a scope wins and stays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "core/message.h"

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void starts_empty_and_keeps_the_last(void **state)
{
    (void)state;
    assert_string_equal(hr_last_error(), "");
    assert_int_equal(hri_fail(HR_RANGE, "row %d of %d", 7, 5), HR_RANGE);
    assert_string_equal(hr_last_error(), "row 7 of 5");
    assert_int_equal(hri_fail_context(HR_RANGE, "field %s", "x"), HR_RANGE);
    assert_string_equal(hr_last_error(), "field x: row 7 of 5");
    hri_fail(HR_IO, "again: %s", hr_last_error());
    assert_string_equal(hr_last_error(), "again: field x: row 7 of 5");
}

static void native_code_is_appended(void **state)
{
    char text[2 * HRI_MESSAGE_BYTES];

    (void)state;
    assert_int_equal(hri_fail_native(HR_DRIVER, -5, "copy of %d bytes", 9), HR_DRIVER);
    assert_string_equal(hr_last_error(), "copy of 9 bytes (native code -5)");
    hri_fail_native(HR_DRIVER, 0, "no code");
    assert_string_equal(hr_last_error(), "no code");

    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    hri_fail_native(HR_DRIVER, 999, "%s", text);
    assert_int_equal(strlen(hr_last_error()), HRI_MESSAGE_BYTES - 1);
    assert_non_null(strstr(hr_last_error(), "a (native code 999)"));
    hri_fail_context(HR_DRIVER, "%s", text);
    assert_int_equal(strlen(hr_last_error()), HRI_MESSAGE_BYTES - 1);
}

static void *other_thread(void *arg)
{
    int *empty_at_first = arg;

    *empty_at_first = *hr_last_error() == '\0';
    hri_fail(HR_IO, "other");
    return NULL;
}

static void threads_have_their_own(void **state)
{
    pthread_t thread;
    int empty_at_first = 0;

    (void)state;
    hri_fail(HR_IO, "mine");
    assert_int_equal(pthread_create(&thread, NULL, other_thread, &empty_at_first), 0);
    pthread_join(thread, NULL);
    assert_true(empty_at_first);
    assert_string_equal(hr_last_error(), "mine");
}

static void first_failure_stays(void **state)
{
    struct hri_failure failure = {0};

    (void)state;
    assert_int_equal(hri_failure_get(&failure), HR_OK);
    assert_int_equal(hri_failure_set(&failure, HR_TIMEOUT), HR_TIMEOUT);
    assert_int_equal(hri_failure_get(&failure), HR_OK);

    hri_fail(HR_DEVICE_LOST, "copy 3");
    assert_int_equal(hri_failure_set(&failure, HR_DEVICE_LOST), HR_DEVICE_LOST);
    hri_fail(HR_DRIVER, "copy 4");
    assert_int_equal(hri_failure_set(&failure, HR_DRIVER), HR_DRIVER);
    assert_string_equal(hr_last_error(), "copy 4");
    assert_int_equal(hri_failure_get(&failure), HR_DEVICE_LOST);
    assert_string_equal(hr_last_error(), "copy 3");
}

enum { RACERS = 8, ROUNDS = 200 };

struct racer {
    pthread_barrier_t *barrier;
    struct hri_failure *failures;
    int number;
};

static void *race(void *arg)
{
    const struct racer *racer = arg;

    for (int round = 0; round < ROUNDS; round++) {
        hr_status own = -1 - racer->number;

        pthread_barrier_wait(racer->barrier);
        hri_fail(own, "racer %d", racer->number);
        hri_failure_set(&racer->failures[round], own);
        hri_failure_get(&racer->failures[round]);
    }
    return NULL;
}

static void one_racer_wins_whole(void **state)
{
    static struct hri_failure failures[ROUNDS];
    pthread_barrier_t barrier;
    pthread_t threads[RACERS];
    struct racer racers[RACERS];

    (void)state;
    pthread_barrier_init(&barrier, NULL, RACERS);
    for (int i = 0; i < RACERS; i++) {
        racers[i] = (struct racer){&barrier, failures, i};
        assert_int_equal(pthread_create(&threads[i], NULL, race, &racers[i]), 0);
    }
    for (int i = 0; i < RACERS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&barrier);
    for (int round = 0; round < ROUNDS; round++) {
        char expected[32];
        hr_status st = hri_failure_get(&failures[round]);

        assert_in_range(-st, 1, RACERS);
        snprintf(expected, sizeof expected, "racer %d", -1 - st);
        assert_string_equal(hr_last_error(), expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_empty_and_keeps_the_last),
        cmocka_unit_test(native_code_is_appended),
        cmocka_unit_test(threads_have_their_own),
        cmocka_unit_test(first_failure_stays),
        cmocka_unit_test(one_racer_wins_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
