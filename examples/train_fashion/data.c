/* Fashion-MNIST as two data sets of two fields: images and labels. */
#include "training.h"

#include <stdio.h>

static hr_status open_set(const char *folder, const char *set, hr_dataset **dataset)
{
    char images[4096], labels[4096];
    hr_file files[] = {{.size = sizeof(hr_file), .path = images, .name = "image"},
                       {.size = sizeof(hr_file), .path = labels, .name = "label"}};

    snprintf(images, sizeof images, "%s/%s-images-idx3-ubyte.gz", folder, set);
    snprintf(labels, sizeof labels, "%s/%s-labels-idx1-ubyte.gz", folder, set);
    return hr_dataset_from_files(files, 2, dataset);
}

/* The kernels count on these sizes, whatever files the folder has. */
static hr_status check_set(hr_dataset *dataset, const char *set, uint64_t *rows, uint64_t *bytes)
{
    hr_field_info image = {.size = sizeof image};
    hr_field_info label = {.size = sizeof label};
    hr_status st = hr_dataset_get_field(dataset, 0, &image);

    if (st == HR_OK)
        st = hr_dataset_get_field(dataset, 1, &label);
    if (st == HR_OK)
        st = hr_dataset_get_rows(dataset, rows);
    if (st != HR_OK)
        return st;
    if (image.dtype != HR_U8 || image.row_bytes != PIXELS || label.dtype != HR_U8 || label.row_bytes != 1) {
        fprintf(stderr,
                "train_fashion: the %s images are %s, %llu bytes each, their labels %s; they must be u8, 28 x 28\n",
                set, hr_dtype_name(image.dtype), (unsigned long long)image.row_bytes, hr_dtype_name(label.dtype));
        return HR_FORMAT;
    }
    *bytes = *rows * (image.row_bytes + label.row_bytes);
    return HR_OK;
}

hr_status data_open(const char *folder, struct data *data)
{
    uint64_t test_bytes;
    hr_status st = open_set(folder, "train", &data->train);

    if (st == HR_OK)
        st = open_set(folder, "t10k", &data->test);
    if (st == HR_OK)
        st = check_set(data->train, "training", &data->train_rows, &data->bytes);
    if (st == HR_OK)
        st = check_set(data->test, "test", &data->test_rows, &test_bytes);
    return st;
}

void data_close(struct data *data)
{
    hr_dataset_close(&data->train);
    hr_dataset_close(&data->test);
}
