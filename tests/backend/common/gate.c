/* A kernel that the host holds. */
#include "gate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
    "__kernel void gate(__global const volatile uint *flag, __global uint *out, uint value, ulong bound) {\n"
    "    ulong n = 0;\n"
    "    while (flag[0] == 0 && n < bound) n++;\n"
    "    out[0] = n < bound ? value : 0;\n"
    "}\n";

bool gate_possible(void)
{
    return rig_has(HR_ABILITY_ASYNC_KERNELS) && (rig.info.kind == HR_DEVICE_CPU || rig_has(HR_ABILITY_COPY_OVERLAP));
}

void gate_create(struct gate *gate)
{
    const uint32_t closed = 0;

    memset(gate, 0, sizeof *gate);
    gate->kernel = rig_kernel(source, "gate", &gate->program);
    if (rig_has(HR_ABILITY_COPY_OVERLAP)) {
        gate->flag = rig_buffer(HR_MEMORY_DEVICE, 4096);
        rig_write(gate->flag, &closed, sizeof closed);
        assert_int_equal(rig.ops->queue_create(rig.device, HR_QUEUE_COPY_IN, 0, NULL, &gate->opener), HR_OK);
        return;
    }
    gate->host = aligned_alloc(4096, 4096);
    memset(gate->host, 0, 4096);
    assert_int_equal(rig.ops->buffer_import(rig.device, gate->host, 4096, &gate->flag), HR_OK);
}

void gate_destroy(struct gate *gate)
{
    if (gate->opener)
        rig.ops->queue_destroy(gate->opener);
    rig.ops->buffer_destroy(gate->flag);
    rig.ops->kernel_destroy(gate->kernel);
    rig.ops->program_destroy(gate->program);
    free(gate->host);
}

hr_status gate_launch(struct gate *gate, struct hrb_queue *queue, struct hrb_buffer *out, uint32_t value,
                      const struct hrb_sync *sync)
{
    /* Some 20 seconds: a turn takes about a nanosecond on a processor, some ten on a simulated GPU, and a memory access
     * on a real one. */
    const bool simulated = strncmp(rig.info.name, "Simulated", 9) == 0;
    const uint64_t bound = UINT64_C(1) << (rig.info.kind == HR_DEVICE_CPU ? 34 : simulated ? 31 : 25);
    const struct hrb_arg args[] = {
        {.buffer = gate->flag}, {.buffer = out}, {.data = &value, .bytes = 4}, {.data = &bound, .bytes = 8}};
    const hr_grid grid = {.size = sizeof grid, .dims = 1, .global = {1, 1, 1}};

    return rig.ops->kernel_launch(queue, gate->kernel, &grid, args, 4, sync);
}

void gate_open(struct gate *gate)
{
    uint32_t open = 1;
    const struct hrb_place dst = rig_device_place(gate->flag, 0);
    const struct hrb_place src = rig_host_place(NULL, &open, 0);

    if (gate->host) {
        __atomic_store_n(gate->host, open, __ATOMIC_RELEASE);
        return;
    }
    assert_int_equal(rig.ops->copy(gate->opener, &dst, &src, sizeof open, &rig_no_sync), HR_OK);
    assert_int_equal(rig.ops->queue_finish(gate->opener), HR_OK);
}
