/* Texts that grow, and files. */
#include "nvrtc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fake_nvrtc_die(const char *what)
{
    fprintf(stderr, "simulated NVRTC: %s\n", what);
    abort();
}

static void make_room(struct fake_text *text, size_t n)
{
    if (text->length + n < text->room)
        return;
    text->room = (text->length + n) * 2 + 256;
    text->at = realloc(text->at, text->room);
    if (!text->at)
        fake_nvrtc_die("out of memory");
}

void fake_add_bytes(struct fake_text *text, const char *bytes, size_t n)
{
    make_room(text, n + 1);
    memcpy(text->at + text->length, bytes, n);
    text->length += n;
    text->at[text->length] = '\0';
}

void fake_add(struct fake_text *text, const char *format, ...)
{
    va_list args, again;
    int n;

    va_start(args, format);
    va_copy(again, args);
    n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    make_room(text, (size_t)n + 1);
    vsnprintf(text->at + text->length, (size_t)n + 1, format, again);
    va_end(again);
    text->length += (size_t)n;
}

char *fake_read_file(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rbe");
    struct fake_text text = {0};
    char part[4096];
    size_t n;

    if (!file)
        return NULL;
    while ((n = fread(part, 1, sizeof part, file)) > 0)
        fake_add_bytes(&text, part, n);
    fclose(file);
    if (!text.at)
        fake_add_bytes(&text, "", 0);
    *bytes = text.length;
    return text.at;
}
