/* Data sets over files: what is read from .npy and IDX, plain and gzip, and how files that are wrong are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "fake/gzip.h"
#include "fake/scratch.h"
#include "stream/source.h"

/* Three rows of 2 x 2 bytes, 10 to 21. */
static const unsigned char idx_u8[28] = {0, 0, 8,  3,  0,  0,  0,  3,  0,  0,  0,  2,  0,  0,
                                         0, 2, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21};
/* Two rows of 3 int16: 1 to 5, -2. */
static const unsigned char idx_i16[24] = {0, 0, 0x0b, 2, 0, 0, 0, 2, 0, 0, 0,    3,
                                          0, 1, 0,    2, 0, 3, 0, 4, 0, 5, 0xff, 0xfe};
static const int16_t i16_values[6] = {1, 2, 3, 4, 5, -2};

static hr_status open_file(const char *path, hr_dataset **dataset)
{
    hr_file file = {.size = sizeof file, .path = path};

    return hr_dataset_from_files(&file, 1, dataset);
}

static void message_has(const char *words)
{
    if (!strstr(hr_last_error(), words))
        fail_msg("\"%s\" lacks \"%s\"", hr_last_error(), words);
}

/* A file of that content is refused; the message names it and has the words. */
static void refused(const void *bytes, size_t size, const char *words)
{
    hr_dataset untouched;
    hr_dataset *dataset = &untouched;
    const char *path = scratch_file("refused", bytes, size);

    assert_int_equal(open_file(path, &dataset), HR_FORMAT);
    assert_ptr_equal(dataset, &untouched);
    message_has(path);
    message_has(words);
}

/* A .npy file of version 1 whose header is padded to an odd size: its rows are not aligned. */
static size_t make_npy(unsigned char *out, const char *dict, const void *rows, size_t bytes)
{
    const size_t length = strlen(dict) + 1;

    memcpy(out, "\x93NUMPY\1\0", 8);
    out[8] = (unsigned char)length;
    out[9] = (unsigned char)(length >> 8);
    memcpy(out + 10, dict, length - 1);
    out[9 + length] = '\n';
    memcpy(out + 10 + length, rows, bytes);
    return 10 + length + bytes;
}

static void require_gzip(void)
{
    unsigned char packed[256];
    size_t size = fake_gzip(packed, idx_u8, sizeof idx_u8, 65535);
    hr_dataset *dataset = NULL;

    if (open_file(scratch_file("probe.gz", packed, size), &dataset) == HR_UNSUPPORTED) {
        message_has("gunzip");
        skip();
    }
    hr_dataset_close(&dataset);
}

static void check_u8(hr_dataset *dataset)
{
    assert_int_equal(dataset->rows, 3);
    assert_int_equal(dataset->fields[0].info.dtype, HR_U8);
    assert_int_equal(dataset->fields[0].info.rank, 2);
    assert_int_equal(dataset->fields[0].info.shape[1], 2);
    assert_int_equal(dataset->fields[0].info.row_stride, 4);
    assert_memory_equal(dataset->fields[0].data, idx_u8 + 16, 12);
}

static void idx_is_mapped_or_swapped(void **state)
{
    hr_dataset *dataset = NULL;

    (void)state;
    assert_int_equal(open_file(scratch_file("a", idx_u8, sizeof idx_u8), &dataset), HR_OK);
    check_u8(dataset);
    assert_int_equal(dataset->holdings[0].mapped, 1);
    assert_string_equal(dataset->fields[0].info.name, "0");
    hr_dataset_close(&dataset);

    assert_int_equal(open_file(scratch_file("b", idx_i16, sizeof idx_i16), &dataset), HR_OK);
    assert_int_equal(dataset->rows, 2);
    assert_int_equal(dataset->fields[0].info.row_bytes, 6);
    assert_memory_equal(dataset->fields[0].data, i16_values, sizeof i16_values);
    assert_int_equal(dataset->holdings[0].mapped, 0);
    hr_dataset_close(&dataset);
}

static void several_files_are_fields(void **state)
{
    static const char dict[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
    const float values[3] = {0.5f, -1, 2};
    unsigned char npy[256];
    hr_file files[] = {{.size = sizeof(hr_file), .name = "image"}, {.size = sizeof(hr_file), .name = "target"}};
    hr_dataset *dataset = NULL;

    (void)state;
    files[0].path = scratch_file("image", idx_u8, sizeof idx_u8);
    files[1].path = scratch_file("target", npy, make_npy(npy, dict, values, sizeof values));
    assert_int_equal(hr_dataset_from_files(files, 2, &dataset), HR_OK);
    check_u8(dataset);
    assert_string_equal(dataset->fields[1].info.name, "target");
    assert_int_equal(dataset->fields[1].info.dtype, HR_F32);
    assert_int_equal(dataset->fields[1].info.rank, 0);
    assert_memory_equal(dataset->fields[1].data, values, sizeof values);
    hr_dataset_close(&dataset);

    files[1].name = "image";
    assert_int_equal(hr_dataset_from_files(files, 2, &dataset), HR_INVALID);
    message_has("both named \"image\"");

    files[1].name = "target";
    files[1].path = scratch_file("two rows", idx_i16, sizeof idx_i16);
    assert_int_equal(hr_dataset_from_files(files, 2, &dataset), HR_FORMAT);
    message_has(files[0].path);
    message_has("has 3 rows");
    message_has(files[1].path);
    message_has("has 2;");
    assert_null(dataset);
}

static void wrong_lengths(void **state)
{
    static const char dict[] = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }";
    unsigned char bytes[256];
    size_t size = make_npy(bytes, dict, i16_values, sizeof i16_values);
    char words[64];

    (void)state;
    snprintf(words, sizeof words, "asks for %zu bytes in all, the file has %zu", size, size - 1);
    refused(bytes, size - 1, words);
    bytes[size] = 0;
    snprintf(words, sizeof words, "asks for %zu bytes in all, the file has %zu", size, size + 1);
    refused(bytes, size + 1, words);
    refused(idx_u8, 27, "truncated: the header asks for 28 bytes in all, the file has 27");
    refused(idx_u8, 15, "truncated: 15 bytes");
    refused("", 0, "empty");
    refused("\x7f"
            "ELF\2\1\1",
            7, "begins with 7f 45 4c 46 02 01 01");
}

static void gzip_is_unpacked(void **state)
{
    unsigned char packed[1024];
    hr_dataset *dataset = NULL;
    size_t size;

    (void)state;
    require_gzip();
    for (size_t block = 1; block <= 32; block++) {
        size = fake_gzip(packed, idx_u8, sizeof idx_u8, block);
        assert_int_equal(open_file(scratch_file("a.gz", packed, size), &dataset), HR_OK);
        check_u8(dataset);
        hr_dataset_close(&dataset);
    }
    size = fake_gzip(packed, idx_i16, sizeof idx_i16, 65535);
    assert_int_equal(open_file(scratch_file("b.gz", packed, size), &dataset), HR_OK);
    assert_memory_equal(dataset->fields[0].data, i16_values, sizeof i16_values);
    hr_dataset_close(&dataset);

    /* Members one behind the other are one file (RFC 1952, 2.2), cut anywhere. */
    for (size_t cut = 0; cut <= sizeof idx_u8; cut++) {
        size = fake_gzip(packed, idx_u8, cut, 65535);
        size += fake_gzip(packed + size, idx_u8 + cut, sizeof idx_u8 - cut, 65535);
        assert_int_equal(open_file(scratch_file("c.gz", packed, size), &dataset), HR_OK);
        check_u8(dataset);
        hr_dataset_close(&dataset);
    }
}

/* More rows than the bytes that are unpacked to find the header. */
static void large_gzip_is_unpacked(void **state)
{
    enum { ROWS = 300000 };
    unsigned char *bytes = calloc(1, 8 + ROWS + 1);
    unsigned char *packed = malloc(fake_gzip_room(8 + ROWS + 1));
    hr_dataset *dataset = NULL;
    size_t size;

    (void)state;
    require_gzip();
    assert_non_null(bytes);
    assert_non_null(packed);
    memcpy(bytes, (const unsigned char[]){0, 0, 9, 1, 0, ROWS >> 16, ROWS >> 8 & 0xff, ROWS & 0xff}, 8);
    for (uint32_t i = 0; i < ROWS; i++)
        bytes[8 + i] = (unsigned char)(i * 2654435761u >> 24);
    size = fake_gzip(packed, bytes, 8 + ROWS, 65535);
    assert_int_equal(open_file(scratch_file("large.gz", packed, size), &dataset), HR_OK);
    assert_int_equal(dataset->rows, ROWS);
    assert_memory_equal(dataset->fields[0].data, bytes + 8, ROWS);
    hr_dataset_close(&dataset);
    refused(packed, size - 200000, "truncated: the gzip data do not end");
    size = fake_gzip(packed, bytes, 8 + ROWS - 1, 65535);
    refused(packed, size, "truncated: the header asks for 300000 bytes of rows, 299999 are there");
    size = fake_gzip(packed, bytes, 8 + ROWS + 1, 65535);
    refused(packed, size, "more bytes follow the 300000 bytes of rows");
    free(packed);
    free(bytes);
}

static void wrong_gzip(void **state)
{
    unsigned char packed[256];
    const size_t size = fake_gzip(packed, idx_u8, sizeof idx_u8, 65535);
    unsigned char longer[29];

    (void)state;
    require_gzip();
    for (size_t cut = 2; cut < size; cut++)
        refused(packed, cut, "truncated: the gzip data do not end within");
    packed[size] = 'x';
    refused(packed, size + 1, "1 bytes that are not gzip follow");
    memcpy(packed + size, packed, size);
    refused(packed, 2 * size, "more bytes follow the 12 bytes of rows");
    packed[size - 5] ^= 1; /* the checksum */
    refused(packed, size, "damaged gzip data");
    packed[size - 5] ^= 1;
    packed[2] = 7; /* a method that there is not */
    refused(packed, size, "damaged gzip data");
    memcpy(longer, idx_u8, 28);
    refused(packed, fake_gzip(packed, longer, 29, 65535), "more bytes follow");
    refused(packed, fake_gzip(packed, longer, 27, 65535), "truncated: the header asks for 12 bytes of rows, 11");
    refused(packed, fake_gzip(packed, "hello", 5, 65535), "inside gzip: the file begins with 68 65 6c 6c 6f");
    refused(packed, fake_gzip(packed, "", 0, 65535), "inside gzip: the file is empty");
    memset(longer + 4, 0x7f, 8); /* 2^62 bytes in a file of 100 */
    refused(packed, fake_gzip(packed, longer, 28, 65535), "cannot hold");
}

static void paths_that_are_no_file(void **state)
{
    hr_dataset *dataset = NULL;
    const char *path = scratch_path("missing.npy");

    (void)state;
    assert_int_equal(open_file(path, &dataset), HR_NOT_FOUND);
    message_has(path);
    message_has("No such file");
    path = scratch_path("folder");
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(open_file(path, &dataset), HR_IO);
    message_has("folder");
    path = scratch_path("fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(open_file(path, &dataset), HR_IO);
    message_has("no regular file");
    assert_null(dataset);
}

static void wrong_arguments(void **state)
{
    hr_file file = {.size = sizeof file, .path = scratch_file("a", idx_u8, sizeof idx_u8)};
    hr_file files[2] = {file, file};
    hr_dataset *dataset = NULL;

    (void)state;
    assert_int_equal(hr_dataset_from_files(NULL, 1, &dataset), HR_INVALID);
    assert_int_equal(hr_dataset_from_files(&file, 1, NULL), HR_INVALID);
    assert_int_equal(hr_dataset_from_files(&file, 0, &dataset), HR_INVALID);
    assert_int_equal(hr_dataset_from_files(&file, 65, &dataset), HR_INVALID);
    message_has("65 files");
    files[1].path = NULL;
    assert_int_equal(hr_dataset_from_files(files, 2, &dataset), HR_INVALID);
    message_has("file 1: path is NULL");
    files[1] = file;
    files[1].size = 0;
    assert_int_equal(hr_dataset_from_files(files, 2, &dataset), HR_INVALID);
    message_has("file 1: hr_file.size is 0");
    assert_null(dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idx_is_mapped_or_swapped),
        cmocka_unit_test(several_files_are_fields),
        cmocka_unit_test(wrong_lengths),
        cmocka_unit_test(gzip_is_unpacked),
        cmocka_unit_test(large_gzip_is_unpacked),
        cmocka_unit_test(wrong_gzip),
        cmocka_unit_test(paths_that_are_no_file),
        cmocka_unit_test(wrong_arguments),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
