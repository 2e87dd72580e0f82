/* Kernels and their parameters, as PTX declares them: .entry name (.param .u64 .ptr .global .align 4 x, ...). */
#include "cuda/signature.h"
#include "cuda/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name behind the next .entry; length 0 when there is none. */
static struct hri_cu_token next_entry(struct hri_cu_token token)
{
    for (; token.length; token = hri_cu_token_after(token)) {
        struct hri_cu_token word = hri_cu_token_after(token);

        if (*token.at == '.' && hri_cu_token_is(&word, "entry"))
            return hri_cu_token_after(word);
    }
    return token;
}

/* Bytes of "u64" and the like, 0 for another word. */
static uint32_t type_bytes(const struct hri_cu_token *type)
{
    const unsigned long bits = type->length > 1 && strchr("usbf", *type->at) ? strtoul(type->at + 1, NULL, 10) : 0;

    return bits >= 8 && bits <= 64 ? (uint32_t)bits / 8 : 0;
}

/* One parameter, up to the comma or parenthesis that ends it. */
static struct hri_cu_param one(struct hri_cu_token *token)
{
    struct hri_cu_param param = {.kind = HRI_CU_PARAM_SCALAR};
    bool number = false; /* surely no address: an array, or floating */

    for (; token->length && *token->at != ',' && *token->at != ')'; *token = hri_cu_token_after(*token)) {
        struct hri_cu_token next = hri_cu_token_after(*token);

        if (*token->at == '.' && type_bytes(&next)) {
            param.bytes = type_bytes(&next);
            number = *next.at == 'f';
        } else if (*token->at == '.' && hri_cu_token_is(&next, "ptr")) {
            param.kind = HRI_CU_PARAM_BUFFER;
        } else if (*token->at == '[') {
            number = true;
            param.bytes *= (uint32_t)strtoul(next.at, NULL, 10);
        }
    }
    if (param.kind == HRI_CU_PARAM_SCALAR && param.bytes == 8 && !number)
        param.kind = HRI_CU_PARAM_UNKNOWN; /* an address, or a number of 64 bits */
    return param;
}

int hri_cu_params_ptx(const char *ptx, const char *name, struct hri_cu_param *params)
{
    struct hri_cu_token token = next_entry(hri_cu_token_first(ptx));
    int n = 0;

    while (token.length && !hri_cu_token_is(&token, name))
        token = next_entry(token);
    if (!token.length)
        return -1;
    token = hri_cu_token_after(token);
    if (*token.at != '(' || *hri_cu_token_after(token).at == ')')
        return 0;
    do {
        struct hri_cu_param param;

        token = hri_cu_token_after(token);
        param = one(&token);
        if (params)
            params[n] = param;
        n++;
    } while (*token.at == ',');
    return n;
}

void hri_cu_kernels_ptx(const char *ptx, char *names, size_t room)
{
    size_t used = 0;

    names[0] = '\0';
    for (struct hri_cu_token token = next_entry(hri_cu_token_first(ptx)); token.length && used < room;
         token = next_entry(token))
        used += (size_t)snprintf(names + used, room - used, "%s%.*s", used ? " " : "", (int)token.length, token.at);
}
