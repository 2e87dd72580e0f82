/* Fuzz target: .npy headers. */
#include "fuzz/promise.h"
#include "fuzz/target.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct hri_layout layout = {.rows = 0};

    if (hri_npy_is(bytes, size))
        check_layout(hri_npy_parse(bytes, size, &layout), &layout, size);
    return 0;
}

size_t fuzz_seed(unsigned index, uint8_t *out)
{
    static const char *const dicts[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (60000, 28, 28), }\n",
        "{\"shape\": (7L,), \"descr\": \"|b1\", \"fortran_order\": True}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (), }     \n",
        "{'descr': '>c16', 'fortran_order': True, 'shape': (4294967296, 2, 1, 1, 1, 1, 1, 1), }\n",
    };
    const unsigned dict = index / 3;
    const size_t prefix = index % 3 == 0 ? 10 : 12;
    size_t length;

    if (dict >= sizeof dicts / sizeof dicts[0])
        return 0;
    length = strlen(dicts[dict]);
    memset(out, 0, prefix);
    memcpy(out, "\x93NUMPY", 6);
    out[6] = (uint8_t)(index % 3 + 1);
    out[8] = (uint8_t)length;
    memcpy(out + prefix, dicts[dict], length);
    return prefix + length;
}
