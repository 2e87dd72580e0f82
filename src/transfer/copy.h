/* Checks that all copies share. */
#ifndef HRI_COPY_H
#define HRI_COPY_H

#include "transfer/job.h"

/* Where a buffer's bytes are for the table. */
struct hrb_place hri_place(const hr_buffer *buffer, uint64_t offset);
/* Memory that only the host and copies reach: pinned, imported. */
bool hri_is_host_side(const hr_buffer *buffer);
/* Not NULL, and of the queue's device. name: the parameter. */
hr_status hri_check_operand(const char *function, const char *name, hr_queue *queue, const hr_buffer *buffer);
/* [offset, offset + bytes) lies in the buffer. */
hr_status hri_check_range(const char *function, const char *name, const hr_buffer *buffer, uint64_t offset,
                          uint64_t bytes);
/* read.c: a copy between a device buffer and memory of the program's own. side: the buffer's parameter. */
hr_status hri_check_hosted(const char *function, const char *side, hr_queue *queue, const hr_buffer *buffer,
                           uint64_t offset, const void *host, uint64_t bytes);
/* write.c: by way of staging memory. snapshot: HR_NO_WAIT is heeded, and pinned memory is needed; otherwise pageable
 * memory is copied from where there is none. */
hr_status hri_write_staged(hr_queue *queue, hr_buffer *dst, uint64_t dst_offset, const void *src, uint64_t bytes,
                           bool snapshot, const hr_sync *sync);
/* The memory of two buffers is one: views of one root. */
bool hri_same_memory(const hr_buffer *a, const hr_buffer *b);

#endif
