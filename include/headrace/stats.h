/* What a loader measured. */
#ifndef HEADRACE_STATS_H
#define HEADRACE_STATS_H

#include <headrace/status.h>

HR_BEGIN_DECLS

/** Filled by hr_loader_get_stats(): the epoch that was started last, so far or whole. Times in nanoseconds. */
typedef struct hr_loader_stats {
    uint32_t size;  /* in: sizeof(hr_loader_stats) */
    uint32_t route; /* HR_ROUTE_..., never AUTO */
    uint32_t depth;
    uint32_t workers;
    uint64_t epoch;
    uint64_t batches;        /* delivered */
    uint64_t rows;           /* delivered, padding not counted */
    uint64_t bytes;          /* delivered */
    uint64_t link_bytes;     /* sent to the device by copies; 0 in place */
    uint64_t wall_ns;        /* start to the end of the epoch, or to now */
    uint64_t next_wait_ns;   /* hr_loader_next() had no batch to give */
    uint64_t slot_wait_ns;   /* the feeder had no free slot: batches were unreleased or in use by the device */
    uint64_t gather_ns;      /* gathering, summed over workers */
    uint64_t send_wait_ns;   /* the feeder waited for a copy to leave its staging slot; resident: copied the data set */
    uint64_t first_batch_ns; /* start to the first batch delivered */
    char bottleneck[128];    /* in words: "gather: add workers", "compute: the device never waited" */
} hr_loader_stats;

HR_END_DECLS

#endif
