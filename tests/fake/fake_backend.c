/* The fake driver's device, memory and programs; counters and planned failures. */
#include "core/util.h"
#include "fake/fake_inside.h"
#include "transfer/open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const op_names[] = {
#define FAKE_OP_NAME(name) #name,
    FAKE_OP_LIST(FAKE_OP_NAME)
#undef FAKE_OP_NAME
};

hr_status fake_enter(struct fake *fake, enum fake_op op)
{
    pthread_mutex_lock(&fake->lock);
    fake->calls[op]++;
    fake->calls[FAKE_ANY]++;
    if (fake->fail_in > 0 && (fake->fail_op == op || fake->fail_op == FAKE_ANY) && --fake->fail_in == 0) {
        hr_status st = fake->fail_status;

        pthread_mutex_unlock(&fake->lock);
        return hri_services.fail(st, 99, "%s fails as planned", op_names[op]);
    }
    return HR_OK;
}

void fake_leave(struct fake *fake)
{
    pthread_cond_broadcast(&fake->changed);
    pthread_mutex_unlock(&fake->lock);
}

/* The plan has one fake a table: the registry never sees it, so probe and the instance are trivial. */
static hr_status probe(const struct hrb_backend *self, const struct hrb_services *services,
                       struct hrb_instance **instance)
{
    (void)services;
    *instance = (struct hrb_instance *)(uintptr_t)self->profile;
    return HR_OK;
}

static uint32_t device_count(struct hrb_instance *instance)
{
    (void)instance;
    return 1;
}

static void describe(const struct fake *fake, hr_device_info *info)
{
    info->kind = HR_DEVICE_OTHER;
    info->usable = 1;
    info->abilities = fake->options.abilities;
    snprintf(info->selector, sizeof info->selector, "fake:0");
    snprintf(info->name, sizeof info->name, "fake");
    info->memory_bytes = fake->options.memory_bytes;
    info->max_buffer_bytes = fake->options.max_buffer_bytes;
    info->alignment = fake->options.alignment;
    info->compute_units = 1;
    info->max_group_size = 256;
}

static hr_status device_describe(struct hrb_instance *instance, uint32_t index, hr_device_info *info)
{
    (void)index;
    describe((struct fake *)instance, info);
    return HR_OK;
}

static hr_status device_open(struct hrb_instance *instance, uint32_t index, const struct hrb_native *native,
                             struct hrb_device **device)
{
    struct fake *fake = (struct fake *)instance;
    struct fake_head *head;
    hr_status st = fake_enter(fake, FAKE_DEVICE_OPEN);

    (void)index;
    (void)native;
    if (st != HR_OK)
        return st;
    head = calloc(1, sizeof *head);
    head->head.services = &hri_services;
    head->head.flags = fake->options.pageable_waits ? HRB_PAGEABLE_WAITS : 0;
    head->fake = fake;
    fake->live[FAKE_DEVICES]++;
    *device = &head->head;
    fake_leave(fake);
    return HR_OK;
}

static void device_close(struct hrb_device *device)
{
    struct fake *fake = fake_of(device);

    pthread_mutex_lock(&fake->lock);
    for (unsigned i = FAKE_BUFFERS; i < FAKE_OBJECTS; i++)
        fake->broken += fake->live[i];
    fake->live[FAKE_DEVICES]--;
    pthread_mutex_unlock(&fake->lock);
    free(device);
}

static hr_status device_info(struct hrb_device *device, hr_device_info *info)
{
    struct fake *fake = fake_of(device);
    hr_status st = fake_enter(fake, FAKE_DEVICE_INFO);

    if (st != HR_OK)
        return st;
    describe(fake, info);
    fake_leave(fake);
    return HR_OK;
}

void fake_storage_unref(struct fake_storage *storage)
{
    if (--storage->refs > 0)
        return;
    if (storage->own)
        free(storage->bytes);
    free(storage);
}

static struct hrb_buffer *new_buffer(struct hrb_device *device, uint32_t kind, void *bytes, uint64_t size)
{
    struct fake_buffer *buffer = calloc(1, sizeof *buffer);

    buffer->storage = calloc(1, sizeof *buffer->storage);
    *buffer->storage =
        (struct fake_storage){.bytes = bytes, .size = size, .refs = 1, .own = kind != HR_MEMORY_IMPORTED};
    buffer->head.device = device;
    buffer->head.bytes = size;
    buffer->head.kind = kind;
    if (kind != HR_MEMORY_DEVICE || (fake_of(device)->options.abilities & HR_ABILITY_SHARED_MEMORY) != 0)
        buffer->head.host = bytes;
    fake_of(device)->live[FAKE_BUFFERS]++;
    return &buffer->head;
}

static hr_status buffer_create(struct hrb_device *device, uint32_t kind, uint64_t bytes, struct hrb_buffer **buffer)
{
    struct fake *fake = fake_of(device);
    uint64_t most = kind == HR_MEMORY_DEVICE ? fake->options.memory_bytes : fake->options.pinned_bytes;
    hr_status st = fake_enter(fake, FAKE_BUFFER_CREATE);

    if (st != HR_OK)
        return st;
    if (bytes > most - fake->bytes[kind]) {
        st = hri_services.fail(kind == HR_MEMORY_DEVICE ? HR_NO_DEVICE_MEMORY : HR_NO_PINNED_MEMORY, 12,
                               "the driver has no %llu bytes", (unsigned long long)bytes);
    } else {
        void *memory = aligned_alloc(4096, hri_round_up(bytes, 4096));

        memset(memory, 0xa5, bytes);
        fake->bytes[kind] += bytes;
        *buffer = new_buffer(device, kind, memory, bytes);
    }
    fake_leave(fake);
    return st;
}

static hr_status buffer_import(struct hrb_device *device, void *pointer, uint64_t bytes, struct hrb_buffer **buffer)
{
    struct fake *fake = fake_of(device);
    hr_status st = fake_enter(fake, FAKE_BUFFER_IMPORT);

    if (st != HR_OK)
        return st;
    *buffer = new_buffer(device, HR_MEMORY_IMPORTED, pointer, bytes);
    fake_leave(fake);
    return HR_OK;
}

static hr_status buffer_view(struct hrb_buffer *parent, uint64_t offset, uint64_t bytes, struct hrb_buffer **view)
{
    struct fake *fake = fake_of(parent->device);
    struct fake_buffer *root = (struct fake_buffer *)parent;
    struct fake_buffer *made;
    hr_status st = fake_enter(fake, FAKE_BUFFER_VIEW);

    if (st != HR_OK)
        return st;
    made = calloc(1, sizeof *made);
    made->head = root->head;
    memset(made->head.word, 0, sizeof made->head.word);
    made->head.bytes = bytes;
    if (root->head.host != NULL)
        made->head.host = (unsigned char *)root->head.host + offset;
    made->storage = root->storage;
    made->storage->refs++;
    made->base = offset;
    made->view = true;
    fake->live[FAKE_BUFFERS]++;
    *view = &made->head;
    fake_leave(fake);
    return HR_OK;
}

static void buffer_destroy(struct hrb_buffer *head)
{
    struct fake_buffer *buffer = (struct fake_buffer *)head;
    struct fake *fake = fake_of(head->device);

    pthread_mutex_lock(&fake->lock);
    fake->live[FAKE_BUFFERS]--;
    if (!buffer->view) {
        if (buffer->storage->in_flight > 0)
            fake->broken++;
        if (buffer->storage->own)
            fake->bytes[head->kind] -= head->bytes;
    }
    fake_storage_unref(buffer->storage);
    pthread_mutex_unlock(&fake->lock);
    free(buffer);
}

static hr_status buffer_acquire(struct hrb_buffer *head, struct hrb_queue *queue, uint32_t mode, void **ptr)
{
    struct fake_buffer *buffer = (struct fake_buffer *)head;
    struct fake_queue *native = (struct fake_queue *)queue;
    struct fake *fake = fake_of(head->device);
    hr_status st = fake_enter(fake, FAKE_BUFFER_ACQUIRE);

    (void)mode;
    if (st != HR_OK)
        return st;
    fake_drain(native);
    if (native->failed != HR_OK)
        st = hri_services.fail(native->failed, 7, "work on the queue failed");
    else
        *ptr = buffer->storage->bytes + buffer->base;
    fake_leave(fake);
    return st;
}

static hr_status buffer_release(struct hrb_buffer *head, struct hrb_queue *queue, void *ptr)
{
    struct fake *fake = fake_of(head->device);
    hr_status st = fake_enter(fake, FAKE_BUFFER_RELEASE);

    (void)queue;
    (void)ptr;
    if (st == HR_OK)
        fake_leave(fake);
    return st;
}

static hr_status program_create(struct hrb_device *device, const char *source, const char *options,
                                struct hrb_program **program)
{
    struct fake *fake = fake_of(device);
    struct hrb_program *made;
    hr_status st = fake_enter(fake, FAKE_PROGRAM_CREATE);

    (void)options;
    if (st != HR_OK)
        return st;
    if (strstr(source, "#error") != NULL) {
        st = hri_services.fail(HR_BUILD, 1, "line 1: #error");
    } else {
        made = calloc(1, sizeof *made);
        made->device = device;
        fake->live[FAKE_PROGRAMS]++;
        *program = made;
    }
    fake_leave(fake);
    return st;
}

static void program_destroy(struct hrb_program *program)
{
    struct fake *fake = fake_of(program->device);

    pthread_mutex_lock(&fake->lock);
    fake->live[FAKE_PROGRAMS]--;
    pthread_mutex_unlock(&fake->lock);
    free(program);
}

static const struct hrb_ops device_ops = {
    .size = sizeof(struct hrb_ops),
    .abi = HRB_ABI,
    .probe = probe,
    .device_count = device_count,
    .device_describe = device_describe,
    .device_open = device_open,
    .device_close = device_close,
    .device_info = device_info,
    .buffer_create = buffer_create,
    .buffer_import = buffer_import,
    .buffer_view = buffer_view,
    .buffer_destroy = buffer_destroy,
    .buffer_acquire = buffer_acquire,
    .buffer_release = buffer_release,
    .program_create = program_create,
    .program_destroy = program_destroy,
};

struct fake *fake_create(const struct fake_options *options)
{
    struct fake *fake = calloc(1, sizeof *fake);
    struct fake_options *ours = &fake->options;

    if (options != NULL)
        *ours = *options;
    ours->memory_bytes = ours->memory_bytes != 0 ? ours->memory_bytes : (uint64_t)1 << 30;
    ours->pinned_bytes = ours->pinned_bytes != 0 ? ours->pinned_bytes : (uint64_t)1 << 30;
    ours->max_buffer_bytes = ours->max_buffer_bytes != 0 ? ours->max_buffer_bytes : ours->memory_bytes;
    ours->alignment = ours->alignment != 0 ? ours->alignment : 64;
    if (ours->abilities == 0)
        ours->abilities = HR_ABILITY_ASYNC_KERNELS | HR_ABILITY_COPY_OVERLAP | HR_ABILITY_TIMING | HR_ABILITY_IMPORT;
    fake->ops = device_ops;
    fake_queue_ops(&fake->ops);
    fake->backend = (struct hrb_backend){.size = sizeof fake->backend,
                                         .abi = HRB_ABI,
                                         .name = "fake",
                                         .summary = "for tests",
                                         .ops = &fake->ops,
                                         .profile = fake};
    fake->services = &hri_services;
    pthread_mutex_init(&fake->lock, NULL);
    pthread_cond_init(&fake->changed, NULL);
    fake_add_gather(fake);
    return fake;
}

unsigned fake_destroy(struct fake *fake)
{
    unsigned left;

    fake_run(fake); /* events behind the last work, on queues that were closed */
    left = fake->broken;
    for (unsigned i = 0; i < FAKE_OBJECTS; i++)
        left += fake->live[i];
    pthread_cond_destroy(&fake->changed);
    pthread_mutex_destroy(&fake->lock);
    free(fake);
    return left;
}

void fake_choice(struct fake *fake, struct hri_choice *choice)
{
    *choice = (struct hri_choice){.backend = &fake->backend, .instance = (struct hrb_instance *)fake};
    describe(fake, &choice->info);
}

const struct hrb_backend *fake_backend(struct fake *fake)
{
    return &fake->backend;
}

hr_device *fake_device(struct fake *fake, const hr_device_options *options)
{
    struct hri_choice choice;
    hr_device *device = NULL;

    fake_choice(fake, &choice);
    hri_device_open_choice(&choice, options, &device);
    return device;
}

void fake_fail(struct fake *fake, enum fake_op op, uint64_t n, hr_status status)
{
    pthread_mutex_lock(&fake->lock);
    fake->fail_op = op;
    fake->fail_in = n;
    fake->fail_status = status;
    pthread_mutex_unlock(&fake->lock);
}

void fake_fail_behind(struct fake *fake, uint64_t n, hr_status status)
{
    pthread_mutex_lock(&fake->lock);
    fake->fail_behind_in = n;
    fake->fail_behind_status = status;
    pthread_mutex_unlock(&fake->lock);
}

void fake_fail_work(struct fake *fake, uint64_t n, hr_status status)
{
    pthread_mutex_lock(&fake->lock);
    fake->fail_work_in = n;
    fake->fail_work_status = status;
    pthread_mutex_unlock(&fake->lock);
}

uint64_t fake_count(struct fake *fake, enum fake_op op)
{
    uint64_t calls;

    pthread_mutex_lock(&fake->lock);
    calls = fake->calls[op];
    pthread_mutex_unlock(&fake->lock);
    return calls;
}

uint64_t fake_pageable(struct fake *fake)
{
    uint64_t copies;

    pthread_mutex_lock(&fake->lock);
    copies = fake->pageable;
    pthread_mutex_unlock(&fake->lock);
    return copies;
}

unsigned fake_live(struct fake *fake, enum fake_object object)
{
    unsigned live;

    pthread_mutex_lock(&fake->lock);
    live = fake->live[object];
    pthread_mutex_unlock(&fake->lock);
    return live;
}

unsigned fake_broken(struct fake *fake)
{
    unsigned broken;

    pthread_mutex_lock(&fake->lock);
    broken = fake->broken;
    pthread_mutex_unlock(&fake->lock);
    return broken;
}

void fake_add_kernel(struct fake *fake, const char *name, fake_kernel function, uint32_t n_args)
{
    struct fake_function *added = fake->functions;

    while (added < fake->functions + fake->n_functions && strcmp(added->name, name) != 0)
        added++;
    if (added == fake->functions + fake->n_functions)
        fake->n_functions++;
    snprintf(added->name, sizeof added->name, "%s", name);
    added->function = function;
    added->n_args = n_args;
}
