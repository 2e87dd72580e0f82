/* The program's words: a bar while an epoch runs, a line after it, and the result. */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BAR = 32 };

void report_progress(const char *name, uint64_t epoch, uint64_t done, uint64_t all)
{
    static const char full[BAR + 1] = "================================";
    int now = (int)(done * BAR / all);
    int before = (int)((done - 1) * BAR / all);

    if ((done > 1 && now == before) || !isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r  %-8s epoch %llu [%.*s%*s]", name, (unsigned long long)epoch + 1, now, full, BAR - now, "");
    if (done == all)
        fputs("\r\033[K", stderr);
    fflush(stderr);
}

void report_device(const struct training *training)
{
    hr_device_info info = {.size = sizeof info};

    if (hr_device_get_info(training->device, &info) == HR_OK)
        printf("%-8s on %s, %s: %llu bytes of device memory at most\n", training->name, info.selector, info.name,
               (unsigned long long)info.budget_bytes);
    fflush(stdout);
}

void report_epoch(const struct training *training, uint64_t epoch)
{
    printf("epoch %llu %-8s loss %.4f accuracy %.4f %6.2f s  %s\n", (unsigned long long)epoch + 1, training->name,
           training->loss, training->accuracy, training->seconds[epoch], training->bottleneck);
    fflush(stdout);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Streamed over resident, epoch by epoch: neighbours in time, so that what else the machine does meets both. The median
 * leaves out the first epoch's compiling and the odd disturbance. */
static double median_ratio(const struct training *streamed, const struct training *resident, uint32_t epochs)
{
    double ratios[MAX_EPOCHS];

    for (uint32_t e = 0; e < epochs; e++)
        ratios[e] = streamed->seconds[e] / resident->seconds[e];
    qsort(ratios, epochs, sizeof *ratios, ascending);
    return (ratios[(epochs - 1) / 2] + ratios[epochs / 2]) / 2;
}

void report_result(const struct training *streamed, const struct training *resident, uint32_t epochs, uint64_t peak,
                   uint64_t dataset_bytes)
{
    char ratio[32] = "none";

    if (resident)
        snprintf(ratio, sizeof ratio, "%.3f", median_ratio(streamed, resident, epochs));
    printf("result accuracy=%.4f streamed_over_resident=%s device_bytes_peak=%llu dataset_bytes=%llu\n",
           streamed->accuracy, ratio, (unsigned long long)peak, (unsigned long long)dataset_bytes);
}

void report_failure(hr_status st)
{
    const char *message = hr_last_error();

    fprintf(stderr, "train_fashion: %s: %s\n", hr_status_name(st), *message ? message : hr_status_text(st));
}
