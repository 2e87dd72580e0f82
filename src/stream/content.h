/* The bytes of a file: mapped, or out of gzip into memory. */
#ifndef HRI_CONTENT_H
#define HRI_CONTENT_H

#include "stream/format.h"

struct hri_content {
    unsigned char *bytes; /* NULL when size is 0 */
    uint64_t size;
};

/* Maps a regular file read-only. HR_NOT_FOUND; HR_IO; HR_NO_MEMORY. The messages do not name the file. */
hr_status hri_content_open(const char *path, struct hri_content *content);
void hri_content_close(struct hri_content *content);

/* Starts reading what is going to be used, if it fits into memory with room to spare. */
void hri_content_prefetch(const struct hri_content *content);

bool hri_gzip_is(const unsigned char *head, uint64_t size);

/* Unpacks a gzip file of any number of members: its layout, and its rows in memory from hri_rows_alloc(). HR_FORMAT:
 * truncated, damaged, followed by something else, longer or shorter than the header inside says. */
hr_status hri_gzip_load(const unsigned char *bytes, uint64_t size, struct hri_layout *layout, unsigned char **rows);

/* Memory for rows, page-aligned, for free(). */
hr_status hri_rows_alloc(uint64_t bytes, unsigned char **rows);

#endif
