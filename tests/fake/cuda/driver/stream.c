/* Streams: each has a thread, which does the stream's work in order and nothing else. */
#include "fake.h"

#include <stdlib.h>
#include <time.h>

/* All streams whose threads have not been joined. */
static pthread_mutex_t all_lock = PTHREAD_MUTEX_INITIALIZER;
static hri_cu_stream all;

#define LEGACY ((uintptr_t)1) /* CU_STREAM_LEGACY */

/* -- the thread -----------------------------------------------------------------------------------------------------
 */

static void do_work(hri_cu_stream stream, struct fake_work *work)
{
    hri_cu_context context = stream->object.context;
    bool skip = atomic_load(&stream->given_up) || atomic_load(&context->sticky);

    fake_after(work);
    if (work->late && !skip) {
        struct timespec pause = {.tv_nsec = (long)(fake_settings()->late_us % 1000000) * 1000,
                                 .tv_sec = (time_t)(fake_settings()->late_us / 1000000)};
        hri_cu_result code = fake_count_work();

        if (code) {
            fake_fault(context, code);
            skip = true;
        } else if (fake_settings()->late_us > 0) {
            nanosleep(&pause, NULL);
        }
    }
    work->run(work, skip);
}

static void *serve(void *argument)
{
    hri_cu_stream stream = argument;

    fake_lock(&stream->lock);
    for (;;) {
        struct fake_work *work = stream->first;
        bool given_up = atomic_load(&stream->given_up);

        if (!work && stream->closing)
            break;
        if (!work || (stream->held && !given_up)) {
            fake_wait(&stream->changed, &stream->lock);
            continue;
        }
        stream->first = work->next;
        if (!stream->first)
            stream->last = &stream->first;
        stream->busy = true;
        fake_unlock(&stream->lock);
        do_work(stream, work);
        fake_before(&stream->busy);
        fake_lock(&stream->lock);
        stream->busy = false;
    }
    fake_unlock(&stream->lock);
    atomic_store(&stream->ended, true);
    return NULL;
}

void fake_stream_push(hri_cu_stream stream, struct fake_work *work)
{
    work->stream = stream;
    work->next = NULL;
    fake_before(work);
    fake_lock(&stream->lock);
    *stream->last = work;
    stream->last = &work->next;
    fake_wake(&stream->changed);
    fake_unlock(&stream->lock);
}

void fake_stream_drain(hri_cu_stream stream)
{
    struct fake_mark *mark = fake_mark_new();

    fake_mark_push(stream, mark);
    fake_mark_wait(mark, NULL);
    fake_mark_drop(mark);
}

/* -- beginning and end ------------------------------------------------------------------------------------------------
 */

static void close_stream(hri_cu_stream stream)
{
    fake_lock(&stream->lock);
    stream->closing = true;
    fake_capturing(-(int)stream->capturing);
    stream->capturing = false;
    fake_wake(&stream->changed);
    fake_unlock(&stream->lock);
}

/* A kernel that runs looks for this when it finds the generation changed. */
static void give_up(hri_cu_stream stream)
{
    atomic_store(&stream->given_up, true);
    atomic_fetch_add(&fake_ranges_generation, 1);
    close_stream(stream);
}

/* Takes the first of all streams that has ended, or that is of the context. */
static hri_cu_stream take(hri_cu_context context)
{
    hri_cu_stream found = NULL;

    fake_lock(&all_lock);
    for (hri_cu_stream *at = &all; *at && !found; at = found ? at : &(*at)->next)
        if (context ? (*at)->object.context == context : atomic_load(&(*at)->ended)) {
            found = *at;
            *at = found->next;
        }
    fake_unlock(&all_lock);
    return found;
}

static void join(hri_cu_stream stream)
{
    pthread_join(stream->thread, NULL);
    pthread_mutex_destroy(&stream->lock);
    pthread_cond_destroy(&stream->changed);
    free(stream);
}

static void join_ended(void)
{
    hri_cu_stream stream;

    while ((stream = take(NULL)) != NULL)
        join(stream);
}

void fake_streams_stop(hri_cu_context context)
{
    hri_cu_stream stream;

    while ((stream = take(context)) != NULL) {
        give_up(stream);
        if (fake_object_is(&stream->object, FAKE_STREAM))
            fake_object_remove(&stream->object);
        join(stream);
    }
    context->legacy = NULL;
}

/* What is left stays where it is: the process ends. */
void fake_streams_stop_all(void)
{
    fake_lock(&all_lock);
    for (hri_cu_stream stream = all; stream; stream = stream->next) {
        give_up(stream);
        pthread_join(stream->thread, NULL);
    }
    fake_unlock(&all_lock);
}

static hri_cu_stream new_stream(hri_cu_context context)
{
    hri_cu_stream made;

    join_ended();
    made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->last = &made->first;
    pthread_mutex_init(&made->lock, NULL);
    pthread_cond_init(&made->changed, NULL);
    fake_object_add(&made->object, FAKE_STREAM, context);
    if (pthread_create(&made->thread, NULL, serve, made) != 0)
        fake_die("no thread for a stream");
    fake_lock(&all_lock);
    made->next = all;
    all = made;
    fake_unlock(&all_lock);
    return made;
}

static bool is_legacy(hri_cu_stream stream)
{
    return (uintptr_t)stream == LEGACY;
}

static hri_cu_stream legacy_of(hri_cu_context context)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    hri_cu_stream stream;

    fake_lock(&lock);
    if (!context->legacy)
        context->legacy = new_stream(context);
    stream = context->legacy;
    fake_unlock(&lock);
    return stream;
}

hri_cu_result fake_stream_check(hri_cu_context context, hri_cu_stream *given)
{
    hri_cu_stream stream = *given;
    bool capturing;

    if (!stream)
        fake_die("work for the default stream by no name, which waits for every other one");
    if (is_legacy(stream))
        *given = stream = legacy_of(context);
    if (!stream)
        return HRI_CU_OUT_OF_MEMORY;
    if (!fake_object_is(&stream->object, FAKE_STREAM))
        return HRI_CU_INVALID_HANDLE;
    if (stream->object.context != context)
        return HRI_CU_INVALID_CONTEXT;
    fake_lock(&stream->lock);
    capturing = stream->capturing;
    fake_unlock(&stream->lock);
    return capturing ? HRI_CU_CAPTURE_UNSUPPORTED : 0;
}

/* -- the driver's functions -------------------------------------------------------------------------------------------
 */

hri_cu_result cuStreamCreate(hri_cu_stream *stream, unsigned flags)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter(FAKE_StreamCreate, &context);
    hri_cu_stream made;

    if (code)
        return code;
    if (flags & ~(unsigned)HRI_CU_STREAM_NON_BLOCKING)
        return HRI_CU_INVALID_VALUE;
    made = new_stream(context);
    if (!made)
        return HRI_CU_OUT_OF_MEMORY;
    *stream = made;
    return 0;
}

/* Work in flight goes on. */
hri_cu_result cuStreamDestroy_v2(hri_cu_stream stream)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter_destroy(FAKE_StreamDestroy, &context);

    if (code)
        return code;
    if (!stream || !fake_object_is(&stream->object, FAKE_STREAM))
        return HRI_CU_INVALID_HANDLE;
    if (stream->object.context != context)
        return HRI_CU_INVALID_CONTEXT;
    fake_object_remove(&stream->object);
    close_stream(stream);
    join_ended();
    return atomic_load(&context->sticky);
}

hri_cu_result cuStreamWaitEvent(hri_cu_stream stream, hri_cu_event event, unsigned flags)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter(FAKE_StreamWaitEvent, &context);
    struct fake_mark *mark;

    if (code == 0)
        code = fake_stream_check(context, &stream);
    if (code)
        return code;
    if (flags != 0)
        return HRI_CU_INVALID_VALUE;
    code = fake_event_mark(context, event, &mark);
    if (code)
        return code;
    if (mark) {
        fake_mark_push_wait(stream, mark);
        fake_mark_drop(mark);
    }
    return 0;
}

hri_cu_result cuStreamQuery(hri_cu_stream stream)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter(FAKE_StreamQuery, &context);
    bool idle;

    if (code == 0)
        code = fake_stream_check(context, &stream);
    if (code)
        return code;
    fake_lock(&stream->lock);
    idle = !stream->first && !stream->busy;
    fake_unlock(&stream->lock);
    if (!idle)
        return HRI_CU_NOT_READY;
    fake_after(&stream->busy);
    return atomic_load(&context->sticky);
}

hri_cu_result cuStreamGetCtx(hri_cu_stream stream, hri_cu_context *context)
{
    hri_cu_result code = fake_begin(FAKE_StreamGetCtx);

    if (code)
        return code;
    if (is_legacy(stream)) {
        *context = fake_context_current();
        return 0;
    }
    if (!stream || !fake_object_is(&stream->object, FAKE_STREAM))
        return HRI_CU_INVALID_HANDLE;
    *context = stream->object.context;
    return 0;
}

hri_cu_result cuStreamIsCapturing(hri_cu_stream stream, int *status)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter(FAKE_StreamIsCapturing, &context);

    if (code)
        return code;
    if (is_legacy(stream))
        stream = legacy_of(context);
    if (!stream || !fake_object_is(&stream->object, FAKE_STREAM))
        return HRI_CU_INVALID_HANDLE;
    fake_lock(&stream->lock);
    *status = stream->capturing ? 1 : HRI_CU_CAPTURE_NONE;
    fake_unlock(&stream->lock);
    return 0;
}
