/* What the CUDA backend reads and writes as text, without a driver: a program for NVRTC, signatures, options. */
#include "cuda/compile.h"
#include "cuda/signature.h"

#include "core/registry.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The text as it stands behind the prelude and the line that names it. */
static void translates(const char *source, const char *expected)
{
    char *text = hri_cu_dialect(source);
    const char *line = "#line 1 \"program\"\n";
    char *own = strstr(text, line);

    assert_non_null(own);
    assert_int_equal(strncmp(text, hri_cu_prelude, strlen(hri_cu_prelude)), 0);
    assert_string_equal(own + strlen(line), expected);
    free(text);
}

static void address_spaces_are_taken_out_in_place(void **state)
{
    (void)state;
    translates("kernel void f(__global uint *x, global uint *y) {}",
               "kernel void f(         uint *x,        uint *y) {}");
    translates("__local uint *p = 0; __local uint a[4 * 2]; local float x;",
               "        uint *p = 0; __local uint a[4 * 2]; local float x;");
    translates("float sum(__local float *p, local T *q)", "float sum(        float *p,       T *q)");
    translates("x = ((__local int *)p)[1]", "x = ((        int *)p)[1]");
    translates("__constant float t[2] = {1, 2};\nconstant int u;", "const      float t[2] = {1, 2};\nconst    int u;");
    translates("__constant const float t[1];const constant int u;",
               "           const float t[1];const          int u;");
    translates("private int k; __private int j;", "        int k;           int j;");
    translates("#define L __local\n__kernel void f(__global int *x)",
               "#define L __local\n__kernel void f(         int *x)");
}

static void other_text_is_left_alone(void **state)
{
    (void)state;
    translates("/* a global word */ // local\nint my_global, global_x; \"private\"",
               "/* a global word */ // local\nint my_global, global_x; \"private\"");
    translates("'\"' global 1.0e5f \"\\\" local\" /* open", "'\"'        1.0e5f \"\\\" local\" /* open");
    translates("\" no end\nglobal", "\" no end\n      ");
    translates("", "");
}

static void vector_literals_are_calls(void **state)
{
    (void)state;
    translates("v = (float4)(1, 2, 3, 4);", "v = hrfloat4(1, 2, 3, 4);");
    translates("v = ( uint2 ) (a);", "v = hruint2   (a);");
    translates("v = (float4)x + f(float4)", "v = (float4)x + f(float4)");
    translates("v = (float)(x) + (uint)(y)", "v = (float)(x) + (uint)(y)");
    translates("((uint4)(1)).x", "(hruint4(1)).x");
}

static const char text[] =
    "/* __kernel void no(int a) */\n"
    "__kernel void none(void) {}\n"
    "kernel void f(__global const float *restrict x, global uint *y, const uint n,\n"
    "              unsigned int plain, __local float *l, __constant float *c, float4 v, float w[4]) { (void)n; }\n"
    "#define MAKE(n) __kernel void make_##n(int a)\n"
    "MAKE(1) {}\n"
    "__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void g(struct pair p, int (*odd)[2]) {}\n"
    "__kernel void h() {}\n";

static void check(const struct hri_cu_param *param, enum hri_cu_param_kind kind, const char *type)
{
    assert_int_equal(param->kind, kind);
    assert_string_equal(param->type, type);
    assert_int_equal(param->bytes, 77); /* as it was */
}

static void a_texts_signatures_are_read(void **state)
{
    struct hri_cu_param p[8];
    char names[64];

    (void)state;
    for (int i = 0; i < 8; i++)
        p[i] = (struct hri_cu_param){.bytes = 77};
    assert_int_equal(hri_cu_params_text(text, "f", NULL), 8);
    assert_int_equal(hri_cu_params_text(text, "f", p), 8);
    check(&p[0], HRI_CU_PARAM_BUFFER, "float*");
    check(&p[1], HRI_CU_PARAM_BUFFER, "uint*");
    check(&p[2], HRI_CU_PARAM_SCALAR, "uint");
    check(&p[3], HRI_CU_PARAM_SCALAR, "unsigned int");
    check(&p[4], HRI_CU_PARAM_LOCAL, "float*");
    check(&p[5], HRI_CU_PARAM_BUFFER, "float*");
    check(&p[6], HRI_CU_PARAM_SCALAR, "float4");
    check(&p[7], HRI_CU_PARAM_BUFFER, "float*");
    assert_int_equal(hri_cu_params_text(text, "g", p), 2);
    check(&p[0], HRI_CU_PARAM_SCALAR, "struct pair");
    assert_int_equal(p[1].kind, HRI_CU_PARAM_BUFFER);
    assert_int_equal(hri_cu_params_text(text, "none", p), 0);
    assert_int_equal(hri_cu_params_text(text, "h", p), 0);
    assert_int_equal(hri_cu_params_text(text, "no", p), -1);
    assert_int_equal(hri_cu_params_text(text, "make_1", p), -1);
    assert_int_equal(hri_cu_params_text("", "f", p), -1);
    assert_int_equal(hri_cu_params_text("__kernel void f(int a", "f", p), 1); /* cut off: an end all the same */
    hri_cu_kernels_text(text, names, sizeof names);
    assert_string_equal(names, "none f g h");
    hri_cu_kernels_text(text, names, 7);
    assert_string_equal(names, "none f");
}

static const char ptx[] =
    ".version 8.0\n.target sm_90\n// .entry no(.param .u64 a)\n"
    ".visible .entry f(\n\t.param .u64 f_param_0,\n\t.param .u64 .ptr .global .align 4 x,\n"
    "\t.param .align 16 .b8 f_param_2[16],\n\t.param .u8 c,\n\t.param .f64 d,\n\t.param .b8 e[8]\n)\n"
    "{\n\tret;\n}\n"
    ".entry g\n{\n\tret;\n}\n.entry h()\n.maxntid 32\n{\n\tret;\n}\n";

static void ptxs_signatures_are_read(void **state)
{
    static const uint32_t bytes[] = {8, 8, 16, 1, 8, 8};
    static const enum hri_cu_param_kind kinds[] = {HRI_CU_PARAM_UNKNOWN, HRI_CU_PARAM_BUFFER, HRI_CU_PARAM_SCALAR,
                                                   HRI_CU_PARAM_SCALAR,  HRI_CU_PARAM_SCALAR, HRI_CU_PARAM_SCALAR};
    struct hri_cu_param p[6];
    char names[16];

    (void)state;
    assert_int_equal(hri_cu_params_ptx(ptx, "f", NULL), 6);
    assert_int_equal(hri_cu_params_ptx(ptx, "f", p), 6);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(p[i].bytes, bytes[i]);
        assert_int_equal(p[i].kind, kinds[i]);
        assert_string_equal(p[i].type, "");
    }
    assert_int_equal(hri_cu_params_ptx(ptx, "g", p), 0);
    assert_int_equal(hri_cu_params_ptx(ptx, "h", p), 0);
    assert_int_equal(hri_cu_params_ptx(ptx, "no", p), -1);
    assert_int_equal(hri_cu_params_ptx("", "f", p), -1);
    assert_int_equal(hri_cu_params_ptx(".entry f(.param .u32 a", "f", p), 1);
    hri_cu_kernels_ptx(ptx, names, sizeof names);
    assert_string_equal(names, "f g h");
}

static void reads(const char *given, int n, const char *first, const char *last)
{
    struct hri_cu_options options;

    assert_int_equal(hri_cu_options_read(&hri_services, given, &options), HR_OK);
    assert_int_equal(options.n, n);
    if (n > 0) {
        assert_string_equal(options.list[0], first);
        assert_string_equal(options.list[n - 1], last);
    }
    for (int i = 0; i < HRI_CU_OWN_OPTIONS; i++) /* there is room */
        options.list[options.n++] = "x";
    hri_cu_options_drop(&options);
}

static void options_are_told_apart(void **state)
{
    struct hri_cu_options options;

    (void)state;
    reads(NULL, 0, "", "");
    reads("", 0, "", "");
    reads("-DN=4", 1, "-DN=4", "-DN=4");
    reads("  -D N=4\t-I  some/folder -U X ", 3, "-DN=4", "-UX");
    reads("-cl-mad-enable -w -cl-std=CL1.2 -DT=float", 2, "-w", "-DT=float");
    assert_int_equal(hri_cu_options_read(&hri_services, "-DA -no-such-option", &options), HR_BUILD);
    assert_non_null(strstr(hr_last_error(), "\"-no-such-option\""));
    assert_int_equal(hri_cu_options_read(&hri_services, "-D", &options), HR_BUILD);
    assert_int_equal(hri_cu_options_read(&hri_services, "-cl-single-precision-constant", &options), HR_BUILD);
    assert_int_equal(hri_cu_options_read(&hri_services, "N=4", &options), HR_BUILD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(address_spaces_are_taken_out_in_place),
        cmocka_unit_test(other_text_is_left_alone),
        cmocka_unit_test(vector_literals_are_calls),
        cmocka_unit_test(a_texts_signatures_are_read),
        cmocka_unit_test(ptxs_signatures_are_read),
        cmocka_unit_test(options_are_told_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
