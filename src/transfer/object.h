/* The transfer layer's objects, seen only inside src/transfer and by unit tests. */
#ifndef HRI_OBJECT_H
#define HRI_OBJECT_H

#include "backend.h"
#include "core/message.h"
#include "transfer/landing.h"
#include "transfer/pool.h"
#include "transfer/staging.h"
#include "transfer/transfer.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/types.h>

/* The size that a public struct had when `last` was its last member: what a program must bring at least. */
#define HRI_LEAST(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))

enum { HRI_ROLES = 3 };

/* The library's own kernels: none, being compiled by a thread, or there. */
enum hri_builtin_state { HRI_BUILTIN_NONE, HRI_BUILTIN_BUILDING, HRI_BUILTIN_READY };

struct hr_device {
    atomic_uint refs; /* the program's handle and every object made from the device */
    pid_t pid;        /* the process that opened it; a child's calls are refused */
    unsigned forks;   /* its number in core/forks.h */
    const struct hrb_backend *backend;
    const struct hrb_ops *ops; /* the outermost layer's */
    struct hrb_device *native;
    const struct hrb_layer *layers[HRB_LAYERS]; /* those that are on */
    hr_device_info info;
    struct hri_failure failure;
    struct hri_pool pools[2]; /* by HR_MEMORY_DEVICE and HR_MEMORY_PINNED */
    struct hri_staging staging;
    struct hri_landings landings;

    pthread_mutex_t lock;     /* what follows; innermost: no other lock is taken under it */
    pthread_cond_t built;     /* builtin_state has changed */
    hr_queue *own[HRI_ROLES]; /* made on first use; no reference to the device, which outlives them */
    hr_queue *queues;         /* all that the driver has */
    hr_buffer *hosted;        /* pinned and imported buffers: hosted.c */
    enum hri_builtin_state builtin_state;
    hr_program *builtin;
    hr_kernel *kernels; /* of the builtin program, linked */

    hr_device *next; /* of those that are open: exit.c */
    hr_device *prev;
};

/* A recorded event that covers all submissions up to `number`. Under the queue's lock. */
struct hri_marker {
    struct hrb_event *event;
    uint64_t number;
    uint32_t refs;
    uint32_t failed; /* the work failed: never ask again */
    struct hri_marker *next;
};

struct hr_queue {
    /* Two counts, since memory in the device's caches refers to queues: handles keep the device alive, refs only the
     * queue. An own queue's handles are references to its device. */
    atomic_uint handles;
    atomic_uint refs;
    hr_device *device;
    struct hrb_queue *native;
    uint32_t flags;
    bool own;
    atomic_bool foreign;        /* may hold work that this library has not seen */
    atomic_ullong submitted;    /* raised after each submission */
    atomic_ullong done;         /* all up to this number is known to be done */
    struct hri_failure failure; /* of work on this queue */
    atomic_bool read_lost;      /* with it: landing.c */

    pthread_mutex_t lock; /* the markers */
    struct hri_marker *first;
    struct hri_marker *last; /* ascending numbers */
    struct hri_marker *spare;

    struct hri_chunk *chunk; /* staging that small writes fill; under the staging lock */
    hr_queue *next;          /* device->queues, under the device's lock */
    hr_queue *prev;
};

struct hr_event {
    hr_queue *queue; /* retained */
    struct hrb_event *native;
    struct hri_landing *landing; /* which has `native` too, and destroys it; NULL: none */
    uint64_t number;             /* once done, so is all up to this number */
    bool timed;
    atomic_bool seen; /* to be done, by the host: no driver is asked again */
};

struct hr_buffer {
    atomic_uint refs;  /* the handle and every view */
    hr_device *device; /* retained */
    hr_buffer *root;   /* what this is a view of, retained; NULL */
    uint64_t base;     /* first byte in root */
    uint64_t bytes;    /* as asked for */
    uint32_t kind;
    struct hrb_buffer *native;
    struct hri_block *block; /* the memory and its uses; a view's is its root's */
    atomic_int access;       /* HRI_ACCESS_... */
    void *ptr;               /* while acquired */
    hr_buffer *hosted_next;  /* device->hosted, under the device's lock */
    hr_buffer *hosted_prev;
    hr_queue *giver; /* held: the queue that gave the host access, while it is HRI_ACCESS_DRIVER */
};

enum { HRI_ACCESS_NONE, HRI_ACCESS_CHANGING, HRI_ACCESS_HOST, HRI_ACCESS_DRIVER };

struct hr_program {
    atomic_uint refs; /* the handle and every kernel */
    hr_device *device;
    bool builtin; /* belongs to the device: holds no reference to it */
    struct hrb_program *native;
};

struct hr_kernel {
    hr_program *program; /* retained */
    struct hrb_kernel *native;
    hr_kernel *next; /* device->kernels */
    char name[32];   /* there only */
};

/* -- device.c ------------------------------------------------------------------------------------------------------ */

/* Ends all work and all objects that the device still holds by itself. */
void hri_builtin_close(hr_device *device);

/* -- queue.c ------------------------------------------------------------------------------------------------------- */

hr_status hri_queue_make(hr_device *device, uint32_t role, uint32_t flags, void *native, bool own, hr_queue **queue);
/* A reference to the queue alone, for memory that the device keeps. */
void hri_queue_hold(hr_queue *queue);
void hri_queue_drop(hr_queue *queue);
/* HR_OK, or why nothing can be submitted: fork, a failed device, a failed queue. */
hr_status hri_queue_check(hr_queue *queue);
/* Counts one submission and returns its number. */
uint64_t hri_queue_submitted(hr_queue *queue);
/* Keeps a failure of work in the queue's scope, a lost device in the device's too; returns `status`. */
hr_status hri_queue_fail(hr_queue *queue, hr_status status);
/* Waits for all work; the queue's numbers count as done whatever the driver says. */
hr_status hri_queue_settle(hr_queue *queue);
/* Waits for the last of its work, with the device: what the program has enqueued itself on a closed queue of its own is
 * none of ours. */
void hri_queue_end(hr_queue *queue);

/* -- buffer.c ------------------------------------------------------------------------------------------------------ */

/* access.c: takes back from the host what a buffer that is closed while acquired still gave it. */
void hri_access_end(hr_buffer *buffer);

/* Announces and ends the use of a buffer by a submission to `queue`: begin may fail, end cannot. */
hr_status hri_buffer_use_begin(hr_buffer *buffer, hr_queue *queue);
void hri_buffer_use_end(hr_buffer *buffer, hr_queue *queue, uint64_t number);

/* -- hosted.c ------------------------------------------------------------------------------------------------------ */

void hri_hosted_add(hr_buffer *buffer); /* pinned or imported */
void hri_hosted_remove(hr_buffer *buffer);

/* -- program.c ----------------------------------------------------------------------------------------------------- */

/* What a program is made of: text, an image, or neither: the library's own kernels. */
struct hri_code {
    const char *source;
    const char *options;
    const void *image;
    uint64_t bytes; /* of the image */
};

hr_status hri_program_make(hr_device *device, const struct hri_code *code, hr_program **program);
hr_status hri_kernel_make(hr_program *program, const char *name, hr_kernel **kernel);

#endif
