/* The OpenCL backend: any platform that the ICD loader knows. Data travel by copies, whatever the device. */
#include "opencl/internal.h"

const struct hrb_ops hri_cl_ops = {
    .size = sizeof(struct hrb_ops),
    .abi = HRB_ABI,
    .probe = hri_cl_probe,
    .device_count = hri_cl_device_count,
    .device_describe = hri_cl_device_describe,
    .device_open = hri_cl_device_open,
    .device_close = hri_cl_device_close,
    .device_info = hri_cl_device_info,
    .buffer_create = hri_cl_buffer_create,
    .buffer_import = hri_cl_buffer_import,
    .buffer_view = hri_cl_buffer_view,
    .buffer_destroy = hri_cl_buffer_destroy,
    .buffer_acquire = hri_cl_buffer_acquire,
    .buffer_release = hri_cl_buffer_release,
    .queue_create = hri_cl_queue_create,
    .queue_destroy = hri_cl_queue_destroy,
    .queue_finish = hri_cl_queue_finish,
    .queue_wait = hri_cl_queue_wait,
    .event_record = hri_cl_event_record,
    .event_wait = hri_cl_event_wait,
    .event_query = hri_cl_event_query,
    .event_times = hri_cl_event_times,
    .event_destroy = hri_cl_event_destroy,
    .copy = hri_cl_copy,
    .copy_rect = hri_cl_copy_rect,
    .fill = hri_cl_fill,
    .program_create = hri_cl_program_create,
    .program_destroy = hri_cl_program_destroy,
    .kernel_create = hri_cl_kernel_create,
    .kernel_destroy = hri_cl_kernel_destroy,
    .kernel_launch = hri_cl_kernel_launch,
    .kernel_check = hri_cl_kernel_check,
    .program_load = hri_cl_program_load,
    .device_native = hri_cl_device_native,
    .queue_native = hri_cl_queue_native,
    .buffer_native = hri_cl_buffer_native,
};

static const struct hri_cl_profile profile = {
    .platform = NULL,
    .shared_memory = false,
    .remedy = "install the device's OpenCL driver, or PoCL (package pocl-opencl-icd) for the processor",
};

extern const struct hrb_backend hrb_backend_opencl;

const struct hrb_backend hrb_backend_opencl = {
    .size = sizeof(struct hrb_backend),
    .abi = HRB_ABI,
    .name = "opencl",
    .summary = "any OpenCL device, through the ICD loader",
    .ops = &hri_cl_ops,
    .profile = &profile,
};
