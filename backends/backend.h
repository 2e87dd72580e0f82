/*
 * The one table of functions that a backend fills. A backend or layer includes this header alone: what it needs of the
 * core comes as struct hrb_services. backends/README.md maps every op to OpenCL and to the CUDA driver API.
 *
 * Contract common to all ops, unless an op says otherwise:
 * - Threads: any number at once, also on one object; only create/destroy of one object are not concurrent with its
 * uses.
 * - Locks: the core holds none of its locks during a call that may wait for the device (marked WAITS); during others it
 *   may hold locks that only short calls take.
 * - Errors: a status; on failure the op has called services->fail() once, outputs are untouched, nothing is half-done.
 *   HR_UNSUPPORTED: this device cannot; HR_UNIMPLEMENTED: nobody has written it. An optional op that is NULL is
 * answered with HR_UNSUPPORTED by the core.
 * - Submission is not completion: an op that enqueues answers for the submission; a failure of the work itself is
 *   answered by event_wait, event_query and queue_finish.
 * - The core has checked arguments (NULL, ranges, overflow, kinds, the same device); a backend does not again.
 * - Enqueued work starts without further calls: a submission is flushed before the op returns, or at the latest
 *   when an event of it is waited for, queried or given to another queue.
 */
#ifndef HEADRACE_BACKEND_H
#define HEADRACE_BACKEND_H

#include <headrace/device.h>
#include <headrace/kernel.h>
#include <headrace/memory.h>
#include <headrace/queue.h>
#include <headrace/status.h>
#include <stddef.h>

/* Raised when the table changes its meaning; the registry refuses another. */
#define HRB_ABI 3u

/* Layers in the order in which they are put on: the last is called first. */
enum { HRB_LAYER_FAULT, HRB_LAYER_TRACE, HRB_LAYER_STRICT, HRB_LAYERS };

struct hrb_backend;
struct hrb_instance; /* a backend's own: what probe found */
struct hrb_trace;    /* the core's own: a timeline that is being written */

enum { HRB_MESSAGE_BYTES = 1024 };

/* Levels of services->log. */
enum { HRB_LOG_ERROR = 1, HRB_LOG_WARN = 2, HRB_LOG_INFO = 3, HRB_LOG_DEBUG = 4 };

/* A row of a timeline; all zero: the calling thread's. */
struct hrb_track {
    uint32_t group;
    uint32_t number;
};

/* The batch that a thread is at work on: the feeder while it submits one, the program from next() to release(). */
struct hrb_about {
    uint32_t known; /* 0: none */
    uint64_t epoch;
    uint64_t batch;
};

struct hrb_detail {
    const char *name;
    const char *text; /* NULL: the number */
    uint64_t number;
};

/* A stretch of time on a timeline. Texts are copied, and cut where they are long. */
struct hrb_span {
    struct hrb_track track;
    const char *name;
    const char *category;
    uint64_t start_ns; /* as now_ns() tells it */
    uint64_t end_ns;   /* 0: a mark, which is a moment */
    uint64_t bytes;    /* moved; 0: none. The rate follows from it */
    struct hrb_about about;
    const struct hrb_detail *details;
    uint32_t n_details; /* at most 8 */
};

/* Timelines: src/observe. For the layer trace; span() for whoever has a device->trace. Threads: any. */
struct hrb_tracing {
    /* The timeline in `file`, "" for HEADRACE_TRACE's, begun by the first who asks. HR_INVALID, HR_IO, HR_NO_MEMORY. */
    hr_status (*open)(const char *file, struct hrb_trace **trace);
    void (*close)(struct hrb_trace *trace); /* the file is whole afterwards */
    uint32_t (*group)(struct hrb_trace *trace, const char *name);
    struct hrb_track (*track)(struct hrb_trace *trace, uint32_t group, const char *name);
    void (*span)(struct hrb_trace *trace, const struct hrb_span *span);
    struct hrb_about (*about)(void); /* of the calling thread */
};

/* What the core lends to backends and layers; valid for the life of the process. */
struct hrb_services {
    uint32_t size;
    /* Describes a failure of this thread and returns `status`. native: the driver's code, 0 for none. */
    hr_status (*fail)(hr_status status, int64_t native, const char *format, ...) __attribute__((format(printf, 3, 4)));
    void (*log)(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));
    uint64_t (*now_ns)(void); /* monotonic */
    /* The one of `n` names that is nearest to a mistyped text; NULL when none is near. */
    const char *(*nearest)(const char *text, const char *const *names, size_t n);
    /* Puts this thread's message aside, into HRB_MESSAGE_BYTES, and back: around what may fail and is told to nobody.
     */
    void (*message_keep)(char *kept);
    void (*message_put_back)(const char *kept);
    const struct hrb_tracing *tracing;
};

/*
 * Heads: the first member of every object that a backend makes. The backend zeroes the whole head and sets what is
 * listed under "backend"; word[i] belongs to layer i, which frees what it put there when the object is destroyed.
 */
struct hrb_device {
    void *word[HRB_LAYERS];
    const struct hrb_ops *next[HRB_LAYERS]; /* the core: the table below layer i */
    const struct hrb_services *services;    /* backend */
    struct hrb_trace *trace;                /* the layer trace: where spans go; NULL: nowhere */
    uint32_t flags;                         /* backend: HRB_PAGEABLE_WAITS */
};

/* hrb_device.flags: `copy` would wait for the queue where it is given pageable memory. The core then takes such copies
 * through pinned memory, and gives pageable memory only when there is none. */
enum { HRB_PAGEABLE_WAITS = 1u << 0 };

struct hrb_buffer {
    void *word[HRB_LAYERS];
    struct hrb_device *device; /* backend */
    void *host; /* backend: pinned, imported, or shared device memory: first byte for the host, for life; else NULL */
    uint64_t bytes; /* backend */
    uint32_t kind;  /* backend: HR_MEMORY_... */
};

struct hrb_queue {
    void *word[HRB_LAYERS];
    struct hrb_device *device; /* backend */
    uint32_t role;             /* backend */
    uint32_t flags;            /* backend: HR_TIMING */
};

struct hrb_event {
    void *word[HRB_LAYERS];
    struct hrb_queue *queue; /* backend; the core keeps the queue alive as long as the event */
};

struct hrb_program {
    void *word[HRB_LAYERS];
    struct hrb_device *device; /* backend */
};

struct hrb_kernel {
    void *word[HRB_LAYERS];
    struct hrb_program *program; /* backend; the core keeps it alive as long as the kernel */
};

/* What a submission waits for and tells. Never NULL; all zero for nothing. */
struct hrb_sync {
    uint32_t n_waits;
    uint32_t flags;                 /* HR_TIMING: `event` carries times */
    struct hrb_event *const *waits; /* events of this device, any queue */
    struct hrb_event **event;       /* out, if not NULL */
};

/* One side of a copy. host NULL: device memory, `buffer` at `offset`. Otherwise host memory at host + offset, and
 * `buffer` is the pinned or imported buffer that it belongs to, NULL for pageable memory. */
struct hrb_place {
    struct hrb_buffer *buffer;
    void *host;
    uint64_t offset;
    uint64_t row_pitch;   /* copy_rect only, never 0 there */
    uint64_t slice_pitch; /* copy_rect only, never 0 there */
};

struct hrb_arg {
    struct hrb_buffer *buffer; /* NULL: scalar */
    uint64_t offset;           /* multiple of hr_device_info.alignment */
    const void *data;
    uint64_t bytes;
};

/* What the core tells layers and no driver sees, of a range of memory. */
enum {
    HRB_NOTE_READY,    /* a batch's memory is handed out, behind what `queue` has now */
    HRB_NOTE_RELEASED, /* and given back: only work that was enqueued before may still use it */
    HRB_NOTE_FREED,    /* a block is given back to its pool, or the program's memory is about to be let go */
    HRB_NOTE_GATHER,   /* a loader is about to overwrite the memory by work on `queue`; NULL: on the host */
    HRB_NOTE_USE,      /* what was enqueued natively on `queue` uses it; NULL: the host was given it without an op */
    HRB_NOTE_TAKEN     /* a block is handed out, of which range.bytes are used */
};

struct hrb_range {
    uint64_t offset;
    uint64_t bytes;
};

/* Native handles of the program's own. context is not NULL; what device is, each backend says: OpenCL a cl_device_id,
 * CUDA where the CUdevice is (it is a number, and may be 0), or NULL for the one that the context is of. */
struct hrb_native {
    void *context;
    void *device;
};

struct hrb_ops {
    uint32_t size; /* sizeof(struct hrb_ops) */
    uint32_t abi;  /* HRB_ABI */

    /* -- instance: called under the registry's lock, by one thread at a time --------------------------------------- */

    /* Loads the driver and looks for devices; once a process. HR_UNAVAILABLE with the reason when there is none. */
    hr_status (*probe)(const struct hrb_backend *self, const struct hrb_services *services,
                       struct hrb_instance **instance);
    uint32_t (*device_count)(struct hrb_instance *instance);
    /* Fills all of info but size, backend and the budgets; selector is "NAME:PLATFORM:DEVICE" or "NAME:INDEX". */
    hr_status (*device_describe)(struct hrb_instance *instance, uint32_t index, hr_device_info *info);

    /* -- device ---------------------------------------------------------------------------------------------------- */

    /* native: NULL, or the program's own context and device (index is then ignored); optional: HR_UNSUPPORTED. */
    hr_status (*device_open)(struct hrb_instance *instance, uint32_t index, const struct hrb_native *native,
                             struct hrb_device **device);
    /* All objects of the device have been destroyed. */
    void (*device_close)(struct hrb_device *device);
    hr_status (*device_info)(struct hrb_device *device, hr_device_info *info);

    /* -- memory: these reach the driver; the core caches ------------------------------------------------------------
     */

    /* kind HR_MEMORY_DEVICE or HR_MEMORY_PINNED. Pinned memory is mapped for life (head.host), page-aligned. Device
     * memory that the host shares has head.host too. HR_NO_DEVICE_MEMORY, HR_NO_PINNED_MEMORY. */
    hr_status (*buffer_create)(struct hrb_device *device, uint32_t kind, uint64_t bytes, struct hrb_buffer **buffer);
    /* Registers memory of the program's own, of any size. HR_UNSUPPORTED where it cannot. Optional. */
    hr_status (*buffer_import)(struct hrb_device *device, void *pointer, uint64_t bytes, struct hrb_buffer **buffer);
    /* A part of a device buffer as a buffer; offset is aligned. The core keeps the parent alive. No driver memory. */
    hr_status (*buffer_view)(struct hrb_buffer *parent, uint64_t offset, uint64_t bytes, struct hrb_buffer **view);
    /* The core has made sure that no work uses it any more, but for views: their work may be in flight, their memory
     * is the parent's. */
    void (*buffer_destroy)(struct hrb_buffer *buffer);
    /* Host access to device memory. WAITS until work enqueued on queue before is done. Shared memory: that wait alone;
     * elsewhere a map. Never called for pinned or imported buffers. */
    hr_status (*buffer_acquire)(struct hrb_buffer *buffer, struct hrb_queue *queue, uint32_t mode, void **ptr);
    /* Ends it; work enqueued on queue afterwards sees the writes. queue NULL: shared memory, and nothing to order. */
    hr_status (*buffer_release)(struct hrb_buffer *buffer, struct hrb_queue *queue, void *ptr);

    /* -- queues ------------------------------------------------------------------------------------------------------
     */

    /* native: NULL, or the program's own queue, which is retained; out-of-order or capturing ones: HR_UNSUPPORTED. */
    hr_status (*queue_create)(struct hrb_device *device, uint32_t role, uint32_t flags, void *native,
                              struct hrb_queue **queue);
    /* Work in flight goes on; the core has destroyed the queue's events. */
    void (*queue_destroy)(struct hrb_queue *queue);
    /* WAITS for all work enqueued, also where it then answers a failure: the core takes either for the work's end.
     * Answers the queue's failure if the driver tells one. */
    hr_status (*queue_finish)(struct hrb_queue *queue);
    /* Later work of queue waits on the device; flushes the event's producer. */
    hr_status (*queue_wait)(struct hrb_queue *queue, struct hrb_event *event);

    /* -- events ------------------------------------------------------------------------------------------------------
     */

    /* Done when all work enqueued on queue before is done. Flushed. flags: HR_TIMING. */
    hr_status (*event_record)(struct hrb_queue *queue, uint32_t flags, struct hrb_event **event);
    /* WAITS, at most timeout_ns (HR_FOREVER: no limit; 0: as event_query). Sleeps, never spins. HR_TIMEOUT describes
     * nothing. A failure of the work is answered every time. */
    hr_status (*event_wait)(struct hrb_event *event, uint64_t timeout_ns);
    /* HR_OK with *done 0 or 1. After 1 the host sees the work's results. */
    hr_status (*event_query)(struct hrb_event *event, uint32_t *done);
    /* Optional. The event is done. Any origin that all queues of the device share. HR_UNSUPPORTED when it was made
     * without HR_TIMING. */
    hr_status (*event_times)(struct hrb_event *event, uint64_t *start_ns, uint64_t *end_ns);
    void (*event_destroy)(struct hrb_event *event); /* the work goes on */

    /* -- copies: device to device, host to device, device to host; never host to host ---------------------------------
     */

    /* Never waits, but for pageable memory with HRB_PAGEABLE_WAITS. */
    hr_status (*copy)(struct hrb_queue *queue, const struct hrb_place *dst, const struct hrb_place *src, uint64_t bytes,
                      const struct hrb_sync *sync);
    hr_status (*copy_rect)(struct hrb_queue *queue, const struct hrb_place *dst, const struct hrb_place *src,
                           uint64_t width, uint64_t rows, uint64_t slices, const struct hrb_sync *sync);
    /* pattern_bytes 1, 2, 4, 8 or 16; offset and bytes multiples of it. */
    hr_status (*fill)(struct hrb_queue *queue, struct hrb_buffer *buffer, uint64_t offset, uint64_t bytes,
                      const void *pattern, uint32_t pattern_bytes, const struct hrb_sync *sync);

    /* -- kernels ------------------------------------------------------------------------------------------------------
     */

    /* source: OpenCL C; the backend puts its prelude before it. HR_BUILD with the log in the message. WAITS (compiles).
     */
    hr_status (*program_create)(struct hrb_device *device, const char *source, const char *options,
                                struct hrb_program **program);
    void (*program_destroy)(struct hrb_program *program);
    hr_status (*kernel_create)(struct hrb_program *program, const char *name, struct hrb_kernel **kernel);
    void (*kernel_destroy)(struct hrb_kernel *kernel);
    /* n_args and scalar sizes are checked by the backend (it knows the signature): HR_INVALID. local all 0: chosen
     * here. */
    hr_status (*kernel_launch)(struct hrb_queue *queue, struct hrb_kernel *kernel, const hr_grid *grid,
                               const struct hrb_arg *args, uint32_t n_args, const struct hrb_sync *sync);
    /* Optional, for a layer that launches later than it was asked to: what kernel_launch would refuse. HR_UNSUPPORTED,
     * undescribed: only the launch can tell. */
    hr_status (*kernel_check)(struct hrb_kernel *kernel, const hr_grid *grid, const struct hrb_arg *args,
                              uint32_t n_args);

    /* -- optional -----------------------------------------------------------------------------------------------------
     */

    /* For layers alone. Never WAITS. */
    void (*note)(uint32_t kind, struct hrb_buffer *buffer, const struct hrb_range *range, struct hrb_queue *queue);
    /* The library's own kernels without a compiler; NULL: program_create of their text (kernels/kernels.h). They check
     * their range themselves: a launch of theirs without `local` may be rounded up to whole groups. WAITS. */
    hr_status (*program_builtin)(struct hrb_device *device, struct hrb_program **program);
    /* A program that was compiled before, in a form of the driver's own; copied. HR_BUILD, with what the driver says,
     * for every image that it cannot take: unknown, cut off, damaged, made for another device. WAITS. */
    hr_status (*program_load)(struct hrb_device *device, const void *image, uint64_t bytes,
                              struct hrb_program **program);
    /* Native handles, borrowed. */
    hr_status (*device_native)(struct hrb_device *device, struct hrb_native *native);
    hr_status (*queue_native)(struct hrb_queue *queue, void **native);
    hr_status (*buffer_native)(struct hrb_buffer *buffer, void **native, uint64_t *offset);
};

/* A line of the roster (list.h). profile: the backend's own constants, such as a platform filter. */
struct hrb_backend {
    uint32_t size; /* sizeof(struct hrb_backend) */
    uint32_t abi;  /* HRB_ABI */
    const char *name;
    const char *summary; /* a few words for `headrace info` */
    const struct hrb_ops *ops;
    const void *profile;
};

/*
 * A layer wraps the table of one open device. Its ops call the table below through device->next[layer]; objects pass
 * through unwrapped, with the layer's state in their word[layer].
 */
struct hrb_layer {
    uint32_t size;  /* sizeof(struct hrb_layer) */
    uint32_t abi;   /* HRB_ABI */
    uint32_t index; /* HRB_LAYER_... */
    const char *name;
    const char *summary;
    /* spec: what followed "name:", "" for nothing. `below` has been put in device->next[index]. *ops: the table to
     * use, which keeps NULL where `below` is NULL. HR_INVALID with the part of spec that is wrong and what is known. */
    hr_status (*attach)(struct hrb_device *device, const struct hrb_ops *below, const char *spec,
                        const struct hrb_ops **ops);
    void (*detach)(struct hrb_device *device);
};

/*
 * What the core offers to a backend's own public header (backends/opencl/native.c). Each checks that the object belongs
 * to a backend whose table is `ops` (before layers): HR_INVALID.
 */
hr_status hrb_open_native(const struct hrb_backend *backend, const struct hrb_native *native,
                          const hr_device_options *options, hr_device **device);
hr_status hrb_queue_from_native(hr_device *device, const struct hrb_ops *ops, void *native, hr_queue **queue);
hr_status hrb_device_native(hr_device *device, const struct hrb_ops *ops, struct hrb_native *native);
hr_status hrb_queue_native(hr_queue *queue, const struct hrb_ops *ops, void **native); /* marks it as used natively */
hr_status hrb_buffer_native(hr_buffer *buffer, const struct hrb_ops *ops, void **native, uint64_t *offset);

#endif
