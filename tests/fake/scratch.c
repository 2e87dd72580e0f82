/* Files for a test, in a temporary folder. */
#include "fake/scratch.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64];

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *ftw)
{
    (void)info;
    (void)type;
    (void)ftw;
    return remove(path);
}

static void remove_folder(void)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void give_up(const char *what)
{
    perror(what);
    exit(1);
}

static void make_folder(void)
{
    const char *start = P_tmpdir "/headrace-test-";

    strcpy(folder, start);
    memset(folder + strlen(start), 'X', 6); /* what mkdtemp() replaces */
    if (!mkdtemp(folder))
        give_up(folder);
    atexit(remove_folder);
}

const char *scratch_path(const char *name)
{
    static char paths[8][128];
    static unsigned turn;
    char *path = paths[turn++ % 8];

    if (folder[0] == '\0')
        make_folder();
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

const char *scratch_file(const char *name, const void *bytes, size_t size)
{
    const char *path = scratch_path(name);
    FILE *file = fopen(path, "wb");

    if (!file || (size > 0 && fwrite(bytes, 1, size, file) != size) || fclose(file) != 0)
        give_up(path);
    return path;
}
