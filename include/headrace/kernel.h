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
    uint64_t local[3];  /* work group; all 0: a divisor of global, chosen by the library. A size whose only divisors are
                           1 and itself then runs badly: round it up, give local, and have the kernel check its range */
} hr_grid;

/**
 * Compiles text for a device. It is written once, in OpenCL C 1.2, for every backend; what OpenCL compiles is the
 * driver's matter, and what every backend compiles is this part, as far as it is C++ too (no implicit conversion of
 * void pointers, no names such as `new`):
 * - kernels, functions, structs, typedefs; the scalar types; get_global_id() and its kind but get_work_dim();
 * - __global, __constant and __private in every place, __local in variables of kernels and in pointers (no kernel
 *   parameters); all of them without underscores too; barrier() and the mem_fence()s;
 * - float2, float4, int2, int4, uint2, uint4: .x .y .z .w, literals (float4)(...), + - * / and dot(); the other
 *   vectors of two and four with elements of up to 32 bits to load, store and pass; no swizzles, no comparisons;
 * - the mathematical functions on float and double, min, max, clamp, abs, mad, mix, sign, select, rotate, popcount,
 *   mul24, mad24; as_TYPE() and convert_TYPE() on scalars, with _sat for char, uchar, short and ushort and _rte for int
 *   and uint (both together: _sat_rte);
 * - atomic_*() on int and uint; #pragma unroll; FLT_MAX, INT_MAX and their kind, INFINITY, NAN, M_PI_F.
 * No images, no printf, no half, no asynchronous copies, no attributes. Floating-point contraction is off. Lines in a
 * compiler's log count from the text's first.
 *
 * options  "-DN=4 -DT=float -Ifolder" and OpenCL's leave to be less exact ("-cl-mad-enable"); NULL for none.
 *
 * Returns HR_OK; HR_BUILD (the message has the compiler's log); HR_UNAVAILABLE (no compiler here: CUDA without NVRTC;
 * the message says what to install, and hr_program_create_binary() needs none); HR_INVALID; HR_NO_MEMORY. Threads: any.
 * Pointers: none kept. Since 0.1.
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
 * Returns HR_OK once submitted; HR_INVALID (count, size or kind of an argument, a pinned buffer, a grid or a work group
 * that the device does not count: CUDA has at most 65535 groups in dimensions 1 and 2);
 * HR_RANGE (offset past the buffer's end or unaligned); the queue's failure.
 * Threads: any. Since 0.1.
 */
HR_API hr_status hr_kernel_launch(hr_queue *queue, hr_kernel *kernel, const hr_grid *grid, const hr_arg *args,
                                  uint32_t n_args, const hr_sync *sync);

HR_END_DECLS

#endif
