/* All that a CUDA driver from before 12.0 can tell us: it has no cuGetProcAddress_v2. */
#define API __attribute__((visibility("default")))

API int cuDriverGetVersion(int *version);

API int cuDriverGetVersion(int *version)
{
    *version = 11080;
    return 0;
}
