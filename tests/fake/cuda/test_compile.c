/* Simulated NVRTC: programs become images that the simulated driver runs, in the order of their stream. */
#include "cuda/nvrtc.h"
#include "rig.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1000, BYTES = N * 4 };

static struct hri_nvrtc nvrtc;
static const char *(*error_string)(int);

static const char source[] = "typedef unsigned int uint;\n"
                             "#define min my_min /* as a prelude may have it */\n"
                             "#define KERNEL extern \"C\" __global__\n"
                             "KERNEL void add(uint *x, uint by, uint n)\n"
                             "{\n"
                             "    uint i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < n) x[i] += by;\n"
                             "}\n"
                             "KERNEL void wait_for(volatile const uint *flag, uint *out, unsigned long limit)\n"
                             "{\n"
                             "    unsigned long i = 0;\n"
                             "    while (flag[0] == 0 && i < limit) i++;\n"
                             "    out[0] = i < limit ? 1 : 2;\n"
                             "}\n"
                             "KERNEL void reverse(uint *x)\n"
                             "{\n"
                             "    __shared__ uint part[64];\n"
                             "    uint *own = x + blockIdx.x * blockDim.x;\n"
                             "    part[threadIdx.x] = own[threadIdx.x];\n"
                             "    __syncthreads();\n"
                             "    own[threadIdx.x] = part[blockDim.x - 1 - threadIdx.x];\n"
                             "}\n"
                             "KERNEL void many(unsigned char a, double b, float4 c, uint *out, short d)\n"
                             "{\n"
                             "    out[0] = a; out[1] = (uint)b; out[2] = (uint)c.w; out[3] = (uint)(int)d;\n"
                             "}\n"
                             "KERNEL void fused(float *x) { x[0] = x[1] * x[2] + x[3]; }\n"
                             "KERNEL void count(uint *x) { uint old[2]; old[threadIdx.x & 1] = atomicAdd(x, 2u);\n"
                             "    atomicMax(x + 1, old[threadIdx.x & 1]); }\n"
                             "KERNEL void wild(uint *x, unsigned long offset) { x[offset] = 1; }\n"
                             "__global__ void mangled(uint *x) { x[0] = 1; }\n";

static hri_cu_module module;
static hri_cu_stream stream;

static void load_nvrtc(void)
{
    void *library = dlopen("libnvrtc.so.13", RTLD_NOW | RTLD_LOCAL), *symbol;

    if (!library)
        fail_msg("%s", dlerror());
#define LOAD(name, parameters)                                                                                         \
    symbol = dlsym(library, "nvrtc" #name);                                                                            \
    assert_non_null(symbol);                                                                                           \
    memcpy(&nvrtc.name, &symbol, sizeof symbol);
    HRI_NVRTC_SYMBOLS(LOAD)
#undef LOAD
    symbol = dlsym(library, "nvrtcGetErrorString");
    memcpy(&error_string, &symbol, sizeof symbol);
}

/* The code of a compilation; the program is kept. */
static int compile(const char *text, const char *option, hri_nvrtc_program *program)
{
    const char *const options[] = {"--fmad=false", option};

    OK(nvrtc.CreateProgram(program, text, "program", 0, NULL, NULL));
    return nvrtc.CompileProgram(*program, 2, options);
}

static char *log_of(hri_nvrtc_program program)
{
    size_t bytes = 0;
    char *log;

    OK(nvrtc.GetProgramLogSize(program, &bytes));
    log = malloc(bytes);
    OK(nvrtc.GetProgramLog(program, log));
    return log;
}

static char *cubin_of(hri_nvrtc_program program)
{
    size_t bytes = 0;
    char *cubin;

    OK(nvrtc.GetCUBINSize(program, &bytes));
    assert_true(bytes > 0);
    cubin = malloc(bytes);
    OK(nvrtc.GetCUBIN(program, cubin));
    return cubin;
}

static char *ptx_of(hri_nvrtc_program program)
{
    size_t bytes = 0;
    char *ptx;

    OK(nvrtc.GetPTXSize(program, &bytes));
    ptx = malloc(bytes);
    OK(nvrtc.GetPTX(program, ptx));
    assert_int_equal(strlen(ptx) + 1, bytes);
    return ptx;
}

static hri_cu_result load(const void *image, hri_cu_module *made, char *log, size_t room)
{
    int options[] = {HRI_CU_JIT_ERROR_BUFFER, HRI_CU_JIT_ERROR_BYTES};
    void *values[] = {log, (void *)room};

    return cu.ModuleLoadDataEx(made, image, 2, options, values);
}

static hri_cu_function function(const char *name)
{
    hri_cu_function found;

    OK(cu.ModuleGetFunction(&found, module, name));
    return found;
}

static hri_cu_result launch(const char *name, unsigned grid, unsigned block, void **params)
{
    return cu.LaunchKernel(function(name), grid, 1, 1, block, 1, 1, 0, stream, params, NULL);
}

static int open_all(void **state)
{
    hri_nvrtc_program program;
    char *cubin, log[256];

    load_nvrtc();
    rig_open(state);
    stream = rig_stream();
    if (compile(source, "-arch=sm_90", &program) != 0)
        fail_msg("%s", log_of(program));
    cubin = cubin_of(program);
    OK(load(cubin, &module, log, sizeof log));
    free(cubin);
    OK(nvrtc.DestroyProgram(&program));
    return 0;
}

static int close_all(void **state)
{
    cu.ModuleUnload(module);
    cu.StreamDestroy(stream);
    return rig_close(state);
}

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

/* Leaving a context while a kernel of it spins. */
static void a_context_can_end_under_a_kernel(void **state)
{
    hri_cu_pointer flag = rig_device(4), out = rig_device(4);
    unsigned long limit = ~0ul;

    (void)state;
    OK(cu.MemsetD32Async(flag, 0, 1, stream));
    OK(launch("wait_for", 1, 1, (void *[]){&flag, &out, &limit}));
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

/* -- the compiler's own
 * ------------------------------------------------------------------------------------------------ */

static void errors_come_with_a_log(void **state)
{
    hri_nvrtc_program program;
    char *log;

    (void)state;
    assert_int_equal(compile("extern \"C\" __global__ void f() {\n  no_such_thing = 1;\n}\n", "-arch=sm_90", &program),
                     HRI_NVRTC_COMPILATION);
    log = log_of(program);
    if (!strstr(log, "program(2): error") || !strstr(log, "no_such_thing"))
        fail_msg("%s", log);
    free(log);
    OK(nvrtc.DestroyProgram(&program));
    assert_null(program);
    assert_string_equal(error_string(HRI_NVRTC_COMPILATION), "NVRTC_ERROR_COMPILATION");
}

static void options_are_read(void **state)
{
    hri_nvrtc_program program;
    char *log;

    (void)state;
    assert_int_equal(compile(source, "-no-such-option", &program), HRI_NVRTC_INVALID_OPTION);
    log = log_of(program);
    assert_non_null(strstr(log, "-no-such-option"));
    free(log);
    OK(nvrtc.DestroyProgram(&program));
    assert_int_equal(compile(source, "--gpu-architecture=sm_91", &program), HRI_NVRTC_INVALID_OPTION);
    OK(nvrtc.DestroyProgram(&program));
    assert_int_equal(compile("#if N != 4\n#error N\n#endif\n", "-DN=4", &program), 0);
    OK(nvrtc.DestroyProgram(&program));
    assert_int_equal(compile("#if N != 4\n#error wrong N\n#endif\n", "-DN=5", &program), HRI_NVRTC_COMPILATION);
    OK(nvrtc.DestroyProgram(&program));
}

static void ptx_stands_for_the_same_program(void **state)
{
    hri_nvrtc_program program;
    hri_cu_module cubin = module, made;
    size_t bytes = 1;
    char *ptx, log[256];

    (void)state;
    OK(compile(source, "-arch=compute_80", &program));
    OK(nvrtc.GetCUBINSize(program, &bytes));
    assert_int_equal(bytes, 0);
    ptx = ptx_of(program);
    assert_non_null(
        strstr(ptx, ".visible .entry add(\n\t.param .u64 .ptr .align 1 add_param_0,\n\t.param .u32 add_param_1"));
    OK(load(ptx, &made, log, sizeof log));
    free(ptx);
    OK(nvrtc.DestroyProgram(&program));
    module = made;
    atomics(NULL);
    module = cubin;
    OK(cu.ModuleUnload(made));
}

static void images_for_others_are_refused(void **state)
{
    hri_nvrtc_program program;
    hri_cu_module made = NULL;
    char *image, log[256];

    (void)state;
    OK(compile(source, "-arch=sm_80", &program));
    image = cubin_of(program);
    FAILS(HRI_CU_NO_BINARY_FOR_GPU, load(image, &made, log, sizeof log));
    assert_non_null(strstr(log, "another architecture"));
    free(image);
    OK(nvrtc.DestroyProgram(&program));
    OK(compile(source, "-arch=compute_120", &program));
    image = ptx_of(program);
    FAILS(HRI_CU_NO_BINARY_FOR_GPU, load(image, &made, log, sizeof log));
    free(image);
    OK(nvrtc.DestroyProgram(&program));
    FAILS(HRI_CU_INVALID_IMAGE, load("what is this?", &made, log, sizeof log));
    FAILS(HRI_CU_UNSUPPORTED_PTX_VERSION, load(".version 9.9\n", &made, log, sizeof log));
    assert_non_null(strstr(log, "9.0"));
    assert_null(made);
}

#define on_a_device(f) cmocka_unit_test_setup_teardown(f, open_all, close_all)

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
        on_a_device(errors_come_with_a_log),
        on_a_device(options_are_read),
        on_a_device(ptx_stands_for_the_same_program),
        on_a_device(images_for_others_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
