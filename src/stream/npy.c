/*
 * .npy headers, versions 1 to 3 (numpy.lib.format): six magic bytes, the version, the header's length, and a Python
 * dictionary of exactly three keys, here read strictly and within bounds. An element type, an order of dimensions or a
 * byte order that would have to be converted is refused with the line of Python that converts it.
 */
#include "core/message.h"
#include "stream/format.h"
#include "stream/npy_header.h"

#include <string.h>

static const char magic[] = "\x93NUMPY";
enum { MAGIC_BYTES = sizeof magic - 1 };

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { OWN_ORDER = '<', OTHER_ORDER = '>' };
#else
enum { OWN_ORDER = '>', OTHER_ORDER = '<' };
#endif

bool hri_npy_is(const unsigned char *head, uint64_t size)
{
    return size >= MAGIC_BYTES && memcmp(head, magic, MAGIC_BYTES) == 0;
}

/* Where the dictionary begins and ends. */
static hr_status find_header(const unsigned char *head, uint64_t size, uint64_t *begin, uint64_t *end)
{
    uint64_t length;

    if (size < 12)
        return hri_fail(HR_FORMAT, "truncated: %llu bytes, less than the header of a .npy file",
                        (unsigned long long)size);
    if (head[6] < 1 || head[6] > 3 || head[7] != 0)
        return hri_fail(HR_FORMAT, ".npy version %u.%u; 1.0, 2.0 and 3.0 are read", head[6], head[7]);
    *begin = head[6] == 1 ? 10 : 12;
    length = head[8] | (uint64_t)head[9] << 8;
    if (head[6] > 1)
        length |= (uint64_t)head[10] << 16 | (uint64_t)head[11] << 24;
    if (*begin + length > HRI_MOST_HEADER_BYTES)
        return hri_fail(HR_FORMAT, "a .npy header of %llu bytes; %d are the most (only structured types need more)",
                        (unsigned long long)length, HRI_MOST_HEADER_BYTES);
    if (*begin + length > size)
        return hri_fail(HR_FORMAT, "truncated: %llu bytes, the .npy header alone has %llu", (unsigned long long)size,
                        (unsigned long long)(*begin + length));
    *end = *begin + length;
    return HR_OK;
}

/* NumPy's letter and size, without byte order. */
static uint32_t dtype_of(const char *type)
{
    static const struct {
        const char *type;
        uint32_t dtype;
    } types[] = {
        {"?", HR_BOOL}, {"b1", HR_BOOL}, {"i1", HR_I8},  {"i2", HR_I16}, {"i4", HR_I32},
        {"i8", HR_I64}, {"u1", HR_U8},   {"u2", HR_U16}, {"u4", HR_U32}, {"u8", HR_U64},
        {"f2", HR_F16}, {"f4", HR_F32},  {"f8", HR_F64}, {"c8", HR_C64}, {"c16", HR_C128},
    };

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(types[i].type, type) == 0)
            return types[i].dtype;
    }
    return 0;
}

static hr_status refuse_type(const char *descr, const char *type)
{
    const char *remedy = "";

    if (type[0] == 'O')
        remedy = " (Python objects); make an array of numbers of it";
    else if (type[0] == 'S' || type[0] == 'U' || type[0] == 'a')
        remedy = " (text); encode it as numbers";
    else if (type[0] == 'M' || type[0] == 'm')
        remedy = " (times); save x.view('<i8')";
    else if (type[0] == 'V')
        remedy = " (raw or structured); save each field as an array of its own, or x.view('<u2') and the like";
    else if (strcmp(type, "f16") == 0 || strcmp(type, "f12") == 0)
        remedy = " (long double); save x.astype('<f8')";
    else if (type[0] == 'c')
        remedy = "; save x.astype('<c16')";
    return hri_fail(HR_FORMAT, "element type '%s'%s; bool, i1 to i8, u1 to u8, f2 to f8, c8 and c16 are read", descr,
                    remedy);
}

static hr_status check_type(const char *descr, uint32_t *dtype)
{
    const bool ordered = descr[0] != '\0' && strchr("<>|=", descr[0]);
    const char *type = ordered ? descr + 1 : descr;

    *dtype = dtype_of(type);
    if (*dtype == 0)
        return refuse_type(descr, type);
    if (descr[0] == OTHER_ORDER && hr_dtype_bytes(*dtype) > 1)
        return hri_fail(HR_FORMAT, "element type '%s' is in the other byte order; save x.astype('%c%s')", descr,
                        OWN_ORDER, type);
    return HR_OK;
}

hr_status hri_npy_parse(const unsigned char *head, uint64_t size, struct hri_layout *layout)
{
    struct hri_npy_header header;
    uint64_t begin = 0, end = 0;
    uint32_t dtype = 0, wide = 0;
    hr_status st = find_header(head, size, &begin, &end);

    if (st != HR_OK)
        return st;
    st = hri_npy_header_read((const char *)head + begin, (const char *)head + end, &header);
    if (st != HR_OK)
        return st;
    st = check_type(header.descr, &dtype);
    if (st != HR_OK)
        return st;
    if (header.rank == 0)
        return hri_fail(HR_FORMAT, "shape () is a single value without rows; save x.reshape(1)");
    for (uint32_t i = 0; i < header.rank; i++)
        wide += header.shape[i] > 1;
    if (header.fortran_order && wide > 1) /* with one long dimension both orders are the same bytes */
        return hri_fail(HR_FORMAT, "the array is in Fortran order, so its rows are not contiguous; "
                                   "save np.ascontiguousarray(x)");
    return hri_layout_set(layout, dtype, header.rank, header.shape, end);
}
