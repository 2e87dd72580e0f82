/* Opens and maps files; memory for rows that cannot stay in their file. */
#include "stream/content.h"

#include "core/message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static hr_status fail_errno(const char *what, int error)
{
    hr_status st = HR_IO;

    if (error == ENOENT || error == ENOTDIR)
        st = HR_NOT_FOUND;
    else if (error == ENOMEM)
        st = HR_NO_MEMORY;
    return hri_fail(st, "%s: %s", what, strerror(error));
}

/* The size of an open file that can be mapped. */
static hr_status measure(int fd, uint64_t *size)
{
    struct stat info;

    if (fstat(fd, &info) != 0)
        return fail_errno("cannot be looked at", errno);
    if (S_ISDIR(info.st_mode))
        return hri_fail(HR_IO, "is a folder; name the file in it");
    if (!S_ISREG(info.st_mode))
        return hri_fail(HR_IO, "is no regular file; copy its content into one");
    if ((uint64_t)info.st_size > PTRDIFF_MAX)
        return hri_fail(HR_NO_MEMORY, "%llu bytes are more than this machine can address",
                        (unsigned long long)info.st_size);
    *size = (uint64_t)info.st_size;
    return HR_OK;
}

hr_status hri_content_open(const char *path, struct hri_content *content)
{
    struct hri_content opened = {.bytes = NULL};
    void *mapping;
    hr_status st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK); /* a FIFO would wait for its writer */

    if (fd < 0)
        return fail_errno("cannot be opened", errno);
    st = measure(fd, &opened.size);
    if (st != HR_OK || opened.size == 0)
        goto out;
    mapping = mmap(NULL, opened.size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (mapping == MAP_FAILED)
        st = fail_errno("cannot be mapped", errno);
    else
        opened.bytes = mapping;

out:
    close(fd);
    if (st == HR_OK)
        *content = opened;
    return st;
}

void hri_content_close(struct hri_content *content)
{
    if (content->bytes)
        munmap(content->bytes, content->size);
    *content = (struct hri_content){.bytes = NULL};
}

void hri_content_prefetch(const struct hri_content *content)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGESIZE);

    if (content->bytes && pages > 0 && page > 0 && content->size / (uint64_t)page < (uint64_t)pages / 2)
        (void)posix_madvise(content->bytes, content->size, POSIX_MADV_WILLNEED); /* advice: reading works without */
}

hr_status hri_rows_alloc(uint64_t bytes, unsigned char **rows)
{
    void *memory = NULL;

    if (bytes > PTRDIFF_MAX || posix_memalign(&memory, 4096, bytes) != 0)
        return hri_fail(HR_NO_MEMORY, "no memory for its %llu bytes of rows", (unsigned long long)bytes);
    *rows = memory;
    return HR_OK;
}
