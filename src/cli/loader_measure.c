/* Measures one row size of `headrace bench loader`: loader, bare loop, row by row, and with a kernel. */
#include "loader_bench.h"
#include "stream.h"

#define WRITES_SECONDS 0.05 /* about how long the row-by-row comparison of a round takes */

/* Epochs of one way after the other, and then the medians. */
struct rounds {
    double loader[CLI_MAX_ROUNDS], bare[CLI_MAX_ROUNDS], ahead[CLI_MAX_ROUNDS], writes[CLI_MAX_ROUNDS];
    double link[CLI_MAX_ROUNDS], over_bare[CLI_MAX_ROUNDS], over_ahead[CLI_MAX_ROUNDS], over_writes[CLI_MAX_ROUNDS];
};

/* What stands beside the loader: the bare loop, a batch that stays on the device, copies of a batch. */
struct beside {
    struct bare *bare;
    hr_buffer *target;
    struct rig rig;  /* rig.device NULL: the device works in the host's memory */
    uint64_t writes; /* rows in the row-by-row part of a round */
};

static void step(struct loader_bench *b, const char *what)
{
    unsigned each = (unsigned)b->o.epochs * (b->o.compute > 0 ? 2 : 1) + 1;
    char text[64];

    snprintf(text, sizeof text, "%s rows, %s", cli_size(b->now->row_bytes), what);
    cli_progress(b->steps++, each * b->o.row.n, text);
}

/* Every way of the bare loop is tried twice; the fastest plain one and the fastest that fetches ahead are the bars. */
static void choose_ways(struct bare *bare, struct loader_line *line)
{
    double bytes = (double)(line->rows * line->row_bytes);

    for (unsigned i = 0; i < 2 * BARE_WAYS; i++) {
        unsigned way = i % BARE_WAYS;
        double rate = bytes / bare_time(bare, way);

        if (rate > line->way_rate[way])
            line->way_rate[way] = rate;
    }
    line->bare_way = line->way_rate[BARE_SPLIT] > line->way_rate[0] ? BARE_SPLIT : 0;
    line->ahead_way = BARE_AHEAD;
    if (line->way_rate[BARE_AHEAD | BARE_SPLIT] > line->way_rate[BARE_AHEAD])
        line->ahead_way |= BARE_SPLIT;
}

/* As many rows as fill their part of a round, from the time of a few. */
static int plan_writes(struct stream *stream, struct beside *beside)
{
    uint64_t all = stream->rows->rows, few = all < 256 ? all : 256;
    double seconds, wanted;
    int status = stream_time_writes(stream, beside->target, few, &seconds);

    if (status == CLI_DONE)
        status = stream_time_writes(stream, beside->target, few, &seconds);
    if (status != CLI_DONE)
        return status;
    wanted = WRITES_SECONDS / (seconds > 0 ? seconds : 1e-9) * (double)few;
    beside->writes = wanted < (double)few ? few : wanted > (double)all ? all : (uint64_t)wanted;
    return CLI_DONE;
}

static int measure_round(struct loader_bench *b, struct stream *stream, struct beside *beside, struct rounds *r,
                         unsigned i)
{
    enum { COPIES = 64 };
    double bytes = (double)(b->now->rows * b->now->row_bytes), seconds;
    int status = stream_time(stream, NULL, &seconds);

    if (status != CLI_DONE)
        return status;
    r->loader[i] = bytes / seconds;
    r->bare[i] = bytes / bare_time(beside->bare, b->now->bare_way);
    r->ahead[i] = bytes / bare_time(beside->bare, b->now->ahead_way);
    status = stream_time_writes(stream, beside->target, beside->writes, &seconds);
    if (status != CLI_DONE)
        return status;
    r->writes[i] = (double)(beside->writes * b->now->row_bytes) / seconds;
    if (beside->rig.device) {
        hr_status st = rig_time(&beside->rig, COPY_TO_DEVICE, COPIES, &seconds);

        if (st != HR_OK)
            return cli_failed(st, "a copy of a batch");
        r->link[i] = (double)beside->rig.bytes / seconds;
    }
    r->over_bare[i] = r->loader[i] / r->bare[i];
    r->over_ahead[i] = r->loader[i] / r->ahead[i];
    r->over_writes[i] = r->loader[i] / r->writes[i];
    return CLI_DONE;
}

static int measure_rounds(struct loader_bench *b, struct stream *stream, struct beside *beside)
{
    struct loader_line *line = b->now;
    unsigned n = (unsigned)b->o.epochs;
    struct rounds r;
    int status = plan_writes(stream, beside);

    choose_ways(beside->bare, line);
    for (unsigned i = 0; i < n && status == CLI_DONE; i++) {
        step(b, "epochs");
        status = measure_round(b, stream, beside, &r, i);
    }
    if (status != CLI_DONE)
        return status;
    line->loader = cli_median(r.loader, n);
    line->bare = cli_median(r.bare, n);
    line->ahead = cli_median(r.ahead, n);
    line->writes = cli_median(r.writes, n);
    line->link = beside->rig.device ? cli_median(r.link, n) : 0;
    line->over_bare = cli_median(r.over_bare, n);
    line->over_ahead = cli_median(r.over_ahead, n);
    line->over_writes = cli_median(r.over_writes, n);
    line->stats = stream->stats;
    return CLI_DONE;
}

/* The kernel over streamed batches, and over some that stay, in turn. */
static int measure_compute(struct loader_bench *b, struct stream *stream, const struct load *load,
                           const struct resident *resident_batches)
{
    struct loader_line *line = b->now;
    double streamed[CLI_MAX_ROUNDS], resident[CLI_MAX_ROUNDS], ratio[CLI_MAX_ROUNDS], count = (double)line->batches;
    unsigned n = (unsigned)b->o.epochs;
    int status = stream_time(stream, load, &streamed[0]); /* warm-up */

    for (unsigned i = 0; i < n && status == CLI_DONE; i++) {
        step(b, "with a kernel");
        status = stream_time(stream, load, &streamed[i]);
        if (status == CLI_DONE)
            status = load_time(load, stream->compute, resident_batches, line->batches, &resident[i]);
        streamed[i] /= count;
        ratio[i] = streamed[i] / resident[i];
    }
    if (status != CLI_DONE)
        return status;
    line->streamed = cli_median(streamed, n);
    line->resident = cli_median(resident, n);
    line->over_resident = cli_median(ratio, n);
    line->busy = stream->stats;
    return CLI_DONE;
}

static int add_compute(struct loader_bench *b, struct stream *stream)
{
    struct loader_line *line = b->now;
    struct resident resident;
    struct load load;
    hr_status st;
    int status;

    line->transfer = (double)(line->rows * line->row_bytes) / line->loader / (double)line->batches;
    st = resident_open(b->device, stream->compute, stream->batch_rows * stream->rows->field_bytes, &resident);
    if (st != HR_OK)
        return cli_failed(st, "cannot keep a batch on the device");
    status = load_open(stream, &b->info, &load);
    if (status == CLI_DONE) {
        status = load_calibrate(&load, stream->compute, &resident, b->o.compute * line->transfer);
        if (status == CLI_DONE)
            status = measure_compute(b, stream, &load, &resident);
        load_close(&load);
    }
    resident_close(&resident);
    return status;
}

static int open_beside(struct loader_bench *b, struct stream *stream, struct beside *beside)
{
    uint64_t batch_bytes = stream->batch_rows * b->now->row_bytes;
    hr_status st;

    beside->bare = bare_open(stream->rows, stream->ids, stream->batch_rows, b->now->stats.workers, b->now->stats.depth);
    if (!beside->bare)
        return cli_error("out of memory or threads for the bare loop");
    st = hr_buffer_create(b->device, HR_MEMORY_DEVICE, batch_bytes, stream->compute, &beside->target);
    if (st == HR_OK && !cli_in_host_memory(&b->info))
        st = rig_open(b->device, batch_bytes, &beside->rig);
    return st == HR_OK ? CLI_DONE : cli_failed(st, "cannot prepare the comparison");
}

static void close_beside(struct beside *beside)
{
    rig_close(&beside->rig);
    hr_buffer_close(&beside->target);
    bare_close(beside->bare);
}

static int measure_beside(struct loader_bench *b, struct stream *stream)
{
    struct beside beside = {0};
    int status = open_beside(b, stream, &beside);

    if (status == CLI_DONE)
        status = measure_rounds(b, stream, &beside);
    if (status == CLI_DONE && b->o.compute > 0)
        status = add_compute(b, stream);
    close_beside(&beside);
    return status;
}

static int measure_rows(struct loader_bench *b, struct rows *rows)
{
    hr_loader_options lo = {.size = sizeof lo, .shuffle = 1, .seed = 1};
    struct stream stream;
    double seconds;
    int status;

    lo.batch_rows = b->o.batch_bytes / b->now->row_bytes ? b->o.batch_bytes / b->now->row_bytes : 1;
    lo.batch_rows = lo.batch_rows < rows->rows ? lo.batch_rows : rows->rows;
    lo.route = b->o.route;
    lo.depth = (uint32_t)b->o.depth;
    lo.workers = (uint32_t)b->o.workers;
    status = stream_open(b->device, rows, &lo, &stream);
    if (status != CLI_DONE)
        return status;
    step(b, "checking the data");
    status = stream_check(&stream);
    if (status == CLI_DONE)
        status = stream_time(&stream, NULL, &seconds); /* warm-up, and how many workers there are */
    b->now->rows = rows->rows;
    b->now->batches = stream.batches;
    b->now->checked = stream.checked;
    b->now->stats = stream.stats;
    if (status == CLI_DONE)
        status = measure_beside(b, &stream);
    stream_close(&stream);
    return status;
}

int loader_measure(struct loader_bench *b, uint64_t row_bytes, struct loader_line *line)
{
    struct rows rows;
    hr_status st;
    int status;

    b->now = line;
    line->row_bytes = row_bytes;
    step(b, "making the table");
    b->steps--;
    st = rows_open(b->o.table, row_bytes, (uint32_t)b->o.fields, &rows);
    if (st == HR_NO_MEMORY)
        return cli_error("out of memory for a table of %s; --table takes less", cli_size(b->o.table));
    if (st != HR_OK)
        return cli_failed(st, "cannot make the data set");
    status = measure_rows(b, &rows);
    rows_close(&rows);
    return status;
}
