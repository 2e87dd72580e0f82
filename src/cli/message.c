/* What the command says on standard error. */
#include "cli.h"

#include <stdarg.h>
#include <unistd.h>

int cli_usage(const char *name, const char *format, ...)
{
    const char *space = name[0] ? " " : "";
    va_list list;

    fprintf(stderr, "headrace%s%s: ", space, name);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fprintf(stderr, "\nTry 'headrace%s%s --help'.\n", space, name);
    return CLI_USAGE;
}

int cli_failed(hr_status status, const char *what)
{
    const char *message = hr_last_error();

    cli_progress(0, 0, "");
    fprintf(stderr, "headrace: %s: %s (%s)\n", what, message[0] ? message : hr_status_text(status),
            hr_status_name(status));
    return CLI_FAILED;
}

int cli_error(const char *format, ...)
{
    va_list list;

    cli_progress(0, 0, "");
    fprintf(stderr, "headrace: ");
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    return CLI_FAILED;
}

void cli_progress(unsigned done, unsigned total, const char *what)
{
    enum { WIDTH = 32 };
    unsigned filled;

    if (!isatty(STDERR_FILENO))
        return;
    fputs("\r\033[K", stderr);
    if (total > 0) {
        filled = done >= total ? WIDTH : done * WIDTH / total;
        fputc('[', stderr);
        for (unsigned i = 0; i < WIDTH; i++)
            fputc(i < filled ? '#' : '.', stderr);
        fprintf(stderr, "] %3u%% %s", done >= total ? 100 : done * 100 / total, what);
    }
    fflush(stderr);
}
