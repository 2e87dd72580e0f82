/* The library's own kernels, from their text and, where the backend brings it, from what was compiled beforehand: both
 * against the host. */
#include "rig.h"

#include "kernels/kernels.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum form { TEXT, BUILTIN, FORMS };

static struct hrb_program *programs[FORMS];

static int open_both(void **state)
{
    if (rig_open(state) != 0)
        return -1;
    if (rig.ops->program_create(rig.device, hri_kernels_text, NULL, &programs[TEXT]) != HR_OK ||
        (rig.ops->program_builtin && rig.ops->program_builtin(rig.device, &programs[BUILTIN]) != HR_OK)) {
        fprintf(stderr, "%s\n", rig_message());
        return -1;
    }
    return 0;
}

static int close_both(void **state)
{
    for (int f = 0; f < FORMS; f++)
        if (programs[f])
            rig.ops->program_destroy(programs[f]);
    return rig_close(state);
}

static uint64_t random_next(void)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static unsigned char *random_bytes(uint64_t n)
{
    unsigned char *bytes = malloc(n);

    assert_non_null(bytes);
    for (uint64_t i = 0; i < n; i++)
        bytes[i] = (unsigned char)(random_next() >> 40);
    return bytes;
}

/* A table of which rows are gathered: sizes in units of the kernel, as its arguments are. */
struct gather {
    uint64_t unit, row_units, stride, table_rows, rows;
    uint64_t local[2];
};

static hr_status launch(enum form form, const struct gather *g, struct hrb_buffer *src, struct hrb_buffer *ids,
                        struct hrb_buffer *dst)
{
    const struct hrb_arg args[] = {{.buffer = src},
                                   {.buffer = ids},
                                   {.buffer = dst},
                                   {.data = &g->stride, .bytes = 8},
                                   {.data = &g->row_units, .bytes = 8},
                                   {.data = &g->rows, .bytes = 8}};
    hr_grid grid = {.size = sizeof grid, .dims = 2, .global = {g->row_units, g->rows, 1}};
    struct hrb_kernel *kernel = NULL;
    char name[16];
    hr_status st;

    snprintf(name, sizeof name, "gather_%d", (int)g->unit);
    if (g->local[0]) {
        grid.local[2] = 1;
        for (int d = 0; d < 2; d++) {
            grid.local[d] = g->local[d];
            grid.global[d] = (grid.global[d] + g->local[d] - 1) / g->local[d] * g->local[d];
        }
    }
    st = rig.ops->kernel_create(programs[form], name, &kernel);
    if (st != HR_OK)
        return st;
    st = rig.ops->kernel_launch(rig.queue, kernel, &grid, args, 6, &rig_no_sync);
    rig.ops->kernel_destroy(kernel);
    return st;
}

static void run(enum form form, const struct gather *g)
{
    const uint64_t row_bytes = g->row_units * g->unit, src_bytes = g->table_rows * g->stride * g->unit;
    const uint64_t dst_bytes = g->rows * row_bytes, room = dst_bytes + 4096;
    struct hrb_buffer *src = rig_buffer(HR_MEMORY_DEVICE, src_bytes), *ids = rig_buffer(HR_MEMORY_DEVICE, g->rows * 8),
                      *dst = rig_buffer(HR_MEMORY_DEVICE, room);
    unsigned char *table = random_bytes(src_bytes), *expected = random_bytes(room), *got = malloc(room);
    uint64_t *rows = malloc(g->rows * 8);

    assert_true(got && rows);
    for (uint64_t r = 0; r < g->rows; r++)
        rows[r] = random_next() % g->table_rows;
    rig_write(src, table, src_bytes);
    rig_write(ids, rows, g->rows * 8);
    rig_write(dst, expected, room);
    for (uint64_t r = 0; r < g->rows; r++)
        memcpy(expected + r * row_bytes, table + rows[r] * g->stride * g->unit, row_bytes);
    if (launch(form, g, src, ids, dst) != HR_OK)
        fail_msg("%s", rig_message());
    rig_read(dst, got, room);
    for (uint64_t i = 0; i < room; i++) /* nothing behind the last row either */
        if (got[i] != expected[i])
            fail_msg("form %d, gather_%d, %d x %d units: byte %llu is %u and not %u", (int)form, (int)g->unit,
                     (int)g->rows, (int)g->row_units, (unsigned long long)i, got[i], expected[i]);
    rig.ops->buffer_destroy(src);
    rig.ops->buffer_destroy(ids);
    rig.ops->buffer_destroy(dst);
    free(table);
    free(expected);
    free(got);
    free(rows);
}

static void run_both(const struct gather *g)
{
    for (int f = 0; f < FORMS; f++)
        if (programs[f])
            run((enum form)f, g);
}

static void rows_of_every_unit_and_size(void **state)
{
    static const uint64_t row_units[] = {1, 3, 49, 64, 65, 130};
    static const uint64_t rows[] = {1, 2, 7, 257};

    (void)state;
    for (uint64_t unit = 1; unit <= 16; unit *= 2)
        for (size_t u = 0; u < sizeof row_units / sizeof *row_units; u++)
            for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
                struct gather g = {.unit = unit,
                                   .row_units = row_units[u],
                                   .stride = row_units[u] + (u + r) % 3, /* packed, and with gaps */
                                   .table_rows = 300,
                                   .rows = rows[r]};

                run_both(&g);
                g.local[0] = 64; /* as the loader launches them: groups stand over the rows' end */
                g.local[1] = 1;
                run_both(&g);
                g.local[1] = 2; /* and over the last row */
                run_both(&g);
            }
}

/* More rows than a CUDA launch counts groups in its second dimension: from the text the backend must find a group that
 * divides them, its own kernels go on in the third. */
static void many_rows(void **state)
{
    const struct gather divisible = {.unit = 4, .row_units = 1, .stride = 2, .table_rows = 1000, .rows = 70000};
    struct gather prime = {.unit = 1, .row_units = 3, .stride = 3, .table_rows = 1000, .rows = 131101};

    (void)state;
    run_both(&divisible);
    if (!programs[BUILTIN])
        return;
    run(BUILTIN, &prime);
    prime.local[0] = 64;
    prime.local[1] = 1;
    run(BUILTIN, &prime);
}

/* Rows on either side of 4 GiB, in a table that is written only where it is read. */
static void rows_past_4_gib(void **state)
{
    enum { ROW = 1024, ROWS = 6 };
    static const uint64_t ids[ROWS] = {4500000, 0, 4194303, 4194304, 4194305, 2097152};
    const struct gather g = {.unit = 1, .row_units = ROW, .stride = ROW, .rows = ROWS};
    const uint64_t bytes = UINT64_C(4500001) * ROW;
    struct hrb_buffer *src = NULL, *dst, *numbers;
    unsigned char *data = random_bytes(ROWS * ROW), got[ROWS * ROW];

    (void)state;
    if (rig.info.max_buffer_bytes < bytes ||
        rig.ops->buffer_create(rig.device, HR_MEMORY_DEVICE, bytes, &src) != HR_OK) {
        free(data);
        print_message("not applicable: no buffer may be so large\n");
        skip();
    }
    dst = rig_buffer(HR_MEMORY_DEVICE, ROWS * ROW);
    numbers = rig_buffer(HR_MEMORY_DEVICE, sizeof ids);
    rig_write(numbers, ids, sizeof ids);
    for (int r = 0; r < ROWS; r++) {
        const struct hrb_place to = rig_device_place(src, ids[r] * ROW),
                               from = rig_host_place(NULL, data, (uint64_t)r * ROW);

        assert_int_equal(rig.ops->copy(rig.queue, &to, &from, ROW, &rig_no_sync), HR_OK);
    }
    for (int f = 0; f < FORMS; f++) {
        if (!programs[f])
            continue;
        memset(got, 0, sizeof got);
        rig_write(dst, got, sizeof got);
        assert_int_equal(launch((enum form)f, &g, src, numbers, dst), HR_OK);
        rig_read(dst, got, sizeof got);
        assert_memory_equal(got, data, sizeof got);
    }
    rig.ops->buffer_destroy(src);
    rig.ops->buffer_destroy(dst);
    rig.ops->buffer_destroy(numbers);
    free(data);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(rows_of_every_unit_and_size),
    cmocka_unit_test(many_rows),
    cmocka_unit_test(rows_past_4_gib),
};

rig_main_with(tests, open_both, close_both)
