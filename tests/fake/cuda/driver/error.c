/* Names and texts of the driver's codes. */
#include "fake.h"

static const struct {
    int code;
    const char *name;
} names[] = {
/* The list has attributes and flags too: their values may be a code's, so what is asked for is the name's beginning. */
#define NAME(name, value, in_header) {value, #in_header},
    HRI_CU_CONSTANTS(NAME)
#undef NAME
};

static bool is_error(const char *name)
{
    const char *want = "CUDA_";

    while (*want && *name == *want) {
        name++;
        want++;
    }
    return *want == 0;
}

hri_cu_result cuGetErrorName(hri_cu_result code, const char **name)
{
    fake_count(FAKE_GetErrorName);
    if (fake_settings()->stub)
        return HRI_CU_STUB_LIBRARY;
    *name = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].code == code && is_error(names[i].name)) {
            *name = names[i].name;
            return 0;
        }
    return HRI_CU_INVALID_VALUE;
}

hri_cu_result cuGetErrorString(hri_cu_result code, const char **text)
{
    const char *name;

    fake_count(FAKE_GetErrorString);
    if (fake_settings()->stub)
        return HRI_CU_STUB_LIBRARY;
    *text = NULL;
    if (cuGetErrorName(code, &name) != 0)
        return HRI_CU_INVALID_VALUE;
    switch (code) {
    case HRI_CU_SUCCESS:
        *text = "no error";
        break;
    case HRI_CU_OUT_OF_MEMORY:
        *text = "out of memory";
        break;
    case HRI_CU_ILLEGAL_ADDRESS:
        *text = "an illegal memory access was encountered";
        break;
    case HRI_CU_INVALID_VALUE:
        *text = "invalid argument";
        break;
    default:
        *text = "an error of the simulated driver";
    }
    return 0;
}
