/* A kernel of a chosen length over a batch, to see whether the device waits for data. */
#include "stream.h"

#include <stdlib.h>
#include <string.h>

/* Reads the whole batch, then goes on by itself; neither part can be left out, since both end in `out`. ITEMS is known
 * when it is compiled, so that a single work item reads in sequence, many of them side by side. */
static const char source[] = "__kernel void load(__global const uint *in, __global uint *out, uint words, uint spin)\n"
                             "{\n"
                             "    uint id = (uint)get_global_id(0), sum = id + 1;\n"
                             "    for (uint i = id; i < words; i += ITEMS)\n"
                             "        sum += in[i];\n"
                             "    sum |= 1;\n"
                             "    for (uint i = 0; i < spin; i++) {\n"
                             "        sum ^= sum << 13;\n"
                             "        sum ^= sum >> 17;\n"
                             "        sum ^= sum << 5;\n"
                             "    }\n"
                             "    out[id] = sum;\n"
                             "}\n";

hr_status resident_open(hr_device *device, hr_queue *queue, uint64_t bytes, struct resident *resident)
{
    const uint32_t zero = 0;
    hr_status st = HR_OK;

    *resident = (struct resident){.bytes = bytes};
    while (st == HR_OK && resident->n < RESIDENT_MOST) {
        hr_buffer **buffer = &resident->buffers[resident->n];

        st = hr_buffer_create(device, HR_MEMORY_DEVICE, bytes, queue, buffer);
        if (st != HR_OK)
            break;
        resident->n++;
        st = hr_fill(queue, *buffer, 0, bytes / sizeof zero * sizeof zero, &zero, sizeof zero, NULL);
    }
    /* As many as there is room for: half of them goes back, since others want memory too. */
    if (st == HR_NO_DEVICE_MEMORY && resident->n > 1) {
        for (uint32_t keep = (resident->n + 1) / 2; resident->n > keep; resident->n--)
            hr_buffer_close(&resident->buffers[resident->n - 1]);
        st = HR_OK;
    }
    if (st != HR_OK)
        resident_close(resident);
    return st;
}

void resident_close(struct resident *resident)
{
    while (resident->n > 0)
        hr_buffer_close(&resident->buffers[--resident->n]);
}

int load_open(struct stream *stream, const hr_device_info *info, struct load *load)
{
    /* On a CPU one work group of one item: one core computes, the others are free to gather. */
    bool cpu = info->kind == HR_DEVICE_CPU;
    struct load l = {.group = cpu ? 1 : info->max_group_size < 64 ? info->max_group_size : 64};
    char definition[32];
    hr_status st;

    l.items = cpu ? 1 : l.group * 4 * (info->compute_units ? info->compute_units : 1);
    snprintf(definition, sizeof definition, "-DITEMS=%uu", l.items);
    st = hr_program_create(stream->device, source, definition, &l.program);
    if (st == HR_OK)
        st = hr_kernel_create(l.program, "load", &l.kernel);
    if (st == HR_OK)
        st = hr_buffer_create(stream->device, HR_MEMORY_DEVICE, l.items * sizeof(uint32_t), stream->compute, &l.out);
    if (st != HR_OK) {
        load_close(&l);
        return cli_failed(st, "cannot prepare the kernel");
    }
    *load = l;
    return CLI_DONE;
}

void load_close(struct load *load)
{
    hr_buffer_close(&load->out);
    hr_kernel_close(&load->kernel);
    hr_program_close(&load->program);
}

hr_status load_launch(const struct load *load, hr_queue *queue, hr_buffer *buffer, uint64_t offset, uint64_t bytes)
{
    uint32_t words = (uint32_t)(bytes / sizeof(uint32_t));
    hr_arg args[] = {HR_ARG_BUFFER(buffer, offset), HR_ARG_BUFFER(load->out, 0), HR_ARG_BYTES(&words, sizeof words),
                     HR_ARG_BYTES(&load->spin, sizeof load->spin)};
    hr_grid grid = {.size = sizeof grid, .dims = 1, .global = {load->items, 1, 1}, .local = {load->group, 1, 1}};

    return hr_kernel_launch(queue, load->kernel, &grid, args, sizeof args / sizeof *args, NULL);
}

int load_time(const struct load *load, hr_queue *queue, const struct resident *resident, uint64_t n, double *seconds)
{
    double start = cli_seconds();
    hr_status st = HR_OK;

    for (uint64_t i = 0; i < n && st == HR_OK; i++)
        st = load_launch(load, queue, resident->buffers[i % resident->n], 0, resident->bytes);
    if (st == HR_OK)
        st = hr_queue_finish(queue);
    *seconds = (cli_seconds() - start) / (double)n;
    return st == HR_OK ? CLI_DONE : cli_failed(st, "the kernel over a resident batch");
}

/* The time of a launch: a median, since other work on the machine comes and goes. */
static int probe(const struct load *load, hr_queue *queue, const struct resident *resident, double *seconds)
{
    enum { LAUNCHES = RESIDENT_MOST, TIMES = 5 };
    double times[TIMES];
    int status = CLI_DONE;

    for (int i = 0; i < TIMES && status == CLI_DONE; i++)
        status = load_time(load, queue, resident, LAUNCHES, &times[i]);
    if (status == CLI_DONE)
        *seconds = cli_median(times, TIMES);
    return status;
}

/* The time of a launch as a line through two measured points, corrected by what that gives. */
int load_calibrate(struct load *load, hr_queue *queue, const struct resident *resident, double seconds)
{
    const uint32_t most = 1u << 30;
    double base, taken;
    int status;

    load->spin = 0;
    status = load_time(load, queue, resident, 1, &base); /* compiles */
    if (status == CLI_DONE)
        status = probe(load, queue, resident, &base);
    if (status != CLI_DONE || base >= seconds)
        return status;
    load->spin = 64;
    do {
        load->spin *= 2;
        status = probe(load, queue, resident, &taken);
    } while (status == CLI_DONE && taken < seconds && load->spin < most);
    for (int i = 0; i < 3 && status == CLI_DONE && taken > base; i++) {
        double spin = load->spin * (seconds - base) / (taken - base);

        load->spin = spin < 1 ? 1 : spin > most ? most : (uint32_t)spin;
        status = probe(load, queue, resident, &taken);
    }
    return status;
}
