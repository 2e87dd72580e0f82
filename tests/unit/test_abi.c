/* The ABI rule of version.h: sizes, offsets and values that programs have compiled in. Members may be added at the end
 * of a struct (its size here then changes), nothing else may change within a version. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <headrace/headrace.h>

#define STRUCT(type, bytes)                                                                                            \
    _Static_assert(offsetof(type, size) == 0 && sizeof(((type *)0)->size) == 4, #type " begins with uint32_t size");   \
    _Static_assert(sizeof(type) == (bytes), "the size of " #type)
#define AT(type, member, offset)                                                                                       \
    _Static_assert(offsetof(type, member) == (offset), "the offset of " #member " in " #type)
#define VALUE(name, value) _Static_assert((name) == (value), "the value of " #name)

#if UINTPTR_MAX == UINT64_MAX /* the numbers are those of systems with pointers of 64 bits */

STRUCT(hr_device_info, 752);
AT(hr_device_info, kind, 4);
AT(hr_device_info, usable, 8);
AT(hr_device_info, abilities, 12);
AT(hr_device_info, selector, 16);
AT(hr_device_info, backend, 48);
AT(hr_device_info, name, 64);
AT(hr_device_info, platform, 192);
AT(hr_device_info, driver, 320);
AT(hr_device_info, reason, 448);
AT(hr_device_info, memory_bytes, 704);
AT(hr_device_info, max_buffer_bytes, 712);
AT(hr_device_info, budget_bytes, 720);
AT(hr_device_info, pinned_budget_bytes, 728);
AT(hr_device_info, alignment, 736);
AT(hr_device_info, compute_units, 740);
AT(hr_device_info, max_group_size, 744);
AT(hr_device_info, reserved, 748);

STRUCT(hr_device_options, 32);
AT(hr_device_options, flags, 4);
AT(hr_device_options, device_memory_bytes, 8);
AT(hr_device_options, pinned_memory_bytes, 16);
AT(hr_device_options, layers, 24);

STRUCT(hr_memory_stats, 112);
AT(hr_memory_stats, reserved, 4);
AT(hr_memory_stats, device_used_bytes, 8);
AT(hr_memory_stats, device_cached_bytes, 16);
AT(hr_memory_stats, device_peak_bytes, 24);
AT(hr_memory_stats, device_budget_bytes, 32);
AT(hr_memory_stats, device_driver_allocs, 40);
AT(hr_memory_stats, device_driver_frees, 48);
AT(hr_memory_stats, pinned_used_bytes, 56);
AT(hr_memory_stats, pinned_cached_bytes, 64);
AT(hr_memory_stats, pinned_peak_bytes, 72);
AT(hr_memory_stats, pinned_budget_bytes, 80);
AT(hr_memory_stats, pinned_driver_allocs, 88);
AT(hr_memory_stats, pinned_driver_frees, 96);
AT(hr_memory_stats, staging_waits, 104);

STRUCT(hr_queue_options, 8);
AT(hr_queue_options, flags, 4);

STRUCT(hr_sync, 32);
AT(hr_sync, flags, 4);
AT(hr_sync, n_waits, 8);
AT(hr_sync, reserved, 12);
AT(hr_sync, waits, 16);
AT(hr_sync, event, 24);

STRUCT(hr_rect, 32);
AT(hr_rect, reserved, 4);
AT(hr_rect, offset, 8);
AT(hr_rect, row_pitch, 16);
AT(hr_rect, slice_pitch, 24);

STRUCT(hr_arg, 40);
AT(hr_arg, kind, 4);
AT(hr_arg, buffer, 8);
AT(hr_arg, offset, 16);
AT(hr_arg, data, 24);
AT(hr_arg, bytes, 32);

STRUCT(hr_grid, 56);
AT(hr_grid, dims, 4);
AT(hr_grid, global, 8);
AT(hr_grid, local, 32);

STRUCT(hr_array, 104);
AT(hr_array, dtype, 4);
AT(hr_array, name, 8);
AT(hr_array, data, 16);
AT(hr_array, rank, 24);
AT(hr_array, reserved, 28);
AT(hr_array, shape, 32);
AT(hr_array, row_stride, 96);

STRUCT(hr_file, 24);
AT(hr_file, reserved, 4);
AT(hr_file, path, 8);
AT(hr_file, name, 16);

STRUCT(hr_field_info, 160);
AT(hr_field_info, dtype, 4);
AT(hr_field_info, rank, 8);
AT(hr_field_info, reserved, 12);
AT(hr_field_info, shape, 16);
AT(hr_field_info, row_bytes, 80);
AT(hr_field_info, row_stride, 88);
AT(hr_field_info, name, 96);

STRUCT(hr_loader_options, 56);
AT(hr_loader_options, shuffle, 4);
AT(hr_loader_options, batch_rows, 8);
AT(hr_loader_options, seed, 16);
AT(hr_loader_options, last, 24);
AT(hr_loader_options, route, 28);
AT(hr_loader_options, depth, 32);
AT(hr_loader_options, workers, 36);
AT(hr_loader_options, shard_index, 40);
AT(hr_loader_options, shard_count, 44);
AT(hr_loader_options, queue, 48);

STRUCT(hr_field, 168);
AT(hr_field, dtype, 4);
AT(hr_field, buffer, 8);
AT(hr_field, offset, 16);
AT(hr_field, bytes, 24);
AT(hr_field, rank, 32);
AT(hr_field, reserved, 36);
AT(hr_field, shape, 40);
AT(hr_field, stride, 104);

STRUCT(hr_loader_stats, 232);
AT(hr_loader_stats, route, 4);
AT(hr_loader_stats, depth, 8);
AT(hr_loader_stats, workers, 12);
AT(hr_loader_stats, epoch, 16);
AT(hr_loader_stats, batches, 24);
AT(hr_loader_stats, rows, 32);
AT(hr_loader_stats, bytes, 40);
AT(hr_loader_stats, link_bytes, 48);
AT(hr_loader_stats, wall_ns, 56);
AT(hr_loader_stats, next_wait_ns, 64);
AT(hr_loader_stats, slot_wait_ns, 72);
AT(hr_loader_stats, gather_ns, 80);
AT(hr_loader_stats, send_wait_ns, 88);
AT(hr_loader_stats, first_batch_ns, 96);
AT(hr_loader_stats, bottleneck, 104);

#endif

VALUE(HR_DEVICE_OTHER, 0);
VALUE(HR_DEVICE_CPU, 1);
VALUE(HR_DEVICE_GPU, 2);
VALUE(HR_DEVICE_ACCELERATOR, 3);

VALUE(HR_ABILITY_SHARED_MEMORY, 1);
VALUE(HR_ABILITY_ASYNC_KERNELS, 2);
VALUE(HR_ABILITY_COPY_OVERLAP, 4);
VALUE(HR_ABILITY_TIMING, 8);
VALUE(HR_ABILITY_IMPORT, 16);

VALUE(HR_QUEUE_COMPUTE, 0);
VALUE(HR_QUEUE_COPY_IN, 1);
VALUE(HR_QUEUE_COPY_OUT, 2);

VALUE(HR_MEMORY_DEVICE, 0);
VALUE(HR_MEMORY_PINNED, 1);
VALUE(HR_MEMORY_IMPORTED, 2);

VALUE(HR_ACCESS_READ, 1);
VALUE(HR_ACCESS_WRITE, 2);
VALUE(HR_ACCESS_DISCARD, 4);

VALUE(HR_TIMING, 1);
VALUE(HR_NO_WAIT, 2);

VALUE(HR_ARG_IS_BUFFER, 0);
VALUE(HR_ARG_IS_BYTES, 1);

VALUE(HR_LAST_KEEP, 0);
VALUE(HR_LAST_DROP, 1);
VALUE(HR_LAST_PAD, 2);

VALUE(HR_ROUTE_AUTO, 0);
VALUE(HR_ROUTE_STAGED, 1);
VALUE(HR_ROUTE_IN_PLACE, 2);
VALUE(HR_ROUTE_RESIDENT, 3);

VALUE(HR_MAX_RANK, 8);
VALUE(HR_FOREVER, UINT64_MAX);

/* The two lists that make codes, names and texts, once more by hand: a line that is new there is wanted here too. */
struct line {
    const char *name;
    int32_t value;
};

static const struct line statuses[] = {
    {"OK", 0},
    {"END", 1},
    {"TIMEOUT", 2},
    {"WOULD_BLOCK", 3},
    {"INVALID", -1},
    {"RANGE", -2},
    {"STATE", -3},
    {"NOT_FOUND", -4},
    {"UNAVAILABLE", -5},
    {"UNSUPPORTED", -6},
    {"UNIMPLEMENTED", -7},
    {"NO_MEMORY", -8},
    {"NO_DEVICE_MEMORY", -9},
    {"NO_PINNED_MEMORY", -10},
    {"IO", -11},
    {"FORMAT", -12},
    {"BUILD", -13},
    {"WOULD_DEADLOCK", -14},
    {"CANCELLED", -15},
    {"DEVICE_LOST", -16},
    {"DRIVER", -17},
    {"FORKED", -18},
    {"RACE", -19},
};

static const struct line dtypes[] = {
    {"BOOL", 1}, {"U8", 2},   {"I8", 3},    {"U16", 4},  {"I16", 5},  {"U32", 6},  {"I32", 7},   {"U64", 8},
    {"I64", 9},  {"F16", 10}, {"BF16", 11}, {"F32", 12}, {"F64", 13}, {"C64", 14}, {"C128", 15},
};

#define LINE(name, value, more) {#name, HR_##name},

static void same_lines(const struct line *held, size_t n_held, const struct line *list, size_t n_list)
{
    assert_int_equal(n_list, n_held);
    for (size_t i = 0; i < n_held; i++) {
        assert_string_equal(list[i].name, held[i].name);
        assert_int_equal(list[i].value, held[i].value);
    }
}

static void statuses_keep_their_values(void **state)
{
    static const struct line list[] = {HR_STATUS_LIST(LINE)};

    (void)state;
    same_lines(statuses, sizeof statuses / sizeof statuses[0], list, sizeof list / sizeof list[0]);
}

static void dtypes_keep_their_values(void **state)
{
    static const struct line list[] = {HR_DTYPE_LIST(LINE)};

    (void)state;
    same_lines(dtypes, sizeof dtypes / sizeof dtypes[0], list, sizeof list / sizeof list[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statuses_keep_their_values),
        cmocka_unit_test(dtypes_keep_their_values),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
