/*
 * What hr_loader_next() and hr_batch_release() cost the program's thread when batches are ready, and a launch between
 * them: loader_cost [SELECTOR]. Each epoch begins with a pause in which all slots arrive; then as many batches as there
 * are slots are taken and released, and timed one by one.
 */
#include <headrace/headrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROW = 1024, BATCH_ROWS = 1024, BATCHES = 256, EPOCHS = 60, MOST = EPOCHS * 64, MOST_FIELDS = 4 };

struct cost {
    double next[MOST], launch[MOST], release[MOST], both[MOST];
    unsigned n;
};

static const char source[] = "__kernel void touch(__global const uchar *x, __global uchar *out)\n"
                             "{\n"
                             "    out[get_global_id(0)] = x[get_global_id(0)];\n"
                             "}\n";

static void need(hr_status st, const char *what)
{
    if (st == HR_OK)
        return;
    fprintf(stderr, "loader_cost: %s: %s\n", what, hr_last_error());
    exit(1);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3; /* microseconds */
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values, unsigned n)
{
    qsort(values, n, sizeof *values, by_value);
    return values[n / 2];
}

static hr_dataset *table(unsigned char *bytes, uint32_t fields)
{
    hr_array arrays[MOST_FIELDS];
    hr_dataset *dataset;
    uint64_t rows = (uint64_t)BATCHES * BATCH_ROWS;

    for (uint32_t f = 0; f < fields; f++)
        arrays[f] = (hr_array){.size = sizeof *arrays,
                               .dtype = HR_U8,
                               .rank = 1,
                               .shape = {ROW / fields},
                               .data = bytes + f * rows * (ROW / fields)};
    need(hr_dataset_from_arrays(arrays, fields, rows, &dataset), "hr_dataset_from_arrays");
    return dataset;
}

static void one(hr_loader *loader, hr_queue *queue, hr_kernel *kernel, hr_buffer *out, struct cost *cost)
{
    hr_field field = {.size = sizeof field};
    hr_grid grid = {.size = sizeof grid, .dims = 1, .global = {ROW}, .local = {64}};
    hr_batch *batch;
    double t[5];

    t[0] = now();
    need(hr_loader_next(loader, &batch), "hr_loader_next");
    t[1] = now();
    need(hr_batch_field(batch, 0, &field), "hr_batch_field");
    hr_arg args[] = {HR_ARG_BUFFER(field.buffer, field.offset), HR_ARG_BUFFER(out, 0)};
    t[2] = now();
    need(hr_kernel_launch(queue, kernel, &grid, args, 2, NULL), "hr_kernel_launch");
    t[3] = now();
    need(hr_batch_release(&batch), "hr_batch_release");
    t[4] = now();
    cost->next[cost->n] = t[1] - t[0];
    cost->launch[cost->n] = t[3] - t[2];
    cost->release[cost->n] = t[4] - t[3];
    cost->both[cost->n++] = t[1] - t[0] + t[4] - t[3];
}

static void measure(hr_device *device, unsigned char *bytes, uint32_t fields, hr_kernel *kernel, hr_buffer *out)
{
    hr_loader_options options = {.size = sizeof options, .batch_rows = BATCH_ROWS, .shuffle = 1, .depth = 32};
    hr_dataset *dataset = table(bytes, fields);
    struct timespec pause = {.tv_nsec = 20000000};
    static struct cost cost;
    hr_loader *loader;
    hr_queue *queue;

    cost.n = 0;
    need(hr_device_get_queue(device, HR_QUEUE_COMPUTE, &queue), "hr_device_get_queue");
    need(hr_loader_open(device, dataset, &options, &loader), "hr_loader_open");
    for (uint64_t epoch = 0; epoch < EPOCHS; epoch++) {
        need(hr_loader_start(loader, epoch), "hr_loader_start");
        nanosleep(&pause, NULL);
        for (uint32_t i = 0; i < options.depth; i++)
            one(loader, queue, kernel, out, &cost);
        need(hr_queue_finish(queue), "hr_queue_finish");
        if (epoch == 0)
            cost.n = 0; /* warm-up */
    }
    printf("%6u  %8.2f us  %8.2f us  %12.2f us  %8.2f us\n", fields, median(cost.next, cost.n),
           median(cost.release, cost.n), median(cost.both, cost.n), median(cost.launch, cost.n));
    hr_loader_close(&loader);
    hr_dataset_close(&dataset);
}

int main(int argc, char **argv)
{
    unsigned char *bytes = malloc((size_t)BATCHES * BATCH_ROWS * ROW);
    hr_device_info info = {.size = sizeof info};
    hr_device *device;
    hr_program *program;
    hr_kernel *kernel;
    hr_queue *queue;
    hr_buffer *out;

    if (!bytes)
        return 1;
    memset(bytes, 1, (size_t)BATCHES * BATCH_ROWS * ROW);
    need(hr_device_open(argc > 1 ? argv[1] : NULL, NULL, &device), "hr_device_open");
    need(hr_device_get_info(device, &info), "hr_device_get_info");
    need(hr_device_get_queue(device, HR_QUEUE_COMPUTE, &queue), "hr_device_get_queue");
    need(hr_program_create(device, source, NULL, &program), "hr_program_create");
    need(hr_kernel_create(program, "touch", &kernel), "hr_kernel_create");
    need(hr_buffer_create(device, HR_MEMORY_DEVICE, ROW, queue, &out), "hr_buffer_create");
    printf("%s  %s (%s): batches of %d KiB, medians\n", info.selector, info.name, info.platform,
           ROW * BATCH_ROWS / 1024);
    printf("%6s  %11s  %11s  %15s  %11s\n", "fields", "next", "release", "next + release", "launch");
    measure(device, bytes, 1, kernel, out);
    measure(device, bytes, 4, kernel, out);
    hr_buffer_close(&out);
    hr_kernel_close(&kernel);
    hr_program_close(&program);
    hr_device_close(&device);
    free(bytes);
    return 0;
}
