/* Opening a device that has been chosen; unit tests open their own this way. */
#ifndef HRI_OPEN_H
#define HRI_OPEN_H

#include "core/registry.h"

/* hr_device_open() without the selector. */
hr_status hri_device_open_choice(const struct hri_choice *choice, const hr_device_options *options, hr_device **device);

/* The same for a native context (choice->index and choice->info are then ignored). */
hr_status hri_device_open_as(const struct hri_choice *choice, const struct hrb_native *native,
                             const hr_device_options *options, hr_device **device);

/* layers.c: puts on what `spec` names, innermost first, and takes them off again. */
hr_status hri_layers_attach(hr_device *device, const char *spec);
void hri_layers_detach(hr_device *device);

/* budget.c: device->info's budgets, from options, settings or defaults. */
hr_status hri_budgets(const hr_device_options *options, hr_device_info *info);

/* exit.c: keeps count of the devices that are open, whose work ends when the process exits. */
void hri_exit_list(hr_device *device);
void hri_exit_unlist(hr_device *device);

#endif
