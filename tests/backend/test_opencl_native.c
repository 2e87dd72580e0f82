/* The program's own OpenCL objects in, the library's out. */
#define CL_TARGET_OPENCL_VERSION 120
#include "rig.h"

#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A context of the program's own on the device under test. */
static cl_context own_context(cl_device_id *device)
{
    struct hrb_native native;
    cl_int code;
    cl_context context;

    assert_int_equal(rig.ops->device_native(rig.device, &native), HR_OK);
    *device = native.device;
    context = clCreateContext(NULL, 1, device, NULL, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    return context;
}

static cl_uint uses_of_queue(cl_command_queue queue)
{
    cl_uint count = 0;

    clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, NULL);
    return count;
}

static void the_programs_queue_is_used_and_kept(void **state)
{
    struct hrb_native native;
    struct hrb_queue *queue = NULL;
    struct hrb_event *event = NULL;
    struct hrb_sync sync = {.event = &event};
    struct hrb_buffer *buffer = rig_buffer(HR_MEMORY_DEVICE, 64);
    unsigned char data[64] = {0};
    uint64_t start, end;
    void *handle = NULL;
    cl_command_queue own;
    cl_uint uses;
    cl_int code;

    (void)state;
    assert_int_equal(rig.ops->device_native(rig.device, &native), HR_OK);
    own = clCreateCommandQueue(native.context, native.device, CL_QUEUE_PROFILING_ENABLE, &code);
    assert_int_equal(code, CL_SUCCESS);
    uses = uses_of_queue(own);
    assert_int_equal(rig.ops->queue_create(rig.device, HR_QUEUE_COMPUTE, 0, own, &queue), HR_OK);
    assert_int_equal(uses_of_queue(own), uses + 1);
    assert_int_equal(rig.ops->queue_native(queue, &handle), HR_OK);
    assert_ptr_equal(handle, own);
    assert_int_equal(queue->flags, HR_TIMING); /* it profiles, so its events have times */
    assert_int_equal(rig.ops->fill(queue, buffer, 0, 64, "q", 1, &sync), HR_OK);
    assert_int_equal(rig.ops->event_wait(event, HR_FOREVER), HR_OK);
    assert_int_equal(rig.ops->event_times(event, &start, &end), HR_OK);
    rig_read(buffer, data, 64);
    assert_int_equal(data[63], 'q');
    rig.ops->event_destroy(event);
    rig.ops->queue_destroy(queue);
    assert_int_equal(uses_of_queue(own), uses);
    clReleaseCommandQueue(own);
    rig.ops->buffer_destroy(buffer);
}

static void unfit_queues_are_refused_by_name(void **state)
{
    struct hrb_native native;
    struct hrb_queue *queue = NULL;
    cl_command_queue own;
    cl_context other;
    cl_device_id device;
    cl_int code;

    (void)state;
    assert_int_equal(rig.ops->device_native(rig.device, &native), HR_OK);
    own = clCreateCommandQueue(native.context, native.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (code == CL_SUCCESS) {
        rig_expect_failure(rig.ops->queue_create(rig.device, HR_QUEUE_COMPUTE, 0, own, &queue), HR_UNSUPPORTED,
                           "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE");
        clReleaseCommandQueue(own);
    }
    own = clCreateCommandQueue(native.context, native.device, 0, &code);
    rig_expect_failure(rig.ops->queue_create(rig.device, HR_QUEUE_COMPUTE, HR_TIMING, own, &queue), HR_UNSUPPORTED,
                       "CL_QUEUE_PROFILING_ENABLE");
    clReleaseCommandQueue(own);
    other = own_context(&device);
    own = clCreateCommandQueue(other, device, 0, &code);
    rig_expect_failure(rig.ops->queue_create(rig.device, HR_QUEUE_COMPUTE, 0, own, &queue), HR_INVALID, "cl_context");
    clReleaseCommandQueue(own);
    clReleaseContext(other);
    assert_null(queue);
}

static void a_device_opens_over_the_programs_context(void **state)
{
    cl_device_id id;
    cl_context context = own_context(&id);
    struct hrb_native native = {.context = context, .device = id};
    struct hrb_native answered = {0};
    struct hrb_device *device = NULL;
    struct hrb_buffer *buffer = NULL;
    hr_device_info info = {.size = sizeof info};

    (void)state;
    assert_int_equal(rig.ops->device_open(rig.instance, 0, &native, &device), HR_OK);
    clReleaseContext(context); /* the device keeps it */
    assert_int_equal(rig.ops->device_native(device, &answered), HR_OK);
    assert_ptr_equal(answered.context, context);
    assert_ptr_equal(answered.device, id);
    assert_int_equal(rig.ops->device_info(device, &info), HR_OK);
    assert_int_equal(info.size, sizeof info);
    assert_string_equal(info.selector, rig.info.selector);
    assert_int_equal(rig.ops->buffer_create(device, HR_MEMORY_PINNED, 100, &buffer), HR_OK);
    rig.ops->buffer_destroy(buffer);
    rig.ops->device_close(device);
}

static void a_context_without_the_device_is_refused(void **state)
{
    cl_device_id id;
    cl_context context = own_context(&id);
    struct hrb_device *device = NULL;
    struct hrb_native native = {.context = context, .device = NULL};

    (void)state;
    rig_expect_failure(rig.ops->device_open(rig.instance, 0, &native, &device), HR_INVALID, "NULL");
    native.device = context; /* any other pointer: it is compared, never followed */
    rig_expect_failure(rig.ops->device_open(rig.instance, 0, &native, &device), HR_INVALID, "none of the 1 devices");
    assert_null(device);
    clReleaseContext(context);
}

static void buffers_give_their_cl_mem(void **state)
{
    struct hrb_buffer *buffer = rig_buffer(HR_MEMORY_DEVICE, 4096);
    struct hrb_buffer *pinned = rig_buffer(HR_MEMORY_PINNED, 4096);
    void *mem = NULL;
    void *none = NULL;
    uint64_t offset = 1;
    size_t bytes = 0;

    (void)state;
    assert_int_equal(rig.ops->buffer_native(buffer, &mem, &offset), HR_OK);
    assert_int_equal(clGetMemObjectInfo(mem, CL_MEM_SIZE, sizeof bytes, &bytes, NULL), CL_SUCCESS);
    assert_int_equal(bytes, 4096);
    assert_int_equal(offset, 0);
    rig_expect_failure(rig.ops->buffer_native(pinned, &none, &offset), HR_INVALID, "pinned");
    assert_null(none);
    rig.ops->buffer_destroy(pinned);
    rig.ops->buffer_destroy(buffer);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_programs_queue_is_used_and_kept),
    cmocka_unit_test(unfit_queues_are_refused_by_name),
    cmocka_unit_test(a_device_opens_over_the_programs_context),
    cmocka_unit_test(a_context_without_the_device_is_refused),
    cmocka_unit_test(buffers_give_their_cl_mem),
};

rig_main(tests)
