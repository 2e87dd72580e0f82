/*
 * What a launch costs the host beside a thread that keeps another queue busy with copies, in plain OpenCL: the limit
 * for any program that feeds small batches through a driver that serves one call at a time. opencl_contention
 * [PLATFORM]: a part of the platform's name.
 */
#include <CL/cl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SLOTS = 32, LAUNCHES = 2000, BYTES = 1 << 20 };
enum way { PLAIN, WAIT_LIST, BARRIER, WAYS };
static const char *const way_names[WAYS] = {"no wait", "wait list", "barrier"};

struct bench {
    cl_device_id device;
    cl_context context;
    cl_command_queue copies, kernels;
    cl_mem pinned, slots[SLOTS], out;
    char *host;
    cl_kernel kernel;
    atomic_bool stop;
    _Atomic(cl_event) latest; /* of the copies, for one launch to wait for */
    double copy_seconds;      /* inside the driver */
    unsigned copies_done;
};

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void need(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "opencl_contention: %s: %d\n", what, code);
    exit(1);
}

static void *copy(void *argument)
{
    struct bench *b = argument;
    cl_event events[SLOTS] = {0};

    for (unsigned i = 0; !atomic_load(&b->stop); i = (i + 1) % SLOTS) {
        cl_event old;
        double begin;

        if (events[i]) {
            clWaitForEvents(1, &events[i]);
            clReleaseEvent(events[i]);
        }
        begin = now();
        need(clEnqueueWriteBuffer(b->copies, b->slots[i], CL_FALSE, 0, BYTES, b->host + (size_t)i * BYTES, 0, NULL,
                                  &events[i]),
             "a copy");
        clFlush(b->copies);
        b->copy_seconds += now() - begin;
        b->copies_done++;
        clRetainEvent(events[i]);
        old = atomic_exchange(&b->latest, events[i]);
        if (old)
            clReleaseEvent(old);
    }
    clFinish(b->copies);
    for (unsigned i = 0; i < SLOTS; i++)
        if (events[i])
            clReleaseEvent(events[i]);
    return NULL;
}

/* Seconds in the driver for one launch; the flush counts. */
static double launch(struct bench *b, enum way way, cl_event *event)
{
    const size_t global = 1024, local = 64;
    cl_event wait = way == PLAIN ? NULL : atomic_exchange(&b->latest, (cl_event)NULL);
    double begin = now();

    if (wait && way == BARRIER)
        need(clEnqueueBarrierWithWaitList(b->kernels, 1, &wait, NULL), "a barrier");
    need(clEnqueueNDRangeKernel(b->kernels, b->kernel, 1, NULL, &global, &local, wait && way == WAIT_LIST ? 1 : 0,
                                wait && way == WAIT_LIST ? &wait : NULL, event),
         "a launch");
    clFlush(b->kernels);
    begin = now() - begin;
    if (wait)
        clReleaseEvent(wait);
    return begin;
}

static void measure(struct bench *b, bool beside, enum way way)
{
    cl_event events[SLOTS] = {0};
    double seconds = 0, begin;
    pthread_t thread;

    atomic_store(&b->stop, false);
    b->copy_seconds = 0;
    b->copies_done = 0;
    if (beside && pthread_create(&thread, NULL, copy, b) != 0)
        exit(1);
    begin = now();
    for (unsigned i = 0; i < LAUNCHES; i++) {
        cl_event *event = &events[i % SLOTS];

        if (*event) {
            clWaitForEvents(1, event);
            clReleaseEvent(*event);
        }
        seconds += launch(b, way, event);
    }
    clFinish(b->kernels);
    begin = now() - begin;
    for (unsigned i = 0; i < SLOTS; i++)
        clReleaseEvent(events[i]);
    atomic_store(&b->stop, true);
    if (beside)
        pthread_join(thread, NULL);
    printf("%-16s %-10s %6.1f us in the driver, %6.1f us in all", beside ? "beside copies" : "alone", way_names[way],
           seconds / LAUNCHES * 1e6, begin / LAUNCHES * 1e6);
    if (beside && b->copies_done > 0)
        printf("; a copy %.1f us in the driver", b->copy_seconds / b->copies_done * 1e6);
    putchar('\n');
}

static void find_device(struct bench *b, const char *wanted)
{
    cl_platform_id platforms[16];
    cl_uint n = 0;

    clGetPlatformIDs(16, platforms, &n);
    for (cl_uint i = 0; i < n && i < 16 && !b->device; i++) {
        char name[128] = "";

        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
        if (strstr(name, wanted))
            clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &b->device, NULL);
    }
    need(b->device ? CL_SUCCESS : CL_DEVICE_NOT_FOUND, "no platform with a device is called that");
}

static void open_bench(struct bench *b)
{
    const char *source = "__kernel void work(__global const float *x, __global float *out) {\n"
                         "    float v = x[get_global_id(0)];\n"
                         "    for (uint i = 0; i < 100; i++) v = v * 0.999f + 1.0f;\n"
                         "    out[get_global_id(0)] = v;\n"
                         "}\n";
    cl_program program;
    cl_int code;

    b->context = clCreateContext(NULL, 1, &b->device, NULL, NULL, &code);
    need(code, "no context");
    b->copies = clCreateCommandQueue(b->context, b->device, 0, &code);
    b->kernels = clCreateCommandQueue(b->context, b->device, 0, &code);
    b->pinned = clCreateBuffer(b->context, CL_MEM_ALLOC_HOST_PTR, SLOTS * BYTES, NULL, &code);
    b->host = clEnqueueMapBuffer(b->copies, b->pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, SLOTS * BYTES, 0, NULL,
                                 NULL, &code);
    need(code, "no pinned memory");
    memset(b->host, 1, SLOTS * BYTES);
    for (unsigned i = 0; i < SLOTS; i++)
        b->slots[i] = clCreateBuffer(b->context, 0, BYTES, NULL, &code);
    b->out = clCreateBuffer(b->context, 0, BYTES, NULL, &code);
    program = clCreateProgramWithSource(b->context, 1, &source, NULL, &code);
    need(clBuildProgram(program, 1, &b->device, "", NULL, NULL), "the kernel does not build");
    b->kernel = clCreateKernel(program, "work", &code);
    need(code, "no kernel");
    clReleaseProgram(program);
    clSetKernelArg(b->kernel, 0, sizeof(cl_mem), &b->slots[0]);
    need(clSetKernelArg(b->kernel, 1, sizeof(cl_mem), &b->out), "an argument");
}

static void close_bench(struct bench *b)
{
    cl_event latest = atomic_exchange(&b->latest, (cl_event)NULL);

    if (latest)
        clReleaseEvent(latest);
    clReleaseKernel(b->kernel);
    clReleaseMemObject(b->out);
    for (unsigned i = 0; i < SLOTS; i++)
        clReleaseMemObject(b->slots[i]);
    clEnqueueUnmapMemObject(b->copies, b->pinned, b->host, 0, NULL, NULL);
    clFinish(b->copies);
    clReleaseMemObject(b->pinned);
    clReleaseCommandQueue(b->kernels);
    clReleaseCommandQueue(b->copies);
    clReleaseContext(b->context);
}

int main(int argc, char **argv)
{
    static struct bench bench;

    find_device(&bench, argc > 1 ? argv[1] : "");
    open_bench(&bench);
    for (int i = 0; i < SLOTS; i++) { /* warm-up */
        cl_event event = NULL;

        launch(&bench, PLAIN, &event);
        clReleaseEvent(event);
    }
    clFinish(bench.kernels);
    for (int beside = 0; beside < 2; beside++)
        for (int way = PLAIN; way < (beside ? WAYS : WAIT_LIST); way++)
            measure(&bench, beside, (enum way)way);
    close_bench(&bench);
    return 0;
}
