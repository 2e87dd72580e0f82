/* Building a data set: what arrays and files have in common. */
#ifndef HRI_BUILD_H
#define HRI_BUILD_H

#include "stream/source.h"

#include <stdbool.h>

#define HRI_MOST_FIELDS 64

/* A data set with one reference and n_fields empty fields, 1 to HRI_MOST_FIELDS; `what` names them in a message. */
hr_status hri_dataset_new(uint32_t n_fields, const char *what, hr_dataset **dataset);

/* Names field `index`, whose predecessors are named; NULL: its number. HR_INVALID: length, or used twice. */
hr_status hri_dataset_name(hr_dataset *dataset, uint32_t index, const char *name);

/* Element `index` of a caller's array of structs, whose stride is the size that the first one states. */
const void *hri_struct_at(const void *structs, uint32_t index);

/* The bytes of `count` dimensions of elements; false when that is more than a pointer difference can count. */
bool hri_shape_bytes(uint32_t dtype, uint32_t count, const uint64_t *shape, uint64_t *bytes);

#endif
