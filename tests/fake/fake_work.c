/* The fake driver's works: what was submitted, the events it tells, and who carries it out. */
#include "fake/fake_inside.h"
#include "transfer/object.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void fake_event_unref(struct fake_event *event)
{
    if (--event->refs == 0)
        free(event);
}

static unsigned char *at(const struct hrb_place *place, uint64_t row, uint64_t slice)
{
    return (unsigned char *)place->host + place->offset + row * place->row_pitch + slice * place->slice_pitch;
}

static void perform(struct fake_work *work)
{
    switch (work->kind) {
    case FAKE_NOTHING:
        break;
    case FAKE_MOVE:
        for (uint64_t slice = 0; slice < work->slices; slice++)
            for (uint64_t row = 0; row < work->rows; row++)
                memcpy(at(&work->dst, row, slice), at(&work->src, row, slice), work->width);
        break;
    case FAKE_FILL_BYTES:
        for (uint64_t i = 0; i < work->width; i += work->pattern_bytes)
            memcpy(at(&work->dst, 0, 0) + i, work->pattern, work->pattern_bytes);
        break;
    case FAKE_CALL:
        work->function(&work->grid, work->args);
        break;
    }
}

/* Whether the waits of a queue's next work are done. */
static struct fake_event *missing(const struct fake_work *work)
{
    for (uint32_t i = 0; i < work->n_waits; i++)
        if (!work->waits[i]->done)
            return work->waits[i];
    return NULL;
}

static void free_work(struct fake_work *work)
{
    for (uint32_t i = 0; i < work->n_storages; i++) {
        work->storages[i]->in_flight--;
        fake_storage_unref(work->storages[i]);
    }
    for (uint32_t i = 0; i < work->n_waits; i++)
        fake_event_unref(work->waits[i]);
    if (work->event != NULL)
        fake_event_unref(work->event);
    free(work->waits);
    free(work);
}

void fake_queue_unlink(struct fake_queue *queue)
{
    struct fake_queue **link = &queue->fake->queues;

    while (*link != queue)
        link = &(*link)->next;
    *link = queue->next;
    free(queue);
}

/* Carries out the first work, whose waits are done. False: the queue has gone with it. */
static bool carry_out(struct fake_queue *queue)
{
    struct fake *fake = queue->fake;
    struct fake_work *work = queue->first;

    queue->first = work->next;
    if (queue->first == NULL)
        queue->last = NULL;
    queue->pending--;
    for (uint32_t i = 0; i < work->n_waits; i++)
        if (queue->failed == HR_OK)
            queue->failed = work->waits[i]->status;
    if (fake->fail_work_in > 0 && --fake->fail_work_in == 0 && queue->failed == HR_OK)
        queue->failed = fake->fail_work_status;
    if (work->event != NULL)
        work->event->start = ++fake->clock;
    if (queue->failed == HR_OK)
        perform(work);
    if (work->event != NULL) {
        work->event->end = ++fake->clock;
        work->event->status = queue->failed;
        work->event->done = true;
    }
    free_work(work);
    pthread_cond_broadcast(&fake->changed);
    if (queue->gone && queue->first == NULL) {
        fake_queue_unlink(queue);
        return false;
    }
    return true;
}

/* Carries out one work that `queue`'s first depends on, or that one itself; false: everything there stands still. */
bool fake_advance(struct fake_queue *queue)
{
    while (queue->first != NULL && !queue->held) {
        struct fake_event *wait = missing(queue->first);

        if (wait == NULL) {
            carry_out(queue);
            return true;
        }
        queue = wait->queue;
    }
    return false;
}

/* Sleeps until something changes; false when the deadline passed. */
bool fake_nap(struct fake *fake, const struct timespec *deadline)
{
    int error = 0;

    fake->sleepers++;
    pthread_cond_broadcast(&fake->changed);
    if (deadline != NULL)
        error = pthread_cond_timedwait(&fake->changed, &fake->lock, deadline);
    else
        pthread_cond_wait(&fake->changed, &fake->lock);
    fake->sleepers--;
    return error != ETIMEDOUT;
}

struct fake_work *fake_work_new(const struct hrb_sync *sync, enum fake_kind kind)
{
    struct fake_work *work = calloc(1, sizeof *work);

    work->kind = kind;
    work->n_waits = sync->n_waits;
    work->waits = calloc(sync->n_waits > 0 ? sync->n_waits : 1, sizeof(struct fake_event *));
    for (uint32_t i = 0; i < sync->n_waits; i++) {
        work->waits[i] = (struct fake_event *)sync->waits[i];
        work->waits[i]->refs++;
    }
    return work;
}

static struct fake_event *new_event(struct fake_queue *queue, struct fake_work *work, uint32_t flags)
{
    struct fake_event *event = calloc(1, sizeof *event);

    event->head.queue = &queue->head;
    event->queue = queue;
    event->refs = 2;
    event->timed = ((flags | queue->head.flags) & HR_TIMING) != 0;
    work->event = event;
    return event;
}

void fake_touches(struct fake_work *work, const struct hrb_buffer *buffer)
{
    struct fake_storage *storage;

    if (buffer == NULL)
        return;
    storage = ((const struct fake_buffer *)buffer)->storage;
    storage->refs++;
    storage->in_flight++;
    work->storages[work->n_storages++] = storage;
}

static void append(struct fake_queue *queue, struct fake_work *work)
{
    if (queue->last != NULL)
        queue->last->next = work;
    else
        queue->first = work;
    queue->last = work;
    queue->pending++;
}

static struct fake_event *tail_event(struct fake_queue *queue)
{
    struct fake_work *work = fake_work_new(&(struct hrb_sync){0}, FAKE_NOTHING);
    struct fake_event *event = new_event(queue, work, 0);

    append(queue, work);
    return event;
}

void fake_drain(struct fake_queue *queue)
{
    struct fake_event *event;

    if (queue->first == NULL)
        return;
    event = tail_event(queue);
    while (!event->done)
        if (!fake_advance(queue) && !event->done)
            fake_nap(queue->fake, NULL);
    fake_event_unref(event);
}

/* Ends a submitting op: appends the work and makes the event. Gives the lock back. */
void fake_submit(struct fake_queue *queue, struct fake_work *work, const struct hrb_sync *sync)
{
    struct fake *fake = queue->fake;

    if (sync->event != NULL) {
        *sync->event = &new_event(queue, work, sync->flags)->head;
        fake->live[FAKE_EVENTS]++;
    }
    append(queue, work);
    while (fake->options.eager && fake_advance(queue))
        ;
    fake_leave(fake);
}

/* -- the test's hand ----------------------------------------------------------------------------------------------- */

unsigned fake_step(struct fake *fake, hr_queue *queue, unsigned n)
{
    struct fake_queue *native = (struct fake_queue *)queue->native;
    unsigned done = 0;

    pthread_mutex_lock(&fake->lock);
    while (done < n && native->first != NULL && missing(native->first) == NULL) {
        carry_out(native);
        done++;
    }
    pthread_mutex_unlock(&fake->lock);
    return done;
}

void fake_run(struct fake *fake)
{
    bool moved = true;

    pthread_mutex_lock(&fake->lock);
    while (moved) {
        moved = false;
        for (struct fake_queue *queue = fake->queues, *next; queue != NULL && !moved; queue = next) {
            next = queue->next; /* a queue that was closed goes with its last work */
            moved = fake_advance(queue);
        }
    }
    pthread_mutex_unlock(&fake->lock);
}

unsigned fake_pending(struct fake *fake, hr_queue *queue)
{
    unsigned pending;

    pthread_mutex_lock(&fake->lock);
    pending = ((struct fake_queue *)queue->native)->pending;
    pthread_mutex_unlock(&fake->lock);
    return pending;
}

void fake_hold(struct fake *fake, hr_queue *queue, bool hold)
{
    pthread_mutex_lock(&fake->lock);
    ((struct fake_queue *)queue->native)->held = hold;
    pthread_cond_broadcast(&fake->changed);
    pthread_mutex_unlock(&fake->lock);
}

void fake_await_sleepers(struct fake *fake, unsigned n)
{
    pthread_mutex_lock(&fake->lock);
    while (fake->sleepers < n)
        pthread_cond_wait(&fake->changed, &fake->lock);
    pthread_mutex_unlock(&fake->lock);
}
