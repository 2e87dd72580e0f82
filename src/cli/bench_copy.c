/* headrace bench copy: copies of each size and direction, each beside its limit. */
#include "cli.h"
#include "rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ROUND_SECONDS 0.02 /* what a round of one cell should take */
#define MOST_COPIES 2000u
#define MOST_ROUNDS 31u

struct copy_options {
    const char *selector;
    const char *trace;
    struct cli_sizes sizes;
    uint64_t rounds;
    bool json;
};

static const struct cli_option options[] = {
    {"--selector", "S", CLI_TEXT, offsetof(struct copy_options, selector),
     "The device, as `headrace info` names it; without it the one that HEADRACE_BACKEND and HEADRACE_DEVICE name, or "
     "the default.",
     NULL, 0, 0},
    {"--sizes", "LIST", CLI_SIZES, offsetof(struct copy_options, sizes),
     "Sizes of a copy, separated by commas, each with K, M or G (1024) if wanted. Default: "
     "4K,64K,256K,1M,4M,16M,64M,256M. Sizes too large for the device or the machine are left out, and said so.",
     NULL, 1, 0},
    {"--rounds", "N", CLI_COUNT, offsetof(struct copy_options, rounds),
     "Rounds of which the median is shown. Default: 7.", NULL, 1, MOST_ROUNDS},
    {"--trace", "FILE", CLI_TEXT, offsetof(struct copy_options, trace),
     "Write a timeline of what is measured to FILE, in the format that ui.perfetto.dev opens. It takes some of the "
     "time "
     "that is measured. Default: HEADRACE_TRACE, if that is set.",
     NULL, 0, 0},
    {"--json", NULL, CLI_FLAG, offsetof(struct copy_options, json), "Print one JSON document; rates in bytes a second.",
     NULL, 0, 0},
};

static const struct {
    const char *title, *key;
    unsigned moved; /* times the size */
} kinds[COPY_KINDS] = {
    [COPY_TO_DEVICE] = {"to device", "to_device", 1},  [COPY_FROM_DEVICE] = {"from device", "from_device", 1},
    [COPY_BOTH] = {"both at once", "both_at_once", 2}, [COPY_PAGEABLE] = {"hr_write", "hr_write", 1},
    [COPY_ON_DEVICE] = {"on device", "on_device", 1},
};

/* What one size gave; rates in bytes a second. */
struct line {
    uint64_t bytes;
    char left_out[256]; /* why, if not empty */
    double rate[COPY_KINDS];
    double best[COPY_KINDS];
    double limit[COPY_KINDS];
    double latency; /* seconds from the call to the finished queue, one copy to the device */
};

struct bench {
    hr_device *device;
    hr_device_info info;
    struct copy_options o;
    bool in_host_memory;
    unsigned lines;
    struct line line[CLI_MAX_SIZES];
    unsigned done; /* cells, for the bar */
};

/* As many copies as fill a round, from the time of a few. */
static hr_status plan_round(struct rig *rig, enum copy_kind kind, unsigned *n)
{
    double seconds, wanted;
    hr_status st = rig_time(rig, kind, 1, &seconds); /* first touch */

    if (st == HR_OK)
        st = rig_time(rig, kind, 3, &seconds);
    if (st != HR_OK)
        return st;
    wanted = ROUND_SECONDS / (seconds > 0 ? seconds : 1e-9);
    *n = wanted < 2 ? 2 : wanted > MOST_COPIES ? MOST_COPIES : (unsigned)wanted;
    return HR_OK;
}

/* One cell: warm-up, rounds with memcpy's between them where that is the limit, and the data checked. */
static int measure_kind(struct bench *b, struct rig *rig, enum copy_kind kind, struct line *line)
{
    double seconds[CLI_MAX_ROUNDS], plain[CLI_MAX_ROUNDS], best = INFINITY, last;
    double moved = (double)line->bytes * kinds[kind].moved;
    unsigned n = 0, rounds = (unsigned)b->o.rounds;
    bool right = false;
    hr_status st = rig_prepare(rig, kind);

    if (st == HR_OK)
        st = plan_round(rig, kind, &n);
    if (st == HR_OK && b->in_host_memory)
        rig_time_memcpy(rig, kind, 1);
    for (unsigned i = 0; i < rounds && st == HR_OK; i++) {
        st = rig_time(rig, kind, n, &seconds[i]);
        if (st == HR_OK && seconds[i] < best)
            best = seconds[i];
        if (st == HR_OK && b->in_host_memory)
            plain[i] = rig_time_memcpy(rig, kind, n);
    }
    /* One more round, from spoilt destinations, is the one that is checked. */
    if (st == HR_OK)
        st = rig_prepare(rig, kind);
    if (st == HR_OK)
        st = rig_time(rig, kind, n, &last);
    if (st == HR_OK)
        st = rig_check(rig, kind, &right);
    if (st != HR_OK)
        return cli_failed(st, kinds[kind].title);
    if (!right)
        return cli_error("%s, %s: the data are wrong", kinds[kind].title, cli_size(line->bytes));
    line->rate[kind] = moved / cli_median(seconds, rounds);
    line->best[kind] = moved / best;
    line->limit[kind] = b->in_host_memory ? moved / cli_median(plain, rounds) : 0;
    return CLI_DONE;
}

static hr_status measure_latency(struct rig *rig, struct line *line)
{
    double seconds[CLI_MAX_ROUNDS];
    hr_status st = HR_OK;

    for (unsigned i = 0; i < CLI_MAX_ROUNDS && st == HR_OK; i++)
        st = rig_time(rig, COPY_TO_DEVICE, 1, &seconds[i]);
    if (st == HR_OK)
        line->latency = cli_median(seconds, CLI_MAX_ROUNDS);
    return st;
}

/* Why a size cannot be measured, before anything is allocated: "" when it can. */
static void judge_size(const hr_device_info *info, uint64_t bytes, struct line *line)
{
    uint64_t host = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    unsigned copies = cli_in_host_memory(info) ? 6 : 4; /* in the host's memory: pinned, pageable, the device's own */

    line->bytes = bytes;
    if (bytes > info->max_buffer_bytes)
        snprintf(line->left_out, sizeof line->left_out, "the device's largest buffer is %s",
                 cli_size(info->max_buffer_bytes));
    else if (bytes > info->budget_bytes / 2)
        snprintf(line->left_out, sizeof line->left_out, "two of them exceed the device-memory budget of %s",
                 cli_size(info->budget_bytes));
    else if (bytes > info->pinned_budget_bytes / 3)
        snprintf(line->left_out, sizeof line->left_out, "two of them and staging exceed the pinned-memory budget of %s",
                 cli_size(info->pinned_budget_bytes));
    else if (bytes > host / 2 / copies)
        snprintf(line->left_out, sizeof line->left_out, "%u of them exceed half of this machine's %s", copies,
                 cli_size(host));
}

static int measure_size(struct bench *b, struct line *line)
{
    struct rig rig;
    int status = CLI_DONE;
    hr_status st = rig_open(b->device, line->bytes, &rig);

    if (st == HR_NO_DEVICE_MEMORY || st == HR_NO_PINNED_MEMORY || st == HR_NO_MEMORY) {
        snprintf(line->left_out, sizeof line->left_out, "%s",
                 st == HR_NO_MEMORY ? hr_status_text(st) : hr_last_error());
        b->done += COPY_KINDS;
        return CLI_DONE;
    }
    if (st != HR_OK)
        return cli_failed(st, "cannot prepare the copies");
    for (int kind = 0; kind < COPY_KINDS && status == CLI_DONE; kind++) {
        char what[64];

        snprintf(what, sizeof what, "%s, %s", cli_size(line->bytes), kinds[kind].title);
        cli_progress(b->done++, b->lines * COPY_KINDS, what);
        status = measure_kind(b, &rig, (enum copy_kind)kind, line);
    }
    if (status == CLI_DONE) {
        st = measure_latency(&rig, line);
        if (st != HR_OK)
            status = cli_failed(st, "latency");
    }
    rig_close(&rig);
    return status;
}

/* A device behind a link: the best rate of the largest size is what the link can do. hr_write crosses it too. */
static void set_link_limits(struct bench *b)
{
    const struct line *largest = NULL;

    for (unsigned i = 0; i < b->lines; i++)
        if (!b->line[i].left_out[0] && (!largest || b->line[i].bytes > largest->bytes))
            largest = &b->line[i];
    for (unsigned i = 0; i < b->lines && largest; i++)
        for (int kind = 0; kind < COPY_KINDS; kind++)
            b->line[i].limit[kind] = largest->best[kind == COPY_PAGEABLE ? COPY_TO_DEVICE : kind];
}

static void print_table(const struct bench *b)
{
    struct cli_table table;

    printf("%s  %s (%s)\n", b->info.selector, b->info.name, b->info.platform);
    printf("GB/s (10^9 bytes a second) of what is possible: %s; median of %u rounds\n\n",
           b->in_host_memory ? "a plain memcpy of that size, beside it in this run; two at once for both"
                             : "the link, as the best rate of the largest size",
           (unsigned)b->o.rounds);
    cli_table_begin(&table, "rrrrrrr");
    cli_table_cell(&table, "size");
    for (int kind = 0; kind < COPY_KINDS; kind++)
        cli_table_cell(&table, "%s", kinds[kind].title);
    cli_table_cell(&table, "latency");
    for (unsigned i = 0; i < b->lines; i++) {
        const struct line *line = &b->line[i];

        if (line->left_out[0])
            continue;
        cli_table_cell(&table, "%s", cli_size(line->bytes));
        for (int kind = 0; kind < COPY_KINDS; kind++)
            cli_table_cell(&table, "%.2f of %.2f", line->rate[kind] * 1e-9, line->limit[kind] * 1e-9);
        cli_table_cell(&table, "%.1f us", line->latency * 1e6);
    }
    cli_table_end(&table);
    for (unsigned i = 0; i < b->lines; i++)
        if (b->line[i].left_out[0])
            printf("%s left out: %s\n", cli_size(b->line[i].bytes), b->line[i].left_out);
    puts("\nEvery destination was checked after its last round.");
}

static void write_line(struct cli_json *json, const struct line *line)
{
    cli_json_open(json, NULL, '{');
    cli_json_count(json, "bytes", line->bytes);
    if (line->left_out[0])
        cli_json_text(json, "left_out", line->left_out);
    for (int kind = 0; kind < COPY_KINDS && !line->left_out[0]; kind++) {
        cli_json_open(json, kinds[kind].key, '{');
        cli_json_real(json, "rate", line->rate[kind]);
        cli_json_real(json, "best", line->best[kind]);
        cli_json_real(json, "limit", line->limit[kind]);
        cli_json_close(json);
    }
    if (!line->left_out[0])
        cli_json_real(json, "latency_seconds", line->latency);
    cli_json_close(json);
}

static void write_json(const struct bench *b)
{
    struct cli_json json;

    cli_json_begin(&json, stdout);
    cli_json_text(&json, "command", cli_bench_copy.name);
    cli_json_text(&json, "version", hr_version_string());
    cli_json_device(&json, "device", &b->info);
    cli_json_text(&json, "unit", "bytes a second");
    cli_json_text(&json, "limit", b->in_host_memory ? "memcpy" : "link");
    cli_json_count(&json, "rounds", b->o.rounds);
    cli_json_open(&json, "sizes", '[');
    for (unsigned i = 0; i < b->lines; i++)
        write_line(&json, &b->line[i]);
    cli_json_close(&json);
    cli_json_flag(&json, "data_right", true);
    cli_json_end(&json);
}

static int measure(struct bench *b)
{
    int status = CLI_DONE;
    bool any = false;

    b->in_host_memory = cli_in_host_memory(&b->info);
    b->lines = b->o.sizes.n;
    for (unsigned i = 0; i < b->lines && status == CLI_DONE; i++) {
        judge_size(&b->info, b->o.sizes.bytes[i], &b->line[i]);
        if (b->line[i].left_out[0])
            b->done += COPY_KINDS;
        else
            status = measure_size(b, &b->line[i]);
        any = any || !b->line[i].left_out[0];
    }
    cli_progress(0, 0, "");
    if (status == CLI_DONE && !any)
        return cli_error("no size fits; %s: %s", cli_size(b->line[0].bytes), b->line[0].left_out);
    if (status == CLI_DONE && !b->in_host_memory)
        set_link_limits(b);
    return status;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    static const struct cli_sizes usual = {8,
                                           {4096, 65536, 1u << 18, 1u << 20, 1u << 22, 1u << 24, 1u << 26, 1u << 28}};
    struct bench b = {.o = {.sizes = usual, .rounds = 7}};
    int status = cli_parse(command, argc, argv, &b.o);

    if (status == CLI_GO)
        status = cli_open(b.o.selector, b.o.trace, &b.device, &b.info);
    if (status != CLI_GO)
        return status;
    status = measure(&b);
    if (status == CLI_DONE && b.o.json)
        write_json(&b);
    else if (status == CLI_DONE)
        print_table(&b);
    hr_device_close(&b.device);
    return status;
}

const struct cli_command cli_bench_copy = {
    .name = "bench copy",
    .summary = "measures copies between the host and a device",
    .synopsis = "headrace bench copy [--selector S] [--sizes LIST] [--rounds N] [--trace FILE] [--json]",
    .description =
        "Measures copies of each size: from pinned memory to the device, from the device to pinned memory, both at "
        "once on two queues, hr_write() from ordinary memory, and within the device's memory. In a round many copies "
        "are enqueued and then waited for, so that the cost of a single call is hidden behind the copies before it; "
        "the median of the rounds is shown. Latency is the time from the call of one copy to the device until the "
        "host knows that it is done.\n\n"
        "Beside each figure stands what is possible, measured in the same run: for a device with memory of its own "
        "the link, which is the best rate at the largest size; for a device that works in the host's memory a plain "
        "memcpy of the same size, in rounds that alternate with the measured ones. After the rounds one more is run "
        "over spoilt destinations and its data are compared byte by byte.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = "       headrace bench copy\n"
                "       headrace bench copy --selector opencl:1 --sizes 1M,256M\n"
                "       headrace bench copy --selector pocl --json >copy.json\n",
    .run = run,
};
