/*
 * A driver without a device, for unit tests: memory is malloc, and time stands still until the test moves it.
 *
 * Submissions are queued, a list a queue, and carried out in order, honouring waits, only
 * - by fake_step() and fake_run(), or
 * - by a thread that waits (event_wait, queue_finish, buffer_acquire): it carries out what it waits for, and what that
 *   waits for on other queues, in place of the device.
 * A held queue (fake_hold) stands still for waiting threads too: they sleep until it is let go. event_query never moves
 * anything. With options.eager every submission is carried out at once, as far as its waits and holds allow.
 *
 *     struct fake *fake = fake_create(NULL);
 *     hr_device *dev = fake_device(fake, NULL);
 *     ... hr_copy(q, ...);                  // nothing has moved
 *     fake_step(fake, q, 1);                // now it has
 *     hr_device_close(&dev);
 *     assert_int_equal(fake_destroy(fake), 0);   // everything given back, nothing used after its end
 *
 * Any text is a program unless it has "#error" in it; its kernels are those added by fake_add_kernel(), and gather_1,
 * _2, _4, _8, _16 with gather.cl's arguments, which are always there. Threads: any. Kernel functions run under the
 * fake's lock and must not call the library.
 */
#ifndef FAKE_BACKEND_H
#define FAKE_BACKEND_H

#include "core/registry.h"

#include <stdbool.h>

/* Ops that are counted, and that can be made to fail. */
#define FAKE_OP_LIST(X)                                                                                                \
    X(DEVICE_OPEN)                                                                                                     \
    X(DEVICE_INFO)                                                                                                     \
    X(BUFFER_CREATE)                                                                                                   \
    X(BUFFER_IMPORT)                                                                                                   \
    X(BUFFER_VIEW)                                                                                                     \
    X(BUFFER_ACQUIRE)                                                                                                  \
    X(BUFFER_RELEASE)                                                                                                  \
    X(QUEUE_CREATE)                                                                                                    \
    X(QUEUE_FINISH)                                                                                                    \
    X(QUEUE_WAIT)                                                                                                      \
    X(EVENT_RECORD)                                                                                                    \
    X(EVENT_WAIT)                                                                                                      \
    X(EVENT_QUERY)                                                                                                     \
    X(COPY)                                                                                                            \
    X(COPY_RECT)                                                                                                       \
    X(FILL)                                                                                                            \
    X(PROGRAM_CREATE)                                                                                                  \
    X(KERNEL_CREATE)                                                                                                   \
    X(KERNEL_LAUNCH)

enum fake_op {
#define FAKE_OP_ENUM(name) FAKE_##name,
    FAKE_OP_LIST(FAKE_OP_ENUM)
#undef FAKE_OP_ENUM
        FAKE_OPS,
    FAKE_ANY = FAKE_OPS /* for fake_fail() and fake_count(): all of them */
};

/* Objects that are alive. */
enum fake_object { FAKE_DEVICES, FAKE_BUFFERS, FAKE_QUEUES, FAKE_EVENTS, FAKE_PROGRAMS, FAKE_KERNELS, FAKE_OBJECTS };

/* A zero means the default. */
struct fake_options {
    uint64_t memory_bytes;     /* buffer_create says HR_NO_DEVICE_MEMORY beyond; 1 GiB */
    uint64_t pinned_bytes;     /* the same for pinned memory; 1 GiB */
    uint64_t max_buffer_bytes; /* memory_bytes */
    uint32_t alignment;        /* 64 */
    uint32_t abilities;        /* HR_ABILITY_...; SHARED_MEMORY gives device buffers a host pointer. 0: ASYNC_KERNELS,
                                  COPY_OVERLAP, TIMING, IMPORT */
    bool eager;
    bool
        pageable_waits; /* HRB_PAGEABLE_WAITS: a copy from or to pageable memory waits for the queue, itself included */
};

struct fake;

struct fake *fake_create(const struct fake_options *options); /* NULL for the defaults */
/* The number of objects still alive plus fake_broken(); frees all. */
unsigned fake_destroy(struct fake *fake);

/* Opens the fake's device. NULL when it fails. options may be NULL. */
hr_device *fake_device(struct fake *fake, const hr_device_options *options);
/* For hri_device_open_choice(). */
void fake_choice(struct fake *fake, struct hri_choice *choice);
const struct hrb_backend *fake_backend(struct fake *fake);

/* -- moving time --------------------------------------------------------------------------------------------------- */

/* Carries out up to n submissions of one queue; stops at one whose waits are not done. Returns how many. A hold does
 * not matter. */
unsigned fake_step(struct fake *fake, hr_queue *queue, unsigned n);
/* Carries out all that can be, on all queues but those that are held. */
void fake_run(struct fake *fake);
/* Submissions not carried out yet. */
unsigned fake_pending(struct fake *fake, hr_queue *queue);
void fake_hold(struct fake *fake, hr_queue *queue, bool hold);
/* Sleeps until n threads sleep in a wait of the driver. */
void fake_await_sleepers(struct fake *fake, unsigned n);

/* -- failing ------------------------------------------------------------------------------------------------------- */

/* The nth call of `op` from now (1: the next) fails with `status`. n 0: no failure. One plan at a time. */
void fake_fail(struct fake *fake, enum fake_op op, uint64_t n, hr_status status);
/* The nth copy from now is submitted, and then answered as failed: without an event, and with work behind it. */
void fake_fail_behind(struct fake *fake, uint64_t n, hr_status status);
/* The nth submission from now that is carried out fails, and so does everything after it on its queue. */
void fake_fail_work(struct fake *fake, uint64_t n, hr_status status);

/* -- looking ------------------------------------------------------------------------------------------------------- */

uint64_t fake_count(struct fake *fake, enum fake_op op); /* calls so far, failed ones too */
uint64_t fake_pageable(struct fake *fake);               /* copies from and to pageable memory */
unsigned fake_live(struct fake *fake, enum fake_object object);
/* Breaches of the table's contract so far: memory destroyed with work in flight, a parent before its children. */
unsigned fake_broken(struct fake *fake);

/* -- kernels ------------------------------------------------------------------------------------------------------- */

struct fake_arg {
    void *ptr;      /* buffer: its byte at the argument's offset; scalar: its bytes */
    uint64_t bytes; /* from there to the end */
};

typedef void (*fake_kernel)(const hr_grid *grid, const struct fake_arg *args);

/* At most 32; one of the same name is replaced. A launch with another number of arguments is HR_INVALID. */
void fake_add_kernel(struct fake *fake, const char *name, fake_kernel function, uint32_t n_args);

#endif
