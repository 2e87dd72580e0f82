/* The trace layer's state: what was submitted and not seen done yet, and how a device's clock stands to the host's. */
#ifndef HRB_TRACE_H
#define HRB_TRACE_H

#include "backend.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { TRACE_LAYER = HRB_LAYER_TRACE, TRACE_NAME = 64, TRACE_DETAILS = 4 };

/* From `from` on, on the device's clock, the host's time is `offset` more (modulo 2^64: it may be negative), and not
 * before `floor`, where the piece before ends. */
struct trace_piece {
    uint64_t from;
    uint64_t offset;
    uint64_t floor;
};

/* What makes the host's times of a device's. */
enum { TRACE_PIECES = 16 };
struct trace_clock {
    pthread_mutex_t lock;
    uint32_t n; /* 0: not set yet */
    struct trace_piece pieces[TRACE_PIECES];
    uint64_t latest; /* of the device's times so far */
};

struct trace_device { /* a device's word */
    struct hrb_ops ops;
    const struct hrb_ops *driver; /* the backend's table: the layer's own questions are no calls of other layers */
    uint32_t group;
    bool timed;
    struct trace_clock clock;
    struct hrb_queue *queue; /* of the calibration; NULL */
    struct hrb_buffer *buffer;
    atomic_uint queues; /* made so far: their numbers */
    atomic_uint buffers;
};

/* A submission. While it is pending, its event's word. */
struct trace_entry {
    struct trace_entry *next;
    struct hrb_event *event;
    bool held; /* the program has the event too, and has not let go of it */
    uint64_t submitted_ns;
    const char *category;
    char name[TRACE_NAME];
    uint64_t bytes;
    struct hrb_about about;
    struct hrb_detail details[TRACE_DETAILS];
    uint32_t n_details;
};

struct trace_queue { /* a queue's word */
    pthread_mutex_t lock;
    struct hrb_track track;
    struct trace_entry *first; /* in the order of submission */
    struct trace_entry *last;
    struct trace_entry *spare; /* so that a steady state allocates none */
    uint32_t pending;
    uint64_t lost;     /* submissions past the most that are kept */
    uint64_t ended_ns; /* where the row's last span ends */
};

/* -- trace_clock.c ------------------------------------------------------------------------------------------------- */

/* Sets the clock by a few fills on a queue of its own. Where they fail, the first work of the program sets it. */
void hrb_trace_calibrate(struct hrb_device *device);
void hrb_trace_calibrate_end(struct hrb_device *device);
/* Makes the host's times of the device's for work that the host submitted and saw done at these times of its own. */
void hrb_trace_host_times(struct trace_clock *clock, uint64_t submitted, uint64_t seen, uint64_t *start, uint64_t *end);

/* -- trace_queue.c ------------------------------------------------------------------------------------------------- */

hr_status hrb_trace_queue_make(struct hrb_queue *queue, bool own);
/* Work that is not done goes on; its span ends here. */
void hrb_trace_queue_free(struct hrb_queue *queue);
/* Takes over what was submitted: copies `entry`, whose event is asked for by the program if `held`. */
void hrb_trace_keep(struct hrb_queue *queue, const struct trace_entry *entry);
/* Writes the spans of what is done by now. Never waits. */
void hrb_trace_reap(struct hrb_queue *queue);
/* The program lets go of an event. True if it is to be destroyed; else that is done once its times have been read. */
bool hrb_trace_let_go(struct hrb_event *event);

static inline struct trace_device *hrb_trace_device(const struct hrb_device *device)
{
    return device->word[TRACE_LAYER];
}

#endif
