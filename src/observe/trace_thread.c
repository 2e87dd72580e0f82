/* What a timeline knows of the calling thread: its row, its name, the batch that it is at work on. */
#include "observe/trace.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

/* Timelines that a thread remembers to have told its name; one that it forgot is told again, which does no harm. */
enum { REMEMBERED = 4 };

static _Thread_local struct {
    uint32_t row; /* 0: none yet */
    char name[HRI_THREAD_NAME];
    struct hrb_about about;
    uint64_t told[REMEMBERED];
    unsigned next;
} self;

void hri_trace_thread(const char *role, uint32_t number)
{
    if (number > 0)
        snprintf(self.name, sizeof self.name, "%s %u", role, (unsigned)number);
    else
        snprintf(self.name, sizeof self.name, "%s", role);
}

void hri_trace_set_about(struct hrb_about about)
{
    self.about = about;
}

struct hrb_about hri_trace_about(void)
{
    return self.about;
}

static bool is_main(void)
{
#ifdef __linux__
    return gettid() == getpid();
#else
    return false;
#endif
}

static void begin(void)
{
    static atomic_uint rows;

    self.row = atomic_fetch_add(&rows, 1) + 1;
    if (self.name[0] == '\0')
        hri_trace_thread(is_main() ? "main" : "thread", is_main() ? 0 : self.row);
}

uint32_t hri_trace_thread_row(uint64_t serial, bool *is_new, char *name)
{
    if (self.row == 0)
        begin();
    *is_new = true;
    for (unsigned i = 0; i < REMEMBERED; i++)
        if (self.told[i] == serial)
            *is_new = false;
    if (*is_new) {
        self.told[self.next++ % REMEMBERED] = serial;
        hri_text_copy(name, HRI_THREAD_NAME, self.name);
    }
    return self.row;
}
