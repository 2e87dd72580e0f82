/* Writes one JSON document: nesting, commas, escapes. */
#include "cli.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void indent(struct cli_json *json)
{
    fputc('\n', json->file);
    for (unsigned i = 0; i < json->depth; i++)
        fputs("  ", json->file);
}

/* The length of the UTF-8 sequence at `s`, 0 when it is none: driver texts come in any encoding. */
static unsigned sequence_length(const unsigned char *s)
{
    unsigned n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : 0;

    if (n == 0 && s[0] >= 0xf0 && s[0] < 0xf5)
        n = 4;
    for (unsigned i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0; /* the closing NUL ends the loop too */
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] >= 0x90))
        return 0; /* overlong, a surrogate, or beyond the last code point */
    return n;
}

static void put_string(FILE *file, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    fputc('"', file);
    while (*s) {
        unsigned n = sequence_length(s);

        if (n == 0)
            fputs("\\ufffd", file);
        else if (*s == '"' || *s == '\\')
            fprintf(file, "\\%c", *s);
        else if (*s < 0x20 || *s == 0x7f)
            fprintf(file, "\\u%04x", *s);
        else
            fwrite(s, 1, n, file);
        s += n ? n : 1;
    }
    fputc('"', file);
}

static void begin_value(struct cli_json *json, const char *key)
{
    if (json->depth > 0) {
        if (json->filled[json->depth - 1])
            fputc(',', json->file);
        json->filled[json->depth - 1] = true;
        indent(json);
    }
    if (key) {
        put_string(json->file, key);
        fputs(": ", json->file);
    }
}

void cli_json_open(struct cli_json *json, const char *key, char opener)
{
    begin_value(json, key);
    fputc(opener, json->file);
    json->closer[json->depth] = opener == '{' ? '}' : ']';
    json->filled[json->depth] = false;
    json->depth++;
}

void cli_json_close(struct cli_json *json)
{
    json->depth--;
    if (json->filled[json->depth])
        indent(json);
    fputc(json->closer[json->depth], json->file);
}

void cli_json_begin(struct cli_json *json, FILE *file)
{
    memset(json, 0, sizeof *json);
    json->file = file;
    cli_json_open(json, NULL, '{');
}

void cli_json_end(struct cli_json *json)
{
    cli_json_close(json);
    fputc('\n', json->file);
}

void cli_json_text(struct cli_json *json, const char *key, const char *text)
{
    begin_value(json, key);
    put_string(json->file, text);
}

void cli_json_count(struct cli_json *json, const char *key, uint64_t value)
{
    begin_value(json, key);
    fprintf(json->file, "%" PRIu64, value);
}

void cli_json_real(struct cli_json *json, const char *key, double value)
{
    begin_value(json, key);
    if (isfinite(value))
        fprintf(json->file, "%.6g", value);
    else
        fputs("null", json->file);
}

void cli_json_flag(struct cli_json *json, const char *key, bool value)
{
    begin_value(json, key);
    fputs(value ? "true" : "false", json->file);
}

void cli_json_device(struct cli_json *json, const char *key, const hr_device_info *info)
{
    cli_json_open(json, key, '{');
    cli_json_text(json, "selector", info->selector);
    cli_json_text(json, "backend", info->backend);
    cli_json_text(json, "kind", cli_kind_name(info->kind));
    cli_json_text(json, "name", info->name);
    cli_json_text(json, "platform", info->platform);
    cli_json_text(json, "driver", info->driver);
    cli_json_close(json);
}
