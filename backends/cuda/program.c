/* Programs in text: compiled by NVRTC, loaded by the driver. */
#include "cuda/compile.h"

#include <stdlib.h>
#include <string.h>

hr_status hri_cu_program_create(struct hrb_device *device, const char *source, const char *options,
                                struct hrb_program **program)
{
    const struct hri_cu_device *owner = hri_cu_device(device);
    struct hri_cu_program *made = calloc(1, sizeof *made);
    struct hri_cu_compiled compiled = {0};
    hr_status st;

    if (made)
        made->source = strdup(source);
    if (!made || !made->source) {
        st = device->services->fail(HR_NO_MEMORY, 0, "no memory for a program");
        goto fail;
    }
    st = hri_cu_compile(owner, source, options, &compiled);
    if (st != HR_OK)
        goto fail_source;
    made->ptx = compiled.ptx;
    st = hri_cu_module_load(owner, compiled.cubin ? compiled.cubin : compiled.ptx, "what NVRTC made of a program",
                            &made->module);
    free(compiled.cubin);
    if (st != HR_OK)
        goto fail_ptx;
    made->head.device = device;
    *program = &made->head;
    return HR_OK;

fail_ptx:
    free(made->ptx);
fail_source:
    free(made->source);
fail:
    free(made);
    return st;
}

void hri_cu_program_destroy(struct hrb_program *program)
{
    struct hri_cu_program *closing = (struct hri_cu_program *)program;
    const struct hri_cu_device *owner = hri_cu_device(program->device);

    if (hri_cu_enter_quietly(owner)) {
        (void)owner->cu->ModuleUnload(closing->module);
        hri_cu_leave(owner);
    }
    free(closing->ptx);
    free(closing->source);
    free(closing);
}
