/* What a backend lists, and what it says where there is nothing to list. "none" or "empty" as second argument: the
 * test runs with no driver at all, or with PoCL told to offer no device. */
#include "rig.h"

#include <stdio.h>
#include <string.h>

static void devices_are_described(void **state)
{
    uint32_t n = rig.ops->device_count(rig.instance);
    bool gpus_are_over = false;

    (void)state;
    assert_true(n > 0);
    for (uint32_t i = 0; i < n; i++) {
        hr_device_info info = {.size = sizeof info};
        const bool numbered = strcmp(rig.backend->name, "cuda") == 0; /* "cuda:0", and "opencl:0:0" */
        char selector[32];
        unsigned platform, device;

        assert_int_equal(rig.ops->device_describe(rig.instance, i, &info), HR_OK);
        assert_int_equal(info.size, sizeof info);
        snprintf(selector, sizeof selector, numbered ? "%s:%%u" : "%s:%%u:%%u", rig.backend->name);
        assert_int_equal(sscanf(info.selector, selector, &platform, &device), numbered ? 1 : 2);
        assert_true(info.name[0] != '\0' && info.platform[0] != '\0' && info.driver[0] != '\0');
        assert_int_equal(info.usable, info.reason[0] == '\0');
        assert_true(info.memory_bytes >= info.max_buffer_bytes && info.max_buffer_bytes > 0);
        assert_true(info.alignment >= 16 && (info.alignment & (info.alignment - 1)) == 0);
        assert_true(info.compute_units > 0 && info.max_group_size > 0);
        if (info.kind == HR_DEVICE_GPU)
            assert_false(gpus_are_over);
        else
            gpus_are_over = true;
    }
}

static void profiles_differ_in_what_they_offer(void **state)
{
    (void)state;
    if (strcmp(rig.backend->name, "pocl") != 0) {
        assert_false(rig_has(HR_ABILITY_SHARED_MEMORY));
    } else {
        assert_string_equal(rig.info.platform, "Portable Computing Language");
        assert_true(rig_has(HR_ABILITY_SHARED_MEMORY));
        assert_memory_equal(rig.info.selector, "pocl:0:", 7);
    }
    if (rig.info.kind == HR_DEVICE_CPU)
        assert_false(rig_has(HR_ABILITY_COPY_OVERLAP));
    if (strncmp(rig.info.name, "basic", 5) == 0 || strncmp(rig.info.name, "cpu-minimal", 11) == 0)
        assert_false(rig_has(HR_ABILITY_ASYNC_KERNELS));
    else
        assert_true(rig_has(HR_ABILITY_ASYNC_KERNELS));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(devices_are_described),
    cmocka_unit_test(profiles_differ_in_what_they_offer),
};

static void expect_nothing(const char *part)
{
    struct hrb_instance *instance = NULL;

    rig_expect_failure(rig.backend->ops->probe(rig.backend, &rig_services, &instance), HR_UNAVAILABLE, part);
    assert_non_null(strstr(rig_message(), "install")); /* the remedy */
    assert_null(instance);
}

static void no_driver_is_said_with_its_remedy(void **state)
{
    (void)state;
    expect_nothing("OCL_ICD_VENDORS");
}

static void no_device_is_said_with_its_remedy(void **state)
{
    (void)state;
    expect_nothing("none of the 1 OpenCL platforms");
}

static const struct CMUnitTest none[] = {cmocka_unit_test(no_driver_is_said_with_its_remedy)};
static const struct CMUnitTest empty[] = {cmocka_unit_test(no_device_is_said_with_its_remedy)};

int main(int argc, char **argv)
{
    rig.backend = argc >= 2 ? rig_backend(argv[1]) : NULL;
    if (!rig.backend)
        return 2;
    if (argc == 3 && strcmp(argv[2], "none") == 0)
        return cmocka_run_group_tests(none, NULL, NULL);
    if (argc == 3 && strcmp(argv[2], "empty") == 0)
        return cmocka_run_group_tests(empty, NULL, NULL);
    return cmocka_run_group_tests(tests, rig_open, rig_close);
}
