/*
 * Runs a fuzz target without a fuzzer: on the files that are named, or on a fixed number of mutations of its seeds:
 * every truncation, every flip of one bit, growth, and heaps of random changes from a generator that always starts
 * alike. Each input is in memory of exactly its size, so that the address sanitizer sees any step beyond.
 */
#include "fuzz/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEAPS = 20000 };

static unsigned long inputs;

static void try(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);

    if (!copy)
        abort();
    memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    inputs++;
}

/* xorshift64 (G. Marsaglia, 2003) */
static uint32_t random_below(uint32_t limit)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32) % limit;
}

static void one_change(const uint8_t *seed, size_t size)
{
    uint8_t bytes[2 * FUZZ_MOST_BYTES];

    memcpy(bytes, seed, size);
    for (size_t cut = 0; cut <= size; cut++)
        try(bytes, cut);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        try(bytes, size);
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    for (size_t more = 1; more <= 64; more++) {
        bytes[size + more - 1] = (uint8_t)(37 * more);
        try(bytes, size + more);
    }
}

/* One random change: a byte, a special byte, a removal, an insertion, a copy from elsewhere. */
static size_t change(uint8_t *bytes, size_t size)
{
    static const uint8_t special[] = {0, 1, 0x7f, 0x80, 0xff, ' ', '\n', '(', ')', ',', '\'', '{', '}', '9', 'L'};
    const size_t at = random_below((uint32_t)size);
    const size_t from = random_below((uint32_t)size);

    switch (random_below(5)) {
    case 0:
        bytes[at] = (uint8_t)random_below(256);
        return size;
    case 1:
        bytes[at] = special[random_below(sizeof special)];
        return size;
    case 2:
        memmove(bytes + at, bytes + at + 1, size - at - 1);
        return size - (size > 1);
    case 3:
        memmove(bytes + at + 1, bytes + at, size - at);
        bytes[at] = special[random_below(sizeof special)];
        return size + 1;
    default:
        memmove(bytes + at, bytes + from, size - (at > from ? at : from));
        return size;
    }
}

static void many_changes(const uint8_t *seed, size_t size)
{
    uint8_t bytes[2 * FUZZ_MOST_BYTES];

    for (int heap = 0; heap < HEAPS; heap++) {
        size_t now = size;

        memcpy(bytes, seed, size);
        for (uint32_t left = 1 + random_below(8); left > 0; left--)
            now = change(bytes, now);
        try(bytes, now);
    }
}

static int replay(const char *path)
{
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path, "rb");

    if (!file) {
        perror(path);
        return 1;
    }
    try(bytes, fread(bytes, 1, sizeof bytes, file));
    fclose(file);
    return 0;
}

int main(int argc, char **argv)
{
    uint8_t seed[FUZZ_MOST_BYTES];
    size_t size;
    int failed = 0;

    for (int i = 1; i < argc; i++)
        failed |= replay(argv[i]);
    for (unsigned index = 0; argc == 1 && (size = fuzz_seed(index, seed)) > 0; index++) {
        one_change(seed, size);
        many_changes(seed, size);
    }
    printf("%lu inputs\n", inputs);
    return failed || inputs == 0;
}
