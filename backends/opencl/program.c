/* Programs: the prelude under which one text means the same on every device, the build, its log. */
#include "opencl/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_IN_MESSAGE 700 /* bytes: the message holds 1024 and says more than the log */

/* Contraction would make results depend on the compiler. Lines count from the program's own first, except where the
 * compiler ignores #line (NVIDIA's): there they are 2 more. */
static const char prelude[] = "#pragma OPENCL FP_CONTRACT OFF\n"
                              "#line 1\n";

static const char own_options[] = "-cl-std=CL1.2 -cl-kernel-arg-info";

/* The compiler's log, NULL when there is none; freed by the caller. */
static char *build_log(cl_program program, cl_device_id device)
{
    size_t bytes = 0;
    char *log;

    if (clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes) != CL_SUCCESS || bytes < 2)
        return NULL;
    log = calloc(bytes + 1, 1);
    if (log && clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log, NULL) != CL_SUCCESS) {
        free(log);
        return NULL;
    }
    return log;
}

static hr_status build_failure(const struct hri_cl_device *device, cl_program program, cl_int code, const char *options)
{
    const struct hrb_services *services = device->head.services;
    char *log = build_log(program, device->device);
    hr_status st;

    if (code == CL_OUT_OF_HOST_MEMORY)
        st = hri_cl_fail(services, HRI_CL_CALL, code, "a program cannot be built");
    else if (!log)
        st = services->fail(HR_BUILD, code, "a program does not build on \"%s\" with \"%s\" (%s, no log)",
                            device->traits.info.name, options, hri_cl_code_name(code));
    else
        st = services->fail(HR_BUILD, code, "a program does not build on \"%s\"%s:\n%.*s", device->traits.info.name,
                            strlen(log) > LOG_IN_MESSAGE ? " (the whole log: HEADRACE_LOG=info)" : "", LOG_IN_MESSAGE,
                            log);
    if (log)
        services->log(HRB_LOG_INFO, "build log of \"%s\":\n%s", device->traits.info.name, log);
    free(log);
    return st;
}

/* given: the program's options for its text, NULL for an image, which has been compiled with its own. */
static hr_status build(const struct hri_cl_device *device, cl_program program, const char *given)
{
    const size_t bytes = sizeof own_options + 1 + (given ? strlen(given) : 0);
    char *options = malloc(bytes);
    hr_status st = HR_OK;
    cl_int code;

    if (!options)
        return device->head.services->fail(HR_NO_MEMORY, 0, "no memory for the options of a program");
    snprintf(options, bytes, "%s %s", given ? own_options : "", given ? given : "");
    code = clBuildProgram(program, 1, &device->device, options, NULL, NULL);
    if (code != CL_SUCCESS)
        st = build_failure(device, program, code, options);
    free(options);
    return st;
}

/* Builds what was created and owns it from then on. */
static hr_status finish(struct hrb_device *device, cl_program native, const char *options, struct hrb_program **program)
{
    struct hri_cl_program *made = calloc(1, sizeof *made);
    hr_status st;

    if (made)
        st = build(hri_cl_device(device), native, options);
    else
        st = device->services->fail(HR_NO_MEMORY, 0, "no memory for a program");
    if (st != HR_OK) {
        clReleaseProgram(native);
        free(made);
        return st;
    }
    made->head.device = device;
    made->native = native;
    *program = &made->head;
    return HR_OK;
}

hr_status hri_cl_program_create(struct hrb_device *device, const char *source, const char *options,
                                struct hrb_program **program)
{
    const struct hri_cl_device *owner = hri_cl_device(device);
    const char *const texts[] = {prelude, source};
    cl_int code;
    /* The function takes a pointer to non-const pointers and changes nothing. */
    cl_program native = clCreateProgramWithSource(owner->context, 2, (const char **)texts, NULL, &code);

    if (!native)
        return hri_cl_fail(device->services, HRI_CL_CALL, code, "a program cannot be created");
    return finish(device, native, options ? options : "", program);
}

hr_status hri_cl_program_load(struct hrb_device *device, const void *image, uint64_t bytes,
                              struct hrb_program **program)
{
    const struct hri_cl_device *owner = hri_cl_device(device);
    const unsigned char *binary = image;
    const size_t length = bytes;
    cl_program native;
    cl_int code;

    if (!hri_cl_image_is_whole(image, bytes))
        return device->services->fail(HR_BUILD, 0,
                                      "a program's image is cut off or damaged: it speaks of more than its %llu bytes",
                                      (unsigned long long)bytes);
    native = clCreateProgramWithBinary(owner->context, 1, &owner->device, &length, &binary, NULL, &code);
    if (!native && code == CL_OUT_OF_HOST_MEMORY)
        return hri_cl_fail(device->services, HRI_CL_CALL, code, "a program cannot be created");
    if (!native)
        return device->services->fail(HR_BUILD, code,
                                      "\"%s\" does not take a program's image of %llu bytes: OpenCL says %s; an image "
                                      "is what a program for this device and driver gave",
                                      owner->traits.info.name, (unsigned long long)bytes, hri_cl_code_name(code));
    return finish(device, native, NULL, program);
}

void hri_cl_program_destroy(struct hrb_program *program)
{
    clReleaseProgram(((struct hri_cl_program *)program)->native);
    free(program);
}
