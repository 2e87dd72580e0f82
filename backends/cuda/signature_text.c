/* Kernels and their parameters, as a program's text declares them. */
#include "cuda/signature.h"
#include "cuda/words.h"

#include <stdio.h>
#include <string.h>

/* Words of a parameter that are no part of its type's name. */
static const char *const qualifiers[] = {"__global", "global",     "__local",     "local",    "__constant",
                                         "constant", "__private",  "private",     "const",    "volatile",
                                         "restrict", "__restrict", "__read_only", "read_only"};

static bool is_qualifier(const struct hri_cu_token *token)
{
    for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
        if (hri_cu_token_is(token, qualifiers[i]))
            return true;
    return false;
}

/* Behind the parenthesis that closes the one at `open`. */
static struct hri_cu_token behind(struct hri_cu_token open)
{
    int depth = 0;

    do {
        depth += *open.at == '(' ? 1 : *open.at == ')' ? -1 : 0;
        open = hri_cu_token_after(open);
    } while (open.length && depth > 0);
    return open;
}

/* The next kernel's name, from `token` on; *open: the parenthesis of its parameters. Length 0 when there is none. */
static struct hri_cu_token next_kernel(struct hri_cu_token token, struct hri_cu_token *open)
{
    struct hri_cu_token name = {.at = ""};
    bool armed = false;

    for (; token.length; token = hri_cu_token_after(token)) {
        struct hri_cu_token next = hri_cu_token_after(token);

        if (hri_cu_token_is(&token, "__kernel") || hri_cu_token_is(&token, "kernel"))
            armed = true;
        else if (armed && hri_cu_token_is(&token, "__attribute__"))
            token = (struct hri_cu_token){.at = behind(next).at}; /* of length 0: the loop goes to what is there */
        else if (armed && (*token.at == ';' || *token.at == '{' || *token.at == '#'))
            armed = false; /* no kernel of this text's own */
        else if (armed && token.word && *next.at == '(') {
            *open = next;
            return token;
        }
    }
    return name;
}

/* A parameter as far as it has been read. */
struct found {
    struct hri_cu_param param;
    bool pointer;
    unsigned words;     /* of the type and the name, before a star */
    size_t before_last; /* length of the type without the last word, which may be the name */
};

static void add_to_type(struct hri_cu_param *param, const char *text, size_t length)
{
    size_t used = strlen(param->type);

    snprintf(param->type + used, sizeof param->type - used, "%.*s", (int)length, text);
}

static void drop_name(struct found *found)
{
    if (found->words > 1)
        found->param.type[found->before_last] = '\0';
    found->words = 0;
}

static void add_token(struct found *found, const struct hri_cu_token *token)
{
    if (hri_cu_token_is(token, "__local") || hri_cu_token_is(token, "local"))
        found->param.kind = HRI_CU_PARAM_LOCAL;
    if (is_qualifier(token))
        return;
    if (*token->at == '*' || *token->at == '[') {
        if (*token->at == '[') /* the name stands before it */
            drop_name(found);
        found->pointer = true;
        add_to_type(&found->param, "*", 1);
    } else if (token->word && !found->pointer) {
        found->before_last = strlen(found->param.type);
        add_to_type(&found->param, " ", found->words > 0);
        add_to_type(&found->param, token->at, token->length);
        found->words++;
    }
}

/* One parameter, up to the comma or parenthesis that ends it. Empty or `void`: false. */
static bool one(struct hri_cu_token *token, struct hri_cu_param *param)
{
    struct found found = {.param = {.kind = HRI_CU_PARAM_SCALAR}};
    int depth = 0;

    for (; token->length; *token = hri_cu_token_after(*token)) {
        if (depth == 0 && (*token->at == ',' || *token->at == ')'))
            break;
        depth += *token->at == '(' ? 1 : *token->at == ')' ? -1 : 0;
        add_token(&found, token);
    }
    if (!found.pointer)
        drop_name(&found);
    else if (found.param.kind != HRI_CU_PARAM_LOCAL)
        found.param.kind = HRI_CU_PARAM_BUFFER;
    if (found.param.type[0] == '\0' || strcmp(found.param.type, "void") == 0)
        return false;
    *param = found.param;
    return true;
}

int hri_cu_params_text(const char *source, const char *name, struct hri_cu_param *params)
{
    struct hri_cu_token open;
    struct hri_cu_token token = hri_cu_token_first(source);
    int n = 0;

    do {
        token = next_kernel(token, &open);
        if (!token.length)
            return -1;
        if (hri_cu_token_is(&token, name))
            break;
        token = open;
    } while (true);
    do {
        struct hri_cu_param param;

        open = hri_cu_token_after(open);
        if (!one(&open, &param))
            break;
        if (params) {
            param.bytes = params[n].bytes;
            params[n] = param;
        }
        n++;
    } while (*open.at == ',');
    return n;
}

void hri_cu_kernels_text(const char *source, char *names, size_t room)
{
    struct hri_cu_token open;
    struct hri_cu_token token = next_kernel(hri_cu_token_first(source), &open);
    size_t used = 0;

    names[0] = '\0';
    for (; token.length && used < room; token = next_kernel(open, &open))
        used += (size_t)snprintf(names + used, room - used, "%s%.*s", used ? " " : "", (int)token.length, token.at);
}
