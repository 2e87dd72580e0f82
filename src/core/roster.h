/* A roster of backends and what probing them found. The process has one (registry.c); tests make their own. */
#ifndef HRI_ROSTER_H
#define HRI_ROSTER_H

#include "core/registry.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define HRI_REASON_BYTES 512

struct hri_entry {
    const struct hrb_backend *backend; /* NULL ends the roster */
    bool probed;
    hr_status status;              /* of the probe */
    struct hrb_instance *instance; /* when status is HR_OK */
    uint32_t count;                /* devices; > 0 when status is HR_OK */
    char reason[HRI_REASON_BYTES]; /* else why it cannot be used */
};

/* A line of the default order: backend and kind of device, HRB_ANY for any. */
struct hri_preference {
    const char *backend; /* NULL ends the order */
    uint32_t kind;
};

struct hri_roster {
    pthread_mutex_t lock; /* over probing and over all instance ops */
    atomic_int process;   /* that probed first; drivers do not survive fork() */
    struct hri_entry *entries;
    const struct hri_preference *order;
};

/* Takes the lock; HR_FORKED in a child of the process that probed. */
hr_status hri_roster_lock(struct hri_roster *roster);
void hri_roster_unlock(struct hri_roster *roster);

/* The rest is called under the lock. */

/* The entry of that name (not ended by NUL), NULL when there is none. */
struct hri_entry *hri_roster_find(struct hri_roster *roster, const char *name, size_t length);

/* Probes the entry if nobody has; answers the probe's status in silence: entry->reason has the text. */
hr_status hri_entry_probe(struct hri_entry *entry);

/* Describes device `index` of a probed, usable entry. A device that cannot be described is unusable, with the reason.
 */
void hri_entry_describe(const struct hri_entry *entry, uint32_t index, hr_device_info *info);

/* As hr_device_count() and hr_device_describe(). */
uint32_t hri_roster_count(struct hri_roster *roster);
hr_status hri_roster_describe(struct hri_roster *roster, uint32_t index, hr_device_info *info);

/* selector.c: the device that a selector (never empty) names. Errors as hr_device_open(). */
hr_status hri_roster_select(struct hri_roster *roster, const char *selector, struct hri_choice *choice);

/* The first device by the order; `device`: only of those that it names (a selector's part after the backend), "": all.
 */
hr_status hri_roster_default(struct hri_roster *roster, const char *device, struct hri_choice *choice);

/* registry.c: by the values of HEADRACE_BACKEND and HEADRACE_DEVICE, "" when unset, which errors name: the program did
 * not write this selector. */
hr_status hri_roster_environment(struct hri_roster *roster, const char *backend, const char *device,
                                 struct hri_choice *choice);

/* table.c: whether a backend's table is whole; `reason` gets what is wrong. Needs no lock. */
bool hri_table_check(const struct hrb_backend *backend, char *reason, size_t room);

#endif
