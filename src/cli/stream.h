/* What `headrace bench loader` measures of one loader. */
#ifndef CLI_STREAM_H
#define CLI_STREAM_H

#include "rig.h"
#include "rows.h"

/* One loader over one synthetic table. */
struct stream {
    hr_device *device; /* borrowed */
    hr_queue *compute;
    struct rows *rows; /* borrowed */
    hr_loader *loader;
    uint64_t batch_rows, batches;
    uint64_t *ids;         /* the rows of epoch 0 in delivered order */
    uint64_t checked;      /* batches that were compared byte for byte */
    hr_loader_stats stats; /* of the last pass */
};

/* Each prints what went wrong: CLI_DONE or CLI_FAILED. */

int stream_open(hr_device *device, struct rows *rows, const hr_loader_options *options, struct stream *stream);
void stream_close(struct stream *stream);

/* Delivers epoch 0 once: keeps its ids, sees that every row comes once, and compares the bytes of some batches as the
 * device has them. */
int stream_check(struct stream *stream);

/* Batches that stay on the device, more than its caches hold where its memory allows: a resident data set is not in
 * cache either. */
enum { RESIDENT_MOST = 64 };

struct resident {
    hr_buffer *buffers[RESIDENT_MOST];
    uint32_t n;
    uint64_t bytes; /* of each */
};

hr_status resident_open(hr_device *device, hr_queue *queue, uint64_t bytes, struct resident *resident);
void resident_close(struct resident *resident);

/* Work for the compute queue over one batch. */
struct load {
    hr_program *program;
    hr_kernel *kernel;
    hr_buffer *out;
    uint32_t items, group; /* work items in all, and in a work group */
    uint32_t spin;         /* how long it goes on */
};

/* Delivers epoch 0 from its start and waits until the device has all: seconds. load NULL: batches are only released. */
int stream_time(struct stream *stream, const struct load *load, double *seconds);

/* One hr_write a row, the first `count` rows of the epoch into `target`: seconds. */
int stream_time_writes(struct stream *stream, hr_buffer *target, uint64_t count, double *seconds);

int load_open(struct stream *stream, const hr_device_info *info, struct load *load);
void load_close(struct load *load);
hr_status load_launch(const struct load *load, hr_queue *queue, hr_buffer *buffer, uint64_t offset, uint64_t bytes);

/* `n` launches over batches that stay on the device, in turn: seconds of each. */
int load_time(const struct load *load, hr_queue *queue, const struct resident *resident, uint64_t n, double *seconds);

/* Sets `spin` so that a launch takes about `seconds`. */
int load_calibrate(struct load *load, hr_queue *queue, const struct resident *resident, double seconds);

#endif
