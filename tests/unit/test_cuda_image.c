/* Images of programs on their way to the CUDA driver, which is a few functions here: what is refused before it, what it
 * is given, and what its answers mean. */
#include "cuda/compile.h"
#include "kernels/kernels.h"

#include "core/registry.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct {
    int loads;
    hri_cu_result answer;
    char seen[64]; /* the first bytes of a cubin that was loaded */
    size_t length; /* of it as a text */
} driver;

static hri_cu_result push(hri_cu_context context)
{
    (void)context;
    return 0;
}

static hri_cu_result pop(hri_cu_context *context)
{
    *context = NULL;
    return 0;
}

static hri_cu_result load(hri_cu_module *module, const void *image, unsigned n, int *options, void **values)
{
    driver.loads++;
    driver.length = strlen(image);
    if (memcmp(image, ELFMAG, SELFMAG) == 0)
        memcpy(driver.seen, image, sizeof driver.seen);
    assert_int_equal(n, 2);
    assert_int_equal(options[0], HRI_CU_JIT_ERROR_BUFFER);
    assert_int_equal(options[1], HRI_CU_JIT_ERROR_BYTES);
    assert_true((uintptr_t)values[1] >= 1024);
    if (driver.answer == HRI_CU_SUCCESS)
        *module = (hri_cu_module)(uintptr_t)0x77;
    else
        strcpy(values[0], "line 7: what is this?");
    return driver.answer;
}

static hri_cu_result unload(hri_cu_module module)
{
    assert_int_equal((uintptr_t)module, 0x77);
    return 0;
}

static hri_cu_result name_of(hri_cu_result code, const char **name)
{
    (void)code;
    *name = "CUDA_ERROR_BY_NAME";
    return 0;
}

static hri_cu_result exchange(hri_cu_capture_mode *mode)
{
    (void)mode;
    return 0;
}

static const struct hri_cu functions = {
    .CtxPushCurrent = push,
    .CtxPopCurrent = pop,
    .ThreadExchangeStreamCaptureMode = exchange,
    .ModuleLoadDataEx = load,
    .ModuleUnload = unload,
    .GetErrorName = name_of,
    .GetErrorString = name_of,
};

static struct hrb_instance instance = {.services = &hri_services, .driver_version = 12040};
static struct hri_cu_device device = {
    .head.services = &hri_services, .cu = &functions, .instance = &instance, .info.name = "card"};

static int reset(void **state)
{
    (void)state;
    memset(&driver, 0, sizeof driver);
    return 0;
}

/* From memory that ends where the image does. */
static hr_status given(const void *image, size_t bytes)
{
    struct hrb_program *program = NULL;
    void *alone = malloc(bytes);
    hr_status st;

    assert_non_null(alone);
    memcpy(alone, image, bytes);
    st = hri_cu_program_load(&device.head, alone, bytes, &program);
    free(alone);
    assert_int_equal(program != NULL, st == HR_OK);
    if (program)
        hri_cu_program_destroy(program);
    return st;
}

static void refused(const void *image, size_t bytes, const char *why)
{
    assert_int_equal(given(image, bytes), HR_BUILD);
    if (!strstr(hr_last_error(), why))
        fail_msg("\"%s\" is not in: %s", why, hr_last_error());
    assert_int_equal(driver.loads, 0);
}

struct cubin {
    Elf64_Ehdr head;
    unsigned char code[100];
    Elf64_Shdr sections[3];
};

static struct cubin good_cubin(void)
{
    struct cubin cubin = {0};

    memcpy(cubin.head.e_ident, ELFMAG, SELFMAG);
    cubin.head.e_ident[EI_CLASS] = ELFCLASS64;
    cubin.head.e_shoff = offsetof(struct cubin, sections);
    cubin.head.e_shentsize = sizeof(Elf64_Shdr);
    cubin.head.e_shnum = 3;
    cubin.sections[1] =
        (Elf64_Shdr){.sh_type = SHT_PROGBITS, .sh_offset = offsetof(struct cubin, code), .sh_size = sizeof cubin.code};
    cubin.sections[2] = (Elf64_Shdr){.sh_type = SHT_NOBITS, .sh_offset = 1u << 20, .sh_size = 1u << 20};
    return cubin;
}

static void whole_cubins_go_to_the_driver(void **state)
{
    struct cubin cubin = good_cubin();

    (void)state;
    assert_int_equal(given(&cubin, sizeof cubin), HR_OK);
    assert_int_equal(driver.loads, 1);
    assert_memory_equal(driver.seen, &cubin, sizeof driver.seen);
}

static void cubins_that_speak_of_more_are_refused(void **state)
{
    struct cubin cubin = good_cubin();

    (void)state;
    for (size_t n = 4; n < sizeof cubin; n += 7)
        refused(&cubin, n, "cut off");
    cubin.sections[1].sh_size = sizeof cubin;
    refused(&cubin, sizeof cubin, "cut off");
    cubin.sections[1].sh_offset = UINT64_MAX;
    refused(&cubin, sizeof cubin, "cut off");
    cubin = good_cubin();
    cubin.head.e_shoff = UINT64_MAX;
    refused(&cubin, sizeof cubin, "cut off");
    cubin = good_cubin();
    cubin.head.e_shnum = 60000;
    refused(&cubin, sizeof cubin, "cut off");
    cubin = good_cubin();
    cubin.head.e_phnum = 60000;
    refused(&cubin, sizeof cubin, "cut off");
    cubin = good_cubin();
    cubin.head.e_ident[EI_CLASS] = ELFCLASS32;
    refused(&cubin, sizeof cubin, "cut off");
}

static void fatbins_are_measured(void **state)
{
    struct {
        uint32_t magic;
        uint16_t version, head;
        uint64_t body;
        char bytes[80];
    } fatbin = {0xBA55ED50u, 1, 16, 80, ""};

    (void)state;
    for (size_t n = 4; n < sizeof fatbin; n += 5)
        refused(&fatbin, n, "cut off");
    fatbin.head = 8;
    refused(&fatbin, sizeof fatbin, "cut off");
    fatbin.head = 16;
    assert_int_equal(given(&fatbin, sizeof fatbin), HR_OK);
    assert_int_equal(driver.loads, 1);
}

static void text_is_ended(void **state)
{
    static const char text[64] = "// a comment first\n.version 6.0\n.target sm_50\n";

    (void)state;
    assert_int_equal(given(text, strlen(text)), HR_OK);
    assert_int_equal(driver.length, strlen(text));
    assert_int_equal(given(text, strlen(text) + 1), HR_OK); /* with a NUL of its own */
    assert_int_equal(driver.length, strlen(text));
}

static void other_things_are_no_images(void **state)
{
    (void)state;
    refused("", 1, "no PTX");
    refused("hello", 5, "no PTX");
    refused("__kernel void f() {}", 20, "no PTX");
    refused(".version\0 6.0", 13, "no PTX");
    refused("\177EL", 3, "no PTX");
}

static void answers_with(hri_cu_result code, hr_status status, const char *part)
{
    driver.answer = code;
    assert_int_equal(given(".version 6.0", 12), status);
    if (!strstr(hr_last_error(), part))
        fail_msg("\"%s\" is not in: %s", part, hr_last_error());
}

static void the_drivers_words_are_passed_on(void **state)
{
    (void)state;
    answers_with(HRI_CU_INVALID_PTX, HR_BUILD, "line 7: what is this?");
    answers_with(HRI_CU_NO_BINARY_FOR_GPU, HR_BUILD, "CUDA_ERROR_BY_NAME");
    answers_with(HRI_CU_INVALID_IMAGE, HR_BUILD, "\"card\"");
    answers_with(HRI_CU_UNSUPPORTED_PTX_VERSION, HR_BUILD, "12.4");
    answers_with(HRI_CU_JIT_COMPILER_NOT_FOUND, HR_UNAVAILABLE, "libnvidia-ptxjitcompiler");
    answers_with(HRI_CU_OUT_OF_MEMORY, HR_NO_DEVICE_MEMORY, "PTX");
    answers_with(HRI_CU_ILLEGAL_ADDRESS, HR_DEVICE_LOST, "PTX");
}

static void the_librarys_kernels_are_an_image(void **state)
{
    struct hrb_program *program = NULL;

    (void)state;
    assert_int_equal(hri_cu_program_builtin(&device.head, &program), HR_OK);
    assert_int_equal(driver.length, strlen(hri_kernels_ptx));
    assert_true(((struct hri_cu_program *)program)->builtin);
    hri_cu_program_destroy(program);
    driver.answer = HRI_CU_INVALID_PTX;
    program = NULL;
    assert_int_equal(hri_cu_program_builtin(&device.head, &program), HR_BUILD);
    assert_null(program);
}

#define fresh(f) cmocka_unit_test_setup(f, reset)

int main(void)
{
    const struct CMUnitTest tests[] = {
        fresh(whole_cubins_go_to_the_driver),
        fresh(cubins_that_speak_of_more_are_refused),
        fresh(fatbins_are_measured),
        fresh(text_is_ended),
        fresh(other_things_are_no_images),
        fresh(the_drivers_words_are_passed_on),
        fresh(the_librarys_kernels_are_an_image),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
