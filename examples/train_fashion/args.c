/* The command line. */
#include "args.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

static const char help[] =
    "usage: train_fashion [options]\n"
    "\n"
    "Trains a perceptron on Fashion-MNIST twice, epoch by epoch in turn: streamed through a device\n"
    "budget smaller than the data set, and with the data set resident on the device. Both see the\n"
    "same batches and end with the same weights.\n"
    "\n"
    "  --data DIR        folder of the four *-ubyte.gz files (/usr/share/datasets/fashion-mnist)\n"
    "  --selector S      device, as `headrace info` lists them (HEADRACE_BACKEND, else the one marked there)\n"
    "  --epochs N        1 to 100 (5)\n"
    "  --batch N         rows a step, 1 to 1024 (128)\n"
    "  --workers N       threads that gather, 1 to 256 (the library's choice)\n"
    "  --weights FILE    write the final weights there, 32-bit floats\n"
    "  --streamed-only   no second training to compare with\n"
    "  --help\n";

enum { OPT_DATA = 1, OPT_SELECTOR, OPT_EPOCHS, OPT_BATCH, OPT_WORKERS, OPT_WEIGHTS, OPT_STREAMED_ONLY, OPT_HELP };

static const struct option options[] = {
    {"data", required_argument, NULL, OPT_DATA},
    {"selector", required_argument, NULL, OPT_SELECTOR},
    {"epochs", required_argument, NULL, OPT_EPOCHS},
    {"batch", required_argument, NULL, OPT_BATCH},
    {"workers", required_argument, NULL, OPT_WORKERS},
    {"weights", required_argument, NULL, OPT_WEIGHTS},
    {"streamed-only", no_argument, NULL, OPT_STREAMED_ONLY},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

static int parse_number(const char *name, uint32_t most, uint32_t *number)
{
    char *end;

    errno = 0;
    unsigned long value = strtoul(optarg, &end, 10);
    if (errno != 0 || end == optarg || *end != '\0' || *optarg == '-' || value < 1 || value > most) {
        fprintf(stderr, "train_fashion: %s is \"%s\"; give a whole number from 1 to %u\n", name, optarg, most);
        return 0;
    }
    *number = (uint32_t)value;
    return 1;
}

/* Returns 0 when the program is to leave. */
static int parse_option(int option, struct args *args)
{
    switch (option) {
    case OPT_DATA:
        args->data = optarg;
        return 1;
    case OPT_SELECTOR:
        args->selector = optarg;
        return 1;
    case OPT_WEIGHTS:
        args->weights = optarg;
        return 1;
    case OPT_EPOCHS:
        return parse_number("--epochs", MAX_EPOCHS, &args->epochs);
    case OPT_BATCH:
        return parse_number("--batch", MAX_BATCH, &args->batch);
    case OPT_WORKERS:
        return parse_number("--workers", 256, &args->workers);
    case OPT_STREAMED_ONLY:
        args->compare = 0;
        return 1;
    case OPT_HELP:
        fputs(help, stdout);
        args->exit_code = 0;
        return 0;
    default: /* getopt_long() has said which option is wrong */
        fputs("try train_fashion --help\n", stderr);
        return 0;
    }
}

int args_parse(int argc, char **argv, struct args *args)
{
    int option;

    *args = (struct args){
        .data = "/usr/share/datasets/fashion-mnist", .epochs = 5, .batch = 128, .compare = 1, .exit_code = 2};
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
        if (!parse_option(option, args))
            return 0;
    if (optind < argc) {
        fprintf(stderr, "train_fashion: \"%s\" is no option; try train_fashion --help\n", argv[optind]);
        return 0;
    }
    return 1;
}
