/* What src/stream uses of the transfer layer beyond its public functions. */
#ifndef HRI_TRANSFER_H
#define HRI_TRANSFER_H

#include <headrace/kernel.h>
#include <headrace/queue.h>
#include <stdbool.h>

struct hrb_trace;

/* References: children retain their parents. */
void hri_device_retain(hr_device *device);
void hri_device_release(hr_device *device);
void hri_queue_retain(hr_queue *queue);
void hri_queue_release(hr_queue *queue);

/* HR_OK, HR_FORKED, or the device's kept failure: the first check of whatever reaches the driver. */
hr_status hri_device_check(hr_device *device);
/* True in a child of the process that opened it: nothing of it may be touched, handles are only forgotten. */
bool hri_device_forked(const hr_device *device);

hr_device *hri_queue_device(hr_queue *queue);
/* Where spans go, NULL for nowhere (observe/trace.h). */
struct hrb_trace *hri_device_trace(const hr_device *device);
bool hri_device_has(hr_device *device, uint32_t ability); /* HR_ABILITY_... */
uint32_t hri_device_alignment(hr_device *device);         /* bytes, a power of two */

/* A part of a device buffer as a buffer of its own (aligned offset); keeps the parent alive. Closed like any buffer. */
hr_status hri_buffer_view(hr_buffer *parent, uint64_t offset, uint64_t bytes, hr_buffer **view);

/* The pinned or imported buffer that holds a range of host memory, retained (hr_buffer_close() gives it back), or NULL.
 */
hr_buffer *hri_device_hosted(hr_device *device, const void *pointer, uint64_t bytes);

/* What a buffer of so many bytes takes of a budget: the allocator's rounding. */
uint64_t hri_memory_rounded(hr_device *device, uint64_t bytes);

/* The host's pointer to a pinned, imported or shared buffer, NULL where the host cannot reach it. */
void *hri_buffer_host(hr_buffer *buffer);

/*
 * Sequence numbers. Every submission to a queue raises its number; a mark taken now is passed when all that was
 * submitted before is done. A queue whose native handle was given out, or that is the program's own, can hold work that
 * this library has not seen: hri_queue_is_foreign() says so, and marks of it are never "nothing new".
 */
uint64_t hri_queue_mark(hr_queue *queue);
bool hri_queue_is_foreign(hr_queue *queue);

/* The library's own kernels (backends/kernels), built on first use and kept by the device. "gather": see gather.cl. */
hr_status hri_device_kernel(hr_device *device, const char *name, hr_kernel **kernel); /* borrowed */

/* Tells layers what no driver sees; nothing without layers. */
void hri_buffer_note(hr_buffer *buffer, uint32_t kind, uint64_t offset, uint64_t bytes, hr_queue *queue);

#endif
