/* In-order queues, events, and copies. */
#ifndef HEADRACE_QUEUE_H
#define HEADRACE_QUEUE_H

#include <headrace/memory.h>

HR_BEGIN_DECLS

typedef struct hr_event hr_event;

/** Flags of hr_queue_options.flags and hr_sync.flags. */
enum {
    HR_TIMING = 1u << 0, /* events made here carry device timestamps */
    HR_NO_WAIT = 1u << 1 /* hr_sync, hr_write(): answer HR_WOULD_BLOCK instead of waiting for staging memory */
};

/** For hr_queue_create(). */
typedef struct hr_queue_options {
    uint32_t size;  /* sizeof(hr_queue_options) */
    uint32_t flags; /* HR_TIMING or 0 */
} hr_queue_options;

/** What a copy or a kernel waits for and tells; NULL instead of a pointer to one: nothing. */
typedef struct hr_sync {
    uint32_t size;  /* sizeof(hr_sync) */
    uint32_t flags; /* HR_TIMING, HR_NO_WAIT */
    uint32_t n_waits;
    uint32_t reserved;
    hr_event *const *waits; /* the device waits for these before it starts; the program keeps them */
    hr_event **event;       /* out, if not NULL: completion; the program closes it */
} hr_sync;

/** One side of a pitched copy, bytes. */
typedef struct hr_rect {
    uint32_t size; /* sizeof(hr_rect) */
    uint32_t reserved;
    uint64_t offset;      /* first byte */
    uint64_t row_pitch;   /* from one row to the next; >= the copied width */
    uint64_t slice_pitch; /* from one slice to the next; >= its rows; 0: row_pitch * rows */
} hr_rect;

/**
 * Creates an in-order queue.
 *
 * role     HR_QUEUE_COMPUTE, HR_QUEUE_COPY_IN or HR_QUEUE_COPY_OUT: what it is mostly used for. Any queue takes any
 * work. options  NULL for none.
 *
 * Returns HR_OK; HR_INVALID; HR_UNSUPPORTED (timing asked for, the device has none); HR_NO_MEMORY; HR_DRIVER.
 * Threads: any number may submit to one queue. The queue keeps its device alive. Since 0.1.
 */
HR_API hr_status hr_queue_create(hr_device *device, uint32_t role, const hr_queue_options *options, hr_queue **queue);

/**
 * Makes later work of `queue` wait, on the device, for `event`. Never waits on the host.
 *
 * Returns HR_OK; HR_INVALID (another device's event, NULL); the failure of the queue or of the event.
 * Threads: any. Pointers: none kept; the event may be closed at once. Since 0.1.
 */
HR_API hr_status hr_queue_wait(hr_queue *queue, hr_event *event);

/**
 * Waits on the host until everything enqueued so far is done. Not for steady loops.
 *
 * Returns HR_OK; the queue's first failure. Threads: any. Since 0.1.
 */
HR_API hr_status hr_queue_finish(hr_queue *queue);

/**
 * Closes a queue and nulls the handle; NULL and a pointer to NULL are fine. Work in flight goes on. A queue of
 * hr_device_get_queue() is not closed by the program.
 *
 * Threads: any, once. Since 0.1.
 */
HR_API void hr_queue_close(hr_queue **queue);

/**
 * Makes an event that is done when everything enqueued on `queue` so far is done.
 *
 * Returns HR_OK; HR_INVALID; HR_NO_MEMORY; the queue's failure. Threads: any. Since 0.1.
 */
HR_API hr_status hr_event_record(hr_queue *queue, hr_event **event);

/**
 * Waits on the host until the work of `event` is done.
 *
 * timeout_ns  longest wait in nanoseconds; HR_FOREVER for no limit; 0 only looks.
 *
 * Returns HR_OK; HR_TIMEOUT (the event stays valid); the work's own failure.
 * Threads: any number may wait on one event. Pointers: none kept. Since 0.1.
 */
HR_API hr_status hr_event_wait(hr_event *event, uint64_t timeout_ns);

/**
 * Looks whether the work of `event` is done, without waiting. After *done == 1 its results may be used.
 *
 * Returns HR_OK; the work's failure; HR_INVALID. Threads: any. Since 0.1.
 */
HR_API hr_status hr_event_done(hr_event *event, uint32_t *done);

/**
 * When the event's work started and ended, nanoseconds on the device's clock. The event must be done.
 *
 * Returns HR_OK; HR_STATE (not done); HR_UNSUPPORTED (neither queue nor event asked for HR_TIMING). Since 0.1.
 */
HR_API hr_status hr_event_get_times(hr_event *event, uint64_t *start_ns, uint64_t *end_ns);

/** Closes an event and nulls the handle; NULL is fine. The work goes on. Threads: any, once. Since 0.1. */
HR_API void hr_event_close(hr_event **event);

/**
 * Copies `bytes` bytes between buffers of one device. Ranges of one buffer must not overlap. Two host-side buffers
 * (pinned, imported) are HR_UNSUPPORTED: the host copies those itself.
 *
 * Returns HR_OK once submitted; HR_RANGE; HR_INVALID; HR_UNSUPPORTED; the queue's failure.
 * Threads: any. Pointers: the buffers may be closed at once. Since 0.1.
 */
HR_API hr_status hr_copy(hr_queue *queue, hr_buffer *dst, uint64_t dst_offset, hr_buffer *src, uint64_t src_offset,
                         uint64_t bytes, const hr_sync *sync);

/**
 * Copies `slices` x `rows` x `width` bytes with pitches on both sides.
 *
 * Returns as hr_copy(). Threads: any. Since 0.1.
 */
HR_API hr_status hr_copy_rect(hr_queue *queue, hr_buffer *dst, const hr_rect *dst_rect, hr_buffer *src,
                              const hr_rect *src_rect, uint64_t width, uint64_t rows, uint64_t slices,
                              const hr_sync *sync);

/**
 * Fills a range with a repeated pattern.
 *
 * pattern_bytes  1, 2, 4, 8 or 16; `offset` and `bytes` are multiples of it.
 *
 * Returns as hr_copy(); HR_INVALID for a pinned buffer. Pointers: the pattern is copied. Since 0.1.
 */
HR_API hr_status hr_fill(hr_queue *queue, hr_buffer *dst, uint64_t offset, uint64_t bytes, const void *pattern,
                         uint32_t pattern_bytes, const hr_sync *sync);

/**
 * Writes host memory to a buffer, from a snapshot: `src` may be changed or freed as soon as the call returns. Up to the
 * free staging memory it never waits for the queue; beyond that it waits for staging (HR_NO_WAIT: HR_WOULD_BLOCK, and
 * nothing is submitted).
 *
 * Returns HR_OK once submitted; HR_WOULD_BLOCK; HR_RANGE; HR_INVALID; HR_NO_PINNED_MEMORY; the queue's failure.
 * Threads: any. Since 0.1.
 */
HR_API hr_status hr_write(hr_queue *queue, hr_buffer *dst, uint64_t dst_offset, const void *src, uint64_t bytes,
                          const hr_sync *sync);

/**
 * Writes host memory to a buffer without a snapshot: `src` stays valid and unchanged until the event of `sync` (or a
 * later wait on the queue) is done. Memory that is pinned or imported is copied from directly. On devices whose driver
 * would wait for the queue where it meets other memory (CUDA), that goes through staging memory, as hr_write() does it.
 *
 * Returns as hr_write(), never HR_WOULD_BLOCK. Threads: any. Since 0.1.
 */
HR_API hr_status hr_write_from(hr_queue *queue, hr_buffer *dst, uint64_t dst_offset, const void *src, uint64_t bytes,
                               const hr_sync *sync);

/**
 * Reads a buffer into host memory; `dst` is valid once the event of `sync` (or a later wait on the queue) is done.
 * Memory that is pinned or imported is copied to directly. On devices whose driver would wait for the queue where it
 * meets other memory (CUDA), that goes through pinned memory, and the last step is done by whichever call tells that
 * the read is done; up to half of hr_write()'s staging memory it never waits for the queue, beyond that it does.
 *
 * Returns as hr_copy(). Threads: any. Since 0.1.
 */
HR_API hr_status hr_read(hr_queue *queue, hr_buffer *src, uint64_t src_offset, void *dst, uint64_t bytes,
                         const hr_sync *sync);

HR_END_DECLS

#endif
