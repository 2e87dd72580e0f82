/* Layers: "fault:op=copy,n=3;trace" puts tables around the backend's. */
#include "core/registry.h"
#include "core/settings.h"
#include "core/util.h"
#include "transfer/object.h"
#include "transfer/open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct wanted {
    const struct hrb_layer *layer; /* NULL: not named */
    const char *spec;
};

static hr_status unknown(const char *name)
{
    size_t n;
    const char *const *names = hri_layer_names(&n);
    const char *near = hri_nearest(name, names, n);
    char list[256] = "";
    size_t used = 0;

    for (size_t i = 0; i < n && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", names[i]);
    if (near != NULL)
        return hri_fail(HR_NOT_FOUND, "no layer is called '%s'; did you mean '%s'? There are: %s", name, near, list);
    return hri_fail(HR_NOT_FOUND, "no layer is called '%s'; there are: %s", name, n > 0 ? list : "none");
}

/* Cuts "name:spec;name:spec" in place. */
static hr_status parse(char *text, struct wanted *wanted)
{
    char *rest = NULL;

    for (char *part = strtok_r(text, ";", &rest); part != NULL; part = strtok_r(NULL, ";", &rest)) {
        const struct hrb_layer *layer;
        char *colon;

        part += strspn(part, " ");
        if (*part == '\0')
            continue;
        colon = strchr(part, ':');
        if (colon != NULL)
            *colon = '\0';
        layer = hri_layer_find(part);
        if (layer == NULL)
            return unknown(part);
        if (wanted[layer->index].layer != NULL)
            return hri_fail(HR_INVALID, "layer '%s' is named twice: give all that it shall do after one colon", part);
        wanted[layer->index].layer = layer;
        wanted[layer->index].spec = colon != NULL ? colon + 1 : "";
    }
    return HR_OK;
}

/* HEADRACE_TRACE puts the layer on by itself; one that is named with a file of its own keeps that. */
static bool traced(void)
{
    return hri_setting_text(HRI_SETTING_TRACE)[0] != '\0';
}

hr_status hri_layers_attach(hr_device *device, const char *spec)
{
    struct wanted wanted[HRB_LAYERS] = {0};
    char *text;
    hr_status st;

    if (spec[0] == '\0' && !traced())
        return HR_OK;
    text = strdup(spec);
    if (text == NULL)
        return hri_fail(HR_NO_MEMORY, "no host memory for the names of layers");
    st = parse(text, wanted);
    if (wanted[HRB_LAYER_TRACE].layer == NULL && traced())
        wanted[HRB_LAYER_TRACE] = (struct wanted){hri_layer_find("trace"), ""};
    for (uint32_t i = 0; i < HRB_LAYERS && st == HR_OK; i++) {
        const struct hrb_layer *layer = wanted[i].layer;
        const struct hrb_ops *ops;

        if (layer == NULL)
            continue;
        device->native->next[i] = device->ops;
        st = layer->attach(device->native, device->ops, wanted[i].spec, &ops);
        if (st != HR_OK)
            break;
        device->layers[i] = layer;
        device->ops = ops;
    }
    free(text);
    return st;
}

void hri_layers_detach(hr_device *device)
{
    device->ops = device->backend->ops;
    for (uint32_t i = HRB_LAYERS; i > 0; i--)
        if (device->layers[i - 1] != NULL)
            device->layers[i - 1]->detach(device->native);
}
