/* The few functions of the CUDA driver that tests call themselves, as a program of its own would: from libcuda.so.1. */
#ifndef CONFORMANCE_NATIVE_CUDA_H
#define CONFORMANCE_NATIVE_CUDA_H

#include <stdbool.h>
#include <stddef.h>

struct CUctx_st;
struct CUstream_st;

typedef unsigned long long cuda_pointer;

/* X(member, exported name, parameters); all answer a CUresult, 0 for success */
#define CUDA_FUNCTIONS(X)                                                                                              \
    X(push, cuCtxPushCurrent_v2, (struct CUctx_st * context))                                                          \
    X(pop, cuCtxPopCurrent_v2, (struct CUctx_st * *context))                                                           \
    X(current, cuCtxGetCurrent, (struct CUctx_st * *context))                                                          \
    X(device, cuDeviceGet, (int *device, int index))                                                                   \
    X(stream_create, cuStreamCreate, (struct CUstream_st * *stream, unsigned flags))                                   \
    X(stream_destroy, cuStreamDestroy_v2, (struct CUstream_st * stream))                                               \
    X(copy, cuMemcpyDtoDAsync_v2, (cuda_pointer dst, cuda_pointer src, size_t bytes, struct CUstream_st * stream))     \
    X(fill, cuMemsetD32Async, (cuda_pointer dst, unsigned word, size_t words, struct CUstream_st *stream))

struct cuda_driver {
#define CUDA_MEMBER(member, name, parameters) int(*member) parameters;
    CUDA_FUNCTIONS(CUDA_MEMBER)
#undef CUDA_MEMBER
};

/* Opened on first use; the test fails where it cannot be. */
const struct cuda_driver *cuda_driver(void);

/* A context that is not the primary one. It is not made current. */
struct CUctx_st *cuda_context_create(int device);
void cuda_context_destroy(struct CUctx_st *context);

/* The stream, of the current context, records what is submitted instead of running it, until told otherwise. */
void cuda_capture(struct CUstream_st *stream, bool on);

#endif
