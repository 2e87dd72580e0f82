/* What the files of the PTX interpreter share. It knows what hand-written kernels need, and refuses the rest. */
#ifndef FAKE_CUDA_PTX_H
#define FAKE_CUDA_PTX_H

#include "fake.h"

#define PTX_TYPES(X)                                                                                                   \
    X(PRED, "pred", 1, 'p')                                                                                            \
    X(B8, "b8", 1, 'b')                                                                                                \
    X(B16, "b16", 2, 'b')                                                                                              \
    X(B32, "b32", 4, 'b')                                                                                              \
    X(B64, "b64", 8, 'b')                                                                                              \
    X(U8, "u8", 1, 'u')                                                                                                \
    X(U16, "u16", 2, 'u')                                                                                              \
    X(U32, "u32", 4, 'u')                                                                                              \
    X(U64, "u64", 8, 'u')                                                                                              \
    X(S8, "s8", 1, 's')                                                                                                \
    X(S16, "s16", 2, 's')                                                                                              \
    X(S32, "s32", 4, 's')                                                                                              \
    X(S64, "s64", 8, 's')                                                                                              \
    X(F32, "f32", 4, 'f')                                                                                              \
    X(F64, "f64", 8, 'f')

enum ptx_type {
    PTX_NONE,
#define PTX_TYPE(name, text, bytes, class) PTX_##name,
    PTX_TYPES(PTX_TYPE)
#undef PTX_TYPE
};

/* X(name, text, operands): d destination, s source, c count of a shift, p predicate, P destination of one, D and S one
 * register or a vector, a address, l label, i number, n none. */
#define PTX_OPS(X)                                                                                                     \
    X(ABS, "abs", "ds")                                                                                                \
    X(ADD, "add", "dss")                                                                                               \
    X(AND, "and", "dss")                                                                                               \
    X(ATOM, "atom", "das")                                                                                             \
    X(BAR, "bar", "i")                                                                                                 \
    X(BRA, "bra", "l")                                                                                                 \
    X(CVT, "cvt", "ds")                                                                                                \
    X(CVTA, "cvta", "ds")                                                                                              \
    X(DIV, "div", "dss")                                                                                               \
    X(EXIT, "exit", "")                                                                                                \
    X(FMA, "fma", "dsss")                                                                                              \
    X(LD, "ld", "Da")                                                                                                  \
    X(MAD, "mad", "dsss")                                                                                              \
    X(MAX, "max", "dss")                                                                                               \
    X(MIN, "min", "dss")                                                                                               \
    X(MOV, "mov", "ds")                                                                                                \
    X(MUL, "mul", "dss")                                                                                               \
    X(NEG, "neg", "ds")                                                                                                \
    X(NOT, "not", "ds")                                                                                                \
    X(OR, "or", "dss")                                                                                                 \
    X(RED, "red", "as")                                                                                                \
    X(REM, "rem", "dss")                                                                                               \
    X(RET, "ret", "")                                                                                                  \
    X(SELP, "selp", "dssp")                                                                                            \
    X(SETP, "setp", "Pss")                                                                                             \
    X(SHL, "shl", "dsc")                                                                                               \
    X(SHR, "shr", "dsc")                                                                                               \
    X(SQRT, "sqrt", "ds")                                                                                              \
    X(ST, "st", "aS")                                                                                                  \
    X(SUB, "sub", "dss")                                                                                               \
    X(XOR, "xor", "dss")

enum ptx_op {
#define PTX_OP(name, text, operands) PTX_##name,
    PTX_OPS(PTX_OP)
#undef PTX_OP
        PTX_N_OPS
};

enum ptx_mode { PTX_PLAIN, PTX_LO, PTX_HI, PTX_WIDE };
enum ptx_space { PTX_NO_SPACE, PTX_GLOBAL, PTX_PARAM };
enum ptx_compare { PTX_NO_COMPARE, PTX_EQ, PTX_NE, PTX_LT, PTX_LE, PTX_GT, PTX_GE };
enum ptx_round { PTX_NO_ROUND, PTX_RN, PTX_RZ, PTX_RM, PTX_RP, PTX_RNI, PTX_RZI, PTX_RMI, PTX_RPI };

enum ptx_operand_kind { PTX_REGISTER, PTX_NUMBER, PTX_SPECIAL, PTX_ADDRESS, PTX_PARAMETER, PTX_VECTOR, PTX_LABEL };

struct ptx_operand {
    enum ptx_operand_kind kind;
    unsigned index;    /* register, special, parameter, instruction; of an address: its register */
    int64_t number;    /* number, or offset of an address */
    bool absolute;     /* an address without a register */
    unsigned n, of[4]; /* registers of a vector */
};

struct ptx_instruction {
    enum ptx_op op;
    enum ptx_type type, from; /* from: cvt's second */
    enum ptx_mode mode;
    enum ptx_space space;
    enum ptx_compare compare;
    enum ptx_round round;
    unsigned vector; /* 1, 2, 4 */
    bool saturate, is_volatile;
    int guard; /* the predicate's register, -1: always */
    bool guard_not;
    struct ptx_operand operand[4];
    unsigned line;
    const char *label; /* where a bra goes, until it is known */
    size_t label_length;
};

struct ptx_token {
    const char *at;
    size_t length; /* 0: the end */
    unsigned line;
};

struct ptx_register {
    const char *name;
    size_t length;
    enum ptx_type type;
    char *numbered; /* the name, where it was made of %r<10> */
};

struct ptx_label {
    const char *name;
    size_t length;
    unsigned at;
};

struct ptx_entry {
    char *name;
    struct fake_param *params;
    struct ptx_token *param_names; /* while the text is read */
    unsigned n_params;
    struct ptx_register *registers;
    unsigned n_registers;
    struct ptx_label *labels;
    unsigned n_labels;
    struct ptx_instruction *code;
    unsigned n_code;
};

struct ptx_reader {
    struct ptx_token token; /* the next one */
    struct fake_log *log;
    hri_cu_result code; /* 0 as long as all is well */
    struct ptx_entry *entries;
    unsigned n_entries;
    bool has_target;
};

/* -- ptx_lex.c -- */
void ptx_next(struct ptx_reader *reader);
bool ptx_is(const struct ptx_token *token, const char *text);
bool ptx_same(const char *a, size_t length, const char *b, size_t other);
bool ptx_take(struct ptx_reader *reader, const char *text); /* if it is the next */
void ptx_want(struct ptx_reader *reader, const char *text); /* refuses anything else */
bool ptx_number(const struct ptx_token *token, int64_t *number);
void *ptx_grow(void *list, unsigned n, size_t bytes); /* room for one more */
/* Says what is wrong, once. */
void ptx_refuse(struct ptx_reader *reader, const char *what);
void ptx_refuse_at(struct ptx_reader *reader, unsigned line, const char *what, const char *name, size_t length);

/* -- ptx_type.c -- */
enum ptx_type ptx_type_of(const char *text, size_t length);
unsigned ptx_bytes(enum ptx_type type);
char ptx_class(enum ptx_type type); /* p, b, u, s, f */
bool ptx_agree(enum ptx_type instruction, enum ptx_type operand);

/* -- ptx_read.c -- */
void ptx_read(struct ptx_reader *reader, const char *text);
void ptx_drop(struct ptx_reader *reader);

/* -- ptx_instruction.c, ptx_operand.c -- */
void ptx_read_instruction(struct ptx_reader *reader, struct ptx_entry *entry);
void ptx_read_operands(struct ptx_reader *reader, struct ptx_entry *entry, struct ptx_instruction *instruction);

/* Special registers, by number. */
enum { PTX_TID, PTX_NTID, PTX_CTAID, PTX_NCTAID, PTX_SPECIALS };

/* -- ptx_run.c, ptx_compute.c -- */
int ptx_run(const struct ptx_entry *entry, const struct fake_place *place, void *const *params);
uint64_t ptx_compute(const struct ptx_instruction *instruction, const uint64_t *values);
uint64_t ptx_extend(enum ptx_type type, uint64_t bits);

#endif
