/*
 * The table of symbols. A function is had for the exact version alone that its declaration was written for; for
 * another one the caller gets a function that says so and aborts, since a real driver would give one with another
 * signature.
 */
#include "fake.h"

#include <stdio.h>
#include <string.h>

FAKE_API hri_cu_result cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags,
                                           int *status);

#define WRONG(name, version, symbol, parameters)                                                                       \
    static void wrong_##name(void)                                                                                     \
    {                                                                                                                  \
        fake_die("cu" #name " was asked for with another version than %d", version);                                   \
    }
HRI_CU_SYMBOLS(WRONG)
HRI_CU_OPTIONAL_SYMBOLS(WRONG)
#undef WRONG

/* Functions become the pointers that the interface gives by their bytes: there is no cast between the two. */
static void *pointer_of(const void *function_pointer)
{
    void *pointer;

    memcpy(&pointer, function_pointer, sizeof pointer);
    return pointer;
}

/* Sets *function; false for a name that is not in the list. */
static bool find(const char *symbol, int version, int *since, void **function)
{
#define FIND(name, exact, exported, parameters)                                                                        \
    if (strcmp(symbol, "cu" #name) == 0) {                                                                             \
        hri_cu_result(*right) parameters = exported;                                                                   \
        void (*wrong)(void) = wrong_##name;                                                                            \
        *since = exact;                                                                                                \
        *function = version == exact ? pointer_of(&right) : pointer_of(&wrong);                                        \
        return true;                                                                                                   \
    }
    HRI_CU_SYMBOLS(FIND)
    HRI_CU_OPTIONAL_SYMBOLS(FIND)
#undef FIND
    return false;
}

hri_cu_result cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags, int *status)
{
    const struct fake_settings *settings = fake_settings();
    void *found = NULL;
    int since = 0, answer = HRI_CU_PROC_SUCCESS;

    if (settings->stub)
        return HRI_CU_STUB_LIBRARY;
    if (!symbol || !function || flags != HRI_CU_PROC_DEFAULT)
        return HRI_CU_INVALID_VALUE;
    if (!find(symbol, version, &since, &found) || strcmp(symbol, settings->missing) == 0 || since > settings->version)
        answer = HRI_CU_PROC_NOT_FOUND;
    *function = answer == HRI_CU_PROC_SUCCESS ? found : NULL;
    if (status)
        *status = answer;
    /* A caller that asks for no status is told by the code. */
    return answer == HRI_CU_PROC_SUCCESS || status ? 0 : HRI_CU_NOT_FOUND;
}
