/* A backend's table, called directly: services of the tests' own, the first device, a queue, and short ways to move
 * data that the tests are not about. */
#ifndef HR_TEST_RIG_H
#define HR_TEST_RIG_H

#include "backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

struct rig {
    const struct hrb_backend *backend;
    const struct hrb_ops *ops;
    struct hrb_instance *instance;
    struct hrb_device *device;
    hr_device_info info;
    struct hrb_queue *queue;
};

extern struct rig rig;

/* The text of this thread's last services->fail(), and how often any was called. */
const char *rig_message(void);
unsigned rig_failures(void);
extern const struct hrb_services rig_services;

/* Group set-up and tear-down; the backend is named by rig_main()'s argument. */
int rig_open(void **state);
int rig_close(void **state);
const struct hrb_backend *rig_backend(const char *name);

bool rig_has(uint32_t ability);
extern const struct hrb_sync rig_no_sync;

struct hrb_buffer *rig_buffer(uint32_t kind, uint64_t bytes);
struct hrb_place rig_device_place(struct hrb_buffer *buffer, uint64_t offset);
struct hrb_place rig_host_place(struct hrb_buffer *buffer, void *host, uint64_t offset);
/* Whole copies on rig.queue; they return when done. */
void rig_write(struct hrb_buffer *buffer, const void *data, uint64_t bytes);
void rig_read(struct hrb_buffer *buffer, void *data, uint64_t bytes);
struct hrb_kernel *rig_kernel(const char *source, const char *name, struct hrb_program **program);

/* Expects a failure that describes itself once, with `part` in its text. */
#define rig_expect_failure(call, status, part)                                                                         \
    do {                                                                                                               \
        unsigned before_ = rig_failures();                                                                             \
        assert_int_equal((call), (status));                                                                            \
        assert_int_equal(rig_failures(), before_ + 1);                                                                 \
        if (!strstr(rig_message(), (part)))                                                                            \
            fail_msg("\"%s\" is not in: %s", (part), rig_message());                                                   \
    } while (0)

#define rig_main(tests) rig_main_with(tests, rig_open, rig_close)
#define rig_main_with(tests, open, close)                                                                              \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        rig.backend = argc == 2 ? rig_backend(argv[1]) : NULL;                                                         \
        if (!rig.backend) {                                                                                            \
            fprintf(stderr, "usage: %s BACKEND\n", argv[0]);                                                           \
            return 2;                                                                                                  \
        }                                                                                                              \
        return cmocka_run_group_tests(tests, open, close);                                                             \
    }

#endif
