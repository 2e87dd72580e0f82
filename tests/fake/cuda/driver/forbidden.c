/*
 * Functions that must never be called: old ones under the names without suffix, those of the per-thread default
 * stream, and those that wait for everything, call back, or change what is the caller's. A real driver has them all.
 */
#include "fake.h"

#define FORBIDDEN(X)                                                                                                   \
    X(cuCtxCreate)                                                                                                     \
    X(cuCtxCreate_v2)                                                                                                  \
    X(cuCtxCreate_v3)                                                                                                  \
    X(cuCtxCreate_v4)                                                                                                  \
    X(cuCtxDestroy)                                                                                                    \
    X(cuCtxDestroy_v2)                                                                                                 \
    X(cuCtxPopCurrent)                                                                                                 \
    X(cuCtxPushCurrent)                                                                                                \
    X(cuCtxSetCurrent)                                                                                                 \
    X(cuCtxSynchronize)                                                                                                \
    X(cuDevicePrimaryCtxRelease)                                                                                       \
    X(cuDevicePrimaryCtxReset)                                                                                         \
    X(cuDevicePrimaryCtxReset_v2)                                                                                      \
    X(cuDeviceTotalMem)                                                                                                \
    X(cuEventDestroy)                                                                                                  \
    X(cuEventElapsedTime_v2)                                                                                           \
    X(cuEventRecord_ptsz)                                                                                              \
    X(cuGetProcAddress)                                                                                                \
    X(cuLaunchHostFunc)                                                                                                \
    X(cuLaunchHostFunc_ptsz)                                                                                           \
    X(cuLaunchKernel_ptsz)                                                                                             \
    X(cuMemAlloc)                                                                                                      \
    X(cuMemAllocHost)                                                                                                  \
    X(cuMemAllocHost_v2)                                                                                               \
    X(cuMemFree)                                                                                                       \
    X(cuMemGetInfo)                                                                                                    \
    X(cuMemHostGetDevicePointer)                                                                                       \
    X(cuMemHostRegister)                                                                                               \
    X(cuMemcpy)                                                                                                        \
    X(cuMemcpy2DAsync)                                                                                                 \
    X(cuMemcpy2DAsync_v2_ptsz)                                                                                         \
    X(cuMemcpy3DAsync)                                                                                                 \
    X(cuMemcpy3DAsync_v2_ptsz)                                                                                         \
    X(cuMemcpyAsync)                                                                                                   \
    X(cuMemcpyDtoD)                                                                                                    \
    X(cuMemcpyDtoD_v2)                                                                                                 \
    X(cuMemcpyDtoDAsync)                                                                                               \
    X(cuMemcpyDtoDAsync_v2_ptsz)                                                                                       \
    X(cuMemcpyDtoH)                                                                                                    \
    X(cuMemcpyDtoH_v2)                                                                                                 \
    X(cuMemcpyDtoHAsync)                                                                                               \
    X(cuMemcpyDtoHAsync_v2_ptsz)                                                                                       \
    X(cuMemcpyHtoD)                                                                                                    \
    X(cuMemcpyHtoD_v2)                                                                                                 \
    X(cuMemcpyHtoDAsync)                                                                                               \
    X(cuMemcpyHtoDAsync_v2_ptsz)                                                                                       \
    X(cuMemsetD8)                                                                                                      \
    X(cuMemsetD8_v2)                                                                                                   \
    X(cuMemsetD8Async_ptsz)                                                                                            \
    X(cuMemsetD16Async_ptsz)                                                                                           \
    X(cuMemsetD32Async_ptsz)                                                                                           \
    X(cuStreamAddCallback)                                                                                             \
    X(cuStreamDestroy)                                                                                                 \
    X(cuStreamGetCtx_ptsz)                                                                                             \
    X(cuStreamGetCtx_v2)                                                                                               \
    X(cuStreamIsCapturing_ptsz)                                                                                        \
    X(cuStreamQuery_ptsz)                                                                                              \
    X(cuStreamSynchronize)                                                                                             \
    X(cuStreamSynchronize_ptsz)                                                                                        \
    X(cuStreamWaitEvent_ptsz)

#define DEFINE(name)                                                                                                   \
    FAKE_API void name(void);                                                                                          \
    void name(void)                                                                                                    \
    {                                                                                                                  \
        fake_die(#name " was called");                                                                                 \
    }
FORBIDDEN(DEFINE)
