/* Kernel launches. */
#include "core/util.h"
#include "transfer/copy.h"

#include <stdlib.h>

enum { FEW_ARGS = 16 };

/* A launch's arguments for the table, and the buffers whose use is announced. */
struct launch {
    struct hrb_arg few_args[FEW_ARGS];
    hr_buffer *few_buffers[FEW_ARGS];
    struct hrb_arg *args;
    hr_buffer **buffers; /* NULL for scalars */
    uint32_t n;          /* checked, and announced */
};

static hr_status buffer_arg(hr_queue *queue, const hr_arg *given, uint32_t i, struct launch *launch)
{
    hr_buffer *buffer = given->buffer;
    const hr_device_info *info = &queue->device->info;

    if (buffer == NULL)
        return hri_fail(HR_INVALID, "hr_kernel_launch: argument %u: the buffer is NULL", i);
    if (buffer->device != queue->device)
        return hri_fail(HR_INVALID, "hr_kernel_launch: argument %u: the buffer is of device %s, the queue of %s", i,
                        buffer->device->info.selector, info->selector);
    if (hri_is_host_side(buffer))
        return hri_fail(HR_INVALID, "hr_kernel_launch: argument %u: kernels work on HR_MEMORY_DEVICE alone", i);
    if (given->offset >= buffer->bytes)
        return hri_fail(HR_RANGE,
                        "hr_kernel_launch: argument %u: offset %llu is past the end of a buffer of %llu bytes", i,
                        (unsigned long long)given->offset, (unsigned long long)buffer->bytes);
    if (given->offset % info->alignment != 0)
        return hri_fail(HR_RANGE, "hr_kernel_launch: argument %u: offset %llu is no multiple of %u, as %s asks", i,
                        (unsigned long long)given->offset, info->alignment, info->selector);
    launch->args[i] = (struct hrb_arg){.buffer = buffer->native, .offset = given->offset};
    launch->buffers[i] = buffer;
    return hri_buffer_use_begin(buffer, queue);
}

static hr_status argument(hr_queue *queue, const hr_arg *caller, uint32_t i, struct launch *launch)
{
    hr_arg given = {0};
    hr_status st = hri_struct_in(&given, sizeof given, caller, HRI_LEAST(hr_arg, bytes), "hr_arg");

    if (st != HR_OK)
        return hri_fail_context(st, "hr_kernel_launch: argument %u", i);
    if (given.kind == HR_ARG_IS_BUFFER)
        return buffer_arg(queue, &given, i, launch);
    if (given.kind != HR_ARG_IS_BYTES)
        return hri_fail(HR_INVALID, "hr_kernel_launch: argument %u: kind %u is none: use HR_ARG_BUFFER or HR_ARG_BYTES",
                        i, given.kind);
    if (given.data == NULL || given.bytes == 0)
        return hri_fail(HR_INVALID, "hr_kernel_launch: argument %u: a scalar of %llu bytes at %p", i,
                        (unsigned long long)given.bytes, given.data);
    launch->args[i] = (struct hrb_arg){.data = given.data, .bytes = given.bytes};
    launch->buffers[i] = NULL;
    return HR_OK;
}

static hr_status launch_args(hr_queue *queue, const hr_arg *args, uint32_t n_args, struct launch *launch)
{
    /* An array of structs: the caller's element size is its distance. */
    const unsigned char *at = (const unsigned char *)args;
    hr_status st = HR_OK;

    launch->args = launch->few_args;
    launch->buffers = launch->few_buffers;
    launch->n = 0;
    if (n_args > 0 && args == NULL)
        return hri_fail(HR_INVALID, "hr_kernel_launch: args is NULL with n_args %u", n_args);
    if (n_args > FEW_ARGS) {
        launch->args = malloc(n_args * sizeof *launch->args);
        launch->buffers = malloc(n_args * sizeof(hr_buffer *));
        if (launch->args == NULL || launch->buffers == NULL)
            return hri_fail(HR_NO_MEMORY, "no host memory for %u kernel arguments", n_args);
    }
    while (st == HR_OK && launch->n < n_args) {
        const hr_arg *arg = (const void *)at;

        st = argument(queue, arg, launch->n, launch);
        if (st == HR_OK) {
            launch->n++;
            at += args->size;
        }
    }
    return st;
}

static void launch_end(hr_queue *queue, struct launch *launch, uint64_t number)
{
    for (uint32_t i = 0; i < launch->n; i++)
        if (launch->buffers[i] != NULL)
            hri_buffer_use_end(launch->buffers[i], queue, number);
    if (launch->args != launch->few_args)
        free(launch->args);
    if (launch->buffers != launch->few_buffers)
        free(launch->buffers);
}

/* Fills in the dimensions that are not used, so that backends and layers see three. */
static hr_status grid_in(const hr_device *device, const hr_grid *caller, hr_grid *grid)
{
    uint64_t group = 1;
    uint64_t items = 1;
    bool local;
    hr_status st = hri_struct_in(grid, sizeof *grid, caller, HRI_LEAST(hr_grid, local), "hr_grid");

    if (st != HR_OK)
        return st;
    if (grid->dims < 1 || grid->dims > 3)
        return hri_fail(HR_INVALID, "hr_kernel_launch: a grid of %u dimensions: use 1 to 3", grid->dims);
    local = grid->local[0] != 0;
    for (uint32_t d = 0; d < 3; d++) {
        if (d >= grid->dims) {
            grid->global[d] = 1;
            grid->local[d] = local ? 1 : 0;
        }
        if (grid->global[d] == 0)
            return hri_fail(HR_INVALID, "hr_kernel_launch: global[%u] is 0: there is nothing to launch", d);
        if ((grid->local[d] != 0) != local)
            return hri_fail(HR_INVALID, "hr_kernel_launch: local[%u] is %llu: give all of local, or 0 for all", d,
                            (unsigned long long)grid->local[d]);
        if (local && grid->global[d] % grid->local[d] != 0)
            return hri_fail(HR_INVALID, "hr_kernel_launch: global[%u] %llu is no multiple of local %llu", d,
                            (unsigned long long)grid->global[d], (unsigned long long)grid->local[d]);
        if (local && hri_mul_overflows(group, grid->local[d], &group))
            group = UINT64_MAX;
        if (hri_mul_overflows(items, grid->global[d], &items))
            return hri_fail(
                HR_INVALID,
                "hr_kernel_launch: a grid of %llu x %llu x %llu has more items than 64 bits count: launch parts",
                (unsigned long long)grid->global[0], (unsigned long long)grid->global[1],
                (unsigned long long)(grid->dims > 2 ? grid->global[2] : 1));
    }
    if (local && device->info.max_group_size != 0 && group > device->info.max_group_size)
        return hri_fail(HR_INVALID, "hr_kernel_launch: a work group of %llu items: %s takes at most %u",
                        (unsigned long long)group, device->info.selector, device->info.max_group_size);
    return HR_OK;
}

hr_status hr_kernel_launch(hr_queue *queue, hr_kernel *kernel, const hr_grid *grid, const hr_arg *args, uint32_t n_args,
                           const hr_sync *sync)
{
    struct hri_job job;
    struct launch launch;
    hr_grid shape = {0};
    hr_status st;

    if (queue == NULL || kernel == NULL)
        return hri_fail(HR_INVALID, "hr_kernel_launch: %s is NULL", queue == NULL ? "queue" : "kernel");
    if (kernel->program->device != queue->device)
        return hri_fail(HR_INVALID, "hr_kernel_launch: the kernel is of device %s, the queue of %s",
                        kernel->program->device->info.selector, queue->device->info.selector);
    st = grid_in(queue->device, grid, &shape);
    if (st != HR_OK)
        return st;
    st = hri_job_begin(&job, queue, sync);
    if (st != HR_OK)
        return st;
    st = launch_args(queue, args, n_args, &launch);
    if (st == HR_OK)
        st = queue->device->ops->kernel_launch(queue->native, kernel->native, &shape, launch.args, n_args, &job.sync);
    st = hri_job_end(&job, st);
    /* The job's submission has been counted: the queue's number now covers it. */
    launch_end(queue, &launch, atomic_load(&queue->submitted));
    return st;
}
