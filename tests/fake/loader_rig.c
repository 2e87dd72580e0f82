/* A small loader on a driver without a device; see loader_rig.h. */
#include "fake/loader_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

uint32_t rig_words[RIG_FIELDS][RIG_ROWS];

hr_dataset *rig_dataset(uint64_t rows)
{
    hr_array arrays[RIG_FIELDS];
    hr_dataset *dataset;

    for (uint32_t f = 0; f < RIG_FIELDS; f++) {
        arrays[f] = (hr_array){.size = sizeof(hr_array), .dtype = HR_U32, .data = rig_words[f]};
        for (uint32_t r = 0; r < RIG_ROWS; r++)
            rig_words[f][r] = f * 1000 + r;
    }
    assert_int_equal(hr_dataset_from_arrays(arrays, RIG_FIELDS, rows, &dataset), HR_OK);
    return dataset;
}

struct fake *rig_fake(uint32_t route)
{
    struct fake_options o = {.eager = true, .abilities = HR_ABILITY_ASYNC_KERNELS | HR_ABILITY_COPY_OVERLAP};

    if (route == HR_ROUTE_IN_PLACE)
        o.abilities |= HR_ABILITY_SHARED_MEMORY;
    return fake_create(&o);
}

hr_status rig_open_with(hr_device *dev, uint32_t route, uint32_t depth, uint32_t workers, hr_loader **loader)
{
    hr_dataset *dataset = rig_dataset(RIG_ROWS);
    hr_loader_options o = {.size = sizeof o,
                           .batch_rows = RIG_BATCH,
                           .shuffle = 1,
                           .seed = 3,
                           .workers = workers,
                           .route = route,
                           .depth = depth};
    hr_status st = hr_loader_open(dev, dataset, &o, loader);

    hr_dataset_close(&dataset); /* the loader keeps it */
    return st;
}

hr_status rig_open(hr_device *dev, uint32_t route, uint32_t depth, hr_loader **loader)
{
    return rig_open_with(dev, route, depth, 2, loader);
}
