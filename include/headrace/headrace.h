/* Headrace: keeps an accelerator fed. This is the umbrella; native handles are in opencl.h. */
#ifndef HEADRACE_HEADRACE_H
#define HEADRACE_HEADRACE_H

#include <headrace/dataset.h>
#include <headrace/device.h>
#include <headrace/kernel.h>
#include <headrace/loader.h>
#include <headrace/memory.h>
#include <headrace/queue.h>
#include <headrace/stats.h>
#include <headrace/status.h>
#include <headrace/version.h>

#endif
