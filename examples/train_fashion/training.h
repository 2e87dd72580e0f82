/* One training: a device, the loaders that feed it, and a model on it. */
#ifndef TRAIN_FASHION_TRAINING_H
#define TRAIN_FASHION_TRAINING_H

#include "args.h"
#include "model.h"

struct data {
    hr_dataset *train, *test;
    uint64_t train_rows, test_rows;
    uint64_t bytes; /* of the training set */
};

struct training {
    const char *name;
    hr_device *device;
    hr_loader *train, *test;
    struct model *model;
    double loss, accuracy;      /* after the last epoch */
    double seconds[MAX_EPOCHS]; /* of each epoch, the test left out */
    char bottleneck[sizeof((hr_loader_stats *)0)->bottleneck];
};

/* Opens the four files of a folder. */
hr_status data_open(const char *folder, struct data *data);
void data_close(struct data *data);

/* Opens all that one training needs, within `budget` bytes of device memory. route: HR_ROUTE_... */
hr_status training_open(const struct args *args, const struct data *data, uint64_t budget, uint32_t route,
                        struct training *training);

/* Trains for one epoch, then scores the test set. */
hr_status training_epoch(struct training *training, const struct data *data, uint64_t epoch);

void training_close(struct training *training);

#endif
