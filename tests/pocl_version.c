/* Exits with PoCL's major version, 0 without PoCL: the build asks, since the devices' names depend on it. */
#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
    cl_platform_id platforms[16];
    cl_uint n = 0;

    if (clGetPlatformIDs(16, platforms, &n) != CL_SUCCESS)
        return 0;
    for (cl_uint i = 0; i < n && i < 16; i++) {
        char version[256] = "";
        const char *pocl;

        if (clGetPlatformInfo(platforms[i], CL_PLATFORM_VERSION, sizeof version, version, NULL) != CL_SUCCESS)
            continue;
        pocl = strstr(version, "oCL "); /* "OpenCL 3.0 PoCL 3.1 ..."; older ones say "pocl" */
        if (pocl != NULL)
            return atoi(pocl + 4);
    }
    return 0;
}
