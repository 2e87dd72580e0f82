/* Small things that every part needs: caller's structs, time, the nearest name, checked sums. */
#ifndef HRI_UTIL_H
#define HRI_UTIL_H

#include <headrace/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies a caller's struct (its first member is uint32_t size) into ours of `ours` bytes, zero beyond what the caller's
 * version has. HR_INVALID for NULL or a size under `least` (0.1's size), naming `name` and the remedy. The copy's size
 * is `ours`; what a newer caller has beyond ours is ignored. */
hr_status hri_struct_in(void *to, size_t ours, const void *from, size_t least, const char *name);

/* Copies ours to a caller's struct up to the size it set, and leaves that size in place. */
hr_status hri_struct_out(void *to, const void *from, size_t ours, size_t least, const char *name);

/* Copies a text into `room` > 0 bytes, cut to fit. */
void hri_text_copy(char *to, size_t room, const char *from);

uint64_t hri_now_ns(void); /* CLOCK_MONOTONIC */

/* The name in `names` that is nearest to `text` by edit distance, NULL when none is near. */
const char *hri_nearest(const char *text, const char *const *names, size_t n);

/* "1.5 MiB" for messages; `out` has at least 32 bytes. */
const char *hri_bytes_text(uint64_t bytes, char *out);

static inline bool hri_mul_overflows(uint64_t a, uint64_t b, uint64_t *out)
{
    return __builtin_mul_overflow(a, b, out);
}

static inline bool hri_add_overflows(uint64_t a, uint64_t b, uint64_t *out)
{
    return __builtin_add_overflow(a, b, out);
}

/* Up to a multiple of `to`, a power of two; the caller knows that it does not overflow. */
static inline uint64_t hri_round_up(uint64_t value, uint64_t to)
{
    return (value + to - 1) & ~(to - 1);
}

#endif
