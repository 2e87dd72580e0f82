/*
 * PoCL: the processor as a device, its memory the host's. A profile of the OpenCL backend: device buffers are
 * fine-grained shared memory there, so batches are gathered straight into them and nothing is copied.
 */
#include "opencl/profile.h"

static const struct hri_cl_profile profile = {
    .platform = "Portable Computing Language",
    .shared_memory = true,
    .remedy = "install PoCL (package pocl-opencl-icd)",
};

extern const struct hrb_backend hrb_backend_pocl;

const struct hrb_backend hrb_backend_pocl = {
    .size = sizeof(struct hrb_backend),
    .abi = HRB_ABI,
    .name = "pocl",
    .summary = "the processor through PoCL, without copies",
    .ops = &hri_cl_ops,
    .profile = &profile,
};
