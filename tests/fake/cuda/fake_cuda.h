/*
 * What the simulated driver offers to tests beside the driver's own functions. A program finds these by dlsym() in
 * libcuda.so.1; a real driver has none of them.
 */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include "cuda/driver.h"

/* How often a function was called, by the name without suffix ("cuMemAlloc"); "all" for every call together; "work"
 * for the pieces of work that streams have begun. UINT64_MAX for a name that is unknown. */
uint64_t fake_cuda_calls(const char *name);

/* How many are alive: "contexts" (retains), "streams", "events", "modules", "buffers", "pinned", "registered",
 * "pushed" (contexts on the threads' stacks), "all". -1 for a name that is unknown. */
long fake_cuda_live(const char *kind);

/* The nth call from now on (1: the next) of a function, or of "work", fails with `code`; n 0 takes all that back. A
 * piece of work that fails leaves its context with a sticky failure. */
int fake_cuda_fail(const char *name, unsigned n, hri_cu_result code);

/* Holds the stream before its next piece of work, or lets it go on. */
void fake_cuda_hold(hri_cu_stream stream, int held);

/* Makes the stream say that it is being captured. */
void fake_cuda_capture(hri_cu_stream stream, int capturing);

/* How many calls have spoilt a capture so far: those that reach past streams, of threads that are not relaxed. */
unsigned fake_cuda_spoilt(void);

/* The calling thread's capture mode, without a call that counts. */
hri_cu_capture_mode fake_cuda_capture_mode(void);

/* A context that is not the primary one, as other libraries make them. The caller's current context stays. */
hri_cu_context fake_cuda_context_create(hri_cu_dev device);
void fake_cuda_context_destroy(hri_cu_context context);

/* The context that is current in this thread, and how deep its stack is, without a call that counts. */
hri_cu_context fake_cuda_current(void);
int fake_cuda_depth(void);

#endif
