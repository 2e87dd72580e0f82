/* The rig of programs with a fault. */
#include "seed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_THREAD__)
#define THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREAD_SANITIZER 1
#endif
#endif
#ifndef THREAD_SANITIZER
#define THREAD_SANITIZER 0
#endif

static const char source[] = "__kernel void add(__global uint *data, uint words, uint addend)\n"
                             "{\n"
                             "    uint i = (uint)get_global_id(0);\n"
                             "    if (i < words)\n"
                             "        data[i] += addend;\n"
                             "}\n"
                             "__kernel void sum(__global const uint *data, __global ulong *out, uint words)\n"
                             "{\n"
                             "    ulong sum = 0;\n"
                             "    for (uint i = 0; i < words; i++)\n"
                             "        sum += data[i];\n"
                             "    out[0] = sum;\n"
                             "}\n";

static void open_seed(struct seed *seed, bool strict)
{
    *seed = (struct seed){.device = open_with(0, 0, strict ? "strict" : ""), .strict = strict};
    seed->in = new_queue(seed->device, HR_QUEUE_COPY_IN);
    seed->work = new_queue(seed->device, HR_QUEUE_COMPUTE);
    seed->out = new_queue(seed->device, HR_QUEUE_COPY_OUT);
    seed->buffer = new_buffer(seed->device, SEED_BYTES, seed->work);
    seed->other = new_buffer(seed->device, SEED_BYTES, seed->work);
    seed->pinned = new_pinned(seed->device, SEED_BYTES, &seed->pinned_ptr);
    seed->host = calloc(1, SEED_BYTES);
    assert_non_null(seed->host);
    memset(seed->pinned_ptr, 1, SEED_BYTES);
    OK(hr_program_create(seed->device, source, NULL, &seed->program));
    OK(hr_kernel_create(seed->program, "add", &seed->add));
    OK(hr_kernel_create(seed->program, "sum", &seed->sum));
    OK(hr_fill(seed->work, seed->buffer, 0, SEED_BYTES, "", 1, NULL));
    OK(hr_fill(seed->work, seed->other, 0, SEED_BYTES, "", 1, NULL));
    OK(hr_queue_finish(seed->work));
}

static void close_seed(struct seed *seed)
{
    hr_kernel_close(&seed->add);
    hr_kernel_close(&seed->sum);
    hr_program_close(&seed->program);
    hr_buffer_close(&seed->buffer);
    hr_buffer_close(&seed->other);
    hr_buffer_close(&seed->pinned);
    hr_queue_close(&seed->in);
    hr_queue_close(&seed->work);
    hr_queue_close(&seed->out);
    hr_device_close(&seed->device);
    free(seed->host);
}

static void run(seed_fault *fault, bool strict, hr_status status, const char *const *texts)
{
    struct seed seed;
    char message[1024];
    hr_status got;

    open_seed(&seed, strict);
    got = fault(&seed);
    snprintf(message, sizeof message, "%s", hr_last_error());
    close_seed(&seed);
    if (got != status)
        print_error("%s strict: answered %s (%s), expected %s\n", strict ? "with" : "without", hr_status_name(got),
                    got == HR_OK ? "" : message, hr_status_name(status));
    assert_int_equal(got, status);
    for (; strict && *texts; texts++) {
        if (!strstr(message, *texts))
            print_error("the message \"%s\" does not hold \"%s\"\n", message, *texts);
        assert_non_null(strstr(message, *texts));
    }
}

bool under_thread_sanitizer(void)
{
    return THREAD_SANITIZER;
}

void expect_found(seed_fault *fault, hr_status status, uint32_t without, const char *const *texts)
{
    run(fault, true, status, texts);
    /* A simulated device is threads of this process: there it sees races of device memory too. */
    if (THREAD_SANITIZER && ((without & SEED_RACES) || info.kind != HR_DEVICE_CPU))
        print_message("not without strict: ThreadSanitizer would tell of the race\n");
    else if ((without & SEED_POINTERS) && info.kind != HR_DEVICE_CPU)
        print_message("not without strict: the pointer is none any more on this device\n");
    else
        run(fault, false, HR_OK, texts);
}

hr_status seed_add(struct seed *seed, hr_queue *queue, hr_buffer *buffer, const hr_sync *sync)
{
    uint32_t words = SEED_WORDS, addend = 5;
    hr_arg args[] = {HR_ARG_BUFFER(buffer, 0), HR_ARG_BYTES(&words, sizeof words),
                     HR_ARG_BYTES(&addend, sizeof addend)};

    return launch(queue, seed->add, words, args, 3, sync);
}

hr_status seed_wait(hr_status before, hr_event **event)
{
    hr_status st = before;

    if (st == HR_OK)
        st = hr_event_wait(*event, HR_FOREVER);
    hr_event_close(event);
    return st;
}
