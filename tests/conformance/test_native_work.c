/* Work that a program enqueues natively, between the library's and on what the library hands out, on every backend that
 * has native handles. */
#include "gate.h"
#include "native.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

/* ALONE: a size of which no other test leaves a block. */
enum { WORDS = 4096, BYTES = WORDS * 4, ALONE = 777777, ROWS = 2000, BATCH = 96, SIDES = 3 };

/* The program's own commands between the library's, on one queue. */
static void native_work_in_order(void **state)
{
    uint32_t expected[WORDS];
    hr_buffer *buffer;
    hr_queue *queue;

    (void)state;
    NEEDS_NATIVE();
    queue = new_queue(device, HR_QUEUE_COMPUTE);
    buffer = new_buffer(device, BYTES, queue);
    for (int i = 0; i < 50; i++) {
        OK(hr_fill(queue, buffer, 0, BYTES, "\1\0\0\0", 4, NULL));
        native_fill(queue, buffer, 0, 5, BYTES / 2);
        OK(launch_add(queue, buffer, WORDS, 1, NULL));
        for (int k = 0; k < WORDS; k++)
            expected[k] = k < WORDS / 2 ? 6 : 2;
        expect_bytes(queue, buffer, 0, expected, BYTES);
    }
    hr_buffer_close(&buffer);
    hr_queue_close(&queue);
}

/* A use that the library has not seen is declared; the block is not given to another queue before it is over. */
static void declared_uses_hold_the_memory(void **state)
{
    hr_queue *queue;
    hr_buffer *buffer;
    hr_buffer *result;
    hr_buffer *taken;
    uint8_t *old;

    (void)state;
    NEEDS_NATIVE();
    NEEDS_GATE();
    old = new_random(ALONE, 3);
    queue = new_queue(device, HR_QUEUE_COMPUTE);
    buffer = new_buffer(device, ALONE, copy_in);
    result = new_buffer(device, ALONE, queue);
    OK(hr_write(copy_in, buffer, 0, old, ALONE, NULL));
    OK(hr_queue_finish(copy_in));
    gate_close(device, queue);
    native_copy(queue, result, 0, buffer, 0, ALONE);
    OK(hr_buffer_used(buffer, queue));
    hr_buffer_close(&buffer);
    taken = new_buffer(device, ALONE, copy_in);
    OK(hr_fill(copy_in, taken, 0, ALONE, "z", 1, NULL));
    GATE_HOLDS();
    gate_end();
    expect_bytes(queue, result, 0, old, ALONE);
    hr_buffer_close(&taken);
    hr_buffer_close(&result);
    hr_queue_close(&queue);
    free(old);
}

static void field_of(hr_batch *batch, hr_field *field)
{
    *field = (hr_field){.size = sizeof *field};
    OK(hr_batch_field(batch, 0, field));
}

/* The rows of a batch that were copied to `at` of a buffer, and those on the host, are the table's. */
static void check_copy(const struct table *table, hr_queue *queue, hr_buffer *copies, uint64_t at, const uint64_t *ids,
                       uint64_t count)
{
    const uint64_t bytes = table->row_bytes[0];
    uint8_t *rows = malloc(count * bytes);

    assert_non_null(rows);
    for (uint64_t r = 0; r < count; r++)
        memcpy(rows + r * bytes, table->data[0] + ids[r] * table->stride[0], bytes);
    expect_bytes(queue, copies, at, rows, count * bytes);
    free(rows);
}

static void check_host(const struct table *table, hr_batch *batch)
{
    const uint64_t *ids;
    const void *host = NULL;
    uint64_t count;

    OK(hr_batch_row_ids(batch, &ids, &count));
    OK(hr_batch_host(batch, 0, &host));
    for (uint64_t r = 0; r < count; r++)
        assert_memory_equal((const uint8_t *)host + r * table->row_bytes[0], table->data[0] + ids[r] * table->stride[0],
                            table->row_bytes[0]);
}

/* What one epoch's batches were, to look at when all is over. */
struct epoch {
    hr_buffer *copies; /* a place a batch and queue */
    uint64_t place;    /* bytes */
    uint64_t ids[ROWS];
    uint64_t rows[ROWS / BATCH + 1];
    uint32_t n;
};

/* Natively on each queue, and on the host; the library knows of the queues by what it is told. */
static void use_batch(struct epoch *epoch, const struct table *table, hr_batch *batch, hr_queue *const *sides)
{
    const uint64_t *ids;
    hr_field field;

    field_of(batch, &field);
    OK(hr_batch_row_ids(batch, &ids, &epoch->rows[epoch->n]));
    memcpy(epoch->ids + (uint64_t)epoch->n * BATCH, ids, epoch->rows[epoch->n] * sizeof *ids);
    for (uint32_t s = 0; s < SIDES; s++) {
        OK(hr_batch_wait(batch, sides[s]));
        native_copy(sides[s], epoch->copies, (epoch->n * SIDES + s) * epoch->place, field.buffer, field.offset,
                    field.bytes);
        OK(hr_batch_used(batch, sides[s]));
    }
    if (epoch->n % 3 == 0)
        check_host(table, batch);
    epoch->n++;
}

static void check_epoch(const struct epoch *epoch, const struct table *table, hr_queue *const *sides)
{
    for (uint32_t s = 0; s < SIDES; s++)
        OK(hr_queue_finish(sides[s]));
    for (uint32_t b = 0; b < epoch->n; b++)
        for (uint32_t s = 0; s < SIDES; s++)
            check_copy(table, sides[s], epoch->copies, (b * SIDES + s) * epoch->place, epoch->ids + (uint64_t)b * BATCH,
                       epoch->rows[b]);
}

/* Two slots and three queues of native work behind each: a slot that is filled too early shows in a copy. */
static void batches_on_several_native_queues(void **state)
{
    uint32_t routes[3], n_routes = routes_here(routes);
    struct epoch *epoch;
    hr_queue *sides[SIDES];
    struct table table;

    (void)state;
    NEEDS_NATIVE();
    epoch = calloc(1, sizeof *epoch);
    assert_non_null(epoch);
    table_open(&table, ROWS, 21);
    for (uint32_t s = 0; s < SIDES; s++)
        sides[s] = new_queue(device, HR_QUEUE_COMPUTE);
    epoch->place = (BATCH * table.row_bytes[0] + 255) / 256 * 256;
    epoch->copies = new_buffer(device, epoch->place * SIDES * (ROWS / BATCH + 1), sides[0]);
    OK(hr_queue_finish(sides[0]));
    for (uint32_t r = 0; r < n_routes; r++) {
        hr_loader *loader = open_loader(
            device, table.dataset,
            (hr_loader_options){.batch_rows = BATCH, .shuffle = 1, .route = routes[r], .depth = 2, .seed = r});
        hr_batch *batch;
        hr_status st;

        epoch->n = 0;
        OK(hr_loader_start(loader, r));
        while ((st = hr_loader_next(loader, &batch)) == HR_OK) {
            use_batch(epoch, &table, batch, sides);
            OK(hr_batch_release(&batch));
        }
        assert_int_equal(st, HR_END);
        assert_int_equal(epoch->n, ROWS / BATCH + 1);
        check_epoch(epoch, &table, sides);
        hr_loader_close(&loader);
    }
    hr_buffer_close(&epoch->copies);
    for (uint32_t s = 0; s < SIDES; s++)
        hr_queue_close(&sides[s]);
    table_close(&table);
    free(epoch);
}

/* Native work behind a held kernel: both slots are released, and neither may be filled anew before it has run. */
static void held_native_work_keeps_the_slots(void **state)
{
    struct epoch *epoch;
    hr_queue *side;
    struct table table;
    hr_loader *loader;
    hr_batch *batch;

    (void)state;
    NEEDS_NATIVE();
    NEEDS_GATE();
    epoch = calloc(1, sizeof *epoch);
    assert_non_null(epoch);
    table_open(&table, ROWS, 22);
    side = new_queue(device, HR_QUEUE_COMPUTE);
    loader = open_loader(device, table.dataset,
                         (hr_loader_options){.batch_rows = BATCH, .route = HR_ROUTE_STAGED, .depth = 2, .shuffle = 1});
    epoch->place = (BATCH * table.row_bytes[0] + 255) / 256 * 256;
    epoch->copies = new_buffer(device, epoch->place * 2, side);
    gate_close(device, side);
    OK(hr_loader_start(loader, 0));
    for (epoch->n = 0; epoch->n < 2; epoch->n++) {
        const uint64_t *ids;
        hr_field field;

        OK(hr_loader_next(loader, &batch));
        field_of(batch, &field);
        OK(hr_batch_row_ids(batch, &ids, &epoch->rows[epoch->n]));
        memcpy(epoch->ids + (uint64_t)epoch->n * BATCH, ids, epoch->rows[epoch->n] * sizeof *ids);
        OK(hr_batch_wait(batch, side));
        native_copy(side, epoch->copies, epoch->n * epoch->place, field.buffer, field.offset, field.bytes);
        OK(hr_batch_used(batch, side));
        OK(hr_batch_release(&batch));
    }
    GATE_HOLDS();
    gate_end();
    OK(hr_loader_next(loader, &batch)); /* goes on behind it */
    OK(hr_batch_release(&batch));
    for (uint32_t b = 0; b < 2; b++)
        check_copy(&table, side, epoch->copies, b * epoch->place, epoch->ids + (uint64_t)b * BATCH, epoch->rows[b]);
    hr_loader_close(&loader);
    hr_buffer_close(&epoch->copies);
    hr_queue_close(&side);
    table_close(&table);
    free(epoch);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(native_work_in_order),
        cmocka_unit_test_teardown(declared_uses_hold_the_memory, gate_teardown),
        cmocka_unit_test(batches_on_several_native_queues),
        cmocka_unit_test_teardown(held_native_work_keeps_the_slots, gate_teardown),
    };

    return conformance_main(argc, argv, tests, NULL);
}
