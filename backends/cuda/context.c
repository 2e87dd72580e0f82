/*
 * The device's context around driver calls: pushed before and popped after, so that the one which the calling thread
 * has made current is the same after every call of the library, on every way out.
 *
 * The thread's capture mode, too: while another thread of the program captures a stream into a graph, calls that do not
 * go into a stream (a look at an event, memory) are refused, and spoil the capture, unless their thread is relaxed.
 * What the library does is no part of the program's graph, so it is.
 */
#include "cuda/internal.h"

/* Calls lie within calls; the outermost knows what the thread had. */
static _Thread_local struct {
    unsigned depth;
    bool changed;
    hri_cu_capture_mode before;
} relaxed;

static void relax(const struct hri_cu *cu)
{
    if (relaxed.depth++ > 0)
        return;
    relaxed.before = HRI_CU_CAPTURE_RELAXED;
    relaxed.changed = cu->ThreadExchangeStreamCaptureMode(&relaxed.before) == HRI_CU_SUCCESS;
}

static void unrelax(const struct hri_cu *cu)
{
    if (--relaxed.depth == 0 && relaxed.changed)
        cu->ThreadExchangeStreamCaptureMode(&relaxed.before);
}

hr_status hri_cu_enter_stream(const struct hri_cu_device *device)
{
    hri_cu_result code = device->cu->CtxPushCurrent(device->context);

    if (code != HRI_CU_SUCCESS)
        return hri_cu_fail(device, HRI_CU_CALL, code, "the context of %s cannot be used", device->info.selector);
    return HR_OK;
}

void hri_cu_leave_stream(const struct hri_cu_device *device)
{
    hri_cu_context popped;

    device->cu->CtxPopCurrent(&popped);
}

hr_status hri_cu_enter(const struct hri_cu_device *device)
{
    hr_status st = hri_cu_enter_stream(device);

    if (st == HR_OK)
        relax(device->cu);
    return st;
}

bool hri_cu_enter_quietly(const struct hri_cu_device *device)
{
    if (device->cu->CtxPushCurrent(device->context) != HRI_CU_SUCCESS)
        return false;
    relax(device->cu);
    return true;
}

void hri_cu_leave(const struct hri_cu_device *device)
{
    unrelax(device->cu);
    hri_cu_leave_stream(device);
}
