/* What the tests of the CUDA backend share: the driver's functions, and what the simulated driver offers beside them.
 */
#ifndef HR_TEST_CUDA_H
#define HR_TEST_CUDA_H

#include "rig.h"

#include "cuda/internal.h"

extern struct hri_cu cu; /* filled by cuda_open() */

/* fake_cuda.h's functions; all NULL on a real driver. */
struct cuda_fake {
    uint64_t (*calls)(const char *name);
    long (*live)(const char *kind);
    int (*fail_at)(const char *name, unsigned n, hri_cu_result code);
    void (*hold)(hri_cu_stream stream, int held);
    void (*capture)(hri_cu_stream stream, int capturing);
    unsigned (*spoilt)(void);
    hri_cu_capture_mode (*capture_mode)(void);
    hri_cu_context (*context_create)(hri_cu_dev device);
    void (*context_destroy)(hri_cu_context context);
    hri_cu_context (*current)(void);
    int (*depth)(void);
};

extern struct cuda_fake fake;

bool cuda_is_simulated(void); /* asks the library, and starts nothing */

/* Group set-up: rig_open(), and the two tables above. */
int cuda_open(void **state);
/* The same, where only the simulated driver serves: exits with 77 on a real one. */
int cuda_open_fake(void **state);

hri_cu_stream cuda_stream(const struct hrb_queue *queue);
hri_cu_context cuda_context(void); /* of rig.device */
hri_cu_context cuda_current(void); /* of this thread */

/* One write of a few bytes to a buffer and their way back: whether the device still works. */
void cuda_expect_working(struct hrb_device *device, struct hrb_queue *queue);

#endif
