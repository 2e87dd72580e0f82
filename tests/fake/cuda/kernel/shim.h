/*
 * What a program in CUDA C++ finds when it is compiled for the host: the built-in variables, types and functions, and
 * the code around its kernels. The compiler calls __tsan_read4() and the like before every access to memory
 * (-fsanitize=thread); they are defined here, for this object alone, and ask the driver whether the device may do that.
 */
#include "image.h"

#include <setjmp.h>

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) alignas(n)
#define __shared__ static

extern "C" __attribute__((visibility("default"))) struct fake_image fake_image;

#define FAKE_OWN static inline __attribute__((no_sanitize_thread, unused))

#include "shim_types.h"

/* -- the running thread ------------------------------------------------------------------------------------------- */

struct dim3 {
    unsigned x, y, z;
};

static thread_local uint3 threadIdx, blockIdx;
static thread_local dim3 blockDim, gridDim;
static const int warpSize = 32;

struct fake_running {
    jmp_buf out;
    unsigned generation;
    unsigned next;
    uintptr_t last; /* what was looked at last, and how often in a row */
    unsigned repeats;
    fake_window windows[4];
};
static thread_local fake_running *fake_self;

[[noreturn]] __attribute__((no_sanitize_thread, noinline, unused)) static void fake_stop(int code)
{
    longjmp(fake_self->out, code);
}

__attribute__((no_sanitize_thread, noinline, unused)) static const fake_window *fake_look_up(uintptr_t address,
                                                                                             size_t bytes, int write)
{
    fake_running *self = fake_self;
    fake_window window = {};
    int code;

    if (self->generation != *fake_image.hooks->generation)
        for (fake_window &old : self->windows)
            old = window;
    self->generation = *fake_image.hooks->generation;
    code = fake_image.hooks->access(address, bytes, write, &window);
    if (code)
        fake_stop(code);
    self->windows[self->next % 4] = window;
    return &self->windows[self->next++ % 4];
}

FAKE_OWN const fake_window *fake_find(uintptr_t address, size_t bytes, int write)
{
    const fake_running *self = fake_self;

    if (self->generation == *fake_image.hooks->generation)
        for (const fake_window &window : self->windows)
            if (address >= window.begin && address < window.end && bytes <= window.end - address &&
                window.writable >= write)
                return &window;
    return fake_look_up(address, bytes, write);
}

FAKE_OWN void fake_access(uintptr_t address, size_t bytes, int write)
{
    const fake_window *window = fake_find(address, bytes, write);

    if (window->of_device && fake_image.hooks->saw)
        fake_image.hooks->saw(address, bytes, write);
}

FAKE_OWN void fake_boundary(uintptr_t address, size_t bytes)
{
    if (address % (bytes > 4 ? 4 : bytes))
        fake_stop(716);
}

/* An access of a size that the device has instructions for. */
FAKE_OWN void fake_word(uintptr_t address, size_t bytes, int write)
{
    fake_boundary(address, bytes);
    fake_access(address, bytes, write);
}

/* The same for memory that others change meanwhile. */
FAKE_OWN void fake_shared_word(uintptr_t address, size_t bytes, int write)
{
    fake_running *self = fake_self;

    if (address != self->last)
        self->repeats = 0;
    else if (++self->repeats % FAKE_PATIENCE == 0)
        fake_image.hooks->pause();
    self->last = address;
    fake_boundary(address, bytes);
    fake_find(address, bytes, write);
}

#define FAKE_CHECK extern "C" __attribute__((visibility("hidden"), no_sanitize_thread, used)) void
#define FAKE_CHECK_WORD(name, n, check, write)                                                                         \
    FAKE_CHECK __tsan_##name##n(uintptr_t address)                                                                     \
    {                                                                                                                  \
        check(address, n, write);                                                                                      \
    }
#define FAKE_CHECKS(n)                                                                                                 \
    FAKE_CHECK_WORD(read, n, fake_word, 0)                                                                             \
    FAKE_CHECK_WORD(write, n, fake_word, 1)                                                                            \
    FAKE_CHECK_WORD(unaligned_read, n, fake_access, 0)                                                                 \
    FAKE_CHECK_WORD(unaligned_write, n, fake_access, 1)                                                                \
    FAKE_CHECK_WORD(volatile_read, n, fake_shared_word, 0)                                                             \
    FAKE_CHECK_WORD(volatile_write, n, fake_shared_word, 1)                                                            \
    FAKE_CHECK_WORD(unaligned_volatile_read, n, fake_access, 0)                                                        \
    FAKE_CHECK_WORD(unaligned_volatile_write, n, fake_access, 1)
FAKE_CHECKS(1)
FAKE_CHECKS(2)
FAKE_CHECKS(4)
FAKE_CHECKS(8)
FAKE_CHECKS(16)
FAKE_CHECK __tsan_read_range(uintptr_t address, size_t bytes)
{
    fake_access(address, bytes, 0);
}
FAKE_CHECK __tsan_write_range(uintptr_t address, size_t bytes)
{
    fake_access(address, bytes, 1);
}
FAKE_CHECK __tsan_init(void)
{
}
FAKE_CHECK __tsan_func_entry(void *)
{
}
FAKE_CHECK __tsan_func_exit(void)
{
}
extern "C" __attribute__((visibility("hidden"), no_sanitize_thread, used)) void *__tsan_memcpy(void *to,
                                                                                               const void *from,
                                                                                               size_t bytes)
{
    fake_access((uintptr_t)to, bytes, 1);
    fake_access((uintptr_t)from, bytes, 0);
    return __builtin_memcpy(to, from, bytes);
}
extern "C" __attribute__((visibility("hidden"), no_sanitize_thread, used)) void *__tsan_memset(void *to, int value,
                                                                                               size_t bytes)
{
    fake_access((uintptr_t)to, bytes, 1);
    return __builtin_memset(to, value, bytes);
}

FAKE_OWN void __syncthreads()
{
    int code = fake_image.hooks->barrier();

    if (code)
        fake_stop(code);
}
FAKE_OWN void __threadfence()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
FAKE_OWN void __threadfence_block()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
FAKE_OWN void __threadfence_system()
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
[[noreturn]] FAKE_OWN void __trap()
{
    fake_stop(715);
}

/* -- kernels ------------------------------------------------------------------------------------------------------ */

namespace fake
{
template <unsigned... I> struct numbers {
};
template <unsigned N, unsigned... I> struct count : count<N - 1, N - 1, I...> {
};
template <unsigned... I> struct count<0, I...> {
    typedef numbers<I...> type;
};

template <class T> struct kind {
    static constexpr int value = __is_class(T) || __is_union(T) ? 's' : 'i';
};
template <> struct kind<float> {
    static constexpr int value = 'f';
};
template <> struct kind<double> {
    static constexpr int value = 'f';
};
template <class T> struct kind<T *> {
    static constexpr int value = 'p';
};

/* Where parameter `index` lies behind those before it. */
template <class... A> constexpr unsigned offset(unsigned index)
{
    const unsigned sizes[] = {sizeof(A)..., 0}, aligns[] = {alignof(A)..., 1};
    unsigned at = 0;

    for (unsigned i = 0; i < index; i++)
        at = (at + aligns[i] - 1) / aligns[i] * aligns[i] + sizes[i];
    return (at + aligns[index] - 1) / aligns[index] * aligns[index];
}

template <class S, class... A> struct params;
template <unsigned... I, class... A> struct params<numbers<I...>, A...> {
    static constexpr fake_param list[sizeof...(A) + 1] = {{offset<A...>(I), sizeof(A), alignof(A), kind<A>::value}...,
                                                          {0, 0, 0, 0}};

    __attribute__((no_sanitize_thread)) static void call(void (*f)(A...), void *const *values)
    {
        (void)values;
        f(*static_cast<A *>(values[I])...);
    }
};

template <auto F> struct bind;
template <class... A, void (*F)(A...)> struct bind<F> {
    typedef params<typename count<sizeof...(A)>::type, A...> own;

    static void run(void *const *values)
    {
        own::call(F, values);
    }
    static constexpr fake_kernel kernel(const char *name, int shared)
    {
        return {name, run, own::list, sizeof...(A), shared};
    }
};

__attribute__((no_sanitize_thread, noinline)) static int run(const fake_kernel *kernel, const fake_place *place,
                                                             void *const *params)
{
    fake_running self;
    int code;

    threadIdx = {place->thread_id[0], place->thread_id[1], place->thread_id[2]};
    blockIdx = {place->block_id[0], place->block_id[1], place->block_id[2]};
    blockDim = {place->block[0], place->block[1], place->block[2]};
    gridDim = {place->grid[0], place->grid[1], place->grid[2]};
    self.generation = *fake_image.hooks->generation - 1;
    self.next = 0;
    self.last = 0;
    self.repeats = 0;
    fake_self = &self;
    code = _setjmp(self.out);
    if (code == 0)
        kernel->run(params);
    return code;
}
} // namespace fake

#include "shim_math.h"
