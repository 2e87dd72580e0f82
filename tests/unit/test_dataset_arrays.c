/* Data sets over arrays: what is described comes back, and every wrong description is refused with its reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "stream/source.h"

static const float images[6][4];
static const uint8_t labels[6];

static hr_array image_array(void)
{
    return (hr_array){
        .size = sizeof(hr_array), .dtype = HR_F32, .name = "image", .data = images, .rank = 2, .shape = {2, 2}};
}

static hr_array label_array(void)
{
    return (hr_array){.size = sizeof(hr_array), .dtype = HR_U8, .name = "label", .data = labels};
}

/* A data set of one field is refused, with the words in the message, and the output is untouched. */
static void refused(hr_array array, uint64_t rows, const char *words)
{
    hr_dataset untouched;
    hr_dataset *dataset = &untouched;

    assert_int_equal(hr_dataset_from_arrays(&array, 1, rows, &dataset), HR_INVALID);
    assert_ptr_equal(dataset, &untouched);
    if (!strstr(hr_last_error(), words))
        fail_msg("\"%s\" lacks \"%s\"", hr_last_error(), words);
}

static void description_comes_back(void **state)
{
    char name[] = "image";
    hr_array arrays[] = {image_array(), label_array()};
    hr_field_info info = {.size = sizeof info};
    hr_dataset *dataset = NULL;
    uint64_t rows = 0;
    uint32_t count = 0;

    (void)state;
    arrays[0].name = name;
    assert_int_equal(hr_dataset_from_arrays(arrays, 2, 6, &dataset), HR_OK);
    memset(name, 'x', sizeof name); /* names and descriptions were copied */
    memset(arrays, 0xff, sizeof arrays);
    assert_int_equal(hr_dataset_get_rows(dataset, &rows), HR_OK);
    assert_int_equal(rows, 6);
    assert_int_equal(hr_dataset_get_field_count(dataset, &count), HR_OK);
    assert_int_equal(count, 2);
    assert_int_equal(hr_dataset_get_field(dataset, 0, &info), HR_OK);
    assert_int_equal(info.size, sizeof info);
    assert_int_equal(info.dtype, HR_F32);
    assert_int_equal(info.rank, 2);
    assert_int_equal(info.shape[0], 2);
    assert_int_equal(info.shape[1], 2);
    assert_int_equal(info.row_bytes, 16);
    assert_int_equal(info.row_stride, 16);
    assert_string_equal(info.name, "image");
    assert_int_equal(hr_dataset_get_field(dataset, 1, &info), HR_OK);
    assert_int_equal(info.rank, 0);
    assert_int_equal(info.row_bytes, 1);
    assert_string_equal(info.name, "label");
    assert_ptr_equal(dataset->fields[0].data, images);
    hr_dataset_close(&dataset);
    assert_null(dataset);
    hr_dataset_close(&dataset);
    hr_dataset_close(NULL);
}

static void names_and_strides(void **state)
{
    hr_array arrays[] = {image_array(), label_array()};
    hr_field_info info = {.size = sizeof info};
    hr_dataset *dataset = NULL;

    (void)state;
    arrays[0].name = NULL;
    arrays[0].shape[0] = 1;
    arrays[0].row_stride = 16;
    arrays[1].name = NULL;
    assert_int_equal(hr_dataset_from_arrays(arrays, 2, 6, &dataset), HR_OK);
    assert_int_equal(hr_dataset_get_field(dataset, 0, &info), HR_OK);
    assert_string_equal(info.name, "0");
    assert_int_equal(info.row_bytes, 8);
    assert_int_equal(info.row_stride, 16);
    assert_int_equal(hr_dataset_get_field(dataset, 1, &info), HR_OK);
    assert_string_equal(info.name, "1");
    hr_dataset_close(&dataset);

    arrays[1].name = "0"; /* field 0 has it already */
    assert_int_equal(hr_dataset_from_arrays(arrays, 2, 6, &dataset), HR_INVALID);
    assert_non_null(strstr(hr_last_error(), "fields 0 and 1 are both named \"0\""));
    assert_null(dataset);
}

static void wrong_descriptions(void **state)
{
    char long_name[65];
    hr_array array;

    (void)state;
    memset(long_name, 'n', 64);
    long_name[64] = '\0';
    refused(image_array(), 0, "rows is 0");
    array = image_array(), array.size = 0;
    refused(array, 6, "hr_array.size is 0");
    array = image_array(), array.dtype = 99;
    refused(array, 6, "99 is no element type");
    array = image_array(), array.rank = 8;
    refused(array, 6, "rows of 8 dimensions; 7 are the most");
    array = image_array(), array.shape[1] = 0;
    refused(array, 6, "shape[1] is 0");
    array = image_array(), array.shape[1] = UINT64_MAX / 4;
    refused(array, 6, "overflow");
    array = image_array(), array.shape[0] = (uint64_t)1 << 32, array.shape[1] = (uint64_t)1 << 30;
    refused(array, 6, "overflow"); /* 2^64 bytes: 0 modulo 2^64 */
    array = image_array(), array.row_stride = 15;
    refused(array, 6, "row_stride is 15, a row has 16 bytes");
    array = image_array(), array.data = NULL;
    refused(array, 6, "data is NULL");
    refused(image_array(), UINT64_MAX / 16, "past the end of memory");
    refused(image_array(), ((uint64_t)1 << 60) + 1, "past the end of memory"); /* 2^64 + 16 bytes */
    array = image_array(), array.name = "";
    refused(array, 6, "no bytes");
    array = image_array(), array.name = long_name;
    refused(array, 6, "1 to 63");
    long_name[63] = '\0';
    {
        hr_dataset *dataset = NULL;

        assert_int_equal(hr_dataset_from_arrays(&array, 1, 6, &dataset), HR_OK);
        assert_string_equal(dataset->fields[0].info.name, long_name);
        hr_dataset_close(&dataset);
    }
}

static void wrong_arguments(void **state)
{
    hr_array array = image_array();
    hr_field_info info = {.size = sizeof info};
    hr_dataset *dataset = NULL;
    uint64_t rows;
    uint32_t count;

    (void)state;
    assert_int_equal(hr_dataset_from_arrays(NULL, 1, 6, &dataset), HR_INVALID);
    assert_int_equal(hr_dataset_from_arrays(&array, 1, 6, NULL), HR_INVALID);
    assert_int_equal(hr_dataset_from_arrays(&array, 0, 6, &dataset), HR_INVALID);
    assert_int_equal(hr_dataset_from_arrays(&array, 65, 6, &dataset), HR_INVALID);
    assert_non_null(strstr(hr_last_error(), "65 fields; a data set has 1 to 64"));
    assert_null(dataset);
    assert_int_equal(hr_dataset_get_rows(NULL, &rows), HR_INVALID);
    assert_int_equal(hr_dataset_get_field_count(NULL, &count), HR_INVALID);
    assert_int_equal(hr_dataset_get_field(NULL, 0, &info), HR_INVALID);

    assert_int_equal(hr_dataset_from_arrays(&array, 1, 6, &dataset), HR_OK);
    assert_int_equal(hr_dataset_get_rows(dataset, NULL), HR_INVALID);
    assert_int_equal(hr_dataset_get_field_count(dataset, NULL), HR_INVALID);
    assert_int_equal(hr_dataset_get_field(dataset, 0, NULL), HR_INVALID);
    assert_int_equal(hr_dataset_get_field(dataset, 1, &info), HR_RANGE);
    assert_non_null(strstr(hr_last_error(), "field 1 of a data set of 1"));
    info.size = 0;
    assert_int_equal(hr_dataset_get_field(dataset, 0, &info), HR_INVALID);
    hr_dataset_close(&dataset);
}

/* A program compiled against a later version has larger structs: the stride of the array of them is its size. */
static void larger_structs_of_a_later_version(void **state)
{
    struct {
        hr_array array;
        uint64_t later;
    } arrays[] = {{image_array(), 1}, {label_array(), 2}};
    hr_dataset *dataset = NULL;

    (void)state;
    arrays[0].array.size = sizeof arrays[0];
    arrays[1].array.size = sizeof arrays[1];
    assert_int_equal(hr_dataset_from_arrays(&arrays[0].array, 2, 6, &dataset), HR_OK);
    assert_string_equal(dataset->fields[1].info.name, "label");
    hr_dataset_close(&dataset);
}

static void retained_data_set_outlives_its_handle(void **state)
{
    hr_array array = image_array();
    hr_dataset *dataset = NULL;
    hr_dataset *kept;

    (void)state;
    assert_int_equal(hr_dataset_from_arrays(&array, 1, 6, &dataset), HR_OK);
    kept = dataset;
    hri_dataset_retain(kept);
    hr_dataset_close(&dataset);
    assert_int_equal(kept->rows, 6); /* the address sanitizer sees it if it is gone */
    hri_dataset_release(kept);
}

static void dtypes(void **state)
{
    (void)state;
    assert_int_equal(hr_dtype_bytes(HR_BOOL), 1);
    assert_int_equal(hr_dtype_bytes(HR_BF16), 2);
    assert_int_equal(hr_dtype_bytes(HR_C128), 16);
    assert_int_equal(hr_dtype_bytes(0), 0);
    assert_int_equal(hr_dtype_bytes(16), 0);
    assert_string_equal(hr_dtype_name(HR_F32), "f32");
    assert_string_equal(hr_dtype_name(HR_C128), "c128");
    assert_string_equal(hr_dtype_name(0), "?");
    assert_string_equal(hr_dtype_name(UINT32_MAX), "?");
    for (uint32_t dtype = HR_BOOL; dtype <= HR_C128; dtype++)
        assert_string_not_equal(hr_dtype_name(dtype), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(description_comes_back),
        cmocka_unit_test(names_and_strides),
        cmocka_unit_test(wrong_descriptions),
        cmocka_unit_test(wrong_arguments),
        cmocka_unit_test(larger_structs_of_a_later_version),
        cmocka_unit_test(retained_data_set_outlives_its_handle),
        cmocka_unit_test(dtypes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
