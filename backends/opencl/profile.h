/* What tells one backend that is made of this code from another: pocl is a profile of opencl. */
#ifndef HRB_OPENCL_PROFILE_H
#define HRB_OPENCL_PROFILE_H

#include "backend.h"

#include <stdbool.h>

struct hri_cl_profile {
    const char *platform; /* only platforms of this name; NULL: all */
    bool shared_memory;   /* device buffers are host memory where the device offers fine-grained sharing */
    const char *remedy;   /* what to do when no device is found */
};

/* The table that every profile uses. */
extern const struct hrb_ops hri_cl_ops;

#endif
