/* Events of the trace event format as text. */
#ifndef HRI_TRACE_TEXT_H
#define HRI_TRACE_TEXT_H

#include "backend.h"

/* An event is never longer: names and details are cut. */
enum { HRI_TRACE_TEXT = 4096 };

/* One event each, on one line, without what stands between events; returns its length. */
size_t hri_trace_text_span(char *out, uint32_t pid, uint32_t tid, const struct hrb_span *span);
/* what: "process_name" or "thread_name". */
size_t hri_trace_text_name(char *out, uint32_t pid, uint32_t tid, const char *what, const char *name);

#endif
