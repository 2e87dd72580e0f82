/* The settings table, and the library's only look at the environment. */
#include "core/settings.h"

#include "core/log.h"
#include "core/message.h"
#include "core/util.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "HEADRACE_"
#define PREFIX_LENGTH (sizeof PREFIX - 1)

enum kind { TEXT, BYTES, COUNT };

struct row {
    const char *variable;
    enum kind kind;
    const char *def;
    const char *help;
};

static const struct row rows[] = {
#define ROW(id, variable, kind, def, help) {variable, kind, def, help},
    HRI_SETTING_LIST(ROW)
#undef ROW
};

/* What follows the prefix: the part in which a slip shows. */
static const char *const short_names[] = {
#define SHORT(id, variable, kind, def, help) &variable[PREFIX_LENGTH],
    HRI_SETTING_LIST(SHORT)
#undef SHORT
};

static void warn_if_unknown(const char *entry)
{
    const char *name = entry + PREFIX_LENGTH;
    size_t length = strcspn(name, "=");
    char text[64];
    const char *nearest;

    for (int i = 0; i < HRI_SETTINGS; i++)
        if (strlen(short_names[i]) == length && memcmp(name, short_names[i], length) == 0)
            return;
    if (length >= sizeof text)
        length = sizeof text - 1;
    memcpy(text, name, length);
    text[length] = '\0';
    nearest = hri_nearest(text, short_names, HRI_SETTINGS);
    if (nearest)
        hri_log(HRI_LOG_WARN, "unknown variable " PREFIX "%s is ignored; did you mean " PREFIX "%s?", text, nearest);
    else
        hri_log(HRI_LOG_WARN, "unknown variable " PREFIX "%s is ignored; the README lists all", text);
}

static void warn_once(void)
{
    static atomic_flag done = ATOMIC_FLAG_INIT;

    /* Set before the walk: the log asks for a setting itself. */
    if (atomic_flag_test_and_set(&done) || !environ)
        return;
    for (char **entry = environ; *entry; entry++)
        if (strncmp(*entry, PREFIX, PREFIX_LENGTH) == 0)
            warn_if_unknown(*entry);
}

const char *hri_setting_text(enum hri_setting setting)
{
    const char *text;

    warn_once();
    text = secure_getenv(rows[setting].variable);
    return text && *text ? text : rows[setting].def;
}

/* The digits at *text as a number; false when there is none or it does not fit. */
static bool take_whole(const char **text, uint64_t *value)
{
    const char *at = *text;
    uint64_t sum = 0;

    for (; *at >= '0' && *at <= '9'; at++)
        if (hri_mul_overflows(sum, 10, &sum) || hri_add_overflows(sum, (uint64_t)(*at - '0'), &sum))
            return false;
    if (at == *text)
        return false;
    *text = at;
    *value = sum;
    return true;
}

/* The digits at *text as millionths; further digits are below a byte of what can be meant. */
static bool take_millionths(const char **text, uint64_t *value)
{
    const char *at = *text;
    uint64_t unit = 100000, sum = 0;

    for (; *at >= '0' && *at <= '9'; at++, unit /= 10)
        sum += unit * (uint64_t)(*at - '0');
    if (at == *text)
        return false;
    *text = at;
    *value = sum;
    return true;
}

/* The power of two of a suffix, -1 for none that is known. */
static int shift_of(const char *suffix)
{
    static const char units[] = "KkMmGgTt";
    const char *unit;

    if (*suffix == '\0')
        return 0;
    unit = strchr(units, *suffix);
    if (!unit || suffix[1] != '\0')
        return -1;
    return ((int)(unit - units) / 2 + 1) * 10;
}

hr_status hri_parse_bytes(const char *text, uint64_t *bytes)
{
    uint64_t whole, part = 0;
    bool fraction = false;
    int shift;

    if (!take_whole(&text, &whole))
        return HR_FORMAT;
    if (*text == '.') {
        text++;
        fraction = true;
        if (!take_millionths(&text, &part))
            return HR_FORMAT;
    }
    shift = shift_of(text);
    if (shift < 0 || (shift == 0 && fraction) || hri_mul_overflows(whole, UINT64_C(1) << shift, &whole))
        return HR_FORMAT;
    if (hri_add_overflows(whole, (part << shift) / 1000000, &whole))
        return HR_FORMAT;
    *bytes = whole;
    return HR_OK;
}

hr_status hri_setting_number(enum hri_setting setting, uint64_t *value)
{
    const struct row *row = &rows[setting];
    const char *text = hri_setting_text(setting);
    const char *at = text;
    uint64_t number;

    if (row->kind == BYTES) {
        if (hri_parse_bytes(text, value) == HR_OK)
            return HR_OK;
        return hri_fail(HR_INVALID, "%s is \"%s\"; accepted: a number of bytes, or one with K, M, G or T, as 512M",
                        row->variable, text);
    }
    if (!take_whole(&at, &number) || *at != '\0')
        return hri_fail(HR_INVALID, "%s is \"%s\"; accepted: a whole number, as 4", row->variable, text);
    *value = number;
    return HR_OK;
}

int hri_setting_row(unsigned index, const char **variable, const char **def, const char **help)
{
    if (index >= HRI_SETTINGS)
        return 0;
    *variable = rows[index].variable;
    *def = rows[index].def;
    *help = rows[index].help;
    return 1;
}
