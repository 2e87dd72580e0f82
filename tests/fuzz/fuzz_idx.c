/* Fuzz target: IDX headers. */
#include "fuzz/promise.h"
#include "fuzz/target.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct hri_layout layout = {.rows = 0};

    if (hri_idx_is(bytes, size))
        check_layout(hri_idx_parse(bytes, size, &layout), &layout, size);
    return 0;
}

size_t fuzz_seed(unsigned index, uint8_t *out)
{
    static const uint8_t types[] = {0x08, 0x09, 0x0b, 0x0c, 0x0d, 0x0e};
    const uint8_t rank = (uint8_t)(index % 8 + 1);

    if (index >= 8 * sizeof types)
        return 0;
    memset(out, 0, 4 + 4 * (size_t)rank + 8);
    out[2] = types[index / 8];
    out[3] = rank;
    for (uint8_t i = 0; i < rank; i++)
        out[7 + 4 * i] = (uint8_t)(2 * i + 1);
    return 4 + 4 * (size_t)rank + 8;
}
