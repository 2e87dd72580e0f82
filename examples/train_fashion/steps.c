/* The launches of one step. */
#include "model_parts.h"

#include <math.h>
#include <stddef.h>

/* A batch as the kernels take it. */
struct input {
    hr_field pixels, labels;
    uint32_t rows;
    uint32_t first; /* its first row's place in the epoch */
};

static hr_status launch(struct model *model, enum kernel_id kernel, const hr_grid *grid, const hr_arg *args,
                        uint32_t n_args)
{
    return hr_kernel_launch(model->queue, model->kernels[kernel], grid, args, n_args, NULL);
}

/* A grid of tiles over a matrix of cols x rows. */
static hr_grid tiles(const struct model *model, uint64_t cols, uint64_t rows)
{
    const struct tiling *t = model->tiling;

    return (hr_grid){sizeof(hr_grid), 2, {cols / t->cols, rows / t->rows, 1}, {t->group_cols, t->group_rows, 1}};
}

#define BUFFER(id) HR_ARG_BUFFER(model->buffers[id], 0)
#define VALUE(variable) HR_ARG_BYTES(&(variable), sizeof(variable))
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static hr_status to_float(struct model *model, const struct input *input)
{
    uint32_t count = input->rows * PIXELS;
    hr_grid grid = {sizeof grid, 1, {padded(input->rows) * PIXELS}, {256}};
    hr_arg args[] = {HR_ARG_BUFFER(input->pixels.buffer, input->pixels.offset), BUFFER(X), VALUE(count)};

    return launch(model, TO_FLOAT, &grid, args, COUNT(args));
}

/* One layer forward; weights and bias are neighbours in buffer_id. */
static hr_status dense(struct model *model, const struct input *input, enum buffer_id in, uint32_t in_width,
                       enum buffer_id weights, enum buffer_id out, uint32_t out_width, float least)
{
    hr_grid grid = tiles(model, out_width, padded(input->rows));
    hr_arg args[] = {BUFFER(in),      BUFFER(weights),  BUFFER(weights + 1), BUFFER(out),
                     VALUE(in_width), VALUE(out_width), VALUE(least)};

    return launch(model, DENSE, &grid, args, COUNT(args));
}

static hr_status softmax(struct model *model, const struct input *input)
{
    hr_grid grid = {sizeof grid, 1, {padded(input->rows)}, {ROW_GROUP}};
    hr_arg args[] = {BUFFER(SCORES),       HR_ARG_BUFFER(input->labels.buffer, input->labels.offset),
                     BUFFER(SCORES_SLOPE), BUFFER(LOSS),
                     BUFFER(HIT),          VALUE(input->rows),
                     VALUE(input->first)};

    return launch(model, SOFTMAX, &grid, args, COUNT(args));
}

static hr_status backward(struct model *model, const struct input *input)
{
    hr_grid grid = {sizeof grid, 2, {HIDDEN, input->rows}, {HIDDEN, 1}};
    hr_arg args[] = {BUFFER(SCORES_SLOPE), BUFFER(W2), BUFFER(LAYER), BUFFER(LAYER_SLOPE)};

    return launch(model, BACKWARD, &grid, args, COUNT(args));
}

static hr_status update(struct model *model, const struct input *input, enum buffer_id in, uint32_t in_width,
                        enum buffer_id weights, enum buffer_id slope, uint32_t out_width, float rate)
{
    float share = rate / (float)input->rows;
    hr_grid grid = tiles(model, out_width, in_width);
    hr_arg args[] = {BUFFER(in),      BUFFER(slope),    BUFFER(weights),    BUFFER(weights + 1),
                     VALUE(in_width), VALUE(out_width), VALUE(input->rows), VALUE(share)};

    return launch(model, UPDATE, &grid, args, COUNT(args));
}

static hr_status input_of(const struct model *model, hr_batch *batch, struct input *input)
{
    hr_status st;

    *input = (struct input){.pixels = {.size = sizeof(hr_field)}, .labels = {.size = sizeof(hr_field)}};
    input->rows = (uint32_t)hr_batch_rows(batch);
    input->first = (uint32_t)(hr_batch_index(batch) * model->batch_rows);
    st = hr_batch_field(batch, 0, &input->pixels);
    if (st != HR_OK)
        return st;
    return hr_batch_field(batch, 1, &input->labels);
}

static hr_status forward(struct model *model, const struct input *input)
{
    hr_status st = to_float(model, input);

    if (st == HR_OK)
        st = dense(model, input, X, PIXELS, W1, LAYER, HIDDEN, 0.0f);
    if (st == HR_OK)
        st = dense(model, input, LAYER, HIDDEN, W2, SCORES, WIDTH, -INFINITY);
    if (st == HR_OK)
        st = softmax(model, input);
    return st;
}

hr_status model_test(struct model *model, hr_batch *batch)
{
    struct input input;
    hr_status st = input_of(model, batch, &input);

    return st == HR_OK ? forward(model, &input) : st;
}

hr_status model_train(struct model *model, hr_batch *batch, float rate)
{
    struct input input;
    hr_status st = input_of(model, batch, &input);

    if (st == HR_OK)
        st = forward(model, &input);
    if (st == HR_OK)
        st = backward(model, &input);
    if (st == HR_OK)
        st = update(model, &input, LAYER, HIDDEN, W2, SCORES_SLOPE, WIDTH, rate);
    if (st == HR_OK)
        st = update(model, &input, X, PIXELS, W1, LAYER_SLOPE, HIDDEN, rate);
    return st;
}
