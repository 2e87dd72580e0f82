/* IDX headers and elements. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stream/format.h"

/* Parses a copy of exactly `size` bytes, so that the address sanitizer sees any step beyond. */
static hr_status parse(const void *bytes, size_t size, struct hri_layout *layout)
{
    unsigned char *copy = malloc(size ? size : 1);
    hr_status st;

    assert_non_null(copy);
    memcpy(copy, bytes, size);
    st = hri_format_parse(copy, size, layout);
    free(copy);
    return st;
}

static void refused(const void *bytes, size_t size, const char *words)
{
    struct hri_layout layout = {.rows = 77};

    assert_int_equal(parse(bytes, size, &layout), HR_FORMAT);
    assert_int_equal(layout.rows, 77);
    if (!strstr(hr_last_error(), words))
        fail_msg("\"%s\" lacks \"%s\"", hr_last_error(), words);
}

static void every_type(void **state)
{
    static const struct {
        unsigned char type;
        uint32_t dtype;
    } types[] = {{0x08, HR_U8}, {0x09, HR_I8}, {0x0b, HR_I16}, {0x0c, HR_I32}, {0x0d, HR_F32}, {0x0e, HR_F64}};

    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const unsigned char file[] = {0, 0, types[i].type, 3, 0, 0, 1, 2, 0, 0, 0, 28, 0, 0, 0, 27};
        struct hri_layout layout;

        assert_int_equal(parse(file, sizeof file, &layout), HR_OK);
        assert_int_equal(layout.dtype, types[i].dtype);
        assert_int_equal(layout.rows, 258);
        assert_int_equal(layout.rank, 2);
        assert_int_equal(layout.shape[0], 28);
        assert_int_equal(layout.shape[1], 27);
        assert_int_equal(layout.row_bytes, 28 * 27 * hr_dtype_bytes(types[i].dtype));
        assert_int_equal(layout.bytes, 258 * layout.row_bytes);
        assert_int_equal(layout.offset, 16);
        assert_int_equal(layout.swapped, hr_dtype_bytes(types[i].dtype) > 1);
    }
}

static void one_dimension_is_rows_of_one_element(void **state)
{
    struct hri_layout layout;

    (void)state;
    assert_int_equal(parse("\0\0\x08\1\0\0\0\5", 8, &layout), HR_OK);
    assert_int_equal(layout.rows, 5);
    assert_int_equal(layout.rank, 0);
    assert_int_equal(layout.row_bytes, 1);
    assert_int_equal(layout.offset, 8);
}

static void wrong_headers(void **state)
{
    unsigned char nine[40] = {0, 0, 8, 9};
    unsigned char eight[36] = {0, 0, 8, 8};

    (void)state;
    refused("\0\0\x0a\1\0\0\0\5", 8, "element type 0a");
    refused("\0\0\x07\1\0\0\0\5", 8, "element type 07");
    refused("\0\0\x0f\1\0\0\0\5", 8, "element type 0f");
    refused("\0\0\x08\0", 4, "0 dimensions");
    refused("\0\0\x08\1\0\0\0\0", 8, "no rows");
    refused("\0\0\x08\2\0\0\0\1\0\0\0\0", 12, "no bytes");
    refused(nine, sizeof nine, "9 dimensions");
    refused("\0\0\x08\3\0\0\0\5\0\0\0", 11, "truncated: 11 bytes, the IDX header of 3 dimensions alone has 16");
    memset(eight + 4, 0xff, 32);
    refused(eight, sizeof eight, "can address");
    for (int i = 0; i < 8; i++)
        memcpy(eight + 4 + 4 * i, "\0\1\0\0", 4); /* 65536 each: 2^128, 0 modulo 2^64 */
    refused(eight, sizeof eight, "can address");
    refused("\0\0\0\0\0\0\0\0", 8, "begins with 00 00 00 00 00 00 00 00");
    refused("\1\0\x08\1", 4, "begins with 01 00 08 01");
    refused("abc", 3, "begins with 61 62 63");
    refused("", 0, "empty");
    refused("PK\3\4....", 8, "np.save");
}

static void elements_are_swapped(void **state)
{
    unsigned char bytes[17], swapped[17];

    (void)state;
    for (unsigned char i = 0; i < 17; i++)
        bytes[i] = i;
    for (uint32_t width = 2; width <= 8; width *= 2) {
        memset(swapped, 0xee, sizeof swapped);
        hri_swap_copy(swapped, bytes + 1, 16, width); /* from an address that is not aligned */
        for (uint32_t i = 0; i < 16; i++)
            assert_int_equal(swapped[i], 1 + i / width * width + (width - 1 - i % width));
        assert_int_equal(swapped[16], 0xee);
        hri_swap_copy(swapped, swapped, 16, width);
        assert_memory_equal(swapped, bytes + 1, 16);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type),
        cmocka_unit_test(one_dimension_is_rows_of_one_element),
        cmocka_unit_test(wrong_headers),
        cmocka_unit_test(elements_are_swapped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
