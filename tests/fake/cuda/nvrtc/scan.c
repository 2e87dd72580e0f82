/* Finds the kernels in a text without macros: extern "C" functions that are __global__. */
#include "nvrtc.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct token {
    const char *at;
    size_t length;
};

/* The next token; of no length at the end. Strings and characters are one token; lines of the preprocessor none. */
static struct token next(const char *at)
{
    struct token token;
    char quote;

    for (;;) {
        while (isspace((unsigned char)*at))
            at++;
        if (*at != '#')
            break;
        at += strcspn(at, "\n");
    }
    token = (struct token){.at = at, .length = *at != '\0'};
    if (isalnum((unsigned char)*at) || *at == '_') {
        while (isalnum((unsigned char)at[token.length]) || at[token.length] == '_')
            token.length++;
    } else if (*at == '"' || *at == '\'') {
        quote = *at;
        while (at[token.length] && at[token.length] != quote)
            token.length += at[token.length] == '\\' && at[token.length + 1] ? 2 : 1;
        token.length += at[token.length] == quote;
    }
    return token;
}

static struct token after(struct token token)
{
    return next(token.at + token.length);
}

static bool is(struct token token, const char *text)
{
    return token.length == strlen(text) && strncmp(token.at, text, token.length) == 0;
}

static bool is_name(struct token token)
{
    return token.length > 0 && (isalpha((unsigned char)*token.at) || *token.at == '_');
}

/* From an opening bracket to the token behind the one that closes it. */
static struct token skip(struct token open)
{
    int depth = 0;

    do {
        if (is(open, "(") || is(open, "{") || is(open, "["))
            depth++;
        if (is(open, ")") || is(open, "}") || is(open, "]"))
            depth--;
        open = after(open);
    } while (depth > 0 && open.length);
    return open;
}

static bool has_shared(struct token from, const char *end)
{
    for (; from.length && from.at < end; from = after(from))
        if (is(from, "__shared__"))
            return true;
    return false;
}

/* From "__global__" on: the name, which is the last before the parameters. The token behind the head, or of no
 * length. */
static struct token head(struct token token, struct token *name)
{
    *name = (struct token){.at = token.at};
    for (; token.length && !is(token, ";") && !is(token, "{"); token = after(token)) {
        if (is_name(token))
            *name = token;
        if (!is(token, "("))
            continue;
        if (!is(*name, "__launch_bounds__") && !is(*name, "__attribute__"))
            return skip(token);
        token = skip(token);
        token.length = 0; /* so that after() answers what skip() did */
    }
    return (struct token){.at = token.at};
}

int fake_scan(const char *text, struct fake_found *found, int room)
{
    bool c = false;             /* since the last end of a declaration there was extern "C" */
    const char *c_block = text; /* what comes before this is in a block of extern "C" */
    bool shared_outside = false;
    int n = 0;

    for (struct token token = next(text); token.length; token = after(token)) {
        struct token name, behind;

        if (is(token, ";") || is(token, "}"))
            c = false;
        if (is(token, "\"C\"")) {
            c = true;
            if (is(after(token), "{"))
                c_block = skip(after(token)).at;
        }
        shared_outside = shared_outside || is(token, "__shared__");
        if (!is(token, "__global__") || !(c || token.at < c_block))
            continue;
        behind = head(token, &name);
        if (!is(behind, "{") || name.length >= sizeof found->name)
            continue;
        if (n < room) {
            struct token end = skip(behind);

            snprintf(found[n].name, sizeof found[n].name, "%.*s", (int)name.length, name.at);
            found[n].shared = has_shared(behind, end.at);
            n++;
            token = (struct token){.at = end.at};
            c = false;
        }
    }
    for (int i = 0; i < n; i++)
        found[i].shared = found[i].shared || shared_outside;
    return n;
}
