/* What the files of the OpenCL backend share: its objects, and the few functions that cross files. */
#ifndef HRB_OPENCL_INTERNAL_H
#define HRB_OPENCL_INTERNAL_H

#include "opencl/profile.h"

#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* clCreateCommandQueue: the one that every driver has */
#include <CL/cl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

/* One device as the ICD loader lists it. */
struct hri_cl_listed {
    cl_platform_id platform;
    cl_device_id device;
    uint32_t platform_index;
    uint32_t device_index;
};

struct hrb_instance {
    const struct hrb_services *services;
    const struct hrb_backend *backend;
    const struct hri_cl_profile *profile;
    uint32_t n;
    struct hri_cl_listed *listed; /* GPUs first, otherwise in the loader's order */
};

/* What describing a device finds out; kept by open devices. */
struct hri_cl_traits {
    hr_device_info info;
    bool wait_sleeps;   /* clWaitForEvents gives the processor away */
    bool device_timing; /* queues can be made with profiling */
};

struct hri_cl_device {
    struct hrb_device head;
    cl_context context;
    cl_device_id device;
    cl_command_queue maps; /* for maps that no queue of the program's orders */
    struct hri_cl_traits traits;
    pthread_mutex_t lock;
    pthread_mutex_t *turn; /* the lock where commands run inside the submitting call, else NULL: hri_cl_enter() */
    pthread_mutex_t parts; /* sub-buffers: NVIDIA's driver (580) crashes when threads make, use and drop them at once */
    atomic_size_t pinned_slack; /* bytes to add so that pinned memory can begin at a page */
};

struct hri_cl_buffer {
    struct hrb_buffer head;
    cl_mem mem;      /* views: a sub-buffer */
    cl_mem root;     /* what `mem` is a part of (borrowed), or mem */
    uint64_t origin; /* of mem in root */
    void *svm;       /* shared device memory: what root wraps; owned */
    void *mapped;    /* pinned memory: what the map gave */
};

enum { HRI_CL_MOST_OWED = 8, HRI_CL_FEW_WAITS = 8 };

struct hri_cl_queue {
    struct hrb_queue head;
    cl_command_queue native;
    pthread_mutex_t lock; /* from a command's submission until it is the last one; before it: hri_cl_enter() */
    cl_event last;        /* of the last command, NULL before the first */
    bool foreign;         /* holds commands of the program's own, so that `last` may not be the last */
    cl_uint n_owed;
    cl_event owed[HRI_CL_MOST_OWED]; /* events that the next command waits for; none on a foreign queue */
};

struct hri_cl_event {
    struct hrb_event head;
    cl_event native; /* NULL: nothing had been submitted, so it is done */
};

struct hri_cl_program {
    struct hrb_program head;
    cl_program native;
};

/* One cl_kernel of a pool: whoever holds it may set its arguments. */
struct hri_cl_clone {
    struct hri_cl_clone *next;
    cl_kernel native;
    cl_mem parts[]; /* a place an argument: the sub-buffer made for one launch */
};

struct hri_cl_param {
    bool known; /* the driver told the signature */
    cl_kernel_arg_address_qualifier space;
    size_t bytes; /* scalars of a basic type, else 0 */
    char type[32];
};

struct hri_cl_kernel {
    struct hrb_kernel head;
    char *name;
    uint32_t n_params;
    struct hri_cl_param *params;
    pthread_mutex_t lock; /* guards idle */
    struct hri_cl_clone *idle;
};

/*
 * Around every call that may submit, run or look at work. Where commands run inside the calls (PoCL's `basic` device)
 * one thread at a time goes in: there, PoCL 3.1 takes the locks of two queues in either order, one while it enqueues
 * behind another queue's event, the other while it runs what waits for an event. Elsewhere nothing is locked.
 */
static inline void hri_cl_enter(const struct hri_cl_device *device)
{
    if (device->turn)
        pthread_mutex_lock(device->turn);
}

static inline void hri_cl_leave(const struct hri_cl_device *device)
{
    if (device->turn)
        pthread_mutex_unlock(device->turn);
}

/* Around a command's submission, so that the queue's last event is its last command's. */
static inline void hri_cl_queue_enter(struct hri_cl_queue *queue)
{
    hri_cl_enter((const struct hri_cl_device *)queue->head.device);
    pthread_mutex_lock(&queue->lock);
}

static inline void hri_cl_queue_leave(struct hri_cl_queue *queue)
{
    pthread_mutex_unlock(&queue->lock);
    hri_cl_leave((const struct hri_cl_device *)queue->head.device);
}

/* The heads are first members, so these are the same address. */
static inline struct hri_cl_device *hri_cl_device(struct hrb_device *device)
{
    return (struct hri_cl_device *)device;
}

static inline struct hri_cl_buffer *hri_cl_buffer(struct hrb_buffer *buffer)
{
    return (struct hri_cl_buffer *)buffer;
}

static inline struct hri_cl_queue *hri_cl_queue(struct hrb_queue *queue)
{
    return (struct hri_cl_queue *)queue;
}

static inline struct hri_cl_event *hri_cl_event(struct hrb_event *event)
{
    return (struct hri_cl_event *)event;
}

/* -- error.c -- */

/* Where a code came from decides what it means. */
enum hri_cl_phase {
    HRI_CL_CALL,         /* a call that sets something up or submits */
    HRI_CL_ALLOC_DEVICE, /* device memory was asked for */
    HRI_CL_ALLOC_PINNED, /* host memory for the device was asked for */
    HRI_CL_WORK          /* the work itself failed, or a wait for it */
};

/* Describes an OpenCL failure: the text, then the code's name. Returns the status that it means. */
hr_status hri_cl_fail(const struct hrb_services *services, enum hri_cl_phase phase, cl_int code, const char *format,
                      ...) __attribute__((format(printf, 4, 5)));
const char *hri_cl_code_name(cl_int code);

/* -- probe.c, describe.c, device.c -- */
hr_status hri_cl_probe(const struct hrb_backend *self, const struct hrb_services *services,
                       struct hrb_instance **instance);
uint32_t hri_cl_device_count(struct hrb_instance *instance);
hr_status hri_cl_device_describe(struct hrb_instance *instance, uint32_t index, hr_device_info *info);
/* listed: NULL for a device of the program's own that no platform lists (a sub-device). */
void hri_cl_describe(struct hrb_instance *instance, cl_device_id device, const struct hri_cl_listed *listed,
                     struct hri_cl_traits *traits);
/* Platform texts; "?" when the driver does not tell. */
void hri_cl_platform_text(cl_platform_id platform, cl_platform_info what, char *out, size_t bytes);
hr_status hri_cl_device_open(struct hrb_instance *instance, uint32_t index, const struct hrb_native *native,
                             struct hrb_device **device);
void hri_cl_device_close(struct hrb_device *device);
hr_status hri_cl_device_info(struct hrb_device *device, hr_device_info *info);
hr_status hri_cl_device_native(struct hrb_device *device, struct hrb_native *native);

/* -- buffer.c, pinned.c, access.c -- */
struct hri_cl_buffer *hri_cl_buffer_new(struct hri_cl_device *device, uint32_t kind, uint64_t bytes);
hr_status hri_cl_pinned_create(struct hri_cl_device *device, uint64_t bytes, struct hri_cl_buffer *buffer);
void hri_cl_pinned_destroy(struct hri_cl_device *device, struct hri_cl_buffer *buffer);
hr_status hri_cl_buffer_create(struct hrb_device *device, uint32_t kind, uint64_t bytes, struct hrb_buffer **buffer);
hr_status hri_cl_buffer_import(struct hrb_device *device, void *pointer, uint64_t bytes, struct hrb_buffer **buffer);
hr_status hri_cl_buffer_view(struct hrb_buffer *parent, uint64_t offset, uint64_t bytes, struct hrb_buffer **view);
void hri_cl_buffer_destroy(struct hrb_buffer *buffer);
hr_status hri_cl_buffer_native(struct hrb_buffer *buffer, void **native, uint64_t *offset);
hr_status hri_cl_buffer_acquire(struct hrb_buffer *buffer, struct hrb_queue *queue, uint32_t mode, void **ptr);
hr_status hri_cl_buffer_release(struct hrb_buffer *buffer, struct hrb_queue *queue, void *ptr);
/* A sub-buffer of what `buffer` is made of; sub-buffers of sub-buffers do not exist, so it is cut from the root. */
cl_mem hri_cl_buffer_part(const struct hri_cl_buffer *buffer, uint64_t offset, uint64_t bytes, cl_int *code);

/* -- queue.c -- */
hr_status hri_cl_queue_create(struct hrb_device *device, uint32_t role, uint32_t flags, void *native,
                              struct hrb_queue **queue);
void hri_cl_queue_destroy(struct hrb_queue *queue);
hr_status hri_cl_queue_finish(struct hrb_queue *queue);
hr_status hri_cl_queue_wait(struct hrb_queue *queue, struct hrb_event *event);
hr_status hri_cl_queue_native(struct hrb_queue *queue, void **native);
/* Takes the event of a command as the queue's last. Between enter and leave. */
void hri_cl_queue_last(struct hri_cl_queue *queue, cl_event native);
/* Forgets the first n events that are owed: a command waits for them. Between enter and leave. */
void hri_cl_queue_paid(struct hri_cl_queue *queue, cl_uint n);
/* Submits the waits that are owed as a barrier, for what takes no wait list. Between enter and leave. */
cl_int hri_cl_queue_settle(struct hri_cl_queue *queue);

/* -- event.c, wait.c -- */
struct hri_cl_event *hri_cl_event_new(struct hrb_queue *queue); /* NULL is described */
hr_status hri_cl_event_record(struct hrb_queue *queue, uint32_t flags, struct hrb_event **event);
hr_status hri_cl_event_wait(struct hrb_event *event, uint64_t timeout_ns);
hr_status hri_cl_event_query(struct hrb_event *event, uint32_t *done);
hr_status hri_cl_event_times(struct hrb_event *event, uint64_t *start_ns, uint64_t *end_ns);
void hri_cl_event_destroy(struct hrb_event *event);
/* HR_OK after a synchronisation point, HR_TIMEOUT in silence, or the work's failure. */
hr_status hri_cl_wait(const struct hri_cl_device *device, cl_event event, uint64_t timeout_ns);

/* -- submit.c -- */

/* One submission: what it waits for and the event that it may give, made before the driver is asked. */
struct hri_cl_submission {
    struct hri_cl_queue *queue;
    struct hri_cl_event *event; /* NULL: none asked for */
    cl_event native;            /* what the driver gives */
    struct hrb_event **out;
    cl_uint n_waits;
    cl_uint n_owed;  /* of them: the queue's */
    cl_event *waits; /* NULL when none, as the driver wants it */
    cl_event *list;  /* few, or allocated */
    cl_event few[HRI_CL_FEW_WAITS + HRI_CL_MOST_OWED];
};

/* After HR_OK the thread is in (hri_cl_enter) and has the queue's lock until _end or _cancel. */
hr_status hri_cl_submit_begin(struct hrb_queue *queue, const struct hrb_sync *sync, struct hri_cl_submission *sub);
/* Where the driver puts its event, NULL when there is no use for one. */
cl_event *hri_cl_submit_event(struct hri_cl_submission *sub);
/* code: what the driver answered. Flushes, hands the event out; or describes the failure of `what` and undoes. */
hr_status hri_cl_submit_end(struct hri_cl_submission *sub, cl_int code, const char *what);
/* Undoes a begin whose work was never given to the driver. */
void hri_cl_submit_cancel(struct hri_cl_submission *sub);

/* -- copy.c, rect.c -- */
hr_status hri_cl_copy(struct hrb_queue *queue, const struct hrb_place *dst, const struct hrb_place *src, uint64_t bytes,
                      const struct hrb_sync *sync);
hr_status hri_cl_copy_rect(struct hrb_queue *queue, const struct hrb_place *dst, const struct hrb_place *src,
                           uint64_t width, uint64_t rows, uint64_t slices, const struct hrb_sync *sync);
hr_status hri_cl_fill(struct hrb_queue *queue, struct hrb_buffer *buffer, uint64_t offset, uint64_t bytes,
                      const void *pattern, uint32_t pattern_bytes, const struct hrb_sync *sync);

/* -- program.c, image.c, kernel.c, params.c, launch.c -- */
hr_status hri_cl_program_create(struct hrb_device *device, const char *source, const char *options,
                                struct hrb_program **program);
bool hri_cl_image_is_whole(const void *image, uint64_t bytes);
hr_status hri_cl_program_load(struct hrb_device *device, const void *image, uint64_t bytes,
                              struct hrb_program **program);
void hri_cl_program_destroy(struct hrb_program *program);
hr_status hri_cl_kernel_create(struct hrb_program *program, const char *name, struct hrb_kernel **kernel);
void hri_cl_kernel_destroy(struct hrb_kernel *kernel);
/* Fills the parameters of a kernel from what the driver tells of its signature. */
void hri_cl_params(cl_kernel native, uint32_t n, struct hri_cl_param *params);
/* Lends a cl_kernel to one launch; _give takes it back. */
hr_status hri_cl_clone_take(struct hri_cl_kernel *kernel, struct hri_cl_clone **clone);
void hri_cl_clone_give(struct hri_cl_kernel *kernel, struct hri_cl_clone *clone);
hr_status hri_cl_kernel_check(struct hrb_kernel *kernel, const hr_grid *grid, const struct hrb_arg *args,
                              uint32_t n_args);
hr_status hri_cl_kernel_launch(struct hrb_queue *queue, struct hrb_kernel *kernel, const hr_grid *grid,
                               const struct hrb_arg *args, uint32_t n_args, const struct hrb_sync *sync);

#endif
