/* What the tests of the simulated driver share: the driver's functions, had as a program has them. */
#ifndef FAKE_CUDA_RIG_H
#define FAKE_CUDA_RIG_H

#include "fake_cuda.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

extern struct hri_cu cu;
extern hri_cu_context context; /* the primary one of device 0, current in the test's thread */

/* The test interface of fake_cuda.h. */
struct rig_fake {
    uint64_t (*calls)(const char *name);
    long (*live)(const char *kind);
    int (*inject)(const char *name, unsigned n, hri_cu_result code);
    void (*hold)(hri_cu_stream stream, int held);
    void (*capture)(hri_cu_stream stream, int capturing);
    unsigned (*spoilt)(void);
    hri_cu_context (*context_create)(hri_cu_dev device);
    void (*context_destroy)(hri_cu_context context);
    hri_cu_context (*current)(void);
    int (*depth)(void);
};
extern struct rig_fake fake;

void *rig_library(void); /* libcuda.so.1 */
/* An exported function, put where the pointer to it is. */
void rig_symbol(const char *name, void *function_pointer);
void rig_load(void); /* fills cu and fake */

/* Test setup: loads, initialises, makes the context current. Teardown: nothing may be left. */
int rig_open(void **state);
int rig_close(void **state);

#define OK(call) assert_int_equal(call, HRI_CU_SUCCESS)
#define FAILS(code, call) assert_int_equal(call, code)

hri_cu_pointer rig_device(size_t bytes);
void *rig_pinned(size_t bytes);
hri_cu_stream rig_stream(void);
hri_cu_event rig_event(unsigned flags);
void rig_finish(hri_cu_stream stream);
/* Records an event, asks whether it is done, and gives it back. */
bool rig_idle(hri_cu_stream stream);

/* Runs `body` in a child whose environment has NAME=VALUE,NAME=VALUE; answers its wait status and what it wrote to
 * stderr. A failed assertion in the child ends it with status 99. */
int rig_child(const char *environment, void (*body)(void), char *said, size_t room);

#endif
