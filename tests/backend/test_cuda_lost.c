/* Failures of the device: what they mean, who hears of them, and that everything closes. */
#include "cuda.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void what_a_code_means(void **state)
{
    static const struct {
        hri_cu_result code;
        hr_status status;
        const char *name;
    } cases[] = {
        {HRI_CU_OUT_OF_MEMORY, HR_NO_DEVICE_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
        {HRI_CU_DEINITIALIZED, HR_DEVICE_LOST, "CUDA_ERROR_DEINITIALIZED"},
        {HRI_CU_INVALID_VALUE, HR_DRIVER, "CUDA_ERROR_INVALID_VALUE"},
        {HRI_CU_NOT_SUPPORTED, HR_UNSUPPORTED, "CUDA_ERROR_NOT_SUPPORTED"},
        {HRI_CU_ILLEGAL_ADDRESS, HR_DEVICE_LOST, "CUDA_ERROR_ILLEGAL_ADDRESS"},
        {HRI_CU_LAUNCH_TIMEOUT, HR_DEVICE_LOST, "CUDA_ERROR_LAUNCH_TIMEOUT"},
        {HRI_CU_ASSERT, HR_DEVICE_LOST, "CUDA_ERROR_ASSERT"},
        {HRI_CU_HARDWARE_STACK_ERROR, HR_DEVICE_LOST, "CUDA_ERROR_HARDWARE_STACK_ERROR"},
        {HRI_CU_ILLEGAL_INSTRUCTION, HR_DEVICE_LOST, "CUDA_ERROR_ILLEGAL_INSTRUCTION"},
        {HRI_CU_MISALIGNED_ADDRESS, HR_DEVICE_LOST, "CUDA_ERROR_MISALIGNED_ADDRESS"},
        {HRI_CU_INVALID_ADDRESS_SPACE, HR_DEVICE_LOST, "CUDA_ERROR_INVALID_ADDRESS_SPACE"},
        {HRI_CU_INVALID_PC, HR_DEVICE_LOST, "CUDA_ERROR_INVALID_PC"},
        {HRI_CU_LAUNCH_FAILED, HR_DEVICE_LOST, "CUDA_ERROR_LAUNCH_FAILED"},
        {HRI_CU_ECC_UNCORRECTABLE, HR_DEVICE_LOST, "CUDA_ERROR_ECC_UNCORRECTABLE"},
        {HRI_CU_CONTEXT_IS_DESTROYED, HR_DEVICE_LOST, "CUDA_ERROR_CONTEXT_IS_DESTROYED"},
        {HRI_CU_CAPTURE_UNSUPPORTED, HR_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
        {HRI_CU_UNKNOWN, HR_DEVICE_LOST, "CUDA_ERROR_UNKNOWN"},
        {12345, HR_DRIVER, "a code without a name"},
    };
    struct hrb_buffer *buffer = rig_buffer(HR_MEMORY_DEVICE, 64);
    struct hrb_buffer *none = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fake.fail_at("cuMemsetD8Async", 1, cases[i].code);
        rig_expect_failure(rig.ops->fill(rig.queue, buffer, 0, 64, "a", 1, &rig_no_sync), cases[i].status,
                           cases[i].name);
        fake.fail_at("cuMemsetD8Async", 0, 0);
    }
    /* What was asked for decides what there is none of. */
    fake.fail_at("cuMemAlloc", 1, HRI_CU_OUT_OF_MEMORY);
    rig_expect_failure(rig.ops->buffer_create(rig.device, HR_MEMORY_DEVICE, 64, &none), HR_NO_DEVICE_MEMORY,
                       "64 bytes");
    fake.fail_at("cuMemHostAlloc", 1, HRI_CU_OUT_OF_MEMORY);
    rig_expect_failure(rig.ops->buffer_create(rig.device, HR_MEMORY_PINNED, 64, &none), HR_NO_PINNED_MEMORY,
                       "64 bytes");
    assert_null(none);
    rig.ops->buffer_destroy(buffer);
}

/* A device of its own, since it is not to be used any more afterwards. */
struct lost {
    struct hrb_device *device;
    struct hrb_queue *queue;
    struct hrb_queue *other;
    struct hrb_buffer *buffer;
    struct hrb_buffer *view;
    struct hrb_buffer *pinned;
    struct hrb_buffer *imported;
    struct hrb_event *before;
    struct hrb_event *event;
    struct hrb_event *timed;
    unsigned char *own;
};

static void open_and_lose(struct lost *l, hri_cu_result code)
{
    struct hrb_sync sync = {.event = &l->event};
    struct hrb_sync timed = {.flags = HR_TIMING, .event = &l->timed};
    void *ptr;

    *l = (struct lost){.own = aligned_alloc(4096, 8192)};
    assert_int_equal(rig.ops->device_open(rig.instance, 1, NULL, &l->device), HR_OK);
    assert_int_equal(rig.ops->queue_create(l->device, HR_QUEUE_COMPUTE, 0, NULL, &l->queue), HR_OK);
    assert_int_equal(rig.ops->queue_create(l->device, HR_QUEUE_COPY_IN, 0, NULL, &l->other), HR_OK);
    assert_int_equal(rig.ops->buffer_create(l->device, HR_MEMORY_DEVICE, 8192, &l->buffer), HR_OK);
    assert_int_equal(rig.ops->buffer_create(l->device, HR_MEMORY_PINNED, 8192, &l->pinned), HR_OK);
    assert_int_equal(rig.ops->buffer_import(l->device, l->own, 8192, &l->imported), HR_OK);
    assert_int_equal(rig.ops->buffer_view(l->buffer, 4096, 4096, &l->view), HR_OK);
    assert_int_equal(rig.ops->buffer_acquire(l->view, l->queue, HR_ACCESS_WRITE, &ptr), HR_OK);
    assert_int_equal(rig.ops->buffer_release(l->view, l->queue, ptr), HR_OK);
    assert_int_equal(rig.ops->event_record(l->queue, 0, &l->before), HR_OK);
    assert_int_equal(rig.ops->fill(l->queue, l->buffer, 0, 64, "b", 1, &timed), HR_OK);
    assert_int_equal(rig.ops->event_wait(l->timed, HR_FOREVER), HR_OK);
    fake.hold(cuda_stream(l->queue), 1);
    fake.fail_at("work", 1, code);
    assert_int_equal(rig.ops->fill(l->queue, l->buffer, 0, 8192, "a", 1, &sync), HR_OK); /* submitting is not doing */
    fake.hold(cuda_stream(l->queue), 0);
    rig_expect_failure(rig.ops->event_wait(l->event, HR_FOREVER), HR_DEVICE_LOST, "CUDA_ERROR_");
}

/* Whatever is asked of it afterwards. */
static void expect_lost(const struct lost *l)
{
    const struct hrb_place place = {.buffer = l->buffer, .row_pitch = 64, .slice_pitch = 64};
    const struct hrb_place host = {.buffer = l->pinned, .host = l->pinned->host, .row_pitch = 64, .slice_pitch = 64};
    struct hrb_buffer *buffer = NULL;
    struct hrb_queue *queue = NULL;
    struct hrb_event *event = NULL;
    uint64_t start, end;
    uint32_t done = 7;
    void *ptr = NULL;

    for (int again = 0; again < 2; again++) {
        rig_expect_failure(rig.ops->event_wait(l->event, HR_FOREVER), HR_DEVICE_LOST, "Simulated GPU 1");
        rig_expect_failure(rig.ops->event_wait(l->event, 1000), HR_DEVICE_LOST, "");
        rig_expect_failure(rig.ops->event_query(l->event, &done), HR_DEVICE_LOST, "");
        rig_expect_failure(rig.ops->queue_finish(l->queue), HR_DEVICE_LOST, "");
        rig_expect_failure(rig.ops->queue_finish(l->other), HR_DEVICE_LOST, "");
    }
    rig_expect_failure(rig.ops->copy(l->other, &place, &host, 64, &rig_no_sync), HR_DEVICE_LOST, "");
    rig_expect_failure(rig.ops->copy_rect(l->other, &host, &place, 64, 2, 1, &rig_no_sync), HR_DEVICE_LOST, "");
    rig_expect_failure(rig.ops->fill(l->other, l->buffer, 0, 64, "a", 1, &rig_no_sync), HR_DEVICE_LOST, "");
    rig_expect_failure(rig.ops->queue_wait(l->other, l->event), HR_DEVICE_LOST, "");
    rig_expect_failure(rig.ops->event_record(l->other, 0, &event), HR_DEVICE_LOST, "");
    rig_expect_failure(rig.ops->event_times(l->timed, &start, &end), HR_DEVICE_LOST, "");
    rig_expect_failure(rig.ops->buffer_create(l->device, HR_MEMORY_DEVICE, 64, &buffer), HR_DEVICE_LOST, "");
    rig_expect_failure(rig.ops->buffer_create(l->device, HR_MEMORY_PINNED, 64, &buffer), HR_DEVICE_LOST, "");
    rig_expect_failure(rig.ops->queue_create(l->device, HR_QUEUE_COMPUTE, 0, NULL, &queue), HR_DEVICE_LOST, "");
    rig_expect_failure(rig.ops->buffer_acquire(l->buffer, l->queue, HR_ACCESS_READ, &ptr), HR_DEVICE_LOST, "");
    assert_true(!buffer && !queue && !event && !ptr && done == 7);
}

static void close_lost(struct lost *l)
{
    const unsigned failures = rig_failures();

    rig.ops->event_destroy(l->event);
    rig.ops->event_destroy(l->timed);
    rig.ops->event_destroy(l->before);
    rig.ops->buffer_destroy(l->view);
    rig.ops->buffer_destroy(l->imported);
    rig.ops->buffer_destroy(l->pinned);
    rig.ops->buffer_destroy(l->buffer);
    rig.ops->queue_destroy(l->queue);
    rig.ops->queue_destroy(l->other);
    rig.ops->device_close(l->device);
    assert_int_equal(rig_failures(), failures); /* in silence */
    free(l->own);
}

static void a_lost_device_says_so_and_closes(void **state)
{
    static const hri_cu_result codes[] = {HRI_CU_ILLEGAL_ADDRESS, HRI_CU_LAUNCH_FAILED, HRI_CU_UNKNOWN};

    (void)state;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        const long live = fake.live("all");
        struct lost l;

        open_and_lose(&l, codes[i]);
        expect_lost(&l);
        close_lost(&l);
        assert_int_equal(fake.live("all"), live);
        assert_int_equal(fake.depth(), 0);
        cuda_expect_working(rig.device, rig.queue); /* another device's work goes on */
    }
}

static void it_opens_anew(void **state)
{
    struct hrb_queue *queue = NULL;
    struct hrb_device *device = NULL;
    struct lost l;

    (void)state;
    open_and_lose(&l, HRI_CU_ILLEGAL_ADDRESS);
    close_lost(&l);
    assert_int_equal(rig.ops->device_open(rig.instance, 1, NULL, &device), HR_OK);
    assert_int_equal(rig.ops->queue_create(device, HR_QUEUE_COMPUTE, 0, NULL, &queue), HR_OK);
    cuda_expect_working(device, queue);
    rig.ops->queue_destroy(queue);
    rig.ops->device_close(device);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_a_code_means),
    cmocka_unit_test(a_lost_device_says_so_and_closes),
    cmocka_unit_test(it_opens_anew),
};

static int open_two(void **state)
{
    setenv("FAKE_CUDA_DEVICES", "2", 1); /* read when the driver starts */
    return cuda_open_fake(state);
}

static int close_all(void **state)
{
    rig_close(state);
    return fake.live("all") == 0 ? 0 : -1;
}

rig_main_with(tests, open_two, close_all)
