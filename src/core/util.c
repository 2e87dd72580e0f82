/* Callers' structs, time, the nearest name, sizes as text. */
#include "core/util.h"

#include "core/message.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { NAME_BYTES = 64 };

/* The size that a caller's struct states; 0 when it is refused, which has been described. */
static uint32_t stated_size(const void *theirs, size_t least, const char *name)
{
    uint32_t size;

    if (!theirs) {
        hri_fail(HR_INVALID, "the %s is NULL", name);
        return 0;
    }
    memcpy(&size, theirs, sizeof size);
    if (size >= least)
        return size;
    hri_fail(HR_INVALID, "%s.size is %u, at least %zu is needed; set it to sizeof(%s)", name, size, least, name);
    return 0;
}

hr_status hri_struct_in(void *to, size_t ours, const void *from, size_t least, const char *name)
{
    uint32_t size = stated_size(from, least, name), set = (uint32_t)ours;

    if (size == 0)
        return HR_INVALID;
    memset(to, 0, ours);
    memcpy(to, from, size < ours ? size : ours);
    memcpy(to, &set, sizeof set);
    return HR_OK;
}

hr_status hri_struct_out(void *to, const void *from, size_t ours, size_t least, const char *name)
{
    uint32_t size = stated_size(to, least, name);

    if (size == 0)
        return HR_INVALID;
    memcpy((char *)to + sizeof size, (const char *)from + sizeof size, (size < ours ? size : ours) - sizeof size);
    return HR_OK;
}

void hri_text_copy(char *to, size_t room, const char *from)
{
    size_t length = strnlen(from, room - 1);

    memcpy(to, from, length);
    to[length] = '\0';
}

uint64_t hri_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static unsigned least_of(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours (optimal string alignment), in any case. */
static unsigned distance(const char *a, size_t la, const char *b, size_t lb)
{
    unsigned rows[3][NAME_BYTES];
    unsigned *before = rows[0], *above = rows[1], *here = rows[2];

    for (size_t j = 0; j <= lb; j++)
        above[j] = (unsigned)j;
    for (size_t i = 1; i <= la; i++) {
        unsigned *oldest = before;

        here[0] = (unsigned)i;
        for (size_t j = 1; j <= lb; j++) {
            unsigned best = above[j - 1] + !same_letter(a[i - 1], b[j - 1]);

            best = least_of(best, least_of(above[j], here[j - 1]) + 1);
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
                best = least_of(best, before[j - 2] + 1);
            here[j] = best;
        }
        before = above;
        above = here;
        here = oldest;
    }
    return above[lb];
}

const char *hri_nearest(const char *text, const char *const *names, size_t n)
{
    size_t length = strlen(text);
    const char *nearest = NULL;
    unsigned best = (unsigned)(length + 2) / 3 + 1; /* a third of the letters wrong is still near */

    if (length == 0 || length >= NAME_BYTES)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        size_t name_length = strlen(names[i]);
        unsigned away;

        if (name_length >= NAME_BYTES)
            continue;
        away = distance(text, length, names[i], name_length);
        if (away < best) {
            best = away;
            nearest = names[i];
        }
    }
    return nearest;
}

const char *hri_bytes_text(uint64_t bytes, char *out)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    unsigned shift = 10, unit = 0;

    if (bytes < 1024) {
        snprintf(out, 32, "%u bytes", (unsigned)bytes);
        return out;
    }
    while (unit < 5 && bytes >> shift >= 1024) {
        shift += 10;
        unit++;
    }
    if (bytes & ((UINT64_C(1) << shift) - 1))
        snprintf(out, 32, "%.1f %s", (double)bytes / (double)(UINT64_C(1) << shift), units[unit]);
    else
        snprintf(out, 32, "%u %s", (unsigned)(bytes >> shift), units[unit]);
    return out;
}
