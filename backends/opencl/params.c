/* A kernel's signature as the driver tells it, so that a wrong argument is found before it reaches the device. */
#include "opencl/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    size_t bytes;
} basic_types[] = {
    {"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"int", 4},    {"uint", 4},
    {"long", 8}, {"ulong", 8}, {"half", 2},  {"float", 4},  {"double", 8},
};

/* Bytes of "uint" or "float4"; 0 for what is no basic type: the driver checks those. Three take the room of four. */
static size_t type_bytes(const char *type)
{
    for (size_t i = 0; i < sizeof basic_types / sizeof *basic_types; i++) {
        size_t length = strlen(basic_types[i].name);
        unsigned long wide;
        char *end;

        if (strncmp(type, basic_types[i].name, length) != 0)
            continue;
        if (type[length] == '\0')
            return basic_types[i].bytes;
        wide = strtoul(type + length, &end, 10);
        if (*end == '\0' && wide >= 2 && wide <= 16)
            return basic_types[i].bytes * (wide == 3 ? 4 : wide);
    }
    return 0;
}

static void find(cl_kernel native, cl_uint index, struct hri_cl_param *param)
{
    char type[128] = "";

    param->known = clGetKernelArgInfo(native, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof param->space,
                                      &param->space, NULL) == CL_SUCCESS;
    if (!param->known ||
        clGetKernelArgInfo(native, index, CL_KERNEL_ARG_TYPE_NAME, sizeof type - 1, type, NULL) != CL_SUCCESS)
        return;
    snprintf(param->type, sizeof param->type, "%.*s", (int)sizeof param->type - 1, type);
    if (param->space == CL_KERNEL_ARG_ADDRESS_PRIVATE)
        param->bytes = type_bytes(type);
}

void hri_cl_params(cl_kernel native, uint32_t n, struct hri_cl_param *params)
{
    for (uint32_t i = 0; i < n; i++)
        find(native, i, &params[i]);
}
