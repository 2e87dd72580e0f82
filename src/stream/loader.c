/* Opening and closing a loader: handles, threads, the last release. */
#include "stream/loader.h"

#include "core/util.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void init_sync(hr_loader *loader)
{
    pthread_mutexattr_t adaptive;
    pthread_condattr_t attr;

    /* Held for some hundred nanoseconds at a time by many threads: sleeping for it would cost far more than it takes.
     */
    pthread_mutexattr_init(&adaptive);
#ifdef __GLIBC__
    pthread_mutexattr_settype(&adaptive, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
    pthread_mutex_init(&loader->lock, &adaptive);
    pthread_mutexattr_destroy(&adaptive);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&loader->feeder_wakes, NULL);
    pthread_cond_init(&loader->workers_wake, NULL);
    pthread_cond_init(&loader->program_wakes, &attr);
    pthread_condattr_destroy(&attr);
}

/*
 * A device that computes on the host's cores loses one for as long as a thread gathers, and what it computes elsewhere
 * waits for that core's part. A thread that is woken under SCHED_BATCH does not push a running one aside: it takes the
 * gaps between kernels. train_fashion on 2 cores, streamed over resident: 1.02 without, 0.96 with it (2026-12-01).
 */
static void yield_core(pthread_t thread)
{
#ifdef SCHED_BATCH
    struct sched_param none = {0};

    (void)pthread_setschedparam(thread, SCHED_BATCH, &none); /* a sandbox may forbid it: it works without too */
#else
    (void)thread;
#endif
}

/* The program's signals stay with the program's threads. */
static hr_status start_threads(hr_loader *loader)
{
    sigset_t all, old;
    int err = 0;

    loader->threads = calloc(loader->workers, sizeof *loader->threads);
    if (!loader->threads)
        return hri_fail(HR_NO_MEMORY, "no memory for %u workers", loader->workers);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    for (; loader->n_threads < loader->workers && err == 0; loader->n_threads += err == 0) {
        pthread_t *thread = &loader->threads[loader->n_threads];

        err = pthread_create(thread, NULL, loader->n_threads == 0 ? hri_feeder_main : hri_worker_main, loader);
        if (err == 0 && loader->on_cores)
            yield_core(*thread);
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (err)
        return hri_fail(HR_NO_MEMORY, "thread %u of %u could not be started: %s; ask for fewer workers",
                        loader->n_threads + 1, loader->workers, strerror(err));
    return HR_OK;
}

hr_status hr_loader_open(hr_device *device, hr_dataset *dataset, const hr_loader_options *options, hr_loader **out)
{
    hr_loader_options o;
    hr_loader *loader;
    hr_status st;

    if (!device || !dataset || !out)
        return hri_fail(HR_INVALID, "hr_loader_open: %s is NULL", !device ? "device" : !dataset ? "dataset" : "loader");
    st = hri_struct_in(&o, sizeof o, options, sizeof o, "hr_loader_options");
    if (st != HR_OK)
        return st;
    if (o.queue && hri_queue_device(o.queue) != device)
        return hri_fail(HR_INVALID,
                        "hr_loader_options.queue belongs to another device; give a queue of this one or NULL");
    loader = calloc(1, sizeof *loader);
    if (!loader)
        return hri_fail(HR_NO_MEMORY, "no memory for a loader");
    atomic_init(&loader->refs, 1);
    init_sync(loader);
    loader->device = device;
    loader->dataset = dataset;
    loader->shuffle = o.shuffle;
    loader->seed = o.seed;
    loader->trace = hri_device_trace(device);
    hri_device_retain(device);
    hri_dataset_retain(dataset);
    st = hr_device_get_queue(device, HR_QUEUE_COPY_IN, &loader->copy_in);
    loader->compute = o.queue;
    if (st == HR_OK && !o.queue)
        st = hr_device_get_queue(device, HR_QUEUE_COMPUTE, &loader->compute);
    if (loader->compute)
        hri_queue_retain(loader->compute);
    if (st == HR_OK)
        st = hri_loader_setup(loader, &o);
    if (st == HR_OK)
        st = start_threads(loader);
    if (st != HR_OK) {
        hr_loader_close(&loader);
        return st;
    }
    *out = loader;
    return HR_OK;
}

void hri_loader_release(hr_loader *loader)
{
    if (atomic_fetch_sub(&loader->refs, 1) != 1)
        return;
    hri_loader_unset(loader);
    free(loader->layout.offsets);
    free(loader->threads);
    pthread_cond_destroy(&loader->program_wakes);
    pthread_cond_destroy(&loader->workers_wake);
    pthread_cond_destroy(&loader->feeder_wakes);
    pthread_mutex_destroy(&loader->lock);
    if (loader->compute)
        hri_queue_release(loader->compute);
    hri_dataset_release(loader->dataset);
    hri_device_release(loader->device);
    free(loader);
}

static struct timespec deadline_in(uint64_t timeout_ns)
{
    uint64_t at = hri_now_ns();

    if (hri_add_overflows(at, timeout_ns, &at))
        at = UINT64_MAX;
    return (struct timespec){.tv_sec = (time_t)(at / 1000000000u), .tv_nsec = (long)(at % 1000000000u)};
}

hr_status hr_loader_close_within(hr_loader **handle, uint64_t timeout_ns)
{
    hr_loader *loader = handle ? *handle : NULL;
    struct timespec deadline = deadline_in(timeout_ns);
    int err = 0;

    if (!loader)
        return HR_OK;
    if (hri_device_forked(loader->device)) { /* its threads are the parent's: there is nothing to wait for */
        *handle = NULL;
        return HR_OK;
    }
    pthread_mutex_lock(&loader->lock);
    loader->stopping = true;
    hri_feeder_kick(loader);
    pthread_cond_broadcast(&loader->workers_wake);
    while (loader->exited < loader->n_threads && err == 0)
        err = timeout_ns == HR_FOREVER ? pthread_cond_wait(&loader->program_wakes, &loader->lock)
                                       : pthread_cond_timedwait(&loader->program_wakes, &loader->lock, &deadline);
    err = loader->exited < loader->n_threads;
    pthread_mutex_unlock(&loader->lock);
    if (err)
        return HR_TIMEOUT;
    for (uint32_t i = 0; i < loader->n_threads; i++)
        pthread_join(loader->threads[i], NULL);
    *handle = NULL;
    hri_loader_release(loader);
    return HR_OK;
}

void hr_loader_close(hr_loader **handle)
{
    hr_loader_close_within(handle, HR_FOREVER);
}
