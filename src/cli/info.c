/* headrace info: every backend and device, and the settings. */
#include "cli.h"
#include "core/settings.h"

#include <string.h>

struct info_options {
    bool json;
    bool settings;
};

static const struct cli_option options[] = {
    {"--settings", NULL, CLI_FLAG, offsetof(struct info_options, settings),
     "List the HEADRACE_ variables instead: default, present value, what each does.", NULL, 0, 0},
    {"--json", NULL, CLI_FLAG, offsetof(struct info_options, json), "Print one JSON document.", NULL, 0, 0},
};

static const struct {
    uint32_t bit;
    const char *name;
} abilities[] = {
    {HR_ABILITY_SHARED_MEMORY, "shared memory"},        {HR_ABILITY_ASYNC_KERNELS, "asynchronous kernels"},
    {HR_ABILITY_COPY_OVERLAP, "copies beside kernels"}, {HR_ABILITY_TIMING, "timing"},
    {HR_ABILITY_IMPORT, "registration of host memory"},
};
enum { ABILITIES = sizeof abilities / sizeof *abilities };

/* The selector that an open without a name takes; empty, with the reason in hr_last_error(), when none opens. */
static void find_default(char *selector, size_t bytes)
{
    hr_device_info info = {.size = sizeof info};
    hr_device *device;

    selector[0] = '\0';
    if (hr_device_open(NULL, NULL, &device) != HR_OK)
        return;
    if (hr_device_get_info(device, &info) == HR_OK)
        snprintf(selector, bytes, "%s", info.selector);
    hr_device_close(&device);
}

static void print_device(const hr_device_info *info, bool is_default)
{
    const char *comma = "";

    if (!info->usable) {
        printf("  %-12s not usable: %s\n", info->selector[0] ? info->selector : info->backend, info->reason);
        if (info->name[0])
            printf("    name       %s\n", info->name);
        putchar('\n');
        return;
    }
    printf("%c %-12s %s\n", is_default ? '*' : ' ', info->selector, info->name);
    printf("    kind       %s, %u compute units, work groups up to %u\n", cli_kind_name(info->kind),
           info->compute_units, info->max_group_size);
    printf("    platform   %s\n    driver     %s\n", info->platform, info->driver);
    printf("    memory     %s, largest buffer %s, alignment %u bytes\n", cli_size(info->memory_bytes),
           cli_size(info->max_buffer_bytes), info->alignment);
    printf("    abilities  ");
    for (unsigned i = 0; i < ABILITIES; i++)
        if (info->abilities & abilities[i].bit) {
            printf("%s%s", comma, abilities[i].name);
            comma = ", ";
        }
    puts(*comma ? "\n" : "none\n");
}

static void write_device(struct cli_json *json, const hr_device_info *info, bool is_default)
{
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "selector", info->selector);
    cli_json_text(json, "backend", info->backend);
    cli_json_flag(json, "usable", info->usable != 0);
    cli_json_flag(json, "default", is_default);
    cli_json_text(json, "reason", info->reason);
    cli_json_text(json, "kind", cli_kind_name(info->kind));
    cli_json_text(json, "name", info->name);
    cli_json_text(json, "platform", info->platform);
    cli_json_text(json, "driver", info->driver);
    cli_json_count(json, "memory_bytes", info->memory_bytes);
    cli_json_count(json, "max_buffer_bytes", info->max_buffer_bytes);
    cli_json_count(json, "alignment", info->alignment);
    cli_json_count(json, "compute_units", info->compute_units);
    cli_json_count(json, "max_group_size", info->max_group_size);
    cli_json_open(json, "abilities", '[');
    for (unsigned i = 0; i < ABILITIES; i++)
        if (info->abilities & abilities[i].bit)
            cli_json_text(json, NULL, abilities[i].name);
    cli_json_close(json);
    cli_json_close(json);
}

static int show_devices(struct cli_json *json, const char *selector)
{
    uint32_t count;
    hr_status st = hr_device_count(&count);

    if (st != HR_OK)
        return cli_failed(st, "cannot list the devices");
    for (uint32_t i = 0; i < count; i++) {
        hr_device_info info = {.size = sizeof info};
        bool is_default;

        st = hr_device_describe(i, &info);
        if (st != HR_OK)
            return cli_failed(st, "cannot describe a device");
        is_default = selector[0] && strcmp(selector, info.selector) == 0;
        if (json)
            write_device(json, &info, is_default);
        else
            print_device(&info, is_default);
    }
    return CLI_DONE;
}

static int show_all(struct cli_json *json)
{
    char selector[sizeof((hr_device_info *)0)->selector], why[1024] = "";
    int status;

    find_default(selector, sizeof selector);
    if (!selector[0])
        snprintf(why, sizeof why, "%s", hr_last_error());
    if (!json) {
        status = show_devices(NULL, selector);
        if (status == CLI_DONE && selector[0])
            printf("* opens when a program names no device: %s\n", selector);
        else if (status == CLI_DONE)
            printf("No device opens when a program names none: %s\n", why);
        return status;
    }
    cli_json_open(json, "devices", '[');
    status = show_devices(json, selector);
    cli_json_close(json);
    cli_json_text(json, "default", selector);
    cli_json_text(json, "default_reason", why);
    return status;
}

static void write_settings(struct cli_json *json)
{
    const char *variable, *def, *help;

    cli_json_open(json, "settings", '[');
    for (unsigned i = 0; hri_setting_row(i, &variable, &def, &help); i++) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "variable", variable);
        cli_json_text(json, "default", def);
        cli_json_text(json, "value", hri_setting_text((enum hri_setting)i));
        cli_json_text(json, "help", help);
        cli_json_close(json);
    }
    cli_json_close(json);
}

static int print_settings(void)
{
    static const char *const titles[] = {"variable", "default", "value", "meaning"};
    const char *variable, *def, *help;
    struct cli_table table;

    cli_table_begin(&table, "llll");
    for (unsigned i = 0; i < sizeof titles / sizeof *titles; i++)
        cli_table_cell(&table, "%s", titles[i]);
    for (unsigned i = 0; hri_setting_row(i, &variable, &def, &help); i++) {
        const char *value = hri_setting_text((enum hri_setting)i);

        cli_table_cell(&table, "%s", variable);
        cli_table_cell(&table, "%s", *def ? def : "-");
        cli_table_cell(&table, "%s", value == def ? "-" : value); /* the table's own text: not set */
        cli_table_cell(&table, "%s", help);
    }
    return cli_table_end(&table);
}

static int show_settings(struct cli_json *json)
{
    if (!json)
        return print_settings();
    write_settings(json);
    return CLI_DONE;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    struct info_options o = {0};
    struct cli_json json;
    int status = cli_parse(command, argc, argv, &o);

    if (status != CLI_GO)
        return status;
    if (o.json) {
        cli_json_begin(&json, stdout);
        cli_json_text(&json, "command", command->name);
        cli_json_text(&json, "version", hr_version_string());
    }
    status = o.settings ? show_settings(o.json ? &json : NULL) : show_all(o.json ? &json : NULL);
    if (o.json && status == CLI_DONE)
        cli_json_end(&json);
    return status;
}

const struct cli_command cli_info = {
    .name = "info",
    .summary = "shows every backend and device, usable or not",
    .synopsis = "headrace info [--settings] [--json]",
    .description =
        "Lists every device that the backends in the library find on this machine, with the selector that opens it, "
        "its memory, the alignment of a part of a buffer, and what it can do. A backend without a usable device stays "
        "in the list and says why. An asterisk marks the device that opens when a program names none.\n\n"
        "Abilities: shared memory means that kernels work on the host's memory, so that data are gathered in place and "
        "not copied; copies beside kernels means that a copy on one queue can end while a kernel runs on another.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .examples = "       headrace info\n"
                "       headrace info --json\n"
                "       HEADRACE_BACKEND=pocl headrace info --settings\n",
    .run = run,
};
