/* Tables for loader tests; see table.h. */
#include "table.h"

#include <stdlib.h>
#include <string.h>

void table_open(struct table *table, uint64_t rows, uint64_t seed)
{
    static const hr_array shapes[TABLE_FIELDS] = {
        {.size = sizeof(hr_array), .dtype = HR_F32, .name = "x", .rank = 2, .shape = {2, 3}, .row_stride = 36},
        {.size = sizeof(hr_array), .dtype = HR_U8, .name = "bytes", .rank = 1, .shape = {7}},
        {.size = sizeof(hr_array), .dtype = HR_I64, .name = "label"},
    };
    static const uint64_t row_bytes[TABLE_FIELDS] = {24, 7, 8};
    hr_array arrays[TABLE_FIELDS];

    memcpy(arrays, shapes, sizeof arrays);
    table->rows = rows;
    for (uint32_t f = 0; f < TABLE_FIELDS; f++) {
        table->row_bytes[f] = row_bytes[f];
        table->stride[f] = shapes[f].row_stride ? shapes[f].row_stride : row_bytes[f];
        table->data[f] = new_random(rows * table->stride[f], seed + f);
        arrays[f].data = table->data[f];
    }
    OK(hr_dataset_from_arrays(arrays, TABLE_FIELDS, rows, &table->dataset));
}

void table_close(struct table *table)
{
    hr_dataset_close(&table->dataset);
    for (uint32_t f = 0; f < TABLE_FIELDS; f++)
        free(table->data[f]);
}

uint32_t routes_here(uint32_t routes[3])
{
    uint32_t n = 0;

    routes[n++] = HR_ROUTE_STAGED;
    routes[n++] = HR_ROUTE_RESIDENT;
    if (info.abilities & HR_ABILITY_SHARED_MEMORY)
        routes[n++] = HR_ROUTE_IN_PLACE;
    return n;
}

hr_loader *open_loader(hr_device *of, hr_dataset *dataset, hr_loader_options options)
{
    hr_loader *loader = NULL;

    options.size = sizeof options;
    OK(hr_loader_open(of, dataset, &options, &loader));
    return loader;
}

/* The rows of the ids, packed as a batch packs them. */
static uint8_t *rows_of(const struct table *table, uint32_t field, const uint64_t *ids, uint64_t count)
{
    uint8_t *rows = malloc(count * table->row_bytes[field] + 1);

    assert_non_null(rows);
    for (uint64_t i = 0; i < count; i++) {
        assert_true(ids[i] < table->rows);
        memcpy(rows + i * table->row_bytes[field], table->data[field] + ids[i] * table->stride[field],
               table->row_bytes[field]);
    }
    return rows;
}

void expect_rows(const struct table *table, hr_batch *batch, hr_queue *queue)
{
    const uint64_t *ids;
    uint64_t count;

    OK(hr_batch_row_ids(batch, &ids, &count));
    for (uint32_t f = 0; f < TABLE_FIELDS; f++) {
        hr_field field = {.size = sizeof field};
        uint8_t *rows = rows_of(table, f, ids, count);

        OK(hr_batch_field(batch, f, &field));
        assert_int_equal(field.shape[0], count);
        assert_int_equal(field.bytes, count * table->row_bytes[f]);
        assert_int_equal(field.stride[0], table->row_bytes[f]);
        if (count > 0)
            expect_bytes(queue, field.buffer, field.offset, rows, field.bytes);
        free(rows);
    }
}

void launch_field_sum(hr_queue *queue, hr_batch *batch, uint32_t index, hr_buffer *result, uint64_t slot)
{
    hr_field field = {.size = sizeof field};
    uint64_t one = 1;

    OK(hr_batch_field(batch, index, &field));
    hr_arg args[] = {HR_ARG_BUFFER(field.buffer, field.offset), HR_ARG_BUFFER(result, slot * info.alignment),
                     HR_ARG_BYTES(&field.bytes, sizeof field.bytes), HR_ARG_BYTES(&one, sizeof one)};
    OK(launch(queue, shared_kernel("sum_bytes"), 1, args, 4, NULL));
}

uint64_t table_sum(const struct table *table, uint32_t field, const uint64_t *ids, uint64_t count)
{
    uint8_t *rows = rows_of(table, field, ids, count);
    uint64_t sum = host_sum(rows, count * table->row_bytes[field]);

    free(rows);
    return sum;
}
