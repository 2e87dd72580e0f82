/* Files for a test, in a temporary folder that goes with the process. */
#ifndef FAKE_SCRATCH_H
#define FAKE_SCRATCH_H

#include <stddef.h>

/* Writes a file and gives its path, valid until 8 further ones; the test fails where that fails. */
const char *scratch_file(const char *name, const void *bytes, size_t size);

/* The path that a file of that name would have. */
const char *scratch_path(const char *name);

#endif
