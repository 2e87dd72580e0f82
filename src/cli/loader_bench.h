/* What `headrace bench loader` was asked for and what it found. */
#ifndef CLI_LOADER_BENCH_H
#define CLI_LOADER_BENCH_H

#include "rows.h"

struct loader_options {
    const char *selector;
    const char *trace;
    struct cli_sizes row;
    uint64_t batch_bytes, table, fields, workers, depth, epochs;
    uint32_t route;
    double compute;
    bool json;
};

/* What one row size gave. Rates in bytes a second; ratios are medians of the rounds' own. */
struct loader_line {
    uint64_t row_bytes, rows, batches, checked;
    double loader, bare, ahead, writes, link; /* link 0: the device works in the host's memory */
    double over_bare, over_ahead, over_writes;
    unsigned bare_way, ahead_way; /* of the bare loop, the fastest without and with rows fetched ahead */
    double way_rate[BARE_WAYS];   /* each way's best, when they were tried */
    double transfer, streamed, resident, over_resident; /* seconds a batch; 0 without --compute */
    hr_loader_stats stats, busy;                        /* of the plain epochs, of those with the kernel */
};

struct loader_bench {
    hr_device *device;
    hr_device_info info;
    struct loader_options o;
    struct loader_line line[CLI_MAX_SIZES];
    struct loader_line *now;
    unsigned steps; /* done, for the bar */
};

/* Measures one row size; prints what went wrong: CLI_DONE or CLI_FAILED. */
int loader_measure(struct loader_bench *bench, uint64_t row_bytes, struct loader_line *line);

#endif
