/* The library's own kernels: compiled on first use, once a device. */
#include "transfer/object.h"

#include <stdio.h>
#include <string.h>

/* One thread compiles, without the lock; others wait for it. */
static hr_status build(hr_device *device)
{
    hr_program *program = NULL;
    hr_status st = HR_OK;

    pthread_mutex_lock(&device->lock);
    while (device->builtin_state == HRI_BUILTIN_BUILDING)
        pthread_cond_wait(&device->built, &device->lock);
    if (device->builtin_state == HRI_BUILTIN_NONE) {
        device->builtin_state = HRI_BUILTIN_BUILDING;
        pthread_mutex_unlock(&device->lock);
        st = hri_program_make(device, &(struct hri_code){0}, &program);
        pthread_mutex_lock(&device->lock);
        device->builtin = program;
        device->builtin_state = st == HR_OK ? HRI_BUILTIN_READY : HRI_BUILTIN_NONE;
        pthread_cond_broadcast(&device->built);
    }
    pthread_mutex_unlock(&device->lock);
    return st;
}

/* Under the device's lock. */
static hr_kernel *find(const hr_device *device, const char *name)
{
    hr_kernel *kernel = device->kernels;

    while (kernel != NULL && strcmp(kernel->name, name) != 0)
        kernel = kernel->next;
    return kernel;
}

hr_status hri_device_kernel(hr_device *device, const char *name, hr_kernel **kernel)
{
    hr_kernel *made = NULL;
    hr_kernel *found;
    hr_status st = hri_device_check(device);

    if (st == HR_OK)
        st = build(device);
    if (st != HR_OK)
        return st;
    pthread_mutex_lock(&device->lock);
    found = find(device, name);
    pthread_mutex_unlock(&device->lock);
    if (found == NULL) {
        st = hri_kernel_make(device->builtin, name, &made);
        if (st != HR_OK)
            return st;
        snprintf(made->name, sizeof made->name, "%s", name);
        pthread_mutex_lock(&device->lock);
        found = find(device, name);
        if (found == NULL) {
            made->next = device->kernels;
            device->kernels = made;
            found = made;
            made = NULL;
        }
        pthread_mutex_unlock(&device->lock);
        hr_kernel_close(&made); /* another thread was first */
    }
    *kernel = found;
    return HR_OK;
}

void hri_builtin_close(hr_device *device)
{
    while (device->kernels != NULL) {
        hr_kernel *kernel = device->kernels;

        device->kernels = kernel->next;
        hr_kernel_close(&kernel);
    }
    hr_program_close(&device->builtin);
}
