/* Modules and their functions. */
#include "fake.h"

void fake_module_end(struct fake_object *object)
{
    fake_object_remove(object);
}

hri_cu_result cuModuleLoadDataEx(hri_cu_module *module, const void *image, unsigned n_options, int *options,
                                 void **values)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter(FAKE_ModuleLoadDataEx, &context);

    (void)module, (void)image, (void)n_options, (void)options, (void)values;
    return code ? code : HRI_CU_INVALID_IMAGE;
}

hri_cu_result cuModuleUnload(hri_cu_module module)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter_destroy(FAKE_ModuleUnload, &context);

    (void)module;
    return code ? code : HRI_CU_INVALID_HANDLE;
}

hri_cu_result cuModuleGetFunction(hri_cu_function *function, hri_cu_module module, const char *name)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter(FAKE_ModuleGetFunction, &context);

    (void)function, (void)module, (void)name;
    return code ? code : HRI_CU_INVALID_HANDLE;
}

hri_cu_result cuFuncGetAttribute(int *value, int attribute, hri_cu_function function)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter(FAKE_FuncGetAttribute, &context);

    (void)value, (void)attribute, (void)function;
    return code ? code : HRI_CU_INVALID_HANDLE;
}

hri_cu_result cuFuncGetParamInfo(hri_cu_function function, size_t index, size_t *offset, size_t *bytes)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter(FAKE_FuncGetParamInfo, &context);

    (void)function, (void)index, (void)offset, (void)bytes;
    return code ? code : HRI_CU_INVALID_HANDLE;
}

hri_cu_result cuLaunchKernel(hri_cu_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                             unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                             hri_cu_stream stream, void **params, void **extra)
{
    hri_cu_context context;
    hri_cu_result code = fake_enter(FAKE_LaunchKernel, &context);

    (void)function, (void)grid_x, (void)grid_y, (void)grid_z, (void)block_x, (void)block_y, (void)block_z;
    (void)shared_bytes, (void)stream, (void)params, (void)extra;
    return code ? code : HRI_CU_INVALID_HANDLE;
}
