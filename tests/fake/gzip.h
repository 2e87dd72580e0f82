/* Gzip files without a compressor (RFC 1951 and 1952: stored blocks), so that tests need no zlib to make them. */
#ifndef FAKE_GZIP_H
#define FAKE_GZIP_H

#include <stddef.h>

/* The bytes that fake_gzip() needs at most for `size` bytes. */
size_t fake_gzip_room(size_t size);

/* Writes one member that holds `bytes`, in blocks of at most `block` <= 65535 bytes; its length. */
size_t fake_gzip(unsigned char *out, const void *bytes, size_t size, size_t block);

#endif
