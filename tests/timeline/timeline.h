/* Reads a timeline back: a JSON array of events, in memory, for tests to look at. Strict: what it takes is JSON. */
#ifndef TIMELINE_H
#define TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TIMELINE_TEXT = 640, TIMELINE_ARGS = 16 };

struct timeline_arg {
    char key[24];
    char text[64]; /* as written, for numbers too */
};

struct timeline_event {
    char phase; /* X span, i mark, M name of a row or a group */
    char name[TIMELINE_TEXT];
    char category[24];
    uint32_t pid, tid;
    uint64_t start_ns, end_ns;
    struct timeline_arg args[TIMELINE_ARGS];
    unsigned n_args;
};

struct timeline {
    struct timeline_event *events;
    size_t n;
    bool whole; /* the array is closed; without its end it may be cut anywhere between events */
};

/* False, with where and why on standard error, for anything else. */
bool timeline_read(const char *path, struct timeline *timeline);
void timeline_free(struct timeline *timeline);

/* An argument's text, NULL when there is none; as a number, UINT64_MAX when there is none. */
const char *timeline_arg(const struct timeline_event *event, const char *key);
uint64_t timeline_number(const struct timeline_event *event, const char *key);

/* The name of the event's row, "" when it has none; of the group of rows. */
const char *timeline_row(const struct timeline *timeline, const struct timeline_event *event);
const char *timeline_group(const struct timeline *timeline, const struct timeline_event *event);

/* The next span or mark of that category and name (NULL: any) from *at on, which is moved past it; NULL at the end. */
const struct timeline_event *timeline_next(const struct timeline *timeline, size_t *at, const char *category,
                                           const char *name);
size_t timeline_count(const struct timeline *timeline, const char *category, const char *name);

/* Two spans of one device's row that overlap, or of one thread's without one lying in the other; false for none. */
bool timeline_overlap(const struct timeline *timeline, const struct timeline_event **a,
                      const struct timeline_event **b);

#endif
