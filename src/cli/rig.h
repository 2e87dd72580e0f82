/* Buffers of one size between which copies are measured. */
#ifndef CLI_RIG_H
#define CLI_RIG_H

#include "cli.h"

/* What is measured; the order of the table's columns. */
enum copy_kind { COPY_TO_DEVICE, COPY_FROM_DEVICE, COPY_BOTH, COPY_PAGEABLE, COPY_ON_DEVICE, COPY_KINDS };

struct rig {
    hr_device *device; /* borrowed */
    hr_queue *in, *out;
    uint64_t bytes;
    hr_buffer *pinned[2]; /* source and destination */
    hr_buffer *on_device[2];
    unsigned char *host[2];     /* of pinned */
    unsigned char *pageable[2]; /* the program's own memory; the second is memcpy's destination */
};

/* HR_NO_..._MEMORY when `bytes` is too much for this device or this machine; nothing is left behind then. */
hr_status rig_open(hr_device *device, uint64_t bytes, struct rig *rig);
void rig_close(struct rig *rig);

/* Enqueues `n` copies of a kind and waits until all are done: the time of each, seconds. COPY_BOTH moves twice the
 * bytes, one copy on each of two queues. */
hr_status rig_time(struct rig *rig, enum copy_kind kind, unsigned n, double *seconds);

/* The same for a plain memcpy, by one thread, or by two at once for COPY_BOTH. */
double rig_time_memcpy(struct rig *rig, enum copy_kind kind, unsigned n);

/* Fills sources and spoils destinations, before a kind is measured; afterwards looks for the source's bytes in them:
 * HR_OK and whether all are right. */
hr_status rig_prepare(struct rig *rig, enum copy_kind kind);
hr_status rig_check(struct rig *rig, enum copy_kind kind, bool *right);

#endif
