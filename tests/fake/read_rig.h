/* A device whose driver would wait with pageable memory, a buffer that is filled, and memory to read it into. */
#ifndef READ_RIG_H
#define READ_RIG_H

#include "fake/fake_backend.h"

#define KIB ((uint64_t)1024)
#define MIB (KIB * 1024)

struct read_rig {
    struct fake *fake;
    hr_device *device;
    hr_queue *queue;
    hr_queue *other;
    hr_buffer *buffer;
    unsigned char *host; /* what the buffer has */
    unsigned char *seen; /* zeros */
    uint64_t bytes;
};

void read_rig_open(struct read_rig *t, uint64_t pinned, uint64_t bytes);
void read_rig_close(struct read_rig *t); /* nothing is left of the driver */
/* Nothing has been written to `seen`. */
bool read_rig_untouched(const struct read_rig *t);
/* All has arrived; zeros again. */
void read_rig_landed(struct read_rig *t);

#endif
