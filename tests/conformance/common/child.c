/* Runs the program again as a child, for what only a whole process can show. */
#include "conformance.h"

#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_VARIABLES = 1000 };

static bool overridden(const char *variable, const char *const *environment)
{
    size_t name = strcspn(variable, "=") + 1;

    for (; environment && *environment; environment++)
        if (strncmp(variable, *environment, name) == 0)
            return true;
    return false;
}

/* This process's environment with the further variables in place of their namesakes. */
static void compose(char *out[MOST_VARIABLES], const char *const *environment)
{
    int n = 0;

    for (char **old = environ; *old && n < MOST_VARIABLES / 2; old++)
        if (!overridden(*old, environment))
            out[n++] = *old;
    for (; environment && *environment; environment++) {
        out[n++] = strdup(*environment);
        assert_non_null(out[n - 1]);
    }
    out[n] = NULL;
}

int run_self(const char *task, const char *const *environment, char *output, size_t output_bytes)
{
    static char *variables[MOST_VARIABLES];
    char *arguments[] = {(char[]){"conformance"}, strdup(selector), strdup(task), NULL};
    posix_spawn_file_actions_t actions;
    int ends[2];
    int status = 0;
    size_t used = 0;
    ssize_t n;
    pid_t child;

    compose(variables, environment);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    assert_int_equal(posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO), 0);
    assert_int_equal(posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO), 0);
    assert_int_equal(posix_spawn_file_actions_addclose(&actions, ends[0]), 0);
    assert_int_equal(posix_spawn(&child, "/proc/self/exe", &actions, NULL, arguments, variables), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    while (used + 1 < output_bytes && (n = read(ends[0], output + used, output_bytes - 1 - used)) > 0)
        used += (size_t)n;
    output[used] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    free(arguments[1]);
    free(arguments[2]);
    for (char **variable = variables; environment && *variable; variable++)
        if (overridden(*variable, environment))
            free(*variable);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}
