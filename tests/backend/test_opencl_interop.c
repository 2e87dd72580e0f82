/* headrace/opencl.h, from the program's side: its context, device and queue in, cl_mem out. */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "rig.h"

#include <CL/cl.h>
#include <headrace/opencl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static hr_device *opened;

static int open_by_selector(void **state)
{
    (void)state;
    if (hr_device_open(rig.backend->name, NULL, &opened) == HR_OK)
        return 0;
    fprintf(stderr, "%s\n", hr_last_error());
    return -1;
}

static int close_it(void **state)
{
    (void)state;
    hr_device_close(&opened);
    return 0;
}

static cl_device_id device_of(cl_context context)
{
    cl_device_id device = NULL;

    assert_int_equal(clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, NULL), CL_SUCCESS);
    return device;
}

static void native_work_and_ours_share_a_buffer(void **state)
{
    cl_context context;
    cl_command_queue own;
    cl_mem mem;
    hr_queue *queue = NULL;
    hr_buffer *buffer = NULL;
    unsigned char data[256];
    uint64_t offset;
    cl_int code;

    (void)state;
    assert_int_equal(hr_device_opencl(opened, &context), HR_OK);
    own = clCreateCommandQueue(context, device_of(context), 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(hr_queue_from_opencl(opened, own, &queue), HR_OK);
    assert_int_equal(hr_buffer_create(opened, HR_MEMORY_DEVICE, sizeof data, queue, &buffer), HR_OK);
    assert_int_equal(hr_buffer_opencl(buffer, &mem, &offset), HR_OK);
    /* native, ours, native, all on one queue */
    assert_int_equal(clEnqueueFillBuffer(own, mem, "n", 1, offset, sizeof data, 0, NULL, NULL), CL_SUCCESS);
    assert_int_equal(hr_fill(queue, buffer, 0, 100, "h", 1, NULL), HR_OK);
    assert_int_equal(clEnqueueFillBuffer(own, mem, "m", 1, offset, 50, 0, NULL, NULL), CL_SUCCESS);
    assert_int_equal(hr_buffer_used(buffer, queue), HR_OK);
    assert_int_equal(hr_read(queue, buffer, 0, data, sizeof data, NULL), HR_OK);
    assert_int_equal(hr_queue_finish(queue), HR_OK);
    assert_true(data[49] == 'm' && data[50] == 'h' && data[99] == 'h' && data[100] == 'n' && data[255] == 'n');
    hr_buffer_close(&buffer);
    hr_queue_close(&queue);
    clReleaseCommandQueue(own);
}

static void the_queue_of_a_device_is_given_out(void **state)
{
    hr_queue *queue = NULL;
    cl_command_queue native = NULL;
    cl_context context, of_queue = NULL;

    (void)state;
    assert_int_equal(hr_device_get_queue(opened, HR_QUEUE_COMPUTE, &queue), HR_OK);
    assert_int_equal(hr_queue_opencl(queue, &native), HR_OK);
    assert_int_equal(hr_device_opencl(opened, &context), HR_OK);
    assert_int_equal(clGetCommandQueueInfo(native, CL_QUEUE_CONTEXT, sizeof of_queue, &of_queue, NULL), CL_SUCCESS);
    assert_ptr_equal(of_queue, context);
}

static void a_device_over_the_programs_context_works_alike(void **state)
{
    hr_device *device = NULL;
    hr_buffer *buffer = NULL;
    hr_queue *queue = NULL;
    cl_context theirs, context;
    cl_device_id id;
    unsigned char data[64] = {0};
    cl_int code;

    (void)state;
    assert_int_equal(hr_device_opencl(opened, &theirs), HR_OK);
    id = device_of(theirs);
    context = clCreateContext(NULL, 1, &id, NULL, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    if (hr_device_from_opencl(context, id, NULL, &device) != HR_OK)
        fail_msg("%s", hr_last_error());
    clReleaseContext(context);
    assert_int_equal(hr_device_opencl(device, &theirs), HR_OK);
    assert_ptr_equal(theirs, context);
    assert_int_equal(hr_device_get_queue(device, HR_QUEUE_COMPUTE, &queue), HR_OK);
    assert_int_equal(hr_buffer_create(device, HR_MEMORY_DEVICE, 64, NULL, &buffer), HR_OK);
    assert_int_equal(hr_write(queue, buffer, 0, "0123456789", 10, NULL), HR_OK);
    assert_int_equal(hr_read(queue, buffer, 0, data, 10, NULL), HR_OK);
    assert_int_equal(hr_queue_finish(queue), HR_OK);
    assert_memory_equal(data, "0123456789", 10);
    hr_buffer_close(&buffer);
    hr_device_close(&device);
}

#define expect_refusal(call, status, part)                                                                             \
    do {                                                                                                               \
        assert_int_equal((call), (status));                                                                            \
        if (!strstr(hr_last_error(), (part)))                                                                          \
            fail_msg("\"%s\" is not in: %s", (part), hr_last_error());                                                 \
    } while (0)

static void what_does_not_fit_is_refused(void **state)
{
    cl_context context;
    cl_command_queue own;
    hr_device *device = NULL;
    hr_queue *queue = NULL;
    hr_buffer *pinned = NULL;
    cl_mem mem = NULL;
    uint64_t offset = 0;
    cl_int code;

    (void)state;
    assert_int_equal(hr_device_opencl(opened, &context), HR_OK);
    expect_refusal(hr_device_from_opencl(NULL, device_of(context), NULL, &device), HR_INVALID, "NULL");
    expect_refusal(hr_device_from_opencl(context, NULL, NULL, &device), HR_INVALID, "NULL");
    expect_refusal(hr_device_from_opencl(context, device_of(context), NULL, NULL), HR_INVALID, "NULL");
    expect_refusal(hr_queue_from_opencl(opened, NULL, &queue), HR_INVALID, "NULL");
    expect_refusal(hr_device_opencl(opened, NULL), HR_INVALID, "NULL");
    expect_refusal(hr_queue_opencl(NULL, &own), HR_INVALID, "NULL");
    expect_refusal(hr_buffer_opencl(NULL, &mem, &offset), HR_INVALID, "NULL");
    own = clCreateCommandQueue(context, device_of(context), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (code == CL_SUCCESS) {
        expect_refusal(hr_queue_from_opencl(opened, own, &queue), HR_UNSUPPORTED,
                       "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE");
        clReleaseCommandQueue(own);
    }
    assert_int_equal(hr_buffer_create(opened, HR_MEMORY_PINNED, 64, NULL, &pinned), HR_OK);
    assert_int_equal(hr_buffer_opencl(pinned, &mem, &offset), HR_INVALID);
    assert_true(device == NULL && queue == NULL && mem == NULL && offset == 0);
    hr_buffer_close(&pinned);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(native_work_and_ours_share_a_buffer),
    cmocka_unit_test(the_queue_of_a_device_is_given_out),
    cmocka_unit_test(a_device_over_the_programs_context_works_alike),
    cmocka_unit_test(what_does_not_fit_is_refused),
};

rig_main_with(tests, open_by_selector, close_it)
