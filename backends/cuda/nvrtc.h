/*
 * The part of NVRTC, NVIDIA's compiler as a library, that this backend uses; declared here so that no toolkit is
 * needed. Names are those of nvrtc.h. The interface has not changed from version 11.2 on.
 */
#ifndef HRB_CUDA_NVRTC_H
#define HRB_CUDA_NVRTC_H

#include "backend.h"

#include <stddef.h>

typedef struct _nvrtcProgram *hri_nvrtc_program; /* nvrtcProgram */

/* nvrtcResult */
enum { HRI_NVRTC_SUCCESS = 0, HRI_NVRTC_OUT_OF_MEMORY = 1, HRI_NVRTC_INVALID_OPTION = 5, HRI_NVRTC_COMPILATION = 6 };

/* X(name without nvrtc, parameters). All of these, or the library is refused with the name that is missing. */
#define HRI_NVRTC_SYMBOLS(X)                                                                                           \
    X(Version, (int *major, int *minor))                                                                               \
    X(GetNumSupportedArchs, (int *n))                                                                                  \
    X(GetSupportedArchs, (int *archs)) /* ascending: 75, 80, ..., as in compute_75 */                                  \
    X(CreateProgram, (hri_nvrtc_program * program, const char *source, const char *name, int n_headers,                \
                      const char *const *headers, const char *const *include_names))                                   \
    X(CompileProgram, (hri_nvrtc_program program, int n_options, const char *const *options))                          \
    X(GetCUBINSize, (hri_nvrtc_program program, size_t * bytes))                                                       \
    X(GetCUBIN, (hri_nvrtc_program program, char *cubin))                                                              \
    X(GetPTXSize, (hri_nvrtc_program program, size_t * bytes)) /* with its NUL */                                      \
    X(GetPTX, (hri_nvrtc_program program, char *ptx))                                                                  \
    X(GetProgramLogSize, (hri_nvrtc_program program, size_t * bytes)) /* with its NUL */                               \
    X(GetProgramLog, (hri_nvrtc_program program, char *log))                                                           \
    X(DestroyProgram, (hri_nvrtc_program * program))

struct hri_nvrtc {
#define HRI_NVRTC_MEMBER(name, parameters) int(*name) parameters;
    HRI_NVRTC_SYMBOLS(HRI_NVRTC_MEMBER)
#undef HRI_NVRTC_MEMBER
    const char *(*GetErrorString)(int result);
    void *library;
    char file[24]; /* its name */
    int major, minor;
};

struct hrb_instance;

/* NVRTC, loaded on first use and kept by the instance. HR_UNAVAILABLE says what was looked for and the remedy; a later
 * call looks again. Threads: any. */
hr_status hri_nvrtc_get(struct hrb_instance *instance, const struct hri_nvrtc **nvrtc);

#endif
