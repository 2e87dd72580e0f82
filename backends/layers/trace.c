/*
 * The layer "trace": spans of all copies, fills and kernels, on a row a queue, in a timeline that Perfetto opens (the
 * core adds rows of threads: gathers and waits). Its text is file=NAME, "" for HEADRACE_TRACE's file.
 *
 * It asks for timing and for an event of every submission, and reads the device's own times once that is done. A queue
 * of the program's own that was made without timing gets spans of the host's: from the submission until it was seen
 * done, marked clock "host". What the program sees is the same as without: its events are its own, with the times that
 * it asked for.
 *
 * State: see trace.h; a kernel's word is its name, a buffer's its number.
 */
#include "layers/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct hrb_ops *below(const struct hrb_device *device)
{
    return device->next[TRACE_LAYER];
}

/* One submission under way. */
struct submission {
    struct hrb_queue *queue;
    struct hrb_sync sync; /* for the table below */
    struct hrb_event **out;
    struct trace_entry entry;
};

static void begin(struct submission *sub, struct hrb_queue *queue, const struct hrb_sync *sync, const char *category)
{
    const struct hrb_services *services = queue->device->services;

    sub->queue = queue;
    sub->out = sync->event;
    sub->entry = (struct trace_entry){.held = sync->event != NULL,
                                      .category = category,
                                      .about = services->tracing->about(),
                                      .submitted_ns = services->now_ns()};
    sub->sync = *sync;
    sub->sync.flags |= queue->flags & HR_TIMING;
    sub->sync.event = &sub->entry.event;
}

static hr_status end(struct submission *sub, hr_status st)
{
    if (st != HR_OK)
        return st;
    if (sub->out)
        *sub->out = sub->entry.event;
    hrb_trace_keep(sub->queue, &sub->entry);
    return HR_OK;
}

static void name(struct submission *sub, const char *text)
{
    snprintf(sub->entry.name, sizeof sub->entry.name, "%s", text);
}

static void detail(struct submission *sub, const char *what, uint64_t number)
{
    sub->entry.details[sub->entry.n_details++] = (struct hrb_detail){.name = what, .number = number};
}

static uint64_t number_of(const struct hrb_buffer *buffer)
{
    return (uintptr_t)buffer->word[TRACE_LAYER];
}

static const char *host_kind(const struct hrb_place *place)
{
    if (!place->buffer)
        return "pageable";
    return place->buffer->kind == HR_MEMORY_IMPORTED ? "imported" : "pinned";
}

static void describe_copy(struct submission *sub, const struct hrb_place *dst, const struct hrb_place *src,
                          uint64_t bytes)
{
    const struct hrb_place *device_side = dst->host ? src : dst, *other = dst->host ? dst : src;

    name(sub, src->host ? "upload" : dst->host ? "download" : "move");
    sub->entry.bytes = bytes;
    detail(sub, "buffer", number_of(device_side->buffer));
    detail(sub, "offset", device_side->offset);
    if (other->host) {
        sub->entry.details[sub->entry.n_details++] = (struct hrb_detail){.name = "host", .text = host_kind(other)};
    } else {
        detail(sub, "from buffer", number_of(other->buffer));
        detail(sub, "from offset", other->offset);
    }
}

static hr_status copy(struct hrb_queue *queue, const struct hrb_place *dst, const struct hrb_place *src, uint64_t bytes,
                      const struct hrb_sync *sync)
{
    struct submission sub;

    begin(&sub, queue, sync, "copy");
    describe_copy(&sub, dst, src, bytes);
    return end(&sub, below(queue->device)->copy(queue, dst, src, bytes, &sub.sync));
}

static hr_status copy_rect(struct hrb_queue *queue, const struct hrb_place *dst, const struct hrb_place *src,
                           uint64_t width, uint64_t rows, uint64_t slices, const struct hrb_sync *sync)
{
    struct submission sub;

    begin(&sub, queue, sync, "copy");
    describe_copy(&sub, dst, src, width * rows * slices);
    return end(&sub, below(queue->device)->copy_rect(queue, dst, src, width, rows, slices, &sub.sync));
}

static hr_status fill(struct hrb_queue *queue, struct hrb_buffer *buffer, uint64_t offset, uint64_t bytes,
                      const void *pattern, uint32_t pattern_bytes, const struct hrb_sync *sync)
{
    struct submission sub;

    begin(&sub, queue, sync, "copy");
    name(&sub, "fill");
    sub.entry.bytes = bytes;
    detail(&sub, "buffer", number_of(buffer));
    detail(&sub, "offset", offset);
    return end(&sub, below(queue->device)->fill(queue, buffer, offset, bytes, pattern, pattern_bytes, &sub.sync));
}

static hr_status kernel_launch(struct hrb_queue *queue, struct hrb_kernel *kernel, const hr_grid *grid,
                               const struct hrb_arg *args, uint32_t n_args, const struct hrb_sync *sync)
{
    const char *kernel_name = kernel->word[TRACE_LAYER];
    struct submission sub;

    begin(&sub, queue, sync, "kernel");
    name(&sub, kernel_name ? kernel_name : "kernel");
    detail(&sub, "items", grid->global[0] * grid->global[1] * grid->global[2]);
    return end(&sub, below(queue->device)->kernel_launch(queue, kernel, grid, args, n_args, &sub.sync));
}

static hr_status kernel_create(struct hrb_program *program, const char *text, struct hrb_kernel **kernel)
{
    hr_status st = below(program->device)->kernel_create(program, text, kernel);

    if (st == HR_OK)
        (*kernel)->word[TRACE_LAYER] = strdup(text); /* without memory its launches are called "kernel" */
    return st;
}

static void kernel_destroy(struct hrb_kernel *kernel)
{
    char *text = kernel->word[TRACE_LAYER];

    below(kernel->program->device)->kernel_destroy(kernel);
    free(text);
}

static void number(struct hrb_buffer *buffer)
{
    uintptr_t n = atomic_fetch_add(&hrb_trace_device(buffer->device)->buffers, 1) + 1;

    buffer->word[TRACE_LAYER] = (void *)n;
}

static hr_status buffer_create(struct hrb_device *device, uint32_t kind, uint64_t bytes, struct hrb_buffer **buffer)
{
    hr_status st = below(device)->buffer_create(device, kind, bytes, buffer);

    if (st == HR_OK)
        number(*buffer);
    return st;
}

static hr_status buffer_import(struct hrb_device *device, void *pointer, uint64_t bytes, struct hrb_buffer **buffer)
{
    hr_status st = below(device)->buffer_import(device, pointer, bytes, buffer);

    if (st == HR_OK)
        number(*buffer);
    return st;
}

static hr_status buffer_view(struct hrb_buffer *parent, uint64_t offset, uint64_t bytes, struct hrb_buffer **view)
{
    hr_status st = below(parent->device)->buffer_view(parent, offset, bytes, view);

    if (st == HR_OK)
        number(*view);
    return st;
}

static hr_status buffer_acquire(struct hrb_buffer *buffer, struct hrb_queue *queue, uint32_t mode, void **ptr)
{
    hr_status st = below(buffer->device)->buffer_acquire(buffer, queue, mode, ptr);

    hrb_trace_reap(queue);
    return st;
}

static hr_status queue_create(struct hrb_device *device, uint32_t role, uint32_t flags, void *native,
                              struct hrb_queue **queue)
{
    struct hrb_queue *made;
    hr_status st;

    if (!native && hrb_trace_device(device)->timed)
        flags |= HR_TIMING;
    st = below(device)->queue_create(device, role, flags, native, &made);
    if (st != HR_OK)
        return st;
    st = hrb_trace_queue_make(made, native == NULL);
    if (st != HR_OK) {
        below(device)->queue_destroy(made);
        return st;
    }
    *queue = made;
    return HR_OK;
}

static void queue_destroy(struct hrb_queue *queue)
{
    hrb_trace_queue_free(queue);
    below(queue->device)->queue_destroy(queue);
}

static hr_status queue_finish(struct hrb_queue *queue)
{
    hr_status st = below(queue->device)->queue_finish(queue);

    hrb_trace_reap(queue);
    return st;
}

static hr_status event_wait(struct hrb_event *event, uint64_t timeout_ns)
{
    hr_status st = below(event->queue->device)->event_wait(event, timeout_ns);

    if (st != HR_TIMEOUT)
        hrb_trace_reap(event->queue);
    return st;
}

static hr_status event_query(struct hrb_event *event, uint32_t *done)
{
    hr_status st = below(event->queue->device)->event_query(event, done);

    if (st != HR_OK || *done)
        hrb_trace_reap(event->queue);
    return st;
}

static void event_destroy(struct hrb_event *event)
{
    if (hrb_trace_let_go(event))
        below(event->queue->device)->event_destroy(event);
}

static struct hrb_ops wrap(const struct hrb_ops *ops)
{
    struct hrb_ops wrapped = *ops;

    wrapped.buffer_create = buffer_create;
    if (ops->buffer_import)
        wrapped.buffer_import = buffer_import;
    wrapped.buffer_view = buffer_view;
    wrapped.buffer_acquire = buffer_acquire;
    wrapped.queue_create = queue_create;
    wrapped.queue_destroy = queue_destroy;
    wrapped.queue_finish = queue_finish;
    wrapped.event_wait = event_wait;
    wrapped.event_query = event_query;
    wrapped.event_destroy = event_destroy;
    wrapped.copy = copy;
    wrapped.copy_rect = copy_rect;
    wrapped.fill = fill;
    wrapped.kernel_create = kernel_create;
    wrapped.kernel_destroy = kernel_destroy;
    wrapped.kernel_launch = kernel_launch;
    return wrapped;
}

static const struct hrb_ops *driver_of(const struct hrb_device *device)
{
    uint32_t i = 0;

    while (!device->next[i])
        i++;
    return device->next[i];
}

static hr_status read_spec(const struct hrb_services *services, const char *spec, const char **file)
{
    static const char key[] = "file=";

    if (*spec && (strncmp(spec, key, strlen(key)) != 0 || !spec[strlen(key)]))
        return services->fail(HR_INVALID, 0, "layer trace: \"%s\" is not file=NAME, as in trace:file=trace.json", spec);
    *file = *spec ? spec + strlen(key) : "";
    return HR_OK;
}

static hr_status attach(struct hrb_device *device, const struct hrb_ops *ops, const char *spec,
                        const struct hrb_ops **wrapped)
{
    const struct hrb_services *services = device->services;
    hr_device_info info = {.size = sizeof info};
    struct trace_device *made;
    char label[192];
    const char *file;
    hr_status st = read_spec(services, spec, &file);

    if (st == HR_OK)
        st = ops->device_info(device, &info);
    if (st != HR_OK)
        return st;
    made = calloc(1, sizeof *made);
    if (!made)
        return services->fail(HR_NO_MEMORY, 0, "layer trace: no memory for its state");
    st = services->tracing->open(file, &device->trace);
    if (st != HR_OK) {
        free(made);
        return st;
    }
    snprintf(label, sizeof label, "%s%s%s", info.selector, info.selector[0] ? " " : "", info.name);
    made->group = services->tracing->group(device->trace, label);
    made->ops = wrap(ops);
    made->driver = driver_of(device);
    made->timed = info.abilities & HR_ABILITY_TIMING;
    pthread_mutex_init(&made->clock.lock, NULL);
    device->word[TRACE_LAYER] = made;
    if (made->timed)
        hrb_trace_calibrate(device);
    *wrapped = &made->ops;
    return HR_OK;
}

static void detach(struct hrb_device *device)
{
    struct trace_device *trace = hrb_trace_device(device);

    hrb_trace_calibrate_end(device);
    device->services->tracing->close(device->trace);
    device->trace = NULL;
    pthread_mutex_destroy(&trace->clock.lock);
    free(trace);
    device->word[TRACE_LAYER] = NULL;
}

const struct hrb_layer hrb_layer_trace = {
    .size = sizeof(struct hrb_layer),
    .abi = HRB_ABI,
    .index = TRACE_LAYER,
    .name = "trace",
    .summary = "writes a timeline of copies, kernels, gathers and waits: trace:file=trace.json",
    .attach = attach,
    .detach = detach,
};
