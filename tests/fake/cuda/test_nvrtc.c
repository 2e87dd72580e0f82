/* Simulated NVRTC: options, logs, and the images that come out of it. */
#include "programs.h"

#include <stdlib.h>

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
    hri_cu_pointer device = rig_device(4);
    uint32_t by = 5, n = 1, back = 0;
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
    OK(cu.MemsetD32Async(device, 1, 1, stream));
    OK(launch("add", 1, 1, (void *[]){&device, &by, &n}));
    OK(cu.MemcpyDtoHAsync(&back, device, 4, stream));
    assert_int_equal(back, 6);
    OK(cu.MemFree(device));
    module = cubin;
    OK(cu.ModuleUnload(made));
}

static void images_for_others_are_refused(void **state)
{
    hri_nvrtc_program program;
    hri_cu_module made = NULL;
    char *other, log[256];

    (void)state;
    OK(compile(source, "-arch=sm_80", &program));
    other = cubin_of(program);
    FAILS(HRI_CU_NO_BINARY_FOR_GPU, load(other, &made, log, sizeof log));
    assert_non_null(strstr(log, "another architecture"));
    free(other);
    OK(nvrtc.DestroyProgram(&program));
    OK(compile(source, "-arch=compute_120", &program));
    other = ptx_of(program);
    FAILS(HRI_CU_NO_BINARY_FOR_GPU, load(other, &made, log, sizeof log));
    free(other);
    OK(nvrtc.DestroyProgram(&program));
    FAILS(HRI_CU_INVALID_IMAGE, load("what is this?", &made, log, sizeof log));
    FAILS(HRI_CU_UNSUPPORTED_PTX_VERSION, load(".version 9.9\n", &made, log, sizeof log));
    assert_non_null(strstr(log, "9.0"));
    assert_null(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_a_device(errors_come_with_a_log),
        on_a_device(options_are_read),
        on_a_device(ptx_stands_for_the_same_program),
        on_a_device(images_for_others_are_refused),
    };

    return cmocka_run_group_tests(tests, compile_all, drop_all);
}
