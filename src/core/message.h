/* The thread's last message, and failures that stay. */
#ifndef HRI_MESSAGE_H
#define HRI_MESSAGE_H

#include <headrace/status.h>
#include <stdatomic.h>
#include <stdint.h>

#define HRI_MESSAGE_BYTES 1024

/* Describes a failure of this thread and returns `status`: the function that decides an error calls it, once; callers
 * pass the status up in silence. A message says what, the value, the limit and the remedy. */
hr_status hri_fail(hr_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same with a driver's code, which is appended as " (native code N)" when not 0. services->fail. */
hr_status hri_fail_native(hr_status status, int64_t native, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "prefix: " before this thread's message and returns status; for a caller that knows more. */
hr_status hri_fail_context(hr_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts the thread's message aside, and back: what a call gets over, or has no status to tell by, is not the last
 * failing call's. `kept` has HRI_MESSAGE_BYTES. */
void hri_message_keep(char *kept);
void hri_message_put_back(const char *kept);

/* The first failure of a scope (queue, device, loader). Zero-initialised is "none". Threads: any. */
struct hri_failure {
    atomic_int state; /* 0 none, 1 being written, 2 set */
    hr_status status;
    char message[HRI_MESSAGE_BYTES];
};

/* Keeps `status` and this thread's message unless a failure is there already; returns `status`. Outcomes (status >= 0)
 * are no failures. */
hr_status hri_failure_set(struct hri_failure *failure, hr_status status);

/* HR_OK, or the kept failure with its message made this thread's. One that is just being kept may be seen late. */
hr_status hri_failure_get(struct hri_failure *failure);

#endif
