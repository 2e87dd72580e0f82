/* The options of NVRTC: those it has are understood or passed on, others are refused as it refuses them. */
#include "nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const int fake_archs[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
const int fake_n_archs = sizeof fake_archs / sizeof *fake_archs;

/* Known and without a meaning here. */
static const char *const ignored[] = {"--fmad=false",
                                      "-fmad=false",
                                      "-default-device",
                                      "--device-as-default-execution-space",
                                      "-lineinfo",
                                      "--generate-line-info",
                                      "-G",
                                      "--device-debug",
                                      "-restrict",
                                      "--restrict",
                                      "--std=c++11",
                                      "--std=c++14",
                                      "--std=c++17",
                                      "-std=c++17",
                                      "--prec-div=true",
                                      "--prec-sqrt=true",
                                      "--ftz=false"};

bool fake_arch_known(int arch)
{
    for (int i = 0; i < fake_n_archs; i++)
        if (fake_archs[i] == arch)
            return true;
    return false;
}

static bool is_ignored(const char *option)
{
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (strcmp(option, ignored[i]) == 0)
            return true;
    return false;
}

/* The value of --NAME=VALUE or -SHORT=VALUE. */
static const char *value_of(const char *option, const char *name)
{
    size_t length = strlen(name);

    return strncmp(option, name, length) == 0 && option[length] == '=' ? option + length + 1 : NULL;
}

static bool read_arch(const char *value, struct fake_options *options)
{
    char kind[8];

    if (sscanf(value, "%7[a-z]_%d", kind, &options->arch) != 2)
        return false;
    options->machine = strcmp(kind, "sm") == 0;
    return (options->machine || strcmp(kind, "compute") == 0) && fake_arch_known(options->arch);
}

static void pass_on(struct fake_options *options, const char *prefix, const char *value)
{
    size_t room = strlen(prefix) + strlen(value) + 1;
    char *option = malloc(room);

    if (!option)
        fake_nvrtc_die("out of memory");
    snprintf(option, room, "%s%s", prefix, value);
    options->to_compiler[options->n++] = option;
}

/* Long names of what goes on to the compiler. */
static bool read_long(const char *option, struct fake_options *options)
{
    static const struct {
        const char *name, *prefix;
    } names[] = {{"--define-macro", "-D"}, {"--undefine-macro", "-U"}, {"--include-path", "-I"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = value_of(option, names[i].name);

        if (value) {
            pass_on(options, names[i].prefix, value);
            return true;
        }
    }
    return false;
}

static bool read_one(const char *option, struct fake_options *options)
{
    const char *arch = value_of(option, "--gpu-architecture");

    if (!arch)
        arch = value_of(option, "-arch");
    if (arch)
        return read_arch(arch, options);
    if (option[0] == '-' && option[1] && strchr("DUI", option[1]) && option[2]) {
        pass_on(options, "", option);
        return true;
    }
    return strcmp(option, "-w") == 0 || strcmp(option, "--disable-warnings") == 0 || is_ignored(option) ||
           read_long(option, options);
}

int fake_options_read(int n, const char *const *given, struct fake_options *options, struct fake_text *log)
{
    *options = (struct fake_options){.arch = fake_archs[0]};
    options->to_compiler = calloc((size_t)n + 1, sizeof *options->to_compiler);
    if (!options->to_compiler)
        fake_nvrtc_die("out of memory");
    for (int i = 0; i < n; i++)
        if (!read_one(given[i], options)) {
            fake_add(log, "nvrtc: error: invalid value or unrecognized option: %s\n", given[i]);
            fake_options_drop(options);
            return FAKE_INVALID_OPTION;
        }
    return FAKE_SUCCESS;
}

void fake_options_drop(struct fake_options *options)
{
    for (int i = 0; i < options->n; i++)
        free(options->to_compiler[i]);
    free(options->to_compiler);
}
