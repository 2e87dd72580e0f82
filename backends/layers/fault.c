/*
 * The layer "fault": makes the nth call of a kind fail, on any backend. Its text is rules joined by '+', each
 * op=KIND,n=N,every=E,count=C,min=BYTES,status=NAME,at=submit|done (all but op may be left out):
 * - op      alloc (device, pinned), import, view, acquire, release, queue, finish, wait (of a queue, on the device),
 *           record, event (its wait or query), copy (upload, download, move), fill, build, kernel, launch, any.
 * - n       the first such call that fails, from 1 (default 1); every: then each Eth (1); count: so often (1), 0: for
 *           ever; min: calls of fewer bytes are not counted (0).
 * - status  a status in lower case without HR_ ("lost" is device_lost; default driver).
 * - at      submit (default): the call fails before it reaches the driver; finish and event when the work has ended,
 *           since a caller takes their failure for its end. done: the work is submitted and done, and
 *           then answered as failed by its event, by later events of its queue, and by the queue's finish; a queue that
 *           waits for such an event fails in the same way.
 * Each rule counts on its own; the count starts when the device is opened.
 *
 * State: a queue's and an event's word is the rule by which it failed, or NULL.
 */
#include "fault.h"

#include <stdbool.h>
#include <stdlib.h>

enum { LAYER = HRB_LAYER_FAULT };

struct fault {
    struct hrb_ops ops;
    uint32_t n_rules;
    struct fault_rule *rules;
};

static const struct hrb_ops *below(const struct hrb_device *device)
{
    return device->next[LAYER];
}

/* Words are set by one thread and read by any. */
static const struct fault_rule *word_get(void **words)
{
    return __atomic_load_n(&words[LAYER], __ATOMIC_ACQUIRE);
}

/* The first failure stays. */
static void word_set(void **words, const struct fault_rule *rule)
{
    void *none = NULL;

    if (rule)
        __atomic_compare_exchange_n(&words[LAYER], &none, (void *)rule, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static hr_status answer(const struct hrb_device *device, const struct fault_rule *rule)
{
    return device->services->fail(rule->status, 0, "layer fault: failed as told by \"%s\"", rule->text);
}

static bool strikes(struct fault_rule *rule, uint32_t op, uint64_t bytes)
{
    uint64_t call;

    if (!(rule->ops & op) || bytes < rule->least)
        return false;
    call = atomic_fetch_add(&rule->calls, 1) + 1;
    if (call < rule->n || (call - rule->n) % rule->every)
        return false;
    return rule->count == 0 || (call - rule->n) / rule->every < rule->count;
}

/* Counts a call. The failure if it is to fail now; *late: the rule by which its work will have failed, or NULL. */
static hr_status count(struct hrb_device *device, uint32_t op, uint64_t bytes, const struct fault_rule **late)
{
    struct fault *fault = device->word[LAYER];
    const struct fault_rule *now = NULL, *later = NULL;

    for (uint32_t i = 0; i < fault->n_rules; i++) {
        struct fault_rule *rule = &fault->rules[i];

        if (!strikes(rule, op, bytes))
            continue;
        if (rule->done)
            later = later ? later : rule;
        else
            now = now ? now : rule;
    }
    if (late)
        *late = later;
    return now ? answer(device, now) : HR_OK;
}

/* After a submission: failed waits and `late` fail the queue, and the queue's failure is its events'. */
static void settle(struct hrb_queue *queue, const struct fault_rule *late, const struct hrb_sync *sync)
{
    for (uint32_t i = 0; i < sync->n_waits; i++)
        word_set(queue->word, word_get(sync->waits[i]->word));
    word_set(queue->word, late);
    if (sync->event)
        word_set((*sync->event)->word, word_get(queue->word));
}

static hr_status buffer_create(struct hrb_device *device, uint32_t kind, uint64_t bytes, struct hrb_buffer **buffer)
{
    hr_status st = count(device, kind == HR_MEMORY_PINNED ? FAULT_PINNED : FAULT_DEVICE, bytes, NULL);

    return st != HR_OK ? st : below(device)->buffer_create(device, kind, bytes, buffer);
}

static hr_status buffer_import(struct hrb_device *device, void *pointer, uint64_t bytes, struct hrb_buffer **buffer)
{
    hr_status st = count(device, FAULT_IMPORT, bytes, NULL);

    return st != HR_OK ? st : below(device)->buffer_import(device, pointer, bytes, buffer);
}

static hr_status buffer_view(struct hrb_buffer *parent, uint64_t offset, uint64_t bytes, struct hrb_buffer **view)
{
    hr_status st = count(parent->device, FAULT_VIEW, bytes, NULL);

    return st != HR_OK ? st : below(parent->device)->buffer_view(parent, offset, bytes, view);
}

static hr_status buffer_acquire(struct hrb_buffer *buffer, struct hrb_queue *queue, uint32_t mode, void **ptr)
{
    struct hrb_device *device = buffer->device;
    const struct fault_rule *failed = queue ? word_get(queue->word) : NULL;
    hr_status st = count(device, FAULT_ACQUIRE, buffer->bytes, NULL);

    if (st != HR_OK)
        return st;
    return failed ? answer(device, failed) : below(device)->buffer_acquire(buffer, queue, mode, ptr);
}

static hr_status buffer_release(struct hrb_buffer *buffer, struct hrb_queue *queue, void *ptr)
{
    hr_status st = count(buffer->device, FAULT_RELEASE, buffer->bytes, NULL);

    return st != HR_OK ? st : below(buffer->device)->buffer_release(buffer, queue, ptr);
}

static hr_status queue_create(struct hrb_device *device, uint32_t role, uint32_t flags, void *native,
                              struct hrb_queue **queue)
{
    hr_status st = count(device, FAULT_QUEUE, 0, NULL);

    return st != HR_OK ? st : below(device)->queue_create(device, role, flags, native, queue);
}

static hr_status queue_finish(struct hrb_queue *queue)
{
    const struct fault_rule *failed;
    hr_status told = count(queue->device, FAULT_FINISH, 0, NULL);
    hr_status st = below(queue->device)->queue_finish(queue);

    if (told != HR_OK)
        return told;
    failed = word_get(queue->word);
    return st == HR_OK && failed ? answer(queue->device, failed) : st;
}

static hr_status queue_wait(struct hrb_queue *queue, struct hrb_event *event)
{
    hr_status st = count(queue->device, FAULT_WAIT, 0, NULL);

    if (st == HR_OK)
        st = below(queue->device)->queue_wait(queue, event);
    if (st == HR_OK)
        word_set(queue->word, word_get(event->word));
    return st;
}

static hr_status event_record(struct hrb_queue *queue, uint32_t flags, struct hrb_event **event)
{
    struct hrb_event *made = NULL;
    hr_status st = count(queue->device, FAULT_RECORD, 0, NULL);

    if (st == HR_OK)
        st = below(queue->device)->event_record(queue, flags, &made);
    if (st != HR_OK)
        return st;
    word_set(made->word, word_get(queue->word));
    *event = made;
    return HR_OK;
}

static hr_status event_wait(struct hrb_event *event, uint64_t timeout_ns)
{
    struct hrb_device *device = event->queue->device;
    const struct fault_rule *failed = word_get(event->word);
    hr_status told = count(device, FAULT_EVENT, 0, NULL);
    hr_status st = below(device)->event_wait(event, told == HR_OK ? timeout_ns : HR_FOREVER);

    if (told != HR_OK)
        return told;
    return st == HR_OK && failed ? answer(device, failed) : st;
}

static hr_status event_query(struct hrb_event *event, uint32_t *done)
{
    struct hrb_device *device = event->queue->device;
    const struct fault_rule *failed = word_get(event->word);
    uint32_t is_done = 0;
    hr_status told = count(device, FAULT_EVENT, 0, NULL);
    hr_status st;

    if (told != HR_OK) {
        (void)below(device)->event_wait(event, HR_FOREVER);
        return told;
    }
    st = below(device)->event_query(event, &is_done);
    if (st != HR_OK)
        return st;
    if (is_done && failed)
        return answer(device, failed);
    *done = is_done;
    return HR_OK;
}

static uint32_t direction(const struct hrb_place *dst, const struct hrb_place *src)
{
    if (src->host)
        return FAULT_UPLOAD;
    return dst->host ? FAULT_DOWNLOAD : FAULT_MOVE;
}

static hr_status copy(struct hrb_queue *queue, const struct hrb_place *dst, const struct hrb_place *src, uint64_t bytes,
                      const struct hrb_sync *sync)
{
    const struct fault_rule *late;
    hr_status st = count(queue->device, direction(dst, src), bytes, &late);

    if (st == HR_OK)
        st = below(queue->device)->copy(queue, dst, src, bytes, sync);
    if (st == HR_OK)
        settle(queue, late, sync);
    return st;
}

static hr_status copy_rect(struct hrb_queue *queue, const struct hrb_place *dst, const struct hrb_place *src,
                           uint64_t width, uint64_t rows, uint64_t slices, const struct hrb_sync *sync)
{
    const struct fault_rule *late;
    hr_status st = count(queue->device, direction(dst, src), width * rows * slices, &late);

    if (st == HR_OK)
        st = below(queue->device)->copy_rect(queue, dst, src, width, rows, slices, sync);
    if (st == HR_OK)
        settle(queue, late, sync);
    return st;
}

static hr_status fill(struct hrb_queue *queue, struct hrb_buffer *buffer, uint64_t offset, uint64_t bytes,
                      const void *pattern, uint32_t pattern_bytes, const struct hrb_sync *sync)
{
    const struct fault_rule *late;
    hr_status st = count(queue->device, FAULT_FILL, bytes, &late);

    if (st == HR_OK)
        st = below(queue->device)->fill(queue, buffer, offset, bytes, pattern, pattern_bytes, sync);
    if (st == HR_OK)
        settle(queue, late, sync);
    return st;
}

static hr_status program_create(struct hrb_device *device, const char *source, const char *options,
                                struct hrb_program **program)
{
    hr_status st = count(device, FAULT_BUILD, 0, NULL);

    return st != HR_OK ? st : below(device)->program_create(device, source, options, program);
}

static hr_status program_builtin(struct hrb_device *device, struct hrb_program **program)
{
    hr_status st = count(device, FAULT_BUILD, 0, NULL);

    return st != HR_OK ? st : below(device)->program_builtin(device, program);
}

static hr_status program_load(struct hrb_device *device, const void *image, uint64_t bytes,
                              struct hrb_program **program)
{
    hr_status st = count(device, FAULT_BUILD, bytes, NULL);

    return st != HR_OK ? st : below(device)->program_load(device, image, bytes, program);
}

static hr_status kernel_create(struct hrb_program *program, const char *name, struct hrb_kernel **kernel)
{
    hr_status st = count(program->device, FAULT_KERNEL, 0, NULL);

    return st != HR_OK ? st : below(program->device)->kernel_create(program, name, kernel);
}

static hr_status kernel_launch(struct hrb_queue *queue, struct hrb_kernel *kernel, const hr_grid *grid,
                               const struct hrb_arg *args, uint32_t n_args, const struct hrb_sync *sync)
{
    const struct fault_rule *late;
    hr_status st = count(queue->device, FAULT_LAUNCH, 0, &late);

    if (st == HR_OK)
        st = below(queue->device)->kernel_launch(queue, kernel, grid, args, n_args, sync);
    if (st == HR_OK)
        settle(queue, late, sync);
    return st;
}

/* The table below with the ops that can fail replaced; the rest go straight through. */
static struct hrb_ops wrap(const struct hrb_ops *ops)
{
    struct hrb_ops wrapped = *ops;

    wrapped.buffer_create = buffer_create;
    if (ops->buffer_import)
        wrapped.buffer_import = buffer_import;
    wrapped.buffer_view = buffer_view;
    wrapped.buffer_acquire = buffer_acquire;
    wrapped.buffer_release = buffer_release;
    wrapped.queue_create = queue_create;
    wrapped.queue_finish = queue_finish;
    wrapped.queue_wait = queue_wait;
    wrapped.event_record = event_record;
    wrapped.event_wait = event_wait;
    wrapped.event_query = event_query;
    wrapped.copy = copy;
    wrapped.copy_rect = copy_rect;
    wrapped.fill = fill;
    wrapped.program_create = program_create;
    if (ops->program_builtin)
        wrapped.program_builtin = program_builtin;
    if (ops->program_load)
        wrapped.program_load = program_load;
    wrapped.kernel_create = kernel_create;
    wrapped.kernel_launch = kernel_launch;
    return wrapped;
}

static hr_status attach(struct hrb_device *device, const struct hrb_ops *ops, const char *spec,
                        const struct hrb_ops **wrapped)
{
    struct fault *fault = calloc(1, sizeof *fault);
    hr_status st;

    if (!fault)
        return device->services->fail(HR_NO_MEMORY, 0, "layer fault: no memory for its state");
    st = hrb_fault_read(device->services, spec, &fault->rules, &fault->n_rules);
    if (st != HR_OK) {
        free(fault);
        return st;
    }
    fault->ops = wrap(ops);
    device->word[LAYER] = fault;
    *wrapped = &fault->ops;
    return HR_OK;
}

static void detach(struct hrb_device *device)
{
    struct fault *fault = device->word[LAYER];

    free(fault->rules);
    free(fault);
    device->word[LAYER] = NULL;
}

const struct hrb_layer hrb_layer_fault = {
    .size = sizeof(struct hrb_layer),
    .abi = HRB_ABI,
    .index = LAYER,
    .name = "fault",
    .summary = "makes the nth call of a kind fail: fault:op=copy,n=3,status=lost,at=done",
    .attach = attach,
    .detach = detach,
};
