/* From a program's text to what the driver loads. */
#ifndef HRB_CUDA_COMPILE_H
#define HRB_CUDA_COMPILE_H

#include "cuda/internal.h"
#include "cuda/nvrtc.h"

/* -- options.c -- */

enum { HRI_CU_OWN_OPTIONS = 4 }; /* room for compile.c's own behind the program's */

struct hri_cu_options {
    const char **list;
    int n;
    char *text; /* what list points into */
};

/* Reads the options that a program gave; HR_BUILD names one that is not understood. */
hr_status hri_cu_options_read(const struct hrb_services *services, const char *given, struct hri_cu_options *options);
void hri_cu_options_drop(struct hri_cu_options *options);

/* -- dialect.c -- */

/* The prelude, and the program's text behind it as the prelude wants it: address spaces are words that C++ does not
 * have. Lines and columns stay. NULL: no memory. Freed by the caller. */
char *hri_cu_dialect(const char *source);

extern const char hri_cu_prelude[]; /* prelude.cuh, embedded */

/* -- compile.c -- */

struct hri_cu_compiled {
    char *cubin; /* for this device; NULL where the compiler does not know it: then the driver compiles ptx */
    char *ptx;   /* with its NUL */
};

/* HR_BUILD with the compiler's log. Both parts are freed by the caller. */
hr_status hri_cu_compile(const struct hri_cu_device *device, const char *source, const char *options,
                         struct hri_cu_compiled *compiled);

/* -- image.c -- */

/* Loads PTX text, a cubin or a fatbin. `what` describes it for messages. HR_BUILD with the driver's log. */
hr_status hri_cu_module_load(const struct hri_cu_device *device, const char *image, const char *what,
                             hri_cu_module *module);

#endif
