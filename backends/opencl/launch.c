/* Launches: checks the arguments against the signature, sets them on a cl_kernel of the pool, enqueues it. */
#include "opencl/internal.h"

static const char *type_name(const struct hri_cl_param *param)
{
    return param->type[0] ? param->type : "of another type";
}

static hr_status check_arg(const struct hrb_services *services, const struct hri_cl_kernel *kernel, uint32_t index,
                           const struct hrb_arg *arg)
{
    const struct hri_cl_param *param = &kernel->params[index];

    if (!param->known)
        return HR_OK; /* the driver finds what is wrong when the argument is set */
    if (param->space == CL_KERNEL_ARG_ADDRESS_LOCAL)
        return services->fail(HR_INVALID, 0,
                              "argument %u of kernel \"%s\" is __local memory, which is not passed: declare the array "
                              "in the kernel",
                              index, kernel->name);
    if (param->space == CL_KERNEL_ARG_ADDRESS_PRIVATE && arg->buffer)
        return services->fail(HR_INVALID, 0, "argument %u of kernel \"%s\" is a scalar (%s) and a buffer was given",
                              index, kernel->name, type_name(param));
    if (param->space != CL_KERNEL_ARG_ADDRESS_PRIVATE && !arg->buffer)
        return services->fail(HR_INVALID, 0,
                              "argument %u of kernel \"%s\" is a buffer (%s) and %llu bytes of data were given", index,
                              kernel->name, type_name(param), (unsigned long long)arg->bytes);
    if (param->bytes && param->bytes != arg->bytes)
        return services->fail(HR_INVALID, 0, "argument %u of kernel \"%s\" is %s with %zu bytes and %llu were given",
                              index, kernel->name, type_name(param), param->bytes, (unsigned long long)arg->bytes);
    return HR_OK;
}

static hr_status check_args(const struct hrb_services *services, const struct hri_cl_kernel *kernel,
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

/* A pointer into a buffer is a sub-buffer that lives as long as the launch: the command keeps what it uses. */
static cl_int set_buffer(struct hri_cl_clone *clone, uint32_t index, const struct hrb_arg *arg)
{
    const struct hri_cl_buffer *buffer = hri_cl_buffer(arg->buffer);
    cl_mem mem = buffer->mem;
    cl_int code;

    if (arg->offset > 0) {
        mem = hri_cl_buffer_part(buffer, arg->offset, buffer->head.bytes - arg->offset, &code);
        if (!mem)
            return code;
        clone->parts[index] = mem;
    }
    return clSetKernelArg(clone->native, index, sizeof mem, &mem);
}

static void drop_parts(struct hri_cl_clone *clone, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (clone->parts[i])
            clReleaseMemObject(clone->parts[i]);
        clone->parts[i] = NULL;
    }
}

static hr_status set_args(const struct hrb_services *services, const struct hri_cl_kernel *kernel,
                          struct hri_cl_clone *clone, const struct hrb_arg *args)
{
    for (uint32_t i = 0; i < kernel->n_params; i++) {
        cl_int code = args[i].buffer ? set_buffer(clone, i, &args[i])
                                     : clSetKernelArg(clone->native, i, args[i].bytes, args[i].data);

        if (code == CL_INVALID_ARG_SIZE || code == CL_INVALID_ARG_VALUE)
            return services->fail(HR_INVALID, code, "argument %u of kernel \"%s\" is %s, and %llu bytes were given: %s",
                                  i, kernel->name, type_name(&kernel->params[i]), (unsigned long long)args[i].bytes,
                                  hri_cl_code_name(code));
        if (code != CL_SUCCESS)
            return hri_cl_fail(services, HRI_CL_CALL, code, "argument %u of kernel \"%s\" cannot be set", i,
                               kernel->name);
    }
    return HR_OK;
}

/* Drivers count work groups in 32 bits and do not look: PoCL leaves out what is above, or ends the process. Without a
 * size given, a processor's groups may have one item each where no larger size divides the grid. */
static hr_status check_groups(const struct hri_cl_device *device, const struct hri_cl_kernel *kernel,
                              const hr_grid *grid)
{
    const hr_device_info *info = &device->traits.info;
    bool given = grid->local[0] != 0;
    uint64_t items = grid->global[0] * grid->global[1] * grid->global[2]; /* the core has checked that it fits */
    uint64_t group = given ? grid->local[0] * grid->local[1] * grid->local[2] : 1;

    if (!given && info->kind != HR_DEVICE_CPU && info->max_group_size > 0)
        group = info->max_group_size;
    if (items / group <= UINT32_MAX)
        return HR_OK;
    return device->head.services->fail(
        HR_INVALID, 0,
        "kernel \"%s\": a grid of %llu items in groups of %llu has more than the %u "
        "groups that \"%s\" counts: %s",
        kernel->name, (unsigned long long)items, (unsigned long long)group, UINT32_MAX, info->name,
        given ? "give larger groups, or launch parts" : "give a group size, or launch parts");
}

static cl_int enqueue(struct hri_cl_submission *sub, cl_kernel native, const hr_grid *grid)
{
    const size_t global[3] = {grid->global[0], grid->global[1], grid->global[2]};
    const size_t local[3] = {grid->local[0], grid->local[1], grid->local[2]};
    bool chosen = grid->local[0] != 0;

    return clEnqueueNDRangeKernel(sub->queue->native, native, grid->dims, NULL, global, chosen ? local : NULL,
                                  sub->n_waits, sub->waits, hri_cl_submit_event(sub));
}

static bool is_group_error(cl_int code)
{
    return code == CL_INVALID_WORK_GROUP_SIZE || code == CL_INVALID_WORK_ITEM_SIZE;
}

static hr_status check(struct hrb_kernel *kernel, const hr_grid *grid, const struct hrb_arg *args, uint32_t n_args)
{
    const struct hri_cl_device *device = hri_cl_device(kernel->program->device);
    const struct hri_cl_kernel *launched = (const struct hri_cl_kernel *)kernel;
    hr_status st = check_args(device->head.services, launched, args, n_args);

    return st == HR_OK ? check_groups(device, launched, grid) : st;
}

hr_status hri_cl_kernel_check(struct hrb_kernel *kernel, const hr_grid *grid, const struct hrb_arg *args,
                              uint32_t n_args)
{
    const struct hri_cl_kernel *launched = (const struct hri_cl_kernel *)kernel;
    hr_status st = check(kernel, grid, args, n_args);

    for (uint32_t i = 0; st == HR_OK && i < n_args; i++)
        if (!launched->params[i].known)
            st = HR_UNSUPPORTED;
    return st;
}

hr_status hri_cl_kernel_launch(struct hrb_queue *queue, struct hrb_kernel *kernel, const hr_grid *grid,
                               const struct hrb_arg *args, uint32_t n_args, const struct hrb_sync *sync)
{
    const struct hrb_services *services = queue->device->services;
    struct hri_cl_kernel *launched = (struct hri_cl_kernel *)kernel;
    pthread_mutex_t *parts = &hri_cl_device(queue->device)->parts;
    struct hri_cl_submission sub;
    struct hri_cl_clone *clone;
    cl_int code;
    hr_status st = check(kernel, grid, args, n_args);

    if (st != HR_OK)
        return st;
    st = hri_cl_submit_begin(queue, sync, &sub);
    if (st != HR_OK)
        return st;
    st = hri_cl_clone_take(launched, &clone);
    if (st != HR_OK)
        goto cancel;
    pthread_mutex_lock(parts); /* also for launches without a part: they may work on what parts are cut from */
    st = set_args(services, launched, clone, args);
    code = st == HR_OK ? enqueue(&sub, clone->native, grid) : CL_SUCCESS;
    drop_parts(clone, n_args);
    pthread_mutex_unlock(parts);
    hri_cl_clone_give(launched, clone);
    if (st == HR_OK && is_group_error(code))
        st = services->fail(
            HR_INVALID, code, "kernel \"%s\" does not run with work groups of %llu x %llu x %llu on \"%s\": %s",
            launched->name, (unsigned long long)grid->local[0], (unsigned long long)grid->local[1],
            (unsigned long long)grid->local[2], hri_cl_device(queue->device)->traits.info.name, hri_cl_code_name(code));
    if (st != HR_OK)
        goto cancel;
    return hri_cl_submit_end(&sub, code, "a kernel cannot be submitted");

cancel:
    hri_cl_submit_cancel(&sub);
    return st;
}
