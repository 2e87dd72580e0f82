/* The gate's kernel and its flag. */
#include "gate.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Says that it has begun, and reads a volatile flag, at most `limit` times, so that a broken test ends. On a CPU device
 * a kernel reaches the host's memory by its address; elsewhere the flag is the buffer. */
static const char source[] =
    "__kernel void gate(ulong address, __global volatile int *buffer, __global volatile int *mark, ulong limit)\n"
    "{\n"
    "    mark[0] = 3;\n"
    "    __global volatile int *flag = address != 0 ? (__global volatile int *)address : buffer;\n"
    "    ulong i = 0;\n"
    "    while (flag[0] == 0 && i < limit)\n"
    "        i++;\n"
    "    mark[0] = flag[0] != 0 ? 1 : 2;\n"
    "}\n";

enum { FLAG_BYTES = 4096 };
static struct gate gate;

bool gate_possible(void)
{
    /* A device that is no CPU does not see host writes while a kernel runs: another queue's copy must reach it. */
    return (info.abilities & HR_ABILITY_ASYNC_KERNELS) &&
           (info.kind == HR_DEVICE_CPU || (info.abilities & HR_ABILITY_COPY_OVERLAP));
}

static void make_flag(void)
{
    static const uint32_t zero;

    gate.opener = new_queue(gate.device, HR_QUEUE_COPY_IN);
    gate.flag = new_buffer(gate.device, FLAG_BYTES, gate.opener);
    OK(hr_fill(gate.opener, gate.flag, 0, FLAG_BYTES, &zero, 4, NULL));
    OK(hr_queue_finish(gate.opener));
    if (info.kind == HR_DEVICE_CPU) {
        gate.host = calloc(1, FLAG_BYTES);
        assert_non_null(gate.host);
    } else { /* opening must need no staging: a test may have used it all */
        uint8_t *ptr;

        gate.key = new_pinned(gate.device, FLAG_BYTES, &ptr);
        memset(ptr, 1, FLAG_BYTES);
    }
}

void gate_close(hr_device *of, hr_queue *queue)
{
    /* About ten seconds: a CPU's volatile read takes a nanosecond, a GPU's some hundreds. */
    uint64_t limit = info.kind == HR_DEVICE_CPU ? (uint64_t)1 << 33 : (uint64_t)1 << 25;
    hr_sync sync = sync_of(&gate.event, NULL, 0);
    static const int32_t none;

    assert_null(gate.event);
    gate = (struct gate){.device = of};
    make_flag();
    gate.mark = new_buffer(of, 4, queue);
    OK(hr_fill(queue, gate.mark, 0, 4, &none, 4, NULL));
    OK(hr_program_create(of, source, NULL, &gate.program));
    OK(hr_kernel_create(gate.program, "gate", &gate.kernel));
    uint64_t address = (uintptr_t)gate.host;
    hr_arg args[] = {HR_ARG_BYTES(&address, sizeof address), HR_ARG_BUFFER(gate.flag, 0), HR_ARG_BUFFER(gate.mark, 0),
                     HR_ARG_BYTES(&limit, sizeof limit)};
    OK(launch(queue, gate.kernel, 1, args, 4, &sync));
    GATE_HOLDS();
}

void gate_await(void)
{
    const struct timespec moment = {.tv_nsec = 100000};
    int32_t begun = 0;

    for (int looks = 0; begun == 0; looks++) {
        if (looks > 0)
            nanosleep(&moment, NULL);
        if (looks == 50000)
            fail_msg("the gate's kernel has not begun in five seconds");
        OK(hr_read(gate.opener, gate.mark, 0, &begun, sizeof begun, NULL));
        OK(hr_queue_finish(gate.opener));
    }
    GATE_HOLDS();
}

hr_event *gate_event(void)
{
    return gate.event;
}

void gate_open(void)
{
    if (gate.host)
        __atomic_store_n(gate.host, 1, __ATOMIC_RELEASE);
    else if (gate.key && !gate.open)
        (void)hr_copy(gate.opener, gate.flag, 0, gate.key, 0, sizeof(int32_t), NULL);
    gate.open = true;
}

/* Frees in any state; the gate's kernel ends first. */
static void gate_free(void)
{
    gate_open();
    if (gate.event)
        (void)hr_event_wait(gate.event, HR_FOREVER);
    if (gate.opener) /* its copy is done, and the library knows it: the gate's memory is idle */
        (void)hr_queue_finish(gate.opener);
    hr_event_close(&gate.event);
    hr_buffer_close(&gate.flag);
    hr_buffer_close(&gate.mark);
    hr_buffer_close(&gate.key);
    hr_kernel_close(&gate.kernel);
    hr_program_close(&gate.program);
    hr_queue_close(&gate.opener);
    free(gate.host);
    gate = (struct gate){0};
}

void gate_end(void)
{
    int32_t left = 0;
    hr_queue *queue = NULL;
    hr_event *event = NULL;
    hr_sync sync = sync_of(&event, NULL, 0);

    gate_open();
    OK(hr_event_wait(gate.event, HR_FOREVER));
    OK(hr_device_get_queue(gate.device, HR_QUEUE_COPY_OUT, &queue));
    OK(hr_read(queue, gate.mark, 0, &left, sizeof left, &sync));
    OK(hr_event_wait(event, HR_FOREVER));
    hr_event_close(&event);
    gate_free();
    assert_int_equal(left, 1); /* 2: the gate gave up before the test opened it */
}

int gate_teardown(void **state)
{
    (void)state;
    gate_free();
    return 0;
}
