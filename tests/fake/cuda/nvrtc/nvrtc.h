/* What the files of the simulated NVRTC share. */
#ifndef FAKE_NVRTC_H
#define FAKE_NVRTC_H

#include "cuda/nvrtc.h"

#include <stdbool.h>

#define FAKE_API __attribute__((visibility("default")))

enum {
    FAKE_SUCCESS = 0,
    FAKE_OUT_OF_MEMORY = 1,
    FAKE_CREATION = 2,
    FAKE_INVALID_INPUT = 3,
    FAKE_INVALID_PROGRAM = 4,
    FAKE_INVALID_OPTION = 5,
    FAKE_COMPILATION = 6,
    FAKE_INTERNAL = 11
};

struct _nvrtcProgram {
    char *source, *name;
    char *log; /* NULL: empty */
    char *ptx;
    unsigned char *cubin; /* NULL: none, for an architecture that is only compute_XY */
    size_t cubin_bytes;
};

/* A text that grows. */
struct fake_text {
    char *at;
    size_t length, room;
};
void fake_add(struct fake_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void fake_add_bytes(struct fake_text *text, const char *bytes, size_t n);
/* The whole file, with a NUL behind it; NULL if there is none. */
char *fake_read_file(const char *path, size_t *bytes);
void fake_nvrtc_die(const char *what) __attribute__((noreturn));

/* -- options.c -- */
struct fake_options {
    char **to_compiler; /* -D, -I, -U and the like; ends in NULL */
    int n;
    int arch;     /* 90 */
    bool machine; /* sm_90: machine code too */
};
/* FAKE_INVALID_OPTION with what is wrong in log. */
int fake_options_read(int n, const char *const *given, struct fake_options *options, struct fake_text *log);
void fake_options_drop(struct fake_options *options);
bool fake_arch_known(int arch);
extern const int fake_archs[];
extern const int fake_n_archs;

/* -- scan.c -- */
struct fake_found {
    char name[128];
    bool shared; /* has __shared__ variables, or may have */
};
/* The extern "C" kernels of a text that the preprocessor has gone over. */
int fake_scan(const char *text, struct fake_found *found, int room);

/* -- compile.c -- */
int fake_compile(hri_nvrtc_program program, const struct fake_options *options);

/* -- ptx.c -- */
/* The text that stands for PTX: the kernels' heads, and the image. NULL, with the log: the image cannot be opened. */
char *fake_write_ptx(const char *image_path, const unsigned char *image, size_t bytes, int arch, struct fake_text *log);
void fake_version(int *major, int *minor);

#endif
