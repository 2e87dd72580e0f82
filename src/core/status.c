/* Names and texts of statuses, from the one list in status.h. */
#include <headrace/status.h>

const char *hr_status_name(hr_status status)
{
    switch (status) {
#define NAME_OF(name, value, text)                                                                                     \
    case value:                                                                                                        \
        return "HR_" #name;
        HR_STATUS_LIST(NAME_OF)
#undef NAME_OF
    default:
        return "HR_?";
    }
}

const char *hr_status_text(hr_status status)
{
    switch (status) {
#define TEXT_OF(name, value, text)                                                                                     \
    case value:                                                                                                        \
        return text;
        HR_STATUS_LIST(TEXT_OF)
#undef TEXT_OF
    default:
        return "no status of this library";
    }
}
