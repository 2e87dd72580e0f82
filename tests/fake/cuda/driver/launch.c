/* Launches: the arguments are copied at the call, the blocks run in the stream's thread. */
#include "fake.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 1024, MOST_SHARED = 48 << 10, MOST_GRID_YZ = 65535, MOST_BLOCK_Z = 64 };

struct launch {
    struct fake_work work;
    struct fake_code *code;
    const struct fake_function_code *function;
    struct fake_place place;
    void **params;
    unsigned char *bytes; /* what params point into */
};

static void drop(struct launch *launch)
{
    fake_code_drop(launch->code);
    free(launch->params);
    free(launch->bytes);
    free(launch);
}

static void run(struct fake_work *work, bool skip)
{
    struct launch *launch = (struct launch *)work;
    hri_cu_context context = work->stream->object.context;
    struct fake_place *place = &launch->place;
    int fault = 0;

    if (skip) {
        drop(launch);
        return;
    }
    fake_arena_open(context->device);
    for (unsigned z = 0; z < place->grid[2] && !fault; z++)
        for (unsigned y = 0; y < place->grid[1] && !fault; y++)
            for (unsigned x = 0; x < place->grid[0] && !fault; x++) {
                place->block_id[0] = x;
                place->block_id[1] = y;
                place->block_id[2] = z;
                fault = fake_block_run(launch->code, launch->function, place, launch->params, work->stream);
            }
    fake_arena_close(context->device);
    if (fault)
        fake_fault(context, fault);
    drop(launch);
}

static void copy_params(struct launch *launch, void *const *params)
{
    const struct fake_function_code *function = launch->function;
    unsigned n = function->n_params;
    size_t bytes = 16;

    if (n > 0)
        bytes += function->params[n - 1].offset + function->params[n - 1].bytes;
    launch->bytes = aligned_alloc(16, (bytes + 15) / 16 * 16);
    launch->params = calloc(n + 1, sizeof *launch->params);
    if (!launch->bytes || !launch->params)
        fake_die("out of memory");
    for (unsigned i = 0; i < n; i++) {
        launch->params[i] = launch->bytes + function->params[i].offset;
        memcpy(launch->params[i], params[i], function->params[i].bytes);
    }
}

static bool too_large(const struct fake_place *place, unsigned shared_bytes)
{
    const unsigned *block = place->block, *grid = place->grid;

    for (int i = 0; i < 3; i++)
        if (block[i] == 0 || grid[i] == 0 || block[i] > MOST_THREADS)
            return true;
    return block[2] > MOST_BLOCK_Z || block[0] * block[1] * block[2] > MOST_THREADS || grid[0] > 2147483647 ||
           grid[1] > MOST_GRID_YZ || grid[2] > MOST_GRID_YZ || shared_bytes > MOST_SHARED;
}

hri_cu_result cuLaunchKernel(hri_cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                             unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                             hri_cu_stream stream, void **params, void **extra)
{
    struct fake_place place = {.grid = {grid_x, grid_y, grid_z}, .block = {block_x, block_y, block_z}};
    const struct fake_function_code *found;
    struct fake_code *code;
    struct launch *launch;
    hri_cu_context context;
    hri_cu_result answer = fake_enter(FAKE_LaunchKernel, &context);

    if (answer == 0)
        answer = fake_stream_check(context, &stream);
    if (answer)
        return answer;
    if (too_large(&place, shared_bytes) || extra)
        return HRI_CU_INVALID_VALUE;
    answer = fake_function_check(context, function, &code, &found);
    if (answer)
        return answer;
    if (found->n_params > 0 && !params) {
        fake_code_drop(code);
        return HRI_CU_INVALID_VALUE;
    }
    launch = calloc(1, sizeof *launch);
    if (!launch)
        fake_die("out of memory");
    launch->code = code;
    launch->function = found;
    launch->place = place;
    copy_params(launch, params);
    launch->work.run = run;
    launch->work.late = true;
    fake_stream_push(stream, &launch->work);
    return 0;
}
