/* Version, export marks and the ABI rule. Everything a program may include includes this first. */
#ifndef HEADRACE_VERSION_H
#define HEADRACE_VERSION_H

#include <stdint.h>

/*
 * The one place where the version is written; the build reads it from here.
 *
 * ABI rule: within one major version (0.x: within one minor version) a program built against an older
 * header runs with a newer library. Public structs begin with `uint32_t size`, set by the caller to
 * sizeof of the struct it was compiled with, and grow only at the end; enumerators keep their values;
 * exported symbols are never removed. tests/unit/test_abi.c holds sizes, offsets and values.
 */
#define HR_VERSION_MAJOR 0
#define HR_VERSION_MINOR 1
#define HR_VERSION_PATCH 0

#if defined(__GNUC__)
#define HR_API __attribute__((visibility("default")))
#else
#define HR_API
#endif

#ifdef __cplusplus
#define HR_BEGIN_DECLS extern "C" {
#define HR_END_DECLS }
#else
#define HR_BEGIN_DECLS
#define HR_END_DECLS
#endif

HR_BEGIN_DECLS

/**
 * The version of the library that is running, as major * 10000 + minor * 100 + patch.
 *
 * Threads: any. Since 0.1.
 */
HR_API uint32_t hr_version(void);

/**
 * The same as text, "0.1.0".
 *
 * Threads: any. Pointers: static, never freed. Since 0.1.
 */
HR_API const char *hr_version_string(void);

HR_END_DECLS

#endif
