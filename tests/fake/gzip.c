/* Gzip members made of stored blocks. */
#include "fake/gzip.h"

#include <stdint.h>
#include <string.h>

static uint32_t crc32_of(const unsigned char *bytes, size_t size)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return ~crc;
}

static unsigned char *put(unsigned char *out, uint32_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        *out++ = (unsigned char)(value >> 8 * i);
    return out;
}

size_t fake_gzip_room(size_t size)
{
    return 32 + 6 * (size + 1);
}

size_t fake_gzip(unsigned char *out, const void *bytes, size_t size, size_t block)
{
    static const unsigned char header[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff};
    const unsigned char *from = bytes;
    unsigned char *at = out;
    size_t left = size;

    memcpy(at, header, sizeof header);
    at += sizeof header;
    do {
        size_t now = left < block ? left : block;

        *at++ = left == now; /* the last block; stored */
        at = put(at, (uint32_t)now, 2);
        at = put(at, ~(uint32_t)now, 2);
        memcpy(at, from + (size - left), now);
        at += now;
        left -= now;
    } while (left > 0);
    at = put(at, crc32_of(from, size), 4);
    at = put(at, (uint32_t)size, 4);
    return (size_t)(at - out);
}
