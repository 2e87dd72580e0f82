/*
 * Holds backends/cuda/driver.h against a toolkit's headers: every constant, every layout, and every signature with the
 * version that it is asked for by. What is wrong does not compile.
 */
#include "cuda/driver.h"

#include <cuda.h>
#include <cudaTypedefs.h>
#include <stdio.h>

#define HOLDS(condition) _Static_assert(condition, #condition)

#define CONSTANT(name, value, in_header) HOLDS((int)name == (int)in_header);
HRI_CU_CONSTANTS(CONSTANT)

#define MEMBER(ours, theirs, member, in_header)                                                                        \
    HOLDS(offsetof(ours, member) == offsetof(theirs, in_header));                                                      \
    HOLDS(sizeof(((ours *)0)->member) == sizeof(((theirs *)0)->in_header));
#define MEMBER_2D(member, in_header) MEMBER(struct hri_cu_copy_2d, CUDA_MEMCPY2D_v2, member, in_header)
#define MEMBER_3D(member, in_header) MEMBER(struct hri_cu_copy_3d, CUDA_MEMCPY3D_v2, member, in_header)

#define BOTH(X)                                                                                                        \
    X(src_x, srcXInBytes)                                                                                              \
    X(src_y, srcY)                                                                                                     \
    X(src_type, srcMemoryType)                                                                                         \
    X(src_host, srcHost)                                                                                               \
    X(src_device, srcDevice)                                                                                           \
    X(src_array, srcArray)                                                                                             \
    X(src_pitch, srcPitch)                                                                                             \
    X(dst_x, dstXInBytes)                                                                                              \
    X(dst_y, dstY)                                                                                                     \
    X(dst_type, dstMemoryType)                                                                                         \
    X(dst_host, dstHost)                                                                                               \
    X(dst_device, dstDevice)                                                                                           \
    X(dst_array, dstArray)                                                                                             \
    X(dst_pitch, dstPitch)                                                                                             \
    X(width, WidthInBytes)                                                                                             \
    X(height, Height)

BOTH(MEMBER_2D)
HOLDS(sizeof(struct hri_cu_copy_2d) == sizeof(CUDA_MEMCPY2D_v2));
BOTH(MEMBER_3D)
MEMBER_3D(src_z, srcZ)
MEMBER_3D(src_lod, srcLOD)
MEMBER_3D(src_reserved, reserved0)
MEMBER_3D(src_height, srcHeight)
MEMBER_3D(dst_z, dstZ)
MEMBER_3D(dst_lod, dstLOD)
MEMBER_3D(dst_reserved, reserved1)
MEMBER_3D(dst_height, dstHeight)
MEMBER_3D(depth, Depth)
HOLDS(sizeof(struct hri_cu_copy_3d) == sizeof(CUDA_MEMCPY3D_v2));

/* Types of the same width that C takes for different ones. */
#define SAME_WIDTH(ours, theirs) HOLDS(sizeof(ours) == sizeof(theirs));
SAME_WIDTH(hri_cu_result, CUresult)
SAME_WIDTH(hri_cu_device_attribute, CUdevice_attribute)
SAME_WIDTH(hri_cu_function_attribute, CUfunction_attribute)
SAME_WIDTH(hri_cu_capture_status, CUstreamCaptureStatus)
SAME_WIDTH(hri_cu_capture_mode, CUstreamCaptureMode)
SAME_WIDTH(hri_cu_jit_option, CUjit_option)
SAME_WIDTH(hri_cu_memory_type, CUmemorytype)
SAME_WIDTH(hri_cu_proc_status, CUdriverProcAddressQueryResult)

/* From here on the list's parameters are spelt in cuda.h's types, and must make its very function types. */
#define hri_cu_result CUresult
#define hri_cu_dev CUdevice
#define hri_cu_pointer CUdeviceptr
#define hri_cu_device_attribute CUdevice_attribute
#define hri_cu_function_attribute CUfunction_attribute
#define hri_cu_capture_status CUstreamCaptureStatus
#define hri_cu_capture_mode CUstreamCaptureMode
#define hri_cu_jit_option CUjit_option
#define hri_cu_context CUcontext
#define hri_cu_stream CUstream
#define hri_cu_event CUevent
#define hri_cu_module CUmodule
#define hri_cu_function CUfunction
#define hri_cu_copy_2d CUDA_MEMCPY2D_st
#define hri_cu_copy_3d CUDA_MEMCPY3D_st

#define SIGNATURE(name, version, exported, parameters)                                                                 \
    HOLDS(__builtin_types_compatible_p(CUresult(*) parameters, PFN_cu##name##_v##version));
HRI_CU_SYMBOLS(SIGNATURE)
#if CUDA_VERSION >= 12040
HRI_CU_OPTIONAL_SYMBOLS(SIGNATURE)
#endif
HOLDS(__builtin_types_compatible_p(CUresult (*)(const char *, void **, int, uint64_t, CUdriverProcAddressQueryResult *),
                                   PFN_cuGetProcAddress_v12000));

int main(void)
{
#define ONE(name, version, exported, parameters) +1
    printf("held against cuda.h of %d.%d: %d symbols\n", CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10,
           0 HRI_CU_SYMBOLS(ONE));
    return 0;
}
