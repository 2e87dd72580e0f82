/* Data sets over arrays in memory: descriptions are checked and copied, the arrays stay where they are. */
#include "core/message.h"
#include "core/util.h"
#include "stream/build.h"

#include <string.h>

/* dtype, rank and shape of one row. */
static hr_status check_row(const hr_array *array, const char *name, uint64_t *row_bytes)
{
    if (hr_dtype_bytes(array->dtype) == 0)
        return hri_fail(HR_INVALID, "field \"%s\": %u is no element type; use HR_F32 or another HR_ type", name,
                        array->dtype);
    if (array->rank >= HR_MAX_RANK)
        return hri_fail(HR_INVALID, "field \"%s\": rows of %u dimensions; %d are the most, merge some", name,
                        array->rank, HR_MAX_RANK - 1);
    for (uint32_t i = 0; i < array->rank; i++) {
        if (array->shape[i] == 0)
            return hri_fail(HR_INVALID, "field \"%s\": shape[%u] is 0; every dimension of a row is at least 1", name,
                            i);
    }
    if (!hri_shape_bytes(array->dtype, array->rank, array->shape, row_bytes))
        return hri_fail(HR_INVALID, "field \"%s\": the bytes of one row overflow; check shape", name);
    return HR_OK;
}

/* The rows lie in memory one behind the other, up to the last address at most. */
static hr_status check_extent(const hr_array *array, const char *name, uint64_t row_bytes, uint64_t rows)
{
    const uint64_t stride = array->row_stride ? array->row_stride : row_bytes;
    uint64_t end;

    if (stride < row_bytes)
        return hri_fail(HR_INVALID, "field \"%s\": row_stride is %llu, a row has %llu bytes; use 0 for packed rows",
                        name, (unsigned long long)stride, (unsigned long long)row_bytes);
    if (!array->data)
        return hri_fail(HR_INVALID, "field \"%s\": data is NULL", name);
    if (hri_mul_overflows(stride, rows - 1, &end) || hri_add_overflows(end, row_bytes, &end) || end > PTRDIFF_MAX ||
        hri_add_overflows(end, (uintptr_t)array->data, &end) || end > UINTPTR_MAX)
        return hri_fail(HR_INVALID, "field \"%s\": %llu rows, %llu bytes apart, reach past the end of memory", name,
                        (unsigned long long)rows, (unsigned long long)stride);
    return HR_OK;
}

static hr_status add_array(hr_dataset *dataset, uint32_t index, const hr_array *given)
{
    struct hri_field *field = &dataset->fields[index];
    hr_array array;
    hr_status st = hri_struct_in(&array, sizeof array, given, sizeof array, "hr_array");

    if (st != HR_OK)
        return hri_fail_context(st, "field %u", index);
    st = hri_dataset_name(dataset, index, array.name);
    if (st != HR_OK)
        return st;
    st = check_row(&array, field->info.name, &field->info.row_bytes);
    if (st != HR_OK)
        return st;
    st = check_extent(&array, field->info.name, field->info.row_bytes, dataset->rows);
    if (st != HR_OK)
        return st;
    field->info.size = sizeof field->info;
    field->info.dtype = array.dtype;
    field->info.rank = array.rank;
    memcpy(field->info.shape, array.shape, array.rank * sizeof array.shape[0]);
    field->info.row_stride = array.row_stride ? array.row_stride : field->info.row_bytes;
    field->data = array.data;
    return HR_OK;
}

hr_status hr_dataset_from_arrays(const hr_array *fields, uint32_t n_fields, uint64_t rows, hr_dataset **dataset)
{
    hr_dataset *made = NULL;
    hr_status st;

    if (!fields || !dataset)
        return hri_fail(HR_INVALID, "hr_dataset_from_arrays: %s is NULL", fields ? "dataset" : "fields");
    if (rows == 0)
        return hri_fail(HR_INVALID, "hr_dataset_from_arrays: rows is 0; a data set has at least one row");
    st = hri_dataset_new(n_fields, "fields", &made);
    if (st != HR_OK)
        return st;
    made->rows = rows;
    for (uint32_t i = 0; st == HR_OK && i < n_fields; i++)
        st = add_array(made, i, hri_struct_at(fields, i));
    if (st == HR_OK)
        *dataset = made;
    else
        hri_dataset_release(made);
    return st;
}
