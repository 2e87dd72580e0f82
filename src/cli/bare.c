/* The bare loop: what gathering the same rows with the same threads into plain memory takes, without the library. */
#include "rows.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_AHEAD = 4, LINE_BYTES = 64 };

struct worker {
    struct bare *bare;
    pthread_t thread;
    unsigned index;
};

struct bare {
    const struct rows *rows;
    const uint64_t *ids;
    uint64_t batch_rows, batches;
    unsigned threads, started;
    unsigned slots; /* batches that the memory holds, a multiple of threads */
    unsigned char *memory;
    unsigned way;               /* BARE_... */
    atomic_uint_fast64_t next;  /* whole batches: the one to take */
    pthread_barrier_t together; /* split batches: one is complete */
    pthread_mutex_t lock;       /* for what follows */
    pthread_cond_t changed;
    unsigned epoch, busy; /* epochs begun; workers that have not ended it */
    bool stop;
    struct worker worker[];
};

static void fetch_row(const unsigned char *row, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i += LINE_BYTES)
        __builtin_prefetch(row + i);
}

/* Rows first to last - 1 of a batch into a slot, fields one after the other as a device's slot has them. */
static void gather(const struct bare *bare, uint64_t batch, uint64_t first, uint64_t last, unsigned slot)
{
    const struct rows *rows = bare->rows;
    const uint64_t *ids = bare->ids + batch * bare->batch_rows;
    unsigned char *to = bare->memory + slot * bare->batch_rows * rows_row_bytes(rows);
    uint64_t bytes = rows->field_bytes, ahead = bare->way & BARE_AHEAD ? ROWS_AHEAD : last;

    for (uint32_t f = 0; f < rows->fields; f++, to += bare->batch_rows * bytes)
        for (uint64_t i = first; i < last; i++) {
            if (i + ahead < last)
                fetch_row(rows_at(rows, f, ids[i + ahead]), bytes);
            memcpy(to + i * bytes, rows_at(rows, f, ids[i]), bytes);
        }
}

static uint64_t rows_of(const struct bare *bare, uint64_t batch)
{
    uint64_t left = bare->rows->rows - batch * bare->batch_rows;

    return left < bare->batch_rows ? left : bare->batch_rows;
}

/* A worker takes whole batches and has slots of its own. */
static void gather_whole(struct bare *bare, unsigned index)
{
    unsigned own = bare->slots / bare->threads, turn = 0;
    uint64_t batch;

    while ((batch = atomic_fetch_add(&bare->next, 1)) < bare->batches)
        gather(bare, batch, 0, rows_of(bare, batch), index * own + turn++ % own);
}

/* All workers share each batch. */
static void gather_split(struct bare *bare, unsigned index)
{
    for (uint64_t batch = 0; batch < bare->batches; batch++) {
        uint64_t rows = rows_of(bare, batch);

        gather(bare, batch, rows * index / bare->threads, rows * (index + 1) / bare->threads,
               (unsigned)(batch % bare->slots));
        pthread_barrier_wait(&bare->together);
    }
}

/* Waits for the next epoch; false when there is none. */
static bool wait_epoch(struct bare *bare, unsigned *seen)
{
    bool go;

    pthread_mutex_lock(&bare->lock);
    while (bare->epoch == *seen && !bare->stop)
        pthread_cond_wait(&bare->changed, &bare->lock);
    *seen = bare->epoch;
    go = !bare->stop;
    pthread_mutex_unlock(&bare->lock);
    return go;
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct bare *bare = worker->bare;
    unsigned seen = 0;

    while (wait_epoch(bare, &seen)) {
        if (bare->way & BARE_SPLIT)
            gather_split(bare, worker->index);
        else
            gather_whole(bare, worker->index);
        pthread_mutex_lock(&bare->lock);
        if (--bare->busy == 0)
            pthread_cond_broadcast(&bare->changed);
        pthread_mutex_unlock(&bare->lock);
    }
    return NULL;
}

static bool start_workers(struct bare *bare)
{
    for (; bare->started < bare->threads; bare->started++) {
        struct worker *worker = &bare->worker[bare->started];

        worker->bare = bare;
        worker->index = bare->started;
        if (pthread_create(&worker->thread, NULL, work, worker) != 0)
            return false;
    }
    return true;
}

struct bare *bare_open(const struct rows *rows, const uint64_t *ids, uint64_t batch_rows, unsigned threads,
                       unsigned depth)
{
    struct bare *bare = calloc(1, sizeof *bare + threads * sizeof *bare->worker);
    uint64_t batch_bytes = batch_rows * rows_row_bytes(rows);

    if (!bare)
        return NULL;
    bare->rows = rows;
    bare->ids = ids;
    bare->batch_rows = batch_rows;
    bare->batches = (rows->rows + batch_rows - 1) / batch_rows;
    bare->threads = threads;
    bare->slots = (depth > threads ? depth / threads : 1) * threads;
    bare->memory = malloc(bare->slots * batch_bytes);
    if (!bare->memory) {
        free(bare);
        return NULL;
    }
    memset(bare->memory, 1, bare->slots * batch_bytes);
    pthread_mutex_init(&bare->lock, NULL);
    pthread_cond_init(&bare->changed, NULL);
    pthread_barrier_init(&bare->together, NULL, threads);
    if (!start_workers(bare)) {
        bare_close(bare);
        return NULL;
    }
    return bare;
}

double bare_time(struct bare *bare, unsigned way)
{
    double start = cli_seconds();

    pthread_mutex_lock(&bare->lock);
    bare->way = way;
    atomic_store(&bare->next, 0);
    bare->epoch++;
    bare->busy = bare->threads;
    pthread_cond_broadcast(&bare->changed);
    while (bare->busy > 0)
        pthread_cond_wait(&bare->changed, &bare->lock);
    pthread_mutex_unlock(&bare->lock);
    return cli_seconds() - start;
}

void bare_close(struct bare *bare)
{
    if (!bare)
        return;
    pthread_mutex_lock(&bare->lock);
    bare->stop = true;
    pthread_cond_broadcast(&bare->changed);
    pthread_mutex_unlock(&bare->lock);
    for (unsigned i = 0; i < bare->started; i++)
        pthread_join(bare->worker[i].thread, NULL);
    pthread_cond_destroy(&bare->changed);
    pthread_mutex_destroy(&bare->lock);
    pthread_barrier_destroy(&bare->together);
    free(bare->memory);
    free(bare);
}

const char *bare_way_name(unsigned way)
{
    static const char *const names[BARE_WAYS] = {"whole batches a thread", "every batch split",
                                                 "whole batches a thread with rows fetched ahead",
                                                 "every batch split with rows fetched ahead"};

    return names[way];
}
