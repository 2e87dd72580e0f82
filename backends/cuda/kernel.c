/* Kernels: the driver's function, its limits and its signature. Nothing of a launch is kept in them. */
#include "cuda/signature.h"

#include "cuda/internal.h"

#include <stdlib.h>
#include <string.h>

static const struct hri_cu_program *program_of(const struct hri_cu_kernel *kernel)
{
    return (const struct hri_cu_program *)kernel->head.program;
}

/* HR_NOT_FOUND with the names that there are. PTX knows also those that macros make. */
static hr_status no_such_kernel(const struct hri_cu_program *program, const char *name)
{
    char names[700] = "";

    if (program->ptx)
        hri_cu_kernels_ptx(program->ptx, names, sizeof names);
    if (!names[0] && program->source)
        hri_cu_kernels_text(program->source, names, sizeof names);
    return program->head.device->services->fail(HR_NOT_FOUND, HRI_CU_NOT_FOUND,
                                                "the program has no kernel \"%.100s\"; it has: %s", name,
                                                names[0] ? names : "?");
}

/* Between enter and leave. */
static hr_status read_limits(const struct hri_cu_device *device, struct hri_cu_kernel *kernel)
{
    static const int attributes[6] = {HRI_CU_ATTR_MAX_BLOCK_X, HRI_CU_ATTR_MAX_BLOCK_Y, HRI_CU_ATTR_MAX_BLOCK_Z,
                                      HRI_CU_ATTR_MAX_GRID_X,  HRI_CU_ATTR_MAX_GRID_Y,  HRI_CU_ATTR_MAX_GRID_Z};
    int value = 0;
    hri_cu_result code = device->cu->FuncGetAttribute(&value, HRI_CU_FUNC_MAX_THREADS, kernel->function);

    kernel->limits.group = (uint32_t)value;
    for (int i = 0; i < 6 && code == HRI_CU_SUCCESS; i++) {
        code = device->cu->DeviceGetAttribute(&value, attributes[i], device->device);
        *(i < 3 ? &kernel->limits.block[i] : &kernel->limits.grid[i - 3]) = (uint32_t)value;
    }
    if (code != HRI_CU_SUCCESS)
        return hri_cu_fail(device, HRI_CU_CALL, code, "kernel \"%s\" does not tell its limits", kernel->name);
    return HR_OK;
}

/* Sizes from the driver, where it tells them (from 12.4 on). False: it does not. */
static bool count_by_driver(const struct hri_cu_device *device, const struct hri_cu_kernel *kernel, uint32_t *n)
{
    size_t offset, bytes;

    if (!device->cu->FuncGetParamInfo)
        return false;
    *n = 0;
    while (device->cu->FuncGetParamInfo(kernel->function, *n, &offset, &bytes) == HRI_CU_SUCCESS)
        ++*n;
    return true;
}

static void sizes_by_driver(const struct hri_cu_device *device, struct hri_cu_kernel *kernel)
{
    size_t offset, bytes;

    for (uint32_t i = 0; i < kernel->n_params; i++)
        if (device->cu->FuncGetParamInfo(kernel->function, i, &offset, &bytes) == HRI_CU_SUCCESS)
            kernel->params[i].bytes = (uint32_t)bytes;
}

/* What takes the room of no address is none. */
static void rule_out_buffers(struct hri_cu_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->n_params; i++)
        if (kernel->params[i].kind == HRI_CU_PARAM_UNKNOWN && kernel->params[i].bytes != 0 &&
            kernel->params[i].bytes != sizeof(hri_cu_pointer))
            kernel->params[i].kind = HRI_CU_PARAM_SCALAR;
}

/* The number comes from the driver or from PTX; both must agree with the text before it is believed. */
static hr_status read_signature(const struct hri_cu_device *device, struct hri_cu_kernel *kernel)
{
    const struct hrb_services *services = device->head.services;
    const struct hri_cu_program *program = program_of(kernel);
    const int in_ptx = program->ptx ? hri_cu_params_ptx(program->ptx, kernel->name, NULL) : -1;
    const int in_text = program->source ? hri_cu_params_text(program->source, kernel->name, NULL) : -1;
    bool by_driver = count_by_driver(device, kernel, &kernel->n_params);

    if (!by_driver && in_ptx < 0)
        return services->fail(HR_UNSUPPORTED, 0,
                              "the arguments of kernel \"%s\" are not known: a driver tells those of a cubin from CUDA "
                              "12.4 on, and this is %d.%d: give the program as PTX",
                              kernel->name, device->instance->driver_version / 1000,
                              device->instance->driver_version % 1000 / 10);
    if (!by_driver)
        kernel->n_params = (uint32_t)in_ptx;
    kernel->params = calloc(kernel->n_params + 1, sizeof *kernel->params);
    if (!kernel->params)
        return services->fail(HR_NO_MEMORY, 0, "no memory for kernel \"%s\"", kernel->name);
    if (in_ptx == (int)kernel->n_params)
        (void)hri_cu_params_ptx(program->ptx, kernel->name, kernel->params);
    if (by_driver)
        sizes_by_driver(device, kernel);
    if (in_text == (int)kernel->n_params)
        (void)hri_cu_params_text(program->source, kernel->name, kernel->params);
    rule_out_buffers(kernel);
    return HR_OK;
}

/* Between enter and leave. */
static hr_status learn(const struct hri_cu_device *device, struct hri_cu_kernel *kernel)
{
    const struct hri_cu_program *program = program_of(kernel);
    hri_cu_result code = device->cu->ModuleGetFunction(&kernel->function, program->module, kernel->name);
    hr_status st;

    if (code == HRI_CU_NOT_FOUND || !kernel->name[0]) /* no name is an invalid value to the driver */
        return no_such_kernel(program, kernel->name);
    if (code != HRI_CU_SUCCESS)
        return hri_cu_fail(device, HRI_CU_CALL, code, "kernel \"%s\" cannot be created", kernel->name);
    st = read_limits(device, kernel);
    return st == HR_OK ? read_signature(device, kernel) : st;
}

hr_status hri_cu_kernel_create(struct hrb_program *program, const char *name, struct hrb_kernel **kernel)
{
    const struct hri_cu_device *device = hri_cu_device(program->device);
    struct hri_cu_kernel *made = calloc(1, sizeof *made);
    hr_status st;

    if (made)
        made->name = strdup(name);
    if (!made || !made->name) {
        st = program->device->services->fail(HR_NO_MEMORY, 0, "no memory for kernel \"%s\"", name);
        goto fail;
    }
    made->head.program = program;
    st = hri_cu_enter(device);
    if (st != HR_OK)
        goto fail_name;
    st = learn(device, made);
    hri_cu_leave(device);
    if (st != HR_OK)
        goto fail_params;
    *kernel = &made->head;
    return HR_OK;

fail_params:
    free(made->params);
fail_name:
    free(made->name);
fail:
    free(made);
    return st;
}

void hri_cu_kernel_destroy(struct hrb_kernel *kernel)
{
    struct hri_cu_kernel *closing = (struct hri_cu_kernel *)kernel;

    free(closing->params);
    free(closing->name);
    free(closing);
}
