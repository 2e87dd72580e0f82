/*
 * What was submitted to a queue and has not been seen done. It is looked at when the program submits more, waits or
 * asks: no thread, no wait of its own. Events that the program asked for are shared with it; the last to let go
 * destroys. At most so many are kept; what is past them is counted as lost, on the row.
 */
#include "layers/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PENDING = 4096 };

static const char *const roles[] = {"compute", "copy in", "copy out"};

static struct trace_queue *state_of(const struct hrb_queue *queue)
{
    return queue->word[TRACE_LAYER];
}

hr_status hrb_trace_queue_make(struct hrb_queue *queue, bool own)
{
    struct hrb_device *device = queue->device;
    struct trace_device *trace = hrb_trace_device(device);
    struct trace_queue *made = calloc(1, sizeof *made);
    char name[64];

    if (!made)
        return device->services->fail(HR_NO_MEMORY, 0, "layer trace: no memory for a queue's state");
    snprintf(name, sizeof name, "queue %u: %s", atomic_fetch_add(&trace->queues, 1) + 1,
             own && queue->role < sizeof roles / sizeof *roles ? roles[queue->role] : "the program's own");
    pthread_mutex_init(&made->lock, NULL);
    made->track = device->services->tracing->track(device->trace, trace->group, name);
    queue->word[TRACE_LAYER] = made;
    return HR_OK;
}

/* The span's times by the device's clock; false where there are none. */
static bool device_times(const struct hrb_queue *queue, const struct trace_entry *entry, struct hrb_span *span)
{
    struct trace_device *trace = hrb_trace_device(queue->device);
    uint64_t start, end;

    if (!(queue->flags & HR_TIMING) || !trace->driver->event_times ||
        trace->driver->event_times(entry->event, &start, &end) != HR_OK || end < start)
        return false;
    hrb_trace_host_times(&trace->clock, entry->submitted_ns, span->end_ns, &start, &end);
    span->start_ns = start;
    span->end_ns = end;
    return true;
}

/* Spans of a row do not overlap, whatever a driver's clock rounds to. One that another thread's overtook here, though
 * it came first on the device, stays where it is. */
static void put_in_order(struct trace_queue *state, struct hrb_span *span)
{
    if (span->end_ns < state->ended_ns)
        return;
    if (span->start_ns < state->ended_ns)
        span->start_ns = state->ended_ns;
    state->ended_ns = span->end_ns;
}

/* how: what the row says of an end that is not the device's own; NULL: ask the device. */
static void write_span(const struct hrb_queue *queue, const struct trace_entry *entry, const char *how)
{
    const struct hrb_services *services = queue->device->services;
    struct trace_queue *state = state_of(queue);
    struct hrb_detail details[TRACE_DETAILS + 1];
    struct hrb_span span = {.track = state->track,
                            .name = entry->name,
                            .category = entry->category,
                            .start_ns = entry->submitted_ns,
                            .end_ns = services->now_ns(),
                            .bytes = entry->bytes,
                            .about = entry->about,
                            .details = details,
                            .n_details = entry->n_details};

    memcpy(details, entry->details, sizeof entry->details);
    if (how || !device_times(queue, entry, &span))
        details[span.n_details++] = (struct hrb_detail){.name = "clock", .text = how ? how : "host"};
    put_in_order(state, &span);
    services->tracing->span(queue->device->trace, &span);
}

/* With the lock held: the first entry leaves. */
static void leave(const struct hrb_queue *queue, struct trace_queue *state)
{
    struct trace_entry *entry = state->first;

    state->first = entry->next;
    if (!state->first)
        state->last = NULL;
    state->pending--;
    entry->event->word[TRACE_LAYER] = NULL;
    if (!entry->held)
        queue->device->next[TRACE_LAYER]->event_destroy(entry->event);
    entry->next = state->spare;
    state->spare = entry;
}

/* With the lock held: what is done leaves. The program's last message stays as it is. */
static void reap(const struct hrb_queue *queue, struct trace_queue *state)
{
    const struct hrb_ops *driver = hrb_trace_device(queue->device)->driver;
    const struct hrb_services *services = queue->device->services;
    char kept[HRB_MESSAGE_BYTES];

    if (!state->first)
        return;
    services->message_keep(kept);
    while (state->first) {
        uint32_t done = 0;
        hr_status st = driver->event_query(state->first->event, &done);

        if (st == HR_OK && !done)
            break;
        write_span(queue, state->first, st == HR_OK ? NULL : "host, failed");
        leave(queue, state);
    }
    services->message_put_back(kept);
}

void hrb_trace_reap(struct hrb_queue *queue)
{
    struct trace_queue *state = state_of(queue);

    pthread_mutex_lock(&state->lock);
    reap(queue, state);
    pthread_mutex_unlock(&state->lock);
}

/* With the lock held: a struct for one more, NULL when there is none to be had. */
static struct trace_entry *spare(const struct hrb_queue *queue, struct trace_queue *state)
{
    struct trace_entry *entry;

    if (state->pending == MOST_PENDING)
        reap(queue, state);
    if (state->pending == MOST_PENDING)
        return NULL;
    entry = state->spare;
    if (!entry)
        return malloc(sizeof *entry);
    state->spare = entry->next;
    return entry;
}

void hrb_trace_keep(struct hrb_queue *queue, const struct trace_entry *entry)
{
    struct trace_queue *state = state_of(queue);
    struct trace_entry *kept;

    pthread_mutex_lock(&state->lock);
    kept = spare(queue, state);
    if (kept) {
        *kept = *entry;
        kept->next = NULL;
        kept->event->word[TRACE_LAYER] = kept;
        if (state->last)
            state->last->next = kept;
        else
            state->first = kept;
        state->last = kept;
        state->pending++;
    } else {
        state->lost++;
    }
    reap(queue, state);
    pthread_mutex_unlock(&state->lock);
    if (!kept && !entry->held)
        queue->device->next[TRACE_LAYER]->event_destroy(entry->event);
}

bool hrb_trace_let_go(struct hrb_event *event)
{
    struct trace_queue *state = state_of(event->queue);
    struct trace_entry *entry;

    pthread_mutex_lock(&state->lock);
    entry = event->word[TRACE_LAYER];
    if (entry)
        entry->held = false;
    pthread_mutex_unlock(&state->lock);
    return entry == NULL;
}

/* With nobody else about: what the row lacks. */
static void tell_lost(const struct hrb_queue *queue, const struct trace_queue *state)
{
    const struct hrb_services *services = queue->device->services;
    struct hrb_detail lost = {.name = "lost", .number = state->lost};

    services->tracing->span(queue->device->trace, &(struct hrb_span){.track = state->track,
                                                                     .name = "spans lost",
                                                                     .category = "trace",
                                                                     .start_ns = services->now_ns(),
                                                                     .details = &lost,
                                                                     .n_details = 1});
}

void hrb_trace_queue_free(struct hrb_queue *queue)
{
    struct trace_queue *state = state_of(queue);

    hrb_trace_reap(queue);
    while (state->first) {
        write_span(queue, state->first, "host, end not seen");
        leave(queue, state);
    }
    if (state->lost)
        tell_lost(queue, state);
    while (state->spare) {
        struct trace_entry *entry = state->spare;

        state->spare = entry->next;
        free(entry);
    }
    pthread_mutex_destroy(&state->lock);
    free(state);
    queue->word[TRACE_LAYER] = NULL;
}
