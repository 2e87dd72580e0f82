/* The rules of the fault layer: which call fails, how. */
#ifndef HRB_FAULT_H
#define HRB_FAULT_H

#include "backend.h"

#include <stdatomic.h>

/* Calls that can be told to fail, as bits. */
enum {
    FAULT_DEVICE = 1u << 0,    /* buffer_create of device memory */
    FAULT_PINNED = 1u << 1,    /* buffer_create of pinned memory */
    FAULT_IMPORT = 1u << 2,    /* buffer_import */
    FAULT_VIEW = 1u << 3,      /* buffer_view */
    FAULT_ACQUIRE = 1u << 4,   /* buffer_acquire */
    FAULT_RELEASE = 1u << 5,   /* buffer_release */
    FAULT_QUEUE = 1u << 6,     /* queue_create */
    FAULT_FINISH = 1u << 7,    /* queue_finish */
    FAULT_WAIT = 1u << 8,      /* queue_wait */
    FAULT_RECORD = 1u << 9,    /* event_record */
    FAULT_EVENT = 1u << 10,    /* event_wait, event_query */
    FAULT_UPLOAD = 1u << 11,   /* copy, copy_rect: host to device */
    FAULT_DOWNLOAD = 1u << 12, /* device to host */
    FAULT_MOVE = 1u << 13,     /* device to device */
    FAULT_FILL = 1u << 14,     /* fill */
    FAULT_BUILD = 1u << 15,    /* program_create, program_builtin, program_load */
    FAULT_KERNEL = 1u << 16,   /* kernel_create */
    FAULT_LAUNCH = 1u << 17,   /* kernel_launch */
    FAULT_ANY = (1u << 18) - 1,
    FAULT_COPY = FAULT_UPLOAD | FAULT_DOWNLOAD | FAULT_MOVE,
    FAULT_WORK = FAULT_COPY | FAULT_FILL | FAULT_LAUNCH /* what can fail when it is done */
};

struct fault_rule {
    uint32_t ops;        /* FAULT_... */
    uint32_t done;       /* 1: the work fails, not its submission */
    uint64_t n;          /* the first call that fails, from 1 */
    uint64_t every;      /* then each of so many */
    uint64_t count;      /* fails so often; 0: for ever */
    uint64_t least;      /* bytes; smaller calls do not count */
    hr_status status;    /* with which it fails */
    atomic_ullong calls; /* counted so far */
    char text[96];       /* the rule as written, for messages */
};

/* Reads "rule+rule"; *rules is freed by the caller. HR_INVALID says which part is wrong and what is known. */
hr_status hrb_fault_read(const struct hrb_services *services, const char *spec, struct fault_rule **rules,
                         uint32_t *n_rules);

#endif
