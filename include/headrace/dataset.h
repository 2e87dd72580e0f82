/* Data sets: named fields of equal row count, in memory or in files. */
#ifndef HEADRACE_DATASET_H
#define HEADRACE_DATASET_H

#include <headrace/status.h>

HR_BEGIN_DECLS

typedef struct hr_dataset hr_dataset;

/** Element types: name, value, bytes. */
#define HR_DTYPE_LIST(X)                                                                                               \
    X(BOOL, 1, 1)                                                                                                      \
    X(U8, 2, 1)                                                                                                        \
    X(I8, 3, 1)                                                                                                        \
    X(U16, 4, 2)                                                                                                       \
    X(I16, 5, 2)                                                                                                       \
    X(U32, 6, 4)                                                                                                       \
    X(I32, 7, 4)                                                                                                       \
    X(U64, 8, 8)                                                                                                       \
    X(I64, 9, 8)                                                                                                       \
    X(F16, 10, 2)                                                                                                      \
    X(BF16, 11, 2)                                                                                                     \
    X(F32, 12, 4)                                                                                                      \
    X(F64, 13, 8)                                                                                                      \
    X(C64, 14, 8)                                                                                                      \
    X(C128, 15, 16)

enum {
#define HR_DTYPE_ENUM(name, value, bytes) HR_##name = (value),
    HR_DTYPE_LIST(HR_DTYPE_ENUM)
#undef HR_DTYPE_ENUM
};

/** Most dimensions of a field, the row dimension included. */
#define HR_MAX_RANK 8

/** The bytes of one element, 0 for a value that is no dtype. Threads: any. Since 0.1. */
HR_API uint32_t hr_dtype_bytes(uint32_t dtype);

/** The name of a dtype, "f32"; "?" for a value that is none. Threads: any. Pointers: static. Since 0.1. */
HR_API const char *hr_dtype_name(uint32_t dtype);

/** One field of a data set in memory: `rows` rows of `shape`, C-ordered within a row. */
typedef struct hr_array {
    uint32_t size;    /* sizeof(hr_array) */
    uint32_t dtype;   /* HR_F32 ... */
    const char *name; /* unique, 1 to 63 bytes; NULL: "0", "1", ... */
    const void *data; /* first row */
    uint32_t rank;    /* dimensions of a row, 0 (one element) to HR_MAX_RANK - 1 */
    uint32_t reserved;
    uint64_t shape[HR_MAX_RANK]; /* the first `rank` count; each > 0 */
    uint64_t row_stride;         /* bytes from a row to the next; 0: packed; >= the bytes of a row */
} hr_array;

/** One file as one field. */
typedef struct hr_file {
    uint32_t size; /* sizeof(hr_file) */
    uint32_t reserved;
    const char *path; /* .npy (NumPy 1 to 3) or IDX, plain or gzip, told apart by content */
    const char *name; /* unique, 1 to 63 bytes; NULL: "0", "1", ... */
} hr_file;

/** Filled by hr_dataset_get_field(). */
typedef struct hr_field_info {
    uint32_t size; /* in: sizeof(hr_field_info) */
    uint32_t dtype;
    uint32_t rank; /* of a row */
    uint32_t reserved;
    uint64_t shape[HR_MAX_RANK];
    uint64_t row_bytes;
    uint64_t row_stride;
    char name[64];
} hr_field_info;

/**
 * A data set over arrays in memory. Nothing is copied: the arrays stay valid and unchanged until the data set and every
 * loader over it are closed.
 *
 * fields    n_fields descriptions, 1 to 64; `rows` >= 1 is common to all.
 *
 * Returns HR_OK; HR_INVALID (NULL, zero rows, a size that overflows, a name used twice: the message names the field);
 * HR_NO_MEMORY.
 * Threads: any. Pointers: descriptions and names are copied. Since 0.1.
 */
HR_API hr_status hr_dataset_from_arrays(const hr_array *fields, uint32_t n_fields, uint64_t rows, hr_dataset **dataset);

/**
 * A data set over files, a field a file. The first dimension counts rows. Plain files are mapped (and read
 * ahead, where half of the memory holds them); gzip files and IDX files of wider elements (stored big-endian) are read
 * into memory once. A file holds one array and nothing after it.
 *
 * Returns HR_OK; HR_NOT_FOUND or HR_IO (with the system's reason); HR_FORMAT (what was found, where, what to do: a
 * truncated file, bytes too many, a wrong magic, Fortran order, big-endian or structured NumPy types, zero rows,
 * unequal row counts); HR_UNSUPPORTED (gzip, in a library built without zlib); HR_INVALID; HR_NO_MEMORY. Threads: any.
 * The files must not change while the data set is open. Since 0.1.
 */
HR_API hr_status hr_dataset_from_files(const hr_file *files, uint32_t n_files, hr_dataset **dataset);

/** Rows of a data set. Returns HR_OK; HR_INVALID. Threads: any. Since 0.1. */
HR_API hr_status hr_dataset_get_rows(hr_dataset *dataset, uint64_t *rows);

/** Number of fields. Returns HR_OK; HR_INVALID. Threads: any. Since 0.1. */
HR_API hr_status hr_dataset_get_field_count(hr_dataset *dataset, uint32_t *count);

/** Describes field `index`. Returns HR_OK; HR_RANGE; HR_INVALID. Threads: any. Since 0.1. */
HR_API hr_status hr_dataset_get_field(hr_dataset *dataset, uint32_t index, hr_field_info *info);

/** Gives up the program's hold and nulls the handle; NULL is fine. Open loaders keep the data set. Since 0.1. */
HR_API void hr_dataset_close(hr_dataset **dataset);

HR_END_DECLS

#endif
