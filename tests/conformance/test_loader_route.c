/* Which route a loader takes unasked, and what its statistics say travelled. */
#include "table.h"

#include <dirent.h>
#include <sched.h>
#include <stdlib.h>

static struct table table;

static int make_table(void **state)
{
    (void)state;
    table_open(&table, 1000, 6);
    return 0;
}

static int drop_table(void **state)
{
    (void)state;
    table_close(&table);
    return 0;
}

static hr_loader_stats after_an_epoch(uint32_t route)
{
    hr_loader *loader =
        open_loader(device, table.dataset, (hr_loader_options){.batch_rows = 64, .shuffle = 1, .route = route});
    hr_loader_stats stats = {.size = sizeof stats};
    hr_batch *batch;

    OK(hr_loader_start(loader, 0));
    while (hr_loader_next(loader, &batch) == HR_OK)
        OK(hr_batch_release(&batch));
    OK(hr_loader_get_stats(loader, &stats));
    hr_loader_close(&loader);
    return stats;
}

/* Case 33: in place where device memory is host memory, staged elsewhere. */
static void the_device_decides(void **state)
{
    hr_loader_stats stats = after_an_epoch(HR_ROUTE_AUTO);

    (void)state;
    if (info.abilities & HR_ABILITY_SHARED_MEMORY) {
        assert_int_equal(stats.route, HR_ROUTE_IN_PLACE);
        assert_int_equal(stats.link_bytes, 0);
    } else {
        assert_int_equal(stats.route, HR_ROUTE_STAGED);
        assert_true(stats.link_bytes >= stats.bytes);
    }
}

/* Every row is counted once, whichever way it went. */
static void an_epoch_is_counted(void **state)
{
    uint32_t routes[3], n_routes = routes_here(routes);
    uint64_t row_bytes = 0;

    (void)state;
    for (uint32_t f = 0; f < TABLE_FIELDS; f++)
        row_bytes += table.row_bytes[f];
    for (uint32_t r = 0; r < n_routes; r++) {
        hr_loader_stats stats = after_an_epoch(routes[r]);

        assert_int_equal(stats.route, routes[r]);
        assert_int_equal(stats.epoch, 0);
        assert_int_equal(stats.batches, 16);
        assert_int_equal(stats.rows, 1000);
        assert_int_equal(stats.bytes, 1000 * row_bytes);
        assert_string_not_equal(stats.bottleneck, "");
    }
}

#ifdef SCHED_BATCH
/* Threads of this process that do not push running ones aside. */
static unsigned yielding_threads(void)
{
    DIR *tasks = opendir("/proc/self/task");
    unsigned n = 0;

    assert_non_null(tasks);
    for (struct dirent *task; (task = readdir(tasks)) != NULL;)
        n += task->d_name[0] != '.' && sched_getscheduler(atoi(task->d_name)) == SCHED_BATCH;
    closedir(tasks);
    return n;
}

/* Gathering leaves the cores to a device that computes on them, and hurries for every other. */
static void gathering_yields_to_a_device_on_the_cores(void **state)
{
    unsigned before = yielding_threads();
    hr_loader *loader = open_loader(device, table.dataset, (hr_loader_options){.batch_rows = 64, .workers = 3});

    (void)state;
    assert_int_equal(yielding_threads() - before, info.kind == HR_DEVICE_CPU ? 3 : 0);
    hr_loader_close(&loader);
}
#endif

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_device_decides, make_table, drop_table),
        cmocka_unit_test_setup_teardown(an_epoch_is_counted, make_table, drop_table),
#ifdef SCHED_BATCH
        cmocka_unit_test_setup_teardown(gathering_yields_to_a_device_on_the_cores, make_table, drop_table),
#endif
    };

    return conformance_main(argc, argv, tests, NULL);
}
