/* Programs and kernels. */
#include "transfer/object.h"

#include <stdlib.h>

hr_status hri_program_make(hr_device *device, const char *source, const char *options, bool builtin,
                           hr_program **program)
{
    hr_program *made = calloc(1, sizeof *made);
    hr_status st;

    if (made == NULL)
        return hri_fail(HR_NO_MEMORY, "no host memory for a program's %zu bytes", sizeof *made);
    st = device->ops->program_create(device->native, source, options, &made->native);
    if (st != HR_OK) {
        free(made);
        return st;
    }
    atomic_init(&made->refs, 1);
    made->device = device;
    made->builtin = builtin;
    if (!builtin)
        hri_device_retain(device);
    *program = made;
    return HR_OK;
}

hr_status hr_program_create(hr_device *device, const char *source, const char *options, hr_program **program)
{
    hr_status st;

    if (device == NULL || source == NULL || program == NULL)
        return hri_fail(HR_INVALID, "hr_program_create: %s is NULL",
                        device == NULL ? "device" : (source == NULL ? "source" : "program"));
    st = hri_device_check(device);
    if (st != HR_OK)
        return st;
    return hri_program_make(device, source, options != NULL ? options : "", false, program);
}

static void release(hr_program *program)
{
    hr_device *device = program->device;
    bool builtin = program->builtin;

    if (atomic_fetch_sub_explicit(&program->refs, 1, memory_order_acq_rel) > 1)
        return;
    device->ops->program_destroy(program->native);
    free(program);
    if (!builtin)
        hri_device_release(device);
}

void hr_program_close(hr_program **program)
{
    if (program == NULL || *program == NULL)
        return;
    if (!hri_device_forked((*program)->device))
        release(*program);
    *program = NULL;
}

hr_status hri_kernel_make(hr_program *program, const char *name, hr_kernel **kernel)
{
    hr_kernel *made = calloc(1, sizeof *made);
    hr_status st;

    if (made == NULL)
        return hri_fail(HR_NO_MEMORY, "no host memory for a kernel's %zu bytes", sizeof *made);
    st = program->device->ops->kernel_create(program->native, name, &made->native);
    if (st != HR_OK) {
        free(made);
        return st;
    }
    made->program = program;
    atomic_fetch_add_explicit(&program->refs, 1, memory_order_relaxed);
    *kernel = made;
    return HR_OK;
}

hr_status hr_kernel_create(hr_program *program, const char *name, hr_kernel **kernel)
{
    hr_status st;

    if (program == NULL || name == NULL || kernel == NULL)
        return hri_fail(HR_INVALID, "hr_kernel_create: %s is NULL",
                        program == NULL ? "program" : (name == NULL ? "name" : "kernel"));
    st = hri_device_check(program->device);
    if (st != HR_OK)
        return st;
    return hri_kernel_make(program, name, kernel);
}

void hr_kernel_close(hr_kernel **kernel)
{
    hr_kernel *closing;

    if (kernel == NULL || *kernel == NULL)
        return;
    closing = *kernel;
    *kernel = NULL;
    if (hri_device_forked(closing->program->device))
        return;
    closing->program->device->ops->kernel_destroy(closing->native);
    release(closing->program);
    free(closing);
}
