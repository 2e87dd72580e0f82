/* What a loader shows on a timeline: gathers and submissions as spans, the stages of a batch as marks. */
#include "observe/trace.h"
#include "stream/loader.h"

static struct hrb_about about(const hr_batch *batch)
{
    return (struct hrb_about){.known = 1, .epoch = batch->epoch, .batch = batch->index};
}

void hri_span_gather(const hr_batch *slot, const struct hri_claim *claim, uint64_t begin, uint64_t end)
{
    const hr_dataset *dataset = slot->loader->dataset;
    struct hrb_detail details[] = {{.name = "slot", .number = slot->slot},
                                   {.name = "first", .number = claim->first},
                                   {.name = "rows", .number = claim->count}};
    struct hrb_span span = {.name = slot->host ? "gather" : "row numbers",
                            .category = "gather",
                            .start_ns = begin,
                            .end_ns = end,
                            .about = about(slot),
                            .details = details,
                            .n_details = sizeof details / sizeof *details};

    for (uint32_t f = 0; slot->host && f < dataset->n_fields; f++)
        span.bytes += claim->count * dataset->fields[f].info.row_bytes;
    hri_trace_span(slot->loader->trace, &span);
}

void hri_span_mark(const hr_batch *batch, const char *name)
{
    struct hrb_detail slot = {.name = "slot", .number = batch->slot};

    hri_trace_span(batch->loader->trace, &(struct hrb_span){.name = name,
                                                            .category = "batch",
                                                            .start_ns = hri_now_ns(),
                                                            .about = about(batch),
                                                            .details = &slot,
                                                            .n_details = 1});
}

void hri_span_send_begin(const hr_batch *slot)
{
    hri_trace_set_about(about(slot));
}

void hri_span_send_end(const hr_batch *slot, uint64_t begin, hr_status st)
{
    hri_trace_span(
        slot->loader->trace,
        &(struct hrb_span){
            .name = "submit", .category = "submit", .start_ns = begin, .end_ns = hri_now_ns(), .about = about(slot)});
    hri_trace_set_about((struct hrb_about){0});
    if (st == HR_OK)
        hri_span_mark(slot, "ready");
}

void hri_span_given(const hr_batch *batch, uint64_t begin)
{
    hri_trace_set_about(about(batch));
    if (begin != 0)
        hri_trace_wait(batch->loader->trace, "wait: next batch", begin);
    hri_span_mark(batch, "next");
}

/* The thread that took it last is at work on it no more; another thread's word is its own. */
void hri_span_released(const hr_batch *batch)
{
    struct hrb_about now = hri_trace_about();

    hri_span_mark(batch, "released");
    if (now.known && now.epoch == batch->epoch && now.batch == batch->index)
        hri_trace_set_about((struct hrb_about){0});
}
