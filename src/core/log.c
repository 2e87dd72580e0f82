/* Messages on standard error, as HEADRACE_LOG asks. */
#include "core/log.h"

#include "core/settings.h"
#include "core/util.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define LINE_BYTES 2048

static const char *const names[] = {"error", "warn", "info", "debug"};
enum { LEVELS = sizeof names / sizeof *names, UNREAD = -1 };

/* The level of a text; an unknown one asks for something, so warnings are shown and the first of them says so. */
static int level_of(const char *text)
{
    const char *nearest = hri_nearest(text, names, LEVELS);

    if (*text == '\0')
        return 0;
    for (int i = 0; i < LEVELS; i++)
        if (strcmp(text, names[i]) == 0)
            return i + 1;
    fprintf(stderr, "headrace: warn: HEADRACE_LOG is \"%s\"; known: error, warn, info, debug%s%s%s\n", text,
            nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    return HRI_LOG_WARN;
}

bool hri_log_on(int level)
{
    /* Read once: the question stands in front of every log line. */
    static atomic_int limit = UNREAD;
    int now = atomic_load(&limit);

    if (now == UNREAD) {
        int expected = UNREAD;

        now = level_of(hri_setting_text(HRI_SETTING_LOG));
        if (!atomic_compare_exchange_strong(&limit, &expected, now))
            now = expected;
    }
    return level <= now;
}

void hri_log(int level, const char *format, ...)
{
    char line[LINE_BYTES];
    va_list args;

    if (level < HRI_LOG_ERROR || level > LEVELS || !hri_log_on(level))
        return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    fprintf(stderr, "headrace: %s: %s\n", names[level - 1], line);
}
