/*
 * Copies through the library beside a plain OpenCL loop, on one device, in one process, in rounds that alternate:
 * bare_opencl [SELECTOR [LARGEST-SIZE-IN-MIB]]. Prints a table and the ratio of both; checks the data. The plain loop
 * has a context, queues and buffers of its own, with the host's memory mapped once for life.
 */
#include <CL/cl.h>
#include <headrace/headrace.h>
#include <headrace/opencl.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 15
#define ROUND_SECONDS 0.03

enum direction { TO_DEVICE, FROM_DEVICE, BOTH, DIRECTIONS };
static const char *const direction_names[] = {"to device", "from device", "both at once"};

/* One way's buffers: 0 is copied to the device, 1 from it. */
struct plain {
    cl_context context;
    cl_command_queue queue[2];
    cl_mem pinned[2], device[2];
    void *host[2];
};

struct ours {
    hr_device *device;
    hr_queue *queue[2];
    hr_buffer *pinned[2], *on_device[2];
    void *host[2];
};

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "bare_opencl: %s: %s\n", what, why);
    exit(1);
}

static void native(cl_int code, const char *what)
{
    char text[32];

    if (code == CL_SUCCESS)
        return;
    snprintf(text, sizeof text, "native code %d", code);
    stop(what, text);
}

static void library(hr_status st, const char *what)
{
    if (st != HR_OK)
        stop(what, hr_last_error());
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void plain_open(struct plain *p, cl_device_id device)
{
    cl_int code;

    p->context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    native(code, "clCreateContext");
    for (int i = 0; i < 2; i++) {
        p->queue[i] = clCreateCommandQueue(p->context, device, 0, &code);
        native(code, "clCreateCommandQueue");
    }
}

static void plain_buffers(struct plain *p, size_t bytes)
{
    cl_int code;

    for (int i = 0; i < 2; i++) {
        p->pinned[i] = clCreateBuffer(p->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes, NULL, &code);
        native(code, "clCreateBuffer");
        p->host[i] = clEnqueueMapBuffer(p->queue[i], p->pinned[i], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0,
                                        NULL, NULL, &code);
        native(code, "clEnqueueMapBuffer");
        p->device[i] = clCreateBuffer(p->context, CL_MEM_READ_WRITE, bytes, NULL, &code);
        native(code, "clCreateBuffer");
    }
}

static void plain_free(struct plain *p)
{
    for (int i = 0; i < 2; i++) {
        native(clEnqueueUnmapMemObject(p->queue[i], p->pinned[i], p->host[i], 0, NULL, NULL), "clEnqueueUnmap");
        native(clFinish(p->queue[i]), "clFinish");
        clReleaseMemObject(p->pinned[i]);
        clReleaseMemObject(p->device[i]);
    }
}

static double plain_time(struct plain *p, enum direction direction, size_t bytes, unsigned n)
{
    double start = now();

    for (unsigned i = 0; i < n; i++) {
        if (direction != FROM_DEVICE)
            native(clEnqueueWriteBuffer(p->queue[0], p->device[0], CL_FALSE, 0, bytes, p->host[0], 0, NULL, NULL),
                   "clEnqueueWriteBuffer");
        if (direction != TO_DEVICE)
            native(clEnqueueReadBuffer(p->queue[1], p->device[1], CL_FALSE, 0, bytes, p->host[1], 0, NULL, NULL),
                   "clEnqueueReadBuffer");
        if (i == 0) { /* both begin at once */
            native(clFlush(p->queue[0]), "clFlush");
            native(clFlush(p->queue[1]), "clFlush");
        }
    }
    native(clFinish(p->queue[0]), "clFinish");
    native(clFinish(p->queue[1]), "clFinish");
    return (now() - start) / n;
}

static void ours_buffers(struct ours *o, size_t bytes)
{
    for (int i = 0; i < 2; i++) {
        library(hr_buffer_create(o->device, HR_MEMORY_PINNED, bytes, NULL, &o->pinned[i]), "pinned memory");
        library(hr_buffer_acquire(o->pinned[i], NULL, HR_ACCESS_READ | HR_ACCESS_WRITE, &o->host[i]), "pinned memory");
        library(hr_buffer_create(o->device, HR_MEMORY_DEVICE, bytes, NULL, &o->on_device[i]), "device memory");
    }
}

static void ours_free(struct ours *o)
{
    for (int i = 0; i < 2; i++) {
        library(hr_buffer_release(o->pinned[i], NULL), "release");
        hr_buffer_close(&o->pinned[i]);
        hr_buffer_close(&o->on_device[i]);
    }
    library(hr_memory_trim(o->device), "hr_memory_trim");
}

static double ours_time(struct ours *o, enum direction direction, size_t bytes, unsigned n)
{
    double start = now();

    for (unsigned i = 0; i < n; i++) {
        if (direction != FROM_DEVICE)
            library(hr_copy(o->queue[0], o->on_device[0], 0, o->pinned[0], 0, bytes, NULL), "hr_copy");
        if (direction != TO_DEVICE)
            library(hr_copy(o->queue[1], o->pinned[1], 0, o->on_device[1], 0, bytes, NULL), "hr_copy");
    }
    library(hr_queue_finish(o->queue[0]), "hr_queue_finish");
    library(hr_queue_finish(o->queue[1]), "hr_queue_finish");
    return (now() - start) / n;
}

/* A pattern goes out on 0, its complement on 1; both must come back as they went. */
static void check(struct plain *p, struct ours *o, size_t bytes)
{
    unsigned char *back = malloc(bytes);

    if (!back)
        stop("check", "out of memory");
    memset(p->host[0], 0xA5, bytes);
    memset(p->host[1], 0, bytes);
    memset(o->host[0], 0x5A, bytes);
    memset(o->host[1], 0, bytes);
    plain_time(p, TO_DEVICE, bytes, 1);
    ours_time(o, TO_DEVICE, bytes, 1);
    native(clEnqueueCopyBuffer(p->queue[0], p->device[0], p->device[1], 0, 0, bytes, 0, NULL, NULL), "copy");
    native(clFinish(p->queue[0]), "clFinish");
    library(hr_copy(o->queue[0], o->on_device[1], 0, o->on_device[0], 0, bytes, NULL), "hr_copy");
    library(hr_queue_finish(o->queue[0]), "hr_queue_finish");
    plain_time(p, FROM_DEVICE, bytes, 1);
    ours_time(o, FROM_DEVICE, bytes, 1);
    memset(back, 0xA5, bytes);
    if (memcmp(back, p->host[1], bytes) != 0)
        stop("plain OpenCL", "the data are wrong");
    memset(back, 0x5A, bytes);
    if (memcmp(back, o->host[1], bytes) != 0)
        stop("library", "the data are wrong");
    free(back);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, by_value);
    return values[ROUNDS / 2];
}

/* Prints one line; the ratio is the median of the rounds' own. Who goes first changes from round to round. */
static void compare(struct plain *p, struct ours *o, enum direction direction, size_t bytes)
{
    double plain[ROUNDS], ours[ROUNDS], ratio[ROUNDS], one, moved = (double)bytes * (direction == BOTH ? 2 : 1) * 1e-9;
    unsigned n;

    plain_time(p, direction, bytes, 2);
    ours_time(o, direction, bytes, 2);
    one = plain_time(p, direction, bytes, 4);
    n = ROUND_SECONDS / one < 4 ? 4 : ROUND_SECONDS / one > 2000 ? 2000 : (unsigned)(ROUND_SECONDS / one);
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 2)
            ours[i] = ours_time(o, direction, bytes, n);
        plain[i] = plain_time(p, direction, bytes, n);
        if (i % 2 == 0)
            ours[i] = ours_time(o, direction, bytes, n);
        ratio[i] = plain[i] / ours[i];
    }
    printf("%8zu KiB  %-12s  %8.2f GB/s  %8.2f GB/s  %6.3f\n", bytes / 1024, direction_names[direction],
           moved / median(plain), moved / median(ours), median(ratio));
}

int main(int argc, char **argv)
{
    size_t largest = (argc > 2 ? (size_t)atoi(argv[2]) : 256) << 20;
    hr_device_info info = {.size = sizeof info};
    struct _cl_context *context;
    struct plain p = {0};
    struct ours o = {0};
    cl_device_id device;

    library(hr_device_open(argc > 1 ? argv[1] : NULL, NULL, &o.device), "hr_device_open");
    library(hr_device_get_info(o.device, &info), "hr_device_get_info");
    library(hr_device_get_queue(o.device, HR_QUEUE_COPY_IN, &o.queue[0]), "queue");
    library(hr_device_get_queue(o.device, HR_QUEUE_COPY_OUT, &o.queue[1]), "queue");
    library(hr_device_opencl(o.device, &context), "hr_device_opencl");
    native(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, NULL), "clGetContextInfo");
    plain_open(&p, device);

    printf("%s  %s (%s)\n", info.selector, info.name, info.platform);
    printf("%12s  %-12s  %13s  %13s  %6s\n", "size", "direction", "plain OpenCL", "headrace", "ratio");
    for (size_t bytes = 4096; bytes <= largest; bytes *= 4) {
        plain_buffers(&p, bytes);
        ours_buffers(&o, bytes);
        check(&p, &o, bytes);
        for (int direction = 0; direction < DIRECTIONS; direction++)
            compare(&p, &o, (enum direction)direction, bytes);
        plain_free(&p);
        ours_free(&o);
    }
    for (int i = 0; i < 2; i++)
        clReleaseCommandQueue(p.queue[i]);
    clReleaseContext(p.context);
    hr_device_close(&o.device);
    return 0;
}
