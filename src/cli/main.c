/* The `headrace` command: finds the subcommand. */
#include "cli.h"
#include "core/util.h"

#include <string.h>

static int run_bench(const struct cli_command *command, int argc, char **argv);

static const struct cli_command top = {
    .name = "",
    .summary = "looks at and measures what feeds an accelerator",
    .synopsis = "headrace info [OPTION...]\n"
                "headrace bench copy [OPTION...]\n"
                "headrace bench loader [OPTION...]\n"
                "headrace help [COMMAND]\n"
                "headrace --version | --help",
    .description =
        "Headrace streams data to an accelerator so that it never waits. This command shows which devices the library "
        "can use here and measures how well it feeds them. Measurements print a table for people, or with --json one "
        "JSON document, on standard output; everything else goes to standard error.\n\n"
        "info: every backend and device, usable or not and why; with --settings the variables below\n"
        "bench copy: copies of each size and direction, beside what the link or the memory can do\n"
        "bench loader: a shuffled table streamed in batches, beside a bare loop that gathers the same rows",
    .examples = "       headrace info\n"
                "       headrace help bench copy\n"
                "       headrace bench loader --selector pocl --row 4K\n",
};

static const struct cli_command bench = {.name = "bench", .run = run_bench};

static const struct cli_command *const first_words[] = {&cli_info, &bench};
static const struct cli_command *const benches[] = {&cli_bench_copy, &cli_bench_loader};

static const char *last_word(const struct cli_command *command)
{
    const char *space = strrchr(command->name, ' ');

    return space ? space + 1 : command->name;
}

/* The command whose last word is `word`; otherwise says which is nearest and returns NULL. */
static const struct cli_command *find(const struct cli_command *const *commands, size_t n, const char *within,
                                      const char *word)
{
    const char *names[8], *nearest;
    size_t count = 0;

    for (; count < n; count++) {
        names[count] = last_word(commands[count]);
        if (strcmp(names[count], word) == 0)
            return commands[count];
    }
    if (!*within)
        names[count++] = "help";
    nearest = hri_nearest(word, names, count);
    if (nearest)
        cli_usage("", "unknown command '%s%s%s'; did you mean '%s%s%s'?", within, *within ? " " : "", word, within,
                  *within ? " " : "", nearest);
    else
        cli_usage("", "unknown command '%s%s%s'", within, *within ? " " : "", word);
    return NULL;
}

static int run_bench(const struct cli_command *command, int argc, char **argv)
{
    const struct cli_command *found;

    if (argc < 2)
        return cli_usage("", "%s needs to know what: copy or loader", command->name);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        cli_help(&top);
        return CLI_DONE;
    }
    found = find(benches, sizeof benches / sizeof *benches, command->name, argv[1]);
    return found ? found->run(found, argc - 1, argv + 1) : CLI_USAGE;
}

/* `headrace help [COMMAND]` */
static int run_help(int argc, char **argv)
{
    const struct cli_command *found;

    if (argc < 2) {
        cli_help(&top);
        return CLI_DONE;
    }
    found = find(first_words, sizeof first_words / sizeof *first_words, "", argv[1]);
    if (found == &bench && argc > 2)
        found = find(benches, sizeof benches / sizeof *benches, bench.name, argv[2]);
    if (!found)
        return CLI_USAGE;
    cli_help(found == &bench ? &top : found);
    return CLI_DONE;
}

static int run(int argc, char **argv)
{
    const struct cli_command *found;

    if (argc < 2)
        return cli_usage("", "a command is missing: info, bench copy, bench loader or help");
    if (strcmp(argv[1], "--version") == 0) {
        printf("headrace %s\n", hr_version_string());
        return CLI_DONE;
    }
    if (strcmp(argv[1], "help") == 0)
        return run_help(argc - 1, argv + 1);
    if (argv[1][0] == '-')
        return cli_parse(&top, 2, argv, NULL); /* --help, or an unknown option */
    found = find(first_words, sizeof first_words / sizeof *first_words, "", argv[1]);
    return found ? found->run(found, argc - 1, argv + 1) : CLI_USAGE;
}

int main(int argc, char **argv)
{
    int status = run(argc, argv);

    if (fflush(stdout) != 0 || ferror(stdout))
        return cli_error("standard output could not be written");
    return status;
}
