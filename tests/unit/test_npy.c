/* .npy headers as NumPy writes them, and as it would not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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

/* A file of version `major` whose header is `dict`, padded as NumPy does; its size. */
static size_t make(unsigned char *out, unsigned major, const char *dict)
{
    const size_t prefix = major == 1 ? 10 : 12;
    const size_t length = (prefix + strlen(dict) + 1 + 63) / 64 * 64 - prefix;

    memcpy(out, "\x93NUMPY", 6);
    out[6] = (unsigned char)major;
    out[7] = 0;
    memset(out + 8, 0, 4);
    out[8] = (unsigned char)length;
    out[9] = (unsigned char)(length >> 8);
    memset(out + prefix, ' ', length);
    memcpy(out + prefix, dict, strlen(dict));
    out[prefix + length - 1] = '\n';
    return prefix + length;
}

static hr_status parse_dict(unsigned major, const char *dict, struct hri_layout *layout)
{
    unsigned char file[1024];

    return parse(file, make(file, major, dict), layout);
}

static void refused(const char *dict, const char *words)
{
    struct hri_layout layout = {.rows = 77};

    if (parse_dict(1, dict, &layout) != HR_FORMAT)
        fail_msg("%s was not refused", dict);
    assert_int_equal(layout.rows, 77);
    if (!strstr(hr_last_error(), words))
        fail_msg("\"%s\" lacks \"%s\"", hr_last_error(), words);
}

static void every_type(void **state)
{
    static const struct {
        const char *descr;
        uint32_t dtype;
    } types[] = {{"|b1", HR_BOOL}, {"?", HR_BOOL},    {"|i1", HR_I8},  {"|u1", HR_U8},  {"<i2", HR_I16},
                 {"<u2", HR_U16},  {"<i4", HR_I32},   {"<u4", HR_U32}, {"<i8", HR_I64}, {"<u8", HR_U64},
                 {"<f2", HR_F16},  {"<f4", HR_F32},   {"=f4", HR_F32}, {"f4", HR_F32},  {"<f8", HR_F64},
                 {"<c8", HR_C64},  {"<c16", HR_C128}, {">u1", HR_U8},  {"|?", HR_BOOL}};

    (void)state;
    for (unsigned major = 1; major <= 3; major++) {
        for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
            struct hri_layout layout;
            char dict[128];

            snprintf(dict, sizeof dict, "{'descr': '%s', 'fortran_order': False, 'shape': (5, 3, 2), }",
                     types[i].descr);
            assert_int_equal(parse_dict(major, dict, &layout), HR_OK);
            assert_int_equal(layout.dtype, types[i].dtype);
            assert_int_equal(layout.rows, 5);
            assert_int_equal(layout.rank, 2);
            assert_int_equal(layout.shape[0], 3);
            assert_int_equal(layout.shape[1], 2);
            assert_int_equal(layout.row_bytes, 6 * hr_dtype_bytes(types[i].dtype));
            assert_int_equal(layout.bytes, 5 * layout.row_bytes);
            assert_int_equal(layout.offset, 128);
            assert_false(layout.swapped);
        }
    }
}

static void other_ways_to_write_it(void **state)
{
    static const char *const dicts[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (7,), }",
        "{'descr':'<f4','fortran_order':False,'shape':(7,)}",
        "{\"shape\": (7L,), \"descr\": \"<f4\", \"fortran_order\": False}",
        " { 'shape' : ( 7 , ) , 'fortran_order' : True , 'descr' : '<f4' , } ", /* one dimension: no order */
        "{'descr': '<f4', 'fortran_order': True, 'shape': (7, 1), }",           /* one column: either order */
    };

    (void)state;
    for (size_t i = 0; i < sizeof dicts / sizeof dicts[0]; i++) {
        struct hri_layout layout;

        assert_int_equal(parse_dict(1, dicts[i], &layout), HR_OK);
        assert_int_equal(layout.rows, 7);
        assert_int_equal(layout.row_bytes, 4);
        assert_int_equal(layout.bytes, 28);
    }
}

static void what_numpy_writes_and_we_refuse(void **state)
{
#define WITH(descr) "{'descr': " descr ", 'fortran_order': False, 'shape': (7, 2), }"
    (void)state;
    refused("{'descr': '<f4', 'fortran_order': True, 'shape': (7, 2), }", "np.ascontiguousarray(x)");
    refused("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 2, 3), }", "Fortran order");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", "x.reshape(1)");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 4), }", "no rows");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (4, 0), }", "no bytes");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1, 1, 1, 1, 1, 1, 1, 1), }", "more than 8");
    refused(WITH("'>f4'"), "'>f4' is in the other byte order; save x.astype('<f4')");
    refused(WITH("'>c16'"), "x.astype('<c16')");
    refused(WITH("[('a', '<f4'), ('b', '<i2')]"), "structured");
    refused(WITH("('<f4', (2,))"), "structured");
    refused(WITH("'|O'"), "Python objects");
    refused(WITH("'<U5'"), "text");
    refused(WITH("'|S9'"), "text");
    refused(WITH("'<M8[ns]'"), "x.view('<i8')");
    refused(WITH("'|V2'"), "x.view('<u2')");
    refused(WITH("'<f16'"), "x.astype('<f8')");
    refused(WITH("'<c32'"), "x.astype('<c16')");
    refused(WITH("'<i3'"), "'<i3'");
    refused(WITH("''"), "element type ''");
#undef WITH
}

static void broken_dictionaries(void **state)
{
    (void)state;
    refused("", "'{' expected");
    refused("{'descr': '<f4', 'fortran_order': False}", "'shape' is missing");
    refused("{'descr': '<f4', 'shape': (7,)}", "'fortran_order' is missing");
    refused("{'shape': (7,), 'fortran_order': False}", "'descr' is missing");
    refused("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (7,)}", "twice");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (7,), 'more': 1}", "'more' is none of");
    refused("{'descr': '<f4' 'fortran_order': False, 'shape': (7,)}", "',' or '}' expected at character 16");
    refused("{'descr' '<f4', 'fortran_order': False, 'shape': (7,)}", "':' expected");
    refused("{'descr': '<f4', 'fortran_order': false, 'shape': (7,)}", "True or False expected");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (7)}", "not a tuple");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': 7}", "'(' of the shape expected");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (-7,)}", "a count or ')' expected");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (7 7,)}", "',' or ')' of the shape");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (,)}", "a count or ')' expected");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (7,", "where it ends");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (7,)} x", "nothing but space expected");
    refused("{'descr': '<f4\\x', 'fortran_order': False, 'shape': (7,)}", "short plain string");
    refused("{'descr': 'f4444444444444444444444444444444444444444', }", "short plain string");
    refused("{'descr': '\x01', }", "found byte 01");
}

static void sizes_that_overflow(void **state)
{
    (void)state;
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551616,)}", "over 64 bits");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551615,)}", "can address");
    refused("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", "can address");
    refused("{'descr': '<f8', 'fortran_order': False, 'shape': (2305843009213693952, 1)}", "can address");
    refused("{'descr': '|u1', 'fortran_order': False, 'shape': (9223372036854775807, 1)}", "can address");
}

static void wrong_prefixes(void **state)
{
    unsigned char file[1024];
    struct hri_layout layout;
    size_t size = make(file, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (7,), }");

    (void)state;
    for (size_t cut = 0; cut < size; cut++)
        assert_int_equal(parse(file, cut, &layout), HR_FORMAT);
    assert_int_equal(parse(file, size - 1, &layout), HR_FORMAT);
    assert_non_null(strstr(hr_last_error(), "truncated: 127 bytes, the .npy header alone has 128"));
    assert_int_equal(parse(file, size, &layout), HR_OK);
    file[8] = 14; /* "{'descr': '<f4" */
    assert_int_equal(parse(file, size, &layout), HR_FORMAT);
    assert_non_null(strstr(hr_last_error(), "a closing quote expected at character 14, where it ends"));
    file[6] = 4;
    assert_int_equal(parse(file, size, &layout), HR_FORMAT);
    assert_non_null(strstr(hr_last_error(), "version 4.0"));
    file[6] = 1, file[7] = 1;
    assert_int_equal(parse(file, size, &layout), HR_FORMAT);
    size = make(file, 2, "{'descr': '<f4', 'fortran_order': False, 'shape': (7,), }");
    file[11] = 0xff;
    assert_int_equal(parse(file, size, &layout), HR_FORMAT);
    assert_non_null(strstr(hr_last_error(), "a .npy header of 4278190196 bytes"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type),
        cmocka_unit_test(other_ways_to_write_it),
        cmocka_unit_test(what_numpy_writes_and_we_refuse),
        cmocka_unit_test(broken_dictionaries),
        cmocka_unit_test(sizes_that_overflow),
        cmocka_unit_test(wrong_prefixes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
