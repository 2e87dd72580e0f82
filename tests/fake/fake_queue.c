/* The part of the fake's table about queues, events, copies and launches. */
#include "fake/fake_inside.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct hrb_place plain(const struct hrb_place *place)
{
    struct hrb_place host = *place;

    if (host.host == NULL) {
        const struct fake_buffer *buffer = (const struct fake_buffer *)place->buffer;

        host.host = buffer->storage->bytes + buffer->base;
    }
    return host;
}

static hr_status move(struct hrb_queue *head, enum fake_op op, const struct hrb_place *dst, const struct hrb_place *src,
                      const uint64_t *box, const struct hrb_sync *sync)
{
    struct fake_queue *queue = (struct fake_queue *)head;
    const bool pageable = (dst->host != NULL && dst->buffer == NULL) || (src->host != NULL && src->buffer == NULL);
    struct fake_work *work;
    bool fails;
    hr_status st = fake_enter(queue->fake, op);

    if (st != HR_OK)
        return st;
    work = fake_work_new(sync, FAKE_MOVE);
    work->dst = plain(dst);
    work->src = plain(src);
    work->width = box[0];
    work->rows = box[1];
    work->slices = box[2];
    fake_touches(work, dst->buffer);
    fake_touches(work, src->buffer);
    queue->fake->pageable += pageable;
    fails = queue->fake->fail_behind_in > 0 && --queue->fake->fail_behind_in == 0;
    fake_submit(queue, work, fails ? &(struct hrb_sync){0} : sync);
    if (fails)
        return queue->fake->services->fail(queue->fake->fail_behind_status, 99, "a copy fails behind its submission");
    if (pageable && queue->fake->options.pageable_waits) {
        pthread_mutex_lock(&queue->fake->lock);
        fake_drain(queue);
        fake_leave(queue->fake);
    }
    return HR_OK;
}

static hr_status copy(struct hrb_queue *head, const struct hrb_place *dst, const struct hrb_place *src, uint64_t bytes,
                      const struct hrb_sync *sync)
{
    return move(head, FAKE_COPY, dst, src, (uint64_t[]){bytes, 1, 1}, sync);
}

static hr_status copy_rect(struct hrb_queue *head, const struct hrb_place *dst, const struct hrb_place *src,
                           uint64_t width, uint64_t rows, uint64_t slices, const struct hrb_sync *sync)
{
    return move(head, FAKE_COPY_RECT, dst, src, (uint64_t[]){width, rows, slices}, sync);
}

static hr_status fill(struct hrb_queue *head, struct hrb_buffer *buffer, uint64_t offset, uint64_t bytes,
                      const void *pattern, uint32_t pattern_bytes, const struct hrb_sync *sync)
{
    struct fake_queue *queue = (struct fake_queue *)head;
    struct fake_work *work;
    hr_status st = fake_enter(queue->fake, FAKE_FILL);

    if (st != HR_OK)
        return st;
    work = fake_work_new(sync, FAKE_FILL_BYTES);
    work->dst = plain(&(struct hrb_place){.buffer = buffer, .offset = offset});
    work->width = bytes;
    memcpy(work->pattern, pattern, pattern_bytes);
    work->pattern_bytes = pattern_bytes;
    fake_touches(work, buffer);
    fake_submit(queue, work, sync);
    return HR_OK;
}

struct fake_code {
    struct hrb_kernel head;
    const struct fake_function *function;
};

static hr_status check_launch(struct hrb_kernel *kernel, const hr_grid *grid, const struct hrb_arg *args,
                              uint32_t n_args)
{
    const struct fake_function *function = ((struct fake_code *)kernel)->function;

    (void)grid;
    (void)args;
    if (n_args == function->n_args)
        return HR_OK;
    return kernel->program->device->services->fail(HR_INVALID, 0, "kernel %s takes %u arguments, not %u",
                                                   function->name, function->n_args, n_args);
}

static hr_status launch(struct hrb_queue *head, struct hrb_kernel *kernel, const hr_grid *grid,
                        const struct hrb_arg *args, uint32_t n_args, const struct hrb_sync *sync)
{
    struct fake_queue *queue = (struct fake_queue *)head;
    const struct fake_function *function = ((struct fake_code *)kernel)->function;
    struct fake_work *work;
    hr_status st = fake_enter(queue->fake, FAKE_KERNEL_LAUNCH);

    if (st != HR_OK)
        return st;
    st = check_launch(kernel, grid, args, n_args);
    if (st != HR_OK) {
        fake_leave(queue->fake);
        return st;
    }
    work = fake_work_new(sync, FAKE_CALL);
    work->function = function->function;
    work->grid = *grid;
    for (uint32_t i = 0; i < n_args; i++) {
        if (args[i].buffer != NULL) {
            struct fake_buffer *buffer = (struct fake_buffer *)args[i].buffer;

            work->args[i].ptr = buffer->storage->bytes + buffer->base + args[i].offset;
            work->args[i].bytes = buffer->head.bytes - args[i].offset;
            fake_touches(work, args[i].buffer);
        } else {
            memcpy(work->scalars[i], args[i].data, args[i].bytes);
            work->args[i] = (struct fake_arg){work->scalars[i], args[i].bytes};
        }
    }
    fake_submit(queue, work, sync);
    return HR_OK;
}

static hr_status kernel_create(struct hrb_program *program, const char *name, struct hrb_kernel **kernel)
{
    struct fake *fake = fake_of(program->device);
    struct fake_code *made;
    unsigned i = 0;
    hr_status st = fake_enter(fake, FAKE_KERNEL_CREATE);

    if (st != HR_OK)
        return st;
    while (i < fake->n_functions && strcmp(fake->functions[i].name, name) != 0)
        i++;
    if (i < fake->n_functions) {
        made = calloc(1, sizeof *made);
        made->head.program = program;
        made->function = &fake->functions[i];
        fake->live[FAKE_KERNELS]++;
        *kernel = &made->head;
    } else {
        st = fake->services->fail(HR_NOT_FOUND, 0, "no kernel is called '%s'", name);
    }
    fake_leave(fake);
    return st;
}

static void kernel_destroy(struct hrb_kernel *kernel)
{
    struct fake *fake = fake_of(kernel->program->device);

    pthread_mutex_lock(&fake->lock);
    fake->live[FAKE_KERNELS]--;
    pthread_mutex_unlock(&fake->lock);
    free(kernel);
}

static hr_status queue_create(struct hrb_device *device, uint32_t role, uint32_t flags, void *native,
                              struct hrb_queue **out)
{
    struct fake *fake = fake_of(device);
    struct fake_queue *queue;
    hr_status st = fake_enter(fake, FAKE_QUEUE_CREATE);

    (void)native;
    if (st != HR_OK)
        return st;
    queue = calloc(1, sizeof *queue);
    queue->head.device = device;
    queue->head.role = role;
    queue->head.flags = flags;
    queue->fake = fake;
    queue->next = fake->queues;
    fake->queues = queue;
    fake->live[FAKE_QUEUES]++;
    *out = &queue->head;
    fake_leave(fake);
    return HR_OK;
}

static void queue_destroy(struct hrb_queue *head)
{
    struct fake_queue *queue = (struct fake_queue *)head;
    struct fake *fake = queue->fake;

    pthread_mutex_lock(&fake->lock);
    fake->live[FAKE_QUEUES]--;
    queue->gone = true;
    queue->held = false;
    if (queue->first == NULL)
        fake_queue_unlink(queue);
    pthread_mutex_unlock(&fake->lock);
}

static hr_status queue_finish(struct hrb_queue *head)
{
    struct fake_queue *queue = (struct fake_queue *)head;
    hr_status st = fake_enter(queue->fake, FAKE_QUEUE_FINISH);

    if (st != HR_OK)
        return st;
    fake_drain(queue);
    if (queue->failed != HR_OK)
        st = queue->fake->services->fail(queue->failed, 7, "work on the queue failed");
    fake_leave(queue->fake);
    return st;
}

static hr_status queue_wait(struct hrb_queue *head, struct hrb_event *event)
{
    struct fake_queue *queue = (struct fake_queue *)head;
    struct hrb_sync sync = {.n_waits = 1, .waits = &event};
    hr_status st = fake_enter(queue->fake, FAKE_QUEUE_WAIT);

    if (st == HR_OK)
        fake_submit(queue, fake_work_new(&sync, FAKE_NOTHING), &(struct hrb_sync){0});
    return st;
}

static hr_status event_record(struct hrb_queue *head, uint32_t flags, struct hrb_event **event)
{
    struct fake_queue *queue = (struct fake_queue *)head;
    struct hrb_sync sync = {.flags = flags, .event = event};
    hr_status st = fake_enter(queue->fake, FAKE_EVENT_RECORD);

    if (st == HR_OK)
        fake_submit(queue, fake_work_new(&sync, FAKE_NOTHING), &sync);
    return st;
}

static hr_status outcome(struct fake *fake, const struct fake_event *event)
{
    return event->status == HR_OK ? HR_OK : fake->services->fail(event->status, 7, "the event's work failed");
}

static hr_status event_wait(struct hrb_event *head, uint64_t timeout_ns)
{
    struct fake_event *event = (struct fake_event *)head;
    struct fake *fake = event->queue->fake;
    struct timespec deadline;
    bool in_time = true;
    hr_status st = fake_enter(fake, FAKE_EVENT_WAIT);

    if (st != HR_OK)
        return st;
    clock_gettime(CLOCK_REALTIME, &deadline);
    if (timeout_ns != HR_FOREVER) {
        uint64_t ns = (uint64_t)deadline.tv_nsec + timeout_ns;

        deadline.tv_sec += (time_t)(ns / 1000000000);
        deadline.tv_nsec = (long)(ns % 1000000000);
    }
    while (!event->done && timeout_ns > 0 && in_time)
        if (!fake_advance(event->queue))
            in_time = fake_nap(fake, timeout_ns == HR_FOREVER ? NULL : &deadline);
    st = event->done ? outcome(fake, event) : HR_TIMEOUT;
    fake_leave(fake);
    return st;
}

static hr_status event_query(struct hrb_event *head, uint32_t *done)
{
    struct fake_event *event = (struct fake_event *)head;
    struct fake *fake = event->queue->fake;
    hr_status st = fake_enter(fake, FAKE_EVENT_QUERY);

    if (st != HR_OK)
        return st;
    if (event->done)
        st = outcome(fake, event);
    if (st == HR_OK)
        *done = event->done;
    fake_leave(fake);
    return st;
}

static hr_status event_times(struct hrb_event *head, uint64_t *start_ns, uint64_t *end_ns)
{
    struct fake_event *event = (struct fake_event *)head;

    if (!event->timed)
        return event->queue->fake->services->fail(HR_UNSUPPORTED, 0, "the event has no times");
    *start_ns = event->start;
    *end_ns = event->end;
    return HR_OK;
}

static void event_destroy(struct hrb_event *head)
{
    struct fake_event *event = (struct fake_event *)head;
    struct fake *fake = event->queue->fake;

    pthread_mutex_lock(&fake->lock);
    fake->live[FAKE_EVENTS]--;
    fake_event_unref(event);
    pthread_mutex_unlock(&fake->lock);
}

void fake_queue_ops(struct hrb_ops *ops)
{
    ops->queue_create = queue_create;
    ops->queue_destroy = queue_destroy;
    ops->queue_finish = queue_finish;
    ops->queue_wait = queue_wait;
    ops->event_record = event_record;
    ops->event_wait = event_wait;
    ops->event_query = event_query;
    ops->event_times = event_times;
    ops->event_destroy = event_destroy;
    ops->copy = copy;
    ops->copy_rect = copy_rect;
    ops->fill = fill;
    ops->kernel_create = kernel_create;
    ops->kernel_destroy = kernel_destroy;
    ops->kernel_launch = launch;
    ops->kernel_check = check_launch;
}
