/* Counts calls and live objects, and fails the calls that it was told to fail. */
#include "fake.h"
#include "fake_cuda.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORK = FAKE_CALLS, COUNTED, MOST = 16 };

static const char *const names[COUNTED] = {
#define NAME(name, version, symbol, parameters) "cu" #name,
    HRI_CU_SYMBOLS(NAME) HRI_CU_OPTIONAL_SYMBOLS(NAME)
#undef NAME
        "work"};
static const char *const kinds[FAKE_KINDS] = {"contexts", "streams", "events",     "modules",
                                              "buffers",  "pinned",  "registered", "pushed"};

struct failure {
    int call; /* -1: none */
    unsigned left;
    bool for_good; /* also every later call */
    hri_cu_result code;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct failure failures[MOST];
static unsigned n_failures;
static atomic_bool any_failures;
/* Counts are relaxed and, as long as nothing is to fail, take no lock: a driver orders nothing by them, and tools would
 * believe in that order. */
static atomic_ullong calls[COUNTED];
static atomic_long alive[FAKE_KINDS];

void fake_die(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("simulated CUDA driver: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    abort();
}

const char *fake_call_name(enum fake_call call)
{
    return names[call];
}

static int number_of(const char *name, size_t length)
{
    for (int i = 0; i < COUNTED; i++)
        if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
            return i;
    return -1;
}

static void add(int call, unsigned n, bool for_good, hri_cu_result code)
{
    if (n_failures == MOST)
        fake_die("more than %d failures asked for", MOST);
    failures[n_failures++] = (struct failure){.call = call, .left = n, .for_good = for_good, .code = code};
    atomic_store(&any_failures, true);
}

/* NAME:N:CODE,...; N+ for the Nth and every later one. */
static void read_environment(void)
{
    const char *text = getenv("FAKE_CUDA_FAIL");

    while (text && *text) {
        size_t length = strcspn(text, ":,");
        int call = number_of(text, length);
        unsigned n = 0;
        int code = 0, used = 0;
        bool for_good = false;

        if (sscanf(text + length, ":%u:%d%n", &n, &code, &used) < 2) {
            for_good = true;
            if (sscanf(text + length, ":%u+:%d%n", &n, &code, &used) < 2)
                n = 0;
        }
        if (call < 0 || n == 0)
            fake_die("FAKE_CUDA_FAIL: not understood: %s", text);
        add(call, n, for_good, code);
        text += length + (size_t)used;
        text += *text == ',';
    }
}

static hri_cu_result count(int call)
{
    hri_cu_result code = 0;

    pthread_once(&once, read_environment);
    atomic_fetch_add_explicit(&calls[call], 1, memory_order_relaxed);
    if (!atomic_load_explicit(&any_failures, memory_order_relaxed))
        return 0;
    fake_lock(&lock);
    for (unsigned i = 0; i < n_failures; i++) {
        struct failure *f = &failures[i];

        if (f->call != call || f->left == 0)
            continue;
        if (f->left > 1)
            f->left--;
        else if (code == 0) {
            code = f->code;
            f->left = f->for_good;
        }
    }
    fake_unlock(&lock);
    return code;
}

hri_cu_result fake_count(enum fake_call call)
{
    return count((int)call);
}

hri_cu_result fake_count_work(void)
{
    return count(WORK);
}

void fake_alive(enum fake_kind kind, int by)
{
    atomic_fetch_add_explicit(&alive[kind], by, memory_order_relaxed);
}

FAKE_API uint64_t fake_cuda_calls(const char *name)
{
    int call = number_of(name, strlen(name));
    uint64_t sum = 0;

    if (call >= 0)
        return atomic_load_explicit(&calls[call], memory_order_relaxed);
    if (strcmp(name, "all") != 0)
        return UINT64_MAX;
    for (int i = 0; i < WORK; i++)
        sum += atomic_load_explicit(&calls[i], memory_order_relaxed);
    return sum;
}

FAKE_API long fake_cuda_live(const char *kind)
{
    bool all = strcmp(kind, "all") == 0;
    long sum = all ? 0 : -1;

    for (int i = 0; i < FAKE_KINDS; i++) {
        if (all)
            sum += atomic_load(&alive[i]);
        else if (strcmp(kind, kinds[i]) == 0)
            sum = atomic_load(&alive[i]);
    }
    return sum;
}

FAKE_API int fake_cuda_fail(const char *name, unsigned n, hri_cu_result code)
{
    int call = number_of(name, strlen(name));

    if (call < 0)
        return -1;
    pthread_once(&once, read_environment);
    fake_lock(&lock);
    if (n == 0)
        n_failures = 0;
    else
        add(call, n, false, code);
    fake_unlock(&lock);
    return 0;
}

/* Told at exit, when everything else has been stopped. */
static void report(void)
{
    int how = fake_settings()->report;

    if (how == 0 || fake_cuda_live("all") == 0)
        return;
    fputs("simulated CUDA driver: left behind:", stderr);
    for (int i = 0; i < FAKE_KINDS; i++)
        if (atomic_load(&alive[i]) != 0)
            fprintf(stderr, " %ld %s", atomic_load(&alive[i]), kinds[i]);
    fputc('\n', stderr);
    if (how > 1)
        _Exit(FAKE_LEFT_BEHIND);
}

/* A driver comes down after the handlers that programs have registered by atexit(). */
__attribute__((destructor)) static void at_exit(void)
{
    if (fake_shut_down())
        report();
}
