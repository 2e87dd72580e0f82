/* What the program says. */
#ifndef TRAIN_FASHION_REPORT_H
#define TRAIN_FASHION_REPORT_H

#include "training.h"

/* Draws a bar on a terminal, nothing elsewhere; a report that follows takes its place. */
void report_progress(const char *name, uint64_t epoch, uint64_t done, uint64_t all);

void report_device(const struct training *training);
void report_epoch(const struct training *training, uint64_t epoch);

/* The last line. resident: NULL when there was none. */
void report_result(const struct training *streamed, const struct training *resident, uint32_t epochs, uint64_t peak,
                   uint64_t dataset_bytes);

void report_failure(hr_status st);

#endif
