/* Which backends there are, what they found, and which device a selector names. */
#ifndef HRI_REGISTRY_H
#define HRI_REGISTRY_H

#include "backend.h"

#include <stddef.h>

/* A device of the registry: backend, its instance and the index within. */
struct hri_choice {
    const struct hrb_backend *backend;
    struct hrb_instance *instance;
    uint32_t index;
    hr_device_info info;
};

/* The device that a selector names (grammar: hr_device_open); probes backends on first use, once a process.
 * HR_NOT_FOUND with the nearest name and the list; HR_UNAVAILABLE with the backend's reason. */
hr_status hri_select(const char *selector, struct hri_choice *choice);

/* The instance of one backend, probing it if need be; for native contexts. */
hr_status hri_instance(const struct hrb_backend *backend, struct hrb_instance **instance);

/* The layer of that name, NULL when there is none; hri_layer_names() lists them for a message. */
const struct hrb_layer *hri_layer_find(const char *name);
const char *const *hri_layer_names(size_t *n);

extern const struct hrb_services hri_services;

#endif
