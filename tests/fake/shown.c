/* A timeline that keeps what it is told; see shown.h. */
#include "fake/shown.h"

#include "core/message.h"

#include <stdio.h>
#include <string.h>

struct shown shown[SHOWN_MOST];
unsigned n_shown;
char shown_tracks[8][SHOWN_TEXT];
struct hrb_about shown_about;
int shown_open;
static unsigned n_tracks;

void shown_reset(void)
{
    n_shown = n_tracks = 0;
    shown_open = 0;
    shown_about = (struct hrb_about){0};
}

static hr_status trace_open(const char *file, struct hrb_trace **trace)
{
    if (strcmp(file, "refuse") == 0)
        return hri_fail(HR_IO, "refused");
    shown_open++;
    *trace = (struct hrb_trace *)shown;
    return HR_OK;
}

static void trace_close(struct hrb_trace *trace)
{
    (void)trace;
    shown_open--;
}

static uint32_t trace_group(struct hrb_trace *trace, const char *name)
{
    (void)trace;
    (void)name;
    return 1;
}

static struct hrb_track trace_track(struct hrb_trace *trace, uint32_t group, const char *name)
{
    (void)trace;
    snprintf(shown_tracks[n_tracks], sizeof shown_tracks[0], "%s", name);
    return (struct hrb_track){group, n_tracks++};
}

static void trace_span(struct hrb_trace *trace, const struct hrb_span *span)
{
    struct shown *to = &shown[n_shown];
    size_t used = 0;

    (void)trace;
    if (n_shown == SHOWN_MOST)
        return;
    n_shown++;
    *to = (struct shown){.row = span->track.number,
                         .start = span->start_ns,
                         .end = span->end_ns,
                         .bytes = span->bytes,
                         .about = span->about};
    snprintf(to->name, sizeof to->name, "%s", span->name);
    snprintf(to->category, sizeof to->category, "%s", span->category);
    for (uint32_t i = 0; i < span->n_details; i++) {
        const struct hrb_detail *detail = &span->details[i];

        if (detail->text)
            used +=
                (size_t)snprintf(to->details + used, sizeof to->details - used, "%s=%s ", detail->name, detail->text);
        else
            used += (size_t)snprintf(to->details + used, sizeof to->details - used, "%s=%llu ", detail->name,
                                     (unsigned long long)detail->number);
    }
}

static struct hrb_about trace_about(void)
{
    return shown_about;
}

const struct hrb_tracing shown_tracing = {
    .open = trace_open,
    .close = trace_close,
    .group = trace_group,
    .track = trace_track,
    .span = trace_span,
    .about = trace_about,
};
