/* The CUDA driver as a program of its own sees it. The simulated driver has functions of its own for what its table
 * does not offer; a real one is asked for what every driver exports. */
#include "native_cuda.h"

#include "conformance.h"

#include <dlfcn.h>
#include <string.h>

static void *library;

static void *symbol(const char *name)
{
    if (!library)
        library = dlopen("libcuda.so.1", RTLD_NOW);
    return library ? dlsym(library, name) : NULL;
}

/* Functions come as object pointers; their bytes are the same. */
static bool look_up(const char *name, void *function)
{
    void *found = symbol(name);

    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static void need(const char *name, void *function)
{
    if (!look_up(name, function))
        fail_msg("libcuda.so.1 has no %s", name);
}

const struct cuda_driver *cuda_driver(void)
{
    static struct cuda_driver driver;

    if (!driver.push) {
#define NEED(member, name, parameters) need(#name, &driver.member);
        CUDA_FUNCTIONS(NEED)
#undef NEED
    }
    return &driver;
}

struct CUctx_st *cuda_context_create(int index)
{
    struct CUctx_st *(*simulated)(int) = NULL;
    int (*create)(struct CUctx_st **, unsigned, int) = NULL;
    struct CUctx_st *context = NULL;

    if (look_up("fake_cuda_context_create", &simulated))
        return simulated(index);
    need("cuCtxCreate_v2", &create);
    assert_int_equal(create(&context, 0, index), 0);
    assert_int_equal(cuda_driver()->pop(&context), 0);
    return context;
}

void cuda_context_destroy(struct CUctx_st *context)
{
    void (*simulated)(struct CUctx_st *) = NULL;
    int (*destroy)(struct CUctx_st *) = NULL;

    if (look_up("fake_cuda_context_destroy", &simulated)) {
        simulated(context);
        return;
    }
    need("cuCtxDestroy_v2", &destroy);
    assert_int_equal(destroy(context), 0);
}

void cuda_capture(struct CUstream_st *stream, bool on)
{
    void (*simulated)(struct CUstream_st *, int) = NULL;
    int (*begin)(struct CUstream_st *, int) = NULL;
    int (*end)(struct CUstream_st *, void **) = NULL;
    int (*drop)(void *) = NULL;
    void *graph = NULL;

    if (look_up("fake_cuda_capture", &simulated)) {
        simulated(stream, on);
        return;
    }
    need("cuStreamBeginCapture_v2", &begin);
    need("cuStreamEndCapture", &end);
    need("cuGraphDestroy", &drop);
    if (on) {
        assert_int_equal(begin(stream, 1 /* CU_STREAM_CAPTURE_MODE_THREAD_LOCAL */), 0);
        return;
    }
    (void)end(stream, &graph);
    if (graph)
        (void)drop(graph);
}
