/*
 * What a capture asks of other threads: while a stream is captured, calls that reach past streams are refused to every
 * thread that is not relaxed, and spoil the capture. The stream itself refuses work in stream.c.
 */
#include "fake.h"
#include "fake_cuda.h"

static atomic_int capturing; /* streams */
static atomic_uint spoilt;
static _Thread_local hri_cu_capture_mode mode; /* CU_STREAM_CAPTURE_MODE_GLOBAL to begin with */

void fake_capturing(int by)
{
    atomic_fetch_add(&capturing, by);
}

static bool reaches_past_streams(enum fake_call call)
{
    switch (call) {
    case FAKE_MemAlloc:
    case FAKE_MemFree:
    case FAKE_MemHostAlloc:
    case FAKE_MemFreeHost:
    case FAKE_MemHostRegister:
    case FAKE_MemHostUnregister:
    case FAKE_EventQuery:
    case FAKE_EventSynchronize:
    case FAKE_StreamQuery:
    case FAKE_ModuleLoadDataEx:
    case FAKE_ModuleUnload:
        return true;
    default:
        return false;
    }
}

hri_cu_result fake_capture_check(enum fake_call call)
{
    if (atomic_load(&capturing) == 0 || mode == HRI_CU_CAPTURE_RELAXED || !reaches_past_streams(call))
        return 0;
    atomic_fetch_add(&spoilt, 1);
    return HRI_CU_CAPTURE_UNSUPPORTED;
}

FAKE_API unsigned fake_cuda_spoilt(void)
{
    return atomic_load(&spoilt);
}

FAKE_API hri_cu_capture_mode fake_cuda_capture_mode(void)
{
    return mode;
}

hri_cu_result cuThreadExchangeStreamCaptureMode(hri_cu_capture_mode *exchanged)
{
    hri_cu_result code = fake_begin(FAKE_ThreadExchangeStreamCaptureMode);
    hri_cu_capture_mode before = mode;

    if (code)
        return code;
    if (*exchanged < 0 || *exchanged > HRI_CU_CAPTURE_RELAXED)
        return HRI_CU_INVALID_VALUE;
    mode = *exchanged;
    *exchanged = before;
    return 0;
}
