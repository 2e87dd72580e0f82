/* The timelines of the process: which file, who has it open, its rows. */
#include "observe/trace.h"

#include "core/message.h"
#include "core/settings.h"
#include "observe/trace_file.h"
#include "observe/trace_text.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Rows of devices stand under processes of their own, numbered past the system's. */
enum { GROUP_PROCESS = 1 << 22, GROUP_SHIFT = 16 };

struct hrb_trace {
    struct hrb_trace *next;
    unsigned refs; /* under the list's lock; 0: closed, and remembered to go on with */
    pid_t pid;

    pthread_mutex_t lock; /* what follows; innermost */
    struct hri_trace_file file;
    uint64_t serial; /* of this beginning of the file: rows are named anew */
    uint32_t groups;
    uint32_t tracks;
};

/* Part of the registry's state. */
static struct {
    pthread_mutex_t lock;
    struct hrb_trace *first;
    uint64_t serials;
} timelines = {.lock = PTHREAD_MUTEX_INITIALIZER};

const struct hrb_tracing hri_tracing = {
    .open = hri_trace_open,
    .close = hri_trace_close,
    .group = hri_trace_group,
    .track = hri_trace_track,
    .span = hri_trace_span,
    .about = hri_trace_about,
};

/* The name with the process's number for each %p. */
static char *path_of(const char *file)
{
    char number[24];
    size_t length = 1, used = 0;
    char *path;

    snprintf(number, sizeof number, "%ld", (long)getpid());
    for (const char *at = file; *at; at++)
        length += at[0] == '%' && at[1] == 'p' ? strlen(number) : 1;
    path = malloc(length);
    for (const char *at = file; path && *at; at++) {
        bool is_number = at[0] == '%' && at[1] == 'p';

        used += (size_t)snprintf(path + used, length - used, "%.*s", is_number ? 24 : 1, is_number ? number : at);
        at += is_number;
    }
    if (path)
        path[used] = '\0';
    return path;
}

/* With the timeline's lock held. */
static void add_name(struct hrb_trace *trace, uint32_t pid, uint32_t tid, const char *what, const char *name)
{
    char text[HRI_TRACE_TEXT];

    hri_trace_file_add(&trace->file, text, hri_trace_text_name(text, pid, tid, what, name));
}

/* Under the list's lock: this process's timeline of that path, made if there is none; takes the path over. */
static struct hrb_trace *find(char *path)
{
    struct hrb_trace *trace = timelines.first;

    while (trace && (trace->pid != getpid() || strcmp(trace->file.path, path) != 0))
        trace = trace->next;
    if (trace) {
        free(path);
        return trace;
    }
    trace = calloc(1, sizeof *trace);
    if (!trace) {
        free(path);
        return NULL;
    }
    pthread_mutex_init(&trace->lock, NULL);
    trace->file.path = path;
    trace->pid = getpid();
    trace->next = timelines.first;
    timelines.first = trace;
    return trace;
}

/* Under the list's lock. */
static hr_status open_file(struct hrb_trace *trace)
{
    bool fresh;
    hr_status st = hri_trace_file_open(&trace->file, &fresh);

    if (st != HR_OK || !fresh)
        return st;
    trace->serial = ++timelines.serials;
    trace->groups = 0;
    add_name(trace, (uint32_t)trace->pid, 0, "process_name", "host");
    return HR_OK;
}

hr_status hri_trace_open(const char *file, struct hrb_trace **out)
{
    struct hrb_trace *trace;
    hr_status st = HR_OK;
    char *path;

    if (!*file)
        file = hri_setting_text(HRI_SETTING_TRACE);
    if (!*file)
        return hri_fail(HR_INVALID, "no file for the timeline: give trace:file=trace.json, or set HEADRACE_TRACE");
    path = path_of(file);
    pthread_mutex_lock(&timelines.lock);
    trace = path ? find(path) : NULL;
    if (!trace)
        st = hri_fail(HR_NO_MEMORY, "no memory for the timeline %s", file);
    else if (trace->refs == 0)
        st = open_file(trace);
    if (st == HR_OK) {
        trace->refs++;
        *out = trace;
    }
    pthread_mutex_unlock(&timelines.lock);
    return st;
}

void hri_trace_close(struct hrb_trace *trace)
{
    pthread_mutex_lock(&timelines.lock);
    if (--trace->refs == 0)
        hri_trace_file_close(&trace->file);
    pthread_mutex_unlock(&timelines.lock);
}

uint32_t hri_trace_group(struct hrb_trace *trace, const char *name)
{
    uint32_t group;

    pthread_mutex_lock(&trace->lock);
    group = ++trace->groups;
    add_name(trace, GROUP_PROCESS + group, group << GROUP_SHIFT, "process_name", name);
    pthread_mutex_unlock(&trace->lock);
    return group;
}

struct hrb_track hri_trace_track(struct hrb_trace *trace, uint32_t group, const char *name)
{
    struct hrb_track track = {.group = group};

    pthread_mutex_lock(&trace->lock);
    track.number = (group << GROUP_SHIFT) + ++trace->tracks;
    add_name(trace, GROUP_PROCESS + group, track.number, "thread_name", name);
    pthread_mutex_unlock(&trace->lock);
    return track;
}

void hri_trace_span(struct hrb_trace *trace, const struct hrb_span *span)
{
    char text[HRI_TRACE_TEXT], name[HRI_THREAD_NAME];
    uint32_t pid = GROUP_PROCESS + span->track.group, tid = span->track.number;
    bool is_new = false;
    size_t length;

    if (span->track.group == 0) {
        pid = (uint32_t)trace->pid;
        tid = hri_trace_thread_row(trace->serial, &is_new, name);
    }
    length = hri_trace_text_span(text, pid, tid, span);
    pthread_mutex_lock(&trace->lock);
    if (is_new)
        add_name(trace, pid, tid, "thread_name", name);
    hri_trace_file_add(&trace->file, text, length);
    pthread_mutex_unlock(&trace->lock);
}

void hri_trace_wait(struct hrb_trace *trace, const char *name, uint64_t begin)
{
    hri_trace_span(
        trace,
        &(struct hrb_span){
            .name = name, .category = "wait", .start_ns = begin, .end_ns = hri_now_ns(), .about = hri_trace_about()});
}

void hri_trace_exit(void)
{
    pthread_mutex_lock(&timelines.lock);
    for (struct hrb_trace *trace = timelines.first; trace; trace = trace->next) {
        pthread_mutex_lock(&trace->lock);
        if (trace->refs > 0)
            hri_trace_file_flush(&trace->file);
        pthread_mutex_unlock(&trace->lock);
    }
    pthread_mutex_unlock(&timelines.lock);
}
