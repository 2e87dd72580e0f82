/* The layer strict and batches: slots that are refilled under a kernel, and batches that are used after their release.
 */
#include "gate.h"
#include "rows.h"
#include "seed.h"

#include <string.h>

enum { BATCH = 100 };

#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static uint32_t route;

static hr_status open_rows(struct seed *s, hr_dataset *rows, hr_loader **loader)
{
    hr_loader_options options = loader_options(BATCH);
    hr_status st;

    options.shuffle = 1;
    options.depth = 2;
    options.route = route;
    options.queue = s->work;
    st = hr_loader_open(s->device, rows, &options, loader);
    return st == HR_OK ? hr_loader_start(*loader, 0) : st;
}

static hr_status add_up(struct seed *s, hr_queue *queue, hr_batch *batch)
{
    hr_field x = {.size = sizeof x};
    uint32_t words = BATCH;
    hr_status st = hr_batch_field(batch, 0, &x);
    hr_arg args[] = {HR_ARG_BUFFER(x.buffer, x.offset), HR_ARG_BUFFER(s->other, 0), HR_ARG_BYTES(&words, sizeof words)};

    return st == HR_OK ? launch(queue, s->sum, 1, args, 3, NULL) : st;
}

/* Every batch is worked on by a queue of which the loader is told nothing. */
static hr_status undeclared_use(struct seed *s)
{
    hr_dataset *rows = new_rows();
    hr_loader *loader = NULL;
    hr_batch *batch = NULL;
    hr_status st = open_rows(s, rows, &loader), end;

    while (st == HR_OK && (st = hr_loader_next(loader, &batch)) == HR_OK) {
        st = hr_batch_wait(batch, s->out);
        if (st == HR_OK)
            st = add_up(s, s->out, batch);
        end = hr_batch_release(&batch); /* no hr_batch_used() */
        st = st == HR_OK ? end : st;
    }
    if (st == HR_END)
        st = hr_queue_finish(s->out);
    hr_loader_close(&loader);
    hr_dataset_close(&rows);
    return st;
}

/* And here without waiting for the batch's data, which are held so that nobody has seen them there. */
static hr_status unawaited_use(struct seed *s)
{
    hr_dataset *rows = new_rows();
    hr_loader *loader = NULL;
    hr_batch *batch = NULL;
    hr_queue *own_in = NULL;
    hr_status st, end;

    OK(hr_device_get_queue(s->device, HR_QUEUE_COPY_IN, &own_in));
    if (s->strict)
        gate_close(s->device, own_in);
    st = open_rows(s, rows, &loader);
    if (st == HR_OK)
        st = hr_loader_next(loader, &batch);
    if (st == HR_OK)
        st = add_up(s, s->out, batch); /* no hr_batch_wait() */
    if (st == HR_OK)
        st = hr_batch_used(batch, s->out);
    end = hr_batch_release(&batch);
    st = st == HR_OK ? end : st;
    if (st == HR_OK)
        st = hr_queue_finish(s->out);
    if (s->strict)
        gate_end();
    hr_loader_close(&loader);
    hr_dataset_close(&rows);
    return st;
}

static hr_status after_its_release(struct seed *s,
                                   hr_status (*use)(struct seed *s, const hr_field *x, const void *host))
{
    hr_dataset *rows = new_rows();
    hr_loader *loader = NULL;
    hr_batch *batch = NULL;
    hr_field x = {.size = sizeof x};
    const void *host = NULL;
    hr_status st = open_rows(s, rows, &loader);

    if (st == HR_OK)
        st = hr_loader_next(loader, &batch);
    if (st == HR_OK)
        st = hr_batch_field(batch, 0, &x);
    if (st == HR_OK)
        st = hr_batch_host(batch, 0, &host);
    if (st == HR_OK)
        st = hr_batch_release(&batch);
    if (st == HR_OK)
        st = use(s, &x, host);
    if (st == HR_OK)
        st = hr_queue_finish(s->work);
    hr_loader_close(&loader);
    hr_dataset_close(&rows);
    return st;
}

static hr_status launch_on(struct seed *s, const hr_field *x, const void *host)
{
    uint32_t words = BATCH;
    hr_arg args[] = {HR_ARG_BUFFER(x->buffer, x->offset), HR_ARG_BUFFER(s->other, 0),
                     HR_ARG_BYTES(&words, sizeof words)};

    (void)host;
    return launch(s->work, s->sum, 1, args, 3, NULL);
}

static hr_status kernel_after_its_release(struct seed *s)
{
    return after_its_release(s, launch_on);
}

static hr_status read_from(struct seed *s, const hr_field *x, const void *host)
{
    (void)host;
    return hr_read(s->work, x->buffer, x->offset, s->host, x->bytes, NULL);
}

static hr_status read_after_its_release(struct seed *s)
{
    return after_its_release(s, read_from);
}

static hr_status acquire(struct seed *s, const hr_field *x, const void *host)
{
    void *ptr;
    hr_status st = hr_buffer_acquire(x->buffer, s->work, HR_ACCESS_READ, &ptr);

    (void)host;
    return st == HR_OK ? hr_buffer_release(x->buffer, s->work) : st;
}

static hr_status acquire_after_its_release(struct seed *s)
{
    return after_its_release(s, acquire);
}

static hr_status write_from(struct seed *s, const hr_field *x, const void *host)
{
    (void)x;
    return hr_write_from(s->work, s->buffer, 0, host, 100, NULL);
}

static hr_status host_pointer_after_its_release(struct seed *s)
{
    return after_its_release(s, write_from);
}

static void on_every_route(void (*test)(void))
{
    for (route = HR_ROUTE_STAGED; route <= HR_ROUTE_RESIDENT; route++)
        if (route != HR_ROUTE_IN_PLACE || (info.abilities & HR_ABILITY_SHARED_MEMORY))
            test();
}

static void undeclared(void)
{
    expect_found(undeclared_use, HR_RACE, 0, TEXTS("kernel sum on queue 3 (copy out)", "slot", "hr_batch_used()"));
}

static void slots_refilled_early_are_found(void **state)
{
    (void)state;
    on_every_route(undeclared);
}

/* In place, the host has filled the slot before the batch is there; resident, the data set's copy would be held too. */
static void batches_used_too_early_are_found(void **state)
{
    (void)state;
    NEEDS_GATE();
    route = HR_ROUTE_STAGED;
    expect_found(unawaited_use, HR_RACE, 0, TEXTS("kernel sum", "slot", "hr_batch_wait()"));
}

static void released(void)
{
    expect_found(kernel_after_its_release, HR_RACE, 0, TEXTS("kernel sum on queue 2", "batch that was released"));
    expect_found(read_after_its_release, HR_RACE, SEED_RACES,
                 TEXTS("download of 400 bytes", "batch that was released"));
    expect_found(acquire_after_its_release, HR_RACE, 0, TEXTS("hr_buffer_acquire()", "batch that was released"));
}

static void batches_used_after_their_release_are_found(void **state)
{
    (void)state;
    on_every_route(released);
    route = HR_ROUTE_IN_PLACE;
    if (info.abilities & HR_ABILITY_SHARED_MEMORY)
        expect_found(host_pointer_after_its_release, HR_RACE, SEED_RACES | SEED_POINTERS,
                     TEXTS("upload of 100 bytes", "hr_batch_host()"));
}

/* The slot of a batch that nothing works on is poison at once. A declared use of another kind keeps it from a refill.
 */
static void released_slots_are_poison(void **state)
{
    struct seed seed = {.strict = true};
    hr_dataset *rows;
    hr_loader *loader = NULL;
    hr_batch *batch = NULL;
    const void *host = NULL;
    uint8_t poison[BATCH * 4];

    (void)state;
    NEEDS_GATE();
    if (!(info.abilities & HR_ABILITY_SHARED_MEMORY))
        NOT_APPLICABLE("the host does not see this device's memory");
    rows = new_rows();
    seed.device = open_with(0, 0, "strict");
    seed.work = new_queue(seed.device, HR_QUEUE_COMPUTE);
    seed.out = new_queue(seed.device, HR_QUEUE_COPY_OUT);
    route = HR_ROUTE_IN_PLACE;
    OK(open_rows(&seed, rows, &loader));
    gate_close(seed.device, seed.out);
    OK(hr_loader_next(loader, &batch));
    OK(hr_batch_host(batch, 0, &host));
    memset(poison, 0xfb, sizeof poison);
    assert_memory_not_equal(host, poison, sizeof poison);
    OK(hr_batch_used(batch, seed.out));
    OK(hr_batch_release(&batch));
    assert_memory_equal(host, poison, sizeof poison);
    GATE_HOLDS();
    gate_end();
    hr_loader_close(&loader);
    hr_dataset_close(&rows);
    hr_queue_close(&seed.work);
    hr_queue_close(&seed.out);
    hr_device_close(&seed.device);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_refilled_early_are_found),
        gated_test(batches_used_too_early_are_found),
        cmocka_unit_test(batches_used_after_their_release_are_found),
        gated_test(released_slots_are_poison),
    };

    return conformance_main(argc, argv, tests, NULL);
}
