/*
 * OpenCL C's address spaces, for a C++ compiler that knows none. In CUDA a pointer reaches whatever it points to, so
 * the words before pointers go away; a variable of __local becomes __shared__, and __constant a const. They are
 * replaced in place, since as macros `global` and `constant` would break NVRTC's own attributes, and since a macro
 * cannot tell `__local float sums[64];` from `__local float *sums`. Lines and columns stay what they are.
 */
#include "cuda/compile.h"
#include "cuda/words.h"

#include <stdlib.h>
#include <string.h>

static const char first_line[] = "#line 1 \"program\"\n";

/* "__local", or "local": OpenCL C has both. */
static bool is_space(const struct hri_cu_token *token, const char *name)
{
    return hri_cu_token_is(token, name) || hri_cu_token_is(token, name + 2);
}

/* The declarator behind a word is a pointer's: a star comes before what ends it. */
static bool pointer_follows(struct hri_cu_token token)
{
    do {
        token = hri_cu_token_after(token);
        if (*token.at == '*')
            return true;
    } while (token.length && !strchr(";,)=[{(", *token.at));
    return false;
}

static bool is_vector(const struct hri_cu_token *token)
{
    static const char *const types[] = {"float2", "float4", "int2", "int4", "uint2", "uint4"};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (hri_cu_token_is(token, types[i]))
            return true;
    return false;
}

/* "(float4)(" is a vector of what follows, which C++ would take for a cast: hrfloat4( has the same room. */
static void make_literal(char *text, struct hri_cu_token open)
{
    const struct hri_cu_token type = hri_cu_token_after(open), close = hri_cu_token_after(type);
    const size_t room = (size_t)(close.at - open.at) + 1;

    if (!is_vector(&type) || *close.at != ')' || *hri_cu_token_after(close).at != '(')
        return;
    memmove(text + 2, type.at, type.length);
    memset(text + 2 + type.length, ' ', room - 2 - type.length);
    memcpy(text, "hr", 2);
}

static bool is_const(struct hri_cu_token token)
{
    return hri_cu_token_is(&token, "const");
}

static void translate(char *text)
{
    bool after_const = false;

    for (struct hri_cu_token token = hri_cu_token_first(text); token.length; token = hri_cu_token_after(token)) {
        char *word = text + (token.at - text);

        if (*word == '(') {
            make_literal(word, token);
        } else if (is_space(&token, "__global") || is_space(&token, "__private")) {
            memset(word, ' ', token.length);
        } else if (is_space(&token, "__local")) {
            if (pointer_follows(token)) /* else the prelude's macro makes it __shared__ */
                memset(word, ' ', token.length);
        } else if (is_space(&token, "__constant")) {
            bool twice = after_const || is_const(hri_cu_token_after(token));

            memset(word, ' ', token.length);
            if (!twice)
                memcpy(word, "const", 5);
        }
        after_const = is_const(token);
    }
}

char *hri_cu_dialect(const char *source)
{
    const size_t prelude = strlen(hri_cu_prelude), line = sizeof first_line - 1, bytes = strlen(source) + 1;
    char *text = malloc(prelude + line + bytes);

    if (!text)
        return NULL;
    memcpy(text, hri_cu_prelude, prelude);
    memcpy(text + prelude, first_line, line);
    memcpy(text + prelude + line, source, bytes);
    translate(text + prelude + line);
    return text;
}
