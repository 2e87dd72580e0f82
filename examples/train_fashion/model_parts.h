/* What a model is made of, for model.c and steps.c. */
#ifndef TRAIN_FASHION_MODEL_PARTS_H
#define TRAIN_FASHION_MODEL_PARTS_H

#include "model.h"

enum kernel_id { TO_FLOAT, DENSE, SOFTMAX, BACKWARD, UPDATE, N_KERNELS };

/* Each layer's bias follows its weights; the parameters come last, in the order of model.h. */
enum buffer_id { X, LAYER, LAYER_SLOPE, SCORES, SCORES_SLOPE, LOSS, HIT, W1, B1, W2, B2, N_BUFFERS };

/* The shape of dense() and update(): the tile of a work item, and the work items of a group. */
struct tiling {
    uint32_t cols, rows, group_cols, group_rows;
    const char *options;
};

struct model {
    hr_queue *queue;
    const struct tiling *tiling;
    uint64_t batch_rows;
    uint64_t counts[N_BUFFERS]; /* elements, 4 bytes each */
    hr_kernel *kernels[N_KERNELS];
    hr_buffer *buffers[N_BUFFERS];
    float *losses; /* as read back, set_rows of each */
    uint32_t *hits;
};

/* Rows are padded to whole groups of work items, whatever the tiling. */
enum { ROW_GROUP = 32 };

static inline uint64_t padded(uint64_t rows)
{
    return (rows + ROW_GROUP - 1) / ROW_GROUP * ROW_GROUP;
}

#endif
