/* Finding, naming and opening devices, and what wrong names and options are told. */
#include "conformance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static hr_device *const untouched = (hr_device *)&info; /* outputs are set only on success */

static void open_fails(hr_status status, const char *name, const hr_device_options *options)
{
    hr_device *opened = untouched;

    FAILS(status, hr_device_open(name, options, &opened));
    assert_ptr_equal(opened, untouched);
}

static void unknown_backend_is_told_the_list(void **state)
{
    (void)state;
    open_fails(HR_NOT_FOUND, "vulkan", NULL);
    SAYS("vulkan");
    SAYS(info.backend);
}

static void mistyped_backend_is_told_the_nearest(void **state)
{
    char name[32];

    (void)state;
    snprintf(name, sizeof name, "%sx", info.backend);
    open_fails(HR_NOT_FOUND, name, NULL);
    SAYS(name);
    snprintf(name, sizeof name, "\"%s\"?", info.backend);
    SAYS(name); /* did you mean "BACKEND"? */
}

static void device_that_is_not_there(void **state)
{
    static const char *const rests[] = {"99", "99:0", "0:99", "NoSuchVendor"};
    char name[64];

    (void)state;
    for (size_t i = 0; i < sizeof rests / sizeof rests[0]; i++) {
        snprintf(name, sizeof name, "%s:%s", info.backend, rests[i]);
        open_fails(HR_NOT_FOUND, name, NULL);
        SAYS(i < 3 ? "99" : "NoSuchVendor");
    }
}

static void wrong_options(void **state)
{
    hr_device_options options = {.size = 0};

    (void)state;
    open_fails(HR_INVALID, selector, &options);
    SAYS("hr_device_options");
    options.size = sizeof options;
    options.layers = "nosuchlayer:op=copy";
    open_fails(HR_NOT_FOUND, selector, &options);
    SAYS("nosuchlayer");
    SAYS("fault");
    options.layers = "fault:op=nosuchop,n=1";
    open_fails(HR_INVALID, selector, &options);
    SAYS("nosuchop");
    FAILS(HR_INVALID, hr_device_open(selector, NULL, NULL));
}

static void every_device_is_described(void **state)
{
    uint32_t count = 0;
    bool found = false;

    (void)state;
    OK(hr_device_count(&count));
    assert_true(count >= 1);
    for (uint32_t i = 0; i < count; i++) {
        hr_device_info one = {.size = sizeof one};

        OK(hr_device_describe(i, &one));
        assert_int_equal(one.size, sizeof one);
        assert_true(one.backend[0] != '\0');
        if (one.usable)
            assert_true(one.selector[0] && one.name[0] && one.memory_bytes > 0 && one.max_buffer_bytes > 0);
        else
            assert_true(one.reason[0] != '\0');
        assert_int_equal(one.budget_bytes, 0); /* it is not open */
        found = found || strcmp(one.selector, info.selector) == 0;
    }
    assert_true(found);
    FAILS(HR_RANGE, hr_device_describe(count, &(hr_device_info){.size = sizeof(hr_device_info)}));
    FAILS(HR_INVALID, hr_device_describe(0, NULL));
    FAILS(HR_INVALID, hr_device_describe(0, &(hr_device_info){.size = 0}));
    FAILS(HR_INVALID, hr_device_count(NULL));
}

static void an_open_device_describes_itself(void **state)
{
    hr_device *again = NULL;
    hr_device_info other = {.size = sizeof other};
    hr_device_options options = {
        .size = sizeof options, .device_memory_bytes = 3u << 20, .pinned_memory_bytes = 5u << 20};

    (void)state;
    assert_int_equal(info.usable, 1);
    assert_true(info.alignment > 0 && (info.alignment & (info.alignment - 1)) == 0);
    assert_true(info.budget_bytes > 0 && info.pinned_budget_bytes > 0);
    assert_true(info.max_group_size > 0 && info.compute_units > 0);
    OK(hr_device_open(info.selector, &options, &again));
    OK(hr_device_get_info(again, &other));
    assert_string_equal(other.selector, info.selector);
    assert_string_equal(other.name, info.name);
    assert_int_equal(other.budget_bytes, 3u << 20);
    assert_int_equal(other.pinned_budget_bytes, 5u << 20);
    FAILS(HR_INVALID, hr_device_get_info(again, NULL));
    FAILS(HR_INVALID, hr_device_get_info(NULL, &other));
    other.size = 0;
    FAILS(HR_INVALID, hr_device_get_info(again, &other));
    hr_device_close(&again);
    assert_null(again);
    hr_device_close(&again);
    hr_device_close(NULL);
}

/* A program built against a shorter struct gets what it knows and not a byte more. */
static void an_older_struct_is_not_overrun(void **state)
{
    union {
        hr_device_info info;
        uint8_t bytes[sizeof(hr_device_info) + 64];
    } room;

    (void)state;
    memset(&room, 0x5a, sizeof room);
    room.info.size = sizeof(hr_device_info);
    OK(hr_device_get_info(device, &room.info));
    for (size_t i = sizeof(hr_device_info); i < sizeof room.bytes; i++)
        assert_int_equal(room.bytes[i], 0x5a);
}

static void own_queues(void **state)
{
    hr_queue *first = NULL;
    hr_queue *second = NULL;

    (void)state;
    for (uint32_t role = HR_QUEUE_COMPUTE; role <= HR_QUEUE_COPY_OUT; role++) {
        OK(hr_device_get_queue(device, role, &first));
        OK(hr_device_get_queue(device, role, &second));
        assert_ptr_equal(first, second);
    }
    FAILS(HR_INVALID, hr_device_get_queue(device, 3, &first));
    FAILS(HR_INVALID, hr_device_get_queue(device, HR_QUEUE_COMPUTE, NULL));
    FAILS(HR_INVALID, hr_device_get_queue(NULL, HR_QUEUE_COMPUTE, &first));
}

/* -- what the environment decides, in processes of their own ------------------------------------------------------- */

static int child(const char *task)
{
    hr_device *opened = NULL;
    hr_device_info one = {.size = sizeof one};
    hr_status status = hr_device_open(strcmp(task, "default") == 0 ? NULL : selector, NULL, &opened);

    if (status == HR_OK)
        status = hr_device_get_info(opened, &one);
    printf("%s %s %llu %s\n", hr_status_name(status), one.selector, (unsigned long long)one.budget_bytes,
           hr_last_error());
    hr_device_close(&opened);
    return status == HR_OK ? 0 : 3;
}

static void the_environment_names_device_and_budget(void **state)
{
    char backend[64];
    char rest[64];
    char output[4096];
    char expected[128];
    const char *const environment[] = {backend, rest, "HEADRACE_DEVICE_MEMORY=12M", NULL};

    (void)state;
    snprintf(backend, sizeof backend, "HEADRACE_BACKEND=%s", info.backend);
    snprintf(rest, sizeof rest, "HEADRACE_DEVICE=%s", strchr(info.selector, ':') + 1);
    snprintf(expected, sizeof expected, "HR_OK %s 12582912 \n", info.selector);
    assert_int_equal(run_self("default", environment, output, sizeof output), 0);
    assert_string_equal(output, expected);
}

static void a_wrong_environment_is_told(void **state)
{
    static const char *const backend[] = {"HEADRACE_BACKEND=nosuch", NULL};
    static const char *const memory[] = {"HEADRACE_DEVICE_MEMORY=lots", NULL};
    static const char *const layers[] = {"HEADRACE_LAYERS=nosuchlayer", NULL};
    char output[4096];

    (void)state;
    assert_int_equal(run_self("default", backend, output, sizeof output), 3);
    assert_non_null(strstr(output, "HR_NOT_FOUND"));
    assert_non_null(strstr(output, "nosuch"));
    assert_int_equal(run_self("named", memory, output, sizeof output), 3);
    assert_non_null(strstr(output, "HR_INVALID"));
    assert_non_null(strstr(output, "HEADRACE_DEVICE_MEMORY"));
    assert_non_null(strstr(output, "lots"));
    assert_int_equal(run_self("named", layers, output, sizeof output), 3);
    assert_non_null(strstr(output, "HR_NOT_FOUND"));
    assert_non_null(strstr(output, "nosuchlayer"));
}

static void no_platform_at_all(void **state)
{
    char folder[64];
    char variable[96];
    char output[4096];
    const char *const environment[] = {variable, NULL};
    int status;

    (void)state;
    if (strcmp(info.backend, "opencl") != 0 && strcmp(info.backend, "pocl") != 0)
        NOT_APPLICABLE("the backend does not find its driver by the ICD loader");
    snprintf(folder, sizeof folder, "/tmp/headrace-empty-%ld", (long)getpid());
    assert_int_equal(mkdir(folder, 0700), 0);
    snprintf(variable, sizeof variable, "OCL_ICD_VENDORS=%s", folder);
    status = run_self("named", environment, output, sizeof output);
    assert_int_equal(remove(folder), 0);
    assert_int_equal(status, 3);
    assert_non_null(strstr(output, "HR_UNAVAILABLE"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_backend_is_told_the_list),
        cmocka_unit_test(mistyped_backend_is_told_the_nearest),
        cmocka_unit_test(device_that_is_not_there),
        cmocka_unit_test(wrong_options),
        cmocka_unit_test(every_device_is_described),
        cmocka_unit_test(an_open_device_describes_itself),
        cmocka_unit_test(an_older_struct_is_not_overrun),
        cmocka_unit_test(own_queues),
        cmocka_unit_test(the_environment_names_device_and_budget),
        cmocka_unit_test(a_wrong_environment_is_told),
        cmocka_unit_test(no_platform_at_all),
    };

    return conformance_main(argc, argv, tests, child);
}
