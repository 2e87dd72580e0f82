/*
 * Host access. An acquire gives the host a mirror of the memory, whatever the device: what is written there arrives
 * with the release, as on a device with memory of its own. The mirror stays, poisoned, so that what is done with its
 * pointer after the release is seen.
 */
#include "layers/strict.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ALIGNMENT = 4096 };

hr_status hrb_strict_mirror_check(struct strict *s, const struct strict_mirror *mirror)
{
    struct strict_box box = hrb_strict_line((uintptr_t)mirror->ptr, mirror->bytes);

    if (hrb_strict_spoilt(&box))
        return HR_OK;
    snprintf(s->message, sizeof s->message,
             "layer strict: the host has written to buffer %u through the pointer of an hr_buffer_acquire() after its "
             "hr_buffer_release() (%s): what it wrote is lost; acquire the buffer anew",
             mirror->memory->id, mirror->text);
    s->device->services->log(HRB_LOG_ERROR, "%s", s->message);
    hrb_strict_spoil(&box); /* said once */
    return HR_RACE;
}

static void free_mirror(struct strict *s, struct strict_mirror **at)
{
    struct strict_mirror *mirror = *at;

    *at = mirror->next;
    if (!mirror->active)
        (void)hrb_strict_mirror_check(s, mirror);
    free(mirror->ptr);
    free(mirror);
}

void hrb_strict_mirrors_end(struct strict *s, const struct strict_memory *memory, const struct hrb_buffer *buffer)
{
    for (struct strict_mirror **at = &s->mirrors; *at;) {
        if ((*at)->memory == memory && (!buffer || (*at)->buffer == buffer))
            free_mirror(s, at);
        else
            at = &(*at)->next;
    }
}

/* Before the host gets it: an earlier pointer was let go of, and what still works there was waited for. */
static hr_status check_acquire(struct strict *s, const struct strict_mirror *wanted)
{
    const struct strict_box box = hrb_strict_line(wanted->base, wanted->bytes);
    uint32_t kinds = 1u << STRICT_WRITE | (wanted->mode & HR_ACCESS_WRITE ? 1u << STRICT_READ : 0);
    const struct strict_access *access = hrb_strict_pending(&wanted->memory->accesses, s->maybe, &box, kinds);

    if (wanted->memory->state == STRICT_RELEASED) {
        snprintf(s->message, sizeof s->message,
                 "layer strict: hr_buffer_acquire() of buffer %u, which belongs to a batch that was released",
                 wanted->memory->id);
        s->device->services->log(HRB_LOG_ERROR, "%s", s->message);
        return HR_RACE;
    }
    for (const struct strict_mirror *mirror = s->mirrors; mirror; mirror = mirror->next)
        if (mirror->buffer == wanted->buffer && !mirror->active && hrb_strict_mirror_check(s, mirror) != HR_OK)
            return HR_RACE;
    if (!access)
        return HR_OK;
    snprintf(s->message, sizeof s->message,
             "layer strict: hr_buffer_acquire() of buffer %u, which %s still %s: acquire it with that queue, or wait "
             "for an event of it before",
             wanted->memory->id, access->text, access->kind == STRICT_WRITE ? "writes" : "reads");
    s->device->services->log(HRB_LOG_ERROR, "%s", s->message);
    hrb_strict_keep(s, access->slot, access->number, HR_RACE, s->message);
    return HR_RACE;
}

static void fill_mirror(struct strict_mirror *mirror)
{
    struct strict_box box = hrb_strict_line((uintptr_t)mirror->ptr, mirror->bytes);

    if (mirror->mode & HR_ACCESS_DISCARD)
        hrb_strict_spoil(&box); /* "every byte is overwritten" */
    else
        memcpy(mirror->ptr, mirror->real, mirror->bytes);
}

static hr_status new_mirror(struct strict *s, struct hrb_buffer *buffer, uint32_t mode, struct strict_mirror **out)
{
    const struct strict_buffer *word = hrb_strict_buffer(buffer);
    struct strict_mirror *mirror = calloc(1, sizeof *mirror);
    uint64_t bytes = buffer->bytes;

    if (word->base + bytes > word->memory->extent)
        bytes = word->memory->extent - word->base;
    if (mirror)
        mirror->ptr = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT);
    if (!mirror || !mirror->ptr) {
        free(mirror);
        return s->device->services->fail(HR_NO_MEMORY, 0,
                                         "layer strict: no memory for the host's %" PRIu64 " bytes of "
                                         "a buffer",
                                         bytes);
    }
    mirror->buffer = buffer;
    mirror->memory = word->memory;
    mirror->base = word->base;
    mirror->bytes = bytes;
    mirror->mode = mode;
    mirror->active = true;
    *out = mirror;
    return HR_OK;
}

static void drop_mirror(struct strict_mirror *mirror)
{
    free(mirror->ptr);
    free(mirror);
}

/* Lists a mirror that is filled, in place of the buffer's last one. */
static void list_in(struct strict *s, struct strict_mirror *mirror)
{
    pthread_mutex_lock(&s->lock);
    hrb_strict_mirrors_end(s, mirror->memory, mirror->buffer);
    snprintf(mirror->text, sizeof mirror->text, "#%" PRIu64 ", acquired", ++s->calls);
    mirror->next = s->mirrors;
    s->mirrors = mirror;
    pthread_mutex_unlock(&s->lock);
}

static hr_status buffer_acquire(struct hrb_buffer *buffer, struct hrb_queue *queue, uint32_t mode, void **ptr)
{
    struct strict *s = hrb_strict_of(buffer->device);
    struct strict_mirror *mirror = NULL;
    hr_status st = queue ? hrb_strict_finish(s, queue) : HR_OK;

    if (st == HR_OK)
        st = new_mirror(s, buffer, mode, &mirror);
    if (st != HR_OK)
        return st;
    pthread_mutex_lock(&s->lock);
    st = check_acquire(s, mirror);
    if (st != HR_OK)
        st = s->device->services->fail(st, 0, "%s", s->message);
    pthread_mutex_unlock(&s->lock);
    if (st == HR_OK) {
        hrb_strict_poison_wait(s, mirror->memory);
        st = s->below->buffer_acquire(buffer, queue, mode, &mirror->real);
    }
    if (st != HR_OK) {
        drop_mirror(mirror);
        return st;
    }
    fill_mirror(mirror);
    list_in(s, mirror);
    *ptr = mirror->ptr;
    return HR_OK;
}

static struct strict_mirror *active_of(struct strict *s, const struct hrb_buffer *buffer)
{
    struct strict_mirror *mirror;

    pthread_mutex_lock(&s->lock);
    for (mirror = s->mirrors; mirror && !(mirror->active && mirror->buffer == buffer); mirror = mirror->next)
        ;
    pthread_mutex_unlock(&s->lock);
    return mirror;
}

/* What was written is the queue's work: other queues wait for an event of it. */
static void written_by(struct strict *s, struct hrb_queue *queue, const struct strict_mirror *mirror)
{
    const struct strict_use use = {
        .memory = mirror->memory, .kind = STRICT_WRITE, .box = hrb_strict_line(mirror->base, mirror->bytes)};
    char text[STRICT_TEXT], name[48];

    snprintf(text, sizeof text, "#%" PRIu64 " hr_buffer_release() of buffer %u on %s", ++s->calls, mirror->memory->id,
             hrb_strict_queue_name(hrb_strict_queue(queue), name));
    (void)hrb_strict_mark(s, hrb_strict_queue(queue), &use, text);
}

static hr_status buffer_release(struct hrb_buffer *buffer, struct hrb_queue *queue, void *ptr)
{
    struct strict *s = hrb_strict_of(buffer->device);
    struct strict_mirror *mirror = active_of(s, buffer);
    struct strict_box box;
    hr_status st;

    (void)ptr; /* the mirror's */
    if (queue)
        hrb_strict_send(s, hrb_strict_queue(queue)->slot, UINT64_MAX);
    if (mirror->mode & HR_ACCESS_WRITE)
        memcpy(mirror->real, mirror->ptr, mirror->bytes);
    st = s->below->buffer_release(buffer, queue, mirror->real);
    if (st != HR_OK)
        return st;
    box = hrb_strict_line((uintptr_t)mirror->ptr, mirror->bytes);
    pthread_mutex_lock(&s->lock);
    if (queue && (mirror->mode & HR_ACCESS_WRITE))
        written_by(s, queue, mirror);
    hrb_strict_spoil(&box);
    mirror->active = false;
    pthread_mutex_unlock(&s->lock);
    return HR_OK;
}

void hrb_strict_access_ops(struct hrb_ops *ops)
{
    ops->buffer_acquire = buffer_acquire;
    ops->buffer_release = buffer_release;
}
