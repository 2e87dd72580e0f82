/* Pseudo-random data, and comparing it with what a device holds. */
#include "conformance.h"

#include <stdlib.h>
#include <string.h>

uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

void random_bytes(void *to, uint64_t bytes, uint64_t seed)
{
    uint64_t state = seed * 0x9e3779b97f4a7c15u | 1;
    uint8_t *out = to;

    while (bytes > 0) {
        uint64_t word = next_random(&state);
        size_t part = bytes < sizeof word ? (size_t)bytes : sizeof word;

        memcpy(out, &word, part);
        out += part;
        bytes -= part;
    }
}

uint8_t *new_random(uint64_t bytes, uint64_t seed)
{
    uint8_t *data = malloc(bytes);

    assert_non_null(data);
    random_bytes(data, bytes, seed);
    return data;
}

/* Each byte weighs by its place, so that moved and exchanged bytes show. */
uint64_t host_sum(const void *data, uint64_t bytes)
{
    const uint8_t *in = data;
    uint64_t sum = 0;

    for (uint64_t i = 0; i < bytes; i++)
        sum += (uint64_t)(in[i] + 1) * (2 * i + 1);
    return sum;
}

uint64_t device_sum(hr_queue *queue, hr_buffer *buffer, uint64_t bytes)
{
    enum { ITEMS = 64 };
    uint64_t items = ITEMS;
    uint64_t parts[ITEMS];
    uint64_t sum = 0;
    hr_buffer *out = new_buffer(device, sizeof parts, queue);
    hr_arg args[] = {HR_ARG_BUFFER(buffer, 0), HR_ARG_BUFFER(out, 0), HR_ARG_BYTES(&bytes, sizeof bytes),
                     HR_ARG_BYTES(&items, sizeof items)};
    hr_event *event = NULL;
    hr_sync sync = sync_of(&event, NULL, 0);

    OK(launch(queue, shared_kernel("sum_bytes"), ITEMS, args, 4, NULL));
    OK(hr_read(queue, out, 0, parts, sizeof parts, &sync));
    OK(hr_event_wait(event, HR_FOREVER));
    hr_event_close(&event);
    hr_buffer_close(&out);
    for (int i = 0; i < ITEMS; i++)
        sum += parts[i];
    return sum;
}

static void tell_difference(const uint8_t *got, const uint8_t *expected, uint64_t offset, uint64_t bytes)
{
    uint64_t first = 0;
    uint64_t wrong = 0;

    for (uint64_t i = bytes; i-- > 0;)
        if (got[i] != expected[i]) {
            first = i;
            wrong++;
        }
    print_error("%llu of %llu bytes are wrong, the first at %llu: 0x%02x, expected 0x%02x\n", (unsigned long long)wrong,
                (unsigned long long)bytes, (unsigned long long)(offset + first), got[first], expected[first]);
}

void expect_bytes(hr_queue *queue, hr_buffer *buffer, uint64_t offset, const void *expected, uint64_t bytes)
{
    uint8_t *got = malloc(bytes);
    hr_event *event = NULL;
    hr_sync sync = sync_of(&event, NULL, 0);
    int difference;

    assert_non_null(got);
    memset(got, 0xa5, bytes);
    OK(hr_read(queue, buffer, offset, got, bytes, &sync));
    OK(hr_event_wait(event, HR_FOREVER));
    hr_event_close(&event);
    difference = memcmp(got, expected, bytes);
    if (difference != 0)
        tell_difference(got, expected, offset, bytes);
    free(got);
    assert_int_equal(difference, 0);
}
