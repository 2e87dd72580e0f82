/* Events of the trace event format as text: times in microseconds with the nanoseconds behind the point. */
#include "observe/trace_text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Of a text's bytes so many are taken; each becomes at most six. */
enum { MOST_NAME = 96, MOST_DETAIL = 48, MOST_DETAILS = 8, ESCAPED = 6 };

_Static_assert(ESCAPED *(MOST_NAME + MOST_DETAIL * MOST_DETAILS) + 1024 <= HRI_TRACE_TEXT,
               "an event fits: texts, and 1024 bytes of keys and numbers");

struct text {
    char *out;
    size_t used;
};

static void put(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct text *text, const char *format, ...)
{
    size_t room = HRI_TRACE_TEXT - text->used;
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(text->out + text->used, room, format, args);
    va_end(args);
    text->used += (size_t)length < room ? (size_t)length : room - 1;
}

/* Quoted; what is not printable ASCII is escaped or, past it, replaced: names are not all UTF-8. */
static void put_text(struct text *text, const char *from, size_t most)
{
    put(text, "\"");
    for (size_t i = 0; i < most && from[i] != '\0'; i++) {
        unsigned char c = (unsigned char)from[i];

        if (c == '"' || c == '\\')
            put(text, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            put(text, "\\u%04x", c);
        else
            put(text, "%c", c < 0x80 ? c : '?');
    }
    put(text, "\"");
}

static void put_time(struct text *text, const char *key, uint64_t ns)
{
    put(text, ",\"%s\":%" PRIu64 ".%03u", key, ns / 1000, (unsigned)(ns % 1000));
}

static void put_details(struct text *text, const struct hrb_span *span)
{
    const char *comma = "";

    put(text, ",\"args\":{");
    if (span->about.known) {
        put(text, "\"epoch\":%" PRIu64 ",\"batch\":%" PRIu64, span->about.epoch, span->about.batch);
        comma = ",";
    }
    if (span->bytes) {
        put(text, "%s\"bytes\":%" PRIu64, comma, span->bytes);
        comma = ",";
        if (span->end_ns > span->start_ns)
            put(text, ",\"GB/s\":%.3f", (double)span->bytes / (double)(span->end_ns - span->start_ns));
    }
    for (uint32_t i = 0; i < span->n_details && i < MOST_DETAILS; i++) {
        const struct hrb_detail *detail = &span->details[i];

        put(text, "%s\"%.16s\":", comma, detail->name);
        comma = ",";
        if (detail->text)
            put_text(text, detail->text, MOST_DETAIL);
        else
            put(text, "%" PRIu64, detail->number);
    }
    put(text, "}");
}

size_t hri_trace_text_span(char *out, uint32_t pid, uint32_t tid, const struct hrb_span *span)
{
    struct text text = {.out = out};

    put(&text, "{\"ph\":\"%s\",\"name\":", span->end_ns ? "X" : "i\",\"s\":\"t");
    put_text(&text, span->name, MOST_NAME);
    put(&text, ",\"cat\":\"%.16s\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32, span->category, pid, tid);
    put_time(&text, "ts", span->start_ns);
    if (span->end_ns)
        put_time(&text, "dur", span->end_ns > span->start_ns ? span->end_ns - span->start_ns : 0);
    put_details(&text, span);
    put(&text, "}");
    return text.used;
}

size_t hri_trace_text_name(char *out, uint32_t pid, uint32_t tid, const char *what, const char *name)
{
    struct text text = {.out = out};

    put(&text, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"args\":{\"name\":", what, pid,
        tid);
    put_text(&text, name, MOST_NAME);
    put(&text, "}}");
    return text.used;
}
