/* Element types: their names and sizes. */
#include <headrace/dataset.h>

uint32_t hr_dtype_bytes(uint32_t dtype)
{
    switch (dtype) {
#define HR_DTYPE_BYTES(name, value, bytes)                                                                             \
    case value:                                                                                                        \
        return bytes;
        HR_DTYPE_LIST(HR_DTYPE_BYTES)
#undef HR_DTYPE_BYTES
    default:
        return 0;
    }
}

const char *hr_dtype_name(uint32_t dtype)
{
    static const char *const names[] = {
        [HR_BOOL] = "bool", [HR_U8] = "u8",   [HR_I8] = "i8",   [HR_U16] = "u16", [HR_I16] = "i16",
        [HR_U32] = "u32",   [HR_I32] = "i32", [HR_U64] = "u64", [HR_I64] = "i64", [HR_F16] = "f16",
        [HR_BF16] = "bf16", [HR_F32] = "f32", [HR_F64] = "f64", [HR_C64] = "c64", [HR_C128] = "c128",
    };

    return hr_dtype_bytes(dtype) ? names[dtype] : "?";
}
