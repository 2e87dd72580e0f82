/* PTX: the module, its kernels, their parameters and registers. */
#include "ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_version(struct ptx_reader *reader)
{
    ptx_next(reader); /* fake_ptx_version() has looked at it */
}

static void read_target(struct ptx_reader *reader)
{
    char name[16];
    int arch;

    snprintf(name, sizeof name, "%.*s", (int)reader->token.length, reader->token.at);
    if (sscanf(name, "sm_%d", &arch) != 1) {
        ptx_refuse(reader, "this is no target:");
        return;
    }
    if (arch > FAKE_MAJOR * 10 + FAKE_MINOR && reader->code == 0) {
        reader->code = HRI_CU_NO_BINARY_FOR_GPU;
        snprintf(reader->log->text, sizeof reader->log->text, "the target %s is newer than the device's sm_%d%d", name,
                 FAKE_MAJOR, FAKE_MINOR);
    }
    reader->has_target = true;
    ptx_next(reader);
}

static void read_address_size(struct ptx_reader *reader)
{
    if (!ptx_take(reader, "64"))
        ptx_refuse(reader, "addresses have 64 bits, not");
}

static unsigned read_count(struct ptx_reader *reader)
{
    int64_t number = 0;

    if (!ptx_number(&reader->token, &number) || number < 1 || number > 65536)
        ptx_refuse(reader, "this is no count:");
    ptx_next(reader);
    return (unsigned)number;
}

/* .param .TYPE [.ptr .SPACE .align N] NAME, or .param .align N .b8 NAME[BYTES] */
static void read_param(struct ptx_reader *reader, struct ptx_entry *entry)
{
    struct fake_param param = {.kind = 'i'};
    enum ptx_type type = PTX_NONE;
    unsigned at = 0;

    ptx_want(reader, ".param");
    for (; reader->code == 0 && *reader->token.at == '.'; ptx_next(reader)) {
        if (ptx_is(&reader->token, ".align")) {
            ptx_next(reader);
            if (param.kind != 'p') {
                int64_t align = 1;

                ptx_number(&reader->token, &align);
                param.align = (unsigned)align;
            }
        } else if (ptx_is(&reader->token, ".ptr")) {
            param.kind = 'p';
        } else if (!ptx_is(&reader->token, ".global")) {
            type = ptx_type_of(reader->token.at + 1, reader->token.length - 1);
            if (type == PTX_NONE)
                ptx_refuse(reader, "a parameter cannot be");
        }
    }
    if (type == PTX_NONE || ptx_class(type) == 'p')
        ptx_refuse(reader, "no type before");
    entry->params = ptx_grow(entry->params, entry->n_params, sizeof *entry->params);
    entry->param_names = ptx_grow(entry->param_names, entry->n_params, sizeof *entry->param_names);
    entry->param_names[entry->n_params] = reader->token;
    ptx_next(reader);
    param.bytes = ptx_bytes(type);
    if (param.align == 0)
        param.align = param.bytes;
    if (ptx_take(reader, "[")) {
        param.bytes *= read_count(reader);
        ptx_want(reader, "]");
    }
    if (entry->n_params > 0)
        at = entry->params[entry->n_params - 1].offset + entry->params[entry->n_params - 1].bytes;
    param.offset = param.align ? (at + param.align - 1) / param.align * param.align : at;
    entry->params[entry->n_params++] = param;
}

static void read_params(struct ptx_reader *reader, struct ptx_entry *entry)
{
    ptx_want(reader, "(");
    if (ptx_take(reader, ")"))
        return;
    do
        read_param(reader, entry);
    while (reader->code == 0 && ptx_take(reader, ","));
    ptx_want(reader, ")");
}

/* numbered: a name that was made here, or NULL. */
static void add_register(struct ptx_reader *reader, struct ptx_entry *entry, const char *name, size_t length,
                         enum ptx_type type, char *numbered)
{
    for (unsigned i = 0; i < entry->n_registers; i++)
        if (ptx_same(name, length, entry->registers[i].name, entry->registers[i].length))
            ptx_refuse_at(reader, reader->token.line, "this register is there already:", name, length);
    entry->registers = ptx_grow(entry->registers, entry->n_registers, sizeof *entry->registers);
    entry->registers[entry->n_registers++] =
        (struct ptx_register){.name = name, .length = length, .type = type, .numbered = numbered};
}

/* .reg .TYPE %a, %b; and %r<10> for %r0 to %r9. */
static void read_registers(struct ptx_reader *reader, struct ptx_entry *entry)
{
    enum ptx_type type = ptx_type_of(reader->token.at + 1, reader->token.length - 1);

    if (type == PTX_NONE)
        ptx_refuse(reader, "registers cannot be");
    do {
        ptx_next(reader);
        struct ptx_token name = reader->token;

        if (*name.at != '%')
            ptx_refuse(reader, "this is no name of a register:");
        ptx_next(reader);
        if (!ptx_take(reader, "<")) {
            add_register(reader, entry, name.at, name.length, type, NULL);
            continue;
        }
        for (unsigned i = 0, n = read_count(reader); i < n && reader->code == 0; i++) {
            char *numbered = NULL;

            if (asprintf(&numbered, "%.*s%u", (int)name.length, name.at, i) < 0)
                fake_die("out of memory");
            add_register(reader, entry, numbered, strlen(numbered), type, numbered);
        }
        ptx_want(reader, ">");
    } while (reader->code == 0 && ptx_is(&reader->token, ","));
    ptx_want(reader, ";");
}

static void read_label(struct ptx_reader *reader, struct ptx_entry *entry)
{
    entry->labels = ptx_grow(entry->labels, entry->n_labels, sizeof *entry->labels);
    entry->labels[entry->n_labels++] =
        (struct ptx_label){.name = reader->token.at, .length = reader->token.length, .at = entry->n_code};
    ptx_next(reader);
    ptx_want(reader, ":");
}

static bool label_follows(struct ptx_reader reader)
{
    ptx_next(&reader);
    return ptx_is(&reader.token, ":");
}

static void find_labels(struct ptx_reader *reader, struct ptx_entry *entry)
{
    for (unsigned i = 0; i < entry->n_code; i++) {
        struct ptx_instruction *instruction = &entry->code[i];
        bool found = instruction->op != PTX_BRA;

        for (unsigned j = 0; j < entry->n_labels && !found; j++)
            if (ptx_same(instruction->label, instruction->label_length, entry->labels[j].name,
                         entry->labels[j].length)) {
                instruction->operand[0].index = entry->labels[j].at;
                found = true;
            }
        if (!found)
            ptx_refuse_at(reader, instruction->line, "there is no label", instruction->label,
                          instruction->label_length);
    }
}

/* A kernel ends by ret or exit, so that none runs past its end. */
static void check_end(struct ptx_reader *reader, const struct ptx_entry *entry)
{
    const struct ptx_instruction *last = entry->n_code > 0 ? &entry->code[entry->n_code - 1] : NULL;

    if (!last || last->guard >= 0 || (last->op != PTX_RET && last->op != PTX_EXIT && last->op != PTX_BRA))
        ptx_refuse(reader, "a kernel has to end by ret before");
}

static void read_entry(struct ptx_reader *reader)
{
    struct ptx_entry *entry;

    reader->entries = ptx_grow(reader->entries, reader->n_entries, sizeof *reader->entries);
    entry = &reader->entries[reader->n_entries++];
    entry->name = strndup(reader->token.at, reader->token.length);
    ptx_next(reader);
    read_params(reader, entry);
    ptx_want(reader, "{");
    while (reader->code == 0 && !ptx_is(&reader->token, "}")) {
        if (ptx_take(reader, ".reg"))
            read_registers(reader, entry);
        else if (label_follows(*reader))
            read_label(reader, entry);
        else
            ptx_read_instruction(reader, entry);
    }
    if (reader->code == 0)
        check_end(reader, entry);
    ptx_want(reader, "}");
    if (reader->code == 0)
        find_labels(reader, entry);
}

void ptx_read(struct ptx_reader *reader, const char *text)
{
    reader->token = (struct ptx_token){.at = text, .line = 1};
    ptx_next(reader);
    while (reader->code == 0 && reader->token.length) {
        ptx_take(reader, ".visible");
        if (ptx_take(reader, ".version"))
            read_version(reader);
        else if (ptx_take(reader, ".target"))
            read_target(reader);
        else if (ptx_take(reader, ".address_size"))
            read_address_size(reader);
        else if (reader->has_target && ptx_take(reader, ".entry"))
            read_entry(reader);
        else
            ptx_refuse(reader, reader->has_target ? "not known here:" : "no .target before");
    }
}

void ptx_drop(struct ptx_reader *reader)
{
    for (unsigned i = 0; i < reader->n_entries; i++) {
        struct ptx_entry *entry = &reader->entries[i];

        free(entry->name);
        free(entry->params);
        free(entry->param_names);
        for (unsigned j = 0; j < entry->n_registers; j++)
            free(entry->registers[j].numbered);
        free(entry->registers);
        free(entry->labels);
        free(entry->code);
    }
    free(reader->entries);
}
