/* Modules and their functions. */
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CUfunc_st {
    hri_cu_module module;
    const struct fake_function_code *code;
};

struct CUmod_st {
    struct fake_object object;
    struct fake_code *code;
    struct CUfunc_st *functions;
};

/* -- images ----------------------------------------------------------------------------------------------------------
 */

static unsigned char digit(char c)
{
    return (unsigned char)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* The image that the simulated NVRTC has put into a text. */
static hri_cu_result load_from_text(const char *hex, struct fake_log *log, struct fake_code **code)
{
    size_t n = strspn(hex, "0123456789abcdef") / 2;
    unsigned char *image = malloc(n + 1);
    hri_cu_result answer;

    if (!image)
        fake_die("out of memory");
    for (size_t i = 0; i < n; i++)
        image[i] = (unsigned char)(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
    answer = fake_native_load(image, log, code);
    free(image);
    return answer;
}

static hri_cu_result load(const char *image, struct fake_log *log, struct fake_code **code)
{
    const char *inside;
    hri_cu_result answer;

    if (memcmp(image,
               "\x7f"
               "ELF",
               4) == 0)
        return fake_native_load(image, log, code);
    if (!strstr(image, ".version")) {
        snprintf(log->text, sizeof log->text, "this is neither PTX nor a cubin");
        return HRI_CU_INVALID_IMAGE;
    }
    answer = fake_ptx_version(image, log);
    if (answer)
        return answer;
    inside = strstr(image, "\n" FAKE_IMAGE_IN_TEXT);
    if (inside)
        return load_from_text(inside + 1 + strlen(FAKE_IMAGE_IN_TEXT), log, code);
    return fake_ptx_load(image, log, code);
}

/* What the options ask for: the log, where there is one, and its size. */
static void give_log(const struct fake_log *log, unsigned n, const int *options, void **values)
{
    char *buffer = NULL;
    size_t bytes = 0;

    for (unsigned i = 0; i < n; i++) {
        if (options[i] == HRI_CU_JIT_ERROR_BUFFER)
            buffer = values[i];
        if (options[i] == HRI_CU_JIT_ERROR_BYTES)
            bytes = (size_t)values[i];
    }
    if (buffer && bytes > 0)
        snprintf(buffer, bytes, "%s", log->text);
    for (unsigned i = 0; i < n; i++) {
        if (options[i] == HRI_CU_JIT_ERROR_BYTES)
            values[i] = (void *)strlen(log->text);
        if (options[i] == HRI_CU_JIT_INFO_BYTES)
            values[i] = NULL;
    }
}

hri_cu_result cuModuleLoadDataEx(hri_cu_module *module, const void *image, unsigned n_options, int *options,
                                 void **values)
{
    hri_cu_context context;
    hri_cu_result answer = fake_enter(FAKE_ModuleLoadDataEx, &context);
    struct fake_log log = {""};
    struct fake_code *code;
    hri_cu_module made;

    if (answer)
        return answer;
    if (!image || (n_options > 0 && (!options || !values)))
        return HRI_CU_INVALID_VALUE;
    answer = load(image, &log, &code);
    give_log(&log, n_options, options, values);
    if (answer)
        return answer;
    made = calloc(1, sizeof *made);
    if (made)
        made->functions = calloc(code->n_functions + 1, sizeof *made->functions);
    if (!made || !made->functions)
        fake_die("out of memory");
    atomic_init(&code->users, 1);
    pthread_mutex_init(&code->turn, NULL);
    made->code = code;
    for (unsigned i = 0; i < code->n_functions; i++)
        made->functions[i] = (struct CUfunc_st){.module = made, .code = &code->functions[i]};
    fake_object_add(&made->object, FAKE_MODULE, context);
    *module = made;
    return 0;
}

void fake_code_drop(struct fake_code *code)
{
    fake_before(code);
    if (atomic_fetch_sub(&code->users, 1) != 1)
        return;
    fake_after(code);
    pthread_mutex_destroy(&code->turn);
    code->ops->unload(code);
}

void fake_module_end(struct fake_object *object)
{
    hri_cu_module module = (hri_cu_module)object;

    fake_object_remove(object);
    fake_code_drop(module->code);
    free(module->functions);
    free(module);
}

/* -- the driver's functions -------------------------------------------------------------------------------------------
 */

hri_cu_result cuModuleUnload(hri_cu_module module)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter_destroy(FAKE_ModuleUnload, &context);

    if (code)
        return code;
    if (!module || !fake_object_is(&module->object, FAKE_MODULE))
        return HRI_CU_INVALID_HANDLE;
    if (module->object.context != context)
        return HRI_CU_INVALID_CONTEXT;
    fake_module_end(&module->object);
    return atomic_load(&context->sticky);
}

hri_cu_result cuModuleGetFunction(hri_cu_function *function, hri_cu_module module, const char *name)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter(FAKE_ModuleGetFunction, &context);

    if (code)
        return code;
    if (!module || !fake_object_is(&module->object, FAKE_MODULE))
        return HRI_CU_INVALID_HANDLE;
    if (!name || !name[0])
        return HRI_CU_INVALID_VALUE;
    for (unsigned i = 0; i < module->code->n_functions; i++)
        if (strcmp(module->code->functions[i].name, name) == 0) {
            *function = &module->functions[i];
            return 0;
        }
    return HRI_CU_NOT_FOUND;
}

hri_cu_result fake_function_check(hri_cu_context context, hri_cu_function function, struct fake_code **code,
                                  const struct fake_function_code **found)
{
    if (!function || !fake_object_is(&function->module->object, FAKE_MODULE))
        return HRI_CU_INVALID_HANDLE;
    if (function->module->object.context != context)
        return HRI_CU_INVALID_CONTEXT;
    *code = function->module->code;
    *found = function->code;
    atomic_fetch_add(&(*code)->users, 1);
    return 0;
}

hri_cu_result cuFuncGetAttribute(int *value, int attribute, hri_cu_function function)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter(FAKE_FuncGetAttribute, &context);

    if (code)
        return code;
    if (!function || !fake_object_is(&function->module->object, FAKE_MODULE))
        return HRI_CU_INVALID_HANDLE;
    if (attribute != HRI_CU_FUNC_MAX_THREADS)
        return HRI_CU_INVALID_VALUE;
    *value = 1024;
    return 0;
}

hri_cu_result cuFuncGetParamInfo(hri_cu_function function, size_t index, size_t *offset, size_t *bytes)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter(FAKE_FuncGetParamInfo, &context);

    if (code)
        return code;
    if (!function || !fake_object_is(&function->module->object, FAKE_MODULE))
        return HRI_CU_INVALID_HANDLE;
    if (index >= function->code->n_params)
        return HRI_CU_INVALID_VALUE;
    *offset = function->code->params[index].offset;
    if (bytes)
        *bytes = function->code->params[index].bytes;
    return 0;
}
