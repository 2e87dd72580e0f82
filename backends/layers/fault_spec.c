/* Reads the text of the fault layer: "op=copy,n=3,status=lost+op=pinned,min=1M,count=0". */
#include "fault.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct name {
    const char *text;
    int64_t value;
};

static const struct name ops[] = {
    {"alloc", FAULT_DEVICE | FAULT_PINNED},
    {"device", FAULT_DEVICE},
    {"pinned", FAULT_PINNED},
    {"import", FAULT_IMPORT},
    {"view", FAULT_VIEW},
    {"acquire", FAULT_ACQUIRE},
    {"release", FAULT_RELEASE},
    {"queue", FAULT_QUEUE},
    {"finish", FAULT_FINISH},
    {"wait", FAULT_WAIT},
    {"record", FAULT_RECORD},
    {"event", FAULT_EVENT},
    {"copy", FAULT_COPY},
    {"upload", FAULT_UPLOAD},
    {"download", FAULT_DOWNLOAD},
    {"move", FAULT_MOVE},
    {"fill", FAULT_FILL},
    {"build", FAULT_BUILD},
    {"kernel", FAULT_KERNEL},
    {"launch", FAULT_LAUNCH},
    {"any", FAULT_ANY},
};

/* The list begins with outcomes (>= 0), which are no failures. */
static const struct name statuses[] = {
#define STATUS(name, value, text) {#name, value},
    HR_STATUS_LIST(STATUS)
#undef STATUS
        {"lost", HR_DEVICE_LOST},
};

#define IS_OUTCOME(name, value, text) +((value) >= 0)
enum { OUTCOMES = 0 HR_STATUS_LIST(IS_OUTCOME), FAILURES = sizeof statuses / sizeof *statuses - OUTCOMES };
#undef IS_OUTCOME
static const struct name *const failures = statuses + OUTCOMES;

static const struct name moments[] = {{"submit", 0}, {"done", 1}};

enum key { OP, N, EVERY, COUNT, MIN, STATUS, AT };

static const struct name keys[] = {{"op", OP},   {"n", N},           {"every", EVERY}, {"count", COUNT},
                                   {"min", MIN}, {"status", STATUS}, {"at", AT}};

#define LENGTH(table) (sizeof(table) / sizeof *(table))
enum { MOST_NAMES = 32 };
_Static_assert(LENGTH(ops) <= MOST_NAMES && LENGTH(statuses) <= MOST_NAMES, "unknown() lists them all");

/* Names in lower case with commas. */
static void list_names(const struct name *table, size_t n, char *out, size_t room)
{
    size_t used = 0;

    for (size_t i = 0; i < n && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "%s%s", i ? ", " : "", table[i].text);
    for (; *out; out++)
        *out = (char)tolower((unsigned char)*out);
}

static hr_status unknown(const struct hrb_services *services, const char *what, const char *text,
                         const struct name *table, size_t n)
{
    const char *names[MOST_NAMES];
    char known[512], near[48] = ".";
    const char *nearest;

    for (size_t i = 0; i < n; i++)
        names[i] = table[i].text;
    list_names(table, n, known, sizeof known);
    nearest = services->nearest(text, names, n);
    if (nearest) {
        snprintf(near, sizeof near, "; did you mean \"%s\"?", nearest);
        for (char *at = near; *at; at++)
            *at = (char)tolower((unsigned char)*at);
    }
    return services->fail(HR_INVALID, 0, "layer fault: unknown %s \"%s\"%s Known: %s", what, text, near, known);
}

static const struct name *find(const struct name *table, size_t n, const char *text)
{
    for (size_t i = 0; i < n; i++)
        if (strcasecmp(table[i].text, text) == 0)
            return &table[i];
    return NULL;
}

/* Digits, or with K, M, G, up to 2^53; anything else is false. */
static bool read_number(const char *text, uint64_t *value)
{
    char *end;
    unsigned long long number;
    unsigned shift = 0;

    if (!isdigit((unsigned char)*text))
        return false;
    number = strtoull(text, &end, 10);
    if (*end == 'K' || *end == 'M' || *end == 'G')
        shift = *end == 'K' ? 10 : *end == 'M' ? 20 : 30;
    if (shift)
        end++;
    if (*end || number > (UINT64_C(1) << 53) >> shift)
        return false;
    *value = (uint64_t)number << shift;
    return true;
}

static uint64_t *number_of(struct fault_rule *rule, enum key key)
{
    switch (key) {
    case N:
        return &rule->n;
    case EVERY:
        return &rule->every;
    case COUNT:
        return &rule->count;
    default:
        return &rule->least;
    }
}

/* One "key=value", cut apart. */
static hr_status read_part(const struct hrb_services *services, const char *text, char *value, struct fault_rule *rule)
{
    const struct name *key = find(keys, LENGTH(keys), text);
    const struct name *found;

    if (!key)
        return unknown(services, "key", text, keys, LENGTH(keys));
    switch ((enum key)key->value) {
    case OP:
        found = find(ops, LENGTH(ops), value);
        if (!found)
            return unknown(services, "op", value, ops, LENGTH(ops));
        rule->ops = (uint32_t)found->value;
        return HR_OK;
    case STATUS:
        found = find(failures, FAILURES, value);
        if (!found)
            return unknown(services, "status", value, failures, FAILURES);
        rule->status = (hr_status)found->value;
        return HR_OK;
    case AT:
        found = find(moments, LENGTH(moments), value);
        if (!found)
            return unknown(services, "moment", value, moments, LENGTH(moments));
        rule->done = (uint32_t)found->value;
        return HR_OK;
    default:
        if (!read_number(value, number_of(rule, (enum key)key->value)))
            return services->fail(HR_INVALID, 0, "layer fault: %s=%s is no number; accepted: digits, or with K, M, G",
                                  text, value);
        return HR_OK;
    }
}

static hr_status check_rule(const struct hrb_services *services, struct fault_rule *rule)
{
    if (!rule->ops)
        return services->fail(HR_INVALID, 0, "layer fault: the rule \"%s\" has no op=, as in op=copy,n=3,status=lost",
                              rule->text);
    if (rule->n == 0 || rule->every == 0)
        return services->fail(HR_INVALID, 0, "layer fault: n and every count from 1; \"%s\" has a 0", rule->text);
    /* Of "any", only work can fail late. */
    if (rule->done && !(rule->ops & FAULT_WORK))
        return services->fail(HR_INVALID, 0,
                              "layer fault: at=done goes with copy, upload, download, move, fill, "
                              "launch or any, not with \"%s\"",
                              rule->text);
    if (rule->done)
        rule->ops &= FAULT_WORK;
    return HR_OK;
}

static hr_status read_rule(const struct hrb_services *services, const char *text, size_t length,
                           struct fault_rule *rule)
{
    char parts[sizeof rule->text];
    char *part, *rest = parts;
    hr_status st = HR_OK;

    *rule = (struct fault_rule){.n = 1, .every = 1, .count = 1, .status = HR_DRIVER};
    if (length >= sizeof rule->text)
        return services->fail(HR_INVALID, 0, "layer fault: the rule \"%.*s\" is longer than %zu characters",
                              (int)length, text, sizeof rule->text - 1);
    memcpy(rule->text, text, length);
    memcpy(parts, rule->text, sizeof parts);
    while (st == HR_OK && (part = strsep(&rest, ",")) != NULL) {
        char *value = strchr(part, '=');

        if (!value)
            return services->fail(HR_INVALID, 0,
                                  "layer fault: \"%s\" in \"%s\" is not KEY=VALUE; keys: op, n, every, "
                                  "count, min, status, at",
                                  part, rule->text);
        *value++ = '\0';
        st = read_part(services, part, value, rule);
    }
    return st == HR_OK ? check_rule(services, rule) : st;
}

hr_status hrb_fault_read(const struct hrb_services *services, const char *spec, struct fault_rule **rules,
                         uint32_t *n_rules)
{
    struct fault_rule *list;
    uint32_t n = 1;
    hr_status st = HR_OK;

    if (!*spec)
        return services->fail(HR_INVALID, 0, "layer fault: it needs a rule, as fault:op=copy,n=3,status=lost");
    for (const char *at = spec; *at; at++)
        n += *at == '+';
    list = calloc(n, sizeof *list);
    if (!list)
        return services->fail(HR_NO_MEMORY, 0, "layer fault: no memory for %u rules", n);
    for (uint32_t i = 0; i < n && st == HR_OK; i++) {
        size_t length = strcspn(spec, "+");

        st = read_rule(services, spec, length, &list[i]);
        spec += length + (spec[length] == '+');
    }
    if (st != HR_OK) {
        free(list);
        return st;
    }
    *rules = list;
    *n_rules = n;
    return HR_OK;
}
