/*
 * Locks of the simulated driver, and what it tells ThreadSanitizer. A GPU orders work by streams and events alone. A
 * lock orders more: whoever takes it next has seen what the last one did, so that a tool believes a program that never
 * waited. With FAKE_SHARP the tool does not see the locks here (the driver itself is then built without it), and
 * what orders is said one by one: a submission comes before its work, a mark that was reached before what waited for
 * it.
 */
#ifndef FAKE_CUDA_SYNC_H
#define FAKE_CUDA_SYNC_H

#include <pthread.h>
#include <stddef.h>

#ifdef FAKE_SHARP
/* The C library's own, which the tool does not see; sync.c. */
struct fake_libc {
    int (*lock)(pthread_mutex_t *);
    int (*unlock)(pthread_mutex_t *);
    int (*wait)(pthread_cond_t *, pthread_mutex_t *);
    int (*wait_until)(pthread_cond_t *, pthread_mutex_t *, const struct timespec *);
    int (*lock_to_read)(pthread_rwlock_t *);
    int (*lock_to_write)(pthread_rwlock_t *);
    int (*unlock_shared)(pthread_rwlock_t *);
    int (*wake)(pthread_cond_t *);
};
extern struct fake_libc fake_libc;
void __tsan_acquire(void *address);
void __tsan_release(void *address);
void __tsan_read_range(void *address, unsigned long bytes);
void __tsan_write_range(void *address, unsigned long bytes);
#define fake_before(object) __tsan_release(object)
#define fake_after(object) __tsan_acquire(object)
#define fake_saw(address, bytes, write)                                                                                \
    ((write) ? __tsan_write_range(address, bytes) : __tsan_read_range(address, bytes))
#define FAKE_CALL_LIBC(ours, theirs) fake_libc.ours
#else
#define fake_before(object) ((void)(object))
#define fake_after(object) ((void)(object))
#define fake_saw(address, bytes, write) ((void)(address), (void)(bytes), (void)(write))
#define FAKE_CALL_LIBC(ours, theirs) theirs
#endif

static inline void fake_lock(pthread_mutex_t *lock)
{
    FAKE_CALL_LIBC(lock, pthread_mutex_lock)(lock);
}

static inline void fake_unlock(pthread_mutex_t *lock)
{
    FAKE_CALL_LIBC(unlock, pthread_mutex_unlock)(lock);
}

static inline void fake_wait(pthread_cond_t *changed, pthread_mutex_t *lock)
{
    FAKE_CALL_LIBC(wait, pthread_cond_wait)(changed, lock);
}

static inline void fake_wait_until(pthread_cond_t *changed, pthread_mutex_t *lock, const struct timespec *until)
{
    FAKE_CALL_LIBC(wait_until, pthread_cond_timedwait)(changed, lock, until);
}

static inline void fake_lock_to_read(pthread_rwlock_t *lock)
{
    FAKE_CALL_LIBC(lock_to_read, pthread_rwlock_rdlock)(lock);
}

static inline void fake_lock_to_write(pthread_rwlock_t *lock)
{
    FAKE_CALL_LIBC(lock_to_write, pthread_rwlock_wrlock)(lock);
}

static inline void fake_unlock_shared(pthread_rwlock_t *lock)
{
    FAKE_CALL_LIBC(unlock_shared, pthread_rwlock_unlock)(lock);
}

static inline void fake_wake(pthread_cond_t *changed)
{
    FAKE_CALL_LIBC(wake, pthread_cond_broadcast)(changed);
}

#endif
