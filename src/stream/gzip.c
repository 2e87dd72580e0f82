/* Files in gzip (RFC 1952): unpacked once, straight into the memory where the rows stay. */
#include "stream/content.h"

#include "core/message.h"

#include <stdlib.h>
#include <string.h>
#ifdef HR_HAVE_ZLIB
#define ZLIB_CONST
#include <zlib.h>
#endif

bool hri_gzip_is(const unsigned char *head, uint64_t size)
{
    return size >= 2 && head[0] == 0x1f && head[1] == 0x8b;
}

#ifdef HR_HAVE_ZLIB

/* Deflate never packs better than 1032 to 1 (zlib's technical notes). */
#define MOST_RATIO 1032
/* zlib counts in 32 bits. */
#define MOST_STEP (UINT64_C(1) << 30)

struct unpacker {
    z_stream stream;
    const unsigned char *begin;
    const unsigned char *end;
    bool done; /* the last member has ended, its checksum was right */
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static hr_status start(struct unpacker *unpacker, const unsigned char *bytes, uint64_t size)
{
    memset(unpacker, 0, sizeof *unpacker);
    unpacker->begin = bytes;
    unpacker->end = bytes + size;
    unpacker->stream.next_in = bytes;
    if (inflateInit2(&unpacker->stream, 16 + MAX_WBITS) != Z_OK) /* 16: gzip alone */
        return hri_fail(HR_NO_MEMORY, "no memory to unpack gzip");
    return HR_OK;
}

/* After a member: another one, the end, or something that does not belong there. */
static hr_status next_member(struct unpacker *unpacker)
{
    const unsigned char *at = unpacker->stream.next_in;
    const uint64_t left = (uint64_t)(unpacker->end - at);

    if (left == 0) {
        unpacker->done = true;
        return HR_OK;
    }
    if (!hri_gzip_is(at, left))
        return hri_fail(HR_FORMAT, "%llu bytes that are not gzip follow the gzip data at byte %llu; cut them off",
                        (unsigned long long)left, (unsigned long long)(at - unpacker->begin));
    inflateReset(&unpacker->stream);
    return HR_OK;
}

static hr_status fail_inflate(const struct unpacker *unpacker, int code)
{
    const unsigned long long at = (unsigned long long)(unpacker->stream.next_in - unpacker->begin);

    if (code == Z_MEM_ERROR)
        return hri_fail(HR_NO_MEMORY, "no memory to unpack gzip");
    if (unpacker->stream.next_in == unpacker->end && code == Z_BUF_ERROR)
        return hri_fail(HR_FORMAT, "truncated: the gzip data do not end within the file's %llu bytes", at);
    return hri_fail(HR_FORMAT, "damaged gzip data at byte %llu (%s)", at,
                    unpacker->stream.msg ? unpacker->stream.msg : "no reason given");
}

/* Unpacks up to `want` bytes; fewer at the end of the last member. */
static hr_status unpack(struct unpacker *unpacker, unsigned char *out, uint64_t want, uint64_t *got)
{
    z_stream *stream = &unpacker->stream;
    uint64_t filled = 0;

    while (filled < want && !unpacker->done) {
        const uint64_t room = least(want - filled, MOST_STEP);
        hr_status st = HR_OK;
        int code;

        stream->avail_in = (uInt)least((uint64_t)(unpacker->end - stream->next_in), MOST_STEP);
        stream->next_out = out + filled;
        stream->avail_out = (uInt)room;
        code = inflate(stream, Z_NO_FLUSH);
        filled += room - stream->avail_out;
        if (code == Z_STREAM_END)
            st = next_member(unpacker);
        else if (code != Z_OK)
            st = fail_inflate(unpacker, code);
        if (st != HR_OK)
            return st;
    }
    *got = filled;
    return HR_OK;
}

/* The rows behind the header: `have` bytes of them are in `first`, the rest is unpacked in place; then the data end. */
static hr_status unpack_rows(struct unpacker *unpacker, const struct hri_layout *layout, const unsigned char *first,
                             uint64_t have, unsigned char *rows)
{
    unsigned char beyond;
    uint64_t got, extra = 0;
    const uint64_t copied = least(have, layout->bytes);
    hr_status st;

    memcpy(rows, first, copied);
    st = unpack(unpacker, rows + copied, layout->bytes - copied, &got);
    if (st == HR_OK)
        st = unpack(unpacker, &beyond, 1, &extra);
    if (st != HR_OK)
        return st;
    if (copied + got < layout->bytes)
        return hri_fail(HR_FORMAT, "truncated: the header asks for %llu bytes of rows, %llu are there",
                        (unsigned long long)layout->bytes, (unsigned long long)(copied + got));
    if (have > copied || extra > 0)
        return hri_fail(HR_FORMAT, "more bytes follow the %llu bytes of rows that the header asks for",
                        (unsigned long long)layout->bytes);
    return HR_OK;
}

static hr_status unpack_file(struct unpacker *unpacker, unsigned char *head, struct hri_layout *layout,
                             unsigned char **rows)
{
    const uint64_t packed = (uint64_t)(unpacker->end - unpacker->begin);
    unsigned char *memory = NULL;
    struct hri_layout found;
    uint64_t have;
    hr_status st = unpack(unpacker, head, HRI_MOST_HEADER_BYTES, &have);

    if (st != HR_OK)
        return st;
    st = hri_format_parse(head, have, &found);
    if (st != HR_OK)
        return hri_fail_context(st, "inside gzip");
    if (found.bytes / MOST_RATIO > packed) /* before memory is asked for in vain */
        return hri_fail(HR_FORMAT, "truncated: the header asks for %llu bytes, which %llu bytes of gzip cannot hold",
                        (unsigned long long)found.bytes, (unsigned long long)packed);
    st = hri_rows_alloc(found.bytes, &memory);
    if (st != HR_OK)
        return st;
    st = unpack_rows(unpacker, &found, head + found.offset, have - found.offset, memory);
    if (st != HR_OK) {
        free(memory);
        return st;
    }
    *layout = found;
    *rows = memory;
    return HR_OK;
}

hr_status hri_gzip_load(const unsigned char *bytes, uint64_t size, struct hri_layout *layout, unsigned char **rows)
{
    struct unpacker unpacker;
    unsigned char *head = malloc(HRI_MOST_HEADER_BYTES);
    hr_status st;

    if (!head)
        return hri_fail(HR_NO_MEMORY, "no memory to unpack gzip");
    st = start(&unpacker, bytes, size);
    if (st == HR_OK) {
        st = unpack_file(&unpacker, head, layout, rows);
        inflateEnd(&unpacker.stream);
    }
    free(head);
    return st;
}

#else

hr_status hri_gzip_load(const unsigned char *bytes, uint64_t size, struct hri_layout *layout, unsigned char **rows)
{
    (void)bytes;
    (void)size;
    (void)layout;
    (void)rows;
    return hri_fail(HR_UNSUPPORTED, "is gzip, and this library was built without zlib; unpack the file (gunzip)");
}

#endif
