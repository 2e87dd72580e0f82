/*
 * The threads of a block. They run one after the other in the stream's thread until one comes to a barrier: then those
 * that have not run yet get threads of their own.
 */
#include "fake.h"

#include <stdlib.h>

enum { STACK = 256 << 10 };

struct block {
    struct fake_code *code;
    const struct fake_function_code *function;
    struct fake_place place;
    void *const *params;
    hri_cu_stream stream;
    unsigned threads;
    /* once there are threads */
    struct runner *runners;
    unsigned first; /* the first thread that has a runner */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned alive, waiting, generation;
    int fault;
};

struct runner {
    struct block *block;
    unsigned thread;
    pthread_t handle;
};

static _Thread_local struct block *running;
static _Thread_local unsigned running_thread;

hri_cu_stream fake_block_stream(void)
{
    return running->stream;
}

const struct fake_code *fake_block_code(void)
{
    return running->code;
}

static int run_thread(struct block *block, unsigned thread)
{
    struct fake_place place = block->place;

    running = block;
    running_thread = thread;
    place.thread_id[0] = thread % place.block[0];
    place.thread_id[1] = thread / place.block[0] % place.block[1];
    place.thread_id[2] = thread / place.block[0] / place.block[1];
    return block->code->ops->run(block->code, block->function, &place, block->params);
}

static void release(struct block *block)
{
    block->waiting = 0;
    block->generation++;
    pthread_cond_broadcast(&block->changed);
}

/* A thread has come to its end: those at a barrier no longer wait for it. */
static void leave(struct block *block, int fault)
{
    pthread_mutex_lock(&block->lock);
    block->alive--;
    if (fault && !block->fault)
        block->fault = fault;
    if (block->fault || (block->alive > 0 && block->waiting == block->alive))
        release(block);
    pthread_mutex_unlock(&block->lock);
}

static void *run_runner(void *argument)
{
    struct runner *runner = argument;

    leave(runner->block, run_thread(runner->block, runner->thread));
    return NULL;
}

/* Threads for all behind this one. */
static void spread(struct block *block, unsigned thread)
{
    pthread_attr_t attributes;

    pthread_mutex_init(&block->lock, NULL);
    pthread_cond_init(&block->changed, NULL);
    block->alive = block->threads - thread;
    block->first = thread + 1;
    block->runners = calloc(block->threads, sizeof *block->runners);
    if (!block->runners)
        fake_die("out of memory");
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    for (unsigned i = block->first; i < block->threads; i++) {
        block->runners[i] = (struct runner){.block = block, .thread = i};
        if (pthread_create(&block->runners[i].handle, &attributes, run_runner, &block->runners[i]) != 0)
            fake_die("no thread for a thread of a block");
    }
    pthread_attr_destroy(&attributes);
}

int fake_block_barrier(void)
{
    struct block *block = running;
    unsigned generation;
    int fault;

    if (!block->runners)
        spread(block, running_thread);
    pthread_mutex_lock(&block->lock);
    generation = block->generation;
    if (++block->waiting == block->alive)
        release(block);
    while (block->generation == generation && !block->fault)
        pthread_cond_wait(&block->changed, &block->lock);
    fault = block->fault;
    pthread_mutex_unlock(&block->lock);
    return fault;
}

static void join(struct block *block)
{
    for (unsigned i = block->first; i < block->threads; i++)
        pthread_join(block->runners[i].handle, NULL);
    pthread_mutex_destroy(&block->lock);
    pthread_cond_destroy(&block->changed);
    free(block->runners);
}

int fake_block_run(struct fake_code *code, const struct fake_function_code *function, struct fake_place *place,
                   void *const *params, hri_cu_stream stream)
{
    struct block block = {.code = code,
                          .function = function,
                          .place = *place,
                          .params = params,
                          .stream = stream,
                          .threads = place->block[0] * place->block[1] * place->block[2]};

    if (function->shared)
        pthread_mutex_lock(&code->turn);
    for (unsigned i = 0; i < block.threads && !block.runners && !block.fault; i++) {
        int fault = run_thread(&block, i);

        if (block.runners)
            leave(&block, fault);
        else
            block.fault = fault;
    }
    if (block.runners)
        join(&block);
    if (function->shared)
        pthread_mutex_unlock(&code->turn);
    return block.fault;
}
