/* IDX headers: two zero bytes, the element type, the number of dimensions, then each as 32 bits, big-endian, like the
 * elements (Y. LeCun, C. Cortes, C. Burges, "The MNIST database of handwritten digits"). */
#include "core/message.h"
#include "stream/format.h"

/* Type bytes 08 to 0E; there is no 0A. */
static uint32_t dtype_of(unsigned char type)
{
    static const unsigned char dtypes[] = {HR_U8, HR_I8, 0, HR_I16, HR_I32, HR_F32, HR_F64};

    return type >= 0x08 && type <= 0x0e ? dtypes[type - 0x08] : 0;
}

bool hri_idx_is(const unsigned char *head, uint64_t size)
{
    return size >= 4 && head[0] == 0 && head[1] == 0 && (head[2] != 0 || head[3] != 0);
}

hr_status hri_idx_parse(const unsigned char *head, uint64_t size, struct hri_layout *layout)
{
    const uint32_t dtype = dtype_of(head[2]);
    const uint32_t rank = head[3];
    const uint64_t offset = 4 + 4 * (uint64_t)rank;
    uint64_t dims[HR_MAX_RANK];
    hr_status st;

    if (dtype == 0)
        return hri_fail(HR_FORMAT, "element type %02x at byte 2 is none of IDX, which has 08 09 0b 0c 0d 0e", head[2]);
    if (rank == 0 || rank > HR_MAX_RANK)
        return hri_fail(HR_FORMAT, "%u dimensions (byte 3 of IDX); 1 to %d are read", rank, HR_MAX_RANK);
    if (size < offset)
        return hri_fail(HR_FORMAT, "truncated: %llu bytes, the IDX header of %u dimensions alone has %llu",
                        (unsigned long long)size, rank, (unsigned long long)offset);
    for (uint32_t i = 0; i < rank; i++) {
        const unsigned char *at = head + 4 + 4 * (uint64_t)i;

        dims[i] = (uint64_t)at[0] << 24 | (uint64_t)at[1] << 16 | (uint64_t)at[2] << 8 | at[3];
    }
    st = hri_layout_set(layout, dtype, rank, dims, offset);
    if (st == HR_OK)
        layout->swapped = hr_dtype_bytes(dtype) > 1 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    return st;
}
