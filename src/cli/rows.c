/* A synthetic table in memory and the data set over it. */
#include "rows.h"

#include <stdlib.h>
#include <string.h>

/* Every row of every field begins differently and no two neighbours are alike. */
static void fill_row(unsigned char *to, uint64_t bytes, uint64_t field, uint64_t row)
{
    uint64_t word = (row + 1) * 0x9e3779b97f4a7c15u ^ (field + 1) * 0xc2b2ae3d27d4eb4fu;

    for (uint64_t i = 0; i < bytes; i += sizeof word) {
        memcpy(to + i, &word, bytes - i < sizeof word ? bytes - i : sizeof word);
        word = word * 6364136223846793005u + 1442695040888963407u;
    }
}

static hr_status make_dataset(struct rows *rows)
{
    hr_array arrays[64];

    memset(arrays, 0, sizeof arrays);
    for (uint32_t f = 0; f < rows->fields; f++) {
        arrays[f].size = sizeof arrays[f];
        arrays[f].dtype = HR_U8;
        arrays[f].data = rows_at(rows, f, 0);
        arrays[f].rank = 1;
        arrays[f].shape[0] = rows->field_bytes;
    }
    return hr_dataset_from_arrays(arrays, rows->fields, rows->rows, &rows->dataset);
}

hr_status rows_open(uint64_t table_bytes, uint64_t row_bytes, uint32_t fields, struct rows *rows)
{
    struct rows r = {.rows = table_bytes / row_bytes, .fields = fields, .field_bytes = row_bytes / fields};
    hr_status st;

    r.data = malloc(r.rows * row_bytes);
    if (!r.data)
        return HR_NO_MEMORY;
    for (uint32_t f = 0; f < fields; f++)
        for (uint64_t row = 0; row < r.rows; row++)
            fill_row(r.data + (f * r.rows + row) * r.field_bytes, r.field_bytes, f, row);
    st = make_dataset(&r);
    if (st != HR_OK) {
        free(r.data);
        return st;
    }
    *rows = r;
    return HR_OK;
}

void rows_close(struct rows *rows)
{
    hr_dataset_close(&rows->dataset);
    free(rows->data);
    memset(rows, 0, sizeof *rows);
}
