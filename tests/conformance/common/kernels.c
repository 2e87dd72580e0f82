/* The kernels that several programs use, built once for the device under test. */
#include "conformance.h"

#include <string.h>

static const char source[] =
    "__kernel void sum_bytes(__global const uchar *in, __global ulong *out, ulong bytes, ulong items)\n"
    "{\n"
    "    ulong item = (ulong)get_global_id(0);\n"
    "    ulong sum = 0;\n"
    "    for (ulong i = item; i < bytes; i += items)\n"
    "        sum += (ulong)(in[i] + 1) * (2 * i + 1);\n"
    "    out[item] = sum;\n"
    "}\n"
    "__kernel void add_words(__global uint *data, uint words, uint addend)\n"
    "{\n"
    "    uint i = (uint)get_global_id(0);\n"
    "    if (i < words)\n"
    "        data[i] += addend;\n"
    "}\n"
    "__kernel void copy_words(__global const uint *in, __global uint *out, uint words)\n"
    "{\n"
    "    uint i = (uint)get_global_id(0);\n"
    "    if (i < words)\n"
    "        out[i] = in[i];\n"
    "}\n";

static const char *const names[] = {"sum_bytes", "add_words", "copy_words"};
enum { KERNELS = sizeof names / sizeof names[0] };
static hr_kernel *kernels[KERNELS];

hr_kernel *shared_kernel(const char *name)
{
    hr_program *program = NULL;

    if (!kernels[0]) {
        OK(hr_program_create(device, source, NULL, &program));
        for (int i = 0; i < KERNELS; i++)
            OK(hr_kernel_create(program, names[i], &kernels[i]));
        hr_program_close(&program);
    }
    for (int i = 0; i < KERNELS; i++)
        if (strcmp(name, names[i]) == 0)
            return kernels[i];
    fail_msg("no shared kernel %s", name);
    return NULL;
}

int conformance_close(void **state)
{
    (void)state;
    for (int i = 0; i < KERNELS; i++)
        hr_kernel_close(&kernels[i]);
    hr_device_close(&device);
    return device ? -1 : 0;
}

hr_status launch(hr_queue *queue, hr_kernel *kernel, uint64_t items, const hr_arg *args, uint32_t n_args,
                 const hr_sync *sync)
{
    hr_grid grid = {.size = sizeof grid, .dims = 1, .global = {items}};

    return hr_kernel_launch(queue, kernel, &grid, args, n_args, sync);
}

hr_status launch_add(hr_queue *queue, hr_buffer *buffer, uint32_t words, uint32_t addend, const hr_sync *sync)
{
    hr_arg args[] = {HR_ARG_BUFFER(buffer, 0), HR_ARG_BYTES(&words, sizeof words),
                     HR_ARG_BYTES(&addend, sizeof addend)};

    return launch(queue, shared_kernel("add_words"), words, args, 3, sync);
}
