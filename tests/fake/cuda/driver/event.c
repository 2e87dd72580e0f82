/* Events: an event is the mark of its last record; before the first there is none, and it counts as done. */
#include "fake.h"

#include <stdlib.h>

struct CUevent_st {
    struct fake_object object;
    pthread_mutex_t lock;
    bool timing;
    struct fake_mark *mark;
};

static hri_cu_result check(hri_cu_context context, hri_cu_event event)
{
    if (!event || !fake_object_is(&event->object, FAKE_EVENT))
        return HRI_CU_INVALID_HANDLE;
    return event->object.context == context ? 0 : HRI_CU_INVALID_CONTEXT;
}

/* The mark of the last record, kept for the caller, or NULL. */
static struct fake_mark *mark_of(hri_cu_event event)
{
    struct fake_mark *mark;

    fake_lock(&event->lock);
    mark = event->mark ? fake_mark_keep(event->mark) : NULL;
    fake_unlock(&event->lock);
    return mark;
}

hri_cu_result fake_event_mark(hri_cu_context context, hri_cu_event event, struct fake_mark **mark)
{
    hri_cu_result code = check(context, event);

    if (code)
        return code;
    *mark = mark_of(event);
    return 0;
}

hri_cu_result cuEventCreate(hri_cu_event *event, unsigned flags)
{
    const unsigned known = HRI_CU_EVENT_BLOCKING_SYNC | HRI_CU_EVENT_DISABLE_TIMING;
    hri_cu_context context;
    hri_cu_result code = fake_enter(FAKE_EventCreate, &context);
    hri_cu_event made;

    if (code)
        return code;
    if (flags & ~known)
        return HRI_CU_INVALID_VALUE;
    made = calloc(1, sizeof *made);
    if (!made)
        return HRI_CU_OUT_OF_MEMORY;
    made->timing = !(flags & HRI_CU_EVENT_DISABLE_TIMING);
    pthread_mutex_init(&made->lock, NULL);
    fake_object_add(&made->object, FAKE_EVENT, context);
    *event = made;
    return 0;
}

void fake_event_end(struct fake_object *object)
{
    hri_cu_event event = (hri_cu_event)object;

    fake_object_remove(object);
    if (event->mark)
        fake_mark_drop(event->mark);
    pthread_mutex_destroy(&event->lock);
    free(event);
}

/* What waits for it goes on waiting. */
hri_cu_result cuEventDestroy_v2(hri_cu_event event)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter_destroy(FAKE_EventDestroy, &context);

    if (code == 0)
        code = check(context, event);
    if (code)
        return code;
    fake_event_end(&event->object);
    return atomic_load(&context->sticky);
}

hri_cu_result cuEventRecord(hri_cu_event event, hri_cu_stream stream)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter(FAKE_EventRecord, &context);
    struct fake_mark *mark;

    if (code == 0)
        code = fake_stream_check(context, &stream);
    if (code == 0)
        code = check(context, event);
    if (code)
        return code;
    mark = fake_mark_new();
    fake_lock(&event->lock);
    if (event->mark)
        fake_mark_drop(event->mark);
    event->mark = mark;
    fake_mark_push(stream, mark);
    fake_unlock(&event->lock);
    return 0;
}

hri_cu_result cuEventQuery(hri_cu_event event)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter(FAKE_EventQuery, &context);
    struct fake_mark *mark;
    uint64_t when;

    if (code == 0)
        code = check(context, event);
    if (code)
        return code;
    mark = mark_of(event);
    if (mark) {
        bool reached = fake_mark_reached(mark, &when);

        fake_mark_drop(mark);
        if (!reached)
            return HRI_CU_NOT_READY;
    }
    return atomic_load(&context->sticky); /* which the work before the mark may have left */
}

hri_cu_result cuEventSynchronize(hri_cu_event event)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter(FAKE_EventSynchronize, &context);
    struct fake_mark *mark;

    if (code == 0)
        code = check(context, event);
    if (code)
        return code;
    mark = mark_of(event);
    if (mark) {
        fake_mark_wait(mark, NULL);
        fake_mark_drop(mark);
    }
    return atomic_load(&context->sticky);
}

static bool has_time(hri_cu_event event)
{
    bool has;

    fake_lock(&event->lock);
    has = event->timing && event->mark;
    fake_unlock(&event->lock);
    return has;
}

/* When the event's last record was reached. */
static hri_cu_result time_of(hri_cu_event event, uint64_t *when_ns)
{
    struct fake_mark *mark = mark_of(event);
    bool reached;

    reached = fake_mark_reached(mark, when_ns);
    fake_mark_drop(mark);
    return reached ? 0 : HRI_CU_NOT_READY;
}

hri_cu_result cuEventElapsedTime(float *milliseconds, hri_cu_event start, hri_cu_event end)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter(FAKE_EventElapsedTime, &context);
    uint64_t from = 0, to = 0;

    if (code == 0)
        code = check(context, start);
    if (code == 0)
        code = check(context, end);
    if (code == 0 && !(has_time(start) && has_time(end)))
        code = HRI_CU_INVALID_HANDLE;
    if (code == 0)
        code = time_of(start, &from);
    if (code == 0)
        code = time_of(end, &to);
    if (code)
        return code;
    *milliseconds = (float)((double)((int64_t)to - (int64_t)from) / 1e6);
    return 0;
}
