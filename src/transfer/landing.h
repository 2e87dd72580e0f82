/*
 * Landings: reads into pageable memory where the driver would wait for the queue (HRB_PAGEABLE_WAITS). The device
 * copies into pinned memory, and the bytes go on to where the program wants them when somebody learns that the copy is
 * done: inside the wait, the look at an event, or the finish that tells so.
 */
#ifndef HRI_LANDING_H
#define HRI_LANDING_H

#include <headrace/memory.h>
#include <headrace/queue.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct hri_block;
struct hri_job;
struct hrb_event;

/* A piece under way. */
struct hri_landing {
    struct hri_landing *next;
    uint32_t refs;           /* the list, threads that wait for it, the program's event that has `event` too */
    hr_queue *queue;         /* held */
    struct hrb_event *event; /* behind the copy */
    uint64_t number;         /* of the copy in the queue */
    struct hri_block *block; /* of the pinned pool */
    void *dst;               /* NULL: the read has failed, and its memory may be gone */
    uint64_t bytes;
    uint64_t read; /* which it is a piece of */
};

struct hri_landings {
    uint64_t cap; /* bytes of all blocks together */
    uint64_t piece_bytes;
    atomic_uint n;

    pthread_mutex_t lock;   /* what follows; also while bytes go on to dst, so that whoever finds none left may read */
    pthread_cond_t changed; /* a piece was submitted or is through */
    struct hri_landing *first; /* oldest first */
    struct hri_landing *spare;
    uint64_t taken;
    uint64_t reads; /* so far */
};

/* staging_cap: what hr_write() may use; reads get half as much besides. */
void hri_landings_init(struct hri_landings *landings, uint64_t staging_cap, uint64_t piece_bytes);
/* All queues are settled. */
void hri_landings_close(hr_device *device);

/* Brings down whatever is done; called when a wait for `queue` has ended well. Never waits. Returns the queue's failure
 * if a read was lost with it. */
hr_status hri_land(hr_queue *queue);
/* The same, and true if anything came down; waits for the oldest if nothing else would. */
bool hri_land_some(hr_device *device, bool may_wait);
/* The program's event goes. */
void hri_landing_release(hr_device *device, struct hri_landing *landing);

/* landing_read.c, under the lock. provide: room for at most `bytes`; the lock is dropped meanwhile. append: a piece
 * that was submitted, with queue, event, number, dst and read set. give_up: one that failed; what it may have under way
 * is among its block's uses. forget: none of this read's pieces goes on to where it was to land. */
hr_status hri_landing_provide(hr_device *device, uint64_t bytes, struct hri_landing **out);
void hri_landing_append(hr_device *device, struct hri_landing *landing);
void hri_landing_give_up(hr_device *device, struct hri_landing *landing);
void hri_landing_forget(hr_device *device, uint64_t read);

/* Submits a read of `bytes` (> 0) from src into dst in pieces; the first waits, the last tells, as job->sync says.
 * Waits while more is under way than the cap. Without pinned memory it goes the driver's own way, which may wait. */
hr_status hri_landing_read(struct hri_job *job, hr_buffer *src, uint64_t offset, void *dst, uint64_t bytes);

#endif
