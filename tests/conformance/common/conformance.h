/* What every conformance program shares: the device under test, checks that tell the library's message, data. */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include <headrace/headrace.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The device that the program's argument names, opened once for all tests, and what it says of itself. */
extern hr_device *device;
extern hr_device_info info;
extern hr_queue *compute; /* the device's own queues */
extern hr_queue *copy_in;
extern const char *selector; /* as given; info.selector names the very device */

/*
 * Opens the device before any test runs. Without it the program exits with 77 (skipped) and a sentence, or fails where
 * the environment sets HR_TEST_REQUIRE=1. `child` is what the program does instead when run_self() started it; NULL
 * where a program never does.
 */
void conformance_begin(int argc, char **argv, int (*child)(const char *task));
int conformance_close(void **state); /* group teardown */

/* The whole of main(). */
#define conformance_main(argc, argv, tests, child)                                                                     \
    (conformance_begin(argc, argv, child), cmocka_run_group_tests(tests, NULL, conformance_close))

/* Ends the test as not applicable to this device. */
#define NOT_APPLICABLE(why)                                                                                            \
    do {                                                                                                               \
        print_message("not applicable: %s\n", (why));                                                                  \
        skip();                                                                                                        \
    } while (0)

/* The call succeeds; if not, the message that it left is shown. Main thread alone, as all of cmocka. */
#define OK(call) check_status((call), HR_OK, #call, __FILE__, __LINE__)
/* The call answers `status`, and an error leaves a message. */
#define FAILS(status, call) check_status((call), (status), #call, __FILE__, __LINE__)
/* The last message holds `text`. */
#define SAYS(text) check_says((text), __FILE__, __LINE__)

void check_status(hr_status got, hr_status expected, const char *call, const char *file, int line);
void check_says(const char *text, const char *file, int line);

/* A device of one's own with budgets (0: the default) and layers (NULL: none). */
hr_device *open_with(uint64_t device_bytes, uint64_t pinned_bytes, const char *layers);
hr_queue *new_queue(hr_device *of, uint32_t role);
hr_buffer *new_buffer(hr_device *of, uint64_t bytes, hr_queue *queue);
hr_buffer *new_zeros(hr_device *of, uint64_t bytes, hr_queue *queue); /* filled on queue, not NULL */
hr_buffer *new_pinned(hr_device *of, uint64_t bytes, uint8_t **ptr);
hr_memory_stats memory_stats(hr_device *of);
hr_event *mark(hr_queue *queue); /* hr_event_record() */
uint32_t is_done(hr_event *event);

/* A sync with room for an event and the given waits. */
hr_sync sync_of(hr_event **event, hr_event *const *waits, uint32_t n_waits);

/* Pseudo-random bytes that a seed decides. */
uint64_t next_random(uint64_t *state); /* xorshift; *state != 0 */
void random_bytes(void *to, uint64_t bytes, uint64_t seed);
uint8_t *new_random(uint64_t bytes, uint64_t seed); /* malloc */

/* The same sum on the host, and on the device by a kernel, which sees what kernels see. */
uint64_t host_sum(const void *data, uint64_t bytes);
uint64_t device_sum(hr_queue *queue, hr_buffer *buffer, uint64_t bytes);

/* Reads the range through `queue`, waits, and compares. */
void expect_bytes(hr_queue *queue, hr_buffer *buffer, uint64_t offset, const void *expected, uint64_t bytes);

/* Kernels that several programs use, made once for `device`: see kernels.c. */
hr_kernel *shared_kernel(const char *name);
/* One-dimensional launch over `items` work items. */
hr_status launch(hr_queue *queue, hr_kernel *kernel, uint64_t items, const hr_arg *args, uint32_t n_args,
                 const hr_sync *sync);
/* buffer[0..words) += addend, on 32-bit words. */
hr_status launch_add(hr_queue *queue, hr_buffer *buffer, uint32_t words, uint32_t addend, const hr_sync *sync);

/* Runs this program again with `task`, the same selector and further environment ("NAME=VALUE", NULL-ended; may be
 * NULL). Answers the exit status (or 256 + signal) and what it printed on both streams. */
int run_self(const char *task, const char *const *environment, char *output, size_t output_bytes);

#endif
