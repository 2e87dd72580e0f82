/* The file of a timeline: a JSON array that is whole after every write. */
#ifndef HRI_TRACE_FILE_H
#define HRI_TRACE_FILE_H

#include <headrace/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { HRI_TRACE_BUFFER = 64 << 10 };

/* Not locked: the timeline is. */
struct hri_trace_file {
    int fd;
    bool failed; /* a write failed: nothing more is written */
    bool begun;  /* there is an event in it or in the buffer */
    dev_t dev;   /* which file it is, so that it can be gone on with */
    ino_t ino;
    uint64_t end; /* bytes written but for the closing bracket */
    uint64_t flushed_ns;
    size_t used;
    char *buffer;
    char *path;
};

/* Opens file->path, which is set, or goes on with it where it is as it was left. HR_IO with the path, the reason and
 * the remedy; HR_NO_MEMORY. *fresh: it begins anew. */
hr_status hri_trace_file_open(struct hri_trace_file *file, bool *fresh);
void hri_trace_file_close(struct hri_trace_file *file);
/* What does not fit is written out first, and nothing stays in memory for long: a process may be killed. length: at
 * most HRI_TRACE_TEXT. */
void hri_trace_file_add(struct hri_trace_file *file, const char *event, size_t length);
void hri_trace_file_flush(struct hri_trace_file *file);

#endif
