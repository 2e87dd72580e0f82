/* Which version of PTX this driver takes. */
#include "fake.h"

#include <stdio.h>
#include <string.h>

/* CUDA 11.0 came with PTX 7.0, 12.0 with 8.0, 13.0 with 9.0. */
hri_cu_result fake_ptx_version(const char *text, struct fake_log *log)
{
    const char *at = strstr(text, ".version");
    const int version = fake_settings()->version, most = (version / 1000 - 4) * 10 + version % 1000 / 10;
    int major, minor;

    if (!at || sscanf(at, ".version %d.%d", &major, &minor) != 2) {
        snprintf(log->text, sizeof log->text, "no .version with a number");
        return HRI_CU_INVALID_PTX;
    }
    if (major * 10 + minor > most) {
        snprintf(log->text, sizeof log->text, "PTX version %d.%d does not support this driver, which takes up to %d.%d",
                 major, minor, most / 10, most % 10);
        return HRI_CU_UNSUPPORTED_PTX_VERSION;
    }
    return 0;
}
