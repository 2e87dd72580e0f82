/* The data set of rows.h. */
#include "rows.h"

#include <stdlib.h>
#include <string.h>

static uint32_t numbers[ROWS];
static uint8_t bytes[ROWS][WIDTH];

static uint8_t byte_of(uint64_t row, uint64_t column)
{
    return (uint8_t)(row * 31 + column * 7 + (row >> 5));
}

hr_dataset *new_rows(void)
{
    const hr_array fields[] = {
        {.size = sizeof(hr_array), .dtype = HR_U32, .name = "number", .data = numbers},
        {.size = sizeof(hr_array), .dtype = HR_U8, .name = "bytes", .data = bytes, .rank = 1, .shape = {WIDTH}},
    };
    hr_dataset *rows = NULL;

    if (numbers[1] == 0) /* other loaders may be reading */
        for (uint32_t row = 0; row < ROWS; row++) {
            numbers[row] = row;
            for (uint32_t column = 0; column < WIDTH; column++)
                bytes[row][column] = byte_of(row, column);
        }
    OK(hr_dataset_from_arrays(fields, 2, ROWS, &rows));
    return rows;
}

hr_loader_options loader_options(uint64_t batch_rows)
{
    return (hr_loader_options){.size = sizeof(hr_loader_options), .batch_rows = batch_rows, .shuffle = 1, .seed = 7};
}

hr_loader *new_loader(hr_device *of, hr_dataset *rows, const hr_loader_options *options)
{
    hr_loader *loader = NULL;

    OK(hr_loader_open(of, rows, options, &loader));
    return loader;
}

void check_batch(hr_queue *queue, hr_batch *batch)
{
    hr_field number = {.size = sizeof number};
    hr_field row = {.size = sizeof row};
    const uint64_t *ids = NULL;
    uint64_t count = 0;
    uint32_t got[ROWS];
    uint8_t got_bytes[ROWS * WIDTH];

    OK(hr_batch_field(batch, 0, &number));
    OK(hr_batch_field(batch, 1, &row));
    OK(hr_batch_row_ids(batch, &ids, &count));
    assert_int_equal(number.shape[0], count);
    assert_int_equal(number.bytes, count * 4);
    assert_int_equal(row.bytes, count * WIDTH);
    OK(hr_read(queue, number.buffer, number.offset, got, number.bytes, NULL));
    OK(hr_read(queue, row.buffer, row.offset, got_bytes, row.bytes, NULL));
    OK(hr_queue_finish(queue));
    for (uint64_t i = 0; i < count; i++) {
        assert_int_equal(got[i], ids[i]);
        for (uint64_t k = 0; k < WIDTH; k++)
            assert_int_equal(got_bytes[i * WIDTH + k], byte_of(ids[i], k));
    }
}
