/*
 * The perceptron's kernels. Matrices are row by row; WIDTH is the padded number of classes.
 *
 * dense() and update() do nearly all the work. A work item computes a tile of ROWS x COLS results, so that every value
 * loaded is used many times; the innermost loop runs over neighbours in memory, which compilers for a CPU turn into
 * vectors, and neighbouring work items on a GPU read neighbouring addresses. Every result is one sum in one fixed
 * order by one work item: the same input gives the same bits.
 */
#include "kernels.h"

#define TEXT(...) #__VA_ARGS__

/* clang-format off */
const char kernels_text[] = TEXT(

/* Bytes to numbers. The training pixels have mean 73 and standard deviation 90: about 0 and 1 here. */
__kernel void to_float(__global const uchar *pixels, __global float *x, uint count)
{
    uint i = (uint)get_global_id(0);

    if (i < count)
        x[i] = ((float)pixels[i] - 73.0f) * (1.0f / 90.0f);
}

/* out = max(in * weights + bias, least), for whole tiles: rows past the batch's end are computed and never used. */
__kernel void dense(__global const float *in, __global const float *weights, __global const float *bias,
                    __global float *out, uint in_width, uint out_width, float least)
{
    uint col = (uint)get_global_id(0) * COLS;
    uint row = (uint)get_global_id(1) * ROWS;
    float sum[ROWS][COLS];

    for (uint r = 0; r < ROWS; r++)
        for (uint c = 0; c < COLS; c++)
            sum[r][c] = bias[col + c];
    for (uint i = 0; i < in_width; i++)
        for (uint r = 0; r < ROWS; r++) {
            float value = in[(row + r) * in_width + i];
            for (uint c = 0; c < COLS; c++)
                sum[r][c] += value * weights[i * out_width + col + c];
        }
    for (uint r = 0; r < ROWS; r++)
        for (uint c = 0; c < COLS; c++)
            out[(row + r) * out_width + col + c] = fmax(sum[r][c], least);
}

/* Of each row: the slope of the cross-entropy by its scores, the cross-entropy, and whether the top score is right. */
__kernel void softmax(__global const float *scores, __global const uchar *labels, __global float *slope,
                      __global float *loss, __global uint *hit, uint rows, uint first)
{
    uint row = (uint)get_global_id(0);

    if (row < rows) {
        __global const float *score = scores + row * WIDTH;
        uint label = labels[row];
        uint best = 0;
        float power[CLASSES];
        float sum = 0.0f;
        float chosen = 0.0f;

        for (uint c = 1; c < CLASSES; c++)
            best = score[c] > score[best] ? c : best;
        for (uint c = 0; c < CLASSES; c++) {
            power[c] = exp(score[c] - score[best]);
            sum += power[c];
            chosen = c == label ? score[c] : chosen;
        }
        for (uint c = 0; c < CLASSES; c++)
            slope[row * WIDTH + c] = power[c] / sum - (c == label ? 1.0f : 0.0f);
        loss[first + row] = log(sum) + score[best] - chosen;
        hit[first + row] = best == label ? 1 : 0;
    }
}

/* The slope by the hidden layer's sums: back through the weights, and zero where the layer was cut off at zero. */
__kernel void backward(__global const float *slope, __global const float *weights, __global const float *hidden,
                       __global float *hidden_slope)
{
    uint unit = (uint)get_global_id(0);
    uint row = (uint)get_global_id(1);
    uint at = row * HIDDEN + unit;
    float sum = 0.0f;

    for (uint c = 0; c < CLASSES; c++)
        sum += slope[row * WIDTH + c] * weights[unit * WIDTH + c];
    hidden_slope[at] = hidden[at] > 0.0f ? sum : 0.0f;
}

/* One step downhill: weights -= rate * transposed(in) * slope, and the bias as if its input were 1. */
__kernel void update(__global const float *in, __global const float *slope, __global float *weights,
                     __global float *bias, uint in_width, uint out_width, uint rows, float rate)
{
    uint col = (uint)get_global_id(0) * COLS;
    uint i = (uint)get_global_id(1) * ROWS;
    float sum[ROWS][COLS];

    for (uint r = 0; r < ROWS; r++)
        for (uint c = 0; c < COLS; c++)
            sum[r][c] = 0.0f;
    for (uint row = 0; row < rows; row++)
        for (uint r = 0; r < ROWS; r++) {
            float value = in[row * in_width + i + r];
            for (uint c = 0; c < COLS; c++)
                sum[r][c] += value * slope[row * out_width + col + c];
        }
    for (uint r = 0; r < ROWS; r++)
        for (uint c = 0; c < COLS; c++)
            weights[(i + r) * out_width + col + c] -= rate * sum[r][c];
    if (i == 0)
        for (uint c = 0; c < COLS; c++) {
            float total = 0.0f;
            for (uint row = 0; row < rows; row++)
                total += slope[row * out_width + col + c];
            bias[col + c] -= rate * total;
        }
}

);
