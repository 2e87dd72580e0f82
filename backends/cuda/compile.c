/* Compiles a program's text with NVRTC. */
#include "cuda/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_IN_MESSAGE 700 /* bytes: the message holds 1024 and says more than the log */

static const struct hrb_services *services_of(const struct hri_cu_device *device)
{
    return device->head.services;
}

static hr_status no_memory(const struct hri_cu_device *device)
{
    return services_of(device)->fail(HR_NO_MEMORY, 0, "no memory to compile a program");
}

/* Where the compiler knows the very device: sm_XY, and it writes its machine code. Otherwise the newest compute_XY that
 * the device runs, which the driver compiles. */
static hr_status architecture(const struct hri_cu_device *device, const struct hri_nvrtc *nvrtc, char *option,
                              size_t room)
{
    const int own = device->major * 10 + device->minor;
    int n = 0, best = 0;
    int *archs = NULL;

    if (nvrtc->GetNumSupportedArchs(&n) == HRI_NVRTC_SUCCESS && n > 0)
        archs = calloc((size_t)n, sizeof *archs);
    if (archs && nvrtc->GetSupportedArchs(archs) == HRI_NVRTC_SUCCESS)
        for (int i = 0; i < n; i++)
            best = archs[i] <= own && archs[i] > best ? archs[i] : best;
    free(archs);
    if (best == 0)
        return services_of(device)->fail(HR_UNAVAILABLE, 0,
                                         "NVRTC %d.%d does not compile for compute capability %d.%d, which \"%s\" has: "
                                         "install the NVRTC of an older CUDA toolkit",
                                         nvrtc->major, nvrtc->minor, device->major, device->minor, device->info.name);
    snprintf(option, room, "--gpu-architecture=%s_%d", best == own ? "sm" : "compute", best);
    return HR_OK;
}

/* The compiler's log, NULL when it says nothing; freed by the caller. */
static char *compile_log(const struct hri_nvrtc *nvrtc, hri_nvrtc_program program)
{
    size_t bytes = 0;
    char *log;

    if (nvrtc->GetProgramLogSize(program, &bytes) != HRI_NVRTC_SUCCESS || bytes < 2)
        return NULL;
    log = calloc(bytes + 1, 1);
    if (log && nvrtc->GetProgramLog(program, log) != HRI_NVRTC_SUCCESS) {
        free(log);
        return NULL;
    }
    return log;
}

/* From the line of the first error on: warnings before it would leave no room for it. */
static const char *from_error(const char *log)
{
    const char *at = strstr(log, "error:");

    while (at && at > log && at[-1] != '\n')
        at--;
    return at ? at : log;
}

static hr_status failure(const struct hri_cu_device *device, const struct hri_nvrtc *nvrtc, int code, const char *log)
{
    const struct hrb_services *services = services_of(device);

    if (code == HRI_NVRTC_OUT_OF_MEMORY)
        return no_memory(device);
    if (!log)
        return services->fail(HR_BUILD, code, "a program does not build for \"%s\" (NVRTC %d.%d: %s, no log)",
                              device->info.name, nvrtc->major, nvrtc->minor, nvrtc->GetErrorString(code));
    return services->fail(HR_BUILD, code, "a program does not build for \"%s\"%s:\n%.*s", device->info.name,
                          strlen(log) > LOG_IN_MESSAGE ? " (the whole log: HEADRACE_LOG=info)" : "", LOG_IN_MESSAGE,
                          from_error(log));
}

static hr_status run(const struct hri_cu_device *device, const struct hri_nvrtc *nvrtc, hri_nvrtc_program program,
                     const struct hri_cu_options *options)
{
    const int code = nvrtc->CompileProgram(program, options->n, options->list);
    char *log = compile_log(nvrtc, program);
    hr_status st = code == HRI_NVRTC_SUCCESS ? HR_OK : failure(device, nvrtc, code, log);

    if (log)
        services_of(device)->log(HRB_LOG_INFO, "build log of \"%s\":\n%s", device->info.name, log);
    free(log);
    return st;
}

/* Code that is there, after a compilation; NULL when there is none of that kind, or no memory. */
static char *take(hri_nvrtc_program program, int (*size)(hri_nvrtc_program, size_t *),
                  int (*get)(hri_nvrtc_program, char *))
{
    size_t bytes = 0;
    char *code = NULL;

    if (size(program, &bytes) == HRI_NVRTC_SUCCESS && bytes > 1)
        code = malloc(bytes);
    if (code && get(program, code) != HRI_NVRTC_SUCCESS) {
        free(code);
        return NULL;
    }
    return code;
}

/* options has room for HRI_CU_OWN_OPTIONS more. */
static hr_status compile(const struct hri_cu_device *device, const struct hri_nvrtc *nvrtc, const char *text,
                         struct hri_cu_options *options, struct hri_cu_compiled *compiled)
{
    char arch[48];
    hri_nvrtc_program program;
    hr_status st = architecture(device, nvrtc, arch, sizeof arch);
    int code;

    if (st != HR_OK)
        return st;
    options->list[options->n++] = arch;
    options->list[options->n++] = "--fmad=false";    /* contraction would make results depend on the compiler */
    options->list[options->n++] = "-default-device"; /* functions of the text are the device's */
    code = nvrtc->CreateProgram(&program, text, "program", 0, NULL, NULL);
    if (code != HRI_NVRTC_SUCCESS)
        return failure(device, nvrtc, code, NULL);
    st = run(device, nvrtc, program, options);
    if (st == HR_OK) {
        compiled->cubin = take(program, nvrtc->GetCUBINSize, nvrtc->GetCUBIN);
        compiled->ptx = take(program, nvrtc->GetPTXSize, nvrtc->GetPTX);
        if (!compiled->cubin && !compiled->ptx)
            st = services_of(device)->fail(HR_BUILD, 0, "NVRTC %d.%d gives no code of a program", nvrtc->major,
                                           nvrtc->minor);
    }
    nvrtc->DestroyProgram(&program);
    return st;
}

hr_status hri_cu_compile(const struct hri_cu_device *device, const char *source, const char *options,
                         struct hri_cu_compiled *compiled)
{
    const struct hri_nvrtc *nvrtc;
    struct hri_cu_options read;
    char *text;
    hr_status st = hri_nvrtc_get(device->instance, &nvrtc);

    if (st == HR_OK)
        st = hri_cu_options_read(services_of(device), options, &read);
    if (st != HR_OK)
        return st;
    text = hri_cu_dialect(source);
    st = text ? compile(device, nvrtc, text, &read, compiled) : no_memory(device);
    free(text);
    hri_cu_options_drop(&read);
    return st;
}
