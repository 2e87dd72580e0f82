/* The inside of a loader: what the feeder, the workers, the routes and the program's calls share. */
#ifndef HRI_LOADER_H
#define HRI_LOADER_H

#include "core/message.h"
#include "stream/order.h"
#include "stream/plan.h"
#include "stream/ring.h"
#include "stream/source.h"
#include "transfer/transfer.h"

#include "backend.h"

#include <headrace/loader.h>
#include <pthread.h>
#include <stdatomic.h>

/* Longest host wait before the feeder looks whether it should stop: closing never waits for a kernel. */
#define HRI_WAIT_SLICE_NS 20000000u

/* Events that a slot's memory must see done before it is overwritten. */
struct hri_waits {
    hr_event **events;
    uint32_t count;
    uint32_t room;
};

/* A slot's memory and its batch. It changes only as the ring allows: by the feeder while FREE or SENDING, by workers
 * (ids, rows) while FILLING, by the holder while LEASED. */
struct hr_batch {
    hr_loader *loader;
    uint32_t slot;
    hr_buffer *block;       /* device memory of all fields */
    hr_buffer **fields;     /* views of block, one a field */
    hr_buffer *staging;     /* pinned memory, laid out like block; NULL where the route needs none */
    unsigned char *host;    /* where workers gather to: staging's or block's first byte; NULL: they gather ids alone */
    uint64_t *ids;          /* plan.part row numbers */
    hr_buffer *ids_staging; /* resident: pinned memory that holds `ids` */
    hr_buffer *ids_device;  /* resident */
    void *read_back;        /* without `host`: for hr_batch_host(), made on demand, `block` long */
    uint64_t read_back_of;  /* the generation that read_back holds, 0 for none */

    uint64_t epoch;
    uint64_t index; /* in the epoch */
    struct hri_part part;
    struct hri_order order;
    hr_event *ready;         /* the copy or gather that fills block; NULL: nothing was submitted */
    struct hri_waits uses;   /* of the memory as it is now, to be seen before it is overwritten */
    struct hri_waits before; /* that `ready` itself waits for on the device */
    uint64_t used;           /* the compute queue's number that its use ends with, where `uses` has no event for it */
    uint64_t before_used;    /* the same of `before` */

    pthread_t holder; /* while LEASED */
    uint64_t mark;    /* of the compute queue when it was leased */
};

/* A route fills slots. Constant tables; see route_*.c. All run on the feeder thread but open and close. */
struct hri_route {
    uint32_t id;
    const char *name;
    /* Can it serve this device? HR_UNSUPPORTED says why not. */
    hr_status (*check)(const hr_loader *loader);
    /* Makes each slot's memory, and the route's own; close() undoes what there is. */
    hr_status (*open)(hr_loader *loader);
    /* What open() takes of a budget for so many slots. */
    uint64_t (*device_bytes)(const hr_loader *loader, uint32_t depth);
    uint64_t (*pinned_bytes)(const hr_loader *loader, uint32_t depth);
    /* Once, before the first fill; may submit; *sent: bytes on the link. Optional. */
    hr_status (*begin)(hr_loader *loader, uint64_t *sent);
    /* The event, not done yet, that keeps workers from writing to a FREE slot; NULL when there is none. `use`: it is
     * the device's use of the slot (else its copy). */
    hr_status (*blocker)(hr_batch *slot, hr_event **event, bool *use);
    /* Submits what brings a FILLED slot to the device and sets slot->ready; *sent: bytes on the link. NULL: nothing to
     * submit. */
    hr_status (*send)(hr_batch *slot, uint64_t *sent);
};

extern const struct hri_route hri_route_staged;
extern const struct hri_route hri_route_in_place;
extern const struct hri_route hri_route_resident;

/* Where a field lies in a slot. */
struct hri_layout {
    uint64_t *offsets; /* one a field */
    uint64_t bytes;    /* of a slot, rounded as the allocator rounds */
};

/* Times and counts of the epoch that was started last; under the lock. */
struct hri_tally {
    uint64_t epoch, batches, rows, bytes, link_bytes;
    uint64_t start_ns, end_ns, first_ns;
    uint64_t next_wait_ns, slot_wait_ns, send_wait_ns, gather_ns;
};

struct hr_loader {
    atomic_uint refs; /* the program's handle, and every leased batch */
    hr_device *device;
    struct hrb_trace *trace; /* the device's; NULL: no spans */
    hr_dataset *dataset;
    hr_queue *compute;
    hr_queue *copy_in; /* the device's own */
    const struct hri_route *route;
    struct hri_plan plan;
    struct hri_layout layout;
    uint32_t shuffle;
    uint32_t depth;
    uint32_t workers;
    bool on_cores; /* the device computes on the cores that gather */
    uint64_t seed;
    uint64_t share_rows;  /* a worker's share of a batch */
    uint64_t feeder_rows; /* the feeder's */
    uint32_t refill;      /* released slots that the feeder is woken for */
    hr_batch *slots;
    struct hri_failure failure;

    /* staged, where the rows are ordered and lie in memory that the device copies from directly: that memory, a field
     */
    bool covered;
    hr_buffer **covers;

    /* resident: the data set on the device, one buffer a field, and its gather kernels */
    hr_buffer **resident;
    hr_kernel **gathers;
    hr_buffer *upload; /* pinned memory for the copy of the data set, two halves; NULL once that is submitted */

    pthread_t *threads; /* [0] is the feeder */
    uint32_t n_threads; /* started */

    pthread_mutex_t lock; /* guards what follows; never held over a call into the transfer layer */
    pthread_cond_t feeder_wakes;
    pthread_cond_t workers_wake;
    pthread_cond_t program_wakes; /* next() and close_within() */
    struct hri_ring ring;
    uint64_t kicks;    /* raised whenever the feeder may have something to do */
    uint32_t released; /* slots, since the feeder was woken for them */
    uint32_t waiting;  /* threads in next(), for a batch to come */
    bool held_up;      /* the feeder waits for fills to end before it waits for the device */
    bool started;
    bool stopping;
    uint32_t exited;     /* threads */
    uint32_t named;      /* workers, on a timeline */
    uint64_t feed_epoch; /* of the next fill */
    uint64_t feed_index;
    uint64_t looked;      /* the feeder's: the ticket whose copy has not been seen done yet */
    uint64_t copy_behind; /* the feeder's: the compute queue's number that copy_in waits for already */
    uint64_t epoch;       /* that the program walks through */
    uint64_t given;       /* batches of it delivered */
    struct hri_tally tally;
};

/* setup.c: everything between the handles and the threads; unset() gives the memory back. */
hr_status hri_loader_setup(hr_loader *loader, const hr_loader_options *options);
void hri_loader_unset(hr_loader *loader);

/* feeder.c, worker.c: the threads' functions; argument: the loader. */
void *hri_feeder_main(void *loader);
void *hri_worker_main(void *loader);

/* With the lock held: claims at most `most` rows, fills them with the lock dropped, and tells the feeder. False:
 * nothing to do. */
bool hri_worker_step(hr_loader *loader, uint64_t most);

/* The end of that, with the lock held: the share is filled. */
void hri_worker_done(hr_loader *loader, const struct hri_claim *claim);

/* Tells the feeder to look again, whether it sleeps or is about to. With the lock held. */
void hri_feeder_kick(hr_loader *loader);

/* Has the feeder refill what was released. With the lock held, which it drops meanwhile. */
void hri_loader_refill(hr_loader *loader);

/* Keeps the first failure and wakes everybody. With the lock held. */
void hri_loader_fail(hr_loader *loader, hr_status status);

/* slots.c: memory of the slots, for the routes' open. */
/* What staged and resident have in common: `ready` is what reads the slot's host memory. */
hr_status hri_slots_blocker(hr_batch *slot, hr_event **event, bool *use);
/* Later copies wait on the device for the slot's uses. */
hr_status hri_slots_order(hr_batch *slot);
/* After a submission: `ready` becomes the new event, and `uses` what it waited for. */
void hri_slots_sent(hr_batch *slot, hr_event *ready);
/* Tells layers that workers are about to write to the slot's host memory. */
void hri_slots_gather(hr_batch *slot);
hr_status hri_slots_device(hr_loader *loader);  /* block and its views */
hr_status hri_slots_staging(hr_loader *loader); /* staging */
hr_status hri_slots_ids(hr_loader *loader);     /* ids in plain memory */
void hri_slots_close(hr_loader *loader);

/* waits.c */
hr_status hri_waits_add(struct hri_waits *waits, hr_event *event);    /* takes the event over */
hr_status hri_waits_first(struct hri_waits *waits, hr_event **event); /* first not done, NULL when all are */
hr_status hri_waits_order(struct hri_waits *waits, hr_queue *queue);  /* queue waits for all, on the device */
void hri_waits_clear(struct hri_waits *waits);
void hri_waits_free(struct hri_waits *waits);

/* spans.c: what the loader's threads and the program's show on a timeline; called where there is one. */
void hri_span_gather(const hr_batch *slot, const struct hri_claim *claim, uint64_t begin, uint64_t end);
/* Around a submission: what the thread submits is about that batch. */
void hri_span_send_begin(const hr_batch *slot);
void hri_span_send_end(const hr_batch *slot, uint64_t begin, hr_status st);
/* next() gave the batch to this thread, having waited from `begin` on if that is not 0. */
void hri_span_given(const hr_batch *batch, uint64_t begin);
void hri_span_mark(const hr_batch *batch, const char *name);
void hri_span_released(const hr_batch *batch);

void hri_loader_release(hr_loader *loader); /* the last one frees */

#endif
