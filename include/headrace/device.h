/* Finding and opening devices. */
#ifndef HEADRACE_DEVICE_H
#define HEADRACE_DEVICE_H

#include <headrace/status.h>

HR_BEGIN_DECLS

typedef struct hr_device hr_device;
typedef struct hr_queue hr_queue;

/** What a device is (hr_device_info.kind). */
enum { HR_DEVICE_OTHER = 0, HR_DEVICE_CPU = 1, HR_DEVICE_GPU = 2, HR_DEVICE_ACCELERATOR = 3 };

/** What a device can do (hr_device_info.abilities, or-ed). */
enum {
    HR_ABILITY_SHARED_MEMORY = 1u << 0, /* device buffers are host memory: no copy is needed, only a gather */
    HR_ABILITY_ASYNC_KERNELS = 1u << 1, /* a kernel runs while the submitting thread goes on */
    HR_ABILITY_COPY_OVERLAP = 1u << 2,  /* a copy on one queue completes while a kernel runs on another */
    HR_ABILITY_TIMING = 1u << 3,        /* device timestamps for queues and events that ask for them */
    HR_ABILITY_IMPORT = 1u << 4         /* memory of the program's own can be registered */
};

/** What the queues of a device are for. */
enum { HR_QUEUE_COMPUTE = 0, HR_QUEUE_COPY_IN = 1, HR_QUEUE_COPY_OUT = 2 };

/** Filled by hr_device_describe() and hr_device_get_info(). Texts end in NUL and are cut to fit. */
typedef struct hr_device_info {
    uint32_t size;                /* in: sizeof(hr_device_info) */
    uint32_t kind;                /* HR_DEVICE_... */
    uint32_t usable;              /* 1, or 0 with the reason in `reason` */
    uint32_t abilities;           /* HR_ABILITY_... */
    char selector[32];            /* text that opens exactly this device: "opencl:0:1" */
    char backend[16];             /* "opencl" */
    char name[128];               /* the device's own name */
    char platform[128];           /* the platform that offers it */
    char driver[128];             /* driver and interface version */
    char reason[256];             /* why it cannot be used; empty when usable */
    uint64_t memory_bytes;        /* device memory as the driver states it */
    uint64_t max_buffer_bytes;    /* largest single buffer */
    uint64_t budget_bytes;        /* open devices: this library's device-memory budget; else 0 */
    uint64_t pinned_budget_bytes; /* open devices: the pinned-memory budget; else 0 */
    uint32_t alignment;           /* bytes to which a sub-buffer's offset must be aligned */
    uint32_t compute_units;
    uint32_t max_group_size; /* work items in one work group */
    uint32_t reserved;
} hr_device_info;

/** For hr_device_open(). A zero means the default. */
typedef struct hr_device_options {
    uint32_t size;                /* sizeof(hr_device_options) */
    uint32_t flags;               /* 0 */
    uint64_t device_memory_bytes; /* budget; 0: HEADRACE_DEVICE_MEMORY, else 9/10 of the device's memory
                                     (1/2 where it is the host's) */
    uint64_t pinned_memory_bytes; /* budget; 0: HEADRACE_PINNED_MEMORY, else 1/4 of the host's memory */
    const char *layers;           /* "fault:op=copy,n=3,status=lost"; NULL: HEADRACE_LAYERS */
} hr_device_options;

/**
 * Counts every device of every backend in the library; a backend without a usable device counts as one
 * entry that says why.
 *
 * Returns HR_OK; HR_INVALID when `count` is NULL; HR_FORKED as hr_device_open().
 * Threads: any. Since 0.1.
 */
HR_API hr_status hr_device_count(uint32_t *count);

/**
 * Describes entry `index` (0 <= index < hr_device_count()) without opening it.
 *
 * Returns HR_OK; HR_RANGE; HR_INVALID for NULL or a wrong size; HR_FORKED as hr_device_open().
 * Threads: any. Pointers: none kept. Since 0.1.
 */
HR_API hr_status hr_device_describe(uint32_t index, hr_device_info *info);

/**
 * Opens a device.
 *
 * selector  "BACKEND", "BACKEND:INDEX", "BACKEND:TEXT" (a part of the platform's or the device's name, any case;
 *           a GPU before others) or "BACKEND:PLATFORM:DEVICE" (two indices), with BACKEND from `headrace info`. NULL or
 * "": HEADRACE_BACKEND, with HEADRACE_DEVICE after the colon; HEADRACE_BACKEND unset: the first usable (that
 *           HEADRACE_DEVICE names) of cuda, an OpenCL GPU or accelerator, pocl, any other OpenCL device.
 * options   NULL for the defaults.
 *
 * Returns HR_OK; HR_NOT_FOUND (unknown backend or device: the message has the nearest name and the list);
 * HR_UNAVAILABLE (known, but unusable here: the message says why); HR_FORKED (this process's parent looked for devices
 * before it forked); HR_INVALID; HR_NO_MEMORY.
 * Threads: any. The device lives until hr_device_close() and until the last object made from it is closed. Since 0.1.
 */
HR_API hr_status hr_device_open(const char *selector, const hr_device_options *options, hr_device **device);

/**
 * Describes an open device.
 *
 * Returns HR_OK; HR_INVALID. Threads: any. Since 0.1.
 */
HR_API hr_status hr_device_get_info(hr_device *device, hr_device_info *info);

/**
 * The device's own queue of a role (HR_QUEUE_...). Loaders use these unless told otherwise.
 *
 * Returns HR_OK; HR_INVALID for an unknown role.
 * Threads: any. Pointers: the queue belongs to the device; it is never closed by the program. Since 0.1.
 */
HR_API hr_status hr_device_get_queue(hr_device *device, uint32_t role, hr_queue **queue);

/**
 * Gives up the program's hold on a device and nulls the handle; NULL and a pointer to NULL are fine. Objects made from
 * the device keep it alive until they are closed. The last holder waits for work in flight.
 *
 * Threads: any, once. Since 0.1.
 */
HR_API void hr_device_close(hr_device **device);

HR_END_DECLS

#endif
