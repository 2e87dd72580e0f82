/* What the files of the CUDA backend share: its objects, and the few functions that cross files. */
#ifndef HRB_CUDA_INTERNAL_H
#define HRB_CUDA_INTERNAL_H

#include "backend.h"
#include "cuda/driver.h"
#include "cuda/shape.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct hrb_instance {
    const struct hrb_services *services;
    const struct hrb_backend *backend;
    struct hri_cu cu;
    int driver_version; /* 13000 for 13.0 */
    uint32_t n;
    _Atomic(struct hri_nvrtc *) nvrtc; /* NULL until a program's text is compiled; never given back */
};

/* clock.c: what the times of events are counted from. */
struct hri_cu_clock {
    hri_cu_stream stream;  /* always idle, so that an event on it is reached at once */
    hri_cu_event event[2]; /* one is the origin; the next one will be the other */
    unsigned origin;       /* which */
    uint64_t origin_ns;    /* when it was reached, on the clock of services->now_ns */
    uint64_t struck_ns;    /* when the last one was recorded, on the same */
    bool moving;           /* the next one has been recorded */
};

struct hri_cu_device {
    struct hrb_device head;
    const struct hri_cu *cu;
    struct hrb_instance *instance;
    hri_cu_dev device;
    hri_cu_context context;
    bool primary; /* retained from the driver, else the program's own */
    hr_device_info info;
    int major, minor; /* compute capability */

    pthread_mutex_t lock;                 /* what follows; never held over a call that waits for the device */
    struct hri_cu_event_object *spare[2]; /* events to use again, without and with timing */
    uint32_t n_spare[2];
    struct hri_cu_clock clock;
};

struct hri_cu_buffer {
    struct hrb_buffer head;
    hri_cu_pointer pointer;               /* device memory; views: the address in their root */
    void *owned;                          /* pinned: what the driver gave, at or before head.host */
    bool view;                            /* owns nothing */
    bool read_only;                       /* imported: copies only read it */
    uint32_t mode;                        /* of the present acquire */
    void *mirror;                         /* pinned memory that stands for the device's; from the first acquire on */
    struct hri_cu_event_object *released; /* views: behind the last copy from the mirror; NULL: none */
};

struct hri_cu_queue {
    struct hrb_queue head;
    hri_cu_stream stream;
    bool borrowed;      /* the program's own: never destroyed */
    atomic_bool shared; /* the program may use it too, and so may be capturing it */
};

struct hri_cu_event_object {
    struct hrb_event head;
    hri_cu_event done;
    hri_cu_event start;               /* with HR_TIMING, else NULL */
    struct hri_cu_event_object *next; /* while it is spare */
};

struct hri_cu_program {
    struct hrb_program head;
    hri_cu_module module;
    char *source; /* the text that it was compiled from, NULL for an image */
    char *ptx;    /* PTX text of it, NULL where there is none */
    bool builtin; /* the library's own kernels, which check their range */
};

struct hri_cu_kernel {
    struct hrb_kernel head;
    hri_cu_function function;
    char *name;
    uint32_t n_params;
    struct hri_cu_param *params; /* signature.h */
    struct hri_cu_limits limits; /* as the device and the kernel's registers have them */
};

/* The heads are first members, so these are the same address. */
static inline struct hri_cu_device *hri_cu_device(struct hrb_device *device)
{
    return (struct hri_cu_device *)device;
}

static inline struct hri_cu_buffer *hri_cu_buffer(struct hrb_buffer *buffer)
{
    return (struct hri_cu_buffer *)buffer;
}

static inline struct hri_cu_queue *hri_cu_queue(struct hrb_queue *queue)
{
    return (struct hri_cu_queue *)queue;
}

static inline struct hri_cu_event_object *hri_cu_event_object(struct hrb_event *event)
{
    return (struct hri_cu_event_object *)event;
}

/* -- error.c -- */

/* Where a code came from decides what it means. */
enum hri_cu_phase {
    HRI_CU_CALL,         /* a call that sets something up or submits */
    HRI_CU_ALLOC_DEVICE, /* device memory was asked for */
    HRI_CU_ALLOC_PINNED, /* host memory for the device was asked for */
    HRI_CU_WORK          /* the work itself failed, or a wait for it */
};

/* Describes a failure: the text, then the code's name and the driver's words. Returns the status that it means. */
hr_status hri_cu_fail(const struct hri_cu_device *device, enum hri_cu_phase phase, hri_cu_result code,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));

/* -- load.c -- */
/* Opens libcuda.so.1 and fills every symbol; HR_UNAVAILABLE says what is missing. The library stays open. */
hr_status hri_cu_load(const struct hrb_services *services, struct hri_cu *cu);

/* -- context.c: around driver calls, so that the caller's current context stays what it was -- */
hr_status hri_cu_enter(const struct hri_cu_device *device);    /* describes its failure */
bool hri_cu_enter_quietly(const struct hri_cu_device *device); /* for what undoes and destroys */
void hri_cu_leave(const struct hri_cu_device *device);
/* The same for calls that do nothing but put work into streams, which is every batch's way: the capture mode stays. */
hr_status hri_cu_enter_stream(const struct hri_cu_device *device);
void hri_cu_leave_stream(const struct hri_cu_device *device);

/* -- probe.c, describe.c, device.c -- */
int hri_cu_attribute(const struct hri_cu *cu, hri_cu_dev device, int attribute); /* 0 when the driver does not tell */
void hri_cu_describe(const struct hrb_instance *instance, uint32_t index, hri_cu_dev device, hr_device_info *info);
hr_status hri_cu_probe(const struct hrb_backend *self, const struct hrb_services *services,
                       struct hrb_instance **instance);
uint32_t hri_cu_device_count(struct hrb_instance *instance);
hr_status hri_cu_device_describe(struct hrb_instance *instance, uint32_t index, hr_device_info *info);
hr_status hri_cu_device_open(struct hrb_instance *instance, uint32_t index, const struct hrb_native *native,
                             struct hrb_device **device);
void hri_cu_device_close(struct hrb_device *device);
hr_status hri_cu_device_info(struct hrb_device *device, hr_device_info *info);
hr_status hri_cu_device_native(struct hrb_device *device, struct hrb_native *native);

/* -- buffer.c, import.c, access.c -- */
/* Registered memory is registered in chunks, and no driver call may cross from one to the next: the bytes from `at` on
 * (an address of the host) that one call may take. */
uint64_t hri_cu_chunk_left(uintptr_t at);
struct hri_cu_buffer *hri_cu_buffer_new(struct hri_cu_device *device, uint32_t kind, uint64_t bytes);
void hri_cu_import_end(const struct hri_cu_buffer *buffer); /* unregisters; inside the context */
void hri_cu_mirror_end(const struct hri_cu_buffer *buffer); /* inside the context; views: WAITS for its last copy */
hr_status hri_cu_buffer_create(struct hrb_device *device, uint32_t kind, uint64_t bytes, struct hrb_buffer **buffer);
hr_status hri_cu_buffer_import(struct hrb_device *device, void *pointer, uint64_t bytes, struct hrb_buffer **buffer);
hr_status hri_cu_buffer_view(struct hrb_buffer *parent, uint64_t offset, uint64_t bytes, struct hrb_buffer **view);
void hri_cu_buffer_destroy(struct hrb_buffer *buffer);
hr_status hri_cu_buffer_native(struct hrb_buffer *buffer, void **native, uint64_t *offset);
hr_status hri_cu_buffer_acquire(struct hrb_buffer *buffer, struct hrb_queue *queue, uint32_t mode, void **ptr);
hr_status hri_cu_buffer_release(struct hrb_buffer *buffer, struct hrb_queue *queue, void *ptr);

/* -- queue.c -- */
hr_status hri_cu_queue_create(struct hrb_device *device, uint32_t role, uint32_t flags, void *native,
                              struct hrb_queue **queue);
/* HR_UNSUPPORTED while the program captures its stream into a graph. Inside the context. */
hr_status hri_cu_queue_check(const struct hri_cu_queue *queue);
void hri_cu_queue_destroy(struct hrb_queue *queue);
hr_status hri_cu_queue_finish(struct hrb_queue *queue);
hr_status hri_cu_queue_wait(struct hrb_queue *queue, struct hrb_event *event);
hr_status hri_cu_queue_native(struct hrb_queue *queue, void **native);

/* -- event.c, clock.c, wait.c -- */
/* A spare event object, or a new one. Inside the context. */
hr_status hri_cu_event_take(struct hrb_queue *queue, bool timed, struct hri_cu_event_object **event);
void hri_cu_event_give(struct hri_cu_device *device, struct hri_cu_event_object *event);
/* Records it behind what the stream has. */
hri_cu_result hri_cu_event_mark(const struct hri_cu_event_object *event, hri_cu_stream stream);
hr_status hri_cu_event_record(struct hrb_queue *queue, uint32_t flags, struct hrb_event **event);
hr_status hri_cu_event_wait(struct hrb_event *event, uint64_t timeout_ns);
hr_status hri_cu_event_query(struct hrb_event *event, uint32_t *done);
/* Where no event is to be had: WAITS until nothing is left in the stream, or the driver says that it is broken. */
void hri_cu_stream_wait(const struct hri_cu_queue *queue);
hr_status hri_cu_event_times(struct hrb_event *event, uint64_t *start_ns, uint64_t *end_ns);
void hri_cu_event_destroy(struct hrb_event *event);
/* Until the event is done or has failed. Inside the context. WAITS. */
void hri_cu_wait_quietly(const struct hri_cu_device *device, hri_cu_event event);
/* The spare ones. */
void hri_cu_events_close(struct hri_cu_device *device);
/* Inside the context. start WAITS for a stream of its own. */
hri_cu_result hri_cu_clock_start(struct hri_cu_device *device);
void hri_cu_clock_end(struct hri_cu_device *device);
/* An event with times is about to be recorded: the origin moves on if it lies far back. */
void hri_cu_clock_tick(struct hri_cu_device *device);
/* When the events of a timed one were reached, on the clock of services->now_ns. */
hri_cu_result hri_cu_clock_read(struct hri_cu_device *device, const struct hri_cu_event_object *event,
                                uint64_t *start_ns, uint64_t *end_ns);

/* -- submit.c: what every submission does around its driver call -- */
struct hri_cu_submission {
    struct hri_cu_queue *queue;
    struct hri_cu_event_object *event; /* NULL: none asked for */
    struct hrb_event **out;
};

/* Makes the event, enters the context, has the stream wait for sync's events. After HR_OK: _end or _cancel. */
hr_status hri_cu_submit_begin(struct hrb_queue *queue, const struct hrb_sync *sync, struct hri_cu_submission *sub);
/* code: what the driver answered. Records the event and hands it out, or describes the failure of `what` and undoes;
 * leaves the context. */
hr_status hri_cu_submit_end(struct hri_cu_submission *sub, hri_cu_result code, const char *what);
/* Undoes a begin whose work was never given to the driver; `status` has been described and is returned. */
hr_status hri_cu_submit_cancel(struct hri_cu_submission *sub, hr_status status);

/* -- copy.c, rect.c, fill.c -- */
/* Enqueues a plain copy, in as many calls as its registered memory has chunks. Inside the context. */
hri_cu_result hri_cu_copy_bytes(const struct hri_cu *cu, hri_cu_stream stream, const struct hrb_place *dst,
                                const struct hrb_place *src, uint64_t bytes);
/* HR_INVALID when the host's side is memory that can only be read. */
hr_status hri_cu_check_target(const struct hrb_place *dst);
hr_status hri_cu_copy(struct hrb_queue *queue, const struct hrb_place *dst, const struct hrb_place *src, uint64_t bytes,
                      const struct hrb_sync *sync);
hr_status hri_cu_copy_rect(struct hrb_queue *queue, const struct hrb_place *dst, const struct hrb_place *src,
                           uint64_t width, uint64_t rows, uint64_t slices, const struct hrb_sync *sync);
hr_status hri_cu_fill(struct hrb_queue *queue, struct hrb_buffer *buffer, uint64_t offset, uint64_t bytes,
                      const void *pattern, uint32_t pattern_bytes, const struct hrb_sync *sync);

/* -- program.c, image.c, kernel.c, launch.c -- */
hr_status hri_cu_program_create(struct hrb_device *device, const char *source, const char *options,
                                struct hrb_program **program);
hr_status hri_cu_program_builtin(struct hrb_device *device, struct hrb_program **program);
hr_status hri_cu_program_load(struct hrb_device *device, const void *image, uint64_t bytes,
                              struct hrb_program **program);
void hri_cu_program_destroy(struct hrb_program *program);
hr_status hri_cu_kernel_create(struct hrb_program *program, const char *name, struct hrb_kernel **kernel);
void hri_cu_kernel_destroy(struct hrb_kernel *kernel);
hr_status hri_cu_kernel_launch(struct hrb_queue *queue, struct hrb_kernel *kernel, const hr_grid *grid,
                               const struct hrb_arg *args, uint32_t n_args, const struct hrb_sync *sync);
hr_status hri_cu_kernel_check(struct hrb_kernel *kernel, const hr_grid *grid, const struct hrb_arg *args,
                              uint32_t n_args);

/* table.c */
extern const struct hrb_ops hri_cu_ops;

#endif
