/* Real data: Fashion-MNIST as distributed, gzip IDX. test_fashion FOLDER */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "stream/source.h"

static const char *folder;

static const char *path_of(const char *name)
{
    static char paths[2][512];
    static int turn;
    char *path = paths[turn++ % 2];

    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

/* The sum of all pixels and the first labels, counted from the same files by another program. */
static void check_set(const char *images, const char *labels, uint64_t rows, uint64_t pixel_sum, const char *first)
{
    hr_file files[] = {{.size = sizeof(hr_file), .path = path_of(images), .name = "image"},
                       {.size = sizeof(hr_file), .path = path_of(labels), .name = "label"}};
    hr_dataset *dataset = NULL;
    uint64_t sum = 0, classes[10] = {0};

    assert_int_equal(hr_dataset_from_files(files, 2, &dataset), HR_OK);
    assert_int_equal(dataset->rows, rows);
    assert_int_equal(dataset->fields[0].info.dtype, HR_U8);
    assert_int_equal(dataset->fields[0].info.rank, 2);
    assert_int_equal(dataset->fields[0].info.shape[0], 28);
    assert_int_equal(dataset->fields[0].info.shape[1], 28);
    assert_int_equal(dataset->fields[1].info.rank, 0);
    for (uint64_t i = 0; i < rows * 784; i++)
        sum += dataset->fields[0].data[i];
    assert_int_equal(sum, pixel_sum);
    assert_memory_equal(dataset->fields[1].data, first, 10);
    for (uint64_t i = 0; i < rows; i++) {
        assert_true(dataset->fields[1].data[i] < 10);
        classes[dataset->fields[1].data[i]]++;
    }
    for (int i = 0; i < 10; i++)
        assert_int_equal(classes[i], rows / 10);
    hr_dataset_close(&dataset);
}

static void training_and_test_set(void **state)
{
    (void)state;
    check_set("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", 60000, 3431114169, "\11\0\0\3\0\2\7\2\5\5");
    check_set("t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz", 10000, 573469082, "\11\2\1\1\6\1\4\6\5\7");
}

static void images_and_labels_of_different_sets(void **state)
{
    hr_file files[] = {{.size = sizeof(hr_file), .path = path_of("t10k-images-idx3-ubyte.gz")},
                       {.size = sizeof(hr_file), .path = path_of("train-labels-idx1-ubyte.gz")}};
    hr_dataset *dataset = NULL;

    (void)state;
    assert_int_equal(hr_dataset_from_files(files, 2, &dataset), HR_FORMAT);
    assert_non_null(strstr(hr_last_error(), "10000 rows"));
    assert_non_null(strstr(hr_last_error(), "60000"));
    assert_null(dataset);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_and_test_set),
        cmocka_unit_test(images_and_labels_of_different_sets),
    };

    if (argc != 2)
        return 1;
    folder = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
