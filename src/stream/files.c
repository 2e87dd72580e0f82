/* Data sets over files: each is opened, told apart by its content, and becomes one field. */
#include "core/message.h"
#include "core/util.h"
#include "stream/build.h"
#include "stream/content.h"

#include <string.h>

/* What has become of a file: the layout of its rows, where they are, what holds them. */
struct loaded {
    struct hri_layout layout;
    const unsigned char *rows;
    struct hri_holding holding;
};

/* All of the rows are there, and nothing else. */
static hr_status check_length(const struct hri_layout *layout, uint64_t size)
{
    const uint64_t wanted = layout->offset + layout->bytes;

    if (size < wanted)
        return hri_fail(HR_FORMAT, "truncated: the header asks for %llu bytes in all, the file has %llu",
                        (unsigned long long)wanted, (unsigned long long)size);
    if (size > wanted)
        return hri_fail(HR_FORMAT,
                        "too long: the header asks for %llu bytes in all, the file has %llu; "
                        "one array a file is read",
                        (unsigned long long)wanted, (unsigned long long)size);
    return HR_OK;
}

static hr_status load_gzip(struct hri_content *content, struct loaded *loaded)
{
    struct hri_layout *layout = &loaded->layout;
    unsigned char *rows;
    hr_status st = hri_gzip_load(content->bytes, content->size, layout, &rows);

    if (st != HR_OK)
        return st;
    if (layout->swapped)
        hri_swap_copy(rows, rows, layout->bytes, hr_dtype_bytes(layout->dtype));
    loaded->rows = rows;
    loaded->holding = (struct hri_holding){.pointer = rows, .bytes = layout->bytes};
    return HR_OK;
}

/* Rows stay in the mapping, which then is the field's, unless their bytes have to be swapped. */
static hr_status load_plain(struct hri_content *content, struct loaded *loaded)
{
    struct hri_layout *layout = &loaded->layout;
    unsigned char *rows;
    hr_status st = hri_format_parse(content->bytes, content->size, layout);

    if (st == HR_OK)
        st = check_length(layout, content->size);
    if (st != HR_OK)
        return st;
    if (!layout->swapped) {
        hri_content_prefetch(content);
        loaded->rows = content->bytes + layout->offset;
        loaded->holding = (struct hri_holding){.pointer = content->bytes, .bytes = content->size, .mapped = 1};
        *content = (struct hri_content){.bytes = NULL};
        return HR_OK;
    }
    st = hri_rows_alloc(layout->bytes, &rows);
    if (st != HR_OK)
        return st;
    hri_swap_copy(rows, content->bytes + layout->offset, layout->bytes, hr_dtype_bytes(layout->dtype));
    loaded->rows = rows;
    loaded->holding = (struct hri_holding){.pointer = rows, .bytes = layout->bytes};
    return HR_OK;
}

static hr_status load(const char *path, struct loaded *loaded)
{
    struct hri_content content;
    hr_status st = hri_content_open(path, &content);

    if (st != HR_OK)
        return hri_fail_context(st, "%s", path);
    if (hri_gzip_is(content.bytes, content.size))
        st = load_gzip(&content, loaded);
    else
        st = load_plain(&content, loaded);
    hri_content_close(&content);
    return st == HR_OK ? st : hri_fail_context(st, "%s", path);
}

static void set_field(hr_dataset *dataset, uint32_t index, const struct loaded *loaded)
{
    struct hri_field *field = &dataset->fields[index];
    const struct hri_layout *layout = &loaded->layout;

    field->info.size = sizeof field->info;
    field->info.dtype = layout->dtype;
    field->info.rank = layout->rank;
    memcpy(field->info.shape, layout->shape, sizeof layout->shape);
    field->info.row_bytes = layout->row_bytes;
    field->info.row_stride = layout->row_bytes;
    field->data = loaded->rows;
    dataset->holdings[index] = loaded->holding;
}

/* `first`: the path of field 0, which says how many rows there are. */
static hr_status add_file(hr_dataset *dataset, uint32_t index, const void *given, const char **first)
{
    struct loaded loaded;
    hr_file file;
    hr_status st = hri_struct_in(&file, sizeof file, given, sizeof file, "hr_file");

    if (st != HR_OK)
        return hri_fail_context(st, "file %u", index);
    if (!file.path)
        return hri_fail(HR_INVALID, "file %u: path is NULL", index);
    st = hri_dataset_name(dataset, index, file.name);
    if (st != HR_OK)
        return st;
    st = load(file.path, &loaded);
    if (st != HR_OK)
        return st;
    set_field(dataset, index, &loaded);
    if (index == 0) {
        dataset->rows = loaded.layout.rows;
        *first = file.path;
    }
    if (loaded.layout.rows != dataset->rows)
        return hri_fail(HR_FORMAT, "%s has %llu rows and %s has %llu; the files of a data set have the same number",
                        *first, (unsigned long long)dataset->rows, file.path, (unsigned long long)loaded.layout.rows);
    return HR_OK;
}

hr_status hr_dataset_from_files(const hr_file *files, uint32_t n_files, hr_dataset **dataset)
{
    const char *first = NULL;
    hr_dataset *made = NULL;
    hr_status st;

    if (!files || !dataset)
        return hri_fail(HR_INVALID, "hr_dataset_from_files: %s is NULL", files ? "dataset" : "files");
    st = hri_dataset_new(n_files, "files", &made);
    if (st != HR_OK)
        return st;
    for (uint32_t i = 0; st == HR_OK && i < n_files; i++)
        st = add_file(made, i, hri_struct_at(files, i), &first);
    if (st == HR_OK)
        *dataset = made;
    else
        hri_dataset_release(made);
    return st;
}
