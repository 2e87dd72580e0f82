/* Programs and kernels. */
#include "kernels/kernels.h"
#include "transfer/object.h"

#include <stdlib.h>

static hr_status build(const hr_device *device, const struct hri_code *code, struct hrb_program **program)
{
    const struct hrb_ops *ops = device->ops;

    if (code->image != NULL)
        return ops->program_load(device->native, code->image, code->bytes, program);
    if (code->source != NULL)
        return ops->program_create(device->native, code->source, code->options, program);
    if (ops->program_builtin != NULL)
        return ops->program_builtin(device->native, program);
    return ops->program_create(device->native, hri_kernels_text, "", program);
}

hr_status hri_program_make(hr_device *device, const struct hri_code *code, hr_program **program)
{
    const bool builtin = code->image == NULL && code->source == NULL;
    hr_program *made = calloc(1, sizeof *made);
    hr_status st;

    if (made == NULL)
        return hri_fail(HR_NO_MEMORY, "no host memory for a program's %zu bytes", sizeof *made);
    st = build(device, code, &made->native);
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
    const struct hri_code code = {.source = source, .options = options != NULL ? options : ""};
    hr_status st;

    if (device == NULL || source == NULL || program == NULL)
        return hri_fail(HR_INVALID, "hr_program_create: %s is NULL",
                        device == NULL ? "device" : (source == NULL ? "source" : "program"));
    st = hri_device_check(device);
    if (st != HR_OK)
        return st;
    return hri_program_make(device, &code, program);
}

hr_status hr_program_create_binary(hr_device *device, const void *image, uint64_t bytes, hr_program **program)
{
    const struct hri_code code = {.image = image, .bytes = bytes};
    hr_status st;

    if (device == NULL || image == NULL || program == NULL)
        return hri_fail(HR_INVALID, "hr_program_create_binary: %s is NULL",
                        device == NULL ? "device" : (image == NULL ? "image" : "program"));
    if (bytes == 0)
        return hri_fail(HR_INVALID, "hr_program_create_binary: an image of 0 bytes");
    st = hri_device_check(device);
    if (st != HR_OK)
        return st;
    if (device->ops->program_load == NULL)
        return hri_fail(HR_UNSUPPORTED, "%s takes programs as text alone: use hr_program_create",
                        device->info.selector);
    return hri_program_make(device, &code, program);
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
