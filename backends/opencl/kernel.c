/*
 * Kernels. The arguments of a cl_kernel belong to the object, so two threads must not share one: each launch borrows a
 * cl_kernel of its own from a pool that grows to the number of threads that launch at once. The driver keeps the
 * arguments of a launch from clEnqueueNDRangeKernel on, so a launch gives its cl_kernel back before it runs.
 */
#include "opencl/internal.h"

#include <stdlib.h>
#include <string.h>

static const struct hrb_services *services_of(const struct hri_cl_kernel *kernel)
{
    return kernel->head.program->device->services;
}

static hr_status clone_new(struct hri_cl_kernel *kernel, struct hri_cl_clone **clone)
{
    const struct hri_cl_program *program = (const struct hri_cl_program *)kernel->head.program;
    struct hri_cl_clone *made = calloc(1, sizeof *made + kernel->n_params * sizeof made->parts[0]);
    cl_int code;

    if (!made)
        return services_of(kernel)->fail(HR_NO_MEMORY, 0, "no memory to launch kernel \"%s\"", kernel->name);
    made->native = clCreateKernel(program->native, kernel->name, &code);
    if (!made->native) {
        free(made);
        return hri_cl_fail(services_of(kernel), HRI_CL_CALL, code, "kernel \"%s\" cannot be created", kernel->name);
    }
    *clone = made;
    return HR_OK;
}

hr_status hri_cl_clone_take(struct hri_cl_kernel *kernel, struct hri_cl_clone **clone)
{
    struct hri_cl_clone *taken;

    pthread_mutex_lock(&kernel->lock);
    taken = kernel->idle;
    if (taken)
        kernel->idle = taken->next;
    pthread_mutex_unlock(&kernel->lock);
    if (!taken)
        return clone_new(kernel, clone);
    *clone = taken;
    return HR_OK;
}

void hri_cl_clone_give(struct hri_cl_kernel *kernel, struct hri_cl_clone *clone)
{
    pthread_mutex_lock(&kernel->lock);
    clone->next = kernel->idle;
    kernel->idle = clone;
    pthread_mutex_unlock(&kernel->lock);
}

/* HR_NOT_FOUND with the names that there are; a driver gives all of them or none. */
static hr_status no_such_kernel(const struct hri_cl_program *program, const char *name)
{
    size_t bytes = 0;
    char *names = NULL;
    hr_status st;

    if (clGetProgramInfo(program->native, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &bytes) == CL_SUCCESS)
        names = calloc(bytes + 1, 1);
    if (names && clGetProgramInfo(program->native, CL_PROGRAM_KERNEL_NAMES, bytes, names, NULL) != CL_SUCCESS)
        names[0] = '\0';
    st = program->head.device->services->fail(HR_NOT_FOUND, CL_INVALID_KERNEL_NAME,
                                              "the program has no kernel \"%.100s\"; it has: %s", name,
                                              names ? names : "?");
    free(names);
    return st;
}

/* Makes the first cl_kernel, which tells the signature and then joins the pool. */
static hr_status learn(struct hri_cl_kernel *kernel, cl_kernel native)
{
    struct hri_cl_clone *first;
    cl_uint n = 0;
    cl_int code = clGetKernelInfo(native, CL_KERNEL_NUM_ARGS, sizeof n, &n, NULL);

    if (code != CL_SUCCESS)
        return hri_cl_fail(services_of(kernel), HRI_CL_CALL, code, "kernel \"%s\" does not tell its arguments",
                           kernel->name);
    kernel->n_params = n;
    kernel->params = calloc(n ? n : 1, sizeof kernel->params[0]);
    first = calloc(1, sizeof *first + n * sizeof first->parts[0]);
    if (!kernel->params || !first) {
        free(kernel->params);
        free(first);
        return services_of(kernel)->fail(HR_NO_MEMORY, 0, "no memory for kernel \"%s\"", kernel->name);
    }
    hri_cl_params(native, n, kernel->params);
    first->native = native;
    kernel->idle = first;
    return HR_OK;
}

hr_status hri_cl_kernel_create(struct hrb_program *program, const char *name, struct hrb_kernel **kernel)
{
    const struct hrb_services *services = program->device->services;
    const struct hri_cl_program *owner = (const struct hri_cl_program *)program;
    cl_kernel native;
    struct hri_cl_kernel *made;
    cl_int code;
    hr_status st;

    native = clCreateKernel(owner->native, name, &code);
    if (!native)
        return code == CL_INVALID_KERNEL_NAME
                   ? no_such_kernel(owner, name)
                   : hri_cl_fail(services, HRI_CL_CALL, code, "kernel \"%s\" cannot be created", name);
    made = calloc(1, sizeof *made);
    if (made)
        made->name = strdup(name);
    if (!made || !made->name) {
        st = services->fail(HR_NO_MEMORY, 0, "no memory for kernel \"%s\"", name);
        goto fail;
    }
    made->head.program = program;
    st = learn(made, native);
    if (st != HR_OK)
        goto fail_name;
    pthread_mutex_init(&made->lock, NULL);
    *kernel = &made->head;
    return HR_OK;

fail_name:
    free(made->name);
fail:
    free(made);
    clReleaseKernel(native);
    return st;
}

void hri_cl_kernel_destroy(struct hrb_kernel *kernel)
{
    struct hri_cl_kernel *closing = (struct hri_cl_kernel *)kernel;

    while (closing->idle) {
        struct hri_cl_clone *clone = closing->idle;

        closing->idle = clone->next;
        clReleaseKernel(clone->native);
        free(clone);
    }
    pthread_mutex_destroy(&closing->lock);
    free(closing->params);
    free(closing->name);
    free(closing);
}
