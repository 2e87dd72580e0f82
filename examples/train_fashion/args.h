/* What the command line asks for. */
#ifndef TRAIN_FASHION_ARGS_H
#define TRAIN_FASHION_ARGS_H

#include <stdint.h>

enum { MAX_EPOCHS = 100, MAX_BATCH = 1024 }; /* so many rows fit into the streamed budget */

struct args {
    const char *data;     /* the folder of the four files */
    const char *selector; /* as for hr_device_open(); NULL: HEADRACE_BACKEND, else the best there is */
    const char *weights;  /* where to write the final weights; NULL: nowhere */
    uint32_t epochs;
    uint32_t batch;
    uint32_t workers; /* 0: the library's choice */
    uint32_t compare; /* 1: train a second time with everything resident */
    int exit_code;    /* where args_parse() says no */
};

/* Returns 1 to go on; 0 to leave with args->exit_code, when all has been said. */
int args_parse(int argc, char **argv, struct args *args);

#endif
