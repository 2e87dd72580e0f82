/* A backend's table, called directly. */
#include "rig.h"

#include "list.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define DECLARE(name) extern const struct hrb_backend hrb_backend_##name;
HRB_BACKEND_LIST(DECLARE)

struct rig rig;
const struct hrb_sync rig_no_sync;
static _Thread_local char message[2048];
static atomic_uint failures;

static hr_status keep_message(hr_status status, int64_t native, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static hr_status keep_message(hr_status status, int64_t native, const char *format, ...)
{
    va_list list;

    (void)native;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    atomic_fetch_add(&failures, 1);
    return status;
}

static void drop_log(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void drop_log(int level, const char *format, ...)
{
    (void)level;
    (void)format;
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static const char *nearest_none(const char *text, const char *const *names, size_t n)
{
    (void)text;
    (void)names;
    (void)n;
    return NULL;
}

const struct hrb_services rig_services = {
    .size = sizeof(struct hrb_services),
    .fail = keep_message,
    .log = drop_log,
    .now_ns = now_ns,
    .nearest = nearest_none,
};

const char *rig_message(void)
{
    return message;
}

unsigned rig_failures(void)
{
    return atomic_load(&failures);
}

const struct hrb_backend *rig_backend(const char *name)
{
#define FIND(each)                                                                                                     \
    if (strcmp(name, #each) == 0)                                                                                      \
        return &hrb_backend_##each;
    HRB_BACKEND_LIST(FIND)
#undef FIND
    return NULL;
}

int rig_open(void **state)
{
    (void)state;
    rig.ops = rig.backend->ops;
    /* What a probe found stays for the life of the process. */
    if ((!rig.instance && rig.ops->probe(rig.backend, &rig_services, &rig.instance) != HR_OK) ||
        rig.ops->device_open(rig.instance, 0, NULL, &rig.device) != HR_OK ||
        rig.ops->queue_create(rig.device, HR_QUEUE_COMPUTE, 0, NULL, &rig.queue) != HR_OK) {
        fprintf(stderr, "%s: %s\n", rig.backend->name, message);
        return -1;
    }
    rig.info.size = sizeof rig.info;
    return rig.ops->device_info(rig.device, &rig.info) == HR_OK ? 0 : -1;
}

int rig_close(void **state)
{
    (void)state;
    rig.ops->queue_destroy(rig.queue);
    rig.ops->device_close(rig.device);
    return 0;
}

bool rig_has(uint32_t ability)
{
    return (rig.info.abilities & ability) != 0;
}

struct hrb_buffer *rig_buffer(uint32_t kind, uint64_t bytes)
{
    struct hrb_buffer *buffer = NULL;

    if (rig.ops->buffer_create(rig.device, kind, bytes, &buffer) != HR_OK)
        fail_msg("%s", message);
    return buffer;
}

struct hrb_place rig_device_place(struct hrb_buffer *buffer, uint64_t offset)
{
    return (struct hrb_place){.buffer = buffer, .offset = offset};
}

struct hrb_place rig_host_place(struct hrb_buffer *buffer, void *host, uint64_t offset)
{
    return (struct hrb_place){.buffer = buffer, .host = host, .offset = offset};
}

static void copy_now(struct hrb_place dst, struct hrb_place src, uint64_t bytes)
{
    if (rig.ops->copy(rig.queue, &dst, &src, bytes, &rig_no_sync) != HR_OK || rig.ops->queue_finish(rig.queue) != HR_OK)
        fail_msg("%s", message);
}

void rig_write(struct hrb_buffer *buffer, const void *data, uint64_t bytes)
{
    copy_now(rig_device_place(buffer, 0), rig_host_place(NULL, (void *)data, 0), bytes);
}

void rig_read(struct hrb_buffer *buffer, void *data, uint64_t bytes)
{
    copy_now(rig_host_place(NULL, data, 0), rig_device_place(buffer, 0), bytes);
}

struct hrb_kernel *rig_kernel(const char *source, const char *name, struct hrb_program **program)
{
    struct hrb_kernel *kernel = NULL;

    if (rig.ops->program_create(rig.device, source, NULL, program) != HR_OK ||
        rig.ops->kernel_create(*program, name, &kernel) != HR_OK)
        fail_msg("%s", message);
    return kernel;
}
