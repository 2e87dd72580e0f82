/* Buffers of one size: creation, copies, and what the data should be afterwards. */
#include "rig.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { SPOILT = 0xEE };

static hr_status open_pair(hr_device *device, uint32_t kind, uint64_t bytes, hr_buffer **pair)
{
    hr_status st = hr_buffer_create(device, kind, bytes, NULL, &pair[0]);

    return st == HR_OK ? hr_buffer_create(device, kind, bytes, NULL, &pair[1]) : st;
}

hr_status rig_open(hr_device *device, uint64_t bytes, struct rig *rig)
{
    struct rig r = {.device = device, .bytes = bytes};
    hr_status st = hr_device_get_queue(device, HR_QUEUE_COPY_IN, &r.in);

    if (st == HR_OK)
        st = hr_device_get_queue(device, HR_QUEUE_COPY_OUT, &r.out);
    if (st == HR_OK)
        st = open_pair(device, HR_MEMORY_PINNED, bytes, r.pinned);
    if (st == HR_OK)
        st = open_pair(device, HR_MEMORY_DEVICE, bytes, r.on_device);
    for (int i = 0; i < 2 && st == HR_OK; i++) {
        void *pointer;

        st = hr_buffer_acquire(r.pinned[i], NULL, HR_ACCESS_READ | HR_ACCESS_WRITE, &pointer);
        if (st != HR_OK)
            break;
        r.host[i] = pointer;
        r.pageable[i] = malloc(bytes);
        if (!r.pageable[i])
            st = HR_NO_MEMORY;
        else
            memset(r.pageable[i], 1 + i, bytes); /* present before anything is measured */
    }
    if (st != HR_OK)
        rig_close(&r);
    else
        *rig = r;
    return st;
}

void rig_close(struct rig *rig)
{
    for (int i = 0; i < 2; i++) {
        if (rig->host[i])
            hr_buffer_release(rig->pinned[i], NULL);
        hr_buffer_close(&rig->pinned[i]);
        hr_buffer_close(&rig->on_device[i]);
        free(rig->pageable[i]);
    }
    memset(rig, 0, sizeof *rig);
}

static hr_status submit(struct rig *rig, enum copy_kind kind)
{
    hr_status st;

    switch (kind) {
    case COPY_TO_DEVICE:
        return hr_copy(rig->in, rig->on_device[0], 0, rig->pinned[0], 0, rig->bytes, NULL);
    case COPY_FROM_DEVICE:
        return hr_copy(rig->out, rig->pinned[1], 0, rig->on_device[1], 0, rig->bytes, NULL);
    case COPY_BOTH:
        st = submit(rig, COPY_TO_DEVICE);
        return st == HR_OK ? submit(rig, COPY_FROM_DEVICE) : st;
    case COPY_PAGEABLE:
        return hr_write(rig->in, rig->on_device[0], 0, rig->pageable[0], rig->bytes, NULL);
    default:
        return hr_copy(rig->in, rig->on_device[1], 0, rig->on_device[0], 0, rig->bytes, NULL);
    }
}

static hr_status finish(struct rig *rig)
{
    hr_status st = hr_queue_finish(rig->in);

    return st == HR_OK ? hr_queue_finish(rig->out) : st;
}

hr_status rig_time(struct rig *rig, enum copy_kind kind, unsigned n, double *seconds)
{
    double start = cli_seconds();
    hr_status st = HR_OK;

    for (unsigned i = 0; i < n && st == HR_OK; i++)
        st = submit(rig, kind);
    if (st == HR_OK)
        st = finish(rig);
    if (st == HR_OK)
        *seconds = (cli_seconds() - start) / n;
    return st;
}

struct memcpy_job {
    unsigned char *to;
    const unsigned char *from;
    uint64_t bytes;
    unsigned n;
};

static void *copy_plainly(void *argument)
{
    const struct memcpy_job *job = argument;

    for (unsigned i = 0; i < job->n; i++) {
        memcpy(job->to, job->from, job->bytes);
        __asm__ volatile("" ::: "memory"); /* each copy counts */
    }
    return NULL;
}

double rig_time_memcpy(struct rig *rig, enum copy_kind kind, unsigned n)
{
    struct memcpy_job one = {rig->pageable[1], rig->host[0], rig->bytes, n};
    struct memcpy_job two = {rig->host[1], rig->pageable[0], rig->bytes, n};
    bool both = kind == COPY_BOTH;
    pthread_t thread;
    double start = cli_seconds();

    both = both && pthread_create(&thread, NULL, copy_plainly, &two) == 0;
    copy_plainly(&one);
    if (both)
        pthread_join(thread, NULL);
    else if (kind == COPY_BOTH)
        copy_plainly(&two);
    return (cli_seconds() - start) / n;
}

static void fill(unsigned char *to, uint64_t bytes, unsigned salt)
{
    uint64_t word = 0x9e3779b97f4a7c15u * (salt + 1);

    for (uint64_t i = 0; i < bytes; i += sizeof word) {
        word = word * 6364136223846793005u + 1442695040888963407u;
        memcpy(to + i, &word, bytes - i < sizeof word ? bytes - i : sizeof word);
    }
}

hr_status rig_prepare(struct rig *rig, enum copy_kind kind)
{
    static const unsigned char spoilt = SPOILT;
    unsigned salt = (unsigned)kind;
    hr_status st;

    fill(rig->host[0], rig->bytes, salt);
    fill(rig->pageable[0], rig->bytes, salt + COPY_KINDS);
    memset(rig->host[1], SPOILT, rig->bytes);
    st = hr_fill(rig->in, rig->on_device[0], 0, rig->bytes, &spoilt, 1, NULL);
    if (st == HR_OK)
        st = hr_fill(rig->in, rig->on_device[1], 0, rig->bytes, &spoilt, 1, NULL);
    /* What is read, or copied on the device, is there before. */
    if (st == HR_OK && (kind == COPY_FROM_DEVICE || kind == COPY_BOTH))
        st = hr_write(rig->in, rig->on_device[1], 0, rig->pageable[0], rig->bytes, NULL);
    if (st == HR_OK && kind == COPY_ON_DEVICE)
        st = hr_copy(rig->in, rig->on_device[0], 0, rig->pinned[0], 0, rig->bytes, NULL);
    return st == HR_OK ? finish(rig) : st;
}

/* Whether device buffer `index` holds what `expected` holds. */
static hr_status compare(struct rig *rig, int index, const unsigned char *expected, bool *same)
{
    hr_status st;

    memset(rig->pageable[1], ~SPOILT, rig->bytes);
    st = hr_read(rig->out, rig->on_device[index], 0, rig->pageable[1], rig->bytes, NULL);
    if (st == HR_OK)
        st = hr_queue_finish(rig->out);
    if (st == HR_OK)
        *same = memcmp(rig->pageable[1], expected, rig->bytes) == 0;
    return st;
}

hr_status rig_check(struct rig *rig, enum copy_kind kind, bool *right)
{
    bool read = memcmp(rig->host[1], rig->pageable[0], rig->bytes) == 0, written = true;
    hr_status st = HR_OK;

    if (kind == COPY_TO_DEVICE || kind == COPY_BOTH)
        st = compare(rig, 0, rig->host[0], &written);
    else if (kind == COPY_PAGEABLE)
        st = compare(rig, 0, rig->pageable[0], &written);
    else if (kind == COPY_ON_DEVICE)
        st = compare(rig, 1, rig->host[0], &written);
    if (st == HR_OK)
        *right = written && (read || (kind != COPY_FROM_DEVICE && kind != COPY_BOTH));
    return st;
}
