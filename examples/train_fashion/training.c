/* One training: the loop over a loader's batches. */
#include "training.h"

#include "report.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

hr_status training_open(const struct args *args, const struct data *data, uint64_t budget, uint32_t route,
                        struct training *training)
{
    hr_device_options device = {.size = sizeof device, .device_memory_bytes = budget};
    hr_loader_options shuffled = {.size = sizeof shuffled,
                                  .batch_rows = args->batch,
                                  .shuffle = 1,
                                  .seed = 1,
                                  .route = route,
                                  .workers = args->workers};
    hr_loader_options ordered = {.size = sizeof ordered, .batch_rows = args->batch, .workers = args->workers};
    uint64_t rows = data->train_rows > data->test_rows ? data->train_rows : data->test_rows;
    hr_status st = hr_device_open(args->selector, &device, &training->device);

    if (st == HR_OK)
        st = hr_loader_open(training->device, data->train, &shuffled, &training->train);
    if (st == HR_OK)
        st = hr_loader_open(training->device, data->test, &ordered, &training->test);
    if (st == HR_OK)
        st = model_open(training->device, args->batch, rows, &training->model);
    return st;
}

/* The loop that the library is for. rate 0: score only. */
static hr_status run_batches(struct training *training, hr_loader *loader, uint64_t epoch, float rate)
{
    hr_batch *batch;
    uint64_t batches;
    hr_status st = hr_loader_get_batches(loader, &batches);

    if (st == HR_OK)
        st = hr_loader_start(loader, epoch);
    while (st == HR_OK && (st = hr_loader_next(loader, &batch)) == HR_OK) {
        report_progress(training->name, epoch, hr_batch_index(batch) + 1, batches);
        st = rate > 0.0f ? model_train(training->model, batch, rate) : model_test(training->model, batch);
        hr_status released = hr_batch_release(&batch);
        if (st == HR_OK)
            st = released;
    }
    return st == HR_END ? model_finish(training->model) : st;
}

hr_status training_epoch(struct training *training, const struct data *data, uint64_t epoch)
{
    hr_loader_stats stats = {.size = sizeof stats};
    double test_loss, train_accuracy;
    float rate = 0.2f; /* a steep start, then 0.6 times the step after each epoch */
    double start = now();
    hr_status st;

    for (uint64_t e = 0; e < epoch; e++)
        rate *= 0.6f;
    st = run_batches(training, training->train, epoch, rate);
    training->seconds[epoch] = now() - start;
    if (st == HR_OK)
        st = hr_loader_get_stats(training->train, &stats);
    if (st == HR_OK)
        st = model_score(training->model, data->train_rows, &training->loss, &train_accuracy);
    if (st == HR_OK)
        st = run_batches(training, training->test, epoch, 0.0f);
    if (st == HR_OK)
        st = model_score(training->model, data->test_rows, &test_loss, &training->accuracy);
    memcpy(training->bottleneck, stats.bottleneck, sizeof training->bottleneck);
    return st;
}

void training_close(struct training *training)
{
    model_close(&training->model);
    hr_loader_close(&training->test);
    hr_loader_close(&training->train);
    hr_device_close(&training->device);
}
