/* PTX: operands, and whether their types are the instruction's. */
#include "ptx.h"

#include <string.h>

static const char *const forms[] = {
#define PTX_OP(name, text, operands) operands,
    PTX_OPS(PTX_OP)
#undef PTX_OP
};

static int find_register(const struct ptx_entry *entry, const struct ptx_token *token)
{
    for (unsigned i = 0; i < entry->n_registers; i++)
        if (ptx_same(token->at, token->length, entry->registers[i].name, entry->registers[i].length))
            return (int)i;
    return -1;
}

/* %tid.x and the like: their number is 3 times the kind, and the dimension. */
static int find_special(const struct ptx_token *token)
{
    static const char *const names[PTX_SPECIALS] = {"%tid", "%ntid", "%ctaid", "%nctaid"};

    for (int i = 0; i < PTX_SPECIALS; i++) {
        size_t length = strlen(names[i]);

        if (token->length == length + 2 && memcmp(token->at, names[i], length) == 0 && token->at[length] == '.' &&
            token->at[length + 1] >= 'x' && token->at[length + 1] <= 'z')
            return i * 3 + token->at[length + 1] - 'x';
    }
    return -1;
}

/* A register whose type is right: the same, or, where values are widened, one with more room. */
static unsigned read_register(struct ptx_reader *reader, const struct ptx_entry *entry, enum ptx_type type, bool wider)
{
    int i = find_register(entry, &reader->token);

    if (i < 0) {
        ptx_refuse(reader, "there is no register");
        return 0;
    }
    if (!ptx_agree(type, entry->registers[i].type) &&
        !(wider && ptx_class(entry->registers[i].type) != 'p' && ptx_class(type) != 'f' &&
          ptx_class(entry->registers[i].type) != 'f' && ptx_bytes(entry->registers[i].type) > ptx_bytes(type)))
        ptx_refuse(reader, "the instruction does not take the type of");
    ptx_next(reader);
    return (unsigned)i;
}

static void read_source(struct ptx_reader *reader, const struct ptx_entry *entry, enum ptx_type type, bool wider,
                        struct ptx_operand *operand)
{
    bool minus = ptx_take(reader, "-");
    int special = find_special(&reader->token);

    if (special >= 0) {
        if (!ptx_agree(type, PTX_U32))
            ptx_refuse(reader, "the instruction does not take the type of");
        *operand = (struct ptx_operand){.kind = PTX_SPECIAL, .index = (unsigned)special};
        ptx_next(reader);
    } else if (ptx_number(&reader->token, &operand->number)) {
        operand->kind = PTX_NUMBER;
        if (minus)
            operand->number = (int64_t)(0 - (uint64_t)operand->number);
        ptx_next(reader);
    } else {
        *operand = (struct ptx_operand){.kind = PTX_REGISTER, .index = read_register(reader, entry, type, wider)};
    }
}

static void read_vector(struct ptx_reader *reader, const struct ptx_entry *entry,
                        const struct ptx_instruction *instruction, struct ptx_operand *operand)
{
    operand->kind = PTX_VECTOR;
    if (instruction->vector == 1) {
        operand->n = 1;
        operand->of[0] = read_register(reader, entry, instruction->type, true);
        return;
    }
    ptx_want(reader, "{");
    for (operand->n = 0; operand->n < instruction->vector && reader->code == 0; operand->n++) {
        if (operand->n > 0)
            ptx_want(reader, ",");
        operand->of[operand->n] = read_register(reader, entry, instruction->type, true);
    }
    ptx_want(reader, "}");
}

static void read_offset(struct ptx_reader *reader, struct ptx_operand *operand)
{
    bool minus = ptx_is(&reader->token, "-");

    if (!ptx_take(reader, "+") && !minus)
        return;
    minus = minus || ptx_is(&reader->token, "-");
    if (minus)
        ptx_next(reader);
    if (!ptx_number(&reader->token, &operand->number))
        ptx_refuse(reader, "this is no offset:");
    if (minus)
        operand->number = (int64_t)(0 - (uint64_t)operand->number);
    ptx_next(reader);
}

static void read_address(struct ptx_reader *reader, const struct ptx_entry *entry,
                         const struct ptx_instruction *instruction, struct ptx_operand *operand)
{
    ptx_want(reader, "[");
    operand->kind = PTX_ADDRESS;
    if (instruction->space == PTX_GLOBAL) {
        operand->index = read_register(reader, entry, PTX_U64, false);
    } else {
        bool found = false;

        operand->kind = PTX_PARAMETER;
        for (unsigned i = 0; i < entry->n_params; i++)
            if (ptx_same(reader->token.at, reader->token.length, entry->param_names[i].at,
                         entry->param_names[i].length)) {
                operand->index = i;
                found = true;
            }
        if (!found)
            ptx_refuse(reader, "there is no parameter");
        ptx_next(reader);
    }
    read_offset(reader, operand);
    ptx_want(reader, "]");
    if (operand->kind == PTX_PARAMETER && reader->code == 0) {
        unsigned bytes = ptx_bytes(instruction->type) * instruction->vector, all = entry->params[operand->index].bytes;

        if (operand->number < 0 || operand->number > all || bytes > all - (unsigned)operand->number)
            ptx_refuse(reader, "a parameter is shorter than what is read of it before");
    }
}

/* The type of a source or destination of this instruction. */
static enum ptx_type type_of(const struct ptx_instruction *instruction, char form, int i)
{
    bool wide = instruction->mode == PTX_WIDE;

    if (form == 'c')
        return PTX_U32;
    if (form == 'p' || form == 'P')
        return PTX_PRED;
    if (instruction->op == PTX_CVT && form == 's')
        return instruction->from;
    if (wide && (form == 'd' || i == 3)) /* the product, and what is added to it */
        return ptx_bytes(instruction->type) == 4 ? PTX_U64 : PTX_U32;
    return instruction->type;
}

static void read_one(struct ptx_reader *reader, const struct ptx_entry *entry, struct ptx_instruction *instruction,
                     char form, int i)
{
    struct ptx_operand *operand = &instruction->operand[i];
    enum ptx_type type = type_of(instruction, form, i);
    bool wider = instruction->op == PTX_CVT;

    switch (form) {
    case 'd':
    case 'P':
    case 'p':
        *operand = (struct ptx_operand){.kind = PTX_REGISTER, .index = read_register(reader, entry, type, wider)};
        break;
    case 's':
    case 'c':
        read_source(reader, entry, type, wider, operand);
        break;
    case 'D':
    case 'S':
        read_vector(reader, entry, instruction, operand);
        break;
    case 'a':
        read_address(reader, entry, instruction, operand);
        break;
    case 'l':
        instruction->label = reader->token.at;
        instruction->label_length = reader->token.length;
        ptx_next(reader);
        break;
    default: /* 'i' */
        if (!ptx_number(&reader->token, &operand->number) || operand->number != 0)
            ptx_refuse(reader, "there is only barrier 0, not");
        ptx_next(reader);
    }
}

void ptx_read_operands(struct ptx_reader *reader, struct ptx_entry *entry, struct ptx_instruction *instruction)
{
    const char *form = forms[instruction->op];

    if (instruction->mode == PTX_WIDE && ptx_bytes(instruction->type) != 4 && ptx_bytes(instruction->type) != 2)
        ptx_refuse(reader, "wide is for 16 and 32 bits, before");
    for (int i = 0; form[i] && reader->code == 0; i++) {
        if (i > 0)
            ptx_want(reader, ",");
        read_one(reader, entry, instruction, form[i], i);
    }
}
