/* Start and end of the driver, contexts, and each thread's stack of them. */
#include "fake.h"
#include "fake_cuda.h"

#include <stdlib.h>
#include <unistd.h>

enum { CONTEXT_ALIVE = 0xc0ffee };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int started; /* the process that called cuInit(); another one is its child and may not go on */
static atomic_bool down;
static struct CUctx_st primary[FAKE_MAX_DEVICES];

static _Thread_local hri_cu_context stack[FAKE_MAX_DEPTH];
static _Thread_local int depth;

pthread_mutex_t fake_objects_lock = PTHREAD_MUTEX_INITIALIZER;
atomic_bool fake_stopping;

/* -- what every call needs -------------------------------------------------------------------------------------- */

static hri_cu_result driver_ready(void)
{
    if (fake_settings()->stub)
        return HRI_CU_STUB_LIBRARY;
    if (atomic_load(&down))
        return HRI_CU_DEINITIALIZED;
    return atomic_load(&started) == (int)getpid() ? 0 : HRI_CU_NOT_INITIALIZED;
}

hri_cu_result fake_begin(enum fake_call call)
{
    hri_cu_result told = fake_count(call);
    hri_cu_result code = driver_ready();

    return code ? code : told;
}

static hri_cu_result current_of(enum fake_call call, hri_cu_context *context)
{
    hri_cu_result code = fake_begin(call);

    if (code)
        return code;
    if (depth == 0 || stack[depth - 1]->magic != CONTEXT_ALIVE)
        return HRI_CU_INVALID_CONTEXT;
    *context = stack[depth - 1];
    return fake_capture_check(call);
}

hri_cu_result fake_enter(enum fake_call call, hri_cu_context *context)
{
    hri_cu_result code = current_of(call, context);

    return code ? code : atomic_load(&(*context)->sticky);
}

hri_cu_result fake_enter_destroy(enum fake_call call, hri_cu_context *context)
{
    return current_of(call, context);
}

void fake_fault(hri_cu_context context, hri_cu_result code)
{
    int none = 0;

    atomic_compare_exchange_strong(&context->sticky, &none, code);
}

/* -- objects ------------------------------------------------------------------------------------------------------ */

void fake_object_add(struct fake_object *object, enum fake_kind kind, hri_cu_context context)
{
    object->magic = FAKE_ALIVE;
    object->kind = kind;
    object->context = context;
    object->previous = NULL;
    fake_lock(&fake_objects_lock);
    object->next = context->objects;
    if (object->next)
        object->next->previous = object;
    context->objects = object;
    fake_unlock(&fake_objects_lock);
    fake_alive(kind, 1);
}

void fake_object_remove(struct fake_object *object)
{
    fake_lock(&fake_objects_lock);
    if (object->next)
        object->next->previous = object->previous;
    if (object->previous)
        object->previous->next = object->next;
    else
        object->context->objects = object->next;
    object->magic = FAKE_DEAD;
    fake_unlock(&fake_objects_lock);
    fake_alive(object->kind, -1);
}

bool fake_object_is(const struct fake_object *object, enum fake_kind kind)
{
    return object && object->magic == FAKE_ALIVE && object->kind == kind;
}

/* -- contexts ------------------------------------------------------------------------------------------------------ */

static void begin_context(hri_cu_context context, hri_cu_dev device)
{
    context->magic = CONTEXT_ALIVE;
    context->device = device;
    atomic_store(&context->sticky, 0);
    context->objects = NULL;
}

hri_cu_context fake_context_new(hri_cu_dev device)
{
    hri_cu_context context = calloc(1, sizeof *context);

    if (!context)
        fake_die("out of memory");
    begin_context(context, device);
    context->refs = 1;
    fake_alive(FAKE_CONTEXT, 1);
    return context;
}

static void end_objects(hri_cu_context context, enum fake_kind kind, void (*end)(struct fake_object *))
{
    struct fake_object *next;

    for (struct fake_object *object = context->objects; object; object = next) {
        next = object->next;
        if (object->kind == kind)
            end(object);
    }
}

/* What still belongs to it ends with it; streams first, since their work uses the rest. */
void fake_context_end(hri_cu_context context)
{
    fake_streams_stop(context);
    end_objects(context, FAKE_EVENT, fake_event_end);
    end_objects(context, FAKE_MODULE, fake_module_end);
    fake_memory_end(context);
    context->magic = FAKE_DEAD;
}

hri_cu_context fake_context_current(void)
{
    return depth > 0 ? stack[depth - 1] : NULL;
}

int fake_context_depth(void)
{
    return depth;
}

/* Once, when the process ends: later calls are refused, threads are joined. */
bool fake_shut_down(void)
{
    if (atomic_load(&started) != (int)getpid() || atomic_exchange(&down, true))
        return false;
    atomic_store(&fake_stopping, true);
    fake_streams_stop_all();
    return true;
}

/* -- the driver's functions --------------------------------------------------------------------------------------- */

hri_cu_result cuInit(unsigned flags)
{
    hri_cu_result told = fake_count(FAKE_Init);
    int none = 0, self = (int)getpid();

    if (fake_settings()->stub)
        return HRI_CU_STUB_LIBRARY;
    if (told)
        return told;
    if (flags != 0)
        return HRI_CU_INVALID_VALUE;
    if (atomic_load(&down))
        return HRI_CU_DEINITIALIZED;
    if (fake_settings()->devices == 0)
        return HRI_CU_NO_DEVICE;
    if (!atomic_compare_exchange_strong(&started, &none, self) && none != self)
        return HRI_CU_NOT_INITIALIZED; /* the child of a fork */
    return 0;
}

hri_cu_result cuDriverGetVersion(int *version)
{
    hri_cu_result told = fake_count(FAKE_DriverGetVersion);

    if (fake_settings()->stub)
        return HRI_CU_STUB_LIBRARY;
    if (told)
        return told;
    *version = fake_settings()->version;
    return 0;
}

hri_cu_result cuDevicePrimaryCtxRetain(hri_cu_context *context, hri_cu_dev device)
{
    hri_cu_result code = fake_begin(FAKE_DevicePrimaryCtxRetain);

    if (code)
        return code;
    if (device < 0 || device >= fake_settings()->devices)
        return HRI_CU_INVALID_DEVICE;
    fake_lock(&lock);
    if (primary[device].refs++ == 0) {
        begin_context(&primary[device], device);
    }
    fake_unlock(&lock);
    fake_alive(FAKE_CONTEXT, 1);
    *context = &primary[device];
    return 0;
}

hri_cu_result cuDevicePrimaryCtxRelease_v2(hri_cu_dev device)
{
    hri_cu_result code = fake_begin(FAKE_DevicePrimaryCtxRelease);
    bool last;

    if (code)
        return code;
    if (device < 0 || device >= fake_settings()->devices)
        return HRI_CU_INVALID_DEVICE;
    fake_lock(&lock);
    if (primary[device].refs == 0) {
        fake_unlock(&lock);
        return HRI_CU_INVALID_CONTEXT;
    }
    last = --primary[device].refs == 0;
    fake_unlock(&lock);
    fake_alive(FAKE_CONTEXT, -1);
    if (last)
        fake_context_end(&primary[device]);
    return 0;
}

hri_cu_result cuCtxPushCurrent_v2(hri_cu_context context)
{
    hri_cu_result code = fake_begin(FAKE_CtxPushCurrent);

    if (code)
        return code;
    if (!context || context->magic != CONTEXT_ALIVE)
        return HRI_CU_INVALID_CONTEXT;
    if (depth == FAKE_MAX_DEPTH)
        fake_die("a thread has pushed %d contexts and popped none", depth);
    stack[depth++] = context;
    fake_alive(FAKE_PUSHED, 1);
    return 0;
}

hri_cu_result cuCtxPopCurrent_v2(hri_cu_context *context)
{
    hri_cu_result code = fake_begin(FAKE_CtxPopCurrent);

    if (code)
        return code;
    if (depth == 0)
        return HRI_CU_INVALID_CONTEXT;
    depth--;
    fake_alive(FAKE_PUSHED, -1);
    if (context)
        *context = stack[depth];
    return 0;
}

hri_cu_result cuCtxGetCurrent(hri_cu_context *context)
{
    hri_cu_result code = fake_begin(FAKE_CtxGetCurrent);

    if (code)
        return code;
    *context = fake_context_current();
    return 0;
}

hri_cu_result cuCtxGetDevice(hri_cu_dev *device)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter(FAKE_CtxGetDevice, &context);

    if (code)
        return code;
    *device = context->device;
    return 0;
}
