/* The CUDA backend: NVIDIA's devices through the driver interface, which is opened when the program runs. */
#include "cuda/internal.h"

const struct hrb_ops hri_cu_ops = {
    .size = sizeof(struct hrb_ops),
    .abi = HRB_ABI,
    .probe = hri_cu_probe,
    .device_count = hri_cu_device_count,
    .device_describe = hri_cu_device_describe,
    .device_open = hri_cu_device_open,
    .device_close = hri_cu_device_close,
    .device_info = hri_cu_device_info,
    .buffer_create = hri_cu_buffer_create,
    .buffer_import = hri_cu_buffer_import,
    .buffer_view = hri_cu_buffer_view,
    .buffer_destroy = hri_cu_buffer_destroy,
    .buffer_acquire = hri_cu_buffer_acquire,
    .buffer_release = hri_cu_buffer_release,
    .queue_create = hri_cu_queue_create,
    .queue_destroy = hri_cu_queue_destroy,
    .queue_finish = hri_cu_queue_finish,
    .queue_wait = hri_cu_queue_wait,
    .event_record = hri_cu_event_record,
    .event_wait = hri_cu_event_wait,
    .event_query = hri_cu_event_query,
    .event_times = hri_cu_event_times,
    .event_destroy = hri_cu_event_destroy,
    .copy = hri_cu_copy,
    .copy_rect = hri_cu_copy_rect,
    .fill = hri_cu_fill,
    .program_create = hri_cu_program_create,
    .program_builtin = hri_cu_program_builtin,
    .program_load = hri_cu_program_load,
    .program_destroy = hri_cu_program_destroy,
    .kernel_create = hri_cu_kernel_create,
    .kernel_destroy = hri_cu_kernel_destroy,
    .kernel_launch = hri_cu_kernel_launch,
    .kernel_check = hri_cu_kernel_check,
    .device_native = hri_cu_device_native,
    .queue_native = hri_cu_queue_native,
    .buffer_native = hri_cu_buffer_native,
};

extern const struct hrb_backend hrb_backend_cuda;

const struct hrb_backend hrb_backend_cuda = {
    .size = sizeof(struct hrb_backend),
    .abi = HRB_ABI,
    .name = "cuda",
    .summary = "NVIDIA devices, through the CUDA driver",
    .ops = &hri_cu_ops,
};
