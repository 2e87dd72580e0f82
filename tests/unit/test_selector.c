/* Selectors against a roster that is made here: no driver, no device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "core/message.h"
#include "core/roster.h"
#include "list.h"

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a fake backend finds: devices until a NULL name; `refusal`: probing fails so. */
struct fake_device {
    const char *selector, *name, *platform, *reason; /* reason NULL: usable */
    uint32_t kind;
};

struct fake {
    const char *refusal;
    hr_status status;
    struct fake_device devices[4];
};

static int probes;

static hr_status fake_probe(const struct hrb_backend *self, const struct hrb_services *services,
                            struct hrb_instance **instance)
{
    const struct fake *fake = self->profile;

    probes++;
    if (fake->refusal)
        return (services->fail)(fake->status, 0, "%s", fake->refusal);
    *instance = (struct hrb_instance *)fake;
    return HR_OK;
}

static uint32_t fake_count(struct hrb_instance *instance)
{
    const struct fake *fake = (const struct fake *)instance;
    uint32_t n = 0;

    while (n < 4 && fake->devices[n].name)
        n++;
    return n;
}

static hr_status fake_describe(struct hrb_instance *instance, uint32_t index, hr_device_info *info)
{
    const struct fake_device *device = &((const struct fake *)instance)->devices[index];

    if (!device->selector)
        return hri_fail(HR_DRIVER, "the driver is silent");
    memset(info, 0, sizeof *info); /* as a backend may */
    info->kind = device->kind;
    info->usable = !device->reason;
    snprintf(info->selector, sizeof info->selector, "%s", device->selector);
    snprintf(info->name, sizeof info->name, "%s", device->name);
    snprintf(info->platform, sizeof info->platform, "%s", device->platform);
    snprintf(info->reason, sizeof info->reason, "%s", device->reason ? device->reason : "");
    return HR_OK;
}

/* The other ops are never called, but they must be set. */
static struct hrb_ops whole_table(void)
{
    struct hrb_ops ops;

    memset(&ops, 0xff, sizeof ops);
    ops.size = sizeof ops;
    ops.abi = HRB_ABI;
    ops.probe = fake_probe;
    ops.device_count = fake_count;
    ops.device_describe = fake_describe;
    return ops;
}

static struct hrb_ops table;

#define BACKEND(called, found)                                                                                         \
    {                                                                                                                  \
        .size = sizeof(struct hrb_backend), .abi = HRB_ABI, .name = called, .summary = "fake", .ops = &table,          \
        .profile = found                                                                                               \
    }
#define ROSTER(list)                                                                                                   \
    {                                                                                                                  \
        .lock = PTHREAD_MUTEX_INITIALIZER, .entries = list, .order = order                                             \
    }

#define PREFERENCE(backend, kind) {backend, kind},
static const struct hri_preference order[] = {HRB_DEFAULT_ORDER(PREFERENCE){NULL, 0}};

static const struct fake no_driver = {.refusal = "libaqua.so is missing", .status = HR_UNAVAILABLE};
static const struct fake many = {
    .devices = {{"opencl:0:0", "cpu-haswell", "Portable Computing Language", NULL, HR_DEVICE_CPU},
                {"opencl:1:0", "Broken GPU", "Aqua Compute", "needs 1.2", HR_DEVICE_GPU},
                {"opencl:1:1", "Aqua H2O", "Aqua Compute", NULL, HR_DEVICE_GPU},
                {"opencl:1:2", "Aqua Second", "Aqua Compute", NULL, HR_DEVICE_GPU}}};
static const struct fake cpu_only = {
    .devices = {{"opencl:0:0", "cpu-haswell", "Portable Computing Language", NULL, HR_DEVICE_CPU}}};
static const struct fake portable = {
    .devices = {{"pocl:0:0", "cpu-haswell", "Portable Computing Language", NULL, HR_DEVICE_CPU}}};
static const struct fake empty = {.refusal = NULL};
static const struct fake silent = {.devices = {{NULL, "x", "y", NULL, 0}}};

static const struct hrb_backend cuda_absent = BACKEND("cuda", &no_driver);
static const struct hrb_backend opencl_many = BACKEND("opencl", &many);
static const struct hrb_backend opencl_cpu = BACKEND("opencl", &cpu_only);
static const struct hrb_backend pocl = BACKEND("pocl", &portable);
static const struct hrb_backend pocl_empty = BACKEND("pocl", &empty);
static const struct hrb_backend odd_silent = BACKEND("odd", &silent);

static void selects(struct hri_roster *roster, const char *selector, const char *expected)
{
    struct hri_choice choice;

    assert_int_equal(hri_roster_select(roster, selector, &choice), HR_OK);
    assert_string_equal(choice.info.selector, expected);
    assert_int_equal(choice.info.size, sizeof choice.info);
    assert_string_equal(choice.info.backend, choice.backend->name);
}

static void fails(struct hri_roster *roster, const char *selector, hr_status status, const char *part)
{
    struct hri_choice choice = {.index = 99};

    assert_int_equal(hri_roster_select(roster, selector, &choice), status);
    if (!strstr(hr_last_error(), part))
        fail_msg("\"%s\" is not in: %s", part, hr_last_error());
    assert_int_equal(choice.index, 99);
}

static void every_form(void **state)
{
    struct hri_entry entries[] = {{.backend = &opencl_many}, {.backend = &pocl}, {.backend = NULL}};
    struct hri_roster roster = ROSTER(entries);

    (void)state;
    selects(&roster, "opencl", "opencl:1:1"); /* the first usable GPU */
    selects(&roster, "opencl:0", "opencl:0:0");
    selects(&roster, "opencl:3", "opencl:1:2");
    selects(&roster, "opencl:0:0", "opencl:0:0");
    selects(&roster, "opencl:1:2", "opencl:1:2");
    selects(&roster, "opencl:aQUa", "opencl:1:1");
    selects(&roster, "opencl:second", "opencl:1:2");
    selects(&roster, "opencl:portable", "opencl:0:0");
    selects(&roster, "pocl", "pocl:0:0");
}

static void wrong_selectors(void **state)
{
    struct hri_entry entries[] = {
        {.backend = &cuda_absent}, {.backend = &opencl_many}, {.backend = &pocl_empty}, {.backend = NULL}};
    struct hri_roster roster = ROSTER(entries);

    (void)state;
    fails(&roster, "opncl", HR_NOT_FOUND, "did you mean \"opencl\"?");
    fails(&roster, "opncl:0", HR_NOT_FOUND, "has: cuda, opencl, pocl");
    fails(&roster, "zebra", HR_NOT_FOUND, "no backend \"zebra\". This library has");
    fails(&roster, ":1", HR_NOT_FOUND, "no backend \"\"");
    fails(&roster, "opencl:", HR_INVALID, "ends in ':'");
    fails(&roster, "opencl:7", HR_NOT_FOUND, "opencl:1:1 (Aqua H2O, Aqua Compute)");
    fails(&roster, "opencl:2:0", HR_NOT_FOUND, "\"opencl:2:0\" names no device");
    fails(&roster, "opencl:aqau", HR_NOT_FOUND, "did you mean \"Aqua\"?");
    fails(&roster, "opencl:-1", HR_NOT_FOUND, "names no device");
    fails(&roster, "opencl:1", HR_UNAVAILABLE, "opencl:1:0 (Broken GPU) cannot be used here: needs 1.2");
    fails(&roster, "cuda", HR_UNAVAILABLE, "libaqua.so is missing");
    fails(&roster, "pocl", HR_UNAVAILABLE, "it has no device here");
}

static void default_is(struct hri_entry *entries, const char *device, const char *expected)
{
    struct hri_roster roster = ROSTER(entries);
    struct hri_choice choice;

    assert_int_equal(hri_roster_default(&roster, device, &choice), HR_OK);
    assert_string_equal(choice.info.selector, expected);
}

static void default_order(void **state)
{
    struct hri_entry gpu[] = {
        {.backend = &cuda_absent}, {.backend = &pocl}, {.backend = &opencl_many}, {.backend = NULL}};
    struct hri_entry cpu[] = {{.backend = &opencl_cpu}, {.backend = &pocl}, {.backend = NULL}};
    struct hri_entry no_profile[] = {{.backend = &opencl_cpu}, {.backend = &pocl_empty}, {.backend = NULL}};

    (void)state;
    default_is(gpu, "", "opencl:1:1");
    default_is(gpu, "3", "opencl:1:2");
    default_is(gpu, "portable", "pocl:0:0");
    default_is(gpu, "1:2", "opencl:1:2");
    default_is(cpu, "", "pocl:0:0");
    default_is(no_profile, "", "opencl:0:0");
}

static void environment_is_named_in_errors(void **state)
{
    struct hri_entry entries[] = {{.backend = &opencl_many}, {.backend = &pocl}, {.backend = NULL}};
    struct hri_roster roster = ROSTER(entries);
    struct hri_choice choice;
    char longer[300];

    (void)state;
    assert_int_equal(hri_roster_environment(&roster, "", "", &choice), HR_OK);
    assert_string_equal(choice.info.selector, "opencl:1:1");
    assert_int_equal(hri_roster_environment(&roster, "", "cpu", &choice), HR_OK);
    assert_string_equal(choice.info.selector, "pocl:0:0");
    assert_int_equal(hri_roster_environment(&roster, "opencl", "1:2", &choice), HR_OK);
    assert_string_equal(choice.info.selector, "opencl:1:2");
    assert_int_equal(hri_roster_environment(&roster, "opencl:0", "", &choice), HR_OK);
    assert_string_equal(choice.info.selector, "opencl:0:0");

    assert_int_equal(hri_roster_environment(&roster, "", "9", &choice), HR_NOT_FOUND);
    assert_non_null(strstr(hr_last_error(), "HEADRACE_DEVICE: \"9\" names no usable device"));
    assert_int_equal(hri_roster_environment(&roster, "poc", "", &choice), HR_NOT_FOUND);
    assert_non_null(strstr(hr_last_error(), "HEADRACE_BACKEND: there is no backend \"poc\"; did you mean \"pocl\"?"));
    assert_int_equal(hri_roster_environment(&roster, "opencl:0", "1", &choice), HR_INVALID);
    assert_non_null(strstr(hr_last_error(), "unset one"));
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_int_equal(hri_roster_environment(&roster, "opencl", longer, &choice), HR_INVALID);
    assert_non_null(strstr(hr_last_error(), "more than 254 characters"));
}

static void default_without_a_device(void **state)
{
    struct hri_entry lone[] = {{.backend = &cuda_absent}, {.backend = NULL}};
    struct hri_entry two[] = {{.backend = &cuda_absent}, {.backend = &pocl_empty}, {.backend = NULL}};
    struct hri_entry none[] = {{.backend = NULL}};
    struct hri_entry some[] = {{.backend = &cuda_absent}, {.backend = &pocl}, {.backend = NULL}};
    struct hri_roster roster = ROSTER(lone);
    struct hri_choice choice;

    (void)state;
    assert_int_equal(hri_roster_default(&roster, "", &choice), HR_UNAVAILABLE);
    assert_string_equal(hr_last_error(), "cuda: libaqua.so is missing");
    roster.entries = two;
    assert_int_equal(hri_roster_default(&roster, "", &choice), HR_UNAVAILABLE);
    assert_string_equal(hr_last_error(), "no usable device: cuda: libaqua.so is missing; pocl: it has no device here");
    roster.entries = none;
    assert_int_equal(hri_roster_default(&roster, "", &choice), HR_UNAVAILABLE);
    roster.entries = some;
    assert_int_equal(hri_roster_default(&roster, "nemo", &choice), HR_NOT_FOUND);
    assert_non_null(strstr(hr_last_error(), "\"nemo\" names no usable device; there are: pocl:0:0"));
}

static void listing_keeps_the_unusable(void **state)
{
    struct hri_entry entries[] = {
        {.backend = &cuda_absent}, {.backend = &opencl_many}, {.backend = &odd_silent}, {.backend = NULL}};
    struct hri_roster roster = ROSTER(entries);
    hr_device_info info;

    (void)state;
    probes = 0;
    assert_int_equal(hri_roster_count(&roster), 6);
    assert_int_equal(hri_roster_describe(&roster, 0, &info), HR_OK);
    assert_string_equal(info.selector, "cuda");
    assert_int_equal(info.usable, 0);
    assert_string_equal(info.reason, "libaqua.so is missing");
    assert_int_equal(hri_roster_describe(&roster, 3, &info), HR_OK);
    assert_string_equal(info.selector, "opencl:1:1");
    assert_string_equal(info.backend, "opencl");
    assert_int_equal(hri_roster_describe(&roster, 5, &info), HR_OK);
    assert_string_equal(info.selector, "odd:0");
    assert_int_equal(info.usable, 0);
    assert_string_equal(info.reason, "the driver is silent");
    assert_int_equal(hri_roster_describe(&roster, 6, &info), HR_RANGE);
    assert_int_equal(probes, 3); /* once each */
}

static void tables_are_checked(void **state)
{
    struct hrb_ops lacking = table;
    struct hrb_backend backend = BACKEND("opencl", &many);
    char reason[HRI_REASON_BYTES];
    struct hri_entry entries[] = {{.backend = &backend}, {.backend = NULL}};
    struct hri_roster roster = ROSTER(entries);

    (void)state;
    assert_true(hri_table_check(&backend, reason, sizeof reason));
    lacking.copy_rect = NULL;
    backend.ops = &lacking;
    fails(&roster, "opencl", HR_UNAVAILABLE, "lacks the required op copy_rect");
    lacking = table;
    lacking.note = NULL;
    lacking.buffer_import = NULL;
    assert_true(hri_table_check(&backend, reason, sizeof reason));
    lacking.queue_native = NULL;
    assert_false(hri_table_check(&backend, reason, sizeof reason));
    lacking = table;
    lacking.size--;
    assert_false(hri_table_check(&backend, reason, sizeof reason));
    lacking = table;
    backend.abi = HRB_ABI + 1;
    assert_false(hri_table_check(&backend, reason, sizeof reason));
}

/* The child's lock is held by nobody there, and its drivers are gone: it must answer, not wait. */
static void child_of_a_prober_is_told(void **state)
{
    struct hri_entry entries[] = {{.backend = &pocl}, {.backend = NULL}};
    struct hri_roster roster = ROSTER(entries);
    int status;
    pid_t child;

    (void)state;
    assert_int_equal(hri_roster_lock(&roster), HR_OK);
    child = fork();
    if (child == 0)
        _exit(hri_roster_lock(&roster) == HR_FORKED ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    hri_roster_unlock(&roster);
    assert_int_equal(hri_roster_lock(&roster), HR_OK);
    hri_roster_unlock(&roster);
}

/* The library's own layers are whole, in their places, and found by name. */
static void layers_are_whole(void **state)
{
    size_t n;
    const char *const *names = hri_layer_names(&n);

    (void)state;
    assert_null(hri_layer_find("fualt"));
    for (size_t i = 0; i < n; i++) {
        const struct hrb_layer *layer = hri_layer_find(names[i]);

        assert_non_null(layer);
        assert_int_equal(layer->size, sizeof *layer);
        assert_int_equal(layer->abi, HRB_ABI);
        assert_in_range(layer->index, 0, HRB_LAYERS - 1);
        assert_non_null(layer->attach);
        assert_non_null(layer->detach);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form),
        cmocka_unit_test(wrong_selectors),
        cmocka_unit_test(default_order),
        cmocka_unit_test(environment_is_named_in_errors),
        cmocka_unit_test(default_without_a_device),
        cmocka_unit_test(listing_keeps_the_unusable),
        cmocka_unit_test(tables_are_checked),
        cmocka_unit_test(child_of_a_prober_is_told),
        cmocka_unit_test(layers_are_whole),
    };

    table = whole_table();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
