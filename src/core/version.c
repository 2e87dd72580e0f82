/* The running library's version. */
#include <headrace/version.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

uint32_t hr_version(void)
{
    return HR_VERSION_MAJOR * 10000 + HR_VERSION_MINOR * 100 + HR_VERSION_PATCH;
}

const char *hr_version_string(void)
{
    return TEXT(HR_VERSION_MAJOR) "." TEXT(HR_VERSION_MINOR) "." TEXT(HR_VERSION_PATCH);
}
