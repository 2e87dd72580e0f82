/* A point in a stream that others wait for. Each has a lock of its own, so that one wait orders nothing else. */
#include "fake.h"

#include <stdlib.h>
#include <time.h>

struct fake_mark {
    atomic_int refs;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool reached;
    uint64_t when_ns;
};

struct mark_work {
    struct fake_work work;
    struct fake_mark *mark;
};

struct fake_mark *fake_mark_new(void)
{
    struct fake_mark *mark = calloc(1, sizeof *mark);

    if (!mark)
        fake_die("out of memory");
    atomic_init(&mark->refs, 1);
    pthread_mutex_init(&mark->lock, NULL);
    pthread_cond_init(&mark->changed, NULL);
    return mark;
}

struct fake_mark *fake_mark_keep(struct fake_mark *mark)
{
    atomic_fetch_add(&mark->refs, 1);
    return mark;
}

void fake_mark_drop(struct fake_mark *mark)
{
    fake_before(&mark->reached);
    if (atomic_fetch_sub(&mark->refs, 1) != 1)
        return;
    fake_after(&mark->reached);
    pthread_mutex_destroy(&mark->lock);
    pthread_cond_destroy(&mark->changed);
    free(mark);
}

static void reach(struct fake_mark *mark)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    fake_before(mark);
    fake_lock(&mark->lock);
    mark->reached = true;
    mark->when_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    fake_wake(&mark->changed);
    fake_unlock(&mark->lock);
}

bool fake_mark_reached(struct fake_mark *mark, uint64_t *when_ns)
{
    bool reached;

    fake_lock(&mark->lock);
    reached = mark->reached;
    *when_ns = mark->when_ns;
    fake_unlock(&mark->lock);
    if (reached)
        fake_after(mark);
    return reached;
}

/* Wakes now and then to see whether the waiting stream has been given up meanwhile. */
void fake_mark_wait(struct fake_mark *mark, hri_cu_stream stream)
{
    fake_lock(&mark->lock);
    while (!mark->reached && !(stream && atomic_load(&stream->given_up))) {
        struct timespec until;

        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 20000000;
        if (until.tv_nsec >= 1000000000) {
            until.tv_nsec -= 1000000000;
            until.tv_sec++;
        }
        fake_wait_until(&mark->changed, &mark->lock, &until);
    }
    fake_unlock(&mark->lock);
    fake_after(mark);
}

static void run_reach(struct fake_work *work, bool skip)
{
    struct mark_work *own = (struct mark_work *)work;

    (void)skip; /* who waits is told by the context's failure */
    reach(own->mark);
    fake_mark_drop(own->mark);
    free(own);
}

static void run_wait(struct fake_work *work, bool skip)
{
    struct mark_work *own = (struct mark_work *)work;

    if (!skip)
        fake_mark_wait(own->mark, work->stream);
    fake_mark_drop(own->mark);
    free(own);
}

static void push(hri_cu_stream stream, struct fake_mark *mark, void (*run)(struct fake_work *, bool))
{
    struct mark_work *own = calloc(1, sizeof *own);

    if (!own)
        fake_die("out of memory");
    own->work.run = run;
    own->mark = fake_mark_keep(mark);
    fake_stream_push(stream, &own->work);
}

void fake_mark_push(hri_cu_stream stream, struct fake_mark *mark)
{
    push(stream, mark, run_reach);
}

void fake_mark_push_wait(hri_cu_stream stream, struct fake_mark *mark)
{
    push(stream, mark, run_wait);
}
