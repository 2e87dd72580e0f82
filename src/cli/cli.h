/* What the files of the `headrace` command share: subcommands, options, messages, output. */
#ifndef CLI_H
#define CLI_H

#include <headrace/headrace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Exit statuses; CLI_GO is no exit status but "the options are read, go on". */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_GO = -1 };

/* -- options --------------------------------------------------------------------------------------------------------
 */

#define CLI_MAX_SIZES 32

struct cli_sizes {
    unsigned n;
    uint64_t bytes[CLI_MAX_SIZES];
};

/* What an option's value becomes: bool (no value), const char *, uint64_t (bytes), uint64_t (count), double,
 * struct cli_sizes, uint32_t (one of `choices`). */
enum cli_kind { CLI_FLAG, CLI_TEXT, CLI_BYTES, CLI_COUNT, CLI_REAL, CLI_SIZES, CLI_CHOICE };

struct cli_choice {
    const char *name;
    uint32_t value;
};

struct cli_option {
    const char *name;     /* "--sizes" */
    const char *argument; /* "LIST"; NULL for a flag */
    enum cli_kind kind;
    size_t offset; /* of the value in the command's struct of options */
    const char *help;
    const struct cli_choice *choices; /* CLI_CHOICE: ends with a NULL name */
    uint64_t least, most;             /* CLI_BYTES, CLI_COUNT: limits, both included; most 0: none */
};

struct cli_command {
    const char *name; /* "bench copy" */
    const char *summary;
    const char *synopsis;
    const char *description;
    const struct cli_option *options; /* --help is always there */
    size_t n_options;
    const char *examples;
    int (*run)(const struct cli_command *command, int argc, char **argv); /* argv[0] is the command's last word */
};

extern const struct cli_command cli_info;
extern const struct cli_command cli_bench_copy;
extern const struct cli_command cli_bench_loader;

/* Reads the options into `values`, which holds the defaults. CLI_GO, or the exit status: help printed, a wrong option.
 */
int cli_parse(const struct cli_command *command, int argc, char **argv, void *values);

void cli_help(const struct cli_command *command);

/* -- messages: standard error ---------------------------------------------------------------------------------------
 */

/* "headrace NAME: text" and where the help is; returns CLI_USAGE. */
int cli_usage(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "headrace: what: the library's message"; returns CLI_FAILED. */
int cli_failed(hr_status status, const char *what);

/* "headrace: text"; returns CLI_FAILED. */
int cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A bar on standard error, where that is a terminal; done of total, then "what". total 0 wipes it. */
void cli_progress(unsigned done, unsigned total, const char *what);

/* -- output: standard output ----------------------------------------------------------------------------------------
 */

#define CLI_COLUMNS 16
#define CLI_CELL 192

/* A table with aligned columns. */
struct cli_table {
    unsigned columns;
    const char *align; /* a letter a column: l or r */
    size_t cells, room;
    char (*cell)[CLI_CELL];
    bool broken; /* out of memory: cells are missing */
};

void cli_table_begin(struct cli_table *table, const char *align);
void cli_table_cell(struct cli_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
int cli_table_end(struct cli_table *table); /* prints and frees; CLI_DONE or CLI_FAILED */

#define CLI_JSON_DEPTH 16

/* One JSON document. Keys are NULL inside arrays. */
struct cli_json {
    FILE *file;
    unsigned depth;
    char closer[CLI_JSON_DEPTH];
    bool filled[CLI_JSON_DEPTH];
};

void cli_json_begin(struct cli_json *json, FILE *file); /* opens the outermost object */
void cli_json_end(struct cli_json *json);
void cli_json_open(struct cli_json *json, const char *key, char opener); /* '{' or '[' */
void cli_json_close(struct cli_json *json);
void cli_json_text(struct cli_json *json, const char *key, const char *text);
void cli_json_count(struct cli_json *json, const char *key, uint64_t value);
void cli_json_real(struct cli_json *json, const char *key, double value); /* null when it is not finite */
void cli_json_flag(struct cli_json *json, const char *key, bool value);

/* The members that say which device was measured. */
void cli_json_device(struct cli_json *json, const char *key, const hr_device_info *info);

/* "4 KiB"; one of eight buffers in turn. */
const char *cli_size(uint64_t bytes);

/* "CPU", "GPU", "accelerator", "other". */
const char *cli_kind_name(uint32_t kind);

/* -- measuring ------------------------------------------------------------------------------------------------------
 */

#define CLI_MAX_ROUNDS 64

double cli_seconds(void);
double cli_median(const double *values, unsigned n); /* n 1 to CLI_MAX_ROUNDS */

/* True when a copy to the device is a copy within the host's memory: its limit is memcpy, not a link. */
bool cli_in_host_memory(const hr_device_info *info);

/* Opens a device and describes it; trace: the file of its timeline, NULL for the environment's. On failure prints and
 * returns CLI_FAILED, CLI_GO otherwise. */
int cli_open(const char *selector, const char *trace, hr_device **device, hr_device_info *info);

#endif
