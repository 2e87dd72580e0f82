/* PTX as a module's code. */
#include "ptx.h"

#include <stdlib.h>
#include <string.h>

struct ptx {
    struct fake_code code;
    char *text; /* names point into it */
    struct ptx_reader reader;
};

static int run(const struct fake_code *code, const struct fake_function_code *function, const struct fake_place *place,
               void *const *params)
{
    (void)code;
    return ptx_run(function->own, place, params);
}

static void unload(struct fake_code *code)
{
    struct ptx *ptx = (struct ptx *)code;

    ptx_drop(&ptx->reader);
    free(ptx->text);
    free(ptx->code.functions);
    free(ptx);
}

static const struct fake_code_ops ops = {.run = run, .unload = unload};

hri_cu_result fake_ptx_load(const char *text, struct fake_log *log, struct fake_code **code)
{
    struct ptx *ptx = calloc(1, sizeof *ptx);

    if (!ptx)
        fake_die("out of memory");
    ptx->code.ops = &ops;
    ptx->text = strdup(text);
    ptx->reader.log = log;
    ptx_read(&ptx->reader, ptx->text);
    if (ptx->reader.code) {
        hri_cu_result answer = ptx->reader.code;

        unload(&ptx->code);
        return answer;
    }
    ptx->code.n_functions = ptx->reader.n_entries;
    ptx->code.functions = calloc(ptx->code.n_functions + 1, sizeof *ptx->code.functions);
    if (!ptx->code.functions)
        fake_die("out of memory");
    for (unsigned i = 0; i < ptx->code.n_functions; i++) {
        const struct ptx_entry *entry = &ptx->reader.entries[i];

        ptx->code.functions[i] = (struct fake_function_code){
            .name = entry->name, .params = entry->params, .n_params = entry->n_params, .own = entry};
    }
    *code = &ptx->code;
    return 0;
}
