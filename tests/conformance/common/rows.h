/* A small data set whose rows tell their own number, and loaders over it. */
#ifndef CONFORMANCE_ROWS_H
#define CONFORMANCE_ROWS_H

#include "conformance.h"

/* Field 0: the row's number, u32. Field 1: WIDTH bytes that follow from it. */
enum { ROWS = 1000, WIDTH = 37 };

hr_dataset *new_rows(void); /* the arrays are static and never change */
hr_loader_options loader_options(uint64_t batch_rows);
hr_loader *new_loader(hr_device *of, hr_dataset *rows, const hr_loader_options *options);

/* Every row of the batch is on the device as its number says, in both fields. */
void check_batch(hr_queue *queue, hr_batch *batch);

#endif
