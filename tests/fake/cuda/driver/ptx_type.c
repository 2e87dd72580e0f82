/* PTX: types. */
#include "ptx.h"

#include <string.h>

static const struct {
    const char *text;
    unsigned bytes;
    char class;
} types[] = {{"", 0, 0},
#define PTX_TYPE(name, text, bytes, class) {text, bytes, class},
             PTX_TYPES(PTX_TYPE)
#undef PTX_TYPE
};

enum ptx_type ptx_type_of(const char *text, size_t length)
{
    for (size_t i = 1; i < sizeof types / sizeof *types; i++)
        if (ptx_same(text, length, types[i].text, strlen(types[i].text)))
            return (enum ptx_type)i;
    return PTX_NONE;
}

unsigned ptx_bytes(enum ptx_type type)
{
    return types[type].bytes;
}

char ptx_class(enum ptx_type type)
{
    return types[type].class;
}

/* Signed and unsigned integers agree, bits with everything of their size. */
bool ptx_agree(enum ptx_type instruction, enum ptx_type operand)
{
    char a = ptx_class(instruction), b = ptx_class(operand);

    if (a == 'p' || b == 'p')
        return a == b;
    if (ptx_bytes(instruction) != ptx_bytes(operand))
        return false;
    return a == 'b' || b == 'b' || (a == 'f') == (b == 'f');
}
