/* See read_rig.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake/read_rig.h"

static void fill_host(struct read_rig *t)
{
    for (uint64_t i = 0; i < t->bytes; i++)
        t->host[i] = (unsigned char)(((uint32_t)i * 2654435761u >> 24) | 1); /* never 0 */
}

void read_rig_open(struct read_rig *t, uint64_t pinned, uint64_t bytes)
{
    const struct fake_options waiting = {.pageable_waits = true};
    hr_device_options options = {
        .size = sizeof options, .device_memory_bytes = 256 * MIB, .pinned_memory_bytes = pinned};

    t->fake = fake_create(&waiting);
    t->device = fake_device(t->fake, &options);
    t->bytes = bytes;
    t->host = malloc(bytes);
    t->seen = calloc(1, bytes);
    assert_non_null(t->device);
    assert_int_equal(hr_queue_create(t->device, HR_QUEUE_COPY_OUT, NULL, &t->queue), HR_OK);
    assert_int_equal(hr_queue_create(t->device, HR_QUEUE_COPY_OUT, NULL, &t->other), HR_OK);
    assert_int_equal(hr_buffer_create(t->device, HR_MEMORY_DEVICE, bytes, NULL, &t->buffer), HR_OK);
    fill_host(t);
    assert_int_equal(hr_write(t->queue, t->buffer, 0, t->host, bytes, NULL), HR_OK);
    assert_int_equal(hr_queue_finish(t->queue), HR_OK);
}

void read_rig_close(struct read_rig *t)
{
    hr_buffer_close(&t->buffer);
    hr_queue_close(&t->queue);
    hr_queue_close(&t->other);
    hr_device_close(&t->device);
    free(t->host);
    free(t->seen);
    assert_int_equal(fake_destroy(t->fake), 0);
}

bool read_rig_untouched(const struct read_rig *t)
{
    for (uint64_t i = 0; i < t->bytes; i++)
        if (t->seen[i] != 0)
            return false;
    return true;
}

void read_rig_landed(struct read_rig *t)
{
    assert_memory_equal(t->seen, t->host, t->bytes);
    memset(t->seen, 0, t->bytes);
}
