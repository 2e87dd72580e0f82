/* The table of all memory that the device can reach, and what a pointer means by it. */
#include "fake.h"

#include <stdlib.h>

pthread_rwlock_t fake_ranges_lock = PTHREAD_RWLOCK_INITIALIZER;
atomic_uint fake_ranges_generation;

static struct fake_range *ranges; /* by address, none overlapping */
static size_t n_ranges, room;

/* The number of the first range that ends above the address. */
static size_t search(uintptr_t address)
{
    size_t low = 0, high = n_ranges;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (ranges[middle].address + ranges[middle].bytes > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

const struct fake_range *fake_range_above(uintptr_t address)
{
    size_t i = search(address);

    return i < n_ranges ? &ranges[i] : NULL;
}

const struct fake_range *fake_range_at(uintptr_t address)
{
    const struct fake_range *range = fake_range_above(address);

    return range && range->address <= address ? range : NULL;
}

hri_cu_result fake_range_add(const struct fake_range *range)
{
    hri_cu_result code = 0;
    size_t i;

    fake_lock_to_write(&fake_ranges_lock);
    i = search(range->address);
    if (i < n_ranges && ranges[i].address < range->address + range->bytes)
        code = HRI_CU_ALREADY_REGISTERED;
    if (code == 0 && n_ranges == room) {
        room = room * 2 + 64;
        ranges = realloc(ranges, room * sizeof *ranges);
        if (!ranges)
            fake_die("out of memory");
    }
    if (code == 0) {
        for (size_t j = n_ranges; j > i; j--)
            ranges[j] = ranges[j - 1];
        ranges[i] = *range;
        n_ranges++;
        atomic_fetch_add(&fake_ranges_generation, 1);
    }
    fake_unlock_shared(&fake_ranges_lock);
    return code;
}

bool fake_range_take(uintptr_t address, enum fake_kind kind, hri_cu_context context, struct fake_range *taken)
{
    bool found;
    size_t i;

    fake_lock_to_write(&fake_ranges_lock);
    i = search(address);
    found = i < n_ranges && ranges[i].address == address && ranges[i].kind == kind && ranges[i].context == context;
    if (found) {
        *taken = ranges[i];
        n_ranges--;
        for (size_t j = i; j < n_ranges; j++)
            ranges[j] = ranges[j + 1];
        atomic_fetch_add(&fake_ranges_generation, 1);
    }
    fake_unlock_shared(&fake_ranges_lock);
    return found;
}

static bool inside(const struct fake_range *range, uintptr_t address, size_t bytes)
{
    return range->address <= address && bytes <= range->bytes && address - range->address <= range->bytes - bytes;
}

bool fake_device_ok(hri_cu_context context, uintptr_t address, size_t bytes, enum fake_access access)
{
    const struct fake_range *range = fake_range_at(address);

    if (!range || !inside(range, address, bytes))
        return false;
    if (range->kind == FAKE_BUFFER)
        return range->context == context;
    return range->mapped && (range->portable || range->context == context) &&
           !(access == FAKE_WRITE && range->read_only);
}

enum fake_host fake_host_is(hri_cu_context context, uintptr_t address, size_t bytes, enum fake_access access)
{
    const struct fake_range *range = fake_range_above(address);

    if (!range || bytes == 0 || range->address >= address + bytes)
        return FAKE_PAGEABLE;
    if (range->kind == FAKE_BUFFER || !inside(range, address, bytes) || (access == FAKE_WRITE && range->read_only))
        return FAKE_WRONG; /* device memory, partly registered, across two registrations, or not to be written */
    return range->portable || range->context == context ? FAKE_REACHABLE : FAKE_PAGEABLE;
}
