/* Fuzz target: files in gzip, down to the rows. */
#include "fake/gzip.h"
#include "fuzz/promise.h"
#include "fuzz/target.h"
#include "stream/content.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct hri_layout layout = {.rows = 0};
    unsigned char *rows = NULL;
    uint64_t sum = 0;
    hr_status st;

    if (!hri_gzip_is(bytes, size))
        return 0;
    st = hri_gzip_load(bytes, size, &layout, &rows);
    promise((st == HR_OK) == (rows != NULL));
    if (st == HR_UNSUPPORTED) /* built without zlib */
        return 0;
    check_layout(st, &layout, UINT64_MAX);
    for (uint64_t i = 0; st == HR_OK && i < layout.bytes; i++)
        sum += rows[i]; /* all of them are there */
    promise(sum <= layout.bytes * 255);
    free(rows);
    return 0;
}

size_t fuzz_seed(unsigned index, uint8_t *out)
{
    static const char idx[20] = {0, 0, 8, 2, 0, 0, 0, 3, 0, 0, 0, 2, 10, 11, 12, 13, 14, 15};
    size_t size;

    switch (index) {
    case 0:
        return fake_gzip(out, idx, 18, 65535);
    case 1:
        return fake_gzip(out, idx, 18, 5);
    case 2:
        size = fake_gzip(out, idx, 9, 65535);
        return size + fake_gzip(out + size, idx + 9, 9, 65535);
    case 3:
        return fake_gzip(out, idx, 20, 65535); /* two bytes too many */
    default:
        return 0;
    }
}
