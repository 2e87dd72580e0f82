/* HEADRACE_LOG: error, warn, info or debug, to standard error; silent when unset. */
#ifndef HRI_LOG_H
#define HRI_LOG_H

#include <stdbool.h>

enum { HRI_LOG_ERROR = 1, HRI_LOG_WARN = 2, HRI_LOG_INFO = 3, HRI_LOG_DEBUG = 4 };

bool hri_log_on(int level);
void hri_log(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
