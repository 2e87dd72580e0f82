/* A kernel that the host holds: it spins until the gate is opened, or until a bound is passed, which the tests see as a
 * wrong value. So "while a kernel runs" needs no timing. */
#ifndef HR_TEST_GATE_H
#define HR_TEST_GATE_H

#include "rig.h"

struct gate {
    struct hrb_program *program;
    struct hrb_kernel *kernel;
    struct hrb_queue *opener; /* where a copy opens it: devices that copy while a kernel runs */
    struct hrb_buffer *flag;
    uint32_t *host; /* where the host opens it: devices that see host memory */
};

/* Devices without asynchronous kernels cannot be held: false. */
bool gate_possible(void);
void gate_create(struct gate *gate);
void gate_destroy(struct gate *gate);
/* Enqueues the held kernel, which then writes `value` to out[0]. */
hr_status gate_launch(struct gate *gate, struct hrb_queue *queue, struct hrb_buffer *out, uint32_t value,
                      const struct hrb_sync *sync);
void gate_open(struct gate *gate);

#endif
