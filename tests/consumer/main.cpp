// A C++ program outside the tree: every public header is valid C++11, its initialisers too.
#include <headrace/headrace.h>
#include <headrace/opencl.h>

#include <cstdio>
#include <string>

int main()
{
    int32_t steps = 3;
    const hr_arg args[] = {HR_ARG_BUFFER(nullptr, 128), HR_ARG_BYTES(&steps, sizeof steps)};
    hr_loader_options options = {};
    options.size = sizeof options;
    options.last = HR_LAST_DROP;

    const std::string expected = std::to_string(HR_VERSION_MAJOR) + "." + std::to_string(HR_VERSION_MINOR) + "." +
                                 std::to_string(HR_VERSION_PATCH);
    std::printf("headrace %s\n", hr_version_string());
    return hr_version_string() == expected && args[0].size == sizeof args[0] && args[1].bytes == 4 &&
                   options.queue == nullptr
               ? 0
               : 1;
}
