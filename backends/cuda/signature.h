/*
 * What a kernel's arguments are, read from text: the program's own, or PTX. The driver tells their sizes at best; the
 * program's text tells which of them are buffers, unless macros make the kernel.
 */
#ifndef HRB_CUDA_SIGNATURE_H
#define HRB_CUDA_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hri_cu_param_kind { HRI_CU_PARAM_UNKNOWN, HRI_CU_PARAM_SCALAR, HRI_CU_PARAM_BUFFER, HRI_CU_PARAM_LOCAL };

struct hri_cu_param {
    enum hri_cu_param_kind kind;
    uint32_t bytes; /* 0: not known */
    char type[32];  /* as the text has it, for messages; "" when not known */
};

/* Of kernel `name`: how many parameters, and, where params is not NULL, what they are. -1: no such kernel here.
 * hri_cu_params_text() leaves params[].bytes alone. */
int hri_cu_params_text(const char *source, const char *name, struct hri_cu_param *params);
int hri_cu_params_ptx(const char *ptx, const char *name, struct hri_cu_param *params);

/* The kernels that a text has, as "add mul", cut at `room`. */
void hri_cu_kernels_text(const char *source, char *names, size_t room);
void hri_cu_kernels_ptx(const char *ptx, char *names, size_t room);

#endif
