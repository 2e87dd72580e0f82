/* Reads standard input and succeeds if it is one JSON document: where there is no python3 to say so. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *at;

static bool value(unsigned depth);

static void space(void)
{
    while (*at && strchr(" \t\r\n", *at))
        at++;
}

static bool take(char c)
{
    space();
    if (*at != c)
        return false;
    at++;
    return true;
}

static bool escape(void)
{
    if (*at && strchr("\"\\/bfnrt", *at)) {
        at++;
        return true;
    }
    if (*at++ != 'u')
        return false;
    for (int i = 0; i < 4; i++)
        if (!isxdigit((unsigned char)*at++))
            return false;
    return true;
}

static bool string(void)
{
    if (!take('"'))
        return false;
    while (*at != '"') {
        if ((unsigned char)*at < 0x20)
            return false; /* the closing NUL too */
        if (*at++ == '\\' && !escape())
            return false;
    }
    at++;
    return true;
}

static bool digits(void)
{
    const char *first = at;

    while (isdigit((unsigned char)*at))
        at++;
    return at > first;
}

static bool number(void)
{
    if (*at == '-')
        at++;
    if (*at == '0')
        at++;
    else if (!digits())
        return false;
    if (*at == '.' && (at++, !digits()))
        return false;
    if (*at != 'e' && *at != 'E')
        return true;
    at++;
    if (*at == '+' || *at == '-')
        at++;
    return digits();
}

static bool members(char closer, bool named, unsigned depth)
{
    if (take(closer))
        return true;
    do {
        if (named && !(string() && take(':')))
            return false;
        if (!value(depth))
            return false;
    } while (take(','));
    return take(closer);
}

static bool word(const char *text)
{
    if (strncmp(at, text, strlen(text)) != 0)
        return false;
    at += strlen(text);
    return true;
}

static bool value(unsigned depth)
{
    if (depth == 0)
        return false;
    space();
    if (*at == '"')
        return string();
    if (take('{'))
        return members('}', true, depth - 1);
    if (take('['))
        return members(']', false, depth - 1);
    return word("true") || word("false") || word("null") || number();
}

int main(void)
{
    static char text[1 << 20];
    size_t n = fread(text, 1, sizeof text - 1, stdin);
    bool good;

    at = text;
    good = strlen(text) == n && value(32);
    space();
    if (good && !*at)
        return EXIT_SUCCESS;
    fprintf(stderr, "no JSON document: wrong at byte %zu\n", (size_t)(at - text));
    return EXIT_FAILURE;
}
