/* Checks a backend's table before it is used: version, size, required ops, groups that go together. */
#include "core/roster.h"

#include <stdio.h>

/* Every op but the optional ones. */
#define REQUIRED_OPS(X)                                                                                                \
    X(probe)                                                                                                           \
    X(device_count)                                                                                                    \
    X(device_describe)                                                                                                 \
    X(device_open)                                                                                                     \
    X(device_close)                                                                                                    \
    X(device_info)                                                                                                     \
    X(buffer_create)                                                                                                   \
    X(buffer_view)                                                                                                     \
    X(buffer_destroy)                                                                                                  \
    X(buffer_acquire)                                                                                                  \
    X(buffer_release)                                                                                                  \
    X(queue_create)                                                                                                    \
    X(queue_destroy)                                                                                                   \
    X(queue_finish)                                                                                                    \
    X(queue_wait)                                                                                                      \
    X(event_record)                                                                                                    \
    X(event_wait)                                                                                                      \
    X(event_query)                                                                                                     \
    X(event_destroy)                                                                                                   \
    X(copy)                                                                                                            \
    X(copy_rect)                                                                                                       \
    X(fill)                                                                                                            \
    X(program_create)                                                                                                  \
    X(program_destroy)                                                                                                 \
    X(kernel_create)                                                                                                   \
    X(kernel_destroy)                                                                                                  \
    X(kernel_launch)

static const char *missing_op(const struct hrb_ops *ops)
{
#define LOOK(op)                                                                                                       \
    if (!ops->op)                                                                                                      \
        return #op;
    REQUIRED_OPS(LOOK)
#undef LOOK
    return NULL;
}

static bool natives_go_together(const struct hrb_ops *ops)
{
    bool device = ops->device_native, queue = ops->queue_native, buffer = ops->buffer_native;

    return device == queue && queue == buffer;
}

bool hri_table_check(const struct hrb_backend *backend, char *reason, size_t room)
{
    const struct hrb_ops *ops = backend->ops;
    const char *missing;

    if (backend->size != sizeof *backend || backend->abi != HRB_ABI || !ops || ops->size != sizeof *ops ||
        ops->abi != HRB_ABI) {
        snprintf(reason, room, "its table is not of version %u, which this library takes", HRB_ABI);
        return false;
    }
    missing = missing_op(ops);
    if (missing) {
        snprintf(reason, room, "its table lacks the required op %s", missing);
        return false;
    }
    if (!natives_go_together(ops)) {
        snprintf(reason, room, "its table has some of device_native, queue_native and buffer_native, not all");
        return false;
    }
    return true;
}
