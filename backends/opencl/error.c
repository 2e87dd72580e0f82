/* From OpenCL's codes to statuses; the one place that knows what a code means and how it is called. */
#include "opencl/internal.h"

#include <stdarg.h>
#include <stdio.h>

#define NVIDIA_ILLEGAL_ACCESS (-9999) /* what NVIDIA's driver answers after a kernel's bad address */
#define PLATFORM_NOT_FOUND_KHR (-1001)

#define CODES(X)                                                                                                       \
    X(CL_DEVICE_NOT_FOUND)                                                                                             \
    X(CL_DEVICE_NOT_AVAILABLE)                                                                                         \
    X(CL_COMPILER_NOT_AVAILABLE)                                                                                       \
    X(CL_MEM_OBJECT_ALLOCATION_FAILURE)                                                                                \
    X(CL_OUT_OF_RESOURCES)                                                                                             \
    X(CL_OUT_OF_HOST_MEMORY)                                                                                           \
    X(CL_PROFILING_INFO_NOT_AVAILABLE)                                                                                 \
    X(CL_MEM_COPY_OVERLAP)                                                                                             \
    X(CL_BUILD_PROGRAM_FAILURE)                                                                                        \
    X(CL_MAP_FAILURE)                                                                                                  \
    X(CL_MISALIGNED_SUB_BUFFER_OFFSET)                                                                                 \
    X(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)                                                                    \
    X(CL_COMPILE_PROGRAM_FAILURE)                                                                                      \
    X(CL_LINKER_NOT_AVAILABLE)                                                                                         \
    X(CL_LINK_PROGRAM_FAILURE)                                                                                         \
    X(CL_KERNEL_ARG_INFO_NOT_AVAILABLE)                                                                                \
    X(CL_INVALID_VALUE)                                                                                                \
    X(CL_INVALID_DEVICE_TYPE)                                                                                          \
    X(CL_INVALID_PLATFORM)                                                                                             \
    X(CL_INVALID_DEVICE)                                                                                               \
    X(CL_INVALID_CONTEXT)                                                                                              \
    X(CL_INVALID_QUEUE_PROPERTIES)                                                                                     \
    X(CL_INVALID_COMMAND_QUEUE)                                                                                        \
    X(CL_INVALID_HOST_PTR)                                                                                             \
    X(CL_INVALID_MEM_OBJECT)                                                                                           \
    X(CL_INVALID_BINARY)                                                                                               \
    X(CL_INVALID_BUILD_OPTIONS)                                                                                        \
    X(CL_INVALID_PROGRAM)                                                                                              \
    X(CL_INVALID_PROGRAM_EXECUTABLE)                                                                                   \
    X(CL_INVALID_KERNEL_NAME)                                                                                          \
    X(CL_INVALID_KERNEL_DEFINITION)                                                                                    \
    X(CL_INVALID_KERNEL)                                                                                               \
    X(CL_INVALID_ARG_INDEX)                                                                                            \
    X(CL_INVALID_ARG_VALUE)                                                                                            \
    X(CL_INVALID_ARG_SIZE)                                                                                             \
    X(CL_INVALID_KERNEL_ARGS)                                                                                          \
    X(CL_INVALID_WORK_DIMENSION)                                                                                       \
    X(CL_INVALID_WORK_GROUP_SIZE)                                                                                      \
    X(CL_INVALID_WORK_ITEM_SIZE)                                                                                       \
    X(CL_INVALID_GLOBAL_OFFSET)                                                                                        \
    X(CL_INVALID_EVENT_WAIT_LIST)                                                                                      \
    X(CL_INVALID_EVENT)                                                                                                \
    X(CL_INVALID_OPERATION)                                                                                            \
    X(CL_INVALID_BUFFER_SIZE)                                                                                          \
    X(CL_INVALID_GLOBAL_WORK_SIZE)                                                                                     \
    X(CL_INVALID_PROPERTY)

const char *hri_cl_code_name(cl_int code)
{
    switch (code) {
#define CASE(name)                                                                                                     \
    case name:                                                                                                         \
        return #name;
        CODES(CASE)
#undef CASE
    case PLATFORM_NOT_FOUND_KHR:
        return "CL_PLATFORM_NOT_FOUND_KHR";
    case NVIDIA_ILLEGAL_ACCESS:
        return "illegal memory access by a kernel";
    default:
        return "a code of the driver's own";
    }
}

/* No room: in an allocation the memory that was asked for, elsewhere whatever the driver lacked. */
static hr_status no_room(enum hri_cl_phase phase, cl_int code)
{
    if (phase == HRI_CL_ALLOC_PINNED)
        return HR_NO_PINNED_MEMORY;
    if (phase == HRI_CL_ALLOC_DEVICE || code == CL_MEM_OBJECT_ALLOCATION_FAILURE)
        return HR_NO_DEVICE_MEMORY; /* drivers allocate at first use, so a submission may meet it too */
    return phase == HRI_CL_WORK ? HR_DEVICE_LOST : HR_DRIVER;
}

static hr_status meaning(enum hri_cl_phase phase, cl_int code)
{
    switch (code) {
    case CL_OUT_OF_HOST_MEMORY:
        return phase == HRI_CL_ALLOC_PINNED ? HR_NO_PINNED_MEMORY : HR_NO_MEMORY;
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
        return no_room(phase, code);
    case CL_INVALID_BUFFER_SIZE: /* above the device's largest buffer */
    case CL_MAP_FAILURE:
        return phase == HRI_CL_ALLOC_DEVICE || phase == HRI_CL_ALLOC_PINNED ? no_room(phase, code) : HR_DRIVER;
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_INVALID_COMMAND_QUEUE: /* our queues are valid: drivers answer so once the context is dead */
    case NVIDIA_ILLEGAL_ACCESS:
        return HR_DEVICE_LOST;
    default:
        return HR_DRIVER;
    }
}

hr_status hri_cl_fail(const struct hrb_services *services, enum hri_cl_phase phase, cl_int code, const char *format,
                      ...)
{
    char what[256];
    va_list list;

    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    return services->fail(meaning(phase, code), code, "%s: OpenCL says %s", what, hri_cl_code_name(code));
}
