/* Reads what NumPy itself wrote. test_numpy PYTHON numpy_files.py; exit code 77 where there is no NumPy. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake/scratch.h"
#include "stream/source.h"

enum { SKIP = 77, MOST = 4096 };

/* One line of list.txt. */
struct expected {
    char name[64];
    char dtype[16]; /* or "refused" */
    uint64_t rows;
    uint32_t rank;
    uint64_t shape[HR_MAX_RANK];
};

static int run(char *python, char *script, char *folder)
{
    char *arguments[] = {python, script, folder, NULL};
    int status = 1;
    pid_t child = fork();

    if (child == 0) {
        execvp(python, arguments);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        return 1;
    return WEXITSTATUS(status);
}

static int complain(const struct expected *expected, const char *what)
{
    fprintf(stderr, "%s: %s (%s)\n", expected->name, what, hr_last_error());
    return 1;
}

static int differs(const struct expected *expected, const struct hri_field *field, uint64_t rows)
{
    unsigned char raw[MOST];
    char name[96];
    size_t bytes;
    FILE *file;

    if (strcmp(hr_dtype_name(field->info.dtype), expected->dtype) != 0)
        return complain(expected, "another element type");
    if (rows != expected->rows || field->info.rank != expected->rank ||
        memcmp(field->info.shape, expected->shape, sizeof expected->shape) != 0)
        return complain(expected, "another shape");
    snprintf(name, sizeof name, "%s.raw", expected->name);
    file = fopen(scratch_path(name), "rb");
    if (!file)
        return complain(expected, "no raw file");
    bytes = fread(raw, 1, sizeof raw, file);
    fclose(file);
    if (bytes != rows * field->info.row_bytes || memcmp(raw, field->data, bytes) != 0)
        return complain(expected, "other bytes");
    return 0;
}

static int check(const struct expected *expected)
{
    hr_file file = {.size = sizeof file, .path = scratch_path(expected->name)};
    hr_dataset *dataset = NULL;
    hr_status st = hr_dataset_from_files(&file, 1, &dataset);
    int wrong;

    if (strcmp(expected->dtype, "refused") == 0)
        return st == HR_FORMAT ? 0 : complain(expected, "was not refused as HR_FORMAT");
    if (st == HR_UNSUPPORTED) /* gzip, without zlib */
        return 0;
    if (st != HR_OK)
        return complain(expected, "was refused");
    wrong = differs(expected, &dataset->fields[0], dataset->rows);
    hr_dataset_close(&dataset);
    return wrong;
}

/* The next line; 0 at the end. */
static int read_line(FILE *list, struct expected *expected)
{
    *expected = (struct expected){.rows = 0};
    if (fscanf(list, "%63s %15s", expected->name, expected->dtype) != 2)
        return 0;
    if (strcmp(expected->dtype, "refused") == 0)
        return 1;
    if (fscanf(list, "%" SCNu64 " %" SCNu32, &expected->rows, &expected->rank) != 2 || expected->rank >= HR_MAX_RANK)
        return 0;
    for (uint32_t i = 0; i < expected->rank; i++) {
        if (fscanf(list, "%" SCNu64, &expected->shape[i]) != 1)
            return 0;
    }
    return 1;
}

int main(int argc, char **argv)
{
    char folder[128];
    struct expected expected;
    int files = 0, wrong = 0, status;
    FILE *list;

    if (argc != 3)
        return 1;
    snprintf(folder, sizeof folder, "%s", scratch_path(""));
    status = run(argv[1], argv[2], folder);
    if (status != 0) {
        fprintf(stderr, "%s\n", status == SKIP ? "skipped: Python has no NumPy" : "the script failed");
        return status;
    }
    list = fopen(scratch_path("list.txt"), "r");
    if (!list)
        return 1;
    for (; read_line(list, &expected); files++)
        wrong += check(&expected);
    fclose(list);
    printf("%d files, %d wrong\n", files, wrong);
    return wrong > 0 || files < 200;
}
