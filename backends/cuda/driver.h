/*
 * The part of the CUDA driver interface that this backend uses, declared here so that no toolkit is needed: types,
 * constants, and one list of symbols. Names, values and layouts are those of cuda.h; tests/backend/cuda_header.c holds
 * them against it where a toolkit is found.
 *
 * Every symbol is asked for by cuGetProcAddress_v2, by its plain name ("cuMemAlloc" for what is exported as
 * cuMemAlloc_v2) and the version its declaration was written for. A later one may have another signature under the same
 * name, which is why "the driver's own version" is never asked for.
 */
#ifndef HRB_CUDA_DRIVER_H
#define HRB_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

/* cuda.h's CUresult: plain codes, since drivers return ones that no header of today names. */
typedef int hri_cu_result;
typedef int hri_cu_dev;                    /* CUdevice */
typedef unsigned long long hri_cu_pointer; /* CUdeviceptr_v2 */
/* Enumerations of cuda.h, which are as wide as an int. */
typedef int hri_cu_device_attribute;
typedef int hri_cu_function_attribute;
typedef int hri_cu_capture_status;
typedef int hri_cu_capture_mode;
typedef int hri_cu_jit_option;
typedef int hri_cu_memory_type;
typedef int hri_cu_proc_status;
typedef struct CUctx_st *hri_cu_context;
typedef struct CUstream_st *hri_cu_stream;
typedef struct CUevent_st *hri_cu_event;
typedef struct CUmod_st *hri_cu_module;
typedef struct CUfunc_st *hri_cu_function;
typedef struct CUarray_st *hri_cu_array;

/* X(name here, value, name in cuda.h) */
#define HRI_CU_CONSTANTS(X)                                                                                            \
    X(HRI_CU_SUCCESS, 0, CUDA_SUCCESS)                                                                                 \
    X(HRI_CU_INVALID_VALUE, 1, CUDA_ERROR_INVALID_VALUE)                                                               \
    X(HRI_CU_OUT_OF_MEMORY, 2, CUDA_ERROR_OUT_OF_MEMORY)                                                               \
    X(HRI_CU_NOT_INITIALIZED, 3, CUDA_ERROR_NOT_INITIALIZED)                                                           \
    X(HRI_CU_DEINITIALIZED, 4, CUDA_ERROR_DEINITIALIZED)                                                               \
    X(HRI_CU_STUB_LIBRARY, 34, CUDA_ERROR_STUB_LIBRARY)                                                                \
    X(HRI_CU_NO_DEVICE, 100, CUDA_ERROR_NO_DEVICE)                                                                     \
    X(HRI_CU_DEVICE_UNAVAILABLE, 46, CUDA_ERROR_DEVICE_UNAVAILABLE)                                                    \
    X(HRI_CU_INVALID_DEVICE, 101, CUDA_ERROR_INVALID_DEVICE)                                                           \
    X(HRI_CU_INVALID_IMAGE, 200, CUDA_ERROR_INVALID_IMAGE)                                                             \
    X(HRI_CU_INVALID_CONTEXT, 201, CUDA_ERROR_INVALID_CONTEXT)                                                         \
    X(HRI_CU_NO_BINARY_FOR_GPU, 209, CUDA_ERROR_NO_BINARY_FOR_GPU)                                                     \
    X(HRI_CU_ECC_UNCORRECTABLE, 214, CUDA_ERROR_ECC_UNCORRECTABLE)                                                     \
    X(HRI_CU_INVALID_PTX, 218, CUDA_ERROR_INVALID_PTX)                                                                 \
    X(HRI_CU_NVLINK_UNCORRECTABLE, 220, CUDA_ERROR_NVLINK_UNCORRECTABLE)                                               \
    X(HRI_CU_JIT_COMPILER_NOT_FOUND, 221, CUDA_ERROR_JIT_COMPILER_NOT_FOUND)                                           \
    X(HRI_CU_UNSUPPORTED_PTX_VERSION, 222, CUDA_ERROR_UNSUPPORTED_PTX_VERSION)                                         \
    X(HRI_CU_CONTAINED, 226, CUDA_ERROR_CONTAINED)                                                                     \
    X(HRI_CU_OPERATING_SYSTEM, 304, CUDA_ERROR_OPERATING_SYSTEM)                                                       \
    X(HRI_CU_INVALID_SOURCE, 300, CUDA_ERROR_INVALID_SOURCE)                                                           \
    X(HRI_CU_INVALID_HANDLE, 400, CUDA_ERROR_INVALID_HANDLE)                                                           \
    X(HRI_CU_NOT_FOUND, 500, CUDA_ERROR_NOT_FOUND)                                                                     \
    X(HRI_CU_NOT_READY, 600, CUDA_ERROR_NOT_READY)                                                                     \
    X(HRI_CU_ILLEGAL_ADDRESS, 700, CUDA_ERROR_ILLEGAL_ADDRESS)                                                         \
    X(HRI_CU_LAUNCH_OUT_OF_RESOURCES, 701, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)                                         \
    X(HRI_CU_LAUNCH_TIMEOUT, 702, CUDA_ERROR_LAUNCH_TIMEOUT)                                                           \
    X(HRI_CU_CONTEXT_IS_DESTROYED, 709, CUDA_ERROR_CONTEXT_IS_DESTROYED)                                               \
    X(HRI_CU_ASSERT, 710, CUDA_ERROR_ASSERT)                                                                           \
    X(HRI_CU_ALREADY_REGISTERED, 712, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED)                                       \
    X(HRI_CU_NOT_REGISTERED, 713, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED)                                               \
    X(HRI_CU_HARDWARE_STACK_ERROR, 714, CUDA_ERROR_HARDWARE_STACK_ERROR)                                               \
    X(HRI_CU_ILLEGAL_INSTRUCTION, 715, CUDA_ERROR_ILLEGAL_INSTRUCTION)                                                 \
    X(HRI_CU_MISALIGNED_ADDRESS, 716, CUDA_ERROR_MISALIGNED_ADDRESS)                                                   \
    X(HRI_CU_INVALID_ADDRESS_SPACE, 717, CUDA_ERROR_INVALID_ADDRESS_SPACE)                                             \
    X(HRI_CU_INVALID_PC, 718, CUDA_ERROR_INVALID_PC)                                                                   \
    X(HRI_CU_LAUNCH_FAILED, 719, CUDA_ERROR_LAUNCH_FAILED)                                                             \
    X(HRI_CU_NOT_PERMITTED, 800, CUDA_ERROR_NOT_PERMITTED)                                                             \
    X(HRI_CU_NOT_SUPPORTED, 801, CUDA_ERROR_NOT_SUPPORTED)                                                             \
    X(HRI_CU_SYSTEM_NOT_READY, 802, CUDA_ERROR_SYSTEM_NOT_READY)                                                       \
    X(HRI_CU_SYSTEM_DRIVER_MISMATCH, 803, CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)                                           \
    X(HRI_CU_COMPAT_UNSUPPORTED, 804, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE)                                       \
    X(HRI_CU_CAPTURE_UNSUPPORTED, 900, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED)                                          \
    X(HRI_CU_CAPTURE_WRONG_THREAD, 908, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD)                                        \
    X(HRI_CU_UNKNOWN, 999, CUDA_ERROR_UNKNOWN)                                                                         \
    X(HRI_CU_ATTR_MAX_THREADS_PER_BLOCK, 1, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)                                 \
    X(HRI_CU_ATTR_MAX_BLOCK_X, 2, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)                                                 \
    X(HRI_CU_ATTR_MAX_BLOCK_Y, 3, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)                                                 \
    X(HRI_CU_ATTR_MAX_BLOCK_Z, 4, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)                                                 \
    X(HRI_CU_ATTR_MAX_GRID_X, 5, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)                                                   \
    X(HRI_CU_ATTR_MAX_GRID_Y, 6, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)                                                   \
    X(HRI_CU_ATTR_MAX_GRID_Z, 7, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)                                                   \
    X(HRI_CU_ATTR_WARP_SIZE, 10, CU_DEVICE_ATTRIBUTE_WARP_SIZE)                                                        \
    X(HRI_CU_ATTR_MULTIPROCESSORS, 16, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)                                       \
    X(HRI_CU_ATTR_INTEGRATED, 18, CU_DEVICE_ATTRIBUTE_INTEGRATED)                                                      \
    X(HRI_CU_ATTR_CAN_MAP_HOST_MEMORY, 19, CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY)                                    \
    X(HRI_CU_ATTR_COMPUTE_MODE, 20, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE)                                                  \
    X(HRI_CU_ATTR_COPY_ENGINES, 40, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT)                                            \
    X(HRI_CU_ATTR_UNIFIED_ADDRESSING, 41, CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING)                                      \
    X(HRI_CU_ATTR_MAJOR, 75, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)                                             \
    X(HRI_CU_ATTR_MINOR, 76, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)                                             \
    X(HRI_CU_ATTR_HOST_REGISTER, 99, CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED)                                      \
    X(HRI_CU_ATTR_READ_ONLY_REGISTER, 113, CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED)                      \
    X(HRI_CU_COMPUTE_PROHIBITED, 2, CU_COMPUTEMODE_PROHIBITED)                                                         \
    X(HRI_CU_STREAM_NON_BLOCKING, 1, CU_STREAM_NON_BLOCKING)                                                           \
    X(HRI_CU_EVENT_BLOCKING_SYNC, 1, CU_EVENT_BLOCKING_SYNC)                                                           \
    X(HRI_CU_EVENT_DISABLE_TIMING, 2, CU_EVENT_DISABLE_TIMING)                                                         \
    X(HRI_CU_HOST_PORTABLE, 1, CU_MEMHOSTALLOC_PORTABLE)                                                               \
    X(HRI_CU_HOST_MAPPED, 2, CU_MEMHOSTALLOC_DEVICEMAP)                                                                \
    X(HRI_CU_REGISTER_PORTABLE, 1, CU_MEMHOSTREGISTER_PORTABLE)                                                        \
    X(HRI_CU_REGISTER_MAPPED, 2, CU_MEMHOSTREGISTER_DEVICEMAP)                                                         \
    X(HRI_CU_REGISTER_READ_ONLY, 8, CU_MEMHOSTREGISTER_READ_ONLY)                                                      \
    X(HRI_CU_MEMORY_HOST, 1, CU_MEMORYTYPE_HOST)                                                                       \
    X(HRI_CU_MEMORY_DEVICE, 2, CU_MEMORYTYPE_DEVICE)                                                                   \
    X(HRI_CU_CAPTURE_RELAXED, 2, CU_STREAM_CAPTURE_MODE_RELAXED)                                                       \
    X(HRI_CU_CAPTURE_NONE, 0, CU_STREAM_CAPTURE_STATUS_NONE)                                                           \
    X(HRI_CU_PROC_DEFAULT, 0, CU_GET_PROC_ADDRESS_DEFAULT)                                                             \
    X(HRI_CU_PROC_SUCCESS, 0, CU_GET_PROC_ADDRESS_SUCCESS)                                                             \
    X(HRI_CU_PROC_NOT_FOUND, 1, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND)                                                  \
    X(HRI_CU_PROC_TOO_OLD, 2, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT)                                              \
    X(HRI_CU_FUNC_MAX_THREADS, 0, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)                                             \
    X(HRI_CU_JIT_INFO_BUFFER, 3, CU_JIT_INFO_LOG_BUFFER)                                                               \
    X(HRI_CU_JIT_INFO_BYTES, 4, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)                                                     \
    X(HRI_CU_JIT_ERROR_BUFFER, 5, CU_JIT_ERROR_LOG_BUFFER)                                                             \
    X(HRI_CU_JIT_ERROR_BYTES, 6, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)

enum {
#define HRI_CU_CONSTANT(name, value, in_header) name = (value),
    HRI_CU_CONSTANTS(HRI_CU_CONSTANT)
#undef HRI_CU_CONSTANT
};

/* CUDA_MEMCPY2D_v2 */
struct hri_cu_copy_2d {
    size_t src_x, src_y;
    hri_cu_memory_type src_type;
    const void *src_host;
    hri_cu_pointer src_device;
    hri_cu_array src_array;
    size_t src_pitch;
    size_t dst_x, dst_y;
    hri_cu_memory_type dst_type;
    void *dst_host;
    hri_cu_pointer dst_device;
    hri_cu_array dst_array;
    size_t dst_pitch;
    size_t width, height;
};

/* CUDA_MEMCPY3D_v2: heights are in rows, so that a slice is pitch times height bytes. */
struct hri_cu_copy_3d {
    size_t src_x, src_y, src_z, src_lod;
    hri_cu_memory_type src_type;
    const void *src_host;
    hri_cu_pointer src_device;
    hri_cu_array src_array;
    void *src_reserved;
    size_t src_pitch, src_height;
    size_t dst_x, dst_y, dst_z, dst_lod;
    hri_cu_memory_type dst_type;
    void *dst_host;
    hri_cu_pointer dst_device;
    hri_cu_array dst_array;
    void *dst_reserved;
    size_t dst_pitch, dst_height;
    size_t width, height, depth;
};

/*
 * X(name without cu, exact version, exported name, parameters). All of these, or the driver is refused with the name
 * that is missing.
 */
#define HRI_CU_SYMBOLS(X)                                                                                              \
    X(Init, 2000, cuInit, (unsigned flags))                                                                            \
    X(DriverGetVersion, 2020, cuDriverGetVersion, (int *version))                                                      \
    X(GetErrorName, 6000, cuGetErrorName, (hri_cu_result code, const char **name))                                     \
    X(GetErrorString, 6000, cuGetErrorString, (hri_cu_result code, const char **text))                                 \
    X(DeviceGetCount, 2000, cuDeviceGetCount, (int *count))                                                            \
    X(DeviceGet, 2000, cuDeviceGet, (hri_cu_dev * device, int index))                                                  \
    X(DeviceGetName, 2000, cuDeviceGetName, (char *name, int bytes, hri_cu_dev device))                                \
    X(DeviceTotalMem, 3020, cuDeviceTotalMem_v2, (size_t * bytes, hri_cu_dev device))                                  \
    X(DeviceGetAttribute, 2000, cuDeviceGetAttribute,                                                                  \
      (int *value, hri_cu_device_attribute attribute, hri_cu_dev device))                                              \
    X(DeviceGetPCIBusId, 4010, cuDeviceGetPCIBusId, (char *id, int bytes, hri_cu_dev device))                          \
    X(DevicePrimaryCtxRetain, 7000, cuDevicePrimaryCtxRetain, (hri_cu_context * context, hri_cu_dev device))           \
    X(DevicePrimaryCtxRelease, 11000, cuDevicePrimaryCtxRelease_v2, (hri_cu_dev device))                               \
    X(CtxPushCurrent, 4000, cuCtxPushCurrent_v2, (hri_cu_context context))                                             \
    X(CtxPopCurrent, 4000, cuCtxPopCurrent_v2, (hri_cu_context * context))                                             \
    X(CtxGetCurrent, 4000, cuCtxGetCurrent, (hri_cu_context * context))                                                \
    X(CtxGetDevice, 2000, cuCtxGetDevice, (hri_cu_dev * device))                                                       \
    X(MemGetInfo, 3020, cuMemGetInfo_v2, (size_t * unused, size_t * total))                                            \
    X(MemAlloc, 3020, cuMemAlloc_v2, (hri_cu_pointer * pointer, size_t bytes))                                         \
    X(MemFree, 3020, cuMemFree_v2, (hri_cu_pointer pointer))                                                           \
    X(MemHostAlloc, 2020, cuMemHostAlloc, (void **pointer, size_t bytes, unsigned flags))                              \
    X(MemFreeHost, 2000, cuMemFreeHost, (void *pointer))                                                               \
    X(MemHostGetDevicePointer, 3020, cuMemHostGetDevicePointer_v2,                                                     \
      (hri_cu_pointer * pointer, void *host, unsigned flags))                                                          \
    X(MemHostRegister, 6050, cuMemHostRegister_v2, (void *pointer, size_t bytes, unsigned flags))                      \
    X(MemHostUnregister, 4000, cuMemHostUnregister, (void *pointer))                                                   \
    X(MemcpyHtoDAsync, 3020, cuMemcpyHtoDAsync_v2,                                                                     \
      (hri_cu_pointer dst, const void *src, size_t bytes, hri_cu_stream stream))                                       \
    X(MemcpyDtoHAsync, 3020, cuMemcpyDtoHAsync_v2,                                                                     \
      (void *dst, hri_cu_pointer src, size_t bytes, hri_cu_stream stream))                                             \
    X(MemcpyDtoDAsync, 3020, cuMemcpyDtoDAsync_v2,                                                                     \
      (hri_cu_pointer dst, hri_cu_pointer src, size_t bytes, hri_cu_stream stream))                                    \
    X(Memcpy2DAsync, 3020, cuMemcpy2DAsync_v2, (const struct hri_cu_copy_2d *copy, hri_cu_stream stream))              \
    X(Memcpy3DAsync, 3020, cuMemcpy3DAsync_v2, (const struct hri_cu_copy_3d *copy, hri_cu_stream stream))              \
    X(MemsetD8Async, 3020, cuMemsetD8Async,                                                                            \
      (hri_cu_pointer dst, unsigned char value, size_t count, hri_cu_stream stream))                                   \
    X(MemsetD16Async, 3020, cuMemsetD16Async,                                                                          \
      (hri_cu_pointer dst, unsigned short value, size_t count, hri_cu_stream stream))                                  \
    X(MemsetD32Async, 3020, cuMemsetD32Async,                                                                          \
      (hri_cu_pointer dst, unsigned value, size_t count, hri_cu_stream stream))                                        \
    X(MemsetD2D32Async, 3020, cuMemsetD2D32Async,                                                                      \
      (hri_cu_pointer dst, size_t pitch, unsigned value, size_t width, size_t height, hri_cu_stream stream))           \
    X(StreamCreate, 2000, cuStreamCreate, (hri_cu_stream * stream, unsigned flags))                                    \
    X(StreamDestroy, 4000, cuStreamDestroy_v2, (hri_cu_stream stream))                                                 \
    X(StreamWaitEvent, 3020, cuStreamWaitEvent, (hri_cu_stream stream, hri_cu_event event, unsigned flags))            \
    X(StreamQuery, 2000, cuStreamQuery, (hri_cu_stream stream))                                                        \
    X(StreamGetCtx, 9020, cuStreamGetCtx, (hri_cu_stream stream, hri_cu_context * context))                            \
    X(StreamIsCapturing, 10000, cuStreamIsCapturing, (hri_cu_stream stream, hri_cu_capture_status * status))           \
    X(ThreadExchangeStreamCaptureMode, 10010, cuThreadExchangeStreamCaptureMode, (hri_cu_capture_mode * mode))         \
    X(EventCreate, 2000, cuEventCreate, (hri_cu_event * event, unsigned flags))                                        \
    X(EventDestroy, 4000, cuEventDestroy_v2, (hri_cu_event event))                                                     \
    X(EventRecord, 2000, cuEventRecord, (hri_cu_event event, hri_cu_stream stream))                                    \
    X(EventQuery, 2000, cuEventQuery, (hri_cu_event event))                                                            \
    X(EventSynchronize, 2000, cuEventSynchronize, (hri_cu_event event))                                                \
    X(EventElapsedTime, 2000, cuEventElapsedTime, (float *milliseconds, hri_cu_event start, hri_cu_event end))         \
    X(ModuleLoadDataEx, 2010, cuModuleLoadDataEx,                                                                      \
      (hri_cu_module * module, const void *image, unsigned n_options, hri_cu_jit_option *options, void **values))      \
    X(ModuleUnload, 2000, cuModuleUnload, (hri_cu_module module))                                                      \
    X(ModuleGetFunction, 2000, cuModuleGetFunction,                                                                    \
      (hri_cu_function * function, hri_cu_module module, const char *name))                                            \
    X(FuncGetAttribute, 2020, cuFuncGetAttribute,                                                                      \
      (int *value, hri_cu_function_attribute attribute, hri_cu_function function))                                     \
    X(LaunchKernel, 4000, cuLaunchKernel,                                                                              \
      (hri_cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,                  \
       unsigned block_y, unsigned block_z, unsigned shared_bytes, hri_cu_stream stream, void **params, void **extra))

/* The same; NULL where the driver is older than the symbol. */
#define HRI_CU_OPTIONAL_SYMBOLS(X)                                                                                     \
    X(FuncGetParamInfo, 12040, cuFuncGetParamInfo,                                                                     \
      (hri_cu_function function, size_t index, size_t * offset, size_t * bytes))

/* cuGetProcAddress_v2, the only one that dlsym looks for; since 12.0. status: HRI_CU_PROC_... */
typedef hri_cu_result hri_cu_get_proc(const char *symbol, void **address, int version, uint64_t flags,
                                      hri_cu_proc_status *status);

struct hri_cu {
#define HRI_CU_MEMBER(name, version, symbol, parameters) hri_cu_result(*name) parameters;
    HRI_CU_SYMBOLS(HRI_CU_MEMBER) HRI_CU_OPTIONAL_SYMBOLS(HRI_CU_MEMBER)
#undef HRI_CU_MEMBER
};

#endif
