/* A plain loop of copies in a driver's own interface, for bare.c to put the library beside. */
#ifndef HR_BENCH_BARE_H
#define HR_BENCH_BARE_H

#include <headrace/headrace.h>
#include <stdbool.h>
#include <stddef.h>

enum direction { TO_DEVICE, FROM_DEVICE, BOTH, DIRECTIONS };

/* A context or stream, two queues and two pairs of buffers of its own: 0 is copied to the device, 1 from it. */
struct bare {
    const char *name;
    /* flush: every copy is told to start, as the library's are; else the driver may keep them until the end. */
    bool can_flush;
    void (*open)(hr_device *device);
    void (*buffers)(size_t bytes, unsigned char *host[2]);
    void (*copy)(enum direction direction, size_t bytes, bool flush);
    void (*across)(size_t bytes); /* device buffer 0 to 1, and waits */
    void (*finish)(void);
    void (*free)(void);
    void (*close)(void);
};

extern const struct bare bare_opencl;
extern const struct bare bare_cuda;

void bare_stop(const char *what, const char *why) __attribute__((noreturn));

#endif
