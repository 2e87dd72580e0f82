/* A gate: a kernel that keeps its queue busy until the test opens it, so that "while a kernel runs" needs no timing. */
#ifndef CONFORMANCE_GATE_H
#define CONFORMANCE_GATE_H

#include "conformance.h"

struct gate {
    hr_device *device;
    hr_buffer *flag;  /* what the kernel looks at */
    hr_buffer *mark;  /* what it leaves: 1 opened, 2 it gave up */
    hr_event *event;  /* the gate's end */
    hr_queue *opener; /* copies the key to the flag where the kernel does not see host memory */
    hr_buffer *key;
    hr_kernel *kernel; /* of this device */
    hr_program *program;
    int32_t *host; /* the flag where it does */
    bool open;
};

/* Whether a gate can work here: a kernel must run while the host goes on. */
bool gate_possible(void);

/* Ends the test as not applicable where it cannot. */
#define NEEDS_GATE()                                                                                                   \
    do {                                                                                                               \
        if (!gate_possible())                                                                                          \
            NOT_APPLICABLE("kernels run inside the submitting call here, so none can be held");                        \
    } while (0)

/* Puts a closed gate on `queue`, of `of`. One gate at a time; conformance teardown: gate_teardown. */
void gate_close(hr_device *of, hr_queue *queue);
/* Sleeps until the gate's kernel has begun; where a copy can tell, which is where it can pass a kernel. */
void gate_await(void);
/* Lets the kernel end. Any thread. */
void gate_open(void);
/* Opens, waits, checks that it was the opening that ended the gate, and frees. */
void gate_end(void);
/* The gate still holds its queue. */
#define GATE_HOLDS() assert_int_equal(is_done(gate_event()), 0)
hr_event *gate_event(void);

/* Test teardown: opens a gate that a failed test left closed. */
int gate_teardown(void **state);
#define gated_test(f) cmocka_unit_test_teardown(f, gate_teardown)

#endif
