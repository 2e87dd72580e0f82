/* Images of the simulated NVRTC: shared objects of host code. */
#include "fake.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { EM_OF_CUDA = 190 };

struct native {
    struct fake_code code;
    void *library;
    const struct fake_image *image;
};

static void pause_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}

#ifdef FAKE_SHARP
static void saw(uintptr_t address, size_t bytes, int write)
{
    fake_saw(fake_arena_bytes(address), bytes, write);
}
#endif

static const struct fake_hooks hooks = {.access = fake_access,
                                        .barrier = fake_block_barrier,
                                        .pause = pause_a_little,
#ifdef FAKE_SHARP
                                        .saw = saw,
#endif
                                        .generation = (const volatile unsigned *)&fake_ranges_generation};

static int run(const struct fake_code *code, const struct fake_function_code *function, const struct fake_place *place,
               void *const *params)
{
    const struct native *native = (const struct native *)code;

    return native->image->run(function->own, place, params);
}

static void unload(struct fake_code *code)
{
    struct native *native = (struct native *)code;

    dlclose(native->library);
    free(native->code.functions);
    free(native);
}

static const struct fake_code_ops ops = {.run = run, .unload = unload};

/* The sections' table is the last thing in the file. */
static size_t size_of(const Elf64_Ehdr *head)
{
    return (size_t)head->e_shoff + (size_t)head->e_shnum * head->e_shentsize;
}

/* A file of its own for each, since the loader knows one file's second loading for the first. */
static void *open_image(const void *image, size_t bytes, struct fake_log *log)
{
    static atomic_uint number;
    char path[512];
    int file;
    void *library = NULL;

    do {
        snprintf(path, sizeof path, "%s/image.%d.%u", FAKE_CUDA_SCRATCH, (int)getpid(), atomic_fetch_add(&number, 1));
        file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    } while (file < 0 && errno == EEXIST);
    if (file < 0)
        fake_die("no file for an image in " FAKE_CUDA_SCRATCH);
    if (write(file, image, bytes) == (ssize_t)bytes)
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        snprintf(log->text, sizeof log->text, "%s", dlerror());
    close(file);
    unlink(path);
    return library;
}

/* Machine code is for one architecture; code for the driver to compile, for that and later ones. */
static bool runs_here(int arch)
{
    const int own = FAKE_MAJOR * 10 + FAKE_MINOR;

    return arch < 0 ? -arch <= own : arch == own;
}

/* Where the object that has this lies. */
static uintptr_t base_of(const void *symbol)
{
    struct link_map *map;
    Dl_info info;

    if (!dladdr1(symbol, &info, (void **)&map, RTLD_DL_LINKMAP))
        fake_die("an image is nowhere");
    return map->l_addr;
}

static void list_functions(struct native *native)
{
    const struct fake_image *image = native->image;

    native->code.ops = &ops;
    native->code.n_functions = image->n_kernels;
    native->code.functions = calloc(image->n_kernels + 1, sizeof *native->code.functions);
    if (!native->code.functions)
        fake_die("out of memory");
    for (unsigned i = 0; i < image->n_kernels; i++)
        native->code.functions[i] = (struct fake_function_code){.name = image->kernels[i].name,
                                                                .params = image->kernels[i].params,
                                                                .n_params = image->kernels[i].n_params,
                                                                .shared = image->kernels[i].shared,
                                                                .own = &image->kernels[i]};
}

hri_cu_result fake_native_load(const void *image, struct fake_log *log, struct fake_code **code)
{
    const Elf64_Ehdr *head = image;
    struct fake_image *found;
    struct native *native;
    void *library;

    if (head->e_machine == EM_OF_CUDA) {
        snprintf(log->text, sizeof log->text, "this is a cubin for a real GPU");
        return HRI_CU_NO_BINARY_FOR_GPU;
    }
    library = open_image(image, size_of(head), log);
    if (!library)
        return HRI_CU_INVALID_IMAGE;
    found = dlsym(library, FAKE_IMAGE_SYMBOL);
    if (!found || !runs_here(found->arch)) {
        snprintf(log->text, sizeof log->text, found ? "the image is for another architecture" : "no image");
        dlclose(library);
        return found ? HRI_CU_NO_BINARY_FOR_GPU : HRI_CU_INVALID_IMAGE;
    }
    found->hooks = &hooks;
    native = calloc(1, sizeof *native);
    if (!native)
        fake_die("out of memory");
    native->library = library;
    native->image = found;
    native->code.base = base_of(found);
    list_functions(native);
    *code = &native->code;
    return 0;
}
