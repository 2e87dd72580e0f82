/*
 * Whether the image of a program is all there. Drivers say so themselves, but PoCL (3.1 to 6.0) believes the lengths
 * that stand in its images and reads past the end, or ends the process. Its images of versions 9 to 12 are a head,
 * which says how many files and kernels there are, and these one after the other, each with its length first.
 */
#include "opencl/internal.h"

#include <string.h>

static const char pocl_magic[8] = "poclbin";

enum {
    DEVICE_BYTES = 8,
    HASH_BYTES = 41,
    VERSION_FIRST = 9,
    VERSION_LAST = 12,
    HAS_GLOBALS = 2 /* of the flags: the head has one more number */
};

struct reader {
    const unsigned char *at;
    uint64_t left;
    bool whole; /* so far */
};

static void skip(struct reader *reader, uint64_t bytes)
{
    if (bytes > reader->left) {
        reader->whole = false;
        bytes = reader->left;
    }
    reader->at += bytes;
    reader->left -= bytes;
}

/* A number as it stands there, lowest byte first; 0 past the end. */
static uint64_t number(struct reader *reader, unsigned bytes)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < bytes && i < reader->left; i++)
        value |= (uint64_t)reader->at[i] << 8 * i;
    skip(reader, bytes);
    return reader->whole ? value : 0;
}

bool hri_cl_image_is_whole(const void *image, uint64_t bytes)
{
    struct reader reader = {.at = image, .left = bytes, .whole = true};
    uint64_t version, kernels, flags, files;

    if (bytes < sizeof pocl_magic || memcmp(image, pocl_magic, sizeof pocl_magic) != 0)
        return true; /* another driver's: it knows */
    skip(&reader, sizeof pocl_magic + DEVICE_BYTES);
    version = number(&reader, 4);
    if (reader.whole && (version < VERSION_FIRST || version > VERSION_LAST))
        return true; /* it refuses these, or they are newer than this */
    kernels = number(&reader, 4);
    flags = number(&reader, 8);
    files = number(&reader, 4);
    skip(&reader, HASH_BYTES + (flags & HAS_GLOBALS ? 8 : 0));
    for (uint64_t i = 0; i < files && reader.whole; i++)
        skip(&reader, number(&reader, 8));
    for (uint64_t i = 0; i < kernels && reader.whole; i++) {
        uint64_t length = number(&reader, 8); /* of itself too */

        if (length < 8)
            return false;
        skip(&reader, length - 8);
    }
    return reader.whole;
}
