/*
 * Device memory of the simulated driver. A file without a name is mapped twice: at the device addresses, which can be
 * used only while a kernel runs, so that a host that follows a device pointer crashes; and where copies reach it. A
 * page is left free behind every block, and addresses come back as late as they can.
 */
#include "fake.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, SPANS = 8, GRAIN = 512, GARBAGE = 0xa5, GARBAGE_MOST = 16 << 20 };

struct block {
    size_t offset, bytes;
};

struct arena {
    pthread_mutex_t lock;
    unsigned char *device, *host; /* the two mappings */
    size_t span, used, next;
    int file, users;
    struct block *blocks; /* by offset */
    size_t n, room;
};

static struct arena arenas[FAKE_MAX_DEVICES];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make(void)
{
    for (int i = 0; i < fake_settings()->devices; i++) {
        struct arena *arena = &arenas[i];
        void *device, *host;

        pthread_mutex_init(&arena->lock, NULL);
        arena->span = (fake_settings()->memory / PAGE + 2) * PAGE * SPANS;
        arena->file = memfd_create("simulated device memory", MFD_CLOEXEC);
        if (arena->file < 0 || ftruncate(arena->file, (off_t)arena->span) != 0)
            fake_die("no file for device memory");
        device = mmap(NULL, arena->span, PROT_NONE, MAP_SHARED | MAP_NORESERVE, arena->file, 0);
        host = mmap(NULL, arena->span, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, arena->file, 0);
        if (device == MAP_FAILED || host == MAP_FAILED)
            fake_die("no address space for device memory");
        arena->device = device;
        arena->host = host;
    }
}

static struct arena *arena_of(hri_cu_dev device)
{
    pthread_once(&once, make);
    return &arenas[device];
}

/* The first gap of this size at `from` or later; *at: the number of the block that will follow it. */
static size_t gap(const struct arena *arena, size_t from, size_t bytes, size_t *at)
{
    size_t begin = from;

    for (size_t i = 0; i < arena->n; i++) {
        const struct block *block = &arena->blocks[i];

        if (block->offset + block->bytes <= begin)
            continue;
        if (block->offset >= begin + bytes) {
            *at = i;
            return begin;
        }
        begin = block->offset + block->bytes;
    }
    *at = arena->n;
    return begin + bytes <= arena->span ? begin : SIZE_MAX;
}

static void insert(struct arena *arena, size_t at, size_t offset, size_t bytes)
{
    if (arena->n == arena->room) {
        arena->room = arena->room * 2 + 16;
        arena->blocks = realloc(arena->blocks, arena->room * sizeof *arena->blocks);
        if (!arena->blocks)
            fake_die("out of memory");
    }
    for (size_t i = arena->n; i > at; i--)
        arena->blocks[i] = arena->blocks[i - 1];
    arena->blocks[at] = (struct block){.offset = offset, .bytes = bytes};
    arena->n++;
}

uintptr_t fake_arena_take(hri_cu_dev device, size_t bytes)
{
    struct arena *arena = arena_of(device);
    size_t grains = (bytes + GRAIN - 1) / GRAIN * GRAIN;
    size_t pages = (bytes + PAGE - 1) / PAGE * PAGE + PAGE;
    size_t offset = SIZE_MAX, at = 0;

    fake_lock(&arena->lock);
    if (bytes <= fake_settings()->memory && grains <= fake_settings()->memory - arena->used) {
        offset = gap(arena, arena->next, pages, &at);
        if (offset == SIZE_MAX)
            offset = gap(arena, 0, pages, &at);
    }
    if (offset != SIZE_MAX) {
        insert(arena, at, offset, pages);
        arena->used += grains;
        arena->next = offset + pages;
    }
    fake_unlock(&arena->lock);
    if (offset == SIZE_MAX)
        return 0;
    memset(arena->host + offset, GARBAGE, bytes < GARBAGE_MOST ? bytes : GARBAGE_MOST);
    return (uintptr_t)arena->device + offset;
}

void fake_arena_give(hri_cu_dev device, uintptr_t address, size_t bytes)
{
    struct arena *arena = arena_of(device);
    size_t offset = (size_t)(address - (uintptr_t)arena->device), at = 0;

    fake_lock(&arena->lock);
    while (at < arena->n && arena->blocks[at].offset != offset)
        at++;
    if (at == arena->n)
        fake_die("device memory that is not there is given back");
    if (fallocate(arena->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
                  (off_t)arena->blocks[at].bytes) != 0)
        fake_die("device memory cannot be given back");
    arena->n--;
    for (size_t i = at; i < arena->n; i++)
        arena->blocks[i] = arena->blocks[i + 1];
    arena->used -= (bytes + GRAIN - 1) / GRAIN * GRAIN;
    fake_unlock(&arena->lock);
}

size_t fake_arena_free(hri_cu_dev device)
{
    struct arena *arena = arena_of(device);
    size_t left;

    fake_lock(&arena->lock);
    left = fake_settings()->memory - arena->used;
    fake_unlock(&arena->lock);
    return left;
}

static void protect(struct arena *arena, int by, int when, int how)
{
    fake_lock(&arena->lock);
    arena->users += by;
    if (arena->users == when && mprotect(arena->device, arena->span, how) != 0)
        fake_die("device memory cannot be protected");
    fake_unlock(&arena->lock);
}

void fake_arena_open(hri_cu_dev device)
{
    protect(arena_of(device), 1, 1, PROT_READ | PROT_WRITE);
}

void fake_arena_close(hri_cu_dev device)
{
    protect(arena_of(device), -1, 0, PROT_NONE);
}

void *fake_arena_bytes(uintptr_t address)
{
    pthread_once(&once, make);
    for (int i = 0; i < fake_settings()->devices; i++) {
        const struct arena *arena = &arenas[i];

        if (address >= (uintptr_t)arena->device && address - (uintptr_t)arena->device < arena->span)
            return arena->host + (address - (uintptr_t)arena->device);
    }
    return (void *)address;
}
