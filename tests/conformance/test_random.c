/* Random programs that are right: every call waits, in one way or another, for the earlier ones that it would meet.
 * What they leave behind is what the same calls do one after the other. */
#include "conformance.h"

#include <stdlib.h>
#include <string.h>

enum { QUEUES = 3, BUFFERS = 3, PARTS = 4, PART = 4096, BYTES = PARTS * PART, PROGRAMS = 40, STEPS = 120, READS = 8 };

/* The last calls that touched a part of a buffer: the last that wrote, and those that have read since, a queue one. */
struct part {
    hr_event *wrote;
    hr_event *read[QUEUES];
};

struct download {
    hr_event *done;
    uint8_t *got;
    uint8_t *expected;
};

struct upload {
    hr_event *done;
    uint8_t *source;
};

static struct {
    uint64_t random;
    hr_queue *queues[QUEUES];
    hr_buffer *buffers[BUFFERS];
    uint8_t *model[BUFFERS];
    struct part parts[BUFFERS][PARTS];
    struct download reads[READS];
    struct upload writes[READS];
} p;

static uint32_t below(uint32_t n)
{
    return (uint32_t)(next_random(&p.random) % n);
}

/* What a call must be behind, as a list or by the queue. */
struct behind {
    hr_event *list[2 * PARTS * (QUEUES + 1)];
    uint32_t n;
};

static void add(struct behind *b, hr_queue *queue, hr_event *event)
{
    if (!event)
        return;
    switch (below(4)) {
    case 0:
        OK(hr_queue_wait(queue, event));
        break;
    case 1:
        if (below(8) == 0) {
            OK(hr_event_wait(event, HR_FOREVER));
            break;
        }
        /* fall through */
    default:
        b->list[b->n++] = event;
    }
}

static void wait_for(struct behind *b, hr_queue *queue, uint32_t buffer, uint32_t first, uint32_t parts, bool writes)
{
    for (uint32_t i = first; i < first + parts; i++) {
        struct part *part = &p.parts[buffer][i];

        add(b, queue, part->wrote);
        for (uint32_t q = 0; writes && q < QUEUES; q++)
            add(b, queue, part->read[q]);
    }
}

/* Each keeps an event of its own: a queue's later record stands for the call. */
static void touched(uint32_t q, uint32_t buffer, uint32_t first, uint32_t parts, bool writes)
{
    for (uint32_t i = first; i < first + parts; i++) {
        struct part *part = &p.parts[buffer][i];
        hr_event **at = writes ? &part->wrote : &part->read[q];

        hr_event_close(at);
        *at = mark(p.queues[q]);
        for (uint32_t other = 0; writes && other < QUEUES; other++)
            hr_event_close(&part->read[other]);
    }
}

static void finish_read(struct download *read)
{
    if (!read->done)
        return;
    if (below(2))
        OK(hr_event_wait(read->done, HR_FOREVER));
    else
        while (!is_done(read->done))
            ;
    assert_memory_equal(read->got, read->expected, PART);
    hr_event_close(&read->done);
    free(read->got);
    free(read->expected);
}

static void finish_write(struct upload *write)
{
    if (!write->done)
        return;
    OK(hr_event_wait(write->done, HR_FOREVER));
    memset(write->source, 0xee, PART);
    hr_event_close(&write->done);
    free(write->source);
}

static void download(uint32_t q, uint32_t buffer, uint32_t part)
{
    struct download *read = &p.reads[below(READS)];
    struct behind b = {.n = 0};
    hr_sync sync;

    finish_read(read);
    read->got = malloc(PART);
    read->expected = malloc(PART);
    assert_true(read->got && read->expected);
    memcpy(read->expected, p.model[buffer] + part * PART, PART);
    wait_for(&b, p.queues[q], buffer, part, 1, false);
    sync = sync_of(&read->done, b.list, b.n);
    OK(hr_read(p.queues[q], p.buffers[buffer], part * PART, read->got, PART, &sync));
    touched(q, buffer, part, 1, false);
}

static void upload(uint32_t q, uint32_t buffer, uint32_t part)
{
    struct upload *write = &p.writes[below(READS)];
    struct behind b = {.n = 0};
    hr_sync sync;

    finish_write(write);
    write->source = new_random(PART, p.random);
    memcpy(p.model[buffer] + part * PART, write->source, PART);
    wait_for(&b, p.queues[q], buffer, part, 1, true);
    sync = sync_of(&write->done, b.list, b.n);
    OK(hr_write_from(p.queues[q], p.buffers[buffer], part * PART, write->source, PART, &sync));
    touched(q, buffer, part, 1, true);
}

static void snapshot(uint32_t q, uint32_t buffer, uint32_t part)
{
    uint32_t parts = 1 + below(PARTS - part);
    uint8_t *source = new_random(parts * PART, p.random);
    struct behind b = {.n = 0};
    hr_sync sync;

    memcpy(p.model[buffer] + part * PART, source, parts * PART);
    wait_for(&b, p.queues[q], buffer, part, parts, true);
    sync = sync_of(NULL, b.list, b.n);
    OK(hr_write(p.queues[q], p.buffers[buffer], part * PART, source, parts * PART, &sync));
    free(source);
    touched(q, buffer, part, parts, true);
}

static void move(uint32_t q, uint32_t buffer, uint32_t part)
{
    uint32_t from = (buffer + 1 + below(BUFFERS - 1)) % BUFFERS, at = below(PARTS);
    struct behind b = {.n = 0};
    hr_sync sync;

    wait_for(&b, p.queues[q], buffer, part, 1, true);
    wait_for(&b, p.queues[q], from, at, 1, false);
    sync = sync_of(NULL, b.list, b.n);
    if (below(2)) {
        memcpy(p.model[buffer] + part * PART, p.model[from] + at * PART, PART);
        OK(hr_copy(p.queues[q], p.buffers[buffer], part * PART, p.buffers[from], at * PART, PART, &sync));
    } else {
        hr_rect to = {.size = sizeof to, .offset = part * PART + 8, .row_pitch = 128};
        hr_rect source = {.size = sizeof source, .offset = at * PART + 4, .row_pitch = 256};

        for (int row = 0; row < 16; row++)
            memcpy(p.model[buffer] + to.offset + row * 128, p.model[from] + source.offset + row * 256, 100);
        OK(hr_copy_rect(p.queues[q], p.buffers[buffer], &to, p.buffers[from], &source, 100, 16, 1, &sync));
    }
    touched(q, buffer, part, 1, true);
    touched(q, from, at, 1, false);
}

static void fill(uint32_t q, uint32_t buffer, uint32_t part)
{
    uint8_t byte = (uint8_t)below(256);
    struct behind b = {.n = 0};
    hr_sync sync;

    memset(p.model[buffer] + part * PART, byte, PART);
    wait_for(&b, p.queues[q], buffer, part, 1, true);
    sync = sync_of(NULL, b.list, b.n);
    OK(hr_fill(p.queues[q], p.buffers[buffer], part * PART, PART, &byte, 1, &sync));
    touched(q, buffer, part, 1, true);
}

/* It may reach to the buffer's end, and works on its part alone. */
static void kernel(uint32_t q, uint32_t buffer, uint32_t part)
{
    uint32_t words = PART / 4, addend = below(1000);
    hr_arg args[] = {HR_ARG_BUFFER(p.buffers[buffer], part * PART), HR_ARG_BYTES(&words, sizeof words),
                     HR_ARG_BYTES(&addend, sizeof addend)};
    struct behind b = {.n = 0};
    hr_sync sync;

    for (uint32_t i = 0; i < words; i++) {
        uint32_t word;

        memcpy(&word, p.model[buffer] + part * PART + 4 * i, 4);
        word += addend;
        memcpy(p.model[buffer] + part * PART + 4 * i, &word, 4);
    }
    wait_for(&b, p.queues[q], buffer, part, 1, true);
    sync = sync_of(NULL, b.list, b.n);
    OK(launch(p.queues[q], shared_kernel("add_words"), words, args, 3, &sync));
    touched(q, buffer, part, 1, true);
}

static void forget(uint32_t buffer)
{
    for (uint32_t i = 0; i < PARTS; i++) {
        hr_event_close(&p.parts[buffer][i].wrote);
        for (uint32_t q = 0; q < QUEUES; q++)
            hr_event_close(&p.parts[buffer][i].read[q]);
    }
}

static void host(uint32_t q, uint32_t buffer)
{
    struct behind b = {.n = 0};
    void *ptr = NULL;

    wait_for(&b, p.queues[q], buffer, 0, PARTS, true);
    for (uint32_t i = 0; i < b.n; i++)
        OK(hr_queue_wait(p.queues[q], b.list[i]));
    OK(hr_buffer_acquire(p.buffers[buffer], p.queues[q], HR_ACCESS_READ | HR_ACCESS_WRITE, &ptr));
    assert_memory_equal(ptr, p.model[buffer], BYTES);
    memset((uint8_t *)ptr + 100, (int)below(256), 5000);
    memcpy(p.model[buffer], ptr, BYTES);
    OK(hr_buffer_release(p.buffers[buffer], p.queues[q]));
    touched(q, buffer, 0, PARTS, true);
}

/* Closed with work in flight; another takes the memory, perhaps. */
static void replace(uint32_t q, uint32_t buffer)
{
    struct behind b = {.n = 0};

    hr_buffer_close(&p.buffers[buffer]);
    forget(buffer);
    p.buffers[buffer] = new_buffer(device, BYTES, p.queues[q]);
    random_bytes(p.model[buffer], BYTES, p.random);
    OK(hr_write(p.queues[q], p.buffers[buffer], 0, p.model[buffer], BYTES, &(hr_sync){.size = sizeof(hr_sync)}));
    touched(q, buffer, 0, PARTS, true);
    (void)b;
}

static void step(void)
{
    uint32_t q = below(QUEUES), buffer = below(BUFFERS), part = below(PARTS);

    switch (below(16)) {
    case 0:
        host(q, buffer);
        break;
    case 1:
        replace(q, buffer);
        break;
    case 2:
        OK(hr_queue_finish(p.queues[q]));
        break;
    case 3:
    case 4:
        fill(q, buffer, part);
        break;
    case 5:
    case 6:
        snapshot(q, buffer, part);
        break;
    case 7:
    case 8:
        upload(q, buffer, part);
        break;
    case 9:
    case 10:
    case 11:
        download(q, buffer, part);
        break;
    case 12:
    case 13:
        move(q, buffer, part);
        break;
    default:
        kernel(q, buffer, part);
    }
}

static void begin(uint64_t seed)
{
    memset(&p, 0, sizeof p);
    p.random = seed;
    for (uint32_t q = 0; q < QUEUES; q++)
        p.queues[q] = new_queue(device, q);
    for (uint32_t i = 0; i < BUFFERS; i++) {
        p.buffers[i] = new_buffer(device, BYTES, p.queues[0]);
        p.model[i] = new_random(BYTES, seed + i);
        OK(hr_write(p.queues[0], p.buffers[i], 0, p.model[i], BYTES, NULL));
        touched(0, i, 0, PARTS, true);
    }
}

static void end(void)
{
    for (uint32_t i = 0; i < READS; i++) {
        finish_read(&p.reads[i]);
        finish_write(&p.writes[i]);
    }
    for (uint32_t q = 0; q < QUEUES; q++)
        OK(hr_queue_finish(p.queues[q]));
    for (uint32_t i = 0; i < BUFFERS; i++) {
        expect_bytes(compute, p.buffers[i], 0, p.model[i], BYTES);
        forget(i);
        hr_buffer_close(&p.buffers[i]);
        free(p.model[i]);
    }
    for (uint32_t q = 0; q < QUEUES; q++)
        hr_queue_close(&p.queues[q]);
}

static void right_programs_are_right(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        begin(seed * 7919);
        for (int i = 0; i < STEPS; i++)
            step();
        end();
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_programs_are_right),
    };

    return conformance_main(argc, argv, tests, NULL);
}
