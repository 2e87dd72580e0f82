/* One submission: what it waits for, the event it tells, its number. Every copy, fill and launch goes through here. */
#ifndef HRI_JOB_H
#define HRI_JOB_H

#include "transfer/object.h"

enum { HRI_JOB_FEW = 8 };

struct hri_job {
    hr_queue *queue;
    struct hrb_sync sync; /* for the op */
    uint32_t flags;       /* of the caller's hr_sync */
    hr_event *event;      /* made beforehand, so that nothing fails after the submission; NULL when not asked for */
    hr_event **out;
    uint64_t before;                /* the queue's number just before the op */
    uint64_t number;                /* of the op, if it has been counted already; else 0 */
    struct hrb_event *event_native; /* the op fills it */
    struct hrb_event **waits;
    struct hrb_event *few[HRI_JOB_FEW];
    hr_buffer *buffers[2]; /* whose use is announced: hri_job_uses() */
    uint32_t n_buffers;
};

/* Checks queue (not NULL) and sync (may be NULL). After HR_OK hri_job_end() is called, once. */
hr_status hri_job_begin(struct hri_job *job, hr_queue *queue, const hr_sync *sync);
/* Announces that the submission uses a buffer (not NULL, of the queue's device; at most two). */
hr_status hri_job_uses(struct hri_job *job, hr_buffer *buffer);
/* An empty submission: waits and event alone. */
hr_status hri_job_nothing(struct hri_job *job);
/* st: the op's status. Counts the submission, hands the event out, ends the uses; returns st. */
hr_status hri_job_end(struct hri_job *job, hr_status st);

#endif
