/* What is found broken: said at once in the log, and by the queue's waits from then on. And how calls are called. */
#include "layers/strict.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const roles[] = {
    [HR_QUEUE_COMPUTE] = "compute", [HR_QUEUE_COPY_IN] = "copy in", [HR_QUEUE_COPY_OUT] = "copy out"};

const char *hrb_strict_queue_name(const struct strict_queue *queue, char text[48])
{
    uint32_t role = queue->queue->role;

    snprintf(text, 48, "queue %u (%s)", queue->id, role < sizeof roles / sizeof roles[0] ? roles[role] : "other");
    return text;
}

void hrb_strict_keep(struct strict *s, uint32_t slot, uint64_t number, hr_status status, const char *message)
{
    struct strict_queue *queue = s->slots[slot].queue;

    if (!queue || queue->status != HR_OK)
        return; /* gone, or something was found before: the first stays */
    queue->status = status;
    queue->from = number;
    snprintf(queue->message, sizeof queue->message, "%s", message);
}

void hrb_strict_broken(struct strict *s, uint32_t slot, uint64_t number, hr_status status, const char *format, ...)
{
    char message[STRICT_MESSAGE];
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    s->device->services->log(HRB_LOG_ERROR, "%s", message);
    hrb_strict_keep(s, slot, number, status, message);
}

hr_status hrb_strict_verdict(struct strict *s, struct strict_queue *queue, uint64_t number)
{
    char message[STRICT_MESSAGE];
    hr_status st = HR_OK;

    pthread_mutex_lock(&s->lock);
    if (queue->status != HR_OK && queue->from <= number) {
        st = queue->status;
        memcpy(message, queue->message, sizeof message);
    }
    pthread_mutex_unlock(&s->lock);
    return st == HR_OK ? HR_OK : s->device->services->fail(st, 0, "%s", message);
}

static uint32_t id_of(const struct hrb_place *place)
{
    return hrb_strict_buffer(place->buffer)->memory->id;
}

static int describe_copy(const struct strict_op *op, char *text, size_t room, unsigned long long bytes)
{
    const struct hrb_place *dst = &op->dst, *src = &op->src;
    const char *what = op->kind == STRICT_RECT ? "bytes in rows" : "bytes";

    if (src->host)
        return snprintf(text, room, "upload of %llu %s from %p to buffer %u at %llu", bytes, what,
                        (void *)((char *)src->host + src->offset), id_of(dst), (unsigned long long)dst->offset);
    if (dst->host)
        return snprintf(text, room, "download of %llu %s from buffer %u at %llu to %p", bytes, what, id_of(src),
                        (unsigned long long)src->offset, (void *)((char *)dst->host + dst->offset));
    return snprintf(text, room, "copy of %llu %s from buffer %u at %llu to buffer %u at %llu", bytes, what, id_of(src),
                    (unsigned long long)src->offset, id_of(dst), (unsigned long long)dst->offset);
}

void hrb_strict_describe(struct strict *s, struct strict_op *op)
{
    unsigned long long bytes = op->width * op->rows * op->slices;
    const char *name = op->kernel ? op->kernel->word[STRICT_LAYER] : NULL;
    char queue[48];
    char text[STRICT_TEXT - 64] = "";

    switch (op->kind) {
    case STRICT_COPY:
    case STRICT_RECT:
        describe_copy(op, text, sizeof text, bytes);
        break;
    case STRICT_FILL:
        snprintf(text, sizeof text, "fill of %llu bytes of buffer %u at %llu", bytes, id_of(&op->dst),
                 (unsigned long long)op->dst.offset);
        break;
    case STRICT_LAUNCH:
        snprintf(text, sizeof text, "kernel %.64s", name ? name : "?");
        break;
    default:
        return; /* waits and records are never at fault */
    }
    snprintf(op->text, sizeof op->text, "#%llu %s on %s", (unsigned long long)++s->calls, text,
             hrb_strict_queue_name(hrb_strict_queue(op->queue), queue));
    s->device->services->log(HRB_LOG_DEBUG, "layer strict: %s", op->text);
}
