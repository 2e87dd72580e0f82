/* The layer strict: memory that is changed, read or used when it must not be, and pointers that a device does not have.
 */
#include "gate.h"
#include "seed.h"

#include <stdlib.h>
#include <string.h>

#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Elsewhere pageable memory may go through pinned memory of the library's, by a snapshot: what becomes of it is the
 * library's alone. */
static bool pageable_travels(void)
{
    return info.kind == HR_DEVICE_CPU;
}

/* -- a source changed under its copy ------------------------------------------------------------------------------- */

static hr_status pageable_changed(struct seed *s)
{
    hr_event *done = NULL;
    hr_sync sync = sync_of(&done, NULL, 0);
    hr_status st = hr_write_from(s->in, s->buffer, 0, s->host, SEED_BYTES, &sync);

    s->host[SEED_BYTES - 1] = 1; /* not before the event */
    return seed_wait(st, &done);
}

static hr_status pinned_changed(struct seed *s)
{
    hr_status st = hr_copy(s->in, s->buffer, 64, s->pinned, 64, 128, NULL);

    s->pinned_ptr[100] ^= 1;
    return st == HR_OK ? hr_queue_finish(s->in) : st;
}

static hr_status rectangle_changed(struct seed *s)
{
    hr_rect box = {.size = sizeof box, .row_pitch = 256, .offset = 16};
    hr_status st = hr_copy_rect(s->in, s->buffer, &box, s->pinned, &box, 64, 8, 1, NULL);

    s->pinned_ptr[16 + 7 * 256 + 63] ^= 1;
    return st == HR_OK ? hr_queue_finish(s->in) : st;
}

static void changed_sources_are_found(void **state)
{
    (void)state;
    if (pageable_travels())
        expect_found(pageable_changed, HR_RACE, SEED_RACES,
                     TEXTS("upload of 16400 bytes", "its source changed", "hr_write()"));
    expect_found(pinned_changed, HR_RACE, SEED_RACES,
                 TEXTS("upload of 128 bytes", "its source changed", "queue 1 (copy in)"));
    expect_found(rectangle_changed, HR_RACE, SEED_RACES, TEXTS("upload of 512 bytes in rows", "its source changed"));
}

/* Submitted by the second look, behind a kernel that is held, and changed then: the copy has still to come. */
static void changed_after_the_submission(void **state)
{
    hr_device *own;
    hr_queue *queue;
    hr_buffer *buffer;
    hr_buffer *pinned;
    uint8_t *host;
    hr_event *done = NULL;
    hr_sync sync = sync_of(&done, NULL, 0);

    (void)state;
    NEEDS_GATE();
    if (under_thread_sanitizer())
        NOT_APPLICABLE("ThreadSanitizer would tell of the race");
    own = open_with(0, 0, "strict");
    queue = new_queue(own, HR_QUEUE_COMPUTE);
    buffer = new_buffer(own, SEED_BYTES, queue);
    pinned = new_pinned(own, SEED_BYTES, &host);
    memset(host, 0, SEED_BYTES);
    gate_close(own, queue);
    OK(hr_copy(queue, buffer, 0, pinned, 0, SEED_BYTES, &sync));
    assert_int_equal(is_done(done), 0);
    assert_int_equal(is_done(done), 0);
    host[0] = 1;
    gate_open();
    FAILS(HR_RACE, hr_event_wait(done, HR_FOREVER));
    SAYS("its source changed");
    gate_end();
    hr_event_close(&done);
    hr_buffer_close(&buffer);
    hr_buffer_close(&pinned);
    hr_queue_close(&queue);
    hr_device_close(&own);
}

/* A snapshot is the library's; bytes beside the copied ones are nobody's. */
static void what_may_change_may(void **state)
{
    hr_device *own = open_with(0, 0, "strict");
    hr_queue *queue = new_queue(own, HR_QUEUE_COPY_IN);
    hr_buffer *buffer = new_buffer(own, SEED_BYTES, queue);
    uint8_t *ptr;
    hr_buffer *pinned = new_pinned(own, SEED_BYTES, &ptr);
    hr_rect box = {.size = sizeof box, .row_pitch = 256, .offset = 16};
    uint8_t bytes[200] = {1};

    (void)state;
    OK(hr_write(queue, buffer, 0, bytes, sizeof bytes, NULL));
    memset(bytes, 2, sizeof bytes);
    memset(ptr, 0, SEED_BYTES);
    OK(hr_copy_rect(queue, buffer, &box, pinned, &box, 64, 8, 1, NULL));
    ptr[15] = ptr[16 + 64] = ptr[16 + 7 * 256 + 64] = 1;
    /* There and back again on one queue: the second copy changes the first one's source, behind it. */
    OK(hr_copy(queue, buffer, 8192, pinned, 4096, 1024, NULL));
    OK(hr_fill(queue, buffer, 8192, 1024, "x", 1, NULL));
    OK(hr_copy(queue, pinned, 4096, buffer, 8192, 1024, NULL));
    OK(hr_copy(queue, buffer, 12288, pinned, 4096, 1024, NULL));
    OK(hr_queue_finish(queue));
    assert_int_equal(ptr[4096], 'x');
    hr_buffer_close(&buffer);
    hr_buffer_close(&pinned);
    hr_queue_close(&queue);
    hr_device_close(&own);
}

/* -- a download read early ----------------------------------------------------------------------------------------- */

static hr_status acquired_early(struct seed *s)
{
    hr_status st = hr_copy(s->out, s->pinned, 0, s->buffer, 0, SEED_BYTES, NULL);
    void *ptr;

    if (st == HR_OK)
        st = hr_buffer_acquire(s->pinned, NULL, HR_ACCESS_READ, &ptr); /* "nothing uses it" */
    if (st == HR_OK)
        st = hr_buffer_release(s->pinned, NULL);
    return st == HR_OK ? hr_queue_finish(s->out) : st;
}

/* The program's own check fails, every time; it waits only then. */
static hr_status looked_at(struct seed *s, hr_status st, const uint8_t *bytes, hr_event *done)
{
    bool there = true;

    for (int i = 0; i < SEED_BYTES; i++)
        there = there && bytes[i] == 0; /* as before, and as delivered */
    if (s->strict)
        assert_false(there);
    return seed_wait(st, &done);
}

static hr_status pageable_looked_at_early(struct seed *s)
{
    hr_event *done = NULL;
    hr_sync sync = sync_of(&done, NULL, 0);
    hr_status st = hr_read(s->out, s->buffer, 0, s->host, SEED_BYTES, &sync);

    return looked_at(s, st, s->host, done);
}

static hr_status pinned_looked_at_early(struct seed *s)
{
    hr_event *done = NULL;
    hr_sync sync = sync_of(&done, NULL, 0);
    hr_status st;

    memset(s->pinned_ptr, 0, SEED_BYTES);
    st = hr_copy(s->out, s->pinned, 0, s->buffer, 0, SEED_BYTES, &sync);
    return looked_at(s, st, s->pinned_ptr, done);
}

/* What the program puts where the download will be. */
static hr_status written_to_early(struct seed *s)
{
    hr_status st = hr_copy(s->out, s->pinned, 0, s->buffer, 0, SEED_BYTES, NULL);

    memset(s->pinned_ptr + 100, 0, 10);
    return st == HR_OK ? hr_queue_finish(s->out) : st;
}

static void early_reads_are_found(void **state)
{
    (void)state;
    expect_found(acquired_early, HR_RACE, SEED_RACES,
                 TEXTS("hr_buffer_acquire()", "download of 16400 bytes", "still writes"));
    if (pageable_travels())
        expect_found(pageable_looked_at_early, HR_OK, SEED_RACES, TEXTS(""));
    expect_found(pinned_looked_at_early, HR_OK, SEED_RACES, TEXTS(""));
    expect_found(written_to_early, HR_RACE, SEED_RACES, TEXTS("download of 16400 bytes", "its destination"));
}

/* Not there at the first look either; there at the second, which is meant. */
static void a_poll_that_is_repeated_gets_there(void **state)
{
    hr_device *own = open_with(0, 0, "strict");
    hr_queue *queue = new_queue(own, HR_QUEUE_COPY_OUT);
    hr_buffer *buffer = new_buffer(own, SEED_BYTES, queue);
    uint8_t *host = calloc(1, SEED_BYTES);
    hr_event *done = NULL;
    hr_sync sync = sync_of(&done, NULL, 0);

    (void)state;
    assert_non_null(host);
    OK(hr_fill(queue, buffer, 0, SEED_BYTES, "x", 1, NULL));
    OK(hr_read(queue, buffer, 0, host, SEED_BYTES, &sync));
    assert_int_equal(is_done(done), 0);
    assert_int_not_equal(host[0], 'x');
    while (!is_done(done))
        ;
    assert_int_equal(host[0], 'x');
    assert_int_equal(host[SEED_BYTES - 1], 'x');
    hr_event_close(&done);
    /* By an event that is new each time, too. */
    OK(hr_fill(queue, buffer, 0, SEED_BYTES, "y", 1, NULL));
    for (uint32_t is = 0; !is; hr_event_close(&done)) {
        done = mark(queue);
        is = is_done(done);
    }
    hr_buffer_close(&buffer);
    hr_queue_close(&queue);
    hr_device_close(&own);
    free(host);
}

/* -- use after release --------------------------------------------------------------------------------------------- */

static hr_status written_after_its_release(struct seed *s)
{
    hr_status st;
    void *ptr;

    st = hr_buffer_acquire(s->buffer, s->work, HR_ACCESS_WRITE, &ptr);
    if (st == HR_OK)
        st = hr_buffer_release(s->buffer, s->work);
    if (st != HR_OK)
        return st;
    memset(ptr, 1, 16);
    st = seed_add(s, s->work, s->buffer, NULL);
    return st == HR_OK ? hr_queue_finish(s->work) : st;
}

static hr_status used_while_the_host_has_it(struct seed *s)
{
    void *ptr;
    hr_status st = hr_buffer_acquire(s->buffer, s->work, HR_ACCESS_WRITE, &ptr);
    hr_status other;

    if (st == HR_OK)
        st = hr_fill(s->work, s->buffer, 0, 16, "x", 1, NULL);
    other = hr_buffer_release(s->buffer, s->work);
    if (st == HR_OK)
        st = other;
    return st == HR_OK ? hr_queue_finish(s->work) : st;
}

/* With a queue, but not the one that writes it. */
static hr_status acquired_under_an_upload(struct seed *s)
{
    void *ptr;
    hr_status st = hr_copy(s->in, s->buffer, 0, s->pinned, 0, SEED_BYTES, NULL);

    if (st == HR_OK)
        st = hr_buffer_acquire(s->buffer, s->work, HR_ACCESS_READ, &ptr);
    if (st == HR_OK)
        st = hr_buffer_release(s->buffer, s->work);
    return st == HR_OK ? hr_queue_finish(s->in) : st;
}

static hr_status pinned_used_after_its_close(struct seed *s)
{
    hr_status st;

    hr_buffer_close(&s->pinned);
    st = hr_write_from(s->in, s->buffer, 0, s->pinned_ptr, 100, NULL); /* the pool keeps it: no fault of the system's */
    return st == HR_OK ? hr_queue_finish(s->in) : st;
}

static void uses_after_release_are_found(void **state)
{
    (void)state;
    expect_found(written_after_its_release, HR_RACE, SEED_POINTERS,
                 TEXTS("hr_buffer_acquire() after its hr_buffer_release()"));
    expect_found(used_while_the_host_has_it, HR_RACE, 0, TEXTS("fill of 16 bytes", "while the host has it"));
    expect_found(acquired_under_an_upload, HR_RACE, 0,
                 TEXTS("hr_buffer_acquire()", "upload of 16400 bytes", "still writes"));
    if (pageable_travels())
        expect_found(pinned_used_after_its_close, HR_RACE, 0,
                     TEXTS("upload of 100 bytes", "pinned buffer that was closed"));
}

/* What a buffer held is gone with it, and what a new one holds was never there. */
static void memory_is_poisoned(void **state)
{
    hr_device *own = open_with(0, 0, "strict");
    hr_queue *queue = new_queue(own, HR_QUEUE_COMPUTE);
    hr_buffer *buffer = NULL;
    uint8_t *ptr, got[1000], poison[1000];
    void *mapped;

    (void)state;
    memset(poison, 0xfb, sizeof poison);
    buffer = new_buffer(own, sizeof got, queue);
    expect_bytes(queue, buffer, 0, poison, sizeof got); /* new */
    OK(hr_fill(queue, buffer, 0, sizeof got, "x", 1, NULL));
    OK(hr_queue_finish(queue));
    hr_buffer_close(&buffer);
    buffer = new_buffer(own, sizeof got, queue);
    expect_bytes(queue, buffer, 0, poison, sizeof got); /* the same memory again */
    OK(hr_buffer_acquire(buffer, queue, HR_ACCESS_WRITE | HR_ACCESS_DISCARD, &mapped));
    assert_memory_equal(mapped, poison, sizeof got); /* what is discarded */
    memset(mapped, 1, sizeof got);
    OK(hr_buffer_release(buffer, queue));
    memset(poison, 1, sizeof poison);
    expect_bytes(queue, buffer, 0, poison, sizeof got);
    hr_buffer_close(&buffer);
    buffer = new_pinned(own, sizeof got, &ptr);
    memset(ptr, 1, sizeof got);
    hr_buffer_close(&buffer);
    assert_int_equal(ptr[0], 0xfb); /* the pool keeps it */
    hr_queue_close(&queue);
    hr_device_close(&own);
}

/* -- host pointers to device memory -------------------------------------------------------------------------------- */

static hr_status pointer_of(struct seed *s, void **ptr)
{
    hr_status st = hr_buffer_acquire(s->other, s->work, HR_ACCESS_READ, ptr);

    return st == HR_OK ? hr_buffer_release(s->other, s->work) : st;
}

static hr_status written_from_a_device_pointer(struct seed *s)
{
    void *ptr;
    hr_status st = pointer_of(s, &ptr);

    if (st == HR_OK)
        st = hr_write_from(s->work, s->buffer, 0, ptr, 100, NULL);
    return st == HR_OK ? hr_queue_finish(s->work) : st;
}

static hr_status read_to_a_device_pointer(struct seed *s)
{
    void *ptr;
    hr_status st = pointer_of(s, &ptr);

    if (st == HR_OK)
        st = hr_read(s->work, s->buffer, 0, (uint8_t *)ptr + SEED_BYTES - 100, 100, NULL);
    return st == HR_OK ? hr_queue_finish(s->work) : st;
}

static hr_status device_pointer_imported(struct seed *s)
{
    hr_buffer *imported = NULL;
    void *ptr;
    hr_status st = pointer_of(s, &ptr);

    if (st == HR_OK)
        st = hr_buffer_import(s->device, ptr, 4096, &imported);
    hr_buffer_close(&imported);
    return st;
}

/* A kernel that gets an address as a number: where device memory is the host's it would even work. Never launched
 * without the layer, since elsewhere it would not. */
static void a_pointer_as_a_scalar_is_refused(void **state)
{
    static const char source[] = "__kernel void at(ulong address, __global int *x) { x[0] = (int)address; }";
    hr_device *own = open_with(0, 0, "strict");
    hr_queue *queue = new_queue(own, HR_QUEUE_COMPUTE);
    hr_buffer *buffer = new_buffer(own, 4096, queue);
    hr_program *program = NULL;
    hr_kernel *kernel = NULL;
    uint64_t address;
    void *ptr;

    (void)state;
    OK(hr_program_create(own, source, NULL, &program));
    OK(hr_kernel_create(program, "at", &kernel));
    OK(hr_buffer_acquire(buffer, queue, HR_ACCESS_READ, &ptr));
    OK(hr_buffer_release(buffer, queue));
    address = (uintptr_t)ptr + 40;
    hr_arg args[] = {HR_ARG_BYTES(&address, sizeof address), HR_ARG_BUFFER(buffer, 0)};
    FAILS(HR_INVALID, launch(queue, kernel, 1, args, 2, NULL));
    SAYS("argument 0");
    SAYS("kernel at");
    address = 12345;
    OK(launch(queue, kernel, 1, args, 2, NULL));
    OK(hr_queue_finish(queue));
    hr_kernel_close(&kernel);
    hr_program_close(&program);
    hr_buffer_close(&buffer);
    hr_queue_close(&queue);
    hr_device_close(&own);
}

static void device_pointers_are_refused(void **state)
{
    (void)state;
    if (pageable_travels()) {
        expect_found(written_from_a_device_pointer, HR_INVALID, SEED_POINTERS,
                     TEXTS("the source of", "upload of 100 bytes", "acquire"));
        expect_found(read_to_a_device_pointer, HR_INVALID, SEED_POINTERS,
                     TEXTS("the destination of", "download of 100 bytes", "acquire"));
    }
    if (info.abilities & HR_ABILITY_IMPORT)
        expect_found(device_pointer_imported, HR_INVALID, SEED_POINTERS, TEXTS("memory to register", "acquire"));
}

/* While the host has it, it is the host's memory. */
static void an_acquired_pointer_is_the_hosts(void **state)
{
    hr_device *own = open_with(0, 0, "strict");
    hr_queue *queue = new_queue(own, HR_QUEUE_COMPUTE);
    hr_buffer *from = new_buffer(own, 4096, queue), *to = new_buffer(own, 4096, queue);
    void *ptr;

    (void)state;
    OK(hr_fill(queue, from, 0, 4096, "x", 1, NULL));
    OK(hr_buffer_acquire(from, queue, HR_ACCESS_READ, &ptr));
    OK(hr_write_from(queue, to, 0, ptr, 4096, NULL));
    OK(hr_queue_finish(queue));
    expect_bytes(queue, to, 0, ptr, 4096);
    OK(hr_buffer_release(from, queue));
    hr_buffer_close(&from);
    hr_buffer_close(&to);
    hr_queue_close(&queue);
    hr_device_close(&own);
}

/* Acquired with a queue, given back without one: what was written is there. */
static void a_release_needs_no_queue(void **state)
{
    hr_device *own;
    hr_queue *queue;
    hr_buffer *buffer;
    uint8_t expected[100];
    void *ptr;

    (void)state;
    if (!(info.abilities & HR_ABILITY_SHARED_MEMORY))
        NOT_APPLICABLE("this device needs a queue");
    own = open_with(0, 0, "strict");
    queue = new_queue(own, HR_QUEUE_COMPUTE);
    buffer = new_buffer(own, sizeof expected, queue);
    memset(expected, 5, sizeof expected);
    OK(hr_buffer_acquire(buffer, queue, HR_ACCESS_WRITE, &ptr));
    memset(ptr, 5, sizeof expected);
    OK(hr_buffer_release(buffer, NULL));
    expect_bytes(queue, buffer, 0, expected, sizeof expected);
    hr_buffer_close(&buffer);
    hr_queue_close(&queue);
    hr_device_close(&own);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_sources_are_found),
        gated_test(changed_after_the_submission),
        cmocka_unit_test(what_may_change_may),
        cmocka_unit_test(early_reads_are_found),
        cmocka_unit_test(a_poll_that_is_repeated_gets_there),
        cmocka_unit_test(uses_after_release_are_found),
        cmocka_unit_test(memory_is_poisoned),
        cmocka_unit_test(device_pointers_are_refused),
        cmocka_unit_test(a_pointer_as_a_scalar_is_refused),
        cmocka_unit_test(an_acquired_pointer_is_the_hosts),
        cmocka_unit_test(a_release_needs_no_queue),
    };

    return conformance_main(argc, argv, tests, NULL);
}
