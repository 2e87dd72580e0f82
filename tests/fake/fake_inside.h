/* The fake driver's objects, shared by its files. */
#ifndef FAKE_INSIDE_H
#define FAKE_INSIDE_H

#include "fake/fake_backend.h"

#include <pthread.h>
#include <time.h>

enum { FAKE_MOST_KERNELS = 32, FAKE_MOST_ARGS = 24 };

struct fake_function {
    char name[32];
    fake_kernel function;
    uint32_t n_args;
};

struct fake {
    struct fake_options options;
    struct hrb_ops ops;
    struct hrb_backend backend;

    pthread_mutex_t lock; /* what follows, and all objects */
    pthread_cond_t changed;
    const struct hrb_services *services;
    uint64_t calls[FAKE_OPS + 1];
    uint64_t pageable;
    unsigned live[FAKE_OBJECTS];
    unsigned broken;
    unsigned sleepers;
    enum fake_op fail_op;
    uint64_t fail_in;
    hr_status fail_status;
    uint64_t fail_behind_in;
    hr_status fail_behind_status;
    uint64_t fail_work_in;
    hr_status fail_work_status;
    uint64_t bytes[2]; /* allocated, by kind */
    uint64_t clock;
    struct fake_function functions[FAKE_MOST_KERNELS];
    unsigned n_functions;
    struct fake_queue *queues;
};

/* What device_open answers with; the instance is the fake itself. */
struct fake_head {
    struct hrb_device head;
    struct fake *fake;
};

/* Memory, and the work that is still to touch it. */
struct fake_storage {
    unsigned char *bytes;
    uint64_t size;
    unsigned refs; /* the buffer, its views, and work */
    unsigned in_flight;
    bool own; /* malloc'ed */
};

struct fake_buffer {
    struct hrb_buffer head;
    struct fake_storage *storage;
    uint64_t base;
    bool view;
};

struct fake_event {
    struct hrb_event head;
    unsigned refs; /* the handle, the work that tells it, works that wait for it */
    bool done;
    bool timed;
    hr_status status;
    uint64_t start;
    uint64_t end;
    struct fake_queue *queue;
};

enum fake_kind { FAKE_NOTHING, FAKE_MOVE, FAKE_FILL_BYTES, FAKE_CALL };

struct fake_work {
    struct fake_work *next;
    enum fake_kind kind;
    struct fake_event *event;
    struct fake_event **waits;
    uint32_t n_waits;
    struct fake_storage *storages[FAKE_MOST_ARGS];
    uint32_t n_storages;
    struct hrb_place dst, src; /* FAKE_MOVE: host + offset */
    uint64_t width, rows, slices;
    unsigned char pattern[16]; /* FAKE_FILL_BYTES, at dst.host */
    uint32_t pattern_bytes;
    fake_kernel function; /* FAKE_CALL */
    hr_grid grid;
    struct fake_arg args[FAKE_MOST_ARGS];
    unsigned char scalars[FAKE_MOST_ARGS][16];
};

struct fake_queue {
    struct hrb_queue head;
    struct fake *fake;
    struct fake_queue *next;
    struct fake_work *first;
    struct fake_work *last;
    unsigned pending;
    bool held;
    bool gone; /* destroyed with work in flight: freed by its last work */
    hr_status failed;
};

static inline struct fake *fake_of(const struct hrb_device *device)
{
    return ((const struct fake_head *)device)->fake;
}

/* Counts a call and says whether it is the one that fails; takes the lock, which the op gives back. */
hr_status fake_enter(struct fake *fake, enum fake_op op);
void fake_leave(struct fake *fake);

void fake_storage_unref(struct fake_storage *storage);
void fake_event_unref(struct fake_event *event);

/* -- fake_work.c, under the lock ----------------------------------------------------------------------------------- */

struct fake_work *fake_work_new(const struct hrb_sync *sync, enum fake_kind kind);
void fake_touches(struct fake_work *work, const struct hrb_buffer *buffer); /* NULL: nothing */
/* Ends a submitting op: appends the work and makes the event. Gives the lock back. */
void fake_submit(struct fake_queue *queue, struct fake_work *work, const struct hrb_sync *sync);
/* Carries out the queue's first work, or one that it waits for; false: everything there stands still. */
bool fake_advance(struct fake_queue *queue);
/* Carries out all that was submitted to a queue so far, sleeping where it stands still. */
void fake_drain(struct fake_queue *queue);
/* Sleeps until something changes; false when the deadline passed. NULL: none. */
bool fake_nap(struct fake *fake, const struct timespec *deadline);
void fake_queue_unlink(struct fake_queue *queue); /* frees it */

/* fake_queue.c: the part of the table about queues, events, copies and launches. */
void fake_queue_ops(struct hrb_ops *ops);

/* fake_kernels.c */
void fake_add_gather(struct fake *fake);

#endif
