/* Help texts in the order of a man page, from a command's tables and the settings' list. */
#include "cli.h"
#include "core/settings.h"

#include <string.h>

enum { WIDTH = 80 };

/* Fills lines up to WIDTH; '\n' ends a paragraph's line. */
static void print_wrapped(const char *text, int indent)
{
    int column = 0;

    while (*text) {
        int length = (int)strcspn(text, " \n");

        if (column > 0 && column + 1 + length > WIDTH - indent) {
            putchar('\n');
            column = 0;
        }
        if (length > 0) {
            printf("%*s%.*s", column == 0 ? indent : 1, "", length, text);
            column += length + (column > 0);
        }
        text += length;
        if (*text == '\n') {
            putchar('\n');
            column = 0;
        }
        text += *text != '\0';
    }
    putchar('\n');
}

static void print_options(const struct cli_command *command)
{
    puts("\nOPTIONS");
    for (size_t i = 0; i < command->n_options; i++) {
        const struct cli_option *option = &command->options[i];

        printf("       %s%s%s\n", option->name, option->argument ? " " : "", option->argument ? option->argument : "");
        print_wrapped(option->help, 14);
        putchar('\n');
    }
    printf("       -h, --help\n              Print this text.\n");
}

static void print_environment(void)
{
    const char *variable, *def, *help;

    puts("\nENVIRONMENT");
    for (unsigned i = 0; hri_setting_row(i, &variable, &def, &help); i++) {
        printf("%s       %s\n", i ? "\n" : "", variable);
        print_wrapped(help, 14);
    }
}

void cli_help(const struct cli_command *command)
{
    const char *space = command->name[0] ? " " : "";

    printf("NAME\n       headrace%s%s - %s\n", space, command->name, command->summary);
    puts("\nSYNOPSIS");
    print_wrapped(command->synopsis, 7);
    puts("\nDESCRIPTION");
    print_wrapped(command->description, 7);
    print_options(command);
    print_environment();
    puts("\nEXIT STATUS\n"
         "       0      success\n"
         "       1      a device, a measurement or a check failed; standard error says why\n"
         "       2      the command line is wrong; standard error says what would be right");
    printf("\nEXAMPLES\n%s", command->examples);
}
