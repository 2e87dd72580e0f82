/* Tables for loader tests: two or more fields in memory, and checks of delivered batches against them. */
#ifndef CONFORMANCE_TABLE_H
#define CONFORMANCE_TABLE_H

#include "conformance.h"

enum { TABLE_FIELDS = 3 };

/* Fields of odd sizes: f32 x 6 with a padded stride, u8 x 7 packed, i64 scalars packed. */
struct table {
    uint64_t rows;
    uint8_t *data[TABLE_FIELDS];
    uint64_t row_bytes[TABLE_FIELDS];
    uint64_t stride[TABLE_FIELDS];
    hr_dataset *dataset;
};

void table_open(struct table *table, uint64_t rows, uint64_t seed);
void table_close(struct table *table);

/* Routes that the device has; returns their number. */
uint32_t routes_here(uint32_t routes[3]);

/* Opens with `options` (size is set here). */
hr_loader *open_loader(hr_device *of, hr_dataset *dataset, hr_loader_options options);

/* The batch's fields as kernels see them (read back through the compute queue) equal the table's rows of its ids. */
void expect_rows(const struct table *table, hr_batch *batch, hr_queue *queue);

/* The same on the device alone: enqueues a sum of field `field` into result[index]; no wait. */
void launch_field_sum(hr_queue *queue, hr_batch *batch, uint32_t field, hr_buffer *result, uint64_t index);

/* What that sum must be. */
uint64_t table_sum(const struct table *table, uint32_t field, const uint64_t *ids, uint64_t count);

#endif
