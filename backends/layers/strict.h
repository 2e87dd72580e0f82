/*
 * The strict layer's state. Two locks: `sending` is held while held work is submitted, which no driver waits in, so
 * that a queue's order is kept; `lock` guards everything else, is taken under it, and is short.
 *
 * Numbers: each queue numbers its work. A clock has a number a slot (a queue's place in all clocks): what has it is
 * ordered behind all work of that queue up to the number.
 */
#ifndef HRB_STRICT_H
#define HRB_STRICT_H

#include "backend.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

enum { STRICT_LAYER = HRB_LAYER_STRICT, STRICT_TEXT = 192, STRICT_MESSAGE = 768 };

/* What memory is overwritten with that must not be read: as a number absurdly large (-2.6e36, -67372037), and no NaN,
 * which comparisons let pass. */
enum { STRICT_POISON = 0xfb };

/* slices x rows x width bytes from `offset`: in a root buffer, or, in host memory, an address. */
struct strict_box {
    uint64_t offset;
    uint64_t width;
    uint64_t rows;
    uint64_t slices;
    uint64_t row_pitch;
    uint64_t slice_pitch;
};

/* BUSY: what became of several accesses that are too many to keep: it only says that the memory is in use. */
enum strict_kind { STRICT_READ, STRICT_WRITE, STRICT_KERNEL, STRICT_BUSY };

struct strict_access {
    enum strict_kind kind;
    uint32_t slot;
    uint64_t number;
    struct strict_box box;
    char text[STRICT_TEXT]; /* the call, for messages */
};

/* Accesses that are not known to be done. */
struct strict_accesses {
    struct strict_access *list; /* oldest first */
    uint32_t n;
    uint32_t room;
};

enum strict_state {
    STRICT_LIVE,
    STRICT_FREED,   /* in a pool's hands */
    STRICT_READY,   /* of a batch that the program has */
    STRICT_RELEASED /* of a batch that was given back; its loader's work alone may touch it */
};

/* The memory of a root buffer; its views share it. */
struct strict_memory {
    struct strict_memory *next;
    struct hrb_buffer *root;
    uint32_t id;
    enum strict_state state;
    uint64_t extent;                /* bytes in use of the root's */
    bool exposed;                   /* the native handle was given out */
    bool raw;                       /* the host was given its address without an op */
    bool due;                       /* to be poisoned once nothing uses it */
    const struct hrb_queue *filler; /* whose work refills it after RELEASED */
    struct hrb_event *poisoning;    /* the driver's; the poison's copy, not seen done */
    uint64_t changes;               /* raised by every use that may write */
    struct strict_accesses accesses;
    char last[STRICT_TEXT]; /* what ended the use: for messages */
};

struct strict_buffer { /* a buffer's word */
    struct strict_memory *memory;
    uint64_t base;
};

/* Memory that the host was given in place of a buffer's own by an acquire; kept, poisoned, after the release. */
struct strict_mirror {
    struct strict_mirror *next;
    struct hrb_buffer *buffer;
    struct strict_memory *memory;
    uint64_t base;
    uint64_t bytes;
    uint32_t mode;
    bool active;
    unsigned char *ptr;
    void *real; /* what the table below gave */
    char text[STRICT_TEXT];
};

struct strict_queue { /* a queue's word */
    struct hrb_queue *queue;
    uint32_t slot;
    uint32_t id;
    bool foreign;    /* work of the program's own: nothing is held back */
    uint64_t number; /* of its last work */
    uint64_t polled; /* up to here was asked for once while held */
    uint64_t *clock;
    hr_status status; /* what was found broken; the first stays */
    uint64_t from;    /* by work of this number */
    char message[STRICT_MESSAGE];
};

struct strict_slot {
    struct strict_queue *queue; /* NULL: gone */
    uint64_t number;            /* of the last work of a queue that is gone */
    uint64_t need;              /* hold.c: up to here must be submitted */
};

/* What the core has as an event: the copy that tells it may not have been submitted. */
struct strict_event {
    struct hrb_event head;
    unsigned refs; /* the core's, of the work that tells it, of work that waits for it */
    bool sent;
    struct hrb_event *real; /* once sent; NULL: that failed */
    uint32_t slot;
    uint64_t number;
    uint32_t n; /* of clock */
    uint64_t clock[];
};

enum strict_op_kind { STRICT_COPY, STRICT_RECT, STRICT_FILL, STRICT_LAUNCH, STRICT_WAIT, STRICT_RECORD };

struct strict_use {
    struct strict_memory *memory; /* NULL: host memory */
    enum strict_kind kind;
    uint32_t argument; /* of a kernel */
    struct strict_box box;
};

struct strict_answer {
    hr_status status;
    char message[STRICT_MESSAGE];
};

/* One piece of work, from the call to its end. */
struct strict_op {
    struct strict_op *next; /* of those held, in the order of the calls; or of those in flight */
    struct strict_op *prev;
    enum strict_op_kind kind;
    struct hrb_queue *queue;
    uint32_t slot;
    uint64_t number;
    bool needed;
    bool busy;                    /* being submitted */
    struct strict_answer *answer; /* of whoever waits for the submission, or NULL */

    struct hrb_place dst;
    struct hrb_place src;
    uint64_t width; /* bytes of a copy that is no rect, and of a fill */
    uint64_t rows;
    uint64_t slices;
    unsigned char pattern[16];
    uint32_t pattern_bytes;

    struct hrb_kernel *kernel;
    hr_grid grid;
    struct hrb_arg *args;
    uint32_t n_args;
    bool scalars; /* their sizes are known to be right */

    struct strict_event **waits;
    struct hrb_event **natives; /* of waits */
    uint32_t n_waits;
    uint32_t flags;
    struct strict_event *event; /* NULL: none */

    struct strict_use *uses;
    uint32_t n_uses;

    bool hashed; /* the source, at the call */
    bool late;   /* and it is looked at once more when the copy is done */
    uint64_t hash;
    bool poisoned; /* the destination, in memory that the host sees */
    bool suspicious;
    uint32_t suspect_slot; /* an earlier kernel, unordered, that may write what this copy reads */
    uint64_t suspect_number;
    uint64_t changes; /* of the source's memory, at the call */
    char text[STRICT_TEXT];
};

struct strict { /* a device's word */
    struct hrb_ops ops;
    struct hrb_device *device;
    const struct hrb_ops *below;
    const struct hrb_ops *driver; /* the backend's: the layer's own work is no call of other layers */
    pthread_mutex_t sending;

    pthread_mutex_t lock; /* what follows */
    uint64_t calls;       /* for messages: each call has a number */
    uint32_t n_buffers;
    uint32_t n_queues;
    struct strict_slot *slots;
    uint32_t n_slots;
    uint32_t room;     /* of slots and of every clock */
    uint64_t *known;   /* the host has seen all this done */
    uint64_t *maybe;   /* and may have seen this, by waits of the driver's own */
    uint64_t *scratch; /* the clock of the call that is being looked at */
    char message[STRICT_MESSAGE];
    struct strict_op *first;
    struct strict_op *last;
    uint32_t n_held;
    struct strict_op *flight; /* submitted, and to be looked at when done */
    struct strict_memory *memories;
    struct strict_mirror *mirrors;
    struct strict_accesses host;
    struct hrb_queue *own_queue; /* poison.c */
    struct hrb_buffer *own_block;
    struct strict_memory *parked; /* destroyed, but for a poison's copy that is under way */
};

/* -- strict_box.c -------------------------------------------------------------------------------------------------- */

struct strict_box hrb_strict_line(uint64_t offset, uint64_t bytes);
uint64_t hrb_strict_end(const struct strict_box *box); /* past its last byte */
bool hrb_strict_is_line(const struct strict_box *box);
bool hrb_strict_meet(const struct strict_box *a, const struct strict_box *b);
/* Has `outer`, a line, all bytes of `inner`? */
bool hrb_strict_covers(const struct strict_box *outer, const struct strict_box *inner);

/* -- strict_bytes.c: of a box whose offsets are addresses ---------------------------------------------------------- */

uint64_t hrb_strict_hash(const struct strict_box *box);
void hrb_strict_spoil(const struct strict_box *box); /* fills it with poison */
bool hrb_strict_spoilt(const struct strict_box *box);

/* -- strict_clock.c: under the lock -------------------------------------------------------------------------------- */

hr_status hrb_strict_slot_take(struct strict *s, struct strict_queue *queue);
void hrb_strict_slot_give(struct strict *s, struct strict_queue *queue);
void hrb_strict_join(uint64_t *to, const uint64_t *from, uint32_t n);

/* -- strict_order.c: under the lock -------------------------------------------------------------------------------- */

/* Is the call in order (s->scratch: its clock)? HR_RACE is logged and kept for both queues; s->message has the text. */
hr_status hrb_strict_ordered(struct strict *s, struct strict_op *op);
/* Adds the accesses of a call that was found in order, and forgets those that tell nothing more. */
void hrb_strict_accessed(struct strict *s, const struct strict_op *op);
/* A call that was not carried out. */
void hrb_strict_forget(struct strict *s, uint32_t slot, uint64_t number);
/* The first access of `box` that `clock` does not have and that is of a kind in `kinds` (bits), or NULL. */
const struct strict_access *hrb_strict_pending(const struct strict_accesses *accesses, const uint64_t *clock,
                                               const struct strict_box *box, uint32_t kinds);
/* The same of a box in any memory. memory NULL: host memory. */
const struct strict_access *hrb_strict_unseen(struct strict *s, struct strict_memory *memory, const uint64_t *clock,
                                              const struct strict_box *box, uint32_t kinds);
const struct strict_access *hrb_strict_access_of(const struct strict_accesses *accesses, uint32_t slot,
                                                 uint64_t number);

/* -- strict_hold.c ------------------------------------------------------------------------------------------------- */

/* Under the lock. */
void hrb_strict_hold(struct strict *s, struct strict_op *op);
bool hrb_strict_held(const struct strict *s, uint32_t slot, uint64_t number);
void hrb_strict_unrecord(struct strict *s, const struct strict_event *event); /* a record that nobody has any more */
/* Submit what is held: of a queue, up to a number; all; what refers to an object. And what that waits for. No lock. */
void hrb_strict_send(struct strict *s, uint32_t slot, uint64_t number);
void hrb_strict_send_all(struct strict *s);
void hrb_strict_send_users(struct strict *s, const void *object);

/* strict_submit.c: gives one to the table below, under `sending`. */
void hrb_strict_submit(struct strict *s, struct strict_op *op);
void hrb_strict_source_changed(struct strict *s, const struct strict_op *op); /* under the lock */

/* -- strict_op.c --------------------------------------------------------------------------------------------------- */

/* NULL is described. */
struct strict_op *hrb_strict_op_new(struct strict *s, enum strict_op_kind kind, struct hrb_queue *queue,
                                    const struct hrb_sync *sync);
hr_status hrb_strict_op_args(struct strict_op *op, const struct hrb_arg *args, uint32_t n_args, bool keep);
hr_status hrb_strict_op_uses(struct strict_op *op, uint32_t most); /* makes room for them */
void hrb_strict_op_drop(struct strict_op *op);
void hrb_strict_op_free(struct strict *s, struct strict_op *op);                      /* under the lock */
void hrb_strict_event_drop(struct strict *s, struct strict_event *event);             /* under the lock */
struct strict_event *hrb_strict_event_new(struct strict *s, struct hrb_queue *queue); /* NULL is described */
/* The bytes of a use for the host, as a box of addresses; false where it does not see them. */
bool hrb_strict_visible(const struct strict_use *use, struct strict_box *box);

/* -- strict_call.c: the table's calls that enqueue ----------------------------------------------------------------- */

void hrb_strict_call_ops(struct hrb_ops *ops);
/* Work that has no call of the table: gets a number and its accesses; under the lock. */
hr_status hrb_strict_mark(struct strict *s, struct strict_queue *queue, const struct strict_use *use, const char *text);

/* -- strict_poison.c: under the lock ------------------------------------------------------------------------------- */

/* Nothing uses the bytes that the host has not seen done. memory NULL: host memory. */
bool hrb_strict_idle(struct strict *s, struct strict_memory *memory, const struct strict_box *box);
/* Takes the source's hash and poisons the destination. */
void hrb_strict_look(struct strict *s, struct strict_op *op);
void hrb_strict_poison(struct strict *s, struct strict_memory *memory, const struct strict_box *box);
void hrb_strict_poison_due(struct strict *s, struct strict_memory *memory);
/* Later work of `queue` is behind the poison's copy. */
void hrb_strict_poison_order(struct strict *s, struct strict_memory *memory, struct hrb_queue *queue);
/* The host is. Without the lock. */
void hrb_strict_poison_wait(struct strict *s, struct strict_memory *memory);
bool hrb_strict_poison_done(struct strict *s, struct strict_memory *memory);
void hrb_strict_own_close(struct strict *s);
/* Reads device memory into `to`, past all queues; false: it cannot be. No lock. */
bool hrb_strict_fetch(struct strict *s, struct strict_memory *memory, const struct strict_box *box, void *to);

/* -- strict_memory.c, strict_access.c, strict_note.c --------------------------------------------------------------- */

void hrb_strict_memory_ops(struct hrb_ops *ops, const struct hrb_ops *below);
void hrb_strict_memory_close(struct strict *s);
bool hrb_strict_alive(const struct strict *s, const struct strict_memory *memory); /* under the lock */
void hrb_strict_access_ops(struct hrb_ops *ops);
/* Under the lock. May the call use this host memory, these buffers? HR_INVALID, HR_RACE. */
hr_status hrb_strict_allowed(struct strict *s, const struct strict_op *op);
hr_status hrb_strict_pointer(struct strict *s, const char *what, const void *pointer, uint64_t bytes);
/* Under the lock. Was it written to after its release? HR_RACE. */
hr_status hrb_strict_mirror_check(struct strict *s, const struct strict_mirror *mirror);
/* Under the lock. Frees the mirrors of a buffer (NULL: any) of that memory, once looked at. */
void hrb_strict_mirrors_end(struct strict *s, const struct strict_memory *memory, const struct hrb_buffer *buffer);
void hrb_strict_note(uint32_t kind, struct hrb_buffer *buffer, const struct hrb_range *range, struct hrb_queue *queue);

/* -- strict_queue.c, strict_wait.c --------------------------------------------------------------------------------- */

void hrb_strict_queue_ops(struct hrb_ops *ops, const struct hrb_ops *below);
void hrb_strict_wait_ops(struct hrb_ops *ops);
/* All work of the queue so far is done, seen and looked at. WAITS. */
hr_status hrb_strict_finish(struct strict *s, struct hrb_queue *queue);
/* strict_witness.c. The downloads of a list, which are done: did a kernel that they did not wait for change what they
 * read? Frees them. WAITS. */
void hrb_strict_witness(struct strict *s, struct strict_op *list);

/* -- strict_report.c ----------------------------------------------------------------------------------------------- */

/* Under the lock. Keeps what was found broken for the queue of a slot, from work of a number on; _broken logs it too.
 */
void hrb_strict_keep(struct strict *s, uint32_t slot, uint64_t number, hr_status status, const char *message);
void hrb_strict_broken(struct strict *s, uint32_t slot, uint64_t number, hr_status status, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* What is kept for work of that number, described; else HR_OK. */
hr_status hrb_strict_verdict(struct strict *s, struct strict_queue *queue, uint64_t number);
void hrb_strict_describe(struct strict *s, struct strict_op *op); /* op->text */
const char *hrb_strict_queue_name(const struct strict_queue *queue, char text[48]);

static inline struct strict *hrb_strict_of(const struct hrb_device *device)
{
    return device->word[STRICT_LAYER];
}

static inline struct strict_queue *hrb_strict_queue(const struct hrb_queue *queue)
{
    return queue->word[STRICT_LAYER];
}

static inline struct strict_buffer *hrb_strict_buffer(const struct hrb_buffer *buffer)
{
    return buffer->word[STRICT_LAYER];
}

#endif
