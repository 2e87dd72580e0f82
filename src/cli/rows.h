/* A synthetic table whose rows say which they are, and the bare loop that gathers them. */
#ifndef CLI_ROWS_H
#define CLI_ROWS_H

#include "cli.h"

struct rows {
    uint64_t rows;
    uint32_t fields;
    uint64_t field_bytes; /* of a row in one field; a row has `fields` of these */
    unsigned char *data;  /* field after field */
    hr_dataset *dataset;
};

/* row_bytes is a multiple of fields. HR_NO_MEMORY in silence, other failures described by the library. */
hr_status rows_open(uint64_t table_bytes, uint64_t row_bytes, uint32_t fields, struct rows *rows);
void rows_close(struct rows *rows);

static inline uint64_t rows_row_bytes(const struct rows *rows)
{
    return rows->field_bytes * rows->fields;
}

static inline const unsigned char *rows_at(const struct rows *rows, uint32_t field, uint64_t row)
{
    return rows->data + (field * rows->rows + row) * rows->field_bytes;
}

/* Ways of the bare loop, or-ed: threads share every batch instead of taking whole ones; rows are fetched ahead. */
enum { BARE_SPLIT = 1u << 0, BARE_AHEAD = 1u << 1, BARE_WAYS = 4 };

struct bare;

/* Threads that gather rows `ids` (one epoch) in batches into plain memory of `depth` batches in all, at least one a
 * thread. NULL when memory or threads are missing. rows and ids are borrowed. */
struct bare *bare_open(const struct rows *rows, const uint64_t *ids, uint64_t batch_rows, unsigned threads,
                       unsigned depth);
double bare_time(struct bare *bare, unsigned way); /* one epoch, seconds */
void bare_close(struct bare *bare);                /* NULL is fine */
const char *bare_way_name(unsigned way);

#endif
