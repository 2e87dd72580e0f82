/* The weights to begin with. */
#include "model.h"

#include <string.h>

/* A uniform number in [-1, 1) from a counter (the SplitMix64 generator: Steele, Lea, Flood, OOPSLA 2014). */
static float uniform(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return (float)(z >> 40) * 0x1p-23f - 1.0f;
}

/* Uniform of variance 2 / inputs, which keeps the signal's size through a layer that cuts off at zero (He et al.,
 * ICCV 2015): the spans are sqrt(6 / inputs). Biases and spare columns begin at zero. */
void first_weights(float *parameters)
{
    const float hidden_span = 0.08748178f;
    const float output_span = 0.21650635f;
    float *hidden = parameters;
    float *output = parameters + PIXELS * HIDDEN + HIDDEN;
    uint64_t state = 1;

    memset(parameters, 0, sizeof(float) * PARAMETERS);
    for (int i = 0; i < PIXELS * HIDDEN; i++)
        hidden[i] = hidden_span * uniform(&state);
    for (int i = 0; i < HIDDEN; i++)
        for (int c = 0; c < CLASSES; c++)
            output[i * WIDTH + c] = output_span * uniform(&state);
}
