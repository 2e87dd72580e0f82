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
/* The memory of two buffers is one: views of one root. */
bool hri_same_memory(const hr_buffer *a, const hr_buffer *b);

#endif
