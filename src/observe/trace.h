/*
 * Timelines: spans of copies, kernels, gathers and waits, in a file of the trace event format (a JSON array of events),
 * which ui.perfetto.dev opens. One writer a file, shared by all devices of the process that name it; spans are
 * buffered, and written by the thread that fills the buffer. The file is a whole JSON document after every write,
 * however the process ends; were a write itself torn, it would be an unterminated array, which readers of this format
 * take too.
 */
#ifndef HRI_TRACE_H
#define HRI_TRACE_H

#include "backend.h"
#include "core/util.h"

/* For layers; the same functions are below. */
extern const struct hrb_tracing hri_tracing;

hr_status hri_trace_open(const char *file, struct hrb_trace **trace);
void hri_trace_close(struct hrb_trace *trace);
uint32_t hri_trace_group(struct hrb_trace *trace, const char *name);
struct hrb_track hri_trace_track(struct hrb_trace *trace, uint32_t group, const char *name);
void hri_trace_span(struct hrb_trace *trace, const struct hrb_span *span);

/* The process exits: what is buffered is written. */
void hri_trace_exit(void);

/* -- of the calling thread (thread.c) ------------------------------------------------------------------------------ */

/* Names its row, "worker 2"; number 0: the role alone. Before its first span. */
void hri_trace_thread(const char *role, uint32_t number);
/* The batch that it is at work on; all zero for none. */
void hri_trace_set_about(struct hrb_about about);
struct hrb_about hri_trace_about(void);

/* The thread's row. *is_new, and then `name` of HRI_THREAD_NAME bytes: the timeline `serial` has not been told its name
 * yet. */
enum { HRI_THREAD_NAME = 32 };
uint32_t hri_trace_thread_row(uint64_t serial, bool *is_new, char *name);

/* -- waits ----------------------------------------------------------------------------------------------------------
 */

/* When a span begins: the time, 0 without a timeline. */
static inline uint64_t hri_trace_begin(const struct hrb_trace *trace)
{
    return trace ? hri_now_ns() : 0;
}

/* A span of the thread's row, from then to now. */
void hri_trace_wait(struct hrb_trace *trace, const char *name, uint64_t begin);

/* Ends a wait that began then; nothing without a timeline. */
static inline void hri_trace_waited(struct hrb_trace *trace, const char *name, uint64_t begin)
{
    if (trace)
        hri_trace_wait(trace, name, begin);
}

#endif
