/* Kernels, deliberately small: build from source, typed arguments, launch. */
#ifndef HEADRACE_KERNEL_H
#define HEADRACE_KERNEL_H

#include <headrace/queue.h>

HR_BEGIN_DECLS

typedef struct hr_program hr_program;
typedef struct hr_kernel hr_kernel;

/** What a kernel argument is (hr_arg.kind). */
enum { HR_ARG_IS_BUFFER = 0, HR_ARG_IS_BYTES = 1 };

/** One kernel argument; HR_ARG_BUFFER() and HR_ARG_BYTES() fill it. */
typedef struct hr_arg {
    uint32_t size; /* sizeof(hr_arg) */
    uint32_t kind; /* HR_ARG_IS_BUFFER or HR_ARG_IS_BYTES */
    hr_buffer *buffer;
    uint64_t offset;  /* where the kernel's pointer begins, bytes; a multiple of hr_device_info.alignment */
    const void *data; /* a scalar's bytes, copied by the launch */
    uint64_t bytes;
} hr_arg;

#define HR_ARG_BUFFER(buf, off)                                                                                        \
    {                                                                                                                  \
        sizeof(hr_arg), HR_ARG_IS_BUFFER, (buf), (off), 0, 0                                                           \
    }
#define HR_ARG_BYTES(ptr, n)                                                                                           \
    {                                                                                                                  \
        sizeof(hr_arg), HR_ARG_IS_BYTES, 0, 0, (ptr), (n)                                                              \
    }

/** A launch's shape. */
typedef struct hr_grid {
    uint32_t size;      /* sizeof(hr_grid) */
    uint32_t dims;      /* 1 to 3 */
    uint64_t global[3]; /* work items a dimension; > 0, a multiple of local where local is given */
    uint64_t local[3];  /* work group; all 0: chosen by the library */
} hr_grid;

/**
 * Compiles OpenCL C 1.2 text for a device. The text is written once for every backend: kernels, get_*_id(), __global,
 * __local arrays declared in the kernel, barrier(CLK_LOCAL_MEM_FENCE), scalar types and float4-like loads through
 * pointers. Floating-point contraction is off.
 *
 * options  compiler definitions, "-DN=4 -DT=float"; NULL for none.
 *
 * Returns HR_OK; HR_BUILD (the message has the compiler's log); HR_INVALID; HR_NO_MEMORY.
 * Threads: any. Pointers: none kept. Since 0.1.
 */
HR_API hr_status hr_program_create(hr_device *device, const char *source, const char *options, hr_program **program);

/**
 * A program that was compiled before, for machines without a compiler or kernels that are written for one kind of
 * device. What an image is depends on the device: on CUDA PTX text, a cubin or a fatbin, on OpenCL what
 * CL_PROGRAM_BINARIES of a program for the same device and driver gave.
 *
 * bytes  of the image, > 0; PTX text needs no NUL at its end.
 *
 * Returns HR_OK; HR_BUILD (the driver does not take the image: it is of another form, cut off, damaged, or made for
 * another device; the message has what the driver says); HR_UNSUPPORTED (this device takes text alone); HR_INVALID;
 * HR_NO_MEMORY. Threads: any. Pointers: none kept. Since 0.1.
 */
HR_API hr_status hr_program_create_binary(hr_device *device, const void *image, uint64_t bytes, hr_program **program);

/** Closes a program and nulls the handle; NULL is fine. Its kernels keep what they need. Since 0.1. */
HR_API void hr_program_close(hr_program **program);

/**
 * A kernel by its name.
 *
 * Returns HR_OK; HR_NOT_FOUND; HR_INVALID; HR_NO_MEMORY.
 * Threads: any number may launch one kernel; each launch has its own arguments. Since 0.1.
 */
HR_API hr_status hr_kernel_create(hr_program *program, const char *name, hr_kernel **kernel);

/** Closes a kernel and nulls the handle; NULL is fine. Launches in flight go on. Since 0.1. */
HR_API void hr_kernel_close(hr_kernel **kernel);

/**
 * Enqueues a kernel.
 *
 * args  n_args arguments in the kernel's order; scalars are copied, buffers may be closed at once.
 *
 * Returns HR_OK once submitted; HR_INVALID (count, size or kind of an argument, a pinned buffer, the grid);
 * HR_RANGE (offset past the buffer's end or unaligned); the queue's failure.
 * Threads: any. Since 0.1.
 */
HR_API hr_status hr_kernel_launch(hr_queue *queue, hr_kernel *kernel, const hr_grid *grid, const hr_arg *args,
                                  uint32_t n_args, const hr_sync *sync);

HR_END_DECLS

#endif
