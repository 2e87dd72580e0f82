/*
 * Compiles a program with the C++ compiler of the host. The preprocessor goes over it alone, so that its macros meet
 * none of the shim's; then the kernels in it are found, and the shim, the program and a table of the kernels are
 * compiled to a shared object.
 */
#include "fake_nvrtc_config.h"
#include "nvrtc.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH = 512, MOST_KERNELS = 256, MOST_WORDS = 48 };

extern char **environ;

/* A folder with the files of one compilation. */
struct place {
    char folder[PATH], source[PATH + 16], clean[PATH + 16], unit[PATH + 16], image[PATH + 16], log[PATH + 16];
};

struct command {
    const char *words[MOST_WORDS];
    int n;
};

static void add_words(struct command *command, const char *const *words)
{
    for (; *words; words++) {
        if (command->n + 1 == MOST_WORDS)
            fake_nvrtc_die("too many options");
        command->words[command->n++] = *words;
    }
    command->words[command->n] = NULL;
}

/* What the compiler wrote to stderr goes into a file. */
static bool run(const struct command *command, const char *output, const char *log)
{
    posix_spawn_file_actions_t actions;
    char *words[MOST_WORDS];
    pid_t pid;
    int status;

    memcpy(words, command->words, sizeof words);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (posix_spawn(&pid, words[0], &actions, NULL, words, environ) != 0)
        fake_nvrtc_die("the compiler " FAKE_NVRTC_CXX " cannot be run");
    posix_spawn_file_actions_destroy(&actions);
    return waitpid(pid, &status, 0) == pid && status == 0;
}

static void write_file(const char *path, const char *text, size_t bytes)
{
    FILE *file = fopen(path, "wbe");

    if (!file || fwrite(text, 1, bytes, file) != bytes || fclose(file) != 0)
        fake_nvrtc_die("a file of a compilation cannot be written");
}

static void open_place(struct place *place)
{
    static atomic_uint number;
    int made;

    do {
        snprintf(place->folder, sizeof place->folder, "%s/compile.%d.%u", FAKE_NVRTC_SCRATCH, (int)getpid(),
                 atomic_fetch_add(&number, 1));
        made = mkdir(place->folder, 0700);
    } while (made != 0 && errno == EEXIST);
    if (made != 0)
        fake_nvrtc_die("no folder for a compilation in " FAKE_NVRTC_SCRATCH);
    snprintf(place->source, sizeof place->source, "%s/source.cu", place->folder);
    snprintf(place->clean, sizeof place->clean, "%s/clean.cc", place->folder);
    snprintf(place->unit, sizeof place->unit, "%s/unit.cc", place->folder);
    snprintf(place->image, sizeof place->image, "%s/image.so", place->folder);
    snprintf(place->log, sizeof place->log, "%s/log", place->folder);
}

static void close_place(const struct place *place)
{
    unlink(place->source);
    unlink(place->clean);
    unlink(place->unit);
    unlink(place->image);
    unlink(place->log);
    rmdir(place->folder);
}

/* "name:2:5: error: text" as NVRTC writes it: "name(2): error: text". */
static void add_log(struct fake_text *log, const char *path)
{
    size_t bytes = 0;
    char *text = fake_read_file(path, &bytes);
    char *line, *rest = text;

    while (text && (line = strsep(&rest, "\n")) != NULL) {
        char name[256], kind[16];
        int number, column, used = 0;

        if (sscanf(line, "%255[^: ]:%d:%d: %15[a-z]%n", name, &number, &column, kind, &used) == 4)
            fake_add(log, "%s(%d): %s%s\n", name, number, kind, line + used);
        else if (*line)
            fake_add(log, "%s\n", line);
    }
    free(text);
}

/* The program without macros, or NULL with the log. */
static char *preprocess(const struct place *place, const char *name, const char *source,
                        const struct fake_options *options, struct fake_text *log)
{
    const char *const before[] = {FAKE_NVRTC_CXX, "-E",        "-w",          "-x",           "c++",
                                  "-std=c++17",   "-nostdinc", "-nostdinc++", "-D__CUDACC__", "-D__CUDACC_RTC__=1",
                                  "-D__NVCC__",   NULL};
    const char *const after[] = {place->source, NULL};
    struct fake_text text = {0};
    struct command command = {.n = 0};
    char arch[48];
    size_t bytes;
    char *clean = NULL;

    fake_add(&text, "#line 1 \"%s\"\n%s\n", name, source);
    write_file(place->source, text.at, text.length);
    free(text.at);
    snprintf(arch, sizeof arch, "-D__CUDA_ARCH__=%d0", options->arch);
    add_words(&command, before);
    add_words(&command, (const char *const[]){arch, NULL});
    add_words(&command, (const char *const *)options->to_compiler);
    add_words(&command, after);
    if (run(&command, place->clean, place->log))
        clean = fake_read_file(place->clean, &bytes);
    else
        add_log(log, place->log);
    return clean;
}

/* The shim, the program, the table. */
static void write_unit(const struct place *place, const char *clean, int arch)
{
    struct fake_found *found = calloc(MOST_KERNELS, sizeof *found);
    struct fake_text text = {0};
    int n;

    if (!found)
        fake_nvrtc_die("out of memory");
    n = fake_scan(clean, found, MOST_KERNELS);
    fake_add(&text, "#include \"kernel/shim.h\"\n");
    fake_add_bytes(&text, clean, strlen(clean));
    fake_add(&text, "\n#line 1 \"table\"\nstatic const fake_kernel fake_table[] = {\n");
    for (int i = 0; i < n; i++)
        fake_add(&text, "fake::bind<&%s>::kernel(\"%s\", %d),\n", found[i].name, found[i].name, found[i].shared);
    fake_add(&text, "{}};\nstruct fake_image fake_image = {%d, fake_table, %d, fake::run, nullptr};\n", arch, n);
    write_file(place->unit, text.at, text.length);
    free(text.at);
    free(found);
}

static bool build(const struct place *place, struct fake_text *log)
{
    const char *const words[] = {FAKE_NVRTC_CXX,
                                 "-x",
                                 "c++",
                                 "-std=c++17",
                                 "-O1",
                                 "-ffp-contract=off",
                                 "-fno-strict-aliasing",
                                 "-fno-exceptions",
                                 "-fno-rtti",
                                 "-w",
                                 "-fPIC",
                                 "-fvisibility=hidden",
                                 "-shared",
                                 "-nodefaultlibs",
                                 "-fsanitize=thread",
                                 FAKE_NVRTC_FLAGS,
                                 "-I" FAKE_NVRTC_INCLUDE,
                                 "-o",
                                 place->image,
                                 place->unit,
                                 "-lm",
                                 "-lc",
                                 NULL};
    struct command command = {.n = 0};

    add_words(&command, words);
    if (run(&command, "/dev/null", place->log))
        return true;
    add_log(log, place->log);
    return false;
}

static int compile(hri_nvrtc_program program, const struct place *place, const struct fake_options *options,
                   struct fake_text *log)
{
    char *clean = preprocess(place, program->name, program->source, options, log);

    if (!clean)
        return FAKE_COMPILATION;
    write_unit(place, clean, options->machine ? options->arch : -options->arch);
    free(clean);
    if (!build(place, log))
        return FAKE_COMPILATION;
    program->cubin = (unsigned char *)fake_read_file(place->image, &program->cubin_bytes);
    program->ptx = fake_write_ptx(place->image, program->cubin, program->cubin_bytes, options->arch, log);
    if (!options->machine) {
        free(program->cubin);
        program->cubin = NULL;
        program->cubin_bytes = 0;
    }
    return program->ptx ? FAKE_SUCCESS : FAKE_INTERNAL;
}

int fake_compile(hri_nvrtc_program program, const struct fake_options *options)
{
    struct fake_text log = {0};
    struct place place;
    int code;

    open_place(&place);
    code = compile(program, &place, options, &log);
    close_place(&place);
    program->log = log.at;
    return code;
}
