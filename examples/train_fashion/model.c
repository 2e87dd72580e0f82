/* A model's buffers and kernels, and what the host reads of them. */
#include "model_parts.h"

#include "kernels.h"

#include <stdlib.h>

static const char *const kernel_names[N_KERNELS] = {"to_float", "dense", "softmax", "backward", "update"};

/* A CPU likes few large tiles, a GPU many small ones in groups. */
#define OPTIONS "-DHIDDEN=128 -DCLASSES=10 -DWIDTH=16 "
static const struct tiling large_tiles = {16, 8, 1, 1, OPTIONS "-DCOLS=16 -DROWS=8"};
static const struct tiling small_tiles = {4, 2, 4, 8, OPTIONS "-DCOLS=4 -DROWS=2"};

static hr_status build(hr_device *device, struct model *model)
{
    hr_device_info info = {.size = sizeof info};
    hr_program *program = NULL;
    hr_status st = hr_device_get_info(device, &info);

    if (st != HR_OK)
        return st;
    model->tiling = info.kind == HR_DEVICE_CPU ? &large_tiles : &small_tiles;
    st = hr_program_create(device, kernels_text, model->tiling->options, &program);
    for (int id = 0; id < N_KERNELS && st == HR_OK; id++)
        st = hr_kernel_create(program, kernel_names[id], &model->kernels[id]);
    hr_program_close(&program);
    return st;
}

/* All zero at first: so stay the rows and columns of padding. */
static hr_status create_buffers(hr_device *device, struct model *model, uint64_t set_rows)
{
    const uint64_t rows = padded(model->batch_rows);
    const uint64_t counts[N_BUFFERS] = {
        [X] = rows * PIXELS,
        [LAYER] = rows * HIDDEN,
        [LAYER_SLOPE] = rows * HIDDEN,
        [SCORES] = rows * WIDTH,
        [SCORES_SLOPE] = rows * WIDTH,
        [LOSS] = set_rows,
        [HIT] = set_rows,
        [W1] = PIXELS * HIDDEN,
        [B1] = HIDDEN,
        [W2] = HIDDEN * WIDTH,
        [B2] = WIDTH,
    };
    const float zero = 0.0f;
    hr_status st = HR_OK;

    for (int id = 0; id < N_BUFFERS && st == HR_OK; id++) {
        model->counts[id] = counts[id];
        st = hr_buffer_create(device, HR_MEMORY_DEVICE, counts[id] * 4, model->queue, &model->buffers[id]);
        if (st == HR_OK)
            st = hr_fill(model->queue, model->buffers[id], 0, counts[id] * 4, &zero, sizeof zero, NULL);
    }
    return st;
}

static hr_status write_weights(struct model *model)
{
    float *parameters = malloc(PARAMETERS * sizeof *parameters);
    const float *next = parameters;
    hr_status st = HR_OK;

    if (!parameters)
        return HR_NO_MEMORY;
    first_weights(parameters);
    for (int id = W1; id <= B2 && st == HR_OK; id++) {
        st = hr_write(model->queue, model->buffers[id], 0, next, model->counts[id] * sizeof *next, NULL);
        next += model->counts[id];
    }
    free(parameters);
    return st;
}

hr_status model_open(hr_device *device, uint64_t batch_rows, uint64_t set_rows, struct model **model)
{
    struct model *made = calloc(1, sizeof *made);
    hr_status st;

    if (!made)
        return HR_NO_MEMORY;
    made->batch_rows = batch_rows;
    made->losses = malloc(set_rows * sizeof *made->losses);
    made->hits = malloc(set_rows * sizeof *made->hits);
    st = made->losses && made->hits ? HR_OK : HR_NO_MEMORY;
    if (st == HR_OK)
        st = hr_device_get_queue(device, HR_QUEUE_COMPUTE, &made->queue);
    if (st == HR_OK)
        st = build(device, made);
    if (st == HR_OK)
        st = create_buffers(device, made, set_rows);
    if (st == HR_OK)
        st = write_weights(made);
    if (st != HR_OK) {
        model_close(&made);
        return st;
    }
    *model = made;
    return HR_OK;
}

hr_status model_finish(struct model *model)
{
    return hr_queue_finish(model->queue);
}

/* A read's destination must outlast it: the queue is finished whatever became of the reads. */
static hr_status finish_reads(struct model *model, hr_status st)
{
    hr_status finished = hr_queue_finish(model->queue);

    return st == HR_OK ? finished : st;
}

hr_status model_score(struct model *model, uint64_t rows, double *loss, double *accuracy)
{
    double sum = 0;
    uint64_t right = 0;
    hr_status st = hr_read(model->queue, model->buffers[LOSS], 0, model->losses, rows * sizeof *model->losses, NULL);

    if (st == HR_OK)
        st = hr_read(model->queue, model->buffers[HIT], 0, model->hits, rows * sizeof *model->hits, NULL);
    st = finish_reads(model, st);
    if (st != HR_OK)
        return st;
    for (uint64_t i = 0; i < rows; i++) {
        sum += (double)model->losses[i];
        right += model->hits[i];
    }
    *loss = sum / (double)rows;
    *accuracy = (double)right / (double)rows;
    return HR_OK;
}

hr_status model_read(struct model *model, float *parameters)
{
    hr_status st = HR_OK;

    for (int id = W1; id <= B2 && st == HR_OK; id++) {
        st = hr_read(model->queue, model->buffers[id], 0, parameters, model->counts[id] * sizeof *parameters, NULL);
        parameters += model->counts[id];
    }
    return finish_reads(model, st);
}

void model_close(struct model **model)
{
    struct model *closed = *model;

    *model = NULL;
    if (!closed)
        return;
    for (int id = 0; id < N_BUFFERS; id++)
        hr_buffer_close(&closed->buffers[id]);
    for (int id = 0; id < N_KERNELS; id++)
        hr_kernel_close(&closed->kernels[id]);
    free(closed->losses);
    free(closed->hits);
    free(closed);
}
