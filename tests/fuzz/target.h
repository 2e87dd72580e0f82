/* What a fuzz target offers: libFuzzer's entry, and the inputs to start from. */
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

/* Parses one input and aborts where a promise of the parser is broken. Always 0. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Writes seed `index` and gives its size, at most FUZZ_MOST_BYTES; 0 when there is none. */
enum { FUZZ_MOST_BYTES = 4096 };
size_t fuzz_seed(unsigned index, uint8_t *out);

#endif
