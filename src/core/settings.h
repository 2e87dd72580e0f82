/* One declarative table: every HEADRACE_ variable, its default, its help. settings.c has the only getenv. */
#ifndef HRI_SETTINGS_H
#define HRI_SETTINGS_H

#include <headrace/status.h>
#include <stdint.h>

/* id, variable, kind (TEXT, BYTES, COUNT), default as text, help */
#define HRI_SETTING_LIST(X)                                                                                            \
    X(BACKEND, "HEADRACE_BACKEND", TEXT, "", "backend to open when the program names none: cuda, opencl, pocl")        \
    X(DEVICE, "HEADRACE_DEVICE", TEXT, "", "device of that backend: an index, PLATFORM:DEVICE or a part of its name")  \
    X(DEVICE_MEMORY, "HEADRACE_DEVICE_MEMORY", BYTES, "0", "device-memory budget: bytes, or with K, M, G (1024)")      \
    X(PINNED_MEMORY, "HEADRACE_PINNED_MEMORY", BYTES, "0", "pinned-memory budget: bytes, or with K, M, G (1024)")      \
    X(LAYERS, "HEADRACE_LAYERS", TEXT, "", "layers to put on, separated by ';': fault:op=copy,n=3,status=lost")        \
    X(TRACE, "HEADRACE_TRACE", TEXT, "", "file for a timeline that Perfetto opens; %p in it: the process's number")    \
    X(WORKERS, "HEADRACE_WORKERS", COUNT, "0", "threads that gather, for each loader; 0: a rule by cores")             \
    X(LOG, "HEADRACE_LOG", TEXT, "", "messages on standard error: error, warn, info or debug")

enum hri_setting {
#define HRI_SETTING_ENUM(id, variable, kind, def, help) HRI_SETTING_##id,
    HRI_SETTING_LIST(HRI_SETTING_ENUM)
#undef HRI_SETTING_ENUM
        HRI_SETTINGS
};

/* The text of a setting: the environment's (secure_getenv) or the default; never NULL. The first call of the process
 * warns (log level warn) about HEADRACE_ variables that are not in the table, with the nearest name. */
const char *hri_setting_text(enum hri_setting setting);

/* A BYTES or COUNT setting as a number. HR_INVALID names the variable, its value and what is accepted. */
hr_status hri_setting_number(enum hri_setting setting, uint64_t *value);

/* For the command's help: row `index` of the table, 0 when there is none. */
int hri_setting_row(unsigned index, const char **variable, const char **def, const char **help);

/* "64M", "1.5G", "4096" to bytes (K, M, G, T: powers of 1024); HR_FORMAT in silence. Shared with the command's options.
 */
hr_status hri_parse_bytes(const char *text, uint64_t *bytes);

#endif
