/*
 * Upload, kernel and download as three overlapped stages: three_stages [SELECTOR [TILE-IN-MIB]]. The wall time of all
 * tiles beside each stage alone; the slowest one is the limit. The kernel is made to take about as long as an upload,
 * which is the hardest case. What comes back is checked.
 */
#include <headrace/headrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TILES = 64, SLOTS = 4, ROUNDS = 7 };

static struct {
    hr_device *device;
    hr_queue *in, *compute, *out;
    hr_kernel *kernel;
    hr_buffer *source, *target, *slot[SLOTS], *result[SLOTS];
    uint32_t *from, *to;
    size_t bytes;
    uint32_t turns; /* of the kernel's loop */
} b;

static const char text[] = "__kernel void work(__global const uint *x, __global uint *y, uint turns)\n"
                           "{\n"
                           "    size_t i = get_global_id(0);\n"
                           "    uint v = x[i];\n"
                           "    for (uint t = 0; t < turns; t++)\n"
                           "        v = v * 1664525u + 1013904223u;\n"
                           "    y[i] = v;\n"
                           "}\n";

static void need(hr_status st, const char *what)
{
    if (st == HR_OK)
        return;
    fprintf(stderr, "three_stages: %s: %s\n", what, hr_last_error());
    exit(1);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void upload(unsigned tile, hr_event **done, hr_event *free)
{
    hr_sync sync = {.size = sizeof sync, .waits = &free, .n_waits = free ? 1 : 0, .event = done};

    need(hr_copy(b.in, b.slot[tile % SLOTS], 0, b.source, 0, b.bytes, &sync), "an upload");
}

static void compute(unsigned tile, hr_event **done, hr_event *const *waits, uint32_t n_waits)
{
    hr_sync sync = {.size = sizeof sync, .waits = waits, .n_waits = n_waits, .event = done};
    hr_grid grid = {.size = sizeof grid, .dims = 1, .global = {b.bytes / 4}, .local = {64}};
    hr_arg args[] = {HR_ARG_BUFFER(b.slot[tile % SLOTS], 0), HR_ARG_BUFFER(b.result[tile % SLOTS], 0),
                     HR_ARG_BYTES(&b.turns, sizeof b.turns)};

    need(hr_kernel_launch(b.compute, b.kernel, &grid, args, 3, &sync), "a launch");
}

static void download(unsigned tile, hr_event **done, hr_event *computed)
{
    hr_sync sync = {.size = sizeof sync, .waits = &computed, .n_waits = computed ? 1 : 0, .event = done};

    need(hr_copy(b.out, b.target, 0, b.result[tile % SLOTS], 0, b.bytes, &sync), "a download");
}

static void finish(void)
{
    need(hr_queue_finish(b.in), "hr_queue_finish");
    need(hr_queue_finish(b.compute), "hr_queue_finish");
    need(hr_queue_finish(b.out), "hr_queue_finish");
}

/* A stage alone: 0 upload, 1 kernel, 2 download. */
static double alone(int stage)
{
    double start = now();

    for (unsigned tile = 0; tile < TILES; tile++) {
        hr_event *done = NULL;

        if (stage == 0)
            upload(tile, &done, NULL);
        else if (stage == 1)
            compute(tile, &done, NULL, 0);
        else
            download(tile, &done, NULL);
        hr_event_close(&done);
    }
    finish();
    return now() - start;
}

static double together(void)
{
    hr_event *computed[SLOTS] = {0}, *left[SLOTS] = {0};
    double start = now();

    for (unsigned tile = 0; tile < TILES; tile++) {
        unsigned s = tile % SLOTS;
        hr_event *waits[2] = {NULL, left[s]};

        upload(tile, &waits[0], computed[s]); /* the slot's last reader */
        hr_event_close(&computed[s]);
        compute(tile, &computed[s], waits, left[s] ? 2 : 1);
        hr_event_close(&waits[0]);
        hr_event_close(&left[s]);
        download(tile, &left[s], computed[s]);
    }
    finish();
    start = now() - start;
    for (unsigned s = 0; s < SLOTS; s++) {
        hr_event_close(&computed[s]);
        hr_event_close(&left[s]);
    }
    return start;
}

static void calibrate(void)
{
    double up = alone(0), per_turn;

    b.turns = 64;
    alone(1);
    per_turn = alone(1) / b.turns;
    b.turns = (uint32_t)(up / per_turn) + 1;
}

static void check(void)
{
    for (size_t i = 0; i < b.bytes / 4; i += 997) {
        uint32_t v = b.from[i];

        for (uint32_t t = 0; t < b.turns; t++)
            v = v * 1664525u + 1013904223u;
        if (v != b.to[i]) {
            fprintf(stderr, "three_stages: word %zu came back wrong\n", i);
            exit(1);
        }
    }
}

static void open_all(const char *selector, size_t bytes)
{
    hr_device_info info = {.size = sizeof info};
    hr_program *program;
    void *ptr;

    b.bytes = bytes;
    need(hr_device_open(selector, NULL, &b.device), "hr_device_open");
    need(hr_device_get_info(b.device, &info), "hr_device_get_info");
    need(hr_device_get_queue(b.device, HR_QUEUE_COPY_IN, &b.in), "a queue");
    need(hr_device_get_queue(b.device, HR_QUEUE_COMPUTE, &b.compute), "a queue");
    need(hr_device_get_queue(b.device, HR_QUEUE_COPY_OUT, &b.out), "a queue");
    need(hr_program_create(b.device, text, NULL, &program), "hr_program_create");
    need(hr_kernel_create(program, "work", &b.kernel), "hr_kernel_create");
    hr_program_close(&program);
    need(hr_buffer_create(b.device, HR_MEMORY_PINNED, bytes, NULL, &b.source), "pinned memory");
    need(hr_buffer_create(b.device, HR_MEMORY_PINNED, bytes, NULL, &b.target), "pinned memory");
    need(hr_buffer_acquire(b.source, NULL, HR_ACCESS_WRITE, &ptr), "pinned memory");
    b.from = ptr;
    need(hr_buffer_acquire(b.target, NULL, HR_ACCESS_READ, &ptr), "pinned memory");
    b.to = ptr;
    for (size_t i = 0; i < bytes / 4; i++)
        b.from[i] = (uint32_t)(i * 2654435761u);
    for (int i = 0; i < SLOTS; i++) {
        need(hr_buffer_create(b.device, HR_MEMORY_DEVICE, bytes, NULL, &b.slot[i]), "device memory");
        need(hr_buffer_create(b.device, HR_MEMORY_DEVICE, bytes, NULL, &b.result[i]), "device memory");
    }
    printf("%s  %s (%s): %d tiles of %zu MiB\n", info.selector, info.name, info.platform, TILES, bytes >> 20);
}

static void close_all(void)
{
    need(hr_buffer_release(b.source, NULL), "release");
    need(hr_buffer_release(b.target, NULL), "release");
    for (int i = 0; i < SLOTS; i++) {
        hr_buffer_close(&b.slot[i]);
        hr_buffer_close(&b.result[i]);
    }
    hr_buffer_close(&b.source);
    hr_buffer_close(&b.target);
    hr_kernel_close(&b.kernel);
    hr_device_close(&b.device);
}

int main(int argc, char **argv)
{
    double worst = 0;

    open_all(argc > 1 ? argv[1] : NULL, (size_t)(argc > 2 ? atoi(argv[2]) : 8) << 20);
    alone(0);
    calibrate();
    together();
    printf("%9s  %9s  %9s  %9s  %s\n", "upload", "kernel", "download", "together", "over the slowest");
    for (int round = 0; round < ROUNDS; round++) {
        double stage[3] = {alone(0), alone(1), alone(2)}, wall, most = 0;

        for (int s = 0; s < 3; s++)
            most = stage[s] > most ? stage[s] : most;
        wall = together();
        worst = wall / most > worst ? wall / most : worst;
        printf("%6.2f ms  %6.2f ms  %6.2f ms  %6.2f ms  %.3f\n", stage[0] * 1e3, stage[1] * 1e3, stage[2] * 1e3,
               wall * 1e3, wall / most);
        check();
    }
    printf("result worst_over_slowest=%.3f\n", worst);
    close_all();
    return 0;
}
