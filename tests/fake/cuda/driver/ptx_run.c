/* PTX: one thread of a kernel. Memory is reached by the mapping that copies use, so that tools see each access. */
#include "ptx.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 64 };

struct thread {
    const struct ptx_entry *entry;
    const struct fake_place *place;
    void *const *params;
    uint64_t *registers;
    struct fake_window window;
    unsigned generation; /* of the window */
};

static uint64_t special(const struct fake_place *place, unsigned number)
{
    const unsigned *const values[PTX_SPECIALS] = {place->thread_id, place->block, place->block_id, place->grid};

    return values[number / 3][number % 3];
}

/* A source, extended as its type says. */
static uint64_t value_of(const struct thread *thread, const struct ptx_operand *operand, enum ptx_type type)
{
    switch (operand->kind) {
    case PTX_REGISTER:
        return ptx_extend(type, thread->registers[operand->index]);
    case PTX_SPECIAL:
        return special(thread->place, operand->index);
    default:
        return ptx_extend(type, (uint64_t)operand->number);
    }
}

/* A result, of which a wider register keeps the type's extension. */
static void set(struct thread *thread, unsigned index, enum ptx_type type, uint64_t bits)
{
    thread->registers[index] = ptx_extend(thread->entry->registers[index].type, ptx_extend(type, bits));
}

/* -- memory ----------------------------------------------------------------------------------------------------------
 */

/* The bytes at an address of the device, after a look whether they may be used. */
static int reach(struct thread *thread, uintptr_t address, size_t bytes, int write, bool atomic, unsigned char **at)
{
    const struct fake_window *window = &thread->window;

    if (address % bytes != 0)
        return HRI_CU_MISALIGNED_ADDRESS;
    if (thread->generation != atomic_load(&fake_ranges_generation) || address < window->begin ||
        address >= window->end || bytes > window->end - address || window->writable < write) {
        unsigned generation = atomic_load(&fake_ranges_generation);
        int code = fake_access(address, bytes, write, &thread->window);

        if (code)
            return code;
        thread->generation = generation;
    }
    *at = fake_arena_bytes(address);
    if (!atomic)
        fake_saw(*at, bytes, write);
    return 0;
}

/* Of one, two, four or eight bytes; little-endian, as the device is. */
static uint64_t load(const unsigned char *at, unsigned bytes)
{
    uint64_t bits = 0;

    switch (bytes) {
    case 1:
        return *at;
    case 2:
        memcpy(&bits, at, 2);
        break;
    case 4:
        memcpy(&bits, at, 4);
        break;
    default:
        memcpy(&bits, at, 8);
    }
    return bits;
}

static void store(unsigned char *at, uint64_t bits, unsigned bytes)
{
    switch (bytes) {
    case 1:
        *at = (unsigned char)bits;
        break;
    case 2:
        memcpy(at, &bits, 2);
        break;
    case 4:
        memcpy(at, &bits, 4);
        break;
    default:
        memcpy(at, &bits, 8);
    }
}

static uintptr_t address_of(const struct thread *thread, const struct ptx_operand *operand)
{
    return (uintptr_t)thread->registers[operand->index] + (uintptr_t)operand->number;
}

static int run_load(struct thread *thread, const struct ptx_instruction *instruction)
{
    const struct ptx_operand *to = &instruction->operand[0], *from = &instruction->operand[1];
    unsigned bytes = ptx_bytes(instruction->type);
    unsigned char *at;
    int code = 0;

    if (from->kind == PTX_PARAMETER)
        at = (unsigned char *)thread->params[from->index] + from->number;
    else
        code = reach(thread, address_of(thread, from), (size_t)bytes * to->n, 0, instruction->is_volatile, &at);
    for (unsigned i = 0; i < to->n && code == 0; i++)
        set(thread, to->of[i], instruction->type, load(at + i * bytes, bytes));
    return code;
}

static int run_store(struct thread *thread, const struct ptx_instruction *instruction)
{
    const struct ptx_operand *from = &instruction->operand[1];
    unsigned bytes = ptx_bytes(instruction->type);
    unsigned char *at;
    int code = reach(thread, address_of(thread, &instruction->operand[0]), (size_t)bytes * from->n, 1,
                     instruction->is_volatile, &at);

    for (unsigned i = 0; i < from->n && code == 0; i++)
        store(at + i * bytes, thread->registers[from->of[i]], bytes);
    return code;
}

/* atom.add and red.add */
static int run_atomic(struct thread *thread, const struct ptx_instruction *instruction)
{
    int first = instruction->op == PTX_ATOM;
    uint64_t by = value_of(thread, &instruction->operand[first + 1], instruction->type), old;
    unsigned bytes = ptx_bytes(instruction->type);
    unsigned char *at;
    int code = reach(thread, address_of(thread, &instruction->operand[first]), bytes, 1, true, &at);

    if (code)
        return code;
    if (bytes == 4)
        old = atomic_fetch_add_explicit((_Atomic uint32_t *)(void *)at, (uint32_t)by, memory_order_relaxed);
    else
        old = atomic_fetch_add_explicit((_Atomic uint64_t *)(void *)at, by, memory_order_relaxed);
    if (first)
        set(thread, instruction->operand[0].index, instruction->type, old);
    return 0;
}

/* -- the rest --------------------------------------------------------------------------------------------------------
 */

static void run_compute(struct thread *thread, const struct ptx_instruction *instruction)
{
    const enum ptx_op op = instruction->op;
    bool wide = instruction->mode == PTX_WIDE;
    enum ptx_type type = op == PTX_CVT ? instruction->from : instruction->type, result = instruction->type;
    uint64_t values[3] = {0};

    values[0] = value_of(thread, &instruction->operand[1], type);
    values[1] = value_of(thread, &instruction->operand[2], op == PTX_SHL || op == PTX_SHR ? PTX_U32 : type);
    if (wide)
        result = ptx_bytes(type) == 4 ? PTX_U64 : PTX_U32;
    if (op == PTX_SELP || op == PTX_SETP)
        result = op == PTX_SETP ? PTX_PRED : type;
    values[2] = value_of(thread, &instruction->operand[3], op == PTX_SELP ? PTX_PRED : result);
    set(thread, instruction->operand[0].index, result, ptx_compute(instruction, values));
}

static bool goes(const struct thread *thread, const struct ptx_instruction *instruction)
{
    return instruction->guard < 0 || (thread->registers[instruction->guard] != 0) != instruction->guard_not;
}

/* *next: the instruction that follows; past the last one for the end. */
static int step(struct thread *thread, const struct ptx_instruction *instruction, unsigned *next)
{
    switch (instruction->op) {
    case PTX_BAR:
        return fake_block_barrier();
    case PTX_BRA:
        *next = instruction->operand[0].index;
        return atomic_load(&fake_stopping) || atomic_load(&fake_block_stream()->given_up) ? HRI_CU_LAUNCH_FAILED : 0;
    case PTX_EXIT:
    case PTX_RET:
        *next = thread->entry->n_code;
        return 0;
    case PTX_LD:
        return run_load(thread, instruction);
    case PTX_ST:
        return run_store(thread, instruction);
    case PTX_ATOM:
    case PTX_RED:
        return run_atomic(thread, instruction);
    default:
        run_compute(thread, instruction);
        return 0;
    }
}

int ptx_run(const struct ptx_entry *entry, const struct fake_place *place, void *const *params)
{
    uint64_t few[FEW] = {0};
    struct thread thread = {.entry = entry, .place = place, .params = params, .registers = few};
    int code = 0;

    if (entry->n_registers > FEW)
        thread.registers = calloc(entry->n_registers, sizeof *thread.registers);
    if (!thread.registers)
        fake_die("out of memory");
    for (unsigned at = 0; at < entry->n_code && code == 0;) {
        const struct ptx_instruction *instruction = &entry->code[at++];

        if (goes(&thread, instruction))
            code = step(&thread, instruction, &at);
    }
    if (thread.registers != few)
        free(thread.registers);
    return code;
}
