/* One loader over a synthetic table: what it delivers, and how fast. */
#include "stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int stream_open(hr_device *device, struct rows *rows, const hr_loader_options *options, struct stream *stream)
{
    struct stream s = {.device = device, .rows = rows, .batch_rows = options->batch_rows};
    hr_status st = hr_device_get_queue(device, HR_QUEUE_COMPUTE, &s.compute);

    if (st == HR_OK)
        st = hr_loader_open(device, rows->dataset, options, &s.loader);
    if (st == HR_OK)
        st = hr_loader_get_batches(s.loader, &s.batches);
    if (st != HR_OK) {
        hr_loader_close(&s.loader);
        return cli_failed(st, "cannot open the loader");
    }
    s.ids = malloc(rows->rows * sizeof *s.ids);
    if (!s.ids) {
        hr_loader_close(&s.loader);
        return cli_error("out of memory for %" PRIu64 " row numbers", rows->rows);
    }
    *stream = s;
    return CLI_DONE;
}

void stream_close(struct stream *stream)
{
    hr_loader_close(&stream->loader);
    free(stream->ids);
    memset(stream, 0, sizeof *stream);
}

/* The batch's bytes as the device has them, against the table. */
static int compare_batch(struct stream *s, hr_batch *batch, const uint64_t *ids, uint64_t rows)
{
    uint64_t bytes = rows * s->rows->field_bytes;
    unsigned char *copy = malloc(bytes);
    int status = copy ? CLI_DONE : cli_error("out of memory for a batch");

    for (uint32_t f = 0; f < s->rows->fields && status == CLI_DONE; f++) {
        hr_field field = {.size = sizeof field};
        hr_status st = hr_batch_field(batch, f, &field);

        if (st == HR_OK)
            st = hr_read(s->compute, field.buffer, field.offset, copy, bytes, NULL);
        if (st == HR_OK)
            st = hr_queue_finish(s->compute);
        if (st != HR_OK)
            status = cli_failed(st, "cannot read a batch back");
        for (uint64_t i = 0; i < rows && status == CLI_DONE; i++)
            if (memcmp(copy + i * s->rows->field_bytes, rows_at(s->rows, f, ids[i]), s->rows->field_bytes) != 0)
                status = cli_error("batch %" PRIu64 ", field %u: row %" PRIu64 " is not row %" PRIu64 " of the table",
                                   hr_batch_index(batch), f, i, ids[i]);
    }
    free(copy);
    return status;
}

/* Keeps a batch's ids behind the `seen` before it, marking each row in `bits`. */
static int keep_ids(struct stream *s, hr_batch *batch, unsigned char *bits, uint64_t *seen)
{
    uint64_t rows = hr_batch_rows(batch), count;
    const uint64_t *ids;
    hr_status st = hr_batch_row_ids(batch, &ids, &count);

    if (st != HR_OK)
        return cli_failed(st, "cannot read a batch's row numbers");
    if (count < rows || *seen + rows > s->rows->rows)
        return cli_error("batch %" PRIu64 " has %" PRIu64 " rows too many", hr_batch_index(batch), rows);
    for (uint64_t i = 0; i < rows; i++) {
        if (ids[i] >= s->rows->rows || (bits[ids[i] / 8] >> ids[i] % 8 & 1))
            return cli_error("row %" PRIu64 " came twice or does not exist", ids[i]);
        bits[ids[i] / 8] = (unsigned char)(bits[ids[i] / 8] | 1u << ids[i] % 8);
    }
    memcpy(s->ids + *seen, ids, rows * sizeof *ids);
    *seen += rows;
    return CLI_DONE;
}

static int check_epoch(struct stream *s, unsigned char *bits)
{
    uint64_t seen = 0, step = s->batches / 32 + 1;
    hr_batch *batch;
    hr_status st = hr_loader_start(s->loader, 0);

    while (st == HR_OK && (st = hr_loader_next(s->loader, &batch)) == HR_OK) {
        uint64_t first = seen, index = hr_batch_index(batch);
        int status = keep_ids(s, batch, bits, &seen);

        if (status == CLI_DONE && (index % step == 0 || index + 1 == s->batches)) {
            status = compare_batch(s, batch, s->ids + first, seen - first);
            s->checked++;
        }
        st = hr_batch_release(&batch);
        if (status != CLI_DONE)
            return status;
    }
    if (st != HR_END)
        return cli_failed(st, "the first epoch");
    if (seen != s->rows->rows)
        return cli_error("%" PRIu64 " of %" PRIu64 " rows came", seen, s->rows->rows);
    return CLI_DONE;
}

int stream_check(struct stream *stream)
{
    unsigned char *bits = calloc(1, stream->rows->rows / 8 + 1);
    int status = bits ? check_epoch(stream, bits) : cli_error("out of memory for the check");

    free(bits);
    return status;
}

static hr_status launch(const struct stream *s, const struct load *load, hr_batch *batch)
{
    hr_field field = {.size = sizeof field};
    hr_status st = hr_batch_field(batch, 0, &field);

    return st == HR_OK ? load_launch(load, s->compute, field.buffer, field.offset, field.bytes) : st;
}

int stream_time(struct stream *stream, const struct load *load, double *seconds)
{
    /* The loader is fetching the next epoch's first batches: what is timed next should not share the memory with it. */
    static const struct timespec settle = {0, 10 * 1000 * 1000};
    double start = cli_seconds();
    hr_batch *batch;
    hr_status st = hr_loader_start(stream->loader, 0);

    while (st == HR_OK && (st = hr_loader_next(stream->loader, &batch)) == HR_OK) {
        hr_status released;

        if (load)
            st = launch(stream, load, batch);
        released = hr_batch_release(&batch);
        st = st == HR_OK ? released : st;
    }
    if (st == HR_END)
        st = hr_queue_finish(stream->compute);
    *seconds = cli_seconds() - start;
    if (st == HR_OK) {
        stream->stats.size = sizeof stream->stats;
        st = hr_loader_get_stats(stream->loader, &stream->stats);
    }
    nanosleep(&settle, NULL);
    return st == HR_OK ? CLI_DONE : cli_failed(st, "an epoch");
}

int stream_time_writes(struct stream *stream, hr_buffer *target, uint64_t count, double *seconds)
{
    const struct rows *rows = stream->rows;
    uint64_t bytes = rows->field_bytes, slot = 0;
    double start = cli_seconds();
    hr_status st = HR_OK;

    for (uint64_t i = 0; i < count && st == HR_OK; i++, slot = (slot + 1) % stream->batch_rows)
        for (uint32_t f = 0; f < rows->fields && st == HR_OK; f++)
            st = hr_write(stream->compute, target, (f * stream->batch_rows + slot) * bytes,
                          rows_at(rows, f, stream->ids[i]), bytes, NULL);
    if (st == HR_OK)
        st = hr_queue_finish(stream->compute);
    *seconds = cli_seconds() - start;
    return st == HR_OK ? CLI_DONE : cli_failed(st, "one hr_write a row");
}
