/* What tests ask of the simulated driver beside its functions: streams that wait, foreign contexts. */
#include "fake.h"
#include "fake_cuda.h"

#include <stdlib.h>

FAKE_API void fake_cuda_hold(hri_cu_stream stream, int held)
{
    fake_lock(&stream->lock);
    stream->held = held != 0;
    fake_wake(&stream->changed);
    fake_unlock(&stream->lock);
}

FAKE_API void fake_cuda_capture(hri_cu_stream stream, int capturing)
{
    fake_lock(&stream->lock);
    fake_capturing((capturing != 0) - stream->capturing);
    stream->capturing = capturing != 0;
    fake_unlock(&stream->lock);
}

FAKE_API hri_cu_context fake_cuda_context_create(hri_cu_dev device)
{
    return fake_context_new(device);
}

FAKE_API void fake_cuda_context_destroy(hri_cu_context context)
{
    fake_alive(FAKE_CONTEXT, -1);
    fake_context_end(context);
    free(context);
}

FAKE_API hri_cu_context fake_cuda_current(void)
{
    return fake_context_current();
}

FAKE_API int fake_cuda_depth(void)
{
    return fake_context_depth();
}
