/* PTX: what instructions compute. Values are kept in 64 bits, extended as their type says. */
#include "ptx.h"

#include <math.h>
#include <string.h>

uint64_t ptx_extend(enum ptx_type type, uint64_t bits)
{
    unsigned n = ptx_bytes(type) * 8;

    if (type == PTX_PRED)
        return bits & 1;
    if (n == 64)
        return bits;
    bits &= (UINT64_C(1) << n) - 1;
    if (ptx_class(type) == 's' && bits >> (n - 1))
        bits |= ~UINT64_C(0) << n;
    return bits;
}

static float float_of(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float value;

    memcpy(&value, &low, sizeof value);
    return value;
}

static double double_of(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t bits_of_float(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t bits_of_double(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static bool compare_numbers(enum ptx_compare how, int order, bool unordered)
{
    switch (how) {
    case PTX_EQ:
        return !unordered && order == 0;
    case PTX_NE:
        return !unordered && order != 0;
    case PTX_LT:
        return !unordered && order < 0;
    case PTX_LE:
        return !unordered && order <= 0;
    case PTX_GT:
        return !unordered && order > 0;
    default:
        return !unordered && order >= 0;
    }
}

static bool compare(const struct ptx_instruction *instruction, uint64_t a, uint64_t b)
{
    const enum ptx_type type = instruction->type;
    int order;

    if (ptx_class(type) == 'f') {
        double x = type == PTX_F32 ? (double)float_of(a) : double_of(a);
        double y = type == PTX_F32 ? (double)float_of(b) : double_of(b);

        return compare_numbers(instruction->compare, x < y ? -1 : x > y, isnan(x) || isnan(y));
    }
    if (ptx_class(type) == 's')
        order = (int64_t)a < (int64_t)b ? -1 : a != b;
    else
        order = a < b ? -1 : a != b;
    return compare_numbers(instruction->compare, order, false);
}

/* Division by zero has no result on a GPU; all ones here, as there. */
static uint64_t divide(const struct ptx_instruction *instruction, uint64_t a, uint64_t b, bool rest)
{
    bool is_signed = ptx_class(instruction->type) == 's';

    if (b == 0)
        return rest ? a : ~UINT64_C(0);
    if (is_signed && b == ~UINT64_C(0))
        return rest ? 0 : 0 - a;
    if (is_signed)
        return (uint64_t)(rest ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
    return rest ? a % b : a / b;
}

__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 signed_wide;

/* The upper half of a product of values of n bits. */
static uint64_t high(const struct ptx_instruction *instruction, uint64_t a, uint64_t b)
{
    unsigned n = ptx_bytes(instruction->type) * 8;
    wide product = (wide)a * b;

    if (ptx_class(instruction->type) == 's')
        product = (wide)((signed_wide)(int64_t)a * (int64_t)b);
    return (uint64_t)(product >> n);
}

static uint64_t shift_right(const struct ptx_instruction *instruction, uint64_t a, uint64_t count)
{
    bool is_signed = ptx_class(instruction->type) == 's';
    unsigned n = ptx_bytes(instruction->type) * 8;

    if (count >= n)
        count = is_signed ? n - 1 : n;
    if (count >= 64)
        return 0;
    return is_signed ? (uint64_t)((int64_t)a >> count) : a >> count;
}

static uint64_t integer(const struct ptx_instruction *instruction, const uint64_t *v)
{
    bool is_signed = ptx_class(instruction->type) == 's';
    bool less = is_signed ? (int64_t)v[0] < (int64_t)v[1] : v[0] < v[1];
    uint64_t product;

    switch (instruction->op) {
    case PTX_ABS:
        return (int64_t)v[0] < 0 ? 0 - v[0] : v[0];
    case PTX_ADD:
        return v[0] + v[1];
    case PTX_SUB:
        return v[0] - v[1];
    case PTX_MUL:
    case PTX_MAD:
        product = instruction->mode == PTX_HI ? high(instruction, v[0], v[1]) : v[0] * v[1];
        return instruction->op == PTX_MAD ? product + v[2] : product;
    case PTX_DIV:
        return divide(instruction, v[0], v[1], false);
    case PTX_REM:
        return divide(instruction, v[0], v[1], true);
    case PTX_MIN:
        return less ? v[0] : v[1];
    case PTX_MAX:
        return less ? v[1] : v[0];
    case PTX_NEG:
        return 0 - v[0];
    case PTX_AND:
        return v[0] & v[1];
    case PTX_OR:
        return v[0] | v[1];
    case PTX_XOR:
        return v[0] ^ v[1];
    case PTX_NOT:
        return ~v[0];
    case PTX_SHL:
        return v[1] >= ptx_bytes(instruction->type) * 8 ? 0 : v[0] << v[1];
    case PTX_SHR:
        return shift_right(instruction, v[0], v[1]);
    default: /* mov, cvta */
        return v[0];
    }
}

/* Of doubles. Sums, products and quotients of floats are exact enough in double to be rounded once more. */
static double real(const struct ptx_instruction *instruction, const double *v)
{
    switch (instruction->op) {
    case PTX_ABS:
        return fabs(v[0]);
    case PTX_ADD:
        return v[0] + v[1];
    case PTX_SUB:
        return v[0] - v[1];
    case PTX_MUL:
        return v[0] * v[1];
    case PTX_DIV:
        return v[0] / v[1];
    case PTX_MIN:
        return fmin(v[0], v[1]);
    case PTX_MAX:
        return fmax(v[0], v[1]);
    case PTX_NEG:
        return -v[0];
    case PTX_SQRT:
        return sqrt(v[0]);
    case PTX_FMA:
        return fma(v[0], v[1], v[2]);
    default:
        return v[0];
    }
}

static uint64_t floating(const struct ptx_instruction *instruction, const uint64_t *values)
{
    double v[3];

    if (instruction->op == PTX_MOV)
        return values[0];
    if (instruction->type == PTX_F32 && instruction->op == PTX_FMA)
        return bits_of_float(fmaf(float_of(values[0]), float_of(values[1]), float_of(values[2])));
    for (int i = 0; i < 3; i++)
        v[i] = instruction->type == PTX_F32 ? (double)float_of(values[i]) : double_of(values[i]);
    if (instruction->type == PTX_F32)
        return bits_of_float((float)real(instruction, v));
    return bits_of_double(real(instruction, v));
}

static double rounded(const struct ptx_instruction *instruction, double value)
{
    switch (instruction->round) {
    case PTX_RNI:
        return nearbyint(value);
    case PTX_RMI:
        return floor(value);
    case PTX_RPI:
        return ceil(value);
    case PTX_RZI:
        return trunc(value);
    default:
        return value;
    }
}

/* To an integer: the nearest that the type has, as the device converts. */
static uint64_t to_integer(enum ptx_type type, double value)
{
    unsigned n = ptx_bytes(type) * 8;
    bool is_signed = ptx_class(type) == 's';
    double most = ldexp(1, (int)(is_signed ? n - 1 : n)), least = is_signed ? -most : 0;
    uint64_t top = is_signed ? (UINT64_C(1) << (n - 1)) - 1 : n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;

    if (isnan(value))
        return 0;
    if (value >= most)
        return top;
    if (value <= least)
        return is_signed ? (uint64_t)(INT64_MIN >> (64 - n)) : 0;
    return is_signed ? (uint64_t)(int64_t)value : (uint64_t)value;
}

static uint64_t saturated(enum ptx_type to, enum ptx_type from, uint64_t bits)
{
    bool negative = ptx_class(from) == 's' && (int64_t)bits < 0;
    unsigned n = ptx_bytes(to) * 8;
    bool is_signed = ptx_class(to) == 's';
    uint64_t top = is_signed ? (UINT64_C(1) << (n - 1)) - 1 : n == 64 ? ~UINT64_C(0) : (UINT64_C(1) << n) - 1;

    if (negative) {
        int64_t least = is_signed ? INT64_MIN >> (64 - n) : 0;

        return (int64_t)bits < least ? (uint64_t)least : bits;
    }
    return bits > top ? top : bits;
}

static uint64_t convert(const struct ptx_instruction *instruction, uint64_t bits)
{
    const enum ptx_type to = instruction->type, from = instruction->from;

    if (ptx_class(from) == 'f') {
        double value = rounded(instruction, from == PTX_F32 ? (double)float_of(bits) : double_of(bits));

        if (ptx_class(to) != 'f')
            return to_integer(to, value);
        return to == PTX_F32 ? bits_of_float((float)value) : bits_of_double(value);
    }
    if (ptx_class(to) == 'f') {
        if (to == PTX_F32)
            return bits_of_float(ptx_class(from) == 's' ? (float)(int64_t)bits : (float)bits);
        return bits_of_double(ptx_class(from) == 's' ? (double)(int64_t)bits : (double)bits);
    }
    return instruction->saturate ? saturated(to, from, bits) : bits;
}

uint64_t ptx_compute(const struct ptx_instruction *instruction, const uint64_t *values)
{
    if (instruction->op == PTX_SETP)
        return compare(instruction, values[0], values[1]);
    if (instruction->op == PTX_SELP)
        return values[2] ? values[0] : values[1];
    if (instruction->op == PTX_CVT)
        return convert(instruction, values[0]);
    return ptx_class(instruction->type) == 'f' ? floating(instruction, values) : integer(instruction, values);
}
