/* headrace bench loader: a shuffled table streamed in batches, beside a bare loop over the same rows. */
#include "cli.h"
#include "loader_bench.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define MOST_EPOCHS 31u

static const struct cli_choice routes[] = {{"auto", HR_ROUTE_AUTO},
                                           {"staged", HR_ROUTE_STAGED},
                                           {"in-place", HR_ROUTE_IN_PLACE},
                                           {"resident", HR_ROUTE_RESIDENT},
                                           {NULL, 0}};

#define AT(member) offsetof(struct loader_options, member)
static const struct cli_option options[] = {
    {"--selector", "S", CLI_TEXT, AT(selector),
     "The device, as `headrace info` names it; without it the one that HEADRACE_BACKEND and HEADRACE_DEVICE name, or "
     "the default.",
     NULL, 0, 0},
    {"--row", "LIST", CLI_SIZES, AT(row),
     "Bytes of a row, all fields together; several are measured in turn. Default: 1K,4K.", NULL, 1, UINT64_C(1) << 30},
    {"--batch-bytes", "B", CLI_BYTES, AT(batch_bytes), "Bytes of a batch; at least a row is taken. Default: 1M.", NULL,
     1, UINT64_C(1) << 32},
    {"--table", "B", CLI_BYTES, AT(table),
     "Bytes of the synthetic table, which is held in memory: at most half of the machine's. Default: 1G.", NULL, 1, 0},
    {"--fields", "N", CLI_COUNT, AT(fields), "Fields into which a row is split evenly. Default: 1.", NULL, 1, 64},
    {"--workers", "W", CLI_COUNT, AT(workers), "Threads that gather. Default: 0, the library's rule.", NULL, 0, 256},
    {"--depth", "D", CLI_COUNT, AT(depth), "Batches in flight. Default: 0, the library's own.", NULL, 0, 64},
    {"--route", "R", CLI_CHOICE, AT(route),
     "How batches reach the device: auto, staged, in-place or resident. Default: auto.", routes, 0, 0},
    {"--epochs", "E", CLI_COUNT, AT(epochs),
     "Epochs that are timed, a bare loop after each; medians are shown. Default: 5.", NULL, 1, MOST_EPOCHS},
    {"--compute", "RATIO", CLI_REAL, AT(compute),
     "Also run a kernel over each batch that takes RATIO times as long as a batch takes to arrive, and compare with "
     "the same kernel over batches that stay on the device. 0, the default: no kernel.",
     NULL, 0, 0},
    {"--trace", "FILE", CLI_TEXT, AT(trace),
     "Write a timeline of what is measured to FILE, in the format that ui.perfetto.dev opens. It takes some of the "
     "time "
     "that is measured. Default: HEADRACE_TRACE, if that is set.",
     NULL, 0, 0},
    {"--json", NULL, CLI_FLAG, AT(json), "Print one JSON document; rates in bytes a second.", NULL, 0, 0},
};
#undef AT

static const char *route_name(uint32_t route)
{
    for (unsigned i = 0; routes[i].name; i++)
        if (routes[i].value == route)
            return routes[i].name;
    return "?";
}

static void print_rates(const struct loader_bench *b)
{
    static const char *const titles[] = {"row",          "loader",   "bare loop",    "loader/bare",    "rows ahead",
                                         "loader/ahead", "hr_write", "loader/write", "link of a batch"};
    struct cli_table table;

    cli_table_begin(&table, "rrrrrrrrr");
    for (unsigned i = 0; i < sizeof titles / sizeof *titles; i++)
        cli_table_cell(&table, "%s", titles[i]);
    for (unsigned i = 0; i < b->o.row.n; i++) {
        const struct loader_line *line = &b->line[i];

        cli_table_cell(&table, "%s", cli_size(line->row_bytes));
        cli_table_cell(&table, "%.2f GB/s", line->loader * 1e-9);
        cli_table_cell(&table, "%.2f GB/s", line->bare * 1e-9);
        cli_table_cell(&table, "%.3f", line->over_bare);
        cli_table_cell(&table, "%.2f GB/s", line->ahead * 1e-9);
        cli_table_cell(&table, "%.3f", line->over_ahead);
        cli_table_cell(&table, "%.3f GB/s", line->writes * 1e-9);
        cli_table_cell(&table, "%.1f", line->over_writes);
        if (line->link > 0)
            cli_table_cell(&table, "%.2f GB/s", line->link * 1e-9);
        else
            cli_table_cell(&table, "-"); /* gathered in the host's memory */
    }
    cli_table_end(&table);
}

static void print_compute(const struct loader_bench *b)
{
    static const char *const titles[] = {"row",      "a batch arrives in",    "kernel alone", "kernel/arrival",
                                         "streamed", "streamed over resident"};
    struct cli_table table;

    printf("\nWith a kernel of %.2f times the arrival of a batch:\n", b->o.compute);
    cli_table_begin(&table, "rrrrrr");
    for (unsigned i = 0; i < sizeof titles / sizeof *titles; i++)
        cli_table_cell(&table, "%s", titles[i]);
    for (unsigned i = 0; i < b->o.row.n; i++) {
        const struct loader_line *line = &b->line[i];

        cli_table_cell(&table, "%s", cli_size(line->row_bytes));
        cli_table_cell(&table, "%.1f us", line->transfer * 1e6);
        cli_table_cell(&table, "%.1f us", line->resident * 1e6);
        cli_table_cell(&table, "%.2f", line->resident / line->transfer);
        cli_table_cell(&table, "%.1f us", line->streamed * 1e6);
        cli_table_cell(&table, "%.3f", line->over_resident);
    }
    cli_table_end(&table);
}

static void print_stats(const char *what, const struct loader_line *line, const hr_loader_stats *stats)
{
    printf("%s rows%s: route %s, workers %u, depth %u, first batch after %.2f ms, next() waited %.1f of %.1f ms; "
           "bottleneck: %s\n",
           cli_size(line->row_bytes), what, route_name(stats->route), stats->workers, stats->depth,
           (double)stats->first_batch_ns * 1e-6, (double)stats->next_wait_ns * 1e-6, (double)stats->wall_ns * 1e-6,
           stats->bottleneck);
}

static void print_ways(const struct loader_line *line)
{
    printf("%s rows, bare loop:", cli_size(line->row_bytes));
    for (unsigned way = 0; way < BARE_WAYS; way++)
        printf("%s %s %.2f%s", way ? "," : "", bare_way_name(way), line->way_rate[way] * 1e-9,
               way == line->bare_way || way == line->ahead_way ? " (counts)" : "");
    puts(" GB/s");
}

static void print_all(const struct loader_bench *b)
{
    printf("%s  %s (%s)\n", b->info.selector, b->info.name, b->info.platform);
    printf("table of %s in %u field%s, shuffled, batches of %s; %u epochs of each way in turn\n\n",
           cli_size(b->o.table), (unsigned)b->o.fields, b->o.fields > 1 ? "s" : "", cli_size(b->o.batch_bytes),
           (unsigned)b->o.epochs);
    print_rates(b);
    if (b->o.compute > 0)
        print_compute(b);
    putchar('\n');
    for (unsigned i = 0; i < b->o.row.n; i++) {
        const struct loader_line *line = &b->line[i];

        print_ways(line);
        print_stats("", line, &line->stats);
        if (b->o.compute > 0)
            print_stats(" with the kernel", line, &line->busy);
        printf("%s rows: every row came once; %" PRIu64 " of %" PRIu64 " batches were compared byte by byte\n",
               cli_size(line->row_bytes), line->checked, line->batches);
    }
}

static void write_stats(struct cli_json *json, const char *key, const hr_loader_stats *stats)
{
    cli_json_open(json, key, '{');
    cli_json_text(json, "route", route_name(stats->route));
    cli_json_count(json, "workers", stats->workers);
    cli_json_count(json, "depth", stats->depth);
    cli_json_count(json, "bytes", stats->bytes);
    cli_json_count(json, "link_bytes", stats->link_bytes);
    cli_json_count(json, "wall_ns", stats->wall_ns);
    cli_json_count(json, "next_wait_ns", stats->next_wait_ns);
    cli_json_count(json, "slot_wait_ns", stats->slot_wait_ns);
    cli_json_count(json, "gather_ns", stats->gather_ns);
    cli_json_count(json, "send_wait_ns", stats->send_wait_ns);
    cli_json_count(json, "first_batch_ns", stats->first_batch_ns);
    cli_json_text(json, "bottleneck", stats->bottleneck);
    cli_json_close(json);
}

static void write_compute(struct cli_json *json, const struct loader_line *line)
{
    cli_json_open(json, "compute", '{');
    cli_json_real(json, "arrival_seconds", line->transfer);
    cli_json_real(json, "kernel_seconds", line->resident);
    cli_json_real(json, "streamed_seconds", line->streamed);
    cli_json_real(json, "streamed_over_resident", line->over_resident);
    write_stats(json, "statistics", &line->busy);
    cli_json_close(json);
}

static void write_line(struct cli_json *json, const struct loader_bench *b, const struct loader_line *line)
{
    cli_json_open(json, NULL, '{');
    cli_json_count(json, "row_bytes", line->row_bytes);
    cli_json_count(json, "rows", line->rows);
    cli_json_count(json, "batches", line->batches);
    cli_json_real(json, "loader", line->loader);
    cli_json_real(json, "bare", line->bare);
    cli_json_text(json, "bare_way", bare_way_name(line->bare_way));
    cli_json_real(json, "ahead", line->ahead);
    cli_json_text(json, "ahead_way", bare_way_name(line->ahead_way));
    cli_json_open(json, "bare_ways", '{');
    for (unsigned way = 0; way < BARE_WAYS; way++)
        cli_json_real(json, bare_way_name(way), line->way_rate[way]);
    cli_json_close(json);
    cli_json_real(json, "loader_over_bare", line->over_bare);
    cli_json_real(json, "loader_over_ahead", line->over_ahead);
    cli_json_real(json, "writes", line->writes);
    cli_json_real(json, "loader_over_writes", line->over_writes);
    if (line->link > 0)
        cli_json_real(json, "link", line->link);
    cli_json_count(json, "batches_compared", line->checked);
    write_stats(json, "statistics", &line->stats);
    if (b->o.compute > 0)
        write_compute(json, line);
    cli_json_close(json);
}

static void write_json(const struct loader_bench *b)
{
    struct cli_json json;

    cli_json_begin(&json, stdout);
    cli_json_text(&json, "command", cli_bench_loader.name);
    cli_json_text(&json, "version", hr_version_string());
    cli_json_device(&json, "device", &b->info);
    cli_json_text(&json, "unit", "bytes a second");
    cli_json_count(&json, "table_bytes", b->o.table);
    cli_json_count(&json, "batch_bytes", b->o.batch_bytes);
    cli_json_count(&json, "fields", b->o.fields);
    cli_json_count(&json, "epochs", b->o.epochs);
    cli_json_real(&json, "compute_ratio", b->o.compute);
    cli_json_open(&json, "rows", '[');
    for (unsigned i = 0; i < b->o.row.n; i++)
        write_line(&json, b, &b->line[i]);
    cli_json_close(&json);
    cli_json_flag(&json, "data_right", true);
    cli_json_end(&json);
}

/* What the options' own limits cannot say. */
static int check_options(const struct cli_command *command, const struct loader_options *o)
{
    uint64_t host = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

    if (o->depth == 1)
        return cli_usage(command->name, "--depth is 1, accepted: 0 (the library's own) and 2 to 64: one batch is held "
                                        "while the next is filled");
    if (o->table > host / 2)
        return cli_usage(command->name, "--table is %s, half of this machine's %s is the most", cli_size(o->table),
                         cli_size(host));
    for (unsigned i = 0; i < o->row.n; i++) {
        if (o->row.bytes[i] % o->fields != 0)
            return cli_usage(command->name, "--row is %" PRIu64 ", which %" PRIu64 " fields do not split evenly",
                             o->row.bytes[i], o->fields);
        if (o->row.bytes[i] > o->table)
            return cli_usage(command->name, "--row is %s, larger than the --table of %s", cli_size(o->row.bytes[i]),
                             cli_size(o->table));
    }
    return CLI_GO;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    struct loader_bench b = {
        .o = {.row = {2, {1024, 4096}}, .batch_bytes = 1u << 20, .table = 1u << 30, .fields = 1, .epochs = 5}};
    int status = cli_parse(command, argc, argv, &b.o);

    if (status == CLI_GO)
        status = check_options(command, &b.o);
    if (status == CLI_GO)
        status = cli_open(b.o.selector, b.o.trace, &b.device, &b.info);
    if (status != CLI_GO)
        return status;
    status = CLI_DONE;
    for (unsigned i = 0; i < b.o.row.n && status == CLI_DONE; i++)
        status = loader_measure(&b, b.o.row.bytes[i], &b.line[i]);
    cli_progress(0, 0, "");
    if (status == CLI_DONE && b.o.json)
        write_json(&b);
    else if (status == CLI_DONE)
        print_all(&b);
    hr_device_close(&b.device);
    return status;
}

const struct cli_command cli_bench_loader = {
    .name = "bench loader",
    .summary = "measures a loader beside a bare loop over the same rows",
    .synopsis = "headrace bench loader [--selector S] [--row LIST] [--batch-bytes B] [--table B] [--fields N] "
                "[--workers W] [--depth D] [--route R] [--epochs E] [--compute RATIO] [--trace FILE] [--json]",
    .description =
        "Makes a table of rows in memory and streams it to the device in shuffled batches. Before anything is timed, "
        "one epoch is delivered and checked: every row comes once, and the bytes of some batches, read back from the "
        "device, are those of the table.\n\n"
        "loader: bytes a second from the start of an epoch until the device has its last batch.\n"
        "bare loop: what is possible without a library. As many threads of this process gather the same rows in the "
        "same order, a memcpy a row, into ordinary memory of as many batches as the loader has in flight; the faster "
        "of "
        "two ways (whole batches a thread, every batch split) counts. rows ahead: the same with the rows to come "
        "prefetched, the most that is possible by hand.\n"
        "hr_write: the naive way, one call a row, on a part of the table.\n"
        "link of a batch: copies of a batch from pinned memory, for a device with memory of its own.\n\n"
        "Epochs of the loader and of the bare loop alternate; rates are medians, and each ratio is the median of the "
        "ratios of neighbouring epochs. With --compute a kernel reads each batch and goes on computing; its length is "
        "set from the measured arrival of a batch. On a CPU it is one work item, so that one core computes and the "
        "others may gather. Streamed over resident compares its epochs with as many launches over batches that stay "
        "on the device: 1 means that the device never waited.\n\n"
        "The last lines are the loader's own statistics, with the bottleneck in words.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = "       headrace bench loader\n"
                "       headrace bench loader --selector pocl --row 4K --workers 1 --compute 1.2\n"
                "       headrace bench loader --route staged --fields 2 --table 256M --json\n",
    .run = run,
};
