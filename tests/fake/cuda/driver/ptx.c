/* PTX. */
#include "fake.h"

#include <stdio.h>

hri_cu_result fake_ptx_load(const char *text, struct fake_log *log, struct fake_code **code)
{
    (void)text, (void)code;
    snprintf(log->text, sizeof log->text, "no PTX yet");
    return HRI_CU_INVALID_PTX;
}
