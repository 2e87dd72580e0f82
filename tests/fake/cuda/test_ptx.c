/* Simulated driver: PTX is interpreted, what is not known is refused with its line. */
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>

#define HEAD ".version 6.0\n.target sm_50\n.address_size 64\n"

static hri_cu_stream stream;
static hri_cu_module module;
static char log_text[512];

static hri_cu_result load(const char *text)
{
    int options[] = {HRI_CU_JIT_ERROR_BUFFER, HRI_CU_JIT_ERROR_BYTES};
    void *values[] = {log_text, (void *)sizeof log_text};

    log_text[0] = '\0';
    return cu.ModuleLoadDataEx(&module, text, 2, options, values);
}

static hri_cu_function function(const char *text, const char *name)
{
    hri_cu_function found;

    if (load(text) != 0)
        fail_msg("%s", log_text);
    OK(cu.ModuleGetFunction(&found, module, name));
    return found;
}

static int open_all(void **state)
{
    rig_open(state);
    stream = rig_stream();
    return 0;
}

static int close_all(void **state)
{
    cu.StreamDestroy(stream);
    return rig_close(state);
}

/* Every kind of thing at once: out[i] = in[i] * 3 - i for i < n, else nothing. */
static const char transform[] = HEAD "/* a comment\nof two lines */\n"
                                     ".visible .entry transform(\n"
                                     "    .param .u64 .ptr .global .align 4 in, // the source\n"
                                     "    .param .u64 out,\n"
                                     "    .param .u32 n)\n"
                                     "{\n"
                                     "    .reg .pred %p<2>;\n"
                                     "    .reg .u32 %i, %n, %x, %y;\n"
                                     "    .reg .u64 %a<3>;\n"
                                     "    mov.u32 %x, %ctaid.x;\n"
                                     "    mov.u32 %y, %ntid.x;\n"
                                     "    mov.u32 %i, %tid.x;\n"
                                     "    mad.lo.u32 %i, %x, %y, %i;\n"
                                     "    ld.param.u32 %n, [n];\n"
                                     "    setp.ge.u32 %p1, %i, %n;\n"
                                     "@%p1 bra done;\n"
                                     "    ld.param.u64 %a0, [in];\n"
                                     "    cvta.to.global.u64 %a0, %a0;\n"
                                     "    ld.param.u64 %a1, [out];\n"
                                     "    mul.wide.u32 %a2, %i, 4;\n"
                                     "    add.u64 %a0, %a0, %a2;\n"
                                     "    add.s64 %a1, %a1, %a2;\n"
                                     "    ld.global.u32 %x, [%a0];\n"
                                     "    mul.lo.u32 %x, %x, 3;\n"
                                     "    sub.s32 %x, %x, %i;\n"
                                     "    st.global.u32 [%a1+0], %x;\n"
                                     "done:\n"
                                     "    ret;\n"
                                     "}\n";

static void a_kernel_runs(void **state)
{
    enum { N = 100, BYTES = N * 4 };
    hri_cu_function kernel = function(transform, "transform");
    hri_cu_pointer in = rig_device(BYTES), out = rig_device(BYTES);
    uint32_t host[N], n = 90;

    (void)state;
    for (uint32_t i = 0; i < N; i++)
        host[i] = i * i;
    OK(cu.MemcpyHtoDAsync(in, host, BYTES, stream));
    OK(cu.MemsetD32Async(out, 1, N, stream));
    OK(cu.LaunchKernel(kernel, 4, 1, 1, 25, 1, 1, 0, stream, (void *[]){&in, &out, &n}, NULL));
    OK(cu.MemcpyDtoHAsync(host, out, BYTES, stream));
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(host[i], i < n ? i * i * 3 - i : 1);
    OK(cu.ModuleUnload(module));
    OK(cu.MemFree(in));
    OK(cu.MemFree(out));
}

static void parameters_have_their_places(void **state)
{
    hri_cu_function kernel = function(HEAD ".entry f(.param .u8 a, .param .u64 b, .param .align 16 .b8 c[24], "
                                           ".param .f32 d)\n{ ret; }\n",
                                      "f");
    static const size_t offsets[] = {0, 8, 16, 40}, sizes[] = {1, 8, 24, 4};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        size_t offset = 99, bytes = 99;

        OK(cu.FuncGetParamInfo(kernel, i, &offset, &bytes));
        assert_int_equal(offset, offsets[i]);
        assert_int_equal(bytes, sizes[i]);
    }
    FAILS(HRI_CU_INVALID_VALUE, cu.FuncGetParamInfo(kernel, 4, &(size_t){0}, NULL));
    OK(cu.ModuleUnload(module));
}

/* Runs instructions on %a (64 bits, from the parameter), whose result is in %r of a type. */
static uint64_t compute(const char *type, const char *instructions, uint64_t value)
{
    hri_cu_pointer device = rig_device(8);
    hri_cu_function kernel;
    uint64_t result = 0;
    char text[2048];

    snprintf(text, sizeof text,
             HEAD ".entry f(.param .u64 out, .param .u64 value)\n{\n"
                  ".reg .%s %%r; .reg .u64 %%out, %%a, %%b; .reg .u32 %%w, %%v; .reg .u16 %%h; .reg .pred %%p, %%q;\n"
                  ".reg .f32 %%f, %%g; .reg .f64 %%d;\n"
                  "ld.param.u64 %%out, [out]; ld.param.u64 %%a, [value]; ld.param.u32 %%w, [value]; %s\n"
                  "st.global.%s [%%out], %%r; ret; }\n",
             type, instructions, type);
    kernel = function(text, "f");
    OK(cu.MemsetD8Async(device, 0, 8, stream));
    OK(cu.LaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, (void *[]){&device, &value}, NULL));
    OK(cu.MemcpyDtoHAsync(&result, device, 8, stream));
    OK(cu.ModuleUnload(module));
    OK(cu.MemFree(device));
    return result;
}

static uint32_t bits(float value)
{
    uint32_t word;

    memcpy(&word, &value, sizeof word);
    return word;
}

static void integers(void **state)
{
    const uint64_t minus7 = 0xfffffff9u;

    (void)state;
    assert_int_equal(compute("u32", "add.u32 %r, %w, 2;", 0xffffffff), 1);
    assert_int_equal(compute("u32", "sub.u32 %r, %w, 3;", 2), 0xffffffff);
    assert_int_equal(compute("u32", "mul.hi.u32 %r, %w, %w;", 0x10000000), 0x1000000);
    assert_int_equal(compute("s32", "mul.hi.s32 %r, %w, 2;", minus7), 0xffffffff);
    assert_int_equal(compute("u64", "mul.wide.u32 %r, %w, %w;", 0xffffffff), 0xfffffffe00000001);
    assert_int_equal(compute("s64", "mul.wide.s32 %r, %w, 3;", minus7), (uint64_t)-21);
    assert_int_equal(compute("u64", "mad.wide.u32 %r, %w, 4, %a;", 10), 50);
    assert_int_equal(compute("u64", "mul.hi.u64 %r, %a, 16;", 1ull << 63), 8);
    assert_int_equal(compute("s32", "div.s32 %r, %w, 2;", minus7), (uint32_t)-3);
    assert_int_equal(compute("u32", "div.u32 %r, %w, 2;", minus7), 0x7ffffffc);
    assert_int_equal(compute("s32", "rem.s32 %r, %w, 4;", minus7), (uint32_t)-3);
    assert_int_equal(compute("s32", "min.s32 %r, %w, 3;", minus7), minus7);
    assert_int_equal(compute("u32", "min.u32 %r, %w, 3;", minus7), 3);
    assert_int_equal(compute("s32", "abs.s32 %r, %w;", minus7), 7);
    assert_int_equal(compute("b32", "shl.b32 %r, %w, 33;", 1), 0);
    assert_int_equal(compute("s32", "shr.s32 %r, %w, 1;", minus7), (uint32_t)-4);
    assert_int_equal(compute("u32", "shr.u32 %r, %w, 1;", minus7), 0x7ffffffc);
    assert_int_equal(compute("s64", "shr.s64 %r, %a, 1;", (uint64_t)-7), (uint64_t)-4);
    assert_int_equal(compute("b32", "and.b32 %r, %w, 0xf0; not.b32 %r, %r;", 0xff), 0xffffff0f);
    assert_int_equal(compute("u32", "setp.lt.s32 %p, %w, 0; selp.u32 %r, 5, 6, %p;", minus7), 5);
    assert_int_equal(compute("u32", "setp.lt.u32 %p, %w, 0; selp.u32 %r, 5, 6, %p;", minus7), 6);
    assert_int_equal(compute("u32", "mov.u32 %r, 1; setp.eq.u64 %p, %a, 9; @!%p mov.u32 %r, 2;", 9), 1);
    assert_int_equal(
        compute("u32", "mov.u32 %r, 0; more: add.u32 %r, %r, 1; setp.ne.u32 %p, %r, %w; @%p bra more;", 50), 50);
}

static void conversions(void **state)
{
    (void)state;
    assert_int_equal(compute("u64", "cvt.u64.u32 %r, %w;", 0xfffffffe), 0xfffffffe);
    assert_int_equal(compute("s64", "cvt.s64.s32 %r, %w;", 0xfffffffe), (uint64_t)-2);
    assert_int_equal(compute("u32", "cvt.u32.u64 %r, %a;", 0x123456789), 0x23456789);
    assert_int_equal(compute("u32", "cvt.u32.u8 %r, %w;", 0x1ff), 0xff);
    assert_int_equal(compute("s32", "cvt.s32.s8 %r, %w;", 0x1ff), 0xffffffff);
    assert_int_equal(compute("u32", "cvt.sat.u8.s32 %r, %w;", 300), 255);
    assert_int_equal(compute("u32", "cvt.sat.u8.s32 %r, %w;", (uint32_t)-5), 0);
    assert_int_equal(compute("f32", "cvt.rn.f32.u32 %r, %w;", 7), bits(7));
    assert_int_equal(compute("f32", "cvt.rn.f32.s32 %r, %w;", (uint32_t)-7), bits(-7));
    assert_int_equal(compute("u32", "mov.f32 %f, 0f40200000; cvt.rni.u32.f32 %r, %f;", 0), 2);
    assert_int_equal(compute("u32", "mov.f32 %f, 0f40200000; cvt.rpi.u32.f32 %r, %f;", 0), 3);
    assert_int_equal(compute("u32", "mov.f32 %f, 0fc0200000; cvt.rzi.u32.f32 %r, %f;", 0), 0);
}

static void reals(void **state)
{
    (void)state;
    assert_int_equal(compute("f32", "mov.b32 %f, %w; add.f32 %r, %f, 0f3f800000;", bits(2.5f)), bits(3.5f));
    assert_int_equal(
        compute("f32", "mov.b32 %f, %w; mul.rn.f32 %g, %f, %f; sub.rn.f32 %r, %g, 0f3f801000;", bits(1 + 0x1p-12f)),
        bits(0));
    assert_int_equal(compute("f32", "mov.b32 %f, %w; fma.rn.f32 %r, %f, %f, 0fbf801000;", bits(1 + 0x1p-12f)),
                     bits(0x1p-24f));
    assert_int_equal(compute("f32", "mov.b32 %f, %w; div.rn.f32 %r, %f, 0f40400000;", bits(1)), bits(1.0f / 3));
    assert_int_equal(compute("f32", "mov.b32 %f, %w; sqrt.rn.f32 %r, %f;", bits(2)), 0x3fb504f3);
    assert_int_equal(compute("u32", "mov.b32 %f, %w; setp.ge.f32 %p, %f, %f; selp.u32 %r, 1, 0, %p;", 0x7fc00000), 0);
}

/* Rows of one to sixteen bytes, as gathers move them. */
static void vectors_and_small_words(void **state)
{
    hri_cu_function kernel = function(HEAD ".entry f(.param .u64 x)\n{\n"
                                           ".reg .u64 %x; .reg .u32 %a, %b, %c, %d; .reg .u16 %h;\n"
                                           "ld.param.u64 %x, [x];\n"
                                           "ld.global.v4.u32 {%a, %b, %c, %d}, [%x];\n"
                                           "st.global.v4.u32 [%x+16], {%d, %c, %b, %a};\n"
                                           "ld.global.v2.u32 {%a, %b}, [%x+8];\n"
                                           "st.global.v2.u32 [%x+32], {%a, %b};\n"
                                           "ld.global.u8 %h, [%x+1]; st.global.u8 [%x+41], %h;\n"
                                           "ld.global.u16 %h, [%x+2]; st.global.u16 [%x+44], %h;\n"
                                           "ld.global.s8 %a, [%x+3]; st.global.u32 [%x+48], %a;\n"
                                           "ret; }\n",
                                      "f");
    hri_cu_pointer device = rig_device(64);
    uint8_t host[64];

    (void)state;
    for (unsigned i = 0; i < 64; i++)
        host[i] = (uint8_t)(i < 16 ? i + 0xf0 : 0);
    OK(cu.MemcpyHtoDAsync(device, host, 64, stream));
    OK(cu.LaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, (void *[]){&device}, NULL));
    OK(cu.MemcpyDtoHAsync(host, device, 64, stream));
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(host[16 + i], host[12 - i / 4 * 4 + i % 4]);
    assert_memory_equal(host + 32, host + 8, 8);
    assert_int_equal(host[40], 0);
    assert_int_equal(host[41], 0xf1);
    assert_int_equal(host[42], 0);
    assert_int_equal(host[44], 0xf2);
    assert_int_equal(host[45], 0xf3);
    assert_int_equal(host[48], 0xf3);
    assert_int_equal(host[51], 0xff);
    OK(cu.ModuleUnload(module));
    OK(cu.MemFree(device));
}

static void barriers_and_atomics(void **state)
{
    hri_cu_function kernel = function(HEAD ".entry f(.param .u64 x)\n{\n"
                                           ".reg .u64 %x; .reg .u32 %t, %a; .reg .pred %p;\n"
                                           "ld.param.u64 %x, [x]; mov.u32 %t, %tid.x;\n"
                                           "red.global.add.u32 [%x], 1;\n"
                                           "bar.sync 0;\n"
                                           "ld.volatile.global.u32 %a, [%x];\n"
                                           "setp.eq.u32 %p, %a, %ntid.x;\n"
                                           "@%p atom.global.add.u32 %a, [%x+4], 1;\n"
                                           "ret; }\n",
                                      "f");
    hri_cu_pointer device = rig_device(8);
    uint32_t host[2] = {0, 0};

    (void)state;
    OK(cu.MemcpyHtoDAsync(device, host, 8, stream));
    OK(cu.LaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, (void *[]){&device}, NULL));
    OK(cu.MemcpyDtoHAsync(host, device, 8, stream));
    assert_int_equal(host[0], 32);
    assert_int_equal(host[1], 32); /* all came to the barrier before one went on */
    OK(cu.ModuleUnload(module));
    OK(cu.MemFree(device));
}

static void faults(hri_cu_pointer device, hri_cu_result code)
{
    hri_cu_function kernel = function(HEAD ".entry f(.param .u64 x)\n{ .reg .u64 %x; .reg .u32 %a;\n"
                                           "ld.param.u64 %x, [x]; ld.global.u32 %a, [%x]; ret; }\n",
                                      "f");
    hri_cu_event event = rig_event(HRI_CU_EVENT_DISABLE_TIMING);

    OK(cu.LaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, (void *[]){&device}, NULL));
    OK(cu.EventRecord(event, stream));
    FAILS(code, cu.EventSynchronize(event));
}

static void past_the_end(void **state)
{
    (void)state;
    faults(rig_device(12) + 12, HRI_CU_ILLEGAL_ADDRESS);
}

static void off_its_boundary(void **state)
{
    (void)state;
    faults(rig_device(12) + 2, HRI_CU_MISALIGNED_ADDRESS);
}

static void at_memory_of_the_host(void **state)
{
    static uint32_t host;

    (void)state;
    faults((uintptr_t)&host, HRI_CU_ILLEGAL_ADDRESS);
}

static void a_loop_ends_with_its_context(void **state)
{
    hri_cu_function kernel = function(HEAD ".entry f()\n{ again: bra.uni again; }\n", "f");

    (void)state;
    OK(cu.LaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
}

static void refused(const char *text, const char *why)
{
    hri_cu_result code = load(text);

    if (code != HRI_CU_INVALID_PTX || !strstr(log_text, why))
        fail_msg("%d \"%s\" for %s", code, log_text, text);
}

#define BODY(text) HEAD ".entry f(.param .u64 x)\n{\n.reg .u64 %x; .reg .u32 %a, %b; .reg .pred %p;\n" text "\n}\n"

static void what_is_not_known_is_refused(void **state)
{
    (void)state;
    refused(BODY("tex.2d.v4.u32.f32 {%a}, [%x]; ret;"), "line 7: this instruction is not known here: \"tex");
    refused(BODY("add.u32 %a, %b; ret;"), "\",\" is missing");
    refused(BODY("add.u32 %a, %b, %x; ret;"), "does not take the type of \"%x\"");
    refused(BODY("add.b32 %a, %b, %b; ret;"), "has to be a number's");
    refused(BODY("and.u32 %a, %b, %b; ret;"), "has to be bits");
    refused(BODY("mul.u32 %a, %b, %b; ret;"), "lo, hi or wide");
    refused(BODY("ld.u32 %a, [%x]; ret;"), "no space");
    refused(BODY("ld.global.u32 %a, [%b]; ret;"), "does not take the type of \"%b\"");
    refused(BODY("ld.global.u64 %a, [%x]; ret;"), "does not take the type of \"%a\"");
    refused(BODY("ld.param.u64 %x, [y]; ret;"), "no parameter \"y\"");
    refused(BODY("ld.param.u64 %x, [x+4]; ret;"), "shorter");
    refused(BODY("mov.u32 %c, 1; ret;"), "no register \"%c\"");
    refused(BODY("bra nowhere; ret;"), "no label \"nowhere\"");
    refused(BODY("@%a bra nowhere; ret;"), "no predicate");
    refused(BODY("mov.u32 %a, 1;"), "end by ret");
    refused(BODY("setp.u32 %p, %a, %b; ret;"), "no comparison");
    refused(BODY(".reg .u32 %a; ret;"), "there already");
    refused(BODY("bar.sync 1; ret;"), "barrier 0");
    refused(BODY("mov.u32 %a, 1 ret;"), "\";\" is missing");
    refused(HEAD ".shared .b8 x[16];\n", "not known here: \".shared\"");
    refused(".version 6.0\n.entry f() { ret; }\n", "no .target");
    refused(".version six\n", "no .version");
    refused(".version 6.0\n.target sm_50\n.address_size 32\n", "64 bits");
    FAILS(HRI_CU_NO_BINARY_FOR_GPU, load(".version 6.0\n.target sm_100\n.address_size 64\n"));
    FAILS(HRI_CU_UNSUPPORTED_PTX_VERSION, load(".version 9.1\n.target sm_50\n"));
    OK(load(".version 9.0\n.target sm_90\n.address_size 64\n"));
    OK(cu.ModuleUnload(module));
}

#define on_a_device(f) cmocka_unit_test_setup_teardown(f, open_all, close_all)

int main(void)
{
    const struct CMUnitTest tests[] = {
        on_a_device(a_kernel_runs),
        on_a_device(parameters_have_their_places),
        on_a_device(integers),
        on_a_device(conversions),
        on_a_device(reals),
        on_a_device(vectors_and_small_words),
        on_a_device(barriers_and_atomics),
        on_a_device(past_the_end),
        on_a_device(off_its_boundary),
        on_a_device(at_memory_of_the_host),
        on_a_device(a_loop_ends_with_its_context),
        on_a_device(what_is_not_known_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
