/*
 * A shim between the backend and the driver (the linker's --wrap): it counts flushes and waits, makes events fail, and
 * lets PoCL pass for a GPU, for an old driver, for one without shared memory. So paths are tested that PoCL never
 * takes.
 */
#define CL_TARGET_OPENCL_VERSION 200
#include "rig.h"

#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static struct {
    cl_int event_status; /* negative: what every event says */
    cl_device_type type; /* of the last device, 0: its own */
    const char *version;
    const char *platform;
    bool no_svm;
    unsigned flushes, finishes, waits, markers, barriers;
    cl_uint fill_waits;     /* of the last fill's list */
    cl_int submission_code; /* not 0: what barriers and markers answer */
} shim;

cl_int __real_clGetEventInfo(cl_event event, cl_event_info what, size_t room, void *value, size_t *bytes);
cl_int __wrap_clGetEventInfo(cl_event event, cl_event_info what, size_t room, void *value, size_t *bytes);
cl_int __real_clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t room, void *value, size_t *bytes);
cl_int __wrap_clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t room, void *value, size_t *bytes);
cl_int __real_clGetPlatformInfo(cl_platform_id id, cl_platform_info what, size_t room, void *value, size_t *bytes);
cl_int __wrap_clGetPlatformInfo(cl_platform_id id, cl_platform_info what, size_t room, void *value, size_t *bytes);
cl_int __real_clFlush(cl_command_queue queue);
cl_int __wrap_clFlush(cl_command_queue queue);
cl_int __real_clFinish(cl_command_queue queue);
cl_int __wrap_clFinish(cl_command_queue queue);
cl_int __real_clWaitForEvents(cl_uint n, const cl_event *events);
cl_int __wrap_clWaitForEvents(cl_uint n, const cl_event *events);

cl_int __wrap_clGetEventInfo(cl_event event, cl_event_info what, size_t room, void *value, size_t *bytes)
{
    cl_int code = __real_clGetEventInfo(event, what, room, value, bytes);

    if (shim.event_status != 0 && what == CL_EVENT_COMMAND_EXECUTION_STATUS)
        memcpy(value, &shim.event_status, sizeof shim.event_status);
    return code;
}

static bool is_last(cl_device_id device)
{
    cl_platform_id platform;
    cl_device_id ids[16];
    cl_uint n = 0;

    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 16, ids, &n);
    return n > 0 && device == ids[n - 1];
}

static cl_int answer(const char *text, size_t room, void *value)
{
    if (room <= strlen(text))
        return CL_INVALID_VALUE;
    memcpy(value, text, strlen(text) + 1);
    return CL_SUCCESS;
}

cl_int __wrap_clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t room, void *value, size_t *bytes)
{
    cl_int code;

    if (shim.version && what == CL_DEVICE_VERSION)
        return answer(shim.version, room, value);
    if (shim.no_svm && what == CL_DEVICE_SVM_CAPABILITIES)
        return CL_INVALID_VALUE; /* as drivers before 2.0 do */
    code = __real_clGetDeviceInfo(device, what, room, value, bytes);
    if (shim.type && what == CL_DEVICE_TYPE && is_last(device))
        memcpy(value, &shim.type, sizeof shim.type);
    return code;
}

cl_int __wrap_clGetPlatformInfo(cl_platform_id id, cl_platform_info what, size_t room, void *value, size_t *bytes)
{
    return shim.platform && what == CL_PLATFORM_NAME ? answer(shim.platform, room, value)
                                                     : __real_clGetPlatformInfo(id, what, room, value, bytes);
}

cl_int __wrap_clFlush(cl_command_queue queue)
{
    shim.flushes++;
    return __real_clFlush(queue);
}

cl_int __wrap_clFinish(cl_command_queue queue)
{
    shim.finishes++;
    return __real_clFinish(queue);
}

cl_int __wrap_clWaitForEvents(cl_uint n, const cl_event *events)
{
    shim.waits++;
    return __real_clWaitForEvents(n, events);
}

cl_int __real_clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint n, const cl_event *waits, cl_event *event);
cl_int __wrap_clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint n, const cl_event *waits, cl_event *event);

cl_int __wrap_clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint n, const cl_event *waits, cl_event *event)
{
    shim.markers++;
    if (shim.submission_code != CL_SUCCESS)
        return shim.submission_code;
    return __real_clEnqueueMarkerWithWaitList(queue, n, waits, event);
}

cl_int __real_clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint n, const cl_event *waits, cl_event *event);
cl_int __wrap_clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint n, const cl_event *waits, cl_event *event);

cl_int __wrap_clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint n, const cl_event *waits, cl_event *event)
{
    shim.barriers++;
    if (shim.submission_code != CL_SUCCESS)
        return shim.submission_code;
    return __real_clEnqueueBarrierWithWaitList(queue, n, waits, event);
}

cl_int __real_clEnqueueFillBuffer(cl_command_queue queue, cl_mem mem, const void *pattern, size_t pattern_bytes,
                                  size_t offset, size_t bytes, cl_uint n, const cl_event *waits, cl_event *event);
cl_int __wrap_clEnqueueFillBuffer(cl_command_queue queue, cl_mem mem, const void *pattern, size_t pattern_bytes,
                                  size_t offset, size_t bytes, cl_uint n, const cl_event *waits, cl_event *event);

cl_int __wrap_clEnqueueFillBuffer(cl_command_queue queue, cl_mem mem, const void *pattern, size_t pattern_bytes,
                                  size_t offset, size_t bytes, cl_uint n, const cl_event *waits, cl_event *event)
{
    shim.fill_waits = n;
    return __real_clEnqueueFillBuffer(queue, mem, pattern, pattern_bytes, offset, bytes, n, waits, event);
}

static int set_up(void **state)
{
    memset(&shim, 0, sizeof shim);
    return rig_open(state);
}

static void failed_work_is_a_failure_every_time(void **state)
{
    static const struct {
        cl_int code;
        hr_status status;
        const char *name;
    } cases[] = {
        {CL_OUT_OF_RESOURCES, HR_DEVICE_LOST, "CL_OUT_OF_RESOURCES"},
        {-9999, HR_DEVICE_LOST, "illegal memory access"},
        {CL_MEM_OBJECT_ALLOCATION_FAILURE, HR_NO_DEVICE_MEMORY, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
        {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, HR_DRIVER, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
        {-12345, HR_DRIVER, "a code of the driver's own"},
    };
    struct hrb_buffer *buffer = rig_buffer(HR_MEMORY_DEVICE, 64);
    struct hrb_event *event = NULL;
    uint32_t done = 7;

    (void)state;
    assert_int_equal(rig.ops->fill(rig.queue, buffer, 0, 64, "a", 1, &rig_no_sync), HR_OK);
    assert_int_equal(rig.ops->event_record(rig.queue, 0, &event), HR_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        shim.event_status = cases[i].code;
        rig_expect_failure(rig.ops->event_wait(event, HR_FOREVER), cases[i].status, cases[i].name);
        rig_expect_failure(rig.ops->event_wait(event, 1000000), cases[i].status, cases[i].name);
        rig_expect_failure(rig.ops->event_query(event, &done), cases[i].status, cases[i].name);
        rig_expect_failure(rig.ops->queue_finish(rig.queue), cases[i].status, cases[i].name);
    }
    assert_int_equal(done, 7);
    shim.event_status = 0;
    rig.ops->event_destroy(event);
    rig.ops->buffer_destroy(buffer);
}

/* On an in-order queue the last command's event stands for all before it: recording submits nothing, a queue that had
 * none is done, and an event that is done keeps no other queue waiting. The program's own queue needs a marker. */
static void recorded_events_submit_nothing(void **state)
{
    struct hrb_buffer *buffer = rig_buffer(HR_MEMORY_DEVICE, 64);
    struct hrb_event *event = NULL, *none = NULL;
    struct hrb_queue *other = NULL;
    uint32_t done = 0;
    void *native;

    (void)state;
    assert_int_equal(rig.ops->queue_create(rig.device, HR_QUEUE_COMPUTE, 0, NULL, &other), HR_OK);
    assert_int_equal(rig.ops->event_record(other, 0, &none), HR_OK);
    assert_int_equal(rig.ops->event_query(none, &done), HR_OK);
    assert_int_equal(done, 1);
    assert_int_equal(rig.ops->event_wait(none, HR_FOREVER), HR_OK);
    assert_int_equal(rig.ops->queue_wait(rig.queue, none), HR_OK);
    assert_int_equal(rig.ops->fill(rig.queue, buffer, 0, 64, "a", 1, &rig_no_sync), HR_OK);
    assert_int_equal(rig.ops->event_record(rig.queue, 0, &event), HR_OK);
    assert_int_equal(rig.ops->event_wait(event, HR_FOREVER), HR_OK);
    assert_int_equal(rig.ops->queue_wait(other, event), HR_OK);
    assert_int_equal(shim.markers, 0);
    assert_int_equal(shim.barriers, 0);
    rig.ops->event_destroy(event);
    assert_int_equal(rig.ops->queue_native(rig.queue, &native), HR_OK);
    assert_int_equal(rig.ops->event_record(rig.queue, 0, &event), HR_OK);
    assert_int_equal(shim.markers, 1);
    assert_int_equal(rig.ops->event_wait(event, HR_FOREVER), HR_OK);
    rig.ops->event_destroy(event);
    rig.ops->event_destroy(none);
    rig.ops->queue_destroy(other);
    rig.ops->buffer_destroy(buffer);
}

/* What a queue waits for is no command of its own while one follows; it is one where an event is to stand for it, where
 * the list is full, and where the program's own commands may come next. */
static void waits_go_with_the_next_command(void **state)
{
    struct hrb_buffer *buffer = rig_buffer(HR_MEMORY_DEVICE, 64);
    struct hrb_event *event = NULL, *behind = NULL;
    struct hrb_queue *other = NULL;
    void *native;

    (void)state;
    assert_int_equal(rig.ops->queue_create(rig.device, HR_QUEUE_COMPUTE, 0, NULL, &other), HR_OK);
    assert_int_equal(rig.ops->fill(rig.queue, buffer, 0, 64, "a", 1, &rig_no_sync), HR_OK);
    assert_int_equal(rig.ops->event_record(rig.queue, 0, &event), HR_OK);
    shim.event_status = CL_SUBMITTED;
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(rig.ops->queue_wait(other, event), HR_OK);
    assert_int_equal(rig.ops->fill(other, buffer, 0, 64, "b", 1, &(struct hrb_sync){.n_waits = 1, .waits = &event}),
                     HR_OK);
    assert_int_equal(shim.fill_waits, 4);
    assert_int_equal(rig.ops->fill(other, buffer, 0, 64, "c", 1, &rig_no_sync), HR_OK);
    assert_int_equal(shim.fill_waits, 0);
    assert_int_equal(shim.barriers, 0);
    assert_int_equal(rig.ops->queue_wait(other, event), HR_OK);
    assert_int_equal(rig.ops->event_record(other, 0, &behind), HR_OK);
    assert_int_equal(shim.barriers, 1);
    for (unsigned i = 0; i < 9; i++)
        assert_int_equal(rig.ops->queue_wait(other, event), HR_OK);
    assert_int_equal(shim.barriers, 2);
    assert_int_equal(rig.ops->queue_native(other, &native), HR_OK);
    assert_int_equal(shim.barriers, 3);
    assert_int_equal(rig.ops->queue_wait(other, event), HR_OK);
    assert_int_equal(shim.barriers, 4);
    assert_int_equal(rig.ops->queue_wait(rig.queue, behind), HR_OK); /* and one that nothing follows */
    shim.event_status = 0;
    rig.ops->event_destroy(behind);
    rig.ops->event_destroy(event);
    rig.ops->queue_destroy(other);
    rig.ops->buffer_destroy(buffer);
}

/* A failure of the finish is taken for the end of the work, so it comes after that; the queue still owes its waits. */
static void a_finish_that_fails_has_waited_all_the_same(void **state)
{
    struct hrb_buffer *buffer = rig_buffer(HR_MEMORY_DEVICE, 64);
    struct hrb_queue *other = NULL;
    struct hrb_event *event = NULL;
    void *native;

    (void)state;
    assert_int_equal(rig.ops->queue_create(rig.device, HR_QUEUE_COMPUTE, 0, NULL, &other), HR_OK);
    assert_int_equal(rig.ops->fill(rig.queue, buffer, 0, 64, "a", 1, &rig_no_sync), HR_OK);
    assert_int_equal(rig.ops->event_record(rig.queue, 0, &event), HR_OK);
    shim.event_status = CL_SUBMITTED;
    assert_int_equal(rig.ops->queue_wait(other, event), HR_OK);
    shim.event_status = 0;
    shim.submission_code = CL_OUT_OF_HOST_MEMORY;
    for (unsigned i = 1; i <= 2; i++) {
        rig_expect_failure(rig.ops->queue_finish(other), HR_NO_MEMORY, "CL_OUT_OF_HOST_MEMORY");
        assert_int_equal(shim.finishes, i);
    }
    shim.submission_code = 0;
    assert_int_equal(rig.ops->fill(other, buffer, 0, 64, "b", 1, &rig_no_sync), HR_OK);
    assert_int_equal(shim.fill_waits, 1);
    assert_int_equal(rig.ops->queue_native(rig.queue, &native), HR_OK); /* its finish needs a marker */
    shim.submission_code = CL_OUT_OF_RESOURCES;
    rig_expect_failure(rig.ops->queue_finish(rig.queue), HR_DRIVER, "CL_OUT_OF_RESOURCES");
    assert_int_equal(shim.finishes, 3);
    shim.submission_code = 0;
    rig.ops->event_destroy(event);
    rig.ops->queue_destroy(other);
    rig.ops->buffer_destroy(buffer);
}

/* Pitfalls: an event whose producer nobody flushed; a status taken for a synchronisation point; a queue-wide wait. */
static void submissions_are_flushed_and_polls_followed_by_a_wait(void **state)
{
    struct hrb_buffer *buffer = rig_buffer(HR_MEMORY_DEVICE, 64);
    struct hrb_event *event = NULL;
    struct hrb_sync sync = {.event = &event};
    unsigned char data[64];
    struct hrb_place device = rig_device_place(buffer, 0);
    struct hrb_place host = rig_host_place(NULL, data, 0);
    uint32_t done = 0;

    (void)state;
    shim.flushes = shim.finishes = shim.waits = 0;
    assert_int_equal(rig.ops->fill(rig.queue, buffer, 0, 64, "a", 1, &rig_no_sync), HR_OK);
    assert_int_equal(shim.flushes, 1);
    assert_int_equal(rig.ops->copy(rig.queue, &host, &device, 64, &sync), HR_OK);
    assert_int_equal(shim.flushes, 2);
    while (!done)
        assert_int_equal(rig.ops->event_query(event, &done), HR_OK);
    assert_int_equal(shim.waits, 1);
    assert_int_equal(data[63], 'a');
    assert_int_equal(rig.ops->event_wait(event, HR_FOREVER), HR_OK);
    assert_int_equal(shim.waits, 2);
    assert_int_equal(rig.ops->queue_finish(rig.queue), HR_OK);
    assert_int_equal(shim.finishes, 0);
    rig.ops->event_destroy(event);
    rig.ops->buffer_destroy(buffer);
}

static void a_gpu_is_listed_first_and_waited_for_by_polls(void **state)
{
    hr_device_info info = {.size = sizeof info};
    static struct hrb_instance *instance; /* for the life of the process */
    struct hrb_device *device = NULL;
    struct hrb_buffer *buffer = NULL;
    struct hrb_queue *queue = NULL;
    uint32_t n;

    (void)state;
    shim.type = CL_DEVICE_TYPE_GPU;
    assert_int_equal(rig.ops->probe(rig.backend, &rig_services, &instance), HR_OK);
    n = rig.ops->device_count(instance);
    assert_int_equal(n, 2); /* POCL_DEVICES names two for this test */
    assert_int_equal(rig.ops->device_describe(instance, 0, &info), HR_OK);
    assert_int_equal(info.kind, HR_DEVICE_GPU);
    assert_non_null(strstr(info.selector, ":0:1")); /* its number is still its platform's */
    assert_true(info.abilities & HR_ABILITY_COPY_OVERLAP);
    assert_int_equal(rig.ops->device_describe(instance, 1, &info), HR_OK);
    assert_non_null(strstr(info.selector, ":0:0"));

    assert_int_equal(rig.ops->device_open(instance, 0, NULL, &device), HR_OK);
    assert_int_equal(rig.ops->queue_create(device, HR_QUEUE_COMPUTE, 0, NULL, &queue), HR_OK);
    assert_int_equal(rig.ops->buffer_create(device, HR_MEMORY_DEVICE, 64, &buffer), HR_OK);
    assert_int_equal(rig.ops->fill(queue, buffer, 0, 64, "a", 1, &rig_no_sync), HR_OK);
    assert_int_equal(rig.ops->queue_finish(queue), HR_OK);
    shim.event_status = CL_OUT_OF_RESOURCES;
    shim.waits = 0;
    rig_expect_failure(rig.ops->queue_finish(queue), HR_DEVICE_LOST, "CL_OUT_OF_RESOURCES");
    assert_int_equal(shim.waits, 0); /* it was polled: the driver's wait would spin */
    shim.event_status = 0;
    rig.ops->buffer_destroy(buffer);
    rig.ops->queue_destroy(queue);
    rig.ops->device_close(device);
}

static void an_old_driver_is_listed_with_the_reason(void **state)
{
    hr_device_info info = {.size = sizeof info};
    struct hrb_device *device = NULL;

    (void)state;
    shim.version = "OpenCL 1.1 Ancient";
    assert_int_equal(rig.ops->device_describe(rig.instance, 0, &info), HR_OK);
    assert_int_equal(info.usable, 0);
    assert_non_null(strstr(info.reason, "OpenCL 1.1 Ancient"));
    rig_expect_failure(rig.ops->device_open(rig.instance, 0, NULL, &device), HR_UNAVAILABLE, "OpenCL 1.2 or later");
    assert_null(device);
}

static void memory_is_mapped_where_it_is_not_shared(void **state)
{
    struct hrb_device *device = NULL;
    struct hrb_buffer *buffer = NULL;
    void *ptr = NULL;

    (void)state;
    shim.no_svm = true;
    assert_int_equal(rig.ops->device_open(rig.instance, 0, NULL, &device), HR_OK);
    assert_int_equal(rig.ops->buffer_create(device, HR_MEMORY_DEVICE, 64, &buffer), HR_OK);
    assert_null(buffer->host);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rig.ops->buffer_acquire(buffer, NULL, HR_ACCESS_WRITE | HR_ACCESS_READ, &ptr), HR_OK);
        assert_int_equal(i == 0 ? 5 : *(char *)ptr, 5);
        memset(ptr, 5, 64);
        assert_int_equal(rig.ops->buffer_release(buffer, NULL, ptr), HR_OK);
    }
    rig.ops->buffer_destroy(buffer);
    rig.ops->device_close(device);
}

static void another_platform_is_not_pocl(void **state)
{
    static struct hrb_instance *instance; /* for the life of the process */

    (void)state;
    shim.platform = "Another Platform";
    if (strcmp(rig.backend->name, "pocl") == 0)
        rig_expect_failure(rig.ops->probe(rig.backend, &rig_services, &instance), HR_UNAVAILABLE,
                           "none of the 1 OpenCL platforms here is \"Portable Computing Language\"");
    else
        assert_int_equal(rig.ops->probe(rig.backend, &rig_services, &instance), HR_OK);
}

#define SHIM_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, rig_close)

static const struct CMUnitTest tests[] = {
    SHIM_TEST(failed_work_is_a_failure_every_time),
    SHIM_TEST(recorded_events_submit_nothing),
    SHIM_TEST(waits_go_with_the_next_command),
    SHIM_TEST(a_finish_that_fails_has_waited_all_the_same),
    SHIM_TEST(submissions_are_flushed_and_polls_followed_by_a_wait),
    SHIM_TEST(a_gpu_is_listed_first_and_waited_for_by_polls),
    SHIM_TEST(an_old_driver_is_listed_with_the_reason),
    SHIM_TEST(memory_is_mapped_where_it_is_not_shared),
    SHIM_TEST(another_platform_is_not_pocl),
};

/* The shim answers for PoCL, so nothing else may be there. */
static bool pocl_is_alone(void)
{
    cl_platform_id platform;
    char name[64] = "";
    cl_uint n = 0;

    return clGetPlatformIDs(1, &platform, &n) == CL_SUCCESS && n == 1 &&
           clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL) == CL_SUCCESS &&
           strcmp(name, "Portable Computing Language") == 0;
}

int main(int argc, char **argv)
{
    rig.backend = argc == 2 ? rig_backend(argv[1]) : NULL;
    if (!rig.backend)
        return 2;
    if (!pocl_is_alone()) {
        fprintf(stderr, "skipped: PoCL is not the only OpenCL platform\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
