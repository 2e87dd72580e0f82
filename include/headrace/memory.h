/* Buffers: device memory, pinned host memory, and memory that the program has. */
#ifndef HEADRACE_MEMORY_H
#define HEADRACE_MEMORY_H

#include <headrace/device.h>

HR_BEGIN_DECLS

typedef struct hr_buffer hr_buffer;

/** Kinds of memory. HR_MEMORY_IMPORTED is only seen in answers. */
enum {
    HR_MEMORY_DEVICE = 0,  /* what kernels work on */
    HR_MEMORY_PINNED = 1,  /* host memory that the device copies from and to directly; never a kernel's operand */
    HR_MEMORY_IMPORTED = 2 /* the program's own, registered by hr_buffer_import() */
};

/** How the host will use acquired memory (or-ed). */
enum {
    HR_ACCESS_READ = 1u << 0,
    HR_ACCESS_WRITE = 1u << 1,
    HR_ACCESS_DISCARD = 1u << 2 /* with WRITE: every byte is overwritten, the old content need not be fetched */
};

/** Filled by hr_memory_get_stats(); bytes, and counts since the device was opened. */
typedef struct hr_memory_stats {
    uint32_t size; /* in: sizeof(hr_memory_stats) */
    uint32_t reserved;
    uint64_t device_used_bytes;   /* in live buffers */
    uint64_t device_cached_bytes; /* held from the driver for reuse */
    uint64_t device_peak_bytes;   /* highest used + cached */
    uint64_t device_budget_bytes;
    uint64_t device_driver_allocs; /* allocations that reached the driver */
    uint64_t device_driver_frees;
    uint64_t pinned_used_bytes;
    uint64_t pinned_cached_bytes;
    uint64_t pinned_peak_bytes;
    uint64_t pinned_budget_bytes;
    uint64_t pinned_driver_allocs;
    uint64_t pinned_driver_frees;
    uint64_t staging_waits; /* hr_write calls that had to wait for staging memory */
} hr_memory_stats;

/**
 * Creates a buffer of `bytes` bytes; its content is undefined.
 *
 * kind   HR_MEMORY_DEVICE or HR_MEMORY_PINNED.
 * bytes  > 0, at most hr_device_info.max_buffer_bytes.
 * queue  the queue of first use: memory that another queue has just given back is ordered behind that use on the
 *        device. NULL: memory that nothing uses any more.
 *
 * Returns HR_OK; HR_NO_DEVICE_MEMORY or HR_NO_PINNED_MEMORY (the message has the size, what is in use and the budget);
 * HR_INVALID; HR_NO_MEMORY.
 * Threads: any. The buffer keeps its device alive. Since 0.1.
 */
HR_API hr_status hr_buffer_create(hr_device *device, uint32_t kind, uint64_t bytes, hr_queue *queue,
                                  hr_buffer **buffer);

/**
 * Registers memory that the program has, so that copies from and to it need no staging.
 *
 * pointer  host memory of at least `bytes` bytes that stays valid until the buffer is closed. It stays the program's.
 *
 * Returns HR_OK; HR_UNSUPPORTED (hr_write_from() takes the memory unregistered); HR_INVALID; HR_NO_MEMORY.
 * Threads: any. Since 0.1.
 */
HR_API hr_status hr_buffer_import(hr_device *device, void *pointer, uint64_t bytes, hr_buffer **buffer);

/**
 * Gives the host access to a buffer until hr_buffer_release(). Waits until all work enqueued on `queue` so far is done.
 *
 * queue  the queue that last used the buffer; NULL when the program knows that nothing uses it (device buffers without
 *        shared memory need a queue: their content must be fetched).
 * mode   HR_ACCESS_... or-ed.
 * ptr    the buffer's first byte; valid until release. Pinned buffers: the same pointer every time, valid until close.
 *
 * Returns HR_OK; HR_STATE (already acquired); HR_INVALID; the queue's failure.
 * Threads: one at a time a buffer. Since 0.1.
 */
HR_API hr_status hr_buffer_acquire(hr_buffer *buffer, hr_queue *queue, uint32_t mode, void **ptr);

/**
 * Ends host access; work enqueued on `queue` afterwards sees what the host wrote.
 *
 * Returns HR_OK; HR_STATE (not acquired); HR_INVALID; the queue's failure. Since 0.1.
 */
HR_API hr_status hr_buffer_release(hr_buffer *buffer, hr_queue *queue);

/** The size in bytes as asked for. Returns HR_OK; HR_INVALID. Threads: any. Since 0.1. */
HR_API hr_status hr_buffer_get_size(hr_buffer *buffer, uint64_t *bytes);

/**
 * Declares that work enqueued on `queue` so far, outside this library, uses the buffer; its memory is then not reused
 * before that work is done. Copies and kernels of this library declare themselves.
 *
 * Returns HR_OK; HR_INVALID; HR_NO_MEMORY. Threads: any. Since 0.1.
 */
HR_API hr_status hr_buffer_used(hr_buffer *buffer, hr_queue *queue);

/**
 * Closes a buffer and nulls the handle; NULL and a pointer to NULL are fine. Ends host access. Never waits, and work in
 * flight may still use the buffer: the memory is reused only behind it. Exception: an imported buffer waits until
 * copies from and to it are done, since the program may free the memory next.
 *
 * Threads: any, once. Since 0.1.
 */
HR_API void hr_buffer_close(hr_buffer **buffer);

/** Memory counters of a device. Returns HR_OK; HR_INVALID. Threads: any. Since 0.1. */
HR_API hr_status hr_memory_get_stats(hr_device *device, hr_memory_stats *stats);

/**
 * Gives cached memory that nothing uses any more back to the driver, device and pinned.
 *
 * Returns HR_OK; HR_INVALID; the failure of a queue that still used some. Threads: any. Since 0.1.
 */
HR_API hr_status hr_memory_trim(hr_device *device);

HR_END_DECLS

#endif
