/* With FAKE_SHARP: the C library's locks, past the functions that ThreadSanitizer has put before them. */
#include "sync.h"

#ifdef FAKE_SHARP
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct fake_libc fake_libc;

static void find(void *library, const char *name, void *function_pointer)
{
    void *symbol = dlsym(library, name);

    if (!symbol)
        abort();
    memcpy(function_pointer, &symbol, sizeof symbol);
}

__attribute__((constructor)) static void find_all(void)
{
    void *library = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);

    if (!library)
        abort();
    find(library, "pthread_mutex_lock", &fake_libc.lock);
    find(library, "pthread_mutex_unlock", &fake_libc.unlock);
    find(library, "pthread_cond_wait", &fake_libc.wait);
    find(library, "pthread_cond_timedwait", &fake_libc.wait_until);
    find(library, "pthread_cond_broadcast", &fake_libc.wake);
    find(library, "pthread_rwlock_rdlock", &fake_libc.lock_to_read);
    find(library, "pthread_rwlock_wrlock", &fake_libc.lock_to_write);
    find(library, "pthread_rwlock_unlock", &fake_libc.unlock_shared);
}
#endif
