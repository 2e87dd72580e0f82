/* The dictionary in a .npy header, as it stands there. */
#ifndef HRI_NPY_HEADER_H
#define HRI_NPY_HEADER_H

#include <headrace/dataset.h>
#include <stdbool.h>

struct hri_npy_header {
    char descr[32];
    bool fortran_order;
    uint32_t rank;
    uint64_t shape[HR_MAX_RANK];
};

/* Reads [at, end). HR_FORMAT: the message says what was expected, where. */
hr_status hri_npy_header_read(const char *at, const char *end, struct hri_npy_header *header);

#endif
