/* A data set's handle: made, described, retained, closed. */
#include "core/message.h"
#include "core/util.h"
#include "stream/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

hr_status hri_dataset_new(uint32_t n_fields, const char *what, hr_dataset **dataset)
{
    hr_dataset *made;

    if (n_fields == 0 || n_fields > HRI_MOST_FIELDS)
        return hri_fail(HR_INVALID, "%u %s; a data set has 1 to %d", n_fields, what, HRI_MOST_FIELDS);
    made = calloc(1, sizeof *made);
    if (!made)
        goto no_memory;
    made->fields = calloc(n_fields, sizeof *made->fields);
    made->holdings = calloc(n_fields, sizeof *made->holdings);
    made->n_fields = n_fields;
    atomic_init(&made->refs, 1);
    if (!made->fields || !made->holdings)
        goto no_memory;
    *dataset = made;
    return HR_OK;

no_memory:
    if (made)
        hri_dataset_release(made);
    return hri_fail(HR_NO_MEMORY, "no memory for a data set of %u %s", n_fields, what);
}

hr_status hri_dataset_name(hr_dataset *dataset, uint32_t index, const char *name)
{
    char *own = dataset->fields[index].info.name;
    const size_t room = sizeof dataset->fields[index].info.name;
    const size_t length = name ? strnlen(name, room) : 1;

    if (length == 0 || length >= room)
        return hri_fail(HR_INVALID, "the name of field %u has %s; 1 to %zu are allowed, and NULL for \"%u\"", index,
                        length ? "too many bytes" : "no bytes", room - 1, index);
    if (name)
        hri_text_copy(own, room, name);
    else
        snprintf(own, room, "%u", index);
    for (uint32_t other = 0; other < index; other++) {
        if (strcmp(dataset->fields[other].info.name, own) == 0)
            return hri_fail(HR_INVALID, "fields %u and %u are both named \"%s\"; names must differ", other, index, own);
    }
    return HR_OK;
}

const void *hri_struct_at(const void *structs, uint32_t index)
{
    uint32_t size;

    memcpy(&size, structs, sizeof size);
    return (const char *)structs + (size_t)size * index;
}

bool hri_shape_bytes(uint32_t dtype, uint32_t count, const uint64_t *shape, uint64_t *bytes)
{
    uint64_t total = hr_dtype_bytes(dtype);

    for (uint32_t i = 0; i < count; i++) {
        if (hri_mul_overflows(total, shape[i], &total))
            return false;
    }
    if (total > PTRDIFF_MAX)
        return false;
    *bytes = total;
    return true;
}

void hri_dataset_retain(hr_dataset *dataset)
{
    atomic_fetch_add_explicit(&dataset->refs, 1, memory_order_relaxed);
}

void hri_dataset_release(hr_dataset *dataset)
{
    if (atomic_fetch_sub_explicit(&dataset->refs, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; dataset->holdings && i < dataset->n_fields; i++) {
        struct hri_holding *holding = &dataset->holdings[i];

        if (holding->mapped)
            munmap(holding->pointer, holding->bytes);
        else
            free(holding->pointer);
    }
    free(dataset->holdings);
    free(dataset->fields);
    free(dataset);
}

hr_status hr_dataset_get_rows(hr_dataset *dataset, uint64_t *rows)
{
    if (!dataset || !rows)
        return hri_fail(HR_INVALID, "hr_dataset_get_rows: %s is NULL", dataset ? "rows" : "the data set");
    *rows = dataset->rows;
    return HR_OK;
}

hr_status hr_dataset_get_field_count(hr_dataset *dataset, uint32_t *count)
{
    if (!dataset || !count)
        return hri_fail(HR_INVALID, "hr_dataset_get_field_count: %s is NULL", dataset ? "count" : "the data set");
    *count = dataset->n_fields;
    return HR_OK;
}

hr_status hr_dataset_get_field(hr_dataset *dataset, uint32_t index, hr_field_info *info)
{
    if (!dataset)
        return hri_fail(HR_INVALID, "hr_dataset_get_field: the data set is NULL");
    if (index >= dataset->n_fields)
        return hri_fail(HR_RANGE, "field %u of a data set of %u; the last is %u", index, dataset->n_fields,
                        dataset->n_fields - 1);
    return hri_struct_out(info, &dataset->fields[index].info, sizeof *info, sizeof *info, "hr_field_info");
}

void hr_dataset_close(hr_dataset **dataset)
{
    if (!dataset || !*dataset)
        return;
    hri_dataset_release(*dataset);
    *dataset = NULL;
}
