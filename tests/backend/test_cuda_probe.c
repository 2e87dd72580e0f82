/*
 * Drivers that cannot be used: each is said in a sentence with its remedy. A case is a child process, since a driver is
 * loaded once. A second argument names a libcuda.so.1 of another kind that the environment offers: "none" (not a
 * library), "old" (before 12.0), "stub" (a toolkit's own).
 */
#include "cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Probes in a child whose environment has `variable` set; its message comes back. */
static hr_status probe_with(const char *variable, const char *value, char *message, size_t room)
{
    int ends[2];
    int status = 0;
    ssize_t length;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (child == 0) {
        struct hrb_instance *instance = NULL;
        hr_status st;

        if (variable)
            setenv(variable, value, 1);
        st = rig.backend->ops->probe(rig.backend, &rig_services, &instance);
        if (st != HR_OK && (instance || rig_failures() != 1))
            _exit(126);
        if (write(ends[1], rig_message(), strlen(rig_message()) + 1) < 0)
            _exit(125);
        _exit(st & 0xff);
    }
    close(ends[1]);
    length = read(ends[0], message, room - 1);
    message[length < 0 ? 0 : length] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return (hr_status)(int8_t)WEXITSTATUS(status);
}

static void expect_refusal(const char *variable, const char *value, const char *part, const char *remedy)
{
    char message[1024];

    assert_int_equal(probe_with(variable, value, message, sizeof message), HR_UNAVAILABLE);
    if (!strstr(message, part))
        fail_msg("%s=%s: \"%s\" is not in: %s", variable ? variable : "", value ? value : "", part, message);
    if (!strstr(message, remedy))
        fail_msg("%s=%s: no remedy (\"%s\") in: %s", variable ? variable : "", value ? value : "", remedy, message);
    if (strlen(message) > 255)
        fail_msg("it does not fit into hr_device_info.reason: %s", message);
}

static void what_cannot_start_is_said_with_its_remedy(void **state)
{
    static const struct {
        const char *value; /* the first call of cuInit answers so */
        const char *part;
        const char *remedy;
    } cases[] = {
        {"cuInit:1:34", "stub", "LD_LIBRARY_PATH"},
        {"cuInit:1:100", "finds no device", "CUDA_VISIBLE_DEVICES"},
        {"cuInit:1:802", "not ready", "nvidia-fabricmanager"},
        {"cuInit:1:803", "different versions", "restart the machine"},
        {"cuInit:1:804", "compatibility package", "newer driver"},
        {"cuInit:1:999", "CUDA_ERROR_UNKNOWN", "nvidia_uvm"},
        {"cuInit:1:3", "CUDA_ERROR_NOT_INITIALIZED", "nvidia-smi"},
        {"cuDeviceGetCount:1:46", "CUDA_ERROR_DEVICE_UNAVAILABLE", "nvidia-smi"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_refusal("FAKE_CUDA_FAIL", cases[i].value, cases[i].part, cases[i].remedy);
    expect_refusal("FAKE_CUDA_DEVICES", "0", "finds no device", "nvidia-smi");
    expect_refusal("FAKE_CUDA_STUB", "1", "stub", "LD_LIBRARY_PATH");
}

/* Each of them, by name; those that are optional are missed by nobody. */
static void a_missing_symbol_is_named(void **state)
{
    char message[1024];

    (void)state;
#define MISS(name, version, exported, parameters)                                                                      \
    expect_refusal("FAKE_CUDA_MISSING", "cu" #name, "lacks cu" #name " of CUDA", "install a newer driver");
    HRI_CU_SYMBOLS(MISS)
#undef MISS
#define MISS(name, version, exported, parameters)                                                                      \
    assert_int_equal(probe_with("FAKE_CUDA_MISSING", "cu" #name, message, sizeof message), HR_OK);
    HRI_CU_OPTIONAL_SYMBOLS(MISS)
#undef MISS
}

/* The simulated driver aborts at a symbol that is asked for by another version than that of its declaration. */
static void all_symbols_are_asked_for_by_their_versions(void **state)
{
    char message[1024];

    (void)state;
    assert_int_equal(probe_with(NULL, NULL, message, sizeof message), HR_OK);
    assert_int_equal(probe_with("FAKE_CUDA_VERSION", "12000", message, sizeof message), HR_OK); /* the oldest */
}

static void devices_are_numbered(void **state)
{
    static struct hrb_instance *instance; /* for the life of the process */
    struct hrb_device *device = NULL;
    hr_device_info info = {.size = sizeof info};

    (void)state;
    setenv("FAKE_CUDA_DEVICES", "3", 1); /* from here on the driver is loaded in this process */
    assert_int_equal(rig.backend->ops->probe(rig.backend, &rig_services, &instance), HR_OK);
    assert_int_equal(rig.backend->ops->device_count(instance), 3);
    assert_int_equal(rig.backend->ops->device_describe(instance, 2, &info), HR_OK);
    assert_string_equal(info.selector, "cuda:2");
    assert_string_equal(info.name, "Simulated GPU 2");
    assert_int_equal(info.alignment, 256);
    assert_int_equal(info.abilities,
                     HR_ABILITY_ASYNC_KERNELS | HR_ABILITY_COPY_OVERLAP | HR_ABILITY_TIMING | HR_ABILITY_IMPORT);
    assert_int_equal(rig.backend->ops->device_open(instance, 1, NULL, &device), HR_OK);
    memset(&info, 0, sizeof info);
    assert_int_equal(rig.backend->ops->device_info(device, &info), HR_OK);
    assert_string_equal(info.selector, "cuda:1");
    rig.backend->ops->device_close(device);
    rig_expect_failure(rig.backend->ops->device_open(instance, 3, NULL, &device), HR_UNAVAILABLE, "device 3 of 3");
}

static void no_driver(void **state)
{
    (void)state;
    expect_refusal(NULL, NULL, "no driver (", "install NVIDIA's driver");
}

static void an_old_driver(void **state)
{
    (void)state;
    expect_refusal(NULL, NULL, "serves CUDA 11.8 and 12.0 is needed", "version 525 or later");
}

static void a_toolkits_stub(void **state)
{
    (void)state;
    expect_refusal(NULL, NULL, "stub", "LD_LIBRARY_PATH");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_cannot_start_is_said_with_its_remedy),
    cmocka_unit_test(a_missing_symbol_is_named),
    cmocka_unit_test(all_symbols_are_asked_for_by_their_versions),
    cmocka_unit_test(devices_are_numbered),
};
static const struct CMUnitTest none[] = {cmocka_unit_test(no_driver)};
static const struct CMUnitTest old[] = {cmocka_unit_test(an_old_driver)};
static const struct CMUnitTest stub[] = {cmocka_unit_test(a_toolkits_stub)};

int main(int argc, char **argv)
{
    const char *kind = argc >= 3 ? argv[2] : "";

    rig.backend = argc >= 2 ? rig_backend(argv[1]) : NULL;
    if (!rig.backend)
        return 2;
    if (strcmp(kind, "none") == 0)
        return cmocka_run_group_tests(none, NULL, NULL);
    if (strcmp(kind, "old") == 0)
        return cmocka_run_group_tests(old, NULL, NULL);
    if (strcmp(kind, "stub") == 0)
        return cmocka_run_group_tests(stub, NULL, NULL);
    if (!cuda_is_simulated()) {
        fprintf(stderr, "not applicable: only the simulated driver can be one that does not start\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
