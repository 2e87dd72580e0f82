/* Simulated driver: contexts, device memory and its limit, pinned and registered memory. */
#include "rig.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

static void the_primary_context_is_counted(void **state)
{
    hri_cu_context again = NULL;

    (void)state;
    OK(cu.DevicePrimaryCtxRetain(&again, 0));
    assert_ptr_equal(again, context);
    assert_int_equal(fake.live("contexts"), 2);
    OK(cu.DevicePrimaryCtxRelease(0));
    FAILS(HRI_CU_INVALID_DEVICE, cu.DevicePrimaryCtxRetain(&again, 1));
    OK(cu.MemFree(rig_device(16))); /* still there */
}

static void calls_need_a_current_context(void **state)
{
    hri_cu_stream stream = rig_stream();
    hri_cu_event event = rig_event(0);
    hri_cu_pointer device;
    hri_cu_context popped = NULL, current = context;
    void *host;

    (void)state;
    OK(cu.CtxPopCurrent(&popped));
    assert_ptr_equal(popped, context);
    OK(cu.CtxGetCurrent(&current));
    assert_null(current);
    FAILS(HRI_CU_INVALID_CONTEXT, cu.CtxPopCurrent(&popped));
    FAILS(HRI_CU_INVALID_CONTEXT, cu.MemAlloc(&device, 16));
    FAILS(HRI_CU_INVALID_CONTEXT, cu.MemHostAlloc(&host, 16, 0));
    FAILS(HRI_CU_INVALID_CONTEXT, cu.StreamCreate(&stream, 0));
    FAILS(HRI_CU_INVALID_CONTEXT, cu.EventRecord(event, stream));
    FAILS(HRI_CU_INVALID_CONTEXT, cu.EventQuery(event));
    FAILS(HRI_CU_INVALID_CONTEXT, cu.StreamDestroy(stream));
    FAILS(HRI_CU_INVALID_CONTEXT, cu.CtxPushCurrent(NULL));
    OK(cu.CtxPushCurrent(context));
    OK(cu.EventDestroy(event));
    OK(cu.StreamDestroy(stream));
}

static void a_context_keeps_what_is_its_own(void **state)
{
    hri_cu_context other = fake.context_create(0), popped;
    hri_cu_stream stream = rig_stream(), theirs;
    hri_cu_event event = rig_event(0);
    hri_cu_pointer device = rig_device(16);
    hri_cu_dev number = -1;

    (void)state;
    OK(cu.CtxPushCurrent(other));
    OK(cu.CtxGetDevice(&number));
    assert_int_equal(number, 0);
    theirs = rig_stream();
    FAILS(HRI_CU_INVALID_CONTEXT, cu.EventRecord(event, theirs));
    FAILS(HRI_CU_INVALID_CONTEXT, cu.MemsetD8Async(device, 1, 16, stream));
    FAILS(HRI_CU_INVALID_VALUE, cu.MemsetD8Async(device, 1, 16, theirs));
    FAILS(HRI_CU_INVALID_VALUE, cu.MemFree(device));
    OK(cu.CtxPopCurrent(&popped));
    assert_ptr_equal(popped, other);
    assert_ptr_equal(fake.current(), context);
    OK(cu.StreamGetCtx(theirs, &popped));
    assert_ptr_equal(popped, other);
    fake.context_destroy(other); /* and its stream */
    assert_int_equal(fake.live("streams"), 1);
    OK(cu.EventDestroy(event));
    OK(cu.StreamDestroy(stream));
    OK(cu.MemFree(device));
}

static void the_last_release_ends_what_is_left(void **state)
{
    hri_cu_stream stream = rig_stream();

    (void)state;
    fake.hold(stream, 1);
    OK(cu.MemsetD8Async(rig_device(16), 1, 16, stream));
    rig_event(0);
    rig_pinned(16); /* rig_close() looks whether anything is alive */
}

static void device_memory_ends(void **state)
{
    hri_cu_pointer blocks[8], more;
    size_t unused = 0, total = 0;

    (void)state;
    OK(cu.MemGetInfo(&unused, &total));
    assert_int_equal(unused, total);
    FAILS(HRI_CU_OUT_OF_MEMORY, cu.MemAlloc(&more, total + 1));
    FAILS(HRI_CU_INVALID_VALUE, cu.MemAlloc(&more, 0));
    for (int i = 0; i < 8; i++)
        blocks[i] = rig_device(total / 8);
    FAILS(HRI_CU_OUT_OF_MEMORY, cu.MemAlloc(&more, 1));
    OK(cu.MemFree(blocks[3]));
    OK(cu.MemGetInfo(&unused, &total));
    assert_int_equal(unused, total / 8);
    OK(cu.MemAlloc(&blocks[3], total / 8));
    for (int i = 0; i < 8; i++)
        OK(cu.MemFree(blocks[i]));
    for (int i = 0; i < 20; i++) /* addresses come round again */
        OK(cu.MemFree(rig_device(total)));
}

static void registered_memory(void **state)
{
    unsigned char *memory = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    hri_cu_stream stream = rig_stream();
    hri_cu_pointer device = rig_device(4 * PAGE), seen = 0;

    (void)state;
    assert_true(memory != MAP_FAILED);
    OK(cu.MemHostRegister(memory, PAGE, HRI_CU_REGISTER_PORTABLE));
    FAILS(HRI_CU_ALREADY_REGISTERED, cu.MemHostRegister(memory, PAGE, 0));
    FAILS(HRI_CU_ALREADY_REGISTERED, cu.MemHostRegister(memory + PAGE - 8, PAGE, 0));
    OK(cu.MemHostRegister(memory + PAGE, PAGE + 8, 0));
    OK(cu.MemHostRegister(memory + 2 * PAGE + 8, 8, 0)); /* the same page, which is no matter */
    OK(cu.MemHostGetDevicePointer(&seen, memory + PAGE + 8, 0));
    assert_int_equal(seen, (uintptr_t)memory + PAGE + 8);
    FAILS(HRI_CU_INVALID_VALUE, cu.MemHostGetDevicePointer(&seen, memory + 3 * PAGE, 0));
    OK(cu.MemcpyHtoDAsync(device, memory, PAGE, stream));
    FAILS(HRI_CU_INVALID_VALUE, cu.MemcpyHtoDAsync(device, memory, PAGE + 1, stream)); /* two registrations */
    FAILS(HRI_CU_INVALID_VALUE, cu.MemcpyHtoDAsync(device, memory + 2 * PAGE, PAGE, stream));
    rig_finish(stream);
    OK(cu.MemHostUnregister(memory));
    FAILS(HRI_CU_INVALID_VALUE, cu.MemHostUnregister(memory + PAGE + 8));
    OK(cu.MemHostUnregister(memory + PAGE));
    OK(cu.MemHostUnregister(memory + 2 * PAGE + 8));
    FAILS(HRI_CU_NOT_REGISTERED, cu.MemHostUnregister(memory));
    OK(cu.MemFree(device));
    OK(cu.StreamDestroy(stream));
    munmap(memory, 4 * PAGE);
}

static void read_only_memory(void **state)
{
    unsigned char *memory = mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    hri_cu_stream stream = rig_stream();
    hri_cu_pointer device = rig_device(PAGE);

    (void)state;
    assert_true(memory != MAP_FAILED);
    FAILS(HRI_CU_INVALID_VALUE, cu.MemHostRegister(memory, PAGE, 0));
    OK(cu.MemHostRegister(memory, PAGE, HRI_CU_REGISTER_READ_ONLY));
    OK(cu.MemcpyHtoDAsync(device, memory, PAGE, stream));
    FAILS(HRI_CU_INVALID_VALUE, cu.MemcpyDtoHAsync(memory, device, PAGE, stream));
    rig_finish(stream);
    OK(cu.MemHostUnregister(memory));
    munmap(memory, 2 * PAGE);
    FAILS(HRI_CU_INVALID_VALUE, cu.MemHostRegister(memory, PAGE, 0)); /* nothing is mapped there */
    OK(cu.MemFree(device));
    OK(cu.StreamDestroy(stream));
}

static void codes_have_names(void **state)
{
    const char *text = NULL;

    (void)state;
    OK(cu.GetErrorName(HRI_CU_OUT_OF_MEMORY, &text));
    assert_string_equal(text, "CUDA_ERROR_OUT_OF_MEMORY");
    OK(cu.GetErrorString(HRI_CU_OUT_OF_MEMORY, &text));
    assert_string_equal(text, "out of memory");
    FAILS(HRI_CU_INVALID_VALUE, cu.GetErrorName(12345, &text));
    assert_null(text);
}

#define on_a_device(f) cmocka_unit_test_setup_teardown(f, rig_open, rig_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_a_device(the_primary_context_is_counted),
        on_a_device(calls_need_a_current_context),
        on_a_device(a_context_keeps_what_is_its_own),
        on_a_device(the_last_release_ends_what_is_left),
        on_a_device(device_memory_ends),
        on_a_device(registered_memory),
        on_a_device(read_only_memory),
        on_a_device(codes_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
