/* Programs with one fault each. The layer strict finds it and names the call; without it nobody says a word. */
#ifndef CONFORMANCE_SEED_H
#define CONFORMANCE_SEED_H

#include "conformance.h"

/* Odd, so that the allocator gives more than was asked for. */
enum { SEED_WORDS = 4100, SEED_BYTES = SEED_WORDS * 4 };

/* A device of one's own with the layers under test: what is found stays with its queues. */
struct seed {
    hr_device *device;
    bool strict;
    hr_queue *in;
    hr_queue *work;
    hr_queue *out;
    hr_buffer *buffer; /* SEED_BYTES, both filled with zeros, nothing in flight */
    hr_buffer *other;
    hr_buffer *pinned;
    uint8_t *pinned_ptr;
    uint8_t *host; /* SEED_BYTES */
    hr_program *program;
    hr_kernel *add; /* (buffer, words, addend) */
    hr_kernel *sum; /* (source, out, words): one number of all words */
};

/* The fault. Answers the first failure of its calls, as a careful program would see it. */
typedef hr_status seed_fault(struct seed *seed);

/* What a program does without strict, where it must not run. */
enum {
    SEED_RACES = 1u << 0,   /* host memory, in two threads at once: ThreadSanitizer would tell of it as well */
    SEED_POINTERS = 1u << 1 /* a pointer into device memory: only a processor's stays one */
};

/* Runs the program with strict, which must answer `status` and a message with each of `texts` (NULL-ended), and without
 * it, where all is well. */
void expect_found(seed_fault *fault, hr_status status, uint32_t without, const char *const *texts);
bool under_thread_sanitizer(void);

hr_status seed_add(struct seed *seed, hr_queue *queue, hr_buffer *buffer, const hr_sync *sync);
/* Waits for an event, closes it. `before`: what has failed already. */
hr_status seed_wait(hr_status before, hr_event **event);

#endif
