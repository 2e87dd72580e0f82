/* The functions of NVRTC. */
#include "nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DECLARE(name, parameters) FAKE_API int nvrtc##name parameters;
HRI_NVRTC_SYMBOLS(DECLARE)
FAKE_API const char *nvrtcGetErrorString(int code);

void fake_version(int *major, int *minor)
{
    const char *text = getenv("FAKE_NVRTC_VERSION");

    *major = 13;
    *minor = 0;
    if (text && sscanf(text, "%d.%d", major, minor) != 2)
        fake_nvrtc_die("FAKE_NVRTC_VERSION is not like 13.0");
}

int nvrtcVersion(int *major, int *minor)
{
    fake_version(major, minor);
    return FAKE_SUCCESS;
}

int nvrtcGetNumSupportedArchs(int *n)
{
    *n = fake_n_archs;
    return FAKE_SUCCESS;
}

int nvrtcGetSupportedArchs(int *archs)
{
    memcpy(archs, fake_archs, (size_t)fake_n_archs * sizeof *archs);
    return FAKE_SUCCESS;
}

int nvrtcCreateProgram(hri_nvrtc_program *program, const char *source, const char *name, int n_headers,
                       const char *const *headers, const char *const *include_names)
{
    hri_nvrtc_program made;

    if (!program || !source || n_headers < 0 || (n_headers > 0 && (!headers || !include_names)))
        return FAKE_INVALID_INPUT;
    if (n_headers > 0)
        fake_nvrtc_die("headers in memory are not simulated");
    made = calloc(1, sizeof *made);
    if (!made)
        return FAKE_OUT_OF_MEMORY;
    made->source = strdup(source);
    made->name = strdup(name ? name : "default_program");
    *program = made;
    return FAKE_SUCCESS;
}

int nvrtcCompileProgram(hri_nvrtc_program program, int n_options, const char *const *options)
{
    struct fake_options read;
    struct fake_text log = {0};
    int code;

    if (!program)
        return FAKE_INVALID_PROGRAM;
    free(program->log);
    program->log = NULL;
    code = fake_options_read(n_options, options, &read, &log);
    if (code != FAKE_SUCCESS) {
        program->log = log.at;
        return code;
    }
    code = fake_compile(program, &read);
    fake_options_drop(&read);
    return code;
}

int nvrtcGetCUBINSize(hri_nvrtc_program program, size_t *bytes)
{
    if (!program)
        return FAKE_INVALID_PROGRAM;
    *bytes = program->cubin_bytes;
    return FAKE_SUCCESS;
}

int nvrtcGetCUBIN(hri_nvrtc_program program, char *cubin)
{
    if (!program || !program->cubin)
        return FAKE_INVALID_PROGRAM;
    memcpy(cubin, program->cubin, program->cubin_bytes);
    return FAKE_SUCCESS;
}

static int give_size(const char *text, size_t *bytes)
{
    *bytes = strlen(text ? text : "") + 1;
    return FAKE_SUCCESS;
}

static int give(const char *text, char *out)
{
    memcpy(out, text ? text : "", strlen(text ? text : "") + 1);
    return FAKE_SUCCESS;
}

int nvrtcGetPTXSize(hri_nvrtc_program program, size_t *bytes)
{
    return program && program->ptx ? give_size(program->ptx, bytes) : FAKE_INVALID_PROGRAM;
}

int nvrtcGetPTX(hri_nvrtc_program program, char *ptx)
{
    return program && program->ptx ? give(program->ptx, ptx) : FAKE_INVALID_PROGRAM;
}

int nvrtcGetProgramLogSize(hri_nvrtc_program program, size_t *bytes)
{
    return program ? give_size(program->log, bytes) : FAKE_INVALID_PROGRAM;
}

int nvrtcGetProgramLog(hri_nvrtc_program program, char *log)
{
    return program ? give(program->log, log) : FAKE_INVALID_PROGRAM;
}

int nvrtcDestroyProgram(hri_nvrtc_program *program)
{
    if (!program || !*program)
        return FAKE_INVALID_PROGRAM;
    free((*program)->source);
    free((*program)->name);
    free((*program)->log);
    free((*program)->ptx);
    free((*program)->cubin);
    free(*program);
    *program = NULL;
    return FAKE_SUCCESS;
}

const char *nvrtcGetErrorString(int code)
{
    static const char *const names[] = {"NVRTC_SUCCESS",
                                        "NVRTC_ERROR_OUT_OF_MEMORY",
                                        "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                        "NVRTC_ERROR_INVALID_INPUT",
                                        "NVRTC_ERROR_INVALID_PROGRAM",
                                        "NVRTC_ERROR_INVALID_OPTION",
                                        "NVRTC_ERROR_COMPILATION"};

    return code >= 0 && code <= FAKE_COMPILATION ? names[code] : "NVRTC_ERROR unknown";
}
