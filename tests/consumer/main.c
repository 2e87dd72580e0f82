/* A C program outside the tree: what was installed compiles, links, is the version that its headers say, and answers
 * what devices there are, if any. */
#include <headrace/headrace.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    char expected[32];
    uint32_t devices = 0;

    snprintf(expected, sizeof expected, "%d.%d.%d", HR_VERSION_MAJOR, HR_VERSION_MINOR, HR_VERSION_PATCH);
    printf("headrace %s\n", hr_version_string());
    if (strcmp(hr_version_string(), expected) != 0) {
        fprintf(stderr, "the headers are of %s\n", expected);
        return 1;
    }
    if (hr_device_count(&devices) != HR_OK) {
        fprintf(stderr, "%s\n", hr_last_error());
        return 1;
    }
    printf("%u devices\n", (unsigned)devices);
    return 0;
}
