/* The words of a program's text; see words.h. */
#include "cuda/words.h"

#include <ctype.h>
#include <string.h>

static const char *skip_string(const char *text)
{
    const char quote = *text++;

    while (*text && *text != quote && *text != '\n')
        text += text[0] == '\\' && text[1] ? 2 : 1;
    return *text == quote ? text + 1 : text;
}

/* Past white space, comments and strings. */
static const char *skip(const char *text)
{
    for (;;) {
        const char *end;

        if (isspace((unsigned char)*text)) {
            text++;
        } else if (text[0] == '/' && text[1] == '/') {
            text += strcspn(text, "\n");
        } else if (text[0] == '/' && text[1] == '*') {
            end = strstr(text + 2, "*/");
            text = end ? end + 2 : text + strlen(text);
        } else if (*text == '"' || *text == '\'') {
            text = skip_string(text);
        } else {
            return text;
        }
    }
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

struct hri_cu_token hri_cu_token_first(const char *text)
{
    struct hri_cu_token token = {.at = skip(text)};

    token.word = in_word(*token.at);
    while (token.word && in_word(token.at[token.length]))
        token.length++;
    if (!token.word && *token.at)
        token.length = 1;
    return token;
}

struct hri_cu_token hri_cu_token_after(struct hri_cu_token token)
{
    return hri_cu_token_first(token.at + token.length);
}

bool hri_cu_token_is(const struct hri_cu_token *token, const char *word)
{
    return token->length == strlen(word) && strncmp(token->at, word, token->length) == 0;
}
