/* Writes a timeline's file: what is buffered and a closing bracket, over the bracket of the write before. */
#include "observe/trace_file.h"

#include "core/log.h"
#include "core/message.h"
#include "core/util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPENING "[\n"
#define BETWEEN ",\n"
#define CLOSING "\n]\n"
enum { CLOSING_BYTES = sizeof CLOSING - 1 };

/* What a process that is killed may lose. */
#define LONGEST_NS UINT64_C(1000000000)

/* All of it, or false with errno. */
static bool write_all(struct hri_trace_file *file, const char *from, size_t bytes)
{
    uint64_t at = file->end;

    while (bytes > 0) {
        ssize_t n = pwrite(file->fd, from, bytes, (off_t)at);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        from += n;
        bytes -= (size_t)n;
        at += (uint64_t)n;
    }
    return true;
}

/* Writes the buffer; the buffer has room for the bracket. On failure the file stays as whole as it was. */
static bool write_out(struct hri_trace_file *file)
{
    if (file->used == 0)
        return true;
    memcpy(file->buffer + file->used, CLOSING, CLOSING_BYTES);
    if (!write_all(file, file->buffer, file->used + CLOSING_BYTES)) {
        int error = errno;

        if (file->end > 0 && ftruncate(file->fd, (off_t)file->end) == 0)
            write_all(file, CLOSING, CLOSING_BYTES);
        errno = error;
        return false;
    }
    file->end += file->used;
    file->used = 0;
    file->flushed_ns = hri_now_ns();
    return true;
}

static void append(struct hri_trace_file *file, const char *text, size_t length)
{
    memcpy(file->buffer + file->used, text, length);
    file->used += length;
}

/* One process a file: two would write over each other. The lock ends with the process. */
static hr_status lock(const struct hri_trace_file *file)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    if (fcntl(file->fd, F_SETLK, &all) == 0 || (errno != EACCES && errno != EAGAIN))
        return HR_OK; /* where there are no locks, there is no telling */
    return hri_fail(HR_IO,
                    "the timeline %s is being written by another process: put %%p into its name, for the "
                    "process's number",
                    file->path);
}

/* Left as this process left it: the timeline goes on where its last device was closed. */
static bool goes_on(const struct hri_trace_file *file, const struct stat *is)
{
    return S_ISREG(is->st_mode) && file->end > 0 && file->dev == is->st_dev && file->ino == is->st_ino &&
           (uint64_t)is->st_size == file->end + CLOSING_BYTES;
}

static hr_status begin(struct hri_trace_file *file, bool *fresh)
{
    struct stat is;
    hr_status st;

    if (fstat(file->fd, &is) != 0)
        return hri_fail(HR_IO, "the timeline %s cannot be looked at: %s", file->path, strerror(errno));
    if (!S_ISREG(is.st_mode) && !S_ISCHR(is.st_mode)) /* a pipe's reader may go, and the program with it: SIGPIPE */
        return hri_fail(HR_IO, "the timeline %s is no regular file: give the name of one", file->path);
    st = S_ISREG(is.st_mode) ? lock(file) : HR_OK; /* /dev/null is everybody's */
    if (st != HR_OK)
        return st;
    file->used = 0;
    file->failed = false;
    *fresh = !goes_on(file, &is);
    if (!*fresh)
        return HR_OK;
    file->dev = is.st_dev;
    file->ino = is.st_ino;
    file->end = 0;
    file->begun = false;
    append(file, OPENING, strlen(OPENING));
    if ((S_ISREG(is.st_mode) && ftruncate(file->fd, 0) != 0) || !write_out(file))
        return hri_fail(HR_IO, "the timeline %s cannot be written: %s", file->path, strerror(errno));
    return HR_OK;
}

hr_status hri_trace_file_open(struct hri_trace_file *file, bool *fresh)
{
    hr_status st;

    file->buffer = malloc(HRI_TRACE_BUFFER);
    if (!file->buffer)
        return hri_fail(HR_NO_MEMORY, "no memory for the %d bytes that a timeline buffers", HRI_TRACE_BUFFER);
    file->fd = open(file->path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
    if (file->fd < 0) {
        st = hri_fail(HR_IO,
                      "the timeline %s cannot be opened: %s; name a file that can be written in HEADRACE_TRACE "
                      "or in the layer trace:file=",
                      file->path, strerror(errno));
        goto free_buffer;
    }
    st = begin(file, fresh);
    if (st != HR_OK)
        goto close_file;
    return HR_OK;

close_file:
    close(file->fd);
free_buffer:
    free(file->buffer);
    file->buffer = NULL;
    return st;
}

void hri_trace_file_flush(struct hri_trace_file *file)
{
    if (file->failed || write_out(file))
        return;
    file->failed = true;
    hri_log(HRI_LOG_WARN, "the timeline %s ends here: %s", file->path, strerror(errno));
}

void hri_trace_file_add(struct hri_trace_file *file, const char *event, size_t length)
{
    if (file->failed)
        return;
    if (file->used + strlen(BETWEEN) + length + CLOSING_BYTES > HRI_TRACE_BUFFER)
        hri_trace_file_flush(file);
    if (file->failed)
        return;
    if (file->begun)
        append(file, BETWEEN, strlen(BETWEEN));
    append(file, event, length);
    file->begun = true;
    if (hri_now_ns() - file->flushed_ns > LONGEST_NS)
        hri_trace_file_flush(file);
}

void hri_trace_file_close(struct hri_trace_file *file)
{
    hri_trace_file_flush(file);
    close(file->fd);
    free(file->buffer);
    file->buffer = NULL;
}
