/* A data set as the loader sees it: fields of rows at addresses. */
#ifndef HRI_SOURCE_H
#define HRI_SOURCE_H

#include <headrace/dataset.h>
#include <stdatomic.h>

struct hri_field {
    hr_field_info info;
    const unsigned char *data; /* first row */
};

/* What owns the memory behind a field: nothing, a mapping, or an allocation. */
struct hri_holding {
    void *pointer;
    uint64_t bytes; /* of the mapping */
    int mapped;     /* 1: munmap, 0: free */
};

struct hr_dataset {
    atomic_uint refs;
    uint32_t n_fields;
    uint64_t rows;
    struct hri_field *fields;
    struct hri_holding *holdings; /* n_fields of them */
};

void hri_dataset_retain(hr_dataset *dataset);
void hri_dataset_release(hr_dataset *dataset);

#endif
