/* Counts forks; see forks.h. A child made by clone(2) or vfork(2) itself runs no handlers and is not counted. */
#include "core/forks.h"

#include <pthread.h>
#include <stdatomic.h>

static atomic_uint forks;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void in_child(void)
{
    atomic_fetch_add_explicit(&forks, 1, memory_order_relaxed);
}

static void watch(void)
{
    pthread_atfork(NULL, NULL, in_child); /* without memory for it, forks go unseen */
}

unsigned hri_forks_watch(void)
{
    pthread_once(&once, watch);
    return hri_forks();
}

unsigned hri_forks(void)
{
    return atomic_load_explicit(&forks, memory_order_relaxed);
}
