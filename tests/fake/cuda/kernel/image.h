/*
 * What the simulated NVRTC makes of a program and the simulated driver loads: a shared object of host code that has
 * `fake_image`. C for the driver, C++ for the program's side of it (shim.h).
 */
#ifndef FAKE_CUDA_IMAGE_H
#define FAKE_CUDA_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#define FAKE_IMAGE_SYMBOL "fake_image"
/* In text that looks like PTX: this at the beginning of a line, and the image in hexadecimal digits. */
#define FAKE_IMAGE_IN_TEXT "//image "

struct fake_param {
    unsigned offset, bytes, align;
    int kind; /* 'p' pointer, 'f' floating point, 'i' integer, 's' anything else */
};

/* Where a thread is. */
struct fake_place {
    unsigned grid[3], block[3], block_id[3], thread_id[3];
};

struct fake_kernel {
    const char *name;
    void (*run)(void *const *params);
    const struct fake_param *params;
    unsigned n_params;
    int shared; /* has __shared__ variables, of which there is one set a module */
};

/* Memory that has been found to be the device's, so that not every access is looked up. */
struct fake_window {
    uintptr_t begin, end;
    int writable;
    int of_device; /* no variable of the program's own */
};

/* A thread that looks at one word so often in a row is waiting: it pauses, so that a look takes as long as on a GPU,
 * some hundreds of nanoseconds, and leaves the processor to others. */
#define FAKE_PATIENCE 256u

/* The driver's part; those with a result answer 0, or the code of the fault that ends the kernel. */
struct fake_hooks {
    int (*access)(uintptr_t address, size_t bytes, int write, struct fake_window *window);
    int (*barrier)(void);
    void (*pause)(void);
    void (*saw)(uintptr_t address, size_t bytes,
                int write);              /* of the device, not volatile; NULL: nobody wants to know */
    const volatile unsigned *generation; /* windows are good as long as it stays the same */
};

struct fake_image {
    int arch; /* 90: for devices of compute capability 9.0; negative: of that or later */
    const struct fake_kernel *kernels;
    unsigned n_kernels;
    int (*run)(const struct fake_kernel *kernel, const struct fake_place *place, void *const *params);
    const struct fake_hooks *hooks; /* set by the driver */
};

#endif
