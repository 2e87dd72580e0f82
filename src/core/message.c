/* The thread's last message, and the first failure of a scope. */
#include "core/message.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char last[HRI_MESSAGE_BYTES];

const char *hr_last_error(void)
{
    return last;
}

/* Formats apart first: an argument may point into `last`. Leaves room for `tail`. */
static void describe(const char *format, va_list args, const char *tail)
{
    char text[HRI_MESSAGE_BYTES];
    size_t room = sizeof text - strlen(tail);
    int length = vsnprintf(text, room, format, args);
    size_t used = length < 0 ? 0 : (size_t)length;

    if (used >= room)
        used = room - 1;
    memcpy(last, text, used);
    memcpy(last + used, tail, strlen(tail) + 1);
}

hr_status hri_fail(hr_status status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    describe(format, args, "");
    va_end(args);
    return status;
}

hr_status hri_fail_native(hr_status status, int64_t native, const char *format, ...)
{
    char tail[48] = "";
    va_list args;

    if (native != 0)
        snprintf(tail, sizeof tail, " (native code %lld)", (long long)native);
    va_start(args, format);
    describe(format, args, tail);
    va_end(args);
    return status;
}

hr_status hri_fail_context(hr_status status, const char *format, ...)
{
    char prefix[HRI_MESSAGE_BYTES];
    va_list args;

    va_start(args, format);
    vsnprintf(prefix, sizeof prefix, format, args);
    va_end(args);
    return hri_fail(status, "%s: %s", prefix, last);
}

void hri_message_keep(char *kept)
{
    memcpy(kept, last, strlen(last) + 1);
}

void hri_message_put_back(const char *kept)
{
    memcpy(last, kept, strlen(kept) + 1);
}

hr_status hri_failure_set(struct hri_failure *failure, hr_status status)
{
    int none = 0;

    if (status >= 0 || !atomic_compare_exchange_strong(&failure->state, &none, 1))
        return status;
    failure->status = status;
    memcpy(failure->message, last, sizeof failure->message);
    atomic_store_explicit(&failure->state, 2, memory_order_release);
    return status;
}

hr_status hri_failure_get(struct hri_failure *failure)
{
    if (atomic_load_explicit(&failure->state, memory_order_acquire) != 2)
        return HR_OK;
    memcpy(last, failure->message, sizeof last);
    return failure->status;
}
