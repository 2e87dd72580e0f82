/* Batches, shards and tails: every shard takes the same share of every global batch; see plan.h. */
#include "stream/plan.h"

#include "core/message.h"

#include <inttypes.h>

/* Where shard s of S begins in a global batch of b rows: floor(b * s / S), without overflow. */
static uint64_t share(uint64_t b, uint32_t s, uint32_t shards)
{
    return b / shards * s + b % shards * s / shards;
}

static uint64_t part_rows(uint64_t b, uint32_t s, uint32_t shards)
{
    return share(b, s + 1, shards) - share(b, s, shards);
}

hr_status hri_plan_make(const hr_loader_options *options, uint64_t rows, struct hri_plan *plan)
{
    uint32_t shards = options->shard_count ? options->shard_count : 1;
    uint64_t batch = options->batch_rows;

    if (batch == 0)
        return hri_fail(HR_INVALID, "batch_rows is 0; give the rows of a batch, 1 or more");
    if (options->last > HR_LAST_PAD)
        return hri_fail(HR_INVALID, "last is %" PRIu32 "; it is HR_LAST_KEEP (0), HR_LAST_DROP (1) or HR_LAST_PAD (2)",
                        options->last);
    if (options->shard_index >= shards)
        return hri_fail(HR_RANGE, "shard_index is %" PRIu32 " of %" PRIu32 " shards; it goes from 0 to %" PRIu32,
                        options->shard_index, shards, shards - 1);
    if (options->last != HR_LAST_PAD && batch > rows) {
        if (options->last == HR_LAST_DROP)
            return hri_fail(HR_INVALID,
                            "batch_rows is %" PRIu64 ", the data set has %" PRIu64 " rows, and HR_LAST_DROP leaves out "
                            "what is not full: no batch is left; use at most %" PRIu64 " or HR_LAST_KEEP",
                            batch, rows, rows);
        batch = rows;
    }
    *plan = (struct hri_plan){
        .rows = rows, .batch = batch, .last = options->last, .shard = options->shard_index, .shards = shards};
    plan->batches = rows / batch + (options->last != HR_LAST_DROP && rows % batch != 0);
    plan->part = part_rows(batch, plan->shard, shards);
    /* A short last batch is never larger in any shard than ceil(b / S), which a full one may be one short of. */
    if (options->last == HR_LAST_KEEP && rows % batch != 0 && part_rows(rows % batch, plan->shard, shards) > plan->part)
        plan->part = part_rows(rows % batch, plan->shard, shards);
    return HR_OK;
}

struct hri_part hri_plan_part(const struct hri_plan *plan, uint64_t batch)
{
    uint64_t begin = batch * plan->batch;
    uint64_t b = plan->batch;
    struct hri_part part;

    if (plan->last == HR_LAST_KEEP && plan->rows - begin < b)
        b = plan->rows - begin;
    part.first = begin + share(b, plan->shard, plan->shards);
    part.count = part_rows(b, plan->shard, plan->shards);
    part.valid = part.count;
    if (part.first >= plan->rows)
        part.valid = 0;
    else if (plan->rows - part.first < part.count)
        part.valid = plan->rows - part.first;
    return part;
}
