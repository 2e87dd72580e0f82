/* Tables for people: columns as wide as their widest cell, and sizes with units. */
#include "cli.h"
#include "core/util.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void cli_table_begin(struct cli_table *table, const char *align)
{
    memset(table, 0, sizeof *table);
    table->columns = (unsigned)strlen(align);
    table->align = align;
}

void cli_table_cell(struct cli_table *table, const char *format, ...)
{
    va_list list;

    if (table->cells == table->room) {
        size_t room = table->room ? 2 * table->room : 64;
        void *cell = realloc(table->cell, room * sizeof *table->cell);

        if (!cell) {
            table->broken = true;
            return;
        }
        table->cell = cell;
        table->room = room;
    }
    va_start(list, format);
    vsnprintf(table->cell[table->cells++], CLI_CELL, format, list);
    va_end(list);
}

static void print_cells(const struct cli_table *table, const size_t *width)
{
    for (size_t i = 0; i < table->cells; i++) {
        unsigned c = (unsigned)(i % table->columns);
        bool last = c + 1 == table->columns;

        if (table->align[c] == 'r')
            printf("%*s", (int)width[c], table->cell[i]);
        else
            printf("%-*s", last ? 0 : (int)width[c], table->cell[i]);
        fputs(last ? "\n" : "  ", stdout);
    }
}

int cli_table_end(struct cli_table *table)
{
    size_t width[CLI_COLUMNS] = {0};
    bool broken = table->broken;

    for (size_t i = 0; i < table->cells; i++) {
        size_t n = strlen(table->cell[i]);

        if (n > width[i % table->columns])
            width[i % table->columns] = n;
    }
    print_cells(table, width);
    free(table->cell);
    memset(table, 0, sizeof *table);
    return broken ? cli_error("out of memory for a table") : CLI_DONE;
}

const char *cli_size(uint64_t bytes)
{
    static char text[8][32];
    static unsigned turn;
    char *out = text[turn++ % 8];

    hri_bytes_text(bytes, out);
    return out;
}
