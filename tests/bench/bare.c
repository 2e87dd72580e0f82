/*
 * Copies through the library beside a plain loop in the driver's own interface, on one device, in one process, in
 * rounds that alternate: bare [SELECTOR [LARGEST-SIZE-IN-MIB]]. Prints a table and the ratios; checks the data. Where a
 * driver keeps copies back until it is told to start them, the plain loop is measured both ways: told for each copy, as
 * the library does it, and at the end alone.
 */
#include "bare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 15
#define ROUND_SECONDS 0.03

static const char *const direction_names[] = {"to device", "from device", "both at once"};

struct ours {
    hr_device *device;
    hr_queue *queue[2];
    hr_buffer *pinned[2], *on_device[2];
    void *host[2];
};

void bare_stop(const char *what, const char *why)
{
    fprintf(stderr, "bare: %s: %s\n", what, why);
    exit(1);
}

static void library(hr_status st, const char *what)
{
    if (st != HR_OK)
        bare_stop(what, hr_last_error());
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double plain_time(const struct bare *plain, enum direction direction, size_t bytes, unsigned n, bool flush)
{
    double start = now();

    for (unsigned i = 0; i < n; i++)
        plain->copy(direction, bytes, flush || i == 0); /* both directions begin at once */
    plain->finish();
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

/* A pattern goes out on 0 and across to 1; it must come back as it went. */
static void check(const struct bare *plain, struct ours *o, unsigned char *host[2], size_t bytes)
{
    unsigned char *back = malloc(bytes);

    if (!back)
        bare_stop("check", "out of memory");
    memset(host[0], 0xA5, bytes);
    memset(host[1], 0, bytes);
    memset(o->host[0], 0x5A, bytes);
    memset(o->host[1], 0, bytes);
    plain_time(plain, TO_DEVICE, bytes, 1, true);
    ours_time(o, TO_DEVICE, bytes, 1);
    plain->across(bytes);
    library(hr_copy(o->queue[0], o->on_device[1], 0, o->on_device[0], 0, bytes, NULL), "hr_copy");
    library(hr_queue_finish(o->queue[0]), "hr_queue_finish");
    plain_time(plain, FROM_DEVICE, bytes, 1, true);
    ours_time(o, FROM_DEVICE, bytes, 1);
    memset(back, 0xA5, bytes);
    if (memcmp(back, host[1], bytes) != 0)
        bare_stop("the plain loop", "the data are wrong");
    memset(back, 0x5A, bytes);
    if (memcmp(back, o->host[1], bytes) != 0)
        bare_stop("the library", "the data are wrong");
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

/* Prints one line; a ratio is the median of the rounds' own. Who goes first changes from round to round. */
static void compare(const struct bare *plain, struct ours *o, enum direction direction, size_t bytes)
{
    double told[ROUNDS], ours[ROUNDS], ratio[ROUNDS], ratio_untold[ROUNDS];
    double one, moved = (double)bytes * (direction == BOTH ? 2 : 1) * 1e-9;
    unsigned n;

    plain_time(plain, direction, bytes, 2, true);
    ours_time(o, direction, bytes, 2);
    one = plain_time(plain, direction, bytes, 4, true);
    n = ROUND_SECONDS / one < 4 ? 4 : ROUND_SECONDS / one > 2000 ? 2000 : (unsigned)(ROUND_SECONDS / one);
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 2)
            ours[i] = ours_time(o, direction, bytes, n);
        told[i] = plain_time(plain, direction, bytes, n, true);
        if (plain->can_flush)
            ratio_untold[i] = plain_time(plain, direction, bytes, n, false);
        if (i % 2 == 0)
            ours[i] = ours_time(o, direction, bytes, n);
        ratio[i] = told[i] / ours[i];
        if (plain->can_flush)
            ratio_untold[i] /= ours[i];
    }
    printf("%8zu KiB  %-12s  %8.2f GB/s  %8.2f GB/s  %6.3f", bytes / 1024, direction_names[direction],
           moved / median(told), moved / median(ours), median(ratio));
    if (plain->can_flush)
        printf("  %6.3f", median(ratio_untold));
    putchar('\n');
}

int main(int argc, char **argv)
{
    size_t largest = (argc > 2 ? (size_t)atoi(argv[2]) : 256) << 20;
    hr_device_info info = {.size = sizeof info};
    const struct bare *plain;
    struct ours o = {0};

    library(hr_device_open(argc > 1 ? argv[1] : NULL, NULL, &o.device), "hr_device_open");
    library(hr_device_get_info(o.device, &info), "hr_device_get_info");
    library(hr_device_get_queue(o.device, HR_QUEUE_COPY_IN, &o.queue[0]), "queue");
    library(hr_device_get_queue(o.device, HR_QUEUE_COPY_OUT, &o.queue[1]), "queue");
    plain = strncmp(info.selector, "cuda", 4) == 0 ? &bare_cuda : &bare_opencl;
    plain->open(o.device);

    printf("%s  %s (%s)\n", info.selector, info.name, info.platform);
    printf("%12s  %-12s  plain %-7s  %13s  %6s%s\n", "size", "direction", plain->name, "headrace", "ratio",
           plain->can_flush ? "  to a loop that starts copies at its end" : "");
    for (size_t bytes = 4096; bytes <= largest; bytes *= 4) {
        unsigned char *host[2];

        plain->buffers(bytes, host);
        ours_buffers(&o, bytes);
        check(plain, &o, host, bytes);
        for (int direction = 0; direction < DIRECTIONS; direction++)
            compare(plain, &o, (enum direction)direction, bytes);
        plain->free();
        ours_free(&o);
    }
    plain->close();
    hr_device_close(&o.device);
    return 0;
}
