/* What the tests of the simulated NVRTC share. */
#include "programs.h"

#include <dlfcn.h>
#include <stdlib.h>

struct hri_nvrtc nvrtc;
const char *(*error_string)(int);
hri_cu_module module;
hri_cu_stream stream;
static char *image; /* of the source, for the device */

const char source[] = "typedef unsigned int uint;\n"
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
                      "KERNEL void spin(volatile uint *flag) { flag[1] = 1; while (flag[0] == 0) { } }\n"
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

int compile(const char *text, const char *option, hri_nvrtc_program *program)
{
    const char *const options[] = {"--fmad=false", option};

    OK(nvrtc.CreateProgram(program, text, "program", 0, NULL, NULL));
    return nvrtc.CompileProgram(*program, 2, options);
}

char *log_of(hri_nvrtc_program program)
{
    size_t bytes = 0;
    char *log;

    OK(nvrtc.GetProgramLogSize(program, &bytes));
    log = malloc(bytes);
    OK(nvrtc.GetProgramLog(program, log));
    return log;
}

char *cubin_of(hri_nvrtc_program program)
{
    size_t bytes = 0;
    char *cubin;

    OK(nvrtc.GetCUBINSize(program, &bytes));
    assert_true(bytes > 0);
    cubin = malloc(bytes);
    OK(nvrtc.GetCUBIN(program, cubin));
    return cubin;
}

char *ptx_of(hri_nvrtc_program program)
{
    size_t bytes = 0;
    char *ptx;

    OK(nvrtc.GetPTXSize(program, &bytes));
    ptx = malloc(bytes);
    OK(nvrtc.GetPTX(program, ptx));
    assert_int_equal(strlen(ptx) + 1, bytes);
    return ptx;
}

hri_cu_result load(const void *code, hri_cu_module *made, char *log, size_t room)
{
    int options[] = {HRI_CU_JIT_ERROR_BUFFER, HRI_CU_JIT_ERROR_BYTES};
    void *values[] = {log, (void *)room};

    return cu.ModuleLoadDataEx(made, code, 2, options, values);
}

hri_cu_function function(const char *name)
{
    hri_cu_function found;

    OK(cu.ModuleGetFunction(&found, module, name));
    return found;
}

hri_cu_result launch(const char *name, unsigned grid, unsigned block, void **params)
{
    return cu.LaunchKernel(function(name), grid, 1, 1, block, 1, 1, 0, stream, params, NULL);
}

int compile_all(void **state)
{
    hri_nvrtc_program program;

    (void)state;
    load_nvrtc();
    if (compile(source, "-arch=sm_90", &program) != 0)
        fail_msg("%s", log_of(program));
    image = cubin_of(program);
    OK(nvrtc.DestroyProgram(&program));
    return 0;
}

int drop_all(void **state)
{
    (void)state;
    free(image);
    return 0;
}

int open_all(void **state)
{
    char log[256];

    rig_open(state);
    stream = rig_stream();
    OK(load(image, &module, log, sizeof log));
    return 0;
}

int close_all(void **state)
{
    cu.ModuleUnload(module);
    cu.StreamDestroy(stream);
    return rig_close(state);
}
