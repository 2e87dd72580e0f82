/* The kernels as text, for hr_program_create(). */
#ifndef TRAIN_FASHION_KERNELS_H
#define TRAIN_FASHION_KERNELS_H

extern const char kernels_text[];

#endif
