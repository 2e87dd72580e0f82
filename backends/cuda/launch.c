/* Launches: checks the arguments against the signature, finds a shape, hands both to the driver. The driver copies the
 * arguments, so nothing of a launch outlives the call, and threads that launch one kernel share nothing. */
#include "cuda/signature.h"

#include "cuda/internal.h"

#include <stdlib.h>

enum { FEW = 32 };

/* What the driver is given: the address of each argument. */
struct arguments {
    void *few_values[FEW];
    hri_cu_pointer few_pointers[FEW];
    void **values;
    hri_cu_pointer *pointers;
};

static const char *type_name(const struct hri_cu_param *param)
{
    if (param->type[0])
        return param->type;
    return param->bytes ? "of another type" : "of an unknown type";
}

static hr_status check_arg(const struct hrb_services *services, const struct hri_cu_kernel *kernel, uint32_t index,
                           const struct hrb_arg *arg)
{
    const struct hri_cu_param *param = &kernel->params[index];

    if (param->kind == HRI_CU_PARAM_LOCAL)
        return services->fail(HR_INVALID, 0,
                              "argument %u of kernel \"%s\" is __local memory, which is not passed: declare the array "
                              "in the kernel",
                              index, kernel->name);
    if (param->kind == HRI_CU_PARAM_SCALAR && arg->buffer)
        return services->fail(HR_INVALID, 0, "argument %u of kernel \"%s\" is a scalar (%s) and a buffer was given",
                              index, kernel->name, type_name(param));
    if (param->kind == HRI_CU_PARAM_BUFFER && !arg->buffer)
        return services->fail(HR_INVALID, 0,
                              "argument %u of kernel \"%s\" is a buffer (%s) and %llu bytes of data were given", index,
                              kernel->name, type_name(param), (unsigned long long)arg->bytes);
    if (!arg->buffer && param->bytes != arg->bytes)
        return services->fail(HR_INVALID, 0, "argument %u of kernel \"%s\" is %s with %u bytes and %llu were given",
                              index, kernel->name, type_name(param), param->bytes, (unsigned long long)arg->bytes);
    return HR_OK;
}

static hr_status check_args(const struct hrb_services *services, const struct hri_cu_kernel *kernel,
                            const struct hrb_arg *args, uint32_t n)
{
    if (n != kernel->n_params)
        return services->fail(HR_INVALID, 0, "kernel \"%s\" has %u arguments and %u were given", kernel->name,
                              kernel->n_params, n);
    for (uint32_t i = 0; i < n; i++) {
        hr_status st = check_arg(services, kernel, i, &args[i]);

        if (st != HR_OK)
            return st;
    }
    return HR_OK;
}

static hr_status find_shape(const struct hrb_services *services, const struct hri_cu_kernel *kernel,
                            const hr_grid *grid, struct hri_cu_shape *shape)
{
    const struct hri_cu_program *program = (const struct hri_cu_program *)kernel->head.program;
    const int bad = hri_cu_shape(&kernel->limits, grid->global, grid->local, program->builtin, shape);

    if (bad < 0)
        return HR_OK;
    if (bad == 3)
        return services->fail(HR_INVALID, 0,
                              "kernel \"%s\" does not run with work groups of %llu x %llu x %llu: %u items are the "
                              "most, %u x %u x %u by dimension",
                              kernel->name, (unsigned long long)grid->local[0], (unsigned long long)grid->local[1],
                              (unsigned long long)grid->local[2], kernel->limits.group, kernel->limits.block[0],
                              kernel->limits.block[1], kernel->limits.block[2]);
    return services->fail(HR_INVALID, 0,
                          "kernel \"%s\": a grid of %llu x %llu x %llu items in groups of %u x %u x %u has more than "
                          "the %u groups that the device counts in dimension %d: %s",
                          kernel->name, (unsigned long long)grid->global[0], (unsigned long long)grid->global[1],
                          (unsigned long long)grid->global[2], shape->block[0], shape->block[1], shape->block[2],
                          kernel->limits.grid[bad], bad,
                          bad == 0 ? "give larger groups, or launch parts"
                                   : "make it dimension 0, give larger groups, or launch parts");
}

static hr_status set_args(const struct hrb_services *services, const struct hri_cu_kernel *kernel,
                          const struct hrb_arg *args, struct arguments *set)
{
    const uint32_t n = kernel->n_params;

    set->values = set->few_values;
    set->pointers = set->few_pointers;
    if (n > FEW) {
        set->values = malloc(n * (sizeof *set->values + sizeof *set->pointers));
        if (!set->values)
            return services->fail(HR_NO_MEMORY, 0, "no memory for %u arguments", n);
        set->pointers = (hri_cu_pointer *)(void *)(set->values + n);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (args[i].buffer)
            set->pointers[i] = hri_cu_buffer(args[i].buffer)->pointer + args[i].offset;
        set->values[i] = args[i].buffer ? (void *)&set->pointers[i] : (void *)(uintptr_t)args[i].data;
    }
    return HR_OK;
}

static void drop_args(struct arguments *set)
{
    if (set->values != set->few_values)
        free(set->values);
}

hr_status hri_cu_kernel_check(struct hrb_kernel *kernel, const hr_grid *grid, const struct hrb_arg *args,
                              uint32_t n_args)
{
    const struct hri_cu_kernel *launched = (const struct hri_cu_kernel *)kernel;
    const struct hrb_services *services = kernel->program->device->services;
    struct hri_cu_shape shape;
    hr_status st = check_args(services, launched, args, n_args);

    return st == HR_OK ? find_shape(services, launched, grid, &shape) : st;
}

hr_status hri_cu_kernel_launch(struct hrb_queue *queue, struct hrb_kernel *kernel, const hr_grid *grid,
                               const struct hrb_arg *args, uint32_t n_args, const struct hrb_sync *sync)
{
    const struct hri_cu_device *device = hri_cu_device(queue->device);
    const struct hri_cu_kernel *launched = (const struct hri_cu_kernel *)kernel;
    const struct hrb_services *services = device->head.services;
    struct hri_cu_submission sub;
    struct hri_cu_shape shape;
    struct arguments set;
    hri_cu_result code;
    hr_status st = check_args(services, launched, args, n_args);

    if (st == HR_OK)
        st = find_shape(services, launched, grid, &shape);
    if (st == HR_OK)
        st = set_args(services, launched, args, &set);
    if (st != HR_OK)
        return st;
    st = hri_cu_submit_begin(queue, sync, &sub);
    if (st == HR_OK) {
        code = device->cu->LaunchKernel(launched->function, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
                                        shape.block[1], shape.block[2], 0, sub.queue->stream, set.values, NULL);
        st = hri_cu_submit_end(&sub, code, "a kernel cannot be submitted");
    }
    drop_args(&set);
    return st;
}
