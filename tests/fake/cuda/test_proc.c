/* Simulated driver: symbols by version, and what it is made to be by its environment. */
#include "rig.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char said[4096];

#define CHECK(what)                                                                                                    \
    do {                                                                                                               \
        if (!(what)) {                                                                                                 \
            fprintf(stderr, "not so: %s\n", #what);                                                                    \
            _exit(99);                                                                                                 \
        }                                                                                                              \
    } while (0)

static hri_cu_result ask(const char *name, int version, void **function, int *status)
{
    hri_cu_result (*address_of)(const char *, void **, int, uint64_t, int *);

    rig_symbol("cuGetProcAddress_v2", &address_of);
    return address_of(name, function, version, HRI_CU_PROC_DEFAULT, status);
}

static void ends_well(const char *environment, void (*body)(void))
{
    int status = rig_child(environment, body, said, sizeof said);

    if (status != 0)
        fail_msg("wait status %d: %s", status, said);
}

static void aborts(void (*body)(void), const char *name)
{
    int status = rig_child("ASAN_OPTIONS=handle_abort=0", body, said, sizeof said);

    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT || !strstr(said, name))
        fail_msg("wait status %d: %s", status, said);
}

static void call_old_alloc(void)
{
    hri_cu_result (*alloc)(hri_cu_pointer *, size_t);
    hri_cu_pointer pointer;
    void *function;
    int status;

    CHECK(ask("cuMemAlloc", 2000, &function, &status) == 0);
    memcpy(&alloc, &function, sizeof function);
    alloc(&pointer, 4096);
}

static void call_new_retain(void)
{
    hri_cu_result (*release)(hri_cu_dev);
    void *function;
    int status;

    CHECK(ask("cuDevicePrimaryCtxRelease", 13000, &function, &status) == 0);
    memcpy(&release, &function, sizeof function);
    release(0);
}

static void call_unsuffixed(void)
{
    hri_cu_result (*alloc)(hri_cu_pointer *, size_t);
    hri_cu_pointer pointer;

    rig_symbol("cuMemAlloc", &alloc);
    alloc(&pointer, 4096);
}

static void call_set_current(void)
{
    hri_cu_result (*set)(hri_cu_context);

    rig_symbol("cuCtxSetCurrent", &set);
    set(NULL);
}

static void what_must_not_be_called_aborts(void **state)
{
    (void)state;
    aborts(call_old_alloc, "cuMemAlloc was asked for with another version than 3020");
    aborts(call_new_retain, "cuDevicePrimaryCtxRelease was asked for");
    aborts(call_unsuffixed, "cuMemAlloc was called");
    aborts(call_set_current, "cuCtxSetCurrent was called");
}

static void unknown_names(void)
{
    void *function = &function;
    int status = -1;

    CHECK(ask("cuNoSuchThing", 13000, &function, &status) == 0);
    CHECK(status == HRI_CU_PROC_NOT_FOUND && !function);
    CHECK(ask("cuNoSuchThing", 13000, &function, NULL) == HRI_CU_NOT_FOUND);
    CHECK(ask("cuMemAlloc_v2", 3020, &function, &status) == 0); /* names have no suffix here */
    CHECK(status == HRI_CU_PROC_NOT_FOUND);
}

static void a_missing_symbol(void)
{
    void *function;
    int status = -1;

    CHECK(ask("cuMemHostRegister", 6050, &function, &status) == 0);
    CHECK(status == HRI_CU_PROC_NOT_FOUND && !function);
    CHECK(ask("cuMemHostUnregister", 4000, &function, &status) == 0);
    CHECK(status == HRI_CU_PROC_SUCCESS && function);
}

static void an_old_driver(void)
{
    void *function;
    int status = -1, version = 0;

    CHECK(ask("cuFuncGetParamInfo", 12040, &function, &status) == 0);
    CHECK(status == HRI_CU_PROC_NOT_FOUND);
    CHECK(ask("cuLaunchKernel", 4000, &function, &status) == 0);
    CHECK(status == HRI_CU_PROC_SUCCESS);
    rig_symbol("cuDriverGetVersion", &cu.DriverGetVersion);
    CHECK(cu.DriverGetVersion(&version) == 0 && version == 12000);
}

static void a_stub(void)
{
    void *function;
    int status = -1;

    CHECK(ask("cuInit", 2000, &function, &status) == HRI_CU_STUB_LIBRARY);
    rig_symbol("cuInit", &cu.Init);
    CHECK(cu.Init(0) == HRI_CU_STUB_LIBRARY);
}

static void no_device(void)
{
    int count;

    rig_load();
    CHECK(cu.Init(0) == HRI_CU_NO_DEVICE);
    CHECK(cu.DeviceGetCount(&count) == HRI_CU_NOT_INITIALIZED);
}

static void three_devices(void)
{
    int count = 0, value = 0;
    char name[64], id[32], last[32];
    size_t bytes = 0;
    hri_cu_dev device;

    rig_load();
    CHECK(cu.DeviceGetCount(&count) == HRI_CU_NOT_INITIALIZED);
    CHECK(cu.Init(0) == 0);
    CHECK(cu.DeviceGetCount(&count) == 0 && count == 3);
    CHECK(cu.DeviceGet(&device, 3) == HRI_CU_INVALID_DEVICE);
    CHECK(cu.DeviceGet(&device, 2) == 0);
    CHECK(cu.DeviceGetName(name, sizeof name, device) == 0 && strcmp(name, "Simulated GPU 2") == 0);
    CHECK(cu.DeviceTotalMem(&bytes, device) == 0 && bytes == 1 << 20);
    CHECK(cu.DeviceGetAttribute(&value, HRI_CU_ATTR_COPY_ENGINES, device) == 0 && value == 2);
    CHECK(cu.DeviceGetPCIBusId(id, sizeof id, 1) == 0 && cu.DeviceGetPCIBusId(last, sizeof last, 2) == 0);
    CHECK(strcmp(id, last) != 0);
}

static void told_to_fail(void)
{
    hri_cu_pointer pointer;
    void *host;

    rig_open(NULL);
    OK(cu.MemHostAlloc(&host, 4096, 0));
    FAILS(HRI_CU_OUT_OF_MEMORY, cu.MemHostAlloc(&host, 4096, 0));
    OK(cu.MemHostAlloc(&host, 4096, 0));
    OK(cu.MemAlloc(&pointer, 4096));
    FAILS(HRI_CU_UNKNOWN, cu.MemAlloc(&pointer, 4096));
    FAILS(HRI_CU_UNKNOWN, cu.MemAlloc(&pointer, 4096));
}

static void environment_decides(void **state)
{
    (void)state;
    ends_well("", unknown_names);
    ends_well("FAKE_CUDA_MISSING=cuMemHostRegister", a_missing_symbol);
    ends_well("FAKE_CUDA_VERSION=12000", an_old_driver);
    ends_well("FAKE_CUDA_STUB=1", a_stub);
    ends_well("FAKE_CUDA_DEVICES=0", no_device);
    ends_well("FAKE_CUDA_DEVICES=3;FAKE_CUDA_MEMORY=0x100000", three_devices);
    ends_well("FAKE_CUDA_FAIL=cuMemHostAlloc:2:2,cuMemAlloc:2+:999", told_to_fail);
}

static void leave_a_stream_behind(void)
{
    rig_open(NULL);
    fake.hold(rig_stream(), 1);
}

static void leave_nothing(void)
{
    rig_open(NULL);
    rig_close(NULL);
}

static void what_is_left_is_reported(void **state)
{
    int status;

    (void)state;
    status = rig_child("FAKE_CUDA_REPORT=1", leave_a_stream_behind, said, sizeof said);
    assert_int_equal(status, 0);
    assert_non_null(strstr(said, "left behind: 1 contexts 1 streams 1 pushed"));
    status = rig_child("FAKE_CUDA_REPORT=2", leave_a_stream_behind, said, sizeof said);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 86);
    ends_well("FAKE_CUDA_REPORT=2", leave_nothing);
    assert_string_equal(said, "");
}

static void use_it_in_a_child(void)
{
    hri_cu_pointer pointer;
    int status;
    pid_t pid;

    rig_open(NULL);
    rig_finish(rig_stream());
    pid = fork();
    if (pid == 0) {
        CHECK(cu.MemAlloc(&pointer, 4096) == HRI_CU_NOT_INITIALIZED);
        CHECK(cu.Init(0) == HRI_CU_NOT_INITIALIZED);
        _exit(0);
    }
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    CHECK(cu.MemAlloc(&pointer, 4096) == 0);
}

static void a_fork_is_refused(void **state)
{
    (void)state;
    ends_well("", use_it_in_a_child);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_must_not_be_called_aborts),
        cmocka_unit_test(environment_decides),
        cmocka_unit_test(what_is_left_is_reported),
        cmocka_unit_test(a_fork_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
