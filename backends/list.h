/*
 * The roster: one line a backend, X(name), in the order of `headrace info`; name is that of a
 * `const struct hrb_backend hrb_backend_NAME`. Then what is opened when the program and the environment name nothing.
 */
#ifndef HEADRACE_BACKEND_LIST_H
#define HEADRACE_BACKEND_LIST_H

#define HRB_BACKEND_LIST(X)                                                                                            \
    X(cuda)                                                                                                            \
    X(opencl)                                                                                                          \
    X(pocl)

/* X(name), in the order of HRB_LAYER_...: `const struct hrb_layer hrb_layer_NAME`. */
#define HRB_LAYER_LIST(X)                                                                                              \
    X(fault)                                                                                                           \
    X(trace)                                                                                                           \
    X(strict)

/*
 * X(backend, kind): the first usable device of that kind (HRB_ANY: of any, a GPU first) is opened; names that are not
 * in the roster are passed over. pocl stands before what else OpenCL may find, since that may be the same device
 * without the profile that serves it better.
 */
#define HRB_ANY UINT32_MAX
#define HRB_DEFAULT_ORDER(X)                                                                                           \
    X("cuda", HRB_ANY)                                                                                                 \
    X("opencl", HR_DEVICE_GPU)                                                                                         \
    X("opencl", HR_DEVICE_ACCELERATOR)                                                                                 \
    X("pocl", HRB_ANY)                                                                                                 \
    X("opencl", HRB_ANY)

#endif
