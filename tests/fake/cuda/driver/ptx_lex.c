/* PTX: words, numbers and signs; and what is wrong with them. */
#include "ptx.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.';
}

/* Over spaces and comments. */
static const char *skip(const char *at, unsigned *line)
{
    for (;;) {
        if (*at == '\n')
            ++*line;
        if (isspace((unsigned char)*at)) {
            at++;
        } else if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");

            for (const char *c = at; c < (end ? end : at + strlen(at)); c++)
                *line += *c == '\n';
            at = end ? end + 2 : at + strlen(at);
        } else {
            return at;
        }
    }
}

void ptx_next(struct ptx_reader *reader)
{
    struct ptx_token *token = &reader->token;

    token->at = skip(token->at + token->length, &token->line);
    token->length = *token->at != '\0';
    if (in_word(*token->at))
        while (in_word(token->at[token->length]))
            token->length++;
}

bool ptx_same(const char *a, size_t length, const char *b, size_t other)
{
    return length == other && memcmp(a, b, length) == 0;
}

bool ptx_is(const struct ptx_token *token, const char *text)
{
    return ptx_same(token->at, token->length, text, strlen(text));
}

bool ptx_take(struct ptx_reader *reader, const char *text)
{
    if (!ptx_is(&reader->token, text))
        return false;
    ptx_next(reader);
    return true;
}

void ptx_want(struct ptx_reader *reader, const char *text)
{
    char what[64];

    if (ptx_take(reader, text))
        return;
    snprintf(what, sizeof what, "\"%s\" is missing before", text);
    ptx_refuse(reader, what);
}

/* 12, 0x1f, 17U, and floating point as bits: 0f3f800000, 0d3ff0000000000000. */
bool ptx_number(const struct ptx_token *token, int64_t *number)
{
    char text[32], *end;

    if (token->length == 0 || token->length >= sizeof text || !isdigit((unsigned char)*token->at))
        return false;
    memcpy(text, token->at, token->length);
    text[token->length] = '\0';
    if (text[0] == '0' && strchr("fFdD", text[1]) && text[1])
        *number = (int64_t)strtoull(text + 2, &end, 16);
    else
        *number = (int64_t)strtoull(text, &end, 0);
    if (*end == 'U')
        end++;
    return *end == '\0';
}

void *ptx_grow(void *list, unsigned n, size_t bytes)
{
    void *larger = realloc(list, (n + 1) * bytes);

    if (!larger)
        fake_die("out of memory");
    memset((char *)larger + n * bytes, 0, bytes);
    return larger;
}

void ptx_refuse_at(struct ptx_reader *reader, unsigned line, const char *what, const char *name, size_t length)
{
    if (reader->code)
        return;
    reader->code = HRI_CU_INVALID_PTX;
    snprintf(reader->log->text, sizeof reader->log->text, "line %u: %s \"%.*s\"", line, what, (int)length, name);
}

void ptx_refuse(struct ptx_reader *reader, const char *what)
{
    ptx_refuse_at(reader, reader->token.line, what, reader->token.at, reader->token.length);
}
