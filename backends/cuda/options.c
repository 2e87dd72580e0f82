/* A program's options: those that OpenCL's compilers and NVRTC both take, for NVRTC. */
#include "cuda/compile.h"

#include <stdlib.h>
#include <string.h>

/* OpenCL's leave to be less exact, which need not be taken, and what holds here anyway. */
static const char *const without_effect[] = {
    "-cl-mad-enable",        "-cl-no-signed-zeros",
    "-cl-fast-relaxed-math", "-cl-unsafe-math-optimizations",
    "-cl-finite-math-only",  "-cl-fp32-correctly-rounded-divide-sqrt",
    "-cl-denorms-are-zero",  "-cl-kernel-arg-info",
    "-cl-opt-disable",       "-cl-strict-aliasing",
};

static bool has_no_effect(const char *option)
{
    for (size_t i = 0; i < sizeof without_effect / sizeof *without_effect; i++)
        if (strcmp(option, without_effect[i]) == 0)
            return true;
    return strncmp(option, "-cl-std=", 8) == 0;
}

/* "-D", "-I" and "-U" with what follows; NULL for other options. The value may be a word of its own. */
static char *with_value(char *option, char **rest)
{
    char *value;

    if (option[0] != '-' || option[1] == '\0' || !strchr("DIU", option[1]))
        return NULL;
    if (option[2] != '\0')
        return option;
    value = strtok_r(NULL, " \t", rest);
    if (!value)
        return NULL;
    memmove(option + 2, value, strlen(value) + 1); /* leftwards, in the same text */
    return option;
}

hr_status hri_cu_options_read(const struct hrb_services *services, const char *given, struct hri_cu_options *options)
{
    char *rest = NULL;
    hr_status st = HR_OK;

    options->n = 0;
    options->text = strdup(given ? given : "");
    options->list = calloc(HRI_CU_OWN_OPTIONS + (given ? strlen(given) : 0) / 2 + 1, sizeof *options->list);
    if (!options->text || !options->list)
        st = services->fail(HR_NO_MEMORY, 0, "no memory for the options of a program");
    for (char *word = st == HR_OK ? strtok_r(options->text, " \t", &rest) : NULL; word && st == HR_OK;
         word = strtok_r(NULL, " \t", &rest)) {
        const char *taken = strcmp(word, "-w") == 0 ? word : with_value(word, &rest);

        if (taken)
            options->list[options->n++] = taken;
        else if (!has_no_effect(word))
            st =
                services->fail(HR_BUILD, 0,
                               "a program's option \"%s\" is not understood; there are -DNAME=VALUE, -UNAME, -IFOLDER, "
                               "-w and what OpenCL permits a compiler (-cl-mad-enable and the like)",
                               word);
    }
    if (st != HR_OK)
        hri_cu_options_drop(options);
    return st;
}

void hri_cu_options_drop(struct hri_cu_options *options)
{
    free(options->list);
    free(options->text);
    options->list = NULL;
    options->text = NULL;
}
