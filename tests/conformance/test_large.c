/* Case 31: offsets past 4 GiB, on the host (a sparse mapping) and, where buffers are that large, on the device. */
#include "conformance.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define GIB ((uint64_t)1 << 30)

enum { BYTES = 2 * 1024 * 1024 + 17 };

static uint8_t *sparse(uint64_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    assert_ptr_not_equal(memory, MAP_FAILED);
    return memory;
}

static void a_source_past_4_gib(void **state)
{
    const uint64_t offset = 5 * GIB + 12345;
    uint8_t *memory = sparse(6 * GIB);
    uint8_t *expected = new_random(BYTES, 1);
    hr_buffer *buffer = new_buffer(device, BYTES, compute);

    (void)state;
    memcpy(memory + offset, expected, BYTES);
    OK(hr_write_from(compute, buffer, 0, memory + offset, BYTES, NULL));
    expect_bytes(compute, buffer, 0, expected, BYTES);
    OK(hr_fill(compute, buffer, 0, BYTES, "", 1, NULL));
    OK(hr_write(compute, buffer, 0, memory + offset, BYTES, NULL));
    expect_bytes(compute, buffer, 0, expected, BYTES);
    memset(memory + offset, 0, BYTES);
    OK(hr_read(compute, buffer, 0, memory + offset, BYTES, NULL));
    OK(hr_queue_finish(compute));
    assert_memory_equal(memory + offset, expected, BYTES);
    hr_buffer_close(&buffer);
    munmap(memory, 6 * GIB);
    free(expected);
}

static void registered_memory_past_4_gib(void **state)
{
    const uint64_t offset = 4 * GIB + 4321;
    uint8_t *memory;
    uint8_t *expected;
    hr_buffer *imported = NULL;
    hr_buffer *buffer;
    hr_status status;

    (void)state;
    if (!(info.abilities & HR_ABILITY_IMPORT))
        NOT_APPLICABLE("this device registers no memory");
    memory = sparse(5 * GIB);
    expected = new_random(BYTES, 2);
    memcpy(memory + offset, expected, BYTES);
    status = hr_buffer_import(device, memory, 5 * GIB, &imported);
    if (status == HR_UNSUPPORTED) {
        munmap(memory, 5 * GIB);
        free(expected);
        NOT_APPLICABLE("this device registers no piece as large as that");
    }
    OK(status);
    buffer = new_buffer(device, BYTES, compute);
    OK(hr_copy(compute, buffer, 0, imported, offset, BYTES, NULL));
    expect_bytes(compute, buffer, 0, expected, BYTES);
    FAILS(HR_RANGE, hr_copy(compute, buffer, 0, imported, 5 * GIB - 1, 2, NULL));
    hr_buffer_close(&buffer);
    hr_buffer_close(&imported);
    munmap(memory, 5 * GIB);
    free(expected);
}

/* Written, read, copied and entered by a kernel past 4 GiB; the bytes 4 GiB below stay. */
static void a_device_buffer_past_4_gib(void **state)
{
    const uint64_t offset = 4 * GIB + 4096;
    uint8_t *data;
    uint8_t *low;
    uint32_t words = BYTES / 4;
    uint32_t addend = 0;
    hr_buffer *buffer;
    hr_buffer *small;

    (void)state;
    if (info.max_buffer_bytes < offset + BYTES || info.budget_bytes < offset + 8 * BYTES)
        NOT_APPLICABLE("no buffer can be as large as that here");
    data = new_random(BYTES, 3);
    low = new_random(BYTES, 4);
    buffer = new_buffer(device, offset + BYTES, compute);
    small = new_buffer(device, BYTES, compute);
    OK(hr_write(compute, buffer, 4096, low, BYTES, NULL));
    OK(hr_write(compute, buffer, offset, data, BYTES, NULL));
    hr_arg args[] = {HR_ARG_BUFFER(buffer, offset), HR_ARG_BYTES(&words, 4), HR_ARG_BYTES(&addend, 4)};
    OK(launch(compute, shared_kernel("add_words"), words, args, 3, NULL));
    expect_bytes(compute, buffer, offset, data, BYTES);
    OK(hr_copy(compute, small, 0, buffer, offset, BYTES, NULL));
    expect_bytes(compute, small, 0, data, BYTES);
    OK(hr_copy(compute, buffer, offset - 5, small, 0, BYTES, NULL));
    expect_bytes(compute, buffer, offset - 5, data, BYTES);
    expect_bytes(compute, buffer, 4096, low, BYTES);
    hr_buffer_close(&buffer);
    hr_buffer_close(&small);
    OK(hr_memory_trim(device));
    free(data);
    free(low);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_source_past_4_gib),
        cmocka_unit_test(registered_memory_past_4_gib),
        cmocka_unit_test(a_device_buffer_past_4_gib),
    };

    return conformance_main(argc, argv, tests, NULL);
}
