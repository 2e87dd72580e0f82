/* Walks through the words of a program's text: what identifiers there are outside of comments and strings. */
#ifndef HRB_CUDA_WORDS_H
#define HRB_CUDA_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* One piece of text: an identifier or a number (word true), or a single character of anything else. */
struct hri_cu_token {
    const char *at;
    size_t length;
    bool word;
};

/* The first token from `text` on, which is past white space, comments and strings; length 0 at the end. */
struct hri_cu_token hri_cu_token_first(const char *text);
/* The token behind this one. */
struct hri_cu_token hri_cu_token_after(struct hri_cu_token token);
/* The token is exactly this. */
bool hri_cu_token_is(const struct hri_cu_token *token, const char *word);

#endif
