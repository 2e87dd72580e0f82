/* A perceptron 784-128-10 with softmax and plain gradient descent, on any device. */
#ifndef TRAIN_FASHION_MODEL_H
#define TRAIN_FASHION_MODEL_H

#include <headrace/headrace.h>

/* Classes are padded to WIDTH columns, a whole tile of the kernels; the spare ones stay zero. */
enum { PIXELS = 784, HIDDEN = 128, CLASSES = 10, WIDTH = 16 };

/* The parameters in their order: hidden weights and biases, output weights and biases. */
enum { PARAMETERS = PIXELS * HIDDEN + HIDDEN + HIDDEN * WIDTH + WIDTH };

struct model;

/* A model with the first weights. batch_rows: most rows of a batch; set_rows: most rows of an epoch. */
hr_status model_open(hr_device *device, uint64_t batch_rows, uint64_t set_rows, struct model **model);

/* Enqueues one step of training on a batch: u8 pixels in field 0, u8 labels in field 1. */
hr_status model_train(struct model *model, hr_batch *batch, float rate);

/* Enqueues the scoring of a batch, with the weights as they are. */
hr_status model_test(struct model *model, hr_batch *batch);

/* Waits until all that was enqueued is done. */
hr_status model_finish(struct model *model);

/* Mean loss and share of right answers of the epoch of `rows` rows that was enqueued last. */
hr_status model_score(struct model *model, uint64_t rows, double *loss, double *accuracy);

/* Reads PARAMETERS floats. */
hr_status model_read(struct model *model, float *parameters);

void model_close(struct model **model);

/* The weights to begin with, PARAMETERS floats: random, and the same each time. */
void first_weights(float *parameters);

#endif
