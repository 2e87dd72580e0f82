/* The environment variables of the simulated driver. */
#include "fake.h"

#include <stdlib.h>

static struct fake_settings settings;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static long number(const char *name, long normal)
{
    const char *text = getenv(name);
    char *end;
    long value;

    if (!text || !*text)
        return normal;
    value = strtol(text, &end, 0);
    if (*end || value < 0)
        fake_die("%s=%s is no number", name, text);
    return value;
}

static void read_all(void)
{
    const char *missing = getenv("FAKE_CUDA_MISSING");

    settings.devices = (int)number("FAKE_CUDA_DEVICES", 1);
    if (settings.devices > FAKE_MAX_DEVICES)
        fake_die("FAKE_CUDA_DEVICES=%d is more than %d", settings.devices, FAKE_MAX_DEVICES);
    settings.version = (int)number("FAKE_CUDA_VERSION", 13000);
    settings.memory = (size_t)number("FAKE_CUDA_MEMORY", 512L << 20);
    settings.late_us = (unsigned)number("FAKE_CUDA_LATE_US", 50);
    settings.stub = number("FAKE_CUDA_STUB", 0) != 0;
    settings.missing = missing ? missing : "";
    settings.report = (int)number("FAKE_CUDA_REPORT", 0);
}

const struct fake_settings *fake_settings(void)
{
    pthread_once(&once, read_all);
    return &settings;
}
