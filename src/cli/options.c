/* Reads a command's options by its table. */
#include "cli.h"
#include "core/message.h"
#include "core/settings.h"
#include "core/util.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NAMES 32

static hr_status take_number(const struct cli_option *option, const char *text, uint64_t *value)
{
    uint64_t number;

    if (hri_parse_bytes(text, &number) != HR_OK)
        return hri_fail(HR_FORMAT, "%s is \"%s\"; accepted: a number, or one with K, M or G (1024), as 64K",
                        option->name, text);
    if (number < option->least || (option->most && number > option->most))
        return hri_fail(HR_RANGE, "%s is %s; accepted: %llu to %llu", option->name, text,
                        (unsigned long long)option->least,
                        (unsigned long long)(option->most ? option->most : UINT64_MAX));
    *value = number;
    return HR_OK;
}

static hr_status take_real(const struct cli_option *option, const char *text, double *value)
{
    char *end;
    double number = strtod(text, &end);

    if (end == text || *end || !(number >= 0 && number <= 1000))
        return hri_fail(HR_FORMAT, "%s is \"%s\"; accepted: 0 to 1000, as 1.2", option->name, text);
    *value = number;
    return HR_OK;
}

static hr_status take_sizes(const struct cli_option *option, const char *text, struct cli_sizes *sizes)
{
    struct cli_sizes read = {0};
    char word[64];

    do {
        size_t length = strcspn(text, ",");
        hr_status st;

        if (read.n == CLI_MAX_SIZES)
            return hri_fail(HR_RANGE, "%s names more than %d sizes", option->name, CLI_MAX_SIZES);
        if (length >= sizeof word)
            return hri_fail(HR_FORMAT, "%s: \"%.20s...\" is no size", option->name, text);
        memcpy(word, text, length);
        word[length] = '\0';
        st = take_number(option, word, &read.bytes[read.n++]);
        if (st != HR_OK)
            return st;
        text += length;
    } while (*text++ == ',');
    *sizes = read;
    return HR_OK;
}

static hr_status take_choice(const struct cli_option *option, const char *text, uint32_t *value)
{
    const char *names[MAX_NAMES], *nearest;
    char list[256] = "";
    size_t n = 0;

    for (; option->choices[n].name; n++) {
        if (strcmp(option->choices[n].name, text) == 0) {
            *value = option->choices[n].value;
            return HR_OK;
        }
        names[n] = option->choices[n].name;
        strcat(strcat(list, n ? ", " : ""), names[n]);
    }
    nearest = hri_nearest(text, names, n);
    return hri_fail(HR_NOT_FOUND, "%s is \"%s\"; known: %s%s%s%s", option->name, text, list,
                    nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

static hr_status take_value(const struct cli_option *option, const char *text, void *value)
{
    switch (option->kind) {
    case CLI_FLAG:
        *(bool *)value = true;
        return HR_OK;
    case CLI_TEXT:
        *(const char **)value = text;
        return HR_OK;
    case CLI_BYTES:
    case CLI_COUNT:
        return take_number(option, text, value);
    case CLI_REAL:
        return take_real(option, text, value);
    case CLI_SIZES:
        return take_sizes(option, text, value);
    default:
        return take_choice(option, text, value);
    }
}

static const struct cli_option *find_option(const struct cli_command *command, const char *text, size_t length)
{
    for (size_t i = 0; i < command->n_options; i++)
        if (strlen(command->options[i].name) == length && memcmp(command->options[i].name, text, length) == 0)
            return &command->options[i];
    return NULL;
}

static int unknown_option(const struct cli_command *command, const char *text, size_t length)
{
    const char *names[MAX_NAMES], *nearest;
    char word[64];
    size_t n = 0;

    for (; n < command->n_options; n++)
        names[n] = command->options[n].name;
    names[n++] = "--help";
    if (length >= sizeof word)
        length = sizeof word - 1;
    memcpy(word, text, length);
    word[length] = '\0';
    nearest = hri_nearest(word, names, n);
    if (word[0] != '-')
        return cli_usage(command->name, "unexpected argument '%s'", word);
    if (nearest)
        return cli_usage(command->name, "unknown option '%s'; did you mean '%s'?", word, nearest);
    return cli_usage(command->name, "unknown option '%s'", word);
}

int cli_parse(const struct cli_command *command, int argc, char **argv, void *values)
{
    for (int i = 1; i < argc; i++) {
        size_t length = strcspn(argv[i], "=");
        const struct cli_option *option = find_option(command, argv[i], length);
        const char *value = argv[i][length] == '=' ? argv[i] + length + 1 : NULL;

        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            cli_help(command);
            return CLI_DONE;
        }
        if (!option)
            return unknown_option(command, argv[i], length);
        if (option->kind == CLI_FLAG && value)
            return cli_usage(command->name, "%s takes no value", option->name);
        if (option->kind != CLI_FLAG && !value && i + 1 == argc)
            return cli_usage(command->name, "%s needs a value: %s", option->name, option->argument);
        if (option->kind != CLI_FLAG && !value)
            value = argv[++i];
        if (take_value(option, value, (char *)values + option->offset) != HR_OK)
            return cli_usage(command->name, "%s", hr_last_error());
    }
    return CLI_GO;
}
