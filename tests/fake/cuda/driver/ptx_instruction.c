/* PTX: instructions, which are a name and what modifies it; the last of those are types. */
#include "ptx.h"

#include <string.h>

static const struct {
    const char *text;
    enum ptx_op op;
} ops[] = {
#define PTX_OP(name, text, operands) {text, PTX_##name},
    PTX_OPS(PTX_OP)
#undef PTX_OP
};

/* A modifier that sets one member to a value, for the instructions in `of` (a blank before and behind each). */
static const struct {
    const char *text;
    enum { MODE, SPACE, COMPARE, ROUND, VECTOR, SATURATE, VOLATILE, NOTHING } member;
    int value;
    const char *of;
} modifiers[] = {
    {"lo", MODE, PTX_LO, " mul mad "},
    {"hi", MODE, PTX_HI, " mul mad "},
    {"wide", MODE, PTX_WIDE, " mul mad "},
    {"global", SPACE, PTX_GLOBAL, " ld st atom red cvta "},
    {"param", SPACE, PTX_PARAM, " ld "},
    {"eq", COMPARE, PTX_EQ, " setp "},
    {"ne", COMPARE, PTX_NE, " setp "},
    {"lt", COMPARE, PTX_LT, " setp "},
    {"le", COMPARE, PTX_LE, " setp "},
    {"gt", COMPARE, PTX_GT, " setp "},
    {"ge", COMPARE, PTX_GE, " setp "},
    {"lo", COMPARE, PTX_LT, " setp "},
    {"ls", COMPARE, PTX_LE, " setp "},
    {"hi", COMPARE, PTX_GT, " setp "},
    {"hs", COMPARE, PTX_GE, " setp "},
    {"rn", ROUND, PTX_RN, " add sub mul fma mad div sqrt cvt "},
    {"rz", ROUND, PTX_RZ, " cvt "},
    {"rni", ROUND, PTX_RNI, " cvt "},
    {"rzi", ROUND, PTX_RZI, " cvt "},
    {"rmi", ROUND, PTX_RMI, " cvt "},
    {"rpi", ROUND, PTX_RPI, " cvt "},
    {"v2", VECTOR, 2, " ld st "},
    {"v4", VECTOR, 4, " ld st "},
    {"sat", SATURATE, 1, " cvt "},
    {"add", NOTHING, 0, " atom red "},
    {"nc", NOTHING, 0, " ld "},
    {"ca", NOTHING, 0, " ld "},
    {"cg", NOTHING, 0, " ld st "},
    {"cs", NOTHING, 0, " ld st "},
    {"volatile", VOLATILE, 1, " ld st "},
    {"relaxed", VOLATILE, 1, " ld st atom red "},
    {"sys", NOTHING, 0, " ld st atom red "},
    {"gpu", NOTHING, 0, " ld st atom red "},
    {"to", NOTHING, 0, " cvta "},
    {"uni", NOTHING, 0, " bra ret "},
    {"sync", NOTHING, 0, " bar "},
};

static void set(struct ptx_instruction *instruction, size_t i)
{
    int value = modifiers[i].value;

    switch (modifiers[i].member) {
    case MODE:
        instruction->mode = (enum ptx_mode)value;
        break;
    case SPACE:
        instruction->space = (enum ptx_space)value;
        break;
    case COMPARE:
        instruction->compare = (enum ptx_compare)value;
        break;
    case ROUND:
        instruction->round = (enum ptx_round)value;
        break;
    case VECTOR:
        instruction->vector = (unsigned)value;
        break;
    case SATURATE:
        instruction->saturate = true;
        break;
    case VOLATILE:
        instruction->is_volatile = true;
        break;
    case NOTHING:
        break;
    }
}

static bool is_of(const char *list, enum ptx_op op)
{
    const char *name = ops[op].text;
    size_t length = strlen(name);

    for (const char *at = strstr(list, name); at; at = strstr(at + 1, name))
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

static bool modify(struct ptx_instruction *instruction, const char *text, size_t length)
{
    enum ptx_type type = ptx_type_of(text, length);

    if (type != PTX_NONE) {
        if (instruction->from != PTX_NONE || (instruction->type != PTX_NONE && instruction->op != PTX_CVT))
            return false;
        if (instruction->type == PTX_NONE)
            instruction->type = type;
        else
            instruction->from = type;
        return true;
    }
    for (size_t i = 0; i < sizeof modifiers / sizeof *modifiers; i++)
        if (ptx_same(text, length, modifiers[i].text, strlen(modifiers[i].text)) &&
            is_of(modifiers[i].of, instruction->op)) {
            set(instruction, i);
            return true;
        }
    return false;
}

/* What an instruction must and must not have, so far as it would mean something else without. */
static const char *lacks(const struct ptx_instruction *instruction)
{
    static const char untyped[] = " bar bra exit ret ";
    const char class = ptx_class(instruction->type);
    const bool integer = class == 'u' || class == 's';

    if (is_of(untyped, instruction->op))
        return instruction->type == PTX_NONE ? NULL : "this has no type:";
    if (instruction->type == PTX_NONE)
        return "no type in";
    if (is_of(" ld st atom red cvta ", instruction->op) && instruction->space == PTX_NO_SPACE)
        return "no space, or one that is not known here, in";
    if (instruction->op == PTX_SETP && instruction->compare == PTX_NO_COMPARE)
        return "no comparison in";
    if (instruction->op == PTX_CVT && instruction->from == PTX_NONE)
        return "a second type is missing in";
    if ((instruction->op == PTX_MUL || instruction->op == PTX_MAD) && integer && instruction->mode == PTX_PLAIN)
        return "lo, hi or wide is missing in";
    if (instruction->round != PTX_NO_ROUND && class != 'f' && instruction->op != PTX_CVT)
        return "nothing is rounded in";
    if (is_of(" fma sqrt ", instruction->op) && (class != 'f' || instruction->round == PTX_NO_ROUND))
        return "a rounding is missing in";
    if (is_of(" and or xor not shl ", instruction->op) && class != 'b' && class != 'p')
        return "the type has to be bits in";
    if (is_of(" add sub mul mad div rem min max neg abs shr ", instruction->op) && !integer && class != 'f' &&
        !(instruction->op == PTX_SHR && class == 'b'))
        return "the type has to be a number's in";
    if (is_of(" mad rem shr ", instruction->op) && class == 'f')
        return "the type has to be an integer's in";
    if (is_of(" atom red ", instruction->op) && instruction->type != PTX_U32 && instruction->type != PTX_U64)
        return "only u32 and u64 are known here in";
    return NULL;
}

static void read_name(struct ptx_reader *reader, struct ptx_instruction *instruction)
{
    const struct ptx_token token = reader->token;
    const char *end = token.at + token.length, *at = token.at;
    size_t length = strcspn(at, ". \t\n;");
    const char *wrong;
    bool known = false;

    for (size_t i = 0; i < sizeof ops / sizeof *ops && !known; i++)
        if (ptx_same(at, length, ops[i].text, strlen(ops[i].text))) {
            instruction->op = ops[i].op;
            known = true;
        }
    for (at += length; known && at < end; at += length + 1) {
        length = 0;
        while (at + 1 + length < end && at[1 + length] != '.')
            length++;
        known = *at == '.' && modify(instruction, at + 1, length);
    }
    if (!known) {
        ptx_refuse(reader, "this instruction is not known here:");
        return;
    }
    wrong = lacks(instruction);
    if (wrong)
        ptx_refuse(reader, wrong);
    ptx_next(reader);
}

void ptx_read_instruction(struct ptx_reader *reader, struct ptx_entry *entry)
{
    struct ptx_instruction instruction = {.line = reader->token.line, .guard = -1, .vector = 1};

    if (ptx_take(reader, "@")) {
        instruction.guard_not = ptx_take(reader, "!");
        for (unsigned i = 0; i < entry->n_registers; i++)
            if (ptx_same(reader->token.at, reader->token.length, entry->registers[i].name,
                         entry->registers[i].length) &&
                entry->registers[i].type == PTX_PRED)
                instruction.guard = (int)i;
        if (instruction.guard < 0)
            ptx_refuse(reader, "this is no predicate:");
        ptx_next(reader);
    }
    if (reader->code == 0)
        read_name(reader, &instruction);
    if (reader->code == 0)
        ptx_read_operands(reader, entry, &instruction);
    ptx_want(reader, ";");
    entry->code = ptx_grow(entry->code, entry->n_code, sizeof *entry->code);
    entry->code[entry->n_code++] = instruction;
}
