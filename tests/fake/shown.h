/* A timeline that keeps what it is told, for tests of who tells it. */
#ifndef SHOWN_H
#define SHOWN_H

#include "backend.h"

enum { SHOWN_MOST = 64, SHOWN_TEXT = 64 };

struct shown {
    uint32_t row;
    uint64_t start, end, bytes;
    struct hrb_about about;
    char name[SHOWN_TEXT], category[SHOWN_TEXT];
    char details[4 * SHOWN_TEXT]; /* "name=value " each */
};

extern const struct hrb_tracing shown_tracing; /* refuses to open the file "refuse" */
extern struct shown shown[SHOWN_MOST];         /* the spans so far; those past the most are dropped */
extern unsigned n_shown;
extern char shown_tracks[8][SHOWN_TEXT];
extern struct hrb_about shown_about; /* what tracing.about() answers */
extern int shown_open;

void shown_reset(void);

#endif
