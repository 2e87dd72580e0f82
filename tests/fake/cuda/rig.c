/* What the tests of the simulated driver share. */
#include "rig.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct hri_cu cu;
struct rig_fake fake;
hri_cu_context context;

void *rig_library(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

    if (!library)
        fail_msg("%s", dlerror());
    return library;
}

void rig_symbol(const char *name, void *function_pointer)
{
    void *symbol = dlsym(rig_library(), name);

    if (!symbol)
        fail_msg("libcuda.so.1 has no %s", name);
    memcpy(function_pointer, &symbol, sizeof symbol);
}

void rig_load(void)
{
    hri_cu_result (*address_of)(const char *, void **, int, uint64_t, int *);
    void *symbol;
    int status;

    rig_symbol("cuGetProcAddress_v2", &address_of);
#define LOAD(name, version, exported, parameters)                                                                      \
    status = -1;                                                                                                       \
    OK(address_of("cu" #name, &symbol, version, HRI_CU_PROC_DEFAULT, &status));                                        \
    assert_int_equal(status, HRI_CU_PROC_SUCCESS);                                                                     \
    memcpy(&cu.name, &symbol, sizeof symbol);
    HRI_CU_SYMBOLS(LOAD)
    HRI_CU_OPTIONAL_SYMBOLS(LOAD)
#undef LOAD
    rig_symbol("fake_cuda_calls", &fake.calls);
    rig_symbol("fake_cuda_live", &fake.live);
    rig_symbol("fake_cuda_fail", &fake.inject);
    rig_symbol("fake_cuda_hold", &fake.hold);
    rig_symbol("fake_cuda_capture", &fake.capture);
    rig_symbol("fake_cuda_spoilt", &fake.spoilt);
    rig_symbol("fake_cuda_context_create", &fake.context_create);
    rig_symbol("fake_cuda_context_destroy", &fake.context_destroy);
    rig_symbol("fake_cuda_current", &fake.current);
    rig_symbol("fake_cuda_depth", &fake.depth);
}

int rig_open(void **state)
{
    (void)state;
    rig_load();
    OK(cu.Init(0));
    OK(cu.DevicePrimaryCtxRetain(&context, 0));
    OK(cu.CtxPushCurrent(context));
    return 0;
}

int rig_close(void **state)
{
    hri_cu_context popped;

    (void)state;
    fake.inject("work", 0, 0);
    OK(cu.CtxPopCurrent(&popped));
    OK(cu.DevicePrimaryCtxRelease(0));
    assert_int_equal(fake.live("all"), 0);
    return 0;
}

hri_cu_pointer rig_device(size_t bytes)
{
    hri_cu_pointer pointer;

    OK(cu.MemAlloc(&pointer, bytes));
    return pointer;
}

void *rig_pinned(size_t bytes)
{
    void *pointer;

    OK(cu.MemHostAlloc(&pointer, bytes, HRI_CU_HOST_PORTABLE));
    return pointer;
}

hri_cu_stream rig_stream(void)
{
    hri_cu_stream stream;

    OK(cu.StreamCreate(&stream, HRI_CU_STREAM_NON_BLOCKING));
    return stream;
}

hri_cu_event rig_event(unsigned flags)
{
    hri_cu_event event;

    OK(cu.EventCreate(&event, flags));
    return event;
}

void rig_finish(hri_cu_stream stream)
{
    hri_cu_event event = rig_event(HRI_CU_EVENT_DISABLE_TIMING);

    OK(cu.EventRecord(event, stream));
    OK(cu.EventSynchronize(event));
    OK(cu.EventDestroy(event));
}

bool rig_idle(hri_cu_stream stream)
{
    hri_cu_event event = rig_event(HRI_CU_EVENT_DISABLE_TIMING);
    hri_cu_result code;

    OK(cu.EventRecord(event, stream));
    code = cu.EventQuery(event);
    assert_true(code == HRI_CU_SUCCESS || code == HRI_CU_NOT_READY);
    OK(cu.EventDestroy(event));
    return code == HRI_CU_SUCCESS;
}

static void child(const char *environment, void (*body)(void), int err)
{
    char text[512];

    dup2(err, 2);
    snprintf(text, sizeof text, "%s", environment);
    for (char *next, *at = text; *at; at = next) {
        char *equals = strchr(at, '=');

        next = at + strcspn(at, ";");
        if (*next)
            *next++ = 0;
        *equals = 0;
        setenv(at, equals + 1, 1);
    }
    body();
    exit(0);
}

int rig_child(const char *environment, void (*body)(void), char *said, size_t room)
{
    int ends[2], status;
    ssize_t n;
    size_t used = 0;
    pid_t pid;

    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid = fork();
    if (pid == 0)
        child(environment, body, ends[1]);
    close(ends[1]);
    while (used + 1 < room && (n = read(ends[0], said + used, room - 1 - used)) > 0)
        used += (size_t)n;
    said[used] = 0;
    close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}
