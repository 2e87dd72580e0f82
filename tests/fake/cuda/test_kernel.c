/* Simulated driver: kernels from text run in the order of their stream, and their faults are the context's. */
#include "programs.h"

#include <stdlib.h>

enum { N = 1000, BYTES = N * 4 };

static void kernels_run_in_the_stream(void **state)
{
    uint32_t *host = rig_pinned(BYTES), by = 5, n = N;
    hri_cu_pointer device = rig_device(BYTES);

    (void)state;
    for (uint32_t i = 0; i < N; i++)
        host[i] = i;
    fake.hold(stream, 1);
    OK(cu.MemcpyHtoDAsync(device, host, BYTES, stream));
    OK(launch("add", 16, 64, (void *[]){&device, &by, &n}));
    by = 100; /* the arguments have been taken */
    OK(cu.MemcpyDtoHAsync(host, device, BYTES, stream));
    assert_false(rig_idle(stream));
    fake.hold(stream, 0);
    rig_finish(stream);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(host[i], i + 5);
    OK(cu.MemFree(device));
    OK(cu.MemFreeHost(host));
}

/* "While a kernel runs" is a state, as on a GPU, and other streams go on. */
static void a_kernel_holds_its_own_stream_alone(void **state)
{
    static const uint32_t one = 1;
    hri_cu_stream other = rig_stream();
    hri_cu_pointer flag = rig_device(4), out = rig_device(4);
    unsigned long limit = 100000000000ul;
    uint32_t *host = rig_pinned(4);

    (void)state;
    OK(cu.MemsetD32Async(flag, 0, 1, stream));
    rig_finish(stream);
    OK(launch("wait_for", 1, 1, (void *[]){&flag, &out, &limit}));
    OK(cu.MemcpyDtoHAsync(host, out, 4, stream));
    OK(cu.MemsetD32Async(out, 77, 1, other));
    rig_finish(other);
    assert_false(rig_idle(stream));
    OK(cu.MemcpyHtoDAsync(flag, &one, 4, other));
    rig_finish(stream);
    assert_int_equal(host[0], 1);
    OK(cu.StreamDestroy(other));
    OK(cu.MemFree(flag));
    OK(cu.MemFree(out));
    OK(cu.MemFreeHost(host));
}

static void threads_of_a_block_meet(void **state)
{
    uint32_t host[256];
    hri_cu_pointer device = rig_device(sizeof host);

    (void)state;
    for (uint32_t i = 0; i < 256; i++)
        host[i] = i;
    OK(cu.MemcpyHtoDAsync(device, host, sizeof host, stream));
    OK(launch("reverse", 4, 64, (void *[]){&device}));
    OK(cu.MemcpyDtoHAsync(host, device, sizeof host, stream));
    for (uint32_t i = 0; i < 256; i++)
        assert_int_equal(host[i], i / 64 * 64 + 63 - i % 64);
    OK(cu.MemFree(device));
}

static void parameters_have_their_places(void **state)
{
    static const size_t offsets[] = {0, 8, 16, 32, 40}, sizes[] = {1, 8, 16, 8, 2};
    struct {
        _Alignas(16) float x[4];
    } c = {{0, 0, 0, 9}};
    hri_cu_pointer device = rig_device(16);
    unsigned char a = 3;
    double b = 7;
    short d = -1;
    uint32_t out[4];

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        size_t offset = 99, bytes = 99;

        OK(cu.FuncGetParamInfo(function("many"), i, &offset, &bytes));
        assert_int_equal(offset, offsets[i]);
        assert_int_equal(bytes, sizes[i]);
    }
    FAILS(HRI_CU_INVALID_VALUE, cu.FuncGetParamInfo(function("many"), 5, &(size_t){0}, &(size_t){0}));
    OK(launch("many", 1, 1, (void *[]){&a, &b, &c, &device, &d}));
    OK(cu.MemcpyDtoHAsync(out, device, sizeof out, stream));
    assert_int_equal(out[0], 3);
    assert_int_equal(out[1], 7);
    assert_int_equal(out[2], 9);
    assert_int_equal(out[3], 0xffffffff);
    OK(cu.MemFree(device));
}

/* The square of 1 + 2^-12 is 1 + 2^-11 + 2^-24, which a fused product would keep; it is rounded to 1 + 2^-11. */
static void products_are_rounded(void **state)
{
    const float x[] = {9, 1 + 0x1p-12f, 1 + 0x1p-12f, -1 - 0x1p-11f};
    float back[4];
    hri_cu_pointer device = rig_device(sizeof x);

    (void)state;
    OK(cu.MemcpyHtoDAsync(device, x, sizeof x, stream));
    OK(launch("fused", 1, 1, (void *[]){&device}));
    OK(cu.MemcpyDtoHAsync(back, device, sizeof back, stream));
    assert_true(back[0] == 0);
    OK(cu.MemFree(device));
}

static void atomics(void **state)
{
    uint32_t back[2];
    hri_cu_pointer device = rig_device(8);

    (void)state;
    OK(cu.MemsetD32Async(device, 0, 2, stream));
    OK(launch("count", 10, 100, (void *[]){&device}));
    OK(cu.MemcpyDtoHAsync(back, device, sizeof back, stream));
    assert_int_equal(back[0], 2000);
    assert_int_equal(back[1], 1998);
    OK(cu.MemFree(device));
}

static void faults(hri_cu_pointer pointer, unsigned long offset, hri_cu_result code)
{
    hri_cu_event event = rig_event(HRI_CU_EVENT_DISABLE_TIMING);

    OK(launch("wild", 1, 1, (void *[]){&pointer, &offset}));
    OK(cu.EventRecord(event, stream));
    FAILS(code, cu.EventSynchronize(event));
    FAILS(code, cu.EventQuery(event));
}

static void past_the_end(void **state)
{
    (void)state;
    faults(rig_device(400), 100, HRI_CU_ILLEGAL_ADDRESS);
}

static void at_nothing(void **state)
{
    (void)state;
    faults(0, 0, HRI_CU_ILLEGAL_ADDRESS);
}

static void off_its_boundary(void **state)
{
    (void)state;
    faults(rig_device(400) + 1, 0, HRI_CU_MISALIGNED_ADDRESS);
}

static void at_memory_of_the_host(void **state)
{
    uint32_t *host = malloc(4);

    (void)state;
    *host = 5;
    faults((uintptr_t)host, 0, HRI_CU_ILLEGAL_ADDRESS);
    assert_int_equal(*host, 5);
    free(host);
}

static void at_a_variable_of_the_host(void **state)
{
    static uint32_t host = 5;

    (void)state;
    faults((uintptr_t)&host, 0, HRI_CU_ILLEGAL_ADDRESS);
    assert_int_equal(host, 5);
}

static void at_pinned_memory(void **state)
{
    uint32_t *host = rig_pinned(8);
    hri_cu_pointer pointer;
    unsigned long offset = 1;

    (void)state;
    OK(cu.MemHostGetDevicePointer(&pointer, host, 0));
    OK(launch("wild", 1, 1, (void *[]){&pointer, &offset}));
    rig_finish(stream);
    assert_int_equal(host[1], 1);
    OK(cu.MemFreeHost(host));
}

static void launches_are_checked(void **state)
{
    hri_cu_function add = function("add"), none;
    hri_cu_pointer device = rig_device(BYTES);
    uint32_t by = 1, n = N;
    void *params[] = {&device, &by, &n};
    int threads = 0;

    (void)state;
    FAILS(HRI_CU_INVALID_VALUE, cu.LaunchKernel(add, 0, 1, 1, 1, 1, 1, 0, stream, params, NULL));
    FAILS(HRI_CU_INVALID_VALUE, cu.LaunchKernel(add, 1, 65536, 1, 1, 1, 1, 0, stream, params, NULL));
    FAILS(HRI_CU_INVALID_VALUE, cu.LaunchKernel(add, 1, 1, 1, 1024, 2, 1, 0, stream, params, NULL));
    FAILS(HRI_CU_INVALID_VALUE, cu.LaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
    FAILS(HRI_CU_NOT_FOUND, cu.ModuleGetFunction(&none, module, "ad"));
    FAILS(HRI_CU_NOT_FOUND, cu.ModuleGetFunction(&none, module, "mangled"));
    OK(cu.FuncGetAttribute(&threads, HRI_CU_FUNC_MAX_THREADS, add));
    assert_int_equal(threads, 1024);
    OK(cu.MemFree(device));
}

/* Leaving a context while a kernel of it spins, and has begun to: it sets the word beside the flag. */
static void a_context_can_end_under_a_kernel(void **state)
{
    hri_cu_stream other = rig_stream();
    hri_cu_pointer flag = rig_device(8);
    volatile uint32_t *begun = rig_pinned(4);

    (void)state;
    *begun = 0;
    OK(cu.MemsetD32Async(flag, 0, 2, stream));
    rig_finish(stream);
    OK(launch("spin", 1, 1, (void *[]){&flag}));
    while (*begun == 0) {
        OK(cu.MemcpyDtoHAsync((void *)begun, flag + 4, 4, other));
        rig_finish(other);
    }
}

static void exit_under_a_kernel(void)
{
    open_all(NULL);
    a_context_can_end_under_a_kernel(NULL);
}

static void a_process_can_end_under_a_kernel(void **state)
{
    char said[4096];

    (void)state;
    if (rig_child("", exit_under_a_kernel, said, sizeof said) != 0)
        fail_msg("%s", said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_can_end_under_a_kernel),
        on_a_device(kernels_run_in_the_stream),
        on_a_device(a_kernel_holds_its_own_stream_alone),
        on_a_device(threads_of_a_block_meet),
        on_a_device(parameters_have_their_places),
        on_a_device(products_are_rounded),
        on_a_device(atomics),
        on_a_device(past_the_end),
        on_a_device(at_nothing),
        on_a_device(off_its_boundary),
        on_a_device(at_memory_of_the_host),
        on_a_device(at_a_variable_of_the_host),
        on_a_device(at_pinned_memory),
        on_a_device(launches_are_checked),
        on_a_device(a_context_can_end_under_a_kernel),
    };

    return cmocka_run_group_tests(tests, compile_all, drop_all);
}
