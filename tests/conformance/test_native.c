/* Native OpenCL handles: the program's own context and queue in. */
#define CL_TARGET_OPENCL_VERSION 120
#include "native.h"

#include <CL/cl.h>
#include <headrace/opencl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BYTES = 16384 };

static cl_device_id id;
static cl_context context;
static cl_command_queue native;

#define NEEDS_OPENCL()                                                                                                 \
    do {                                                                                                               \
        if (!native_is_opencl())                                                                                       \
            NOT_APPLICABLE("this is no OpenCL device");                                                                \
    } while (0)

static cl_uint references(void)
{
    cl_uint count = 0;

    assert_int_equal(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL), CL_SUCCESS);
    return count;
}

/* A driver's threads may let go of finished commands a little later; five seconds are for ever. */
static bool references_return_to(cl_uint before)
{
    for (int i = 0; i < 5000 && references() != before; i++)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return references() == before;
}

/* What a program has that uses OpenCL already: a context of its own and a queue, on the device under test. */
static int make_own(void **state)
{
    cl_context theirs = NULL;
    cl_int error = CL_SUCCESS;

    (void)state;
    if (!native_is_opencl())
        return 0;
    if (hr_device_opencl(device, &theirs) != HR_OK ||
        clGetContextInfo(theirs, CL_CONTEXT_DEVICES, sizeof id, &id, NULL) != CL_SUCCESS)
        return -1;
    context = clCreateContext(NULL, 1, &id, NULL, NULL, &error);
    if (error == CL_SUCCESS)
        native = clCreateCommandQueue(context, id, 0, &error);
    return error == CL_SUCCESS ? 0 : -1;
}

static int drop_own(void **state)
{
    (void)state;
    if (native)
        clReleaseCommandQueue(native);
    if (context)
        clReleaseContext(context);
    native = NULL;
    context = NULL;
    return 0;
}

static void own_context_and_queue(void **state)
{
    hr_device *own = NULL;
    hr_queue *queue = NULL;
    hr_buffer *buffer;
    uint8_t *data;
    cl_context seen = NULL;
    cl_command_queue seen_queue = NULL;
    hr_device_info own_info = {.size = sizeof own_info};
    cl_uint before;

    (void)state;
    NEEDS_OPENCL();
    before = references();
    OK(hr_device_from_opencl(context, id, NULL, &own));
    OK(hr_queue_from_opencl(own, native, &queue));
    OK(hr_device_opencl(own, &seen));
    assert_ptr_equal(seen, context);
    OK(hr_queue_opencl(queue, &seen_queue));
    assert_ptr_equal(seen_queue, native);
    OK(hr_device_get_info(own, &own_info));
    assert_string_equal(own_info.name, info.name);
    data = new_random(BYTES, 1);
    buffer = new_buffer(own, BYTES, queue);
    OK(hr_write(queue, buffer, 0, data, BYTES, NULL));
    expect_bytes(queue, buffer, 0, data, BYTES);
    hr_buffer_close(&buffer);
    hr_queue_close(&queue);
    hr_device_close(&own);
    assert_true(references_return_to(before)); /* all was given back */
    free(data);
}

/* The library keeps what it was given: the program lets go of its own handles first. */
static void handles_are_retained(void **state)
{
    hr_device *own = NULL;
    hr_queue *queue = NULL;
    hr_buffer *buffer;
    uint8_t *data;

    (void)state;
    NEEDS_OPENCL();
    OK(hr_device_from_opencl(context, id, NULL, &own));
    OK(hr_queue_from_opencl(own, native, &queue));
    (void)drop_own(state);
    data = new_random(BYTES, 2);
    buffer = new_buffer(own, BYTES, queue);
    OK(hr_write(queue, buffer, 0, data, BYTES, NULL));
    expect_bytes(queue, buffer, 0, data, BYTES);
    hr_buffer_close(&buffer);
    hr_queue_close(&queue);
    hr_device_close(&own);
    free(data);
}

static void wrong_handles(void **state)
{
    hr_device *own = NULL;
    hr_queue *queue = NULL;
    hr_buffer *pinned;
    uint8_t *ptr;
    cl_command_queue out_of_order;
    cl_mem memory = NULL;
    uint64_t offset;
    cl_int error;

    (void)state;
    NEEDS_OPENCL();
    FAILS(HR_INVALID, hr_device_from_opencl(NULL, id, NULL, &own));
    FAILS(HR_INVALID, hr_device_from_opencl(context, NULL, NULL, &own));
    FAILS(HR_INVALID, hr_device_from_opencl(context, id, NULL, NULL));
    assert_null(own);
    FAILS(HR_INVALID, hr_queue_from_opencl(device, native, &queue)); /* another context's */
    OK(hr_device_from_opencl(context, id, NULL, &own));
    FAILS(HR_INVALID, hr_queue_from_opencl(own, NULL, &queue));
    FAILS(HR_INVALID, hr_queue_from_opencl(NULL, native, &queue));
    FAILS(HR_INVALID, hr_queue_from_opencl(own, native, NULL));
    out_of_order = clCreateCommandQueue(context, id, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    if (error == CL_SUCCESS) {
        FAILS(HR_UNSUPPORTED, hr_queue_from_opencl(own, out_of_order, &queue));
        SAYS("order");
        clReleaseCommandQueue(out_of_order);
    }
    pinned = new_pinned(own, 100, &ptr);
    FAILS(HR_INVALID, hr_buffer_opencl(pinned, &memory, &offset));
    FAILS(HR_INVALID, hr_buffer_opencl(NULL, &memory, &offset));
    hr_buffer_close(&pinned);
    hr_device_close(&own);
}

/* Still reachable at the child's end, so that a leak checker is silent. */
static hr_buffer *left;
static cl_event never;

/* Ends with work behind an event that nobody will set any more. */
static int child(const char *task)
{
    cl_context theirs;
    cl_command_queue queue;
    cl_int error;
    hr_queue *given;

    (void)task;
    if (hr_device_open(selector, NULL, &device) != HR_OK || hr_device_get_queue(device, 0, &given) != HR_OK ||
        hr_buffer_create(device, HR_MEMORY_DEVICE, BYTES, given, &left) != HR_OK ||
        hr_device_opencl(device, &theirs) != HR_OK || hr_queue_opencl(given, &queue) != HR_OK)
        return 2;
    never = clCreateUserEvent(theirs, &error);
    if (error != CL_SUCCESS || clEnqueueBarrierWithWaitList(queue, 1, &never, NULL) != CL_SUCCESS ||
        hr_fill(given, left, 0, BYTES, "abcd", 4, NULL) != HR_OK)
        return 3;
    return 42;
}

/* An early exit(1) of a program must end it, whatever it has left undone. */
static void exit_waits_for_no_user_event(void **state)
{
    char output[512];

    (void)state;
    NEEDS_OPENCL();
    assert_int_equal(run_self("exit", NULL, output, sizeof output), 42);
}

#define with_own(f) cmocka_unit_test_setup_teardown(f, make_own, drop_own)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        with_own(own_context_and_queue),
        with_own(handles_are_retained),
        with_own(wrong_handles),
        cmocka_unit_test(exit_waits_for_no_user_event),
    };

    return conformance_main(argc, argv, tests, child);
}
