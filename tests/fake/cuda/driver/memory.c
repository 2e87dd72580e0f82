/* Device memory, pinned memory, registered memory. */
#include "fake.h"

#include <stdio.h>
#include <sys/mman.h>

enum { PAGE = 4096, UNIT = 512 };

hri_cu_result cuMemAlloc_v2(hri_cu_pointer *pointer, size_t bytes)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter(FAKE_MemAlloc, &context);
    struct fake_range range = {.kind = FAKE_BUFFER, .bytes = bytes};

    if (code)
        return code;
    if (bytes == 0)
        return HRI_CU_INVALID_VALUE;
    range.context = context;
    range.address = fake_arena_take(context->device, bytes);
    if (range.address == 0)
        return HRI_CU_OUT_OF_MEMORY;
    if (fake_range_add(&range))
        fake_die("two pieces of device memory overlap");
    fake_alive(FAKE_BUFFER, 1);
    *pointer = range.address;
    return 0;
}

/* Unlike a driver it waits for nothing: work that still uses the memory fails. */
hri_cu_result cuMemFree_v2(hri_cu_pointer pointer)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter_destroy(FAKE_MemFree, &context);
    struct fake_range range;

    if (code)
        return code;
    if (!fake_range_take((uintptr_t)pointer, FAKE_BUFFER, context, &range))
        return HRI_CU_INVALID_VALUE;
    fake_arena_give(context->device, range.address, range.bytes);
    fake_alive(FAKE_BUFFER, -1);
    return atomic_load(&context->sticky);
}

/* Up to a page behind it that nobody may use, and so it may begin in the middle of one, as what drivers cut from larger
 * blocks does. */
hri_cu_result cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter(FAKE_MemHostAlloc, &context);
    size_t pages = (bytes + PAGE - 1) / PAGE * PAGE;
    struct fake_range range = {.kind = FAKE_PINNED, .bytes = bytes};
    char *memory;

    if (code)
        return code;
    if (bytes == 0 || pages < bytes || (flags & ~(unsigned)(HRI_CU_HOST_PORTABLE | HRI_CU_HOST_MAPPED | 4)))
        return HRI_CU_INVALID_VALUE;
    memory = mmap(NULL, pages + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return HRI_CU_OUT_OF_MEMORY;
    mprotect(memory + pages, PAGE, PROT_NONE);
    memory += pages - (bytes + UNIT - 1) / UNIT * UNIT;
    range.address = (uintptr_t)memory;
    range.context = context;
    range.portable = flags & HRI_CU_HOST_PORTABLE;
    range.mapped = true; /* as with unified addressing */
    if (fake_range_add(&range))
        fake_die("memory is still registered that has been unmapped");
    fake_alive(FAKE_PINNED, 1);
    *pointer = memory;
    return 0;
}

static void free_pinned(const struct fake_range *range)
{
    munmap((void *)(range->address & ~(uintptr_t)(PAGE - 1)), (range->bytes + PAGE - 1) / PAGE * PAGE + PAGE);
    fake_alive(FAKE_PINNED, -1);
}

hri_cu_result cuMemFreeHost(void *pointer)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter_destroy(FAKE_MemFreeHost, &context);
    struct fake_range range;

    if (code)
        return code;
    if (!fake_range_take((uintptr_t)pointer, FAKE_PINNED, context, &range))
        return HRI_CU_INVALID_VALUE;
    free_pinned(&range);
    return atomic_load(&context->sticky);
}

hri_cu_result cuMemHostGetDevicePointer_v2(hri_cu_pointer *pointer, void *host, unsigned flags)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter(FAKE_MemHostGetDevicePointer, &context);
    const struct fake_range *range;

    if (code)
        return code;
    fake_lock_to_read(&fake_ranges_lock);
    range = fake_range_at((uintptr_t)host);
    if (flags != 0 || !range || range->kind == FAKE_BUFFER || !range->mapped)
        code = HRI_CU_INVALID_VALUE;
    fake_unlock_shared(&fake_ranges_lock);
    if (code)
        return code;
    *pointer = (uintptr_t)host;
    return 0;
}

/* Whether the process has this memory mapped, and may write all of it. */
static bool is_mapped(uintptr_t address, size_t bytes, bool *writable)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[512];
    uintptr_t at = address;

    *writable = true;
    while (maps && at < address + bytes && fgets(line, sizeof line, maps)) {
        unsigned long begin, end;
        char mode[5];

        if (sscanf(line, "%lx-%lx %4s", &begin, &end, mode) != 3 || end <= at)
            continue;
        if (begin > at || mode[0] != 'r')
            break;
        if (mode[1] != 'w')
            *writable = false;
        at = end;
    }
    if (maps)
        fclose(maps);
    return at >= address + bytes;
}

hri_cu_result cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags)
{
    const unsigned known = HRI_CU_REGISTER_PORTABLE | HRI_CU_REGISTER_MAPPED | HRI_CU_REGISTER_READ_ONLY;
    hri_cu_context context;
    hri_cu_result code = fake_enter(FAKE_MemHostRegister, &context);
    struct fake_range range = {.kind = FAKE_REGISTERED, .address = (uintptr_t)pointer, .bytes = bytes};
    bool writable;

    if (code)
        return code;
    if (!pointer || bytes == 0 || (uintptr_t)pointer + bytes < bytes || (flags & ~known))
        return HRI_CU_INVALID_VALUE;
    if (!is_mapped(range.address, bytes, &writable) || (!writable && !(flags & HRI_CU_REGISTER_READ_ONLY)))
        return HRI_CU_INVALID_VALUE;
    range.context = context;
    range.portable = flags & HRI_CU_REGISTER_PORTABLE;
    range.mapped = true;
    range.read_only = flags & HRI_CU_REGISTER_READ_ONLY;
    code = fake_range_add(&range);
    if (code == 0)
        fake_alive(FAKE_REGISTERED, 1);
    return code;
}

static bool is_known(uintptr_t address)
{
    bool known;

    fake_lock_to_read(&fake_ranges_lock);
    known = fake_range_at(address) != NULL;
    fake_unlock_shared(&fake_ranges_lock);
    return known;
}

hri_cu_result cuMemHostUnregister(void *pointer)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter_destroy(FAKE_MemHostUnregister, &context);
    struct fake_range range;

    if (code)
        return code;
    if (!fake_range_take((uintptr_t)pointer, FAKE_REGISTERED, context, &range))
        return is_known((uintptr_t)pointer) ? HRI_CU_INVALID_VALUE : HRI_CU_NOT_REGISTERED;
    fake_alive(FAKE_REGISTERED, -1);
    return atomic_load(&context->sticky);
}

/* The next range of a context, or one of no bytes. */
static struct fake_range next_of(hri_cu_context context)
{
    struct fake_range found = {0};
    const struct fake_range *range;
    uintptr_t from = 0;

    fake_lock_to_read(&fake_ranges_lock);
    while (found.bytes == 0 && (range = fake_range_above(from)) != NULL) {
        if (range->context == context)
            found = *range;
        from = range->address + range->bytes;
    }
    fake_unlock_shared(&fake_ranges_lock);
    return found;
}

void fake_memory_end(hri_cu_context context)
{
    struct fake_range range;

    while ((range = next_of(context)).bytes != 0) {
        if (!fake_range_take(range.address, range.kind, context, &range))
            continue;
        if (range.kind == FAKE_BUFFER) {
            fake_arena_give(context->device, range.address, range.bytes);
            fake_alive(FAKE_BUFFER, -1);
        } else if (range.kind == FAKE_PINNED) {
            free_pinned(&range);
        } else {
            fake_alive(FAKE_REGISTERED, -1);
        }
    }
}
