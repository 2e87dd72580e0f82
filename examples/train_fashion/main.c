/*
 * Trains a perceptron on Fashion-MNIST through a device budget a third of the data set's size, and beside it the same
 * with everything resident on the device. Which device that is, the selector or the environment says.
 */
#include "args.h"
#include "report.h"
#include "training.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STREAMED_BUDGET = 16 << 20, RESIDENT_BUDGET = 128 << 20 };

/* The epochs of both ways in turn, so that what else the machine does meets both alike. */
static hr_status train(const struct args *args, const struct data *data, struct training *streamed,
                       struct training *resident)
{
    hr_status st = training_open(args, data, STREAMED_BUDGET, HR_ROUTE_AUTO, streamed);

    if (st == HR_OK && args->compare)
        st = training_open(args, data, RESIDENT_BUDGET, HR_ROUTE_RESIDENT, resident);
    if (st != HR_OK)
        return st;
    report_device(streamed);
    if (args->compare)
        report_device(resident);
    for (uint64_t epoch = 0; epoch < args->epochs; epoch++) {
        st = training_epoch(streamed, data, epoch);
        if (st != HR_OK)
            return st;
        report_epoch(streamed, epoch);
        if (!args->compare)
            continue;
        st = training_epoch(resident, data, epoch);
        if (st != HR_OK)
            return st;
        report_epoch(resident, epoch);
    }
    return HR_OK;
}

static int save(const char *path, FILE *file, const float *weights)
{
    int saved = fwrite(weights, sizeof *weights, PARAMETERS, file) == PARAMETERS && fflush(file) == 0;

    if (!saved)
        perror(path);
    return saved;
}

/* Returns whether all is as it should be: the weights saved, and the same bits both ways. */
static int compare_and_save(const struct args *args, FILE *file, struct training *streamed, struct training *resident)
{
    static float weights[PARAMETERS], others[PARAMETERS];
    hr_status st = model_read(streamed->model, weights);
    int same = 1;

    if (st == HR_OK && args->compare)
        st = model_read(resident->model, others);
    if (st != HR_OK) {
        report_failure(st);
        return 0;
    }
    if (args->compare) {
        same = memcmp(weights, others, sizeof weights) == 0;
        printf("weights streamed == resident: %s\n", same ? "yes" : "no");
    }
    return (!file || save(args->weights, file, weights)) && same;
}

/* What was printed has arrived: a full disk is a failure too. */
static int all_printed(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return 1;
    fputs("train_fashion: standard output could not be written\n", stderr);
    return 0;
}

int main(int argc, char **argv)
{
    struct args args;
    struct data data = {0};
    struct training streamed = {.name = "streamed"};
    struct training resident = {.name = "resident"};
    hr_memory_stats memory = {.size = sizeof memory};
    FILE *file = NULL;
    int fine = 0;

    if (!args_parse(argc, argv, &args))
        return all_printed() ? args.exit_code : EXIT_FAILURE;
    if (args.weights && !(file = fopen(args.weights, "wb"))) { /* known before the training, not after it */
        perror(args.weights);
        return EXIT_FAILURE;
    }
    hr_status st = data_open(args.data, &data);
    if (st == HR_OK)
        st = train(&args, &data, &streamed, &resident);
    if (st == HR_OK)
        st = hr_memory_get_stats(streamed.device, &memory);
    if (st != HR_OK) {
        report_failure(st);
    } else {
        fine = compare_and_save(&args, file, &streamed, &resident);
        report_result(&streamed, args.compare ? &resident : NULL, args.epochs, memory.device_peak_bytes, data.bytes);
    }
    training_close(&resident);
    training_close(&streamed);
    data_close(&data);
    if (file)
        fclose(file);
    return all_printed() && fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
