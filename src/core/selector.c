/* The grammar of selectors, and which device of a roster one names. */
#include "core/message.h"
#include "core/roster.h"
#include "core/util.h"
#include "list.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What stands after the backend's name: nothing, an index, two indices, or a part of a name. */
struct wanted {
    enum { ALL, INDEX, PAIR, TEXT } form;
    uint32_t index;
    const char *text;
    uint32_t kind; /* HR_DEVICE_..., HRB_ANY */
};

/* A list under construction for a message; cut when full. */
struct list {
    char text[640];
    size_t used;
};

static void list_add(struct list *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void list_add(struct list *list, const char *format, ...)
{
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(list->text + list->used, sizeof list->text - list->used, format, args);
    va_end(args);
    if (length > 0)
        list->used += (size_t)length;
    if (list->used >= sizeof list->text)
        list->used = sizeof list->text - 1;
}

/* Digits and nothing else, at most six of them: an index. */
static bool is_index(const char *text, size_t length)
{
    return length > 0 && length <= 6 && strspn(text, "0123456789") >= length;
}

static uint32_t index_of(const char *text)
{
    uint32_t index = 0;

    for (; *text >= '0' && *text <= '9'; text++)
        index = index * 10 + (uint32_t)(*text - '0');
    return index;
}

static struct wanted parse(const char *text, uint32_t kind)
{
    struct wanted wanted = {.form = TEXT, .text = text, .kind = kind};
    const char *colon = strchr(text, ':');

    if (*text == '\0')
        wanted.form = ALL;
    else if (is_index(text, strlen(text)))
        wanted.form = INDEX;
    else if (colon && is_index(text, (size_t)(colon - text)) && is_index(colon + 1, strlen(colon + 1)))
        wanted.form = PAIR;
    if (wanted.form == INDEX)
        wanted.index = index_of(text);
    return wanted;
}

static bool matches(const struct wanted *wanted, uint32_t index, const hr_device_info *info)
{
    const char *own = strchr(info->selector, ':');

    if (wanted->kind != HRB_ANY && wanted->kind != info->kind)
        return false;
    switch (wanted->form) {
    case INDEX:
        return wanted->index == index;
    case PAIR:
        return own && strcmp(own + 1, wanted->text) == 0;
    case TEXT:
        return strcasestr(info->platform, wanted->text) || strcasestr(info->name, wanted->text);
    default:
        return true;
    }
}

/* The first usable match, a GPU before others. HR_UNAVAILABLE: matches, none usable, choice has the first;
 * HR_NOT_FOUND: no match. Silent. */
static hr_status pick(struct hri_entry *entry, const struct wanted *wanted, struct hri_choice *choice)
{
    struct hri_choice here = {.backend = entry->backend, .instance = entry->instance};
    hr_status st = HR_NOT_FOUND;

    for (here.index = 0; here.index < entry->count; here.index++) {
        hri_entry_describe(entry, here.index, &here.info);
        if (!matches(wanted, here.index, &here.info))
            continue;
        if (here.info.usable) {
            if (st != HR_OK || (here.info.kind == HR_DEVICE_GPU && choice->info.kind != HR_DEVICE_GPU))
                *choice = here;
            st = HR_OK;
        } else if (st == HR_NOT_FOUND) {
            *choice = here;
            st = HR_UNAVAILABLE;
        }
    }
    return st;
}

/* The word of platforms' and devices' names that is nearest to `text`, in `word`; false when none is near. */
static bool nearest_word(const char *text, const struct hri_entry *entry, char *word, size_t room)
{
    static const char between[] = " ,;:()[]/@|";
    hr_device_info info;

    for (uint32_t i = 0; i < entry->count; i++) {
        hri_entry_describe(entry, i, &info);
        for (char *name = info.platform; name; name = name == info.platform ? info.name : NULL) {
            char *rest = NULL;

            for (const char *at = strtok_r(name, between, &rest); at; at = strtok_r(NULL, between, &rest)) {
                if (!hri_nearest(text, &at, 1))
                    continue;
                hri_text_copy(word, room, at);
                return true;
            }
        }
    }
    return false;
}

/* The devices of a usable entry: selector, name, platform. */
static void list_devices(const struct hri_entry *entry, struct list *list)
{
    hr_device_info info;

    for (uint32_t i = 0; i < entry->count; i++) {
        hri_entry_describe(entry, i, &info);
        list_add(list, "%s%s (%s, %s)", list->used ? ", " : "", info.selector, info.name, info.platform);
    }
}

static hr_status unknown_device(const struct hri_entry *entry, const char *selector, const struct wanted *wanted)
{
    struct list list = {.used = 0};
    char word[128], near[160] = ".";

    if (wanted->form == TEXT && nearest_word(wanted->text, entry, word, sizeof word))
        snprintf(near, sizeof near, "; did you mean \"%s\"?", word);
    list_devices(entry, &list);
    return hri_fail(HR_NOT_FOUND, "\"%s\" names no device%s Backend %s has: %s", selector, near, entry->backend->name,
                    list.text);
}

static hr_status unknown_backend(struct hri_roster *roster, const char *name)
{
    const char *names[32];
    const char *nearest;
    struct list list = {.used = 0};
    size_t n = 0;

    for (; roster->entries[n].backend && n < sizeof names / sizeof *names; n++) {
        names[n] = roster->entries[n].backend->name;
        list_add(&list, "%s%s", n ? ", " : "", names[n]);
    }
    nearest = hri_nearest(name, names, n);
    return hri_fail(HR_NOT_FOUND, "there is no backend \"%s\"%s%s%s This library has: %s", name,
                    nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : ".",
                    n ? list.text : "none");
}

hr_status hri_roster_select(struct hri_roster *roster, const char *selector, struct hri_choice *choice)
{
    size_t length = strcspn(selector, ":");
    struct hri_entry *entry = hri_roster_find(roster, selector, length);
    struct wanted wanted;
    struct hri_choice found;
    hr_status st;

    if (!entry) {
        char name[64];

        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), selector);
        return unknown_backend(roster, name);
    }
    if (selector[length] == ':' && selector[length + 1] == '\0')
        return hri_fail(HR_INVALID, "the selector \"%s\" ends in ':'; a device follows it, or leave it out", selector);
    st = hri_entry_probe(entry);
    if (st != HR_OK)
        return hri_fail(st, "backend \"%s\" cannot be used here: %s", entry->backend->name, entry->reason);
    wanted = parse(selector + length + (selector[length] == ':'), HRB_ANY);
    st = pick(entry, &wanted, &found);
    if (st == HR_UNAVAILABLE)
        return hri_fail(st, "%s (%s) cannot be used here: %s", found.info.selector, found.info.name, found.info.reason);
    if (st != HR_OK)
        return unknown_device(entry, selector, &wanted);
    *choice = found;
    return HR_OK;
}

/* Why the order gave nothing: every backend's own reason; a lone one's alone. */
static hr_status nothing_usable(struct hri_roster *roster)
{
    struct list list = {.used = 0};
    struct hri_entry *entries = roster->entries;
    hr_device_info info;

    if (!entries->backend)
        return hri_fail(HR_UNAVAILABLE, "this library was built without any backend");
    for (struct hri_entry *entry = entries; entry->backend; entry++) {
        const char *reason = entry->reason;

        if (hri_entry_probe(entry) == HR_OK) {
            hri_entry_describe(entry, 0, &info);
            reason = info.usable ? "not in the default order" : info.reason;
        }
        list_add(&list, "%s%s: %s", list.used ? "; " : "", entry->backend->name, reason);
    }
    if (!entries[1].backend)
        return hri_fail(entries->status == HR_OK ? HR_UNAVAILABLE : entries->status, "%s", list.text);
    return hri_fail(HR_UNAVAILABLE, "no usable device: %s", list.text);
}

hr_status hri_roster_default(struct hri_roster *roster, const char *device, struct hri_choice *choice)
{
    struct list list = {.used = 0};

    for (const struct hri_preference *preference = roster->order; preference->backend; preference++) {
        struct hri_entry *entry = hri_roster_find(roster, preference->backend, strlen(preference->backend));
        struct wanted wanted = parse(device, preference->kind);
        struct hri_choice found;

        if (!entry || hri_entry_probe(entry) != HR_OK || pick(entry, &wanted, &found) != HR_OK)
            continue;
        *choice = found;
        return HR_OK;
    }
    for (struct hri_entry *entry = roster->entries; entry->backend; entry++)
        if (hri_entry_probe(entry) == HR_OK)
            list_devices(entry, &list);
    if (*device && list.used)
        return hri_fail(HR_NOT_FOUND, "\"%s\" names no usable device; there are: %s", device, list.text);
    return nothing_usable(roster);
}
