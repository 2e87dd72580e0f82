/* What tests ask of a timeline that has been read. */
#include "timeline/timeline.h"

#include <stdlib.h>
#include <string.h>

const char *timeline_arg(const struct timeline_event *event, const char *key)
{
    for (unsigned i = 0; i < event->n_args; i++)
        if (strcmp(event->args[i].key, key) == 0)
            return event->args[i].text;
    return NULL;
}

uint64_t timeline_number(const struct timeline_event *event, const char *key)
{
    const char *text = timeline_arg(event, key);
    char *end;
    uint64_t number;

    if (!text)
        return UINT64_MAX;
    number = strtoull(text, &end, 10);
    return *end ? UINT64_MAX : number;
}

static const char *named(const struct timeline *timeline, const char *what, const struct timeline_event *event,
                         bool row)
{
    const char *found = NULL;

    for (size_t i = 0; i < timeline->n && !found; i++) {
        const struct timeline_event *name = &timeline->events[i];

        if (name->phase == 'M' && strcmp(name->name, what) == 0 && name->pid == event->pid &&
            (!row || name->tid == event->tid))
            found = timeline_arg(name, "name");
    }
    return found ? found : "";
}

const char *timeline_row(const struct timeline *timeline, const struct timeline_event *event)
{
    return named(timeline, "thread_name", event, true);
}

const char *timeline_group(const struct timeline *timeline, const struct timeline_event *event)
{
    return named(timeline, "process_name", event, false);
}

const struct timeline_event *timeline_next(const struct timeline *timeline, size_t *at, const char *category,
                                           const char *name)
{
    while (*at < timeline->n) {
        const struct timeline_event *event = &timeline->events[(*at)++];

        if (event->phase != 'M' && (!category || strcmp(event->category, category) == 0) &&
            (!name || strcmp(event->name, name) == 0))
            return event;
    }
    return NULL;
}

size_t timeline_count(const struct timeline *timeline, const char *category, const char *name)
{
    size_t at = 0, count = 0;

    while (timeline_next(timeline, &at, category, name))
        count++;
    return count;
}

static int by_row_and_time(const void *left, const void *right)
{
    const struct timeline_event *a = *(const struct timeline_event *const *)left;
    const struct timeline_event *b = *(const struct timeline_event *const *)right;

    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    if (a->tid != b->tid)
        return a->tid < b->tid ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a->end_ns > b->end_ns ? -1 : a->end_ns < b->end_ns; /* what holds the other comes first */
}

bool timeline_overlap(const struct timeline *timeline, const struct timeline_event **a, const struct timeline_event **b)
{
    const struct timeline_event **spans = malloc((timeline->n + 1) * sizeof *spans);
    size_t n = 0;
    bool found = false;

    for (size_t i = 0; spans && i < timeline->n; i++)
        if (timeline->events[i].phase == 'X')
            spans[n++] = &timeline->events[i];
    if (n > 0)
        qsort(spans, n, sizeof *spans, by_row_and_time);
    for (size_t i = 0; i + 1 < n && !found; i++) {
        *a = spans[i];
        *b = spans[i + 1];
        found = (*a)->pid == (*b)->pid && (*a)->tid == (*b)->tid && (*a)->end_ns > (*b)->start_ns;
        if (found && strcmp(timeline_group(timeline, *a), "host") == 0)
            found = (*b)->end_ns > (*a)->end_ns;
    }
    free(spans);
    return found;
}

void timeline_free(struct timeline *timeline)
{
    free(timeline->events);
    *timeline = (struct timeline){0};
}
