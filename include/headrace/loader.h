/* The loader: rows of a data set in shuffled or ordered mini-batches, epoch after epoch, ready on the device. */
#ifndef HEADRACE_LOADER_H
#define HEADRACE_LOADER_H

#include <headrace/dataset.h>
#include <headrace/queue.h>
#include <headrace/stats.h>

HR_BEGIN_DECLS

typedef struct hr_loader hr_loader;
typedef struct hr_batch hr_batch;

/** What becomes of a last batch that is not full. */
enum {
    HR_LAST_KEEP = 0, /* delivered with fewer rows */
    HR_LAST_DROP = 1, /* left out */
    HR_LAST_PAD = 2   /* filled up with the first rows of the same epoch; hr_batch_rows() does not count these */
};

/** How batches reach the device. */
enum {
    HR_ROUTE_AUTO = 0,
    HR_ROUTE_STAGED = 1,   /* workers gather into pinned memory, one copy a batch; ordered packed rows that lie in a
                              pinned or imported buffer of the device are copied from there */
    HR_ROUTE_IN_PLACE = 2, /* device memory is host memory: one gather, no copy */
    HR_ROUTE_RESIDENT = 3  /* the data set is copied once; a kernel gathers each batch on the device */
};

/** For hr_loader_open(). A zero means the default. */
typedef struct hr_loader_options {
    uint32_t size;       /* sizeof(hr_loader_options) */
    uint32_t shuffle;    /* 0: ascending rows; 1: a new order each epoch, a pure function of seed and epoch */
    uint64_t batch_rows; /* rows of a global batch, >= 1 (larger than the data set: one batch) */
    uint64_t seed;
    uint32_t last;    /* HR_LAST_... */
    uint32_t route;   /* HR_ROUTE_... */
    uint32_t depth;   /* slots: batches in flight or held at once, 2 to 64; 0: one (on a CPU) or two for each worker and
                         3 more, at least 8, as far as that takes at most 64 MiB and an eighth of the budget, but 4 in
                         any case; fewer where a budget leaves no room */
    uint32_t workers; /* threads that gather, the feeder included, 1 to 256; 0: HEADRACE_WORKERS or a measured rule */
    uint32_t shard_index; /* of shard_count: this loader takes its part of every global batch */
    uint32_t shard_count; /* 0 and 1: all of it */
    hr_queue *queue;      /* the compute queue; NULL: the device's own */
} hr_loader_options;

/** One field of a batch, filled by hr_batch_field(): what a kernel or a DLPack view needs. */
typedef struct hr_field {
    uint32_t size; /* in: sizeof(hr_field) */
    uint32_t dtype;
    hr_buffer *buffer; /* borrowed: valid until the batch is released */
    uint64_t offset;   /* first byte in the buffer, aligned for the device */
    uint64_t bytes;
    uint32_t rank; /* the row dimension included */
    uint32_t reserved;
    uint64_t shape[HR_MAX_RANK];  /* shape[0]: rows in memory, padding included */
    uint64_t stride[HR_MAX_RANK]; /* bytes */
} hr_field;

/**
 * Opens a loader and reserves its memory, device and pinned.
 *
 * Returns HR_OK; HR_NO_DEVICE_MEMORY or HR_NO_PINNED_MEMORY (the message has the least budget that works);
 * HR_UNSUPPORTED (a route that this device does not have); HR_INVALID; HR_RANGE (shard_index); HR_NO_MEMORY. Threads:
 * any. The loader keeps device, data set and queue alive. Since 0.1.
 */
HR_API hr_status hr_loader_open(hr_device *device, hr_dataset *dataset, const hr_loader_options *options,
                                hr_loader **loader);

/**
 * Begins an epoch at its first batch. After the epoch before, in sequence, its first batches are already on their way;
 * any other start discards what was prefetched. Batches still held stay valid.
 *
 * Returns HR_OK; HR_INVALID; the loader's first failure.
 * Threads: serialised with hr_loader_next(). Since 0.1.
 */
HR_API hr_status hr_loader_start(hr_loader *loader, uint64_t epoch);

/**
 * The next batch. Its data are ready for work enqueued afterwards on the compute queue: the queue waits for the copy,
 * the host does not.
 *
 * Returns HR_OK; HR_END after the epoch's last batch; HR_STATE before hr_loader_start(); HR_WOULD_DEADLOCK when all
 * `depth` batches were given to the calling thread and none is released, also if another thread is about to;
 * HR_CANCELLED after a close that timed out; the loader's first failure, from then on always.
 * Threads: one at a time. Pointers: the batch is valid until hr_batch_release(), also after hr_loader_close().
 * Since 0.1.
 */
HR_API hr_status hr_loader_next(hr_loader *loader, hr_batch **batch);

/** Counters and times of the epoch started last. Returns HR_OK; HR_INVALID. Threads: any. Since 0.1. */
HR_API hr_status hr_loader_get_stats(hr_loader *loader, hr_loader_stats *stats);

/**
 * The number of batches of an epoch.
 *
 * Returns HR_OK; HR_INVALID. Threads: any. Since 0.1.
 */
HR_API hr_status hr_loader_get_batches(hr_loader *loader, uint64_t *batches);

/**
 * Closes a loader and nulls the handle; NULL is fine. Stops its threads; never waits for kernels. Batches still held
 * stay valid until released.
 *
 * Threads: any, once, not during another call on this loader. Since 0.1.
 */
HR_API void hr_loader_close(hr_loader **loader);

/**
 * The same with a limit.
 *
 * Returns HR_OK (handle nulled); HR_TIMEOUT: the handle is still valid, call again. Since 0.1.
 */
HR_API hr_status hr_loader_close_within(hr_loader **loader, uint64_t timeout_ns);

/** Rows of the batch that count (without padding; 0 for an empty part of a sharded last batch). Threads: any.
 * Since 0.1. */
HR_API uint64_t hr_batch_rows(hr_batch *batch);

/** The batch's number in its epoch, from 0. Threads: any. Since 0.1. */
HR_API uint64_t hr_batch_index(hr_batch *batch);

/**
 * Field `index` of a batch. The memory is read-only.
 *
 * Returns HR_OK; HR_RANGE; HR_INVALID. Threads: any. Since 0.1.
 */
HR_API hr_status hr_batch_field(hr_batch *batch, uint32_t index, hr_field *field);

/**
 * The data set's row numbers in delivered order, shape[0] of them (padding included).
 *
 * Returns HR_OK; HR_INVALID. Threads: any. Pointers: valid until the batch is released. Since 0.1.
 */
HR_API hr_status hr_batch_row_ids(hr_batch *batch, const uint64_t **ids, uint64_t *count);

/**
 * Makes later work of a further queue wait, on the device, for the batch's data.
 *
 * Returns HR_OK; HR_INVALID; the queue's failure. Threads: any. Since 0.1.
 */
HR_API hr_status hr_batch_wait(hr_batch *batch, hr_queue *queue);

/**
 * Declares that work enqueued so far on a further queue uses the batch; its slot is refilled only behind it. The
 * compute queue need not be declared.
 *
 * Returns HR_OK; HR_INVALID; HR_NO_MEMORY; the queue's failure. Threads: any. Since 0.1.
 */
HR_API hr_status hr_batch_used(hr_batch *batch, hr_queue *queue);

/**
 * The batch's field on the host; waits for its data.
 *
 * Returns HR_OK; HR_RANGE; HR_INVALID; the loader's failure. Threads: any. Pointers: read-only, valid until the batch
 * is released. Since 0.1.
 */
HR_API hr_status hr_batch_host(hr_batch *batch, uint32_t field, const void **ptr);

/**
 * Ends the use of a batch and nulls the handle; NULL is fine. Work enqueued before on the compute queue (and on queues
 * declared) may still run: the slot is refilled behind it.
 *
 * Returns HR_OK; the failure of a queue (the batch is released all the same). Threads: any. Since 0.1.
 */
HR_API hr_status hr_batch_release(hr_batch **batch);

HR_END_DECLS

#endif
