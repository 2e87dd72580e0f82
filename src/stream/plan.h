/* Which positions of an epoch make up batch k of a shard: arithmetic alone. */
#ifndef HRI_PLAN_H
#define HRI_PLAN_H

#include <headrace/loader.h>

struct hri_plan {
    uint64_t rows;    /* of the data set */
    uint64_t batch;   /* rows of a global batch */
    uint64_t batches; /* of an epoch, the same for every shard */
    uint64_t part;    /* most rows of a batch in this shard */
    uint32_t last;    /* HR_LAST_... */
    uint32_t shard;
    uint32_t shards;
};

/* A batch's positions [first, first + count) in the epoch; those from `rows` on wrap around (padding). */
struct hri_part {
    uint64_t first;
    uint64_t count; /* in memory */
    uint64_t valid; /* without padding */
};

/* HR_INVALID or HR_RANGE with a sentence. rows >= 1. */
hr_status hri_plan_make(const hr_loader_options *options, uint64_t rows, struct hri_plan *plan);

struct hri_part hri_plan_part(const struct hri_plan *plan, uint64_t batch);

#endif
