/* What holds for every input that a parser has seen. */
#ifndef FUZZ_PROMISE_H
#define FUZZ_PROMISE_H

#include "stream/format.h"

#include <stdlib.h>

static inline void promise(bool held)
{
    if (!held)
        abort();
}

/* before.rows was 0: outputs are set only on success. */
static inline void check_layout(hr_status st, const struct hri_layout *layout, uint64_t size)
{
    uint64_t bytes = hr_dtype_bytes(layout->dtype);

    if (st != HR_OK) {
        promise(st == HR_FORMAT && layout->rows == 0 && hr_last_error()[0] != '\0');
        return;
    }
    promise(bytes > 0 && layout->rows > 0 && layout->rank < HR_MAX_RANK);
    for (uint32_t i = 0; i < layout->rank; i++) {
        promise(layout->shape[i] > 0);
        bytes *= layout->shape[i];
    }
    promise(bytes == layout->row_bytes && layout->bytes / bytes == layout->rows && layout->bytes % bytes == 0);
    promise(layout->offset <= size && layout->offset <= HRI_MOST_HEADER_BYTES);
    promise(layout->offset + layout->bytes >= layout->bytes);
}

#endif
