/* Which host memory and which buffers a call may name. What is refused is in s->message, and in the log. */
#include "layers/strict.h"

#include <stdarg.h>
#include <stdio.h>

static hr_status refuse(struct strict *s, hr_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static hr_status refuse(struct strict *s, hr_status status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(s->message, sizeof s->message, format, args);
    va_end(args);
    s->device->services->log(HRB_LOG_ERROR, "%s", s->message);
    return status;
}

static bool overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

static hr_status wrong_pointer(struct strict *s, hr_status status, const char *what, const void *pointer,
                               const char *text)
{
    return refuse(s, status, "layer strict: %s at %p %s", what, pointer, text);
}

hr_status hrb_strict_pointer(struct strict *s, const char *what, const void *pointer, uint64_t bytes)
{
    const uint64_t at = (uintptr_t)pointer;

    for (const struct strict_mirror *mirror = s->mirrors; mirror; mirror = mirror->next)
        if (!mirror->active && overlap(at, bytes, (uintptr_t)mirror->ptr, mirror->bytes))
            return wrong_pointer(s, HR_INVALID, what, pointer,
                                 "is what hr_buffer_acquire() gave of a device buffer, and hr_buffer_release() has "
                                 "ended: a device has memory of its own; acquire the buffer anew, or copy from the "
                                 "buffer itself");
    for (const struct strict_memory *memory = s->memories; memory; memory = memory->next) {
        if (!memory->root->host || !overlap(at, bytes, (uintptr_t)memory->root->host, memory->root->bytes))
            continue;
        if (memory->root->kind == HR_MEMORY_PINNED && memory->state == STRICT_FREED)
            return wrong_pointer(s, HR_RACE, what, pointer, "lies in a pinned buffer that was closed");
        if (memory->root->kind == HR_MEMORY_DEVICE && memory->state == STRICT_RELEASED)
            return wrong_pointer(s, HR_RACE, what, pointer,
                                 "is what hr_batch_host() gave of a batch that was released");
        if (memory->root->kind == HR_MEMORY_DEVICE && memory->state != STRICT_READY && !memory->raw)
            return wrong_pointer(s, HR_INVALID, what, pointer,
                                 "lies in a device buffer: a device has memory of its own, so copy from the buffer "
                                 "itself, or acquire it");
    }
    return HR_OK;
}

static const void *host_of(const struct hrb_place *place)
{
    return place->host ? (const char *)place->host + place->offset : NULL;
}

/* A number as wide as a pointer that is one into device memory: only where both are the host's would a kernel reach it.
 */
static hr_status scalar(struct strict *s, const struct strict_op *op, uint32_t i)
{
    uint64_t value;
    char what[STRICT_TEXT + 32];

    if (op->args[i].bytes != sizeof value)
        return HR_OK;
    memcpy(&value, op->args[i].data, sizeof value);
    snprintf(what, sizeof what, "argument %u of %s", i, op->text);
    for (const struct strict_mirror *mirror = s->mirrors; mirror; mirror = mirror->next)
        if (value - (uintptr_t)mirror->ptr < mirror->bytes)
            return wrong_pointer(s, HR_INVALID, what, mirror->ptr + (value - (uintptr_t)mirror->ptr),
                                 "is a pointer that hr_buffer_acquire() gave to the host: give the kernel the buffer");
    for (const struct strict_memory *memory = s->memories; memory; memory = memory->next)
        if (memory->root->host && memory->root->kind == HR_MEMORY_DEVICE &&
            value - (uintptr_t)memory->root->host < memory->root->bytes)
            return wrong_pointer(s, HR_INVALID, what, (const void *)(uintptr_t)value,
                                 "is the host's pointer into a device buffer: give the kernel the buffer");
    return HR_OK;
}

static hr_status state(struct strict *s, const struct strict_op *op, const struct strict_use *use)
{
    const struct strict_memory *memory = use->memory;

    hr_status st;

    if (memory->state != STRICT_RELEASED || memory->filler == op->queue)
        return HR_OK;
    st = refuse(s, HR_RACE,
                "layer strict: %s uses buffer %u, which belongs to a batch that was released: release it after the "
                "last call that uses it",
                op->text, memory->id);
    hrb_strict_keep(s, op->slot, hrb_strict_queue(op->queue)->number + 1, st, s->message);
    return st;
}

/* The host has it, or has had it and not let go. */
static hr_status mirrored(struct strict *s, const struct strict_op *op, const struct strict_use *use)
{
    for (struct strict_mirror *mirror = s->mirrors; mirror; mirror = mirror->next) {
        if (mirror->memory != use->memory ||
            !overlap(mirror->base, mirror->bytes, use->box.offset, hrb_strict_end(&use->box) - use->box.offset))
            continue;
        if (!mirror->active) {
            hr_status st = hrb_strict_mirror_check(s, mirror);

            if (st != HR_OK)
                return st;
        } else if ((mirror->mode & HR_ACCESS_WRITE) || use->kind == STRICT_WRITE) {
            return refuse(s, HR_RACE,
                          "layer strict: %s uses buffer %u while the host has it: call hr_buffer_release() before",
                          op->text, use->memory->id);
        }
    }
    return HR_OK;
}

hr_status hrb_strict_allowed(struct strict *s, const struct strict_op *op)
{
    char what[STRICT_TEXT + 32];
    hr_status st = HR_OK;

    for (uint32_t i = 0; i < op->n_uses && st == HR_OK; i++) {
        const struct strict_use *use = &op->uses[i];

        if (use->memory) {
            st = state(s, op, use);
            if (st == HR_OK)
                st = mirrored(s, op, use);
            continue;
        }
        snprintf(what, sizeof what, "the %s of %s", i == 0 ? "destination" : "source", op->text);
        st = hrb_strict_pointer(s, what, host_of(i == 0 ? &op->dst : &op->src),
                                hrb_strict_end(&use->box) - use->box.offset);
    }
    for (uint32_t i = 0; op->scalars && i < op->n_args && st == HR_OK; i++)
        if (!op->args[i].buffer)
            st = scalar(s, op, i);
    return st;
}
