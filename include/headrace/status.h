/* What every function returns, and the text that goes with it. */
#ifndef HEADRACE_STATUS_H
#define HEADRACE_STATUS_H

#include <headrace/version.h>

HR_BEGIN_DECLS

/*
 * One list makes codes, names and texts. Zero is success; positive values are outcomes that a correct
 * program meets (the end of an epoch, a time limit); negative values are errors. Values never change.
 */
#define HR_STATUS_LIST(X)                                                                                              \
    X(OK, 0, "success")                                                                                                \
    X(END, 1, "no more batches in this epoch")                                                                         \
    X(TIMEOUT, 2, "the time limit passed; the object stays valid")                                                     \
    X(WOULD_BLOCK, 3, "the call would have had to wait, and was asked not to")                                         \
    X(INVALID, -1, "an argument is wrong")                                                                             \
    X(RANGE, -2, "an offset, index or size lies outside the object")                                                   \
    X(STATE, -3, "the call does not fit the object's present state")                                                   \
    X(NOT_FOUND, -4, "no such backend, device, file, kernel or setting")                                               \
    X(UNAVAILABLE, -5, "the backend or device is known but cannot be used on this machine")                            \
    X(UNSUPPORTED, -6, "this device cannot do it")                                                                     \
    X(UNIMPLEMENTED, -7, "no code for it has been written yet")                                                        \
    X(NO_MEMORY, -8, "out of host memory")                                                                             \
    X(NO_DEVICE_MEMORY, -9, "out of device memory, or over the device-memory budget")                                  \
    X(NO_PINNED_MEMORY, -10, "out of pinned host memory, or over the pinned-memory budget")                            \
    X(IO, -11, "a file could not be opened or read")                                                                   \
    X(FORMAT, -12, "the content of a file or of a text is not what it should be")                                      \
    X(BUILD, -13, "a kernel program failed to compile or link")                                                        \
    X(WOULD_DEADLOCK, -14, "waiting here could never end")                                                             \
    X(CANCELLED, -15, "the work was cancelled before it was submitted")                                                \
    X(DEVICE_LOST, -16, "the device failed; what it held is lost")                                                     \
    X(DRIVER, -17, "the driver reported an error that has no status of its own")                                       \
    X(FORKED, -18, "the device was opened before fork() and cannot be used in the child")                              \
    X(RACE, -19, "memory was used in an order that nothing guarantees; the layer strict found it")

typedef int32_t hr_status;

enum {
#define HR_STATUS_ENUM(name, value, text) HR_##name = (value),
    HR_STATUS_LIST(HR_STATUS_ENUM)
#undef HR_STATUS_ENUM
};

/** No limit, wherever a time limit in nanoseconds is asked for. */
#define HR_FOREVER UINT64_MAX

/**
 * The name of a status, "HR_TIMEOUT"; "HR_?" for a value that is none.
 *
 * Threads: any. Pointers: static. Since 0.1.
 */
HR_API const char *hr_status_name(hr_status status);

/**
 * One sentence that says what a status means in general.
 *
 * Threads: any. Pointers: static. Since 0.1.
 */
HR_API const char *hr_status_text(hr_status status);

/**
 * What went wrong in the last call of this thread that failed: the value, the limit, the remedy, and the
 * driver's own code where there is one. Empty when no call of this thread has failed.
 *
 * Threads: each has its own text. Pointers: valid until this thread's next failing call. Since 0.1.
 */
HR_API const char *hr_last_error(void);

HR_END_DECLS

#endif
