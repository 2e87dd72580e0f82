/* Programs that were compiled before: PTX text, cubins and fatbins, and the library's own in PTX. */
#include "cuda/compile.h"
#include "kernels/kernels.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_IN_MESSAGE 600

enum image_kind { IMAGE_PTX, IMAGE_CUBIN, IMAGE_FATBIN, IMAGE_UNKNOWN };

/* The head of a fatbin. */
struct fatbin {
    uint32_t magic;
    uint16_t version;
    uint16_t head_bytes;
    uint64_t body_bytes;
};

#define FATBIN_MAGIC 0xBA55ED50u

/* What the driver finds wrong with an image itself. */
static bool is_about_image(hri_cu_result code)
{
    return code == HRI_CU_INVALID_IMAGE || code == HRI_CU_NO_BINARY_FOR_GPU || code == HRI_CU_INVALID_PTX ||
           code == HRI_CU_UNSUPPORTED_PTX_VERSION || code == HRI_CU_INVALID_SOURCE;
}

static hr_status load_failure(const struct hri_cu_device *device, hri_cu_result code, const char *what, const char *log)
{
    const struct hrb_services *services = device->head.services;
    const char *name = NULL;

    if (code == HRI_CU_JIT_COMPILER_NOT_FOUND)
        return services->fail(HR_UNAVAILABLE, code,
                              "%s cannot be loaded: the driver lacks its PTX compiler (libnvidia-ptxjitcompiler.so.1): "
                              "install it with the driver",
                              what);
    if (!is_about_image(code))
        return hri_cu_fail(device, HRI_CU_CALL, code, "%s cannot be loaded", what);
    if (device->cu->GetErrorName(code, &name) != HRI_CU_SUCCESS || !name)
        name = "a code of the driver's own";
    return services->fail(HR_BUILD, code, "\"%s\" does not take %s: CUDA %d.%d says %s%s%.*s", device->info.name, what,
                          device->instance->driver_version / 1000, device->instance->driver_version % 1000 / 10, name,
                          log[0] ? ":\n" : "", LOG_IN_MESSAGE, log);
}

hr_status hri_cu_module_load(const struct hri_cu_device *device, const char *image, const char *what,
                             hri_cu_module *module)
{
    char log[4096] = "";
    int options[] = {HRI_CU_JIT_ERROR_BUFFER, HRI_CU_JIT_ERROR_BYTES};
    void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
    hri_cu_module loaded = NULL;
    hri_cu_result code;
    hr_status st = hri_cu_enter(device);

    if (st != HR_OK)
        return st;
    code = device->cu->ModuleLoadDataEx(&loaded, image, 2, options, values);
    hri_cu_leave(device);
    if (code == HRI_CU_SUCCESS) {
        *module = loaded;
        return HR_OK;
    }
    if (log[0])
        device->head.services->log(HRB_LOG_INFO, "log of \"%s\" on loading %s:\n%s", device->info.name, what, log);
    return load_failure(device, code, what, log);
}

static bool section_is_inside(const Elf64_Shdr *section, uint64_t bytes)
{
    return section->sh_type == SHT_NOBITS || section->sh_type == SHT_NULL ||
           (section->sh_offset <= bytes && section->sh_size <= bytes - section->sh_offset);
}

/* All that the file's tables speak of is in it. The driver is told no length: it would read on. */
static bool elf_is_whole(const unsigned char *image, uint64_t bytes)
{
    Elf64_Ehdr head;
    Elf64_Shdr section;

    if (bytes < sizeof head)
        return false;
    memcpy(&head, image, sizeof head);
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shentsize != sizeof section || head.e_shoff > bytes ||
        head.e_shnum > (bytes - head.e_shoff) / sizeof section || head.e_phoff > bytes ||
        head.e_phnum > (bytes - head.e_phoff) / sizeof(Elf64_Phdr))
        return false;
    for (uint64_t i = 0; i < head.e_shnum; i++) {
        memcpy(&section, image + head.e_shoff + i * sizeof section, sizeof section);
        if (!section_is_inside(&section, bytes))
            return false;
    }
    return true;
}

static bool fatbin_is_whole(const unsigned char *image, uint64_t bytes)
{
    struct fatbin head;

    if (bytes < sizeof head)
        return false;
    memcpy(&head, image, sizeof head);
    return head.head_bytes >= sizeof head && head.head_bytes <= bytes && head.body_bytes <= bytes - head.head_bytes;
}

/* PTX is text with a .version before its first instruction. */
static bool is_ptx(const unsigned char *image, uint64_t bytes)
{
    return memmem(image, bytes < 4096 ? bytes : 4096, ".version", 8) != NULL && !memchr(image, 0, bytes - 1);
}

static enum image_kind kind_of(const unsigned char *image, uint64_t bytes, bool *whole)
{
    const uint32_t fatbin = FATBIN_MAGIC;

    *whole = true;
    if (bytes >= SELFMAG && memcmp(image, ELFMAG, SELFMAG) == 0) {
        *whole = elf_is_whole(image, bytes);
        return IMAGE_CUBIN;
    }
    if (bytes >= sizeof fatbin && memcmp(image, &fatbin, sizeof fatbin) == 0) {
        *whole = fatbin_is_whole(image, bytes);
        return IMAGE_FATBIN;
    }
    return is_ptx(image, bytes) ? IMAGE_PTX : IMAGE_UNKNOWN;
}

/* image: owned from now on, ends in NUL; ptx: whether it is PTX text, which is kept to know the kernels by. */
static hr_status make(struct hrb_device *device, char *image, bool ptx, const char *what, bool builtin,
                      struct hrb_program **program)
{
    struct hri_cu_program *made = calloc(1, sizeof *made);
    hr_status st;

    if (made)
        st = hri_cu_module_load(hri_cu_device(device), image, what, &made->module);
    else
        st = device->services->fail(HR_NO_MEMORY, 0, "no memory for a program");
    if (st != HR_OK || !ptx) {
        free(image);
        image = NULL;
    }
    if (st != HR_OK) {
        free(made);
        return st;
    }
    made->head.device = device;
    made->ptx = image;
    made->builtin = builtin;
    *program = &made->head;
    return HR_OK;
}

hr_status hri_cu_program_load(struct hrb_device *device, const void *image, uint64_t bytes,
                              struct hrb_program **program)
{
    static const char *const names[] = {"a program's PTX text", "a program's cubin", "a program's fatbin"};
    bool whole;
    const enum image_kind kind = kind_of(image, bytes, &whole);
    char *copy;

    if (kind == IMAGE_UNKNOWN)
        return device->services->fail(HR_BUILD, 0,
                                      "a program's image of %llu bytes is no PTX text, no cubin and no fatbin",
                                      (unsigned long long)bytes);
    if (!whole)
        return device->services->fail(HR_BUILD, 0, "%s is cut off or damaged: it speaks of more than its %llu bytes",
                                      names[kind], (unsigned long long)bytes);
    copy = calloc(bytes + 1, 1);
    if (!copy)
        return device->services->fail(HR_NO_MEMORY, 0, "no memory for a program's image of %llu bytes",
                                      (unsigned long long)bytes);
    memcpy(copy, image, bytes);
    return make(device, copy, kind == IMAGE_PTX, names[kind], false, program);
}

hr_status hri_cu_program_builtin(struct hrb_device *device, struct hrb_program **program)
{
    char *copy = strdup(hri_kernels_ptx);

    if (!copy)
        return device->services->fail(HR_NO_MEMORY, 0, "no memory for the library's own kernels");
    return make(device, copy, true, "the library's own kernels", true, program);
}
