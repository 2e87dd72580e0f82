/* The process's roster and layers, and the public questions about them. */
#include "core/registry.h"

#include "core/log.h"
#include "core/message.h"
#include "core/roster.h"
#include "core/settings.h"
#include "core/util.h"
#include "list.h"
#include "observe/trace.h"

#include <stdio.h>
#include <string.h>

#define DECLARE_BACKEND(name) extern const struct hrb_backend hrb_backend_##name;
HRB_BACKEND_LIST(DECLARE_BACKEND)
#define DECLARE_LAYER(name) extern const struct hrb_layer hrb_layer_##name;
HRB_LAYER_LIST(DECLARE_LAYER)

#define ENTRY(name) {.backend = &hrb_backend_##name},
static struct hri_entry entries[] = {HRB_BACKEND_LIST(ENTRY){.backend = NULL}};

#define PREFERENCE(backend, kind) {backend, kind},
static const struct hri_preference order[] = {HRB_DEFAULT_ORDER(PREFERENCE){NULL, 0}};

static struct hri_roster roster = {.lock = PTHREAD_MUTEX_INITIALIZER, .entries = entries, .order = order};

#define LAYER(name) &hrb_layer_##name,
static const struct hrb_layer *const layers[] = {HRB_LAYER_LIST(LAYER) NULL};

#define LAYER_NAME(name) #name,
static const char *const layer_names[] = {HRB_LAYER_LIST(LAYER_NAME) NULL};

const struct hrb_services hri_services = {
    .size = sizeof(struct hrb_services),
    .fail = hri_fail_native,
    .log = hri_log,
    .now_ns = hri_now_ns,
    .nearest = hri_nearest,
    .message_keep = hri_message_keep,
    .message_put_back = hri_message_put_back,
    .tracing = &hri_tracing,
};

_Static_assert(HRI_MESSAGE_BYTES == HRB_MESSAGE_BYTES, "services->message_keep");

const struct hrb_layer *hri_layer_find(const char *name)
{
    for (const struct hrb_layer *const *layer = layers; *layer; layer++)
        if (strcmp((*layer)->name, name) == 0)
            return *layer;
    return NULL;
}

const char *const *hri_layer_names(size_t *n)
{
    *n = sizeof layer_names / sizeof *layer_names - 1;
    return layer_names;
}

hr_status hri_roster_environment(struct hri_roster *from, const char *backend, const char *device,
                                 struct hri_choice *choice)
{
    char joined[256];
    hr_status st;

    if (!*backend) {
        st = hri_roster_default(from, device, choice);
        return st == HR_NOT_FOUND ? hri_fail_context(st, "HEADRACE_DEVICE") : st;
    }
    if (*device && strchr(backend, ':'))
        return hri_fail(HR_INVALID,
                        "HEADRACE_BACKEND (\"%s\") names a device and so does HEADRACE_DEVICE (\"%s\"); unset one",
                        backend, device);
    if (snprintf(joined, sizeof joined, "%s%s%s", backend, *device ? ":" : "", device) >= (int)sizeof joined)
        return hri_fail(HR_INVALID, "HEADRACE_BACKEND and HEADRACE_DEVICE together have more than %zu characters",
                        sizeof joined - 2);
    st = hri_roster_select(from, joined, choice);
    if (st == HR_OK)
        return st;
    return hri_fail_context(st, *device ? "HEADRACE_BACKEND and HEADRACE_DEVICE" : "HEADRACE_BACKEND");
}

hr_status hri_select(const char *selector, struct hri_choice *choice)
{
    struct hri_choice found;
    hr_status st = hri_roster_lock(&roster);

    if (st != HR_OK)
        return st;
    if (selector && *selector)
        st = hri_roster_select(&roster, selector, &found);
    else
        st = hri_roster_environment(&roster, hri_setting_text(HRI_SETTING_BACKEND),
                                    hri_setting_text(HRI_SETTING_DEVICE), &found);
    hri_roster_unlock(&roster);
    if (st == HR_OK)
        *choice = found;
    return st;
}

hr_status hri_instance(const struct hrb_backend *backend, struct hrb_instance **instance)
{
    struct hri_entry *entry = hri_roster_find(&roster, backend->name, strlen(backend->name));
    hr_status st;

    if (!entry)
        return hri_fail(HR_NOT_FOUND, "backend \"%s\" is not in the roster of this library", backend->name);
    st = hri_roster_lock(&roster);
    if (st != HR_OK)
        return st;
    st = hri_entry_probe(entry);
    if (st == HR_OK)
        *instance = entry->instance;
    else
        hri_fail(st, "backend \"%s\" cannot be used here: %s", backend->name, entry->reason);
    hri_roster_unlock(&roster);
    return st;
}

hr_status hr_device_count(uint32_t *count)
{
    hr_status st;

    if (!count)
        return hri_fail(HR_INVALID, "count is NULL");
    st = hri_roster_lock(&roster);
    if (st != HR_OK)
        return st;
    *count = hri_roster_count(&roster);
    hri_roster_unlock(&roster);
    return HR_OK;
}

hr_status hr_device_describe(uint32_t index, hr_device_info *info)
{
    hr_device_info found, check;
    hr_status st = hri_struct_in(&check, sizeof check, info, sizeof check, "hr_device_info");

    if (st == HR_OK)
        st = hri_roster_lock(&roster);
    if (st != HR_OK)
        return st;
    st = hri_roster_describe(&roster, index, &found);
    hri_roster_unlock(&roster);
    return st == HR_OK ? hri_struct_out(info, &found, sizeof found, sizeof found, "hr_device_info") : st;
}
