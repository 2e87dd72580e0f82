/* What the files of the simulated CUDA driver share; tests/README.md says what it is. */
#ifndef FAKE_CUDA_FAKE_H
#define FAKE_CUDA_FAKE_H

#include "cuda/driver.h"
#include "kernel/image.h"
#include "sync.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define FAKE_API __attribute__((visibility("default")))

enum { FAKE_MAX_DEVICES = 8, FAKE_MAX_DEPTH = 32, FAKE_MAJOR = 9, FAKE_MINOR = 0 };

/* A number for every function of the list. */
enum fake_call {
#define FAKE_CALL(name, version, symbol, parameters) FAKE_##name,
    HRI_CU_SYMBOLS(FAKE_CALL) HRI_CU_OPTIONAL_SYMBOLS(FAKE_CALL)
#undef FAKE_CALL
        FAKE_CALLS
};

/* Every function is exported under its own name, as a real driver does. */
#define FAKE_DECLARE(name, version, symbol, parameters) FAKE_API hri_cu_result symbol parameters;
HRI_CU_SYMBOLS(FAKE_DECLARE)
HRI_CU_OPTIONAL_SYMBOLS(FAKE_DECLARE)
#undef FAKE_DECLARE

/* -- settings.c: the environment, read once -- */
struct fake_settings {
    int devices;
    int version;
    size_t memory;       /* bytes of a device */
    unsigned late_us;    /* before each piece of work */
    bool stub;           /* the toolkit's library in place of a driver */
    const char *missing; /* a symbol that is not there, or "" */
    int report;          /* 1: tell at exit what is left; 2: and exit with FAKE_LEFT_BEHIND */
};
enum { FAKE_LEFT_BEHIND = 86 };
const struct fake_settings *fake_settings(void);

/* -- inject.c -- */
/* Counts the call; the code that it was told to fail with, else 0. */
hri_cu_result fake_count(enum fake_call call);
/* The same for a piece of work that a stream is about to do. */
hri_cu_result fake_count_work(void);
const char *fake_call_name(enum fake_call call);
void fake_die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* What is alive, by kind. */
enum fake_kind {
    FAKE_CONTEXT,
    FAKE_STREAM,
    FAKE_EVENT,
    FAKE_MODULE,
    FAKE_BUFFER,
    FAKE_PINNED,
    FAKE_REGISTERED,
    FAKE_PUSHED, /* contexts on the threads' stacks */
    FAKE_KINDS
};
void fake_alive(enum fake_kind kind, int by);

/* -- context.c -- */
struct CUctx_st {
    uint32_t magic;
    hri_cu_dev device;
    unsigned refs;
    atomic_int sticky;           /* the first failure of its work: every later call answers it */
    struct fake_object *objects; /* under fake_objects_lock */
    hri_cu_stream legacy;        /* its default stream, made on first use; stream.c */
};

/* Counts the call and checks what every call needs: a driver, initialised, in this process. */
hri_cu_result fake_begin(enum fake_call call);
/* The same and a current context without a sticky failure. */
hri_cu_result fake_enter(enum fake_call call, hri_cu_context *context);
/* The same for what is undone: also when the context has failed; the caller then answers that failure. */
hri_cu_result fake_enter_destroy(enum fake_call call, hri_cu_context *context);
void fake_fault(hri_cu_context context, hri_cu_result code);
hri_cu_context fake_context_new(hri_cu_dev device);
void fake_context_end(hri_cu_context context);
hri_cu_context fake_context_current(void);
int fake_context_depth(void);
bool fake_shut_down(void); /* false where the driver was never started: in the child of a fork too */

/* -- capture.c -- */
void fake_capturing(int by); /* streams that are captured */
hri_cu_result fake_capture_check(enum fake_call call);

/* What belongs to a context and ends with it. */
struct fake_object {
    uint32_t magic;
    enum fake_kind kind;
    hri_cu_context context;
    struct fake_object *next, *previous;
};
enum { FAKE_ALIVE = 0x5ca1ab1e, FAKE_DEAD = 0xdead };
extern pthread_mutex_t fake_objects_lock;
void fake_object_add(struct fake_object *object, enum fake_kind kind, hri_cu_context context);
void fake_object_remove(struct fake_object *object); /* the caller frees it */
bool fake_object_is(const struct fake_object *object, enum fake_kind kind);

/* -- memory.c, ranges.c: memory that the device can reach -- */
struct fake_range {
    uintptr_t address;
    size_t bytes;
    enum fake_kind kind; /* FAKE_BUFFER, FAKE_PINNED, FAKE_REGISTERED */
    hri_cu_context context;
    bool mapped, portable, read_only;
};
extern pthread_rwlock_t fake_ranges_lock;
extern atomic_uint fake_ranges_generation; /* raised with every change */
/* With the lock held: the range that has the byte, or NULL; the lowest one that ends above it. */
const struct fake_range *fake_range_at(uintptr_t address);
const struct fake_range *fake_range_above(uintptr_t address);
hri_cu_result fake_range_add(const struct fake_range *range);
/* Takes the range that begins there and is of this kind and context out of the table. */
bool fake_range_take(uintptr_t address, enum fake_kind kind, hri_cu_context context, struct fake_range *taken);

enum fake_access { FAKE_READ, FAKE_WRITE };
/* With the lock held: whether the device may use these bytes. */
bool fake_device_ok(hri_cu_context context, uintptr_t address, size_t bytes, enum fake_access access);
enum fake_host { FAKE_PAGEABLE, FAKE_REACHABLE, FAKE_WRONG };
/* With the lock held: what host memory this is for a copy. */
enum fake_host fake_host_is(hri_cu_context context, uintptr_t address, size_t bytes, enum fake_access access);
void fake_memory_end(hri_cu_context context); /* frees what is left */

/* -- arena.c: device memory. Its addresses can be used only while a kernel runs; copies go by another mapping. -- */
uintptr_t fake_arena_take(hri_cu_dev device, size_t bytes); /* 0: no room */
void fake_arena_give(hri_cu_dev device, uintptr_t address, size_t bytes);
size_t fake_arena_free(hri_cu_dev device);
void fake_arena_open(hri_cu_dev device); /* before a kernel */
void fake_arena_close(hri_cu_dev device);
/* Where the host finds the byte at a device address; other addresses as they are. */
void *fake_arena_bytes(uintptr_t address);

/* -- stream.c: a thread a stream -- */
struct fake_mark;
struct fake_work {
    struct fake_work *next;
    /* In the stream's thread; frees the work. skip: the context has failed, or the stream is given up. */
    void (*run)(struct fake_work *work, bool skip);
    hri_cu_stream stream;
    bool late; /* pause before it */
};
struct CUstream_st {
    struct fake_object object;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct fake_work *first, **last;
    bool busy;            /* its thread is at a piece of work */
    bool held;            /* by a test */
    bool capturing;       /* as a test said */
    bool closing;         /* ends when its work is done */
    atomic_bool given_up; /* its work is left undone */
    atomic_bool ended;
    hri_cu_stream next; /* of all whose threads have not been joined */
};
/* The stream as an argument of a submission in `context`; CU_STREAM_LEGACY becomes the context's default stream, which
 * here is one more that waits for no other: the library's own streams do not wait for it either. */
hri_cu_result fake_stream_check(hri_cu_context context, hri_cu_stream *stream);
void fake_stream_push(hri_cu_stream stream, struct fake_work *work);
/* Waits until all work of the stream submitted so far is done. */
void fake_stream_drain(hri_cu_stream stream);
/* Ends all streams of a context, their work left undone, and waits for that. */
void fake_streams_stop(hri_cu_context context);
void fake_streams_stop_all(void); /* at exit */
extern atomic_bool fake_stopping; /* at exit: kernels and waits give up */

/* -- mark.c: a point in a stream that others wait for -- */
struct fake_mark *fake_mark_new(void); /* one reference */
struct fake_mark *fake_mark_keep(struct fake_mark *mark);
void fake_mark_drop(struct fake_mark *mark);
bool fake_mark_reached(struct fake_mark *mark, uint64_t *when_ns);
/* stream: whose thread waits, NULL for the host. */
void fake_mark_wait(struct fake_mark *mark, hri_cu_stream stream);
/* Puts a work that reaches the mark, or waits for it, into a stream; either keeps the mark. */
void fake_mark_push(hri_cu_stream stream, struct fake_mark *mark);
void fake_mark_push_wait(hri_cu_stream stream, struct fake_mark *mark);

/* -- event.c -- */
/* The mark of its last record, kept for the caller; NULL if there was none. */
hri_cu_result fake_event_mark(hri_cu_context context, hri_cu_event event, struct fake_mark **mark);
void fake_event_end(struct fake_object *object);

/* -- module.c -- */
/* Code that has been loaded, by native.c or ptx.c. */
struct fake_function_code {
    const char *name;
    const struct fake_param *params;
    unsigned n_params;
    bool shared; /* its blocks take turns */
    const void *own;
};
struct fake_code {
    const struct fake_code_ops *ops;
    struct fake_function_code *functions;
    unsigned n_functions;
    uintptr_t base;   /* of the object that has the code, whose variables it may use; 0: it is no host's code */
    atomic_int users; /* the module, and each launch on its way */
    pthread_mutex_t turn;
};
struct fake_code_ops {
    /* One thread of a kernel: 0, or the code of its fault. */
    int (*run)(const struct fake_code *code, const struct fake_function_code *function, const struct fake_place *place,
               void *const *params);
    void (*unload)(struct fake_code *code);
};
void fake_module_end(struct fake_object *object);
void fake_code_drop(struct fake_code *code);
/* The code of a function that belongs to `context`, kept for the caller. */
hri_cu_result fake_function_check(hri_cu_context context, hri_cu_function function, struct fake_code **code,
                                  const struct fake_function_code **found);

/* Where a loader says what is wrong with an image. */
struct fake_log {
    char text[512];
};
hri_cu_result fake_native_load(const void *image, struct fake_log *log, struct fake_code **code);
hri_cu_result fake_ptx_load(const char *text, struct fake_log *log, struct fake_code **code);
/* A version of PTX as text has it, against what the driver's version takes. */
hri_cu_result fake_ptx_version(const char *text, struct fake_log *log);

/* -- block.c: the threads of a block -- */
int fake_block_run(struct fake_code *code, const struct fake_function_code *function, struct fake_place *place,
                   void *const *params, hri_cu_stream stream);
int fake_block_barrier(void);
/* Whose kernel runs in this thread. */
hri_cu_stream fake_block_stream(void);
const struct fake_code *fake_block_code(void);

/* -- access.c: what a kernel may touch -- */
int fake_access(uintptr_t address, size_t bytes, int write, struct fake_window *window);

#endif
