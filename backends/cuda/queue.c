/* In-order queues: streams of ours that nothing blocks, or the program's own, which it keeps alive. */
#include "cuda/internal.h"

#include <stdlib.h>

/* Values that cuda.h gives to streams which are none (CU_STREAM_PER_THREAD): a different one for each thread. */
#define PER_THREAD ((uintptr_t)2)

hr_status hri_cu_queue_check(const struct hri_cu_queue *queue)
{
    const struct hri_cu_device *device = hri_cu_device(queue->head.device);
    int status = HRI_CU_CAPTURE_NONE;
    hri_cu_result code;

    if (!atomic_load_explicit(&queue->shared, memory_order_relaxed))
        return HR_OK;
    code = device->cu->StreamIsCapturing(queue->stream, &status);
    if (code != HRI_CU_SUCCESS)
        return hri_cu_fail(device, HRI_CU_CALL, code, "the program's CUstream cannot be used");
    if (status == HRI_CU_CAPTURE_NONE)
        return HR_OK;
    return device->head.services->fail(HR_UNSUPPORTED, 0,
                                       "the program's CUstream is capturing into a graph: work submitted here is run, "
                                       "not recorded; end the capture first, or use another stream");
}

/* Refuses the program's streams that cannot be used. Inside the context. */
static hr_status check_native(const struct hri_cu_device *device, const struct hri_cu_queue *queue)
{
    const struct hrb_services *services = device->head.services;
    hri_cu_context context = NULL;
    hri_cu_result code;
    hr_status st;

    if ((uintptr_t)queue->stream == PER_THREAD)
        return services->fail(
            HR_UNSUPPORTED, 0,
            "CU_STREAM_PER_THREAD is another stream for each thread: give a stream of cuStreamCreate");
    st = hri_cu_queue_check(queue); /* first: a capturing stream answers little else */
    if (st != HR_OK)
        return st;
    code = device->cu->StreamGetCtx(queue->stream, &context);
    if (code != HRI_CU_SUCCESS)
        return services->fail(HR_INVALID, code, "the CUstream does not tell its context: give a live stream");
    if (context != device->context)
        return services->fail(HR_INVALID, 0,
                              "the CUstream belongs to CUcontext %p and the device to %p: open the device over the "
                              "stream's context",
                              (void *)context, (void *)device->context);
    return HR_OK;
}

hr_status hri_cu_queue_create(struct hrb_device *device, uint32_t role, uint32_t flags, void *native,
                              struct hrb_queue **queue)
{
    struct hri_cu_device *owner = hri_cu_device(device);
    struct hri_cu_queue *made = calloc(1, sizeof *made);
    hri_cu_result code = HRI_CU_SUCCESS;
    hr_status st;

    if (!made)
        return device->services->fail(HR_NO_MEMORY, 0, "no memory for a queue");
    made->head = (struct hrb_queue){.device = device, .role = role, .flags = flags};
    made->stream = native;
    made->borrowed = native != NULL;
    atomic_init(&made->shared, native != NULL);
    st = hri_cu_enter(owner);
    if (st == HR_OK) {
        if (native)
            st = check_native(owner, made);
        else
            code = owner->cu->StreamCreate(&made->stream, HRI_CU_STREAM_NON_BLOCKING);
        hri_cu_leave(owner);
    }
    if (code != HRI_CU_SUCCESS)
        st = hri_cu_fail(owner, HRI_CU_CALL, code, "no stream on \"%s\"", owner->info.name);
    if (st != HR_OK) {
        free(made);
        return st;
    }
    *queue = &made->head;
    return HR_OK;
}

void hri_cu_queue_destroy(struct hrb_queue *queue)
{
    const struct hri_cu_device *device = hri_cu_device(queue->device);

    if (!hri_cu_queue(queue)->borrowed && hri_cu_enter_quietly(device)) {
        device->cu->StreamDestroy(hri_cu_queue(queue)->stream); /* work in flight goes on */
        hri_cu_leave(device);
    }
    free(queue);
}

hr_status hri_cu_queue_finish(struct hrb_queue *queue)
{
    struct hrb_event *event;
    hr_status st = hri_cu_event_record(queue, 0, &event);

    if (st == HR_OK) {
        st = hri_cu_event_wait(event, HR_FOREVER);
        hri_cu_event_destroy(event);
    } else if (st != HR_UNSUPPORTED) { /* a stream that captures is not to be asked */
        hri_cu_stream_wait(hri_cu_queue(queue));
    }
    return st;
}

hr_status hri_cu_queue_wait(struct hrb_queue *queue, struct hrb_event *event)
{
    const struct hrb_sync sync = {.n_waits = 1, .waits = &event};
    struct hri_cu_submission sub;
    hr_status st = hri_cu_submit_begin(queue, &sync, &sub);

    if (st != HR_OK)
        return st;
    return hri_cu_submit_end(&sub, HRI_CU_SUCCESS, "a queue cannot wait for an event");
}

hr_status hri_cu_queue_native(struct hrb_queue *queue, void **native)
{
    atomic_store(&hri_cu_queue(queue)->shared, true);
    *native = hri_cu_queue(queue)->stream;
    return HR_OK;
}
