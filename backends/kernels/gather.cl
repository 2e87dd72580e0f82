/* Gathers rows on the device: row r of dst = row ids[r] of src. Work item (u, r) moves unit u of row r; row size and
 * stride are counted in units of the kernel's type, the widest that divides both: gather_16 moves 784 bytes as 49. */
#define HR_GATHER(bytes, type)                                                                                         \
    __kernel void gather_##bytes(__global const type *src, __global const ulong *ids, __global type *dst,              \
                                 ulong src_stride, ulong row_units, ulong rows)                                        \
    {                                                                                                                  \
        ulong unit = (ulong)get_global_id(0);                                                                          \
        ulong row = (ulong)get_global_id(1);                                                                           \
        if (unit < row_units && row < rows)                                                                            \
            dst[row * row_units + unit] = src[ids[row] * src_stride + unit];                                           \
    }

HR_GATHER(1, uchar)
HR_GATHER(2, ushort)
HR_GATHER(4, uint)
HR_GATHER(8, ulong)
HR_GATHER(16, uint4)
