/* A small loader on a driver without a device, for unit tests: ten batches of ten rows in four fields of one word. */
#ifndef LOADER_RIG_H
#define LOADER_RIG_H

#include "fake/fake_backend.h"
#include "stream/loader.h"

enum { RIG_ROWS = 100, RIG_BATCH = 10, RIG_BATCHES = 10, RIG_FIELDS = 4 };

extern uint32_t rig_words[RIG_FIELDS][RIG_ROWS]; /* filled by the first open */

/* An eager driver; with shared memory for the route in place. */
struct fake *rig_fake(uint32_t route);
hr_dataset *rig_dataset(uint64_t rows);
hr_status rig_open_with(hr_device *dev, uint32_t route, uint32_t depth, uint32_t workers, hr_loader **loader);
hr_status rig_open(hr_device *dev, uint32_t route, uint32_t depth, hr_loader **loader); /* two workers */

#endif
