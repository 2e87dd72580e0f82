/* What the tests of the simulated NVRTC share: its functions, a program, and a module of that program. */
#ifndef FAKE_CUDA_PROGRAMS_H
#define FAKE_CUDA_PROGRAMS_H

#include "cuda/nvrtc.h"
#include "rig.h"

extern struct hri_nvrtc nvrtc;
extern const char *(*error_string)(int);
extern const char source[];
extern hri_cu_module module; /* of the source */
extern hri_cu_stream stream;

/* The code of a compilation; the program is kept. */
int compile(const char *text, const char *option, hri_nvrtc_program *program);
/* These are freed by the caller. */
char *log_of(hri_nvrtc_program program);
char *cubin_of(hri_nvrtc_program program);
char *ptx_of(hri_nvrtc_program program);

hri_cu_result load(const void *code, hri_cu_module *made, char *log, size_t room);
hri_cu_result launch(const char *name, unsigned grid, unsigned block, void **params);
hri_cu_function function(const char *name);

/* Setup and teardown of a group: the source is compiled once. Of a test: it is loaded, and there is a stream. */
int compile_all(void **state);
int drop_all(void **state);
int open_all(void **state);
int close_all(void **state);
#define on_a_device(f) cmocka_unit_test_setup_teardown(f, open_all, close_all)

#endif
