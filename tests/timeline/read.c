/* The parser of timelines: JSON, one array of objects whose values are texts, numbers and one object of such. */
#include "timeline/timeline.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *at;
    const char *why; /* the first thing that was wrong; NULL */
};

static bool wrong(struct reader *r, const char *why)
{
    if (!r->why)
        r->why = why;
    return false;
}

static void space(struct reader *r)
{
    while (*r->at && strchr(" \t\r\n", *r->at))
        r->at++;
}

static bool take(struct reader *r, char c)
{
    space(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

static bool escaped(struct reader *r, char *c)
{
    static const char plain[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *found = *r->at ? strchr(plain, *r->at) : NULL;
    unsigned code;

    if (found) {
        r->at++;
        *c = meant[found - plain];
        return true;
    }
    if (r->at[0] != 'u' || strspn(r->at + 1, "0123456789abcdefABCDEF") < 4)
        return wrong(r, "an escape that is none");
    (void)sscanf(r->at + 1, "%4x", &code);
    r->at += 5;
    *c = code < 0x80 ? (char)code : '?';
    return true;
}

static bool text(struct reader *r, char *out, size_t room)
{
    size_t used = 0;

    if (!take(r, '"'))
        return wrong(r, "no text where one belongs");
    while (*r->at != '"') {
        char c = *r->at++;

        if ((unsigned char)c < 0x20 || (unsigned char)c >= 0x80)
            return wrong(r, "a byte that a text may not have"); /* its closing NUL too */
        if (c == '\\' && !escaped(r, &c))
            return false;
        if (used + 1 >= room)
            return wrong(r, "a text that is longer than it should be");
        out[used++] = c;
    }
    r->at++;
    out[used] = '\0';
    return true;
}

static bool digits(struct reader *r)
{
    const char *first = r->at;

    while (isdigit((unsigned char)*r->at))
        r->at++;
    return r->at > first;
}

static bool number(struct reader *r, char *out, size_t room)
{
    const char *first;

    space(r);
    first = r->at;
    r->at += *r->at == '-';
    if (*r->at == '0')
        r->at++;
    else if (!digits(r))
        return wrong(r, "no number where one belongs");
    if (*r->at == '.' && (r->at++, !digits(r)))
        return wrong(r, "a point without digits");
    snprintf(out, room, "%.*s", (int)(r->at - first), first);
    return true;
}

static bool scalar(struct reader *r, char *out, size_t room)
{
    space(r);
    return *r->at == '"' ? text(r, out, room) : number(r, out, room);
}

/* Microseconds with nanoseconds behind the point. */
static uint64_t nanoseconds(const char *from)
{
    char *end;
    uint64_t ns = strtoull(from, &end, 10) * 1000;
    uint64_t unit = 100;

    if (*end == '.')
        for (end++; *end; end++, unit /= 10)
            ns += unit * (uint64_t)(*end - '0');
    return ns;
}

static bool args(struct reader *r, struct timeline_event *event)
{
    if (!take(r, '{'))
        return wrong(r, "args are no object");
    if (take(r, '}'))
        return true;
    do {
        struct timeline_arg *arg = &event->args[event->n_args];

        if (event->n_args == TIMELINE_ARGS)
            return wrong(r, "too many args");
        if (!text(r, arg->key, sizeof arg->key) || !take(r, ':') || !scalar(r, arg->text, sizeof arg->text))
            return wrong(r, "an arg that is none");
        if (timeline_arg(event, arg->key))
            return wrong(r, "an arg twice");
        event->n_args++;
    } while (take(r, ','));
    return take(r, '}') || wrong(r, "args are not closed");
}

static void set(struct timeline_event *event, const char *key, const char *value)
{
    if (strcmp(key, "ph") == 0)
        event->phase = value[0];
    else if (strcmp(key, "name") == 0)
        strcpy(event->name, value); /* as long as value may be */
    else if (strcmp(key, "cat") == 0)
        snprintf(event->category, sizeof event->category, "%.23s", value);
    else if (strcmp(key, "pid") == 0)
        event->pid = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(key, "tid") == 0)
        event->tid = (uint32_t)strtoul(value, NULL, 10);
    else if (strcmp(key, "ts") == 0)
        event->start_ns = nanoseconds(value);
    else if (strcmp(key, "dur") == 0)
        event->end_ns = nanoseconds(value);
}

static bool object(struct reader *r, struct timeline_event *event)
{
    char key[24], value[TIMELINE_TEXT];

    memset(event, 0, sizeof *event);
    if (!take(r, '{'))
        return wrong(r, "no event where one belongs");
    do {
        if (!text(r, key, sizeof key) || !take(r, ':'))
            return wrong(r, "an event's member has no name");
        if (strcmp(key, "args") == 0) {
            if (!args(r, event))
                return false;
        } else {
            if (!scalar(r, value, sizeof value))
                return false;
            set(event, key, value);
        }
    } while (take(r, ','));
    event->end_ns += event->start_ns;
    if (!take(r, '}'))
        return wrong(r, "an event is not closed");
    return event->phase && strchr("XiM", event->phase) ? true : wrong(r, "an event that is no span, mark or name");
}

static bool array(struct reader *r, struct timeline *timeline)
{
    size_t room = 0;

    if (!take(r, '['))
        return wrong(r, "it begins with no [");
    if (take(r, ']'))
        timeline->whole = true;
    while (!timeline->whole) {
        space(r);
        if (!*r->at)
            return true;
        if (timeline->n == room) {
            room = room ? 2 * room : 64;
            timeline->events = realloc(timeline->events, room * sizeof *timeline->events);
            if (!timeline->events)
                return wrong(r, "out of memory");
        }
        if (!object(r, &timeline->events[timeline->n]))
            return false;
        timeline->n++;
        if (take(r, ']'))
            timeline->whole = true;
        else if (!take(r, ',') && *r->at)
            return wrong(r, "nothing stands between two events");
    }
    space(r);
    return *r->at ? wrong(r, "something follows the array") : true;
}

static char *content(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    long size;

    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0)
        bytes = calloc((size_t)size + 1, 1);
    if (bytes && fread(bytes, 1, (size_t)size, file) != (size_t)size) {
        free(bytes);
        bytes = NULL;
    }
    fclose(file);
    return bytes;
}

bool timeline_read(const char *path, struct timeline *timeline)
{
    char *bytes = content(path);
    struct reader r = {.at = bytes};
    bool good;

    *timeline = (struct timeline){0};
    if (!bytes) {
        fprintf(stderr, "%s cannot be read\n", path);
        return false;
    }
    good = array(&r, timeline);
    if (!good) {
        fprintf(stderr, "%s, byte %zu: %s: %.60s\n", path, (size_t)(r.at - bytes), r.why ? r.why : "wrong", r.at);
        timeline_free(timeline);
    }
    free(bytes);
    return good;
}
