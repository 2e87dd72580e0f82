/* Probing the backends of a roster, once each, and describing what they found. */
#include "core/roster.h"

#include "core/log.h"
#include "core/message.h"
#include "core/util.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

hr_status hri_roster_lock(struct hri_roster *roster)
{
    int here = (int)getpid(), first = 0;

    /* Looked at before the lock, which a thread of the parent may hold for ever in the child. */
    if (!atomic_compare_exchange_strong(&roster->process, &first, here) && first != here)
        return hri_fail(HR_FORKED,
                        "process %d looked for devices before it forked this one, and drivers do not survive that; "
                        "fork first, or start a new program (fork and exec)",
                        first);
    pthread_mutex_lock(&roster->lock);
    return HR_OK;
}

void hri_roster_unlock(struct hri_roster *roster)
{
    pthread_mutex_unlock(&roster->lock);
}

struct hri_entry *hri_roster_find(struct hri_roster *roster, const char *name, size_t length)
{
    for (struct hri_entry *entry = roster->entries; entry->backend; entry++)
        if (strlen(entry->backend->name) == length && memcmp(entry->backend->name, name, length) == 0)
            return entry;
    return NULL;
}

static hr_status probe(struct hri_entry *entry)
{
    const struct hrb_backend *backend = entry->backend;
    struct hrb_instance *instance = NULL;
    char kept[HRI_MESSAGE_BYTES];
    hr_status st;

    if (!hri_table_check(backend, entry->reason, sizeof entry->reason))
        return HR_UNAVAILABLE;
    hri_message_keep(kept);
    st = backend->ops->probe(backend, &hri_services, &instance);
    if (st != HR_OK) {
        hri_text_copy(entry->reason, sizeof entry->reason, hr_last_error());
        hri_message_put_back(kept);
        return st;
    }
    entry->count = backend->ops->device_count(instance);
    if (entry->count == 0) {
        snprintf(entry->reason, sizeof entry->reason, "it has no device here");
        return HR_UNAVAILABLE;
    }
    entry->instance = instance;
    return HR_OK;
}

hr_status hri_entry_probe(struct hri_entry *entry)
{
    if (entry->probed)
        return entry->status;
    entry->status = probe(entry);
    entry->probed = true;
    if (entry->status == HR_OK)
        hri_log(HRI_LOG_INFO, "backend %s: %u device%s", entry->backend->name, entry->count,
                entry->count == 1 ? "" : "s");
    else
        hri_log(HRI_LOG_INFO, "backend %s cannot be used: %s", entry->backend->name, entry->reason);
    return entry->status;
}

/* What is known of a device whatever the backend answers. */
static void name_device(const struct hri_entry *entry, hr_device_info *info)
{
    memset(info, 0, sizeof *info);
    info->size = sizeof *info;
    hri_text_copy(info->backend, sizeof info->backend, entry->backend->name);
}

void hri_entry_describe(const struct hri_entry *entry, uint32_t index, hr_device_info *info)
{
    char kept[HRI_MESSAGE_BYTES];

    hri_message_keep(kept);
    name_device(entry, info);
    if (entry->backend->ops->device_describe(entry->instance, index, info) == HR_OK) {
        /* A backend may have set the whole struct anew. */
        info->size = sizeof *info;
        hri_text_copy(info->backend, sizeof info->backend, entry->backend->name);
        return;
    }
    name_device(entry, info);
    snprintf(info->selector, sizeof info->selector, "%s:%u", entry->backend->name, index);
    hri_text_copy(info->reason, sizeof info->reason, hr_last_error());
    hri_message_put_back(kept);
}

/* An unusable backend counts as one entry, so that its reason is seen. */
static uint32_t lines_of(struct hri_entry *entry)
{
    return hri_entry_probe(entry) == HR_OK ? entry->count : 1;
}

uint32_t hri_roster_count(struct hri_roster *roster)
{
    uint32_t count = 0;

    for (struct hri_entry *entry = roster->entries; entry->backend; entry++)
        count += lines_of(entry);
    return count;
}

hr_status hri_roster_describe(struct hri_roster *roster, uint32_t index, hr_device_info *info)
{
    uint32_t first = 0;

    for (struct hri_entry *entry = roster->entries; entry->backend; entry++) {
        uint32_t lines = lines_of(entry);

        if (index - first >= lines) {
            first += lines;
            continue;
        }
        if (entry->status == HR_OK) {
            hri_entry_describe(entry, index - first, info);
        } else {
            name_device(entry, info);
            hri_text_copy(info->selector, sizeof info->selector, entry->backend->name);
            hri_text_copy(info->reason, sizeof info->reason, entry->reason);
        }
        return HR_OK;
    }
    return hri_fail(HR_RANGE, "device %u of %u; the index starts at 0", index, first);
}
