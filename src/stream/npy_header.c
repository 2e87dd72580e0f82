/* The dictionary in a .npy header: the three keys that NumPy writes, once each, in any order, and nothing else. */
#include "stream/npy_header.h"

#include "core/message.h"
#include "core/util.h"

#include <string.h>

enum { SEEN_DESCR = 1, SEEN_ORDER = 2, SEEN_SHAPE = 4, SEEN_ALL = 7 };

struct cursor {
    const char *begin;
    const char *at;
    const char *end;
};

/* Printable ASCII, whatever the locale. */
static bool plain(char c)
{
    return c >= 0x20 && c < 0x7f;
}

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

/* What stands at the cursor, and what should. */
static hr_status expected(const struct cursor *cursor, const char *what)
{
    const char *at = cursor->at;
    unsigned long position = (unsigned long)(at - cursor->begin);

    if (at == cursor->end)
        return hri_fail(HR_FORMAT, ".npy header: %s expected at character %lu, where it ends", what, position);
    if (plain(*at))
        return hri_fail(HR_FORMAT, ".npy header: %s expected at character %lu, found '%c'", what, position, *at);
    return hri_fail(HR_FORMAT, ".npy header: %s expected at character %lu, found byte %02x", what, position,
                    (unsigned char)*at);
}

static void skip_space(struct cursor *cursor)
{
    while (cursor->at < cursor->end && *cursor->at != '\0' && strchr(" \t\r\n", *cursor->at))
        cursor->at++;
}

/* Takes one character and the space before it, if it is there. */
static bool take(struct cursor *cursor, char c)
{
    skip_space(cursor);
    if (cursor->at == cursor->end || *cursor->at != c)
        return false;
    cursor->at++;
    return true;
}

static bool take_word(struct cursor *cursor, const char *word)
{
    const size_t length = strlen(word);

    skip_space(cursor);
    if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, word, length) != 0)
        return false;
    cursor->at += length;
    return true;
}

/* A quoted string of printable characters without escapes. */
static hr_status read_string(struct cursor *cursor, const char *what, char *out, size_t room)
{
    char quote;
    size_t length = 0;

    skip_space(cursor);
    if (cursor->at == cursor->end || (*cursor->at != '\'' && *cursor->at != '"'))
        return expected(cursor, what);
    quote = *cursor->at++;
    for (; cursor->at < cursor->end && *cursor->at != quote; cursor->at++) {
        if (!plain(*cursor->at) || *cursor->at == '\\' || length + 1 >= room)
            return expected(cursor, "the end of a short plain string");
        out[length++] = *cursor->at;
    }
    if (cursor->at == cursor->end)
        return expected(cursor, "a closing quote");
    cursor->at++;
    out[length] = '\0';
    return HR_OK;
}

static hr_status read_descr(struct cursor *cursor, struct hri_npy_header *header)
{
    skip_space(cursor);
    if (cursor->at < cursor->end && (*cursor->at == '[' || *cursor->at == '(' || *cursor->at == '{'))
        return hri_fail(HR_FORMAT, "a structured element type; save each field as an array of its own");
    return read_string(cursor, "an element type such as '<f4'", header->descr, sizeof header->descr);
}

static hr_status read_order(struct cursor *cursor, struct hri_npy_header *header)
{
    header->fortran_order = take_word(cursor, "True");
    if (header->fortran_order || take_word(cursor, "False"))
        return HR_OK;
    return expected(cursor, "True or False");
}

/* A count; Python 2 wrote long ones with an L. */
static hr_status read_count(struct cursor *cursor, uint64_t *out)
{
    uint64_t value = 0;

    skip_space(cursor);
    if (cursor->at == cursor->end || !digit(*cursor->at))
        return expected(cursor, "a count or ')'");
    for (; cursor->at < cursor->end && digit(*cursor->at); cursor->at++) {
        if (hri_mul_overflows(value, 10, &value) || hri_add_overflows(value, (uint64_t)(*cursor->at - '0'), &value))
            return hri_fail(HR_FORMAT, ".npy header: a dimension of shape is over 64 bits");
    }
    if (cursor->at < cursor->end && *cursor->at == 'L')
        cursor->at++;
    *out = value;
    return HR_OK;
}

static hr_status read_shape(struct cursor *cursor, struct hri_npy_header *header)
{
    bool comma = true;

    header->rank = 0;
    if (!take(cursor, '('))
        return expected(cursor, "'(' of the shape");
    while (!take(cursor, ')')) {
        hr_status st;

        if (!comma)
            return expected(cursor, "',' or ')' of the shape");
        if (header->rank == HR_MAX_RANK)
            return hri_fail(HR_FORMAT, "more than %d dimensions; merge some (reshape)", HR_MAX_RANK);
        st = read_count(cursor, &header->shape[header->rank]);
        if (st != HR_OK)
            return st;
        header->rank++;
        comma = take(cursor, ',');
    }
    if (header->rank == 1 && !comma)
        return hri_fail(HR_FORMAT, ".npy header: the shape is a number in brackets, not a tuple");
    return HR_OK;
}

static hr_status read_entry(struct cursor *cursor, struct hri_npy_header *header, unsigned *seen)
{
    static const struct {
        const char *key;
        unsigned bit;
        hr_status (*read)(struct cursor *cursor, struct hri_npy_header *header);
    } entries[] = {{"descr", SEEN_DESCR, read_descr},
                   {"fortran_order", SEEN_ORDER, read_order},
                   {"shape", SEEN_SHAPE, read_shape}};
    char key[32];
    hr_status st = read_string(cursor, "a key or '}'", key, sizeof key);

    if (st != HR_OK)
        return st;
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        if (strcmp(entries[i].key, key) != 0)
            continue;
        if (*seen & entries[i].bit)
            return hri_fail(HR_FORMAT, ".npy header: the key '%s' stands there twice", key);
        *seen |= entries[i].bit;
        return take(cursor, ':') ? entries[i].read(cursor, header) : expected(cursor, "':'");
    }
    return hri_fail(HR_FORMAT, ".npy header: the key '%s' is none of descr, fortran_order, shape", key);
}

hr_status hri_npy_header_read(const char *at, const char *end, struct hri_npy_header *header)
{
    struct cursor cursor = {at, at, end};
    struct hri_npy_header read = {.rank = 0};
    unsigned seen = 0;
    bool comma = true;

    if (!take(&cursor, '{'))
        return expected(&cursor, "'{'");
    while (!take(&cursor, '}')) {
        hr_status st = comma ? read_entry(&cursor, &read, &seen) : expected(&cursor, "',' or '}'");

        if (st != HR_OK)
            return st;
        comma = take(&cursor, ',');
    }
    skip_space(&cursor);
    if (cursor.at != cursor.end)
        return expected(&cursor, "nothing but space");
    if (seen != SEEN_ALL)
        return hri_fail(HR_FORMAT, ".npy header: the key '%s' is missing",
                        !(seen & SEEN_DESCR)   ? "descr"
                        : !(seen & SEEN_ORDER) ? "fortran_order"
                                               : "shape");
    *header = read;
    return HR_OK;
}
