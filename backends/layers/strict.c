/*
 * The layer "strict": makes any device, also one that is the processor, as unforgiving as the least patient GPU, and
 * says what it finds broken, with the call.
 *
 * - Work is held back (strict_hold.c) until a wait, a finish or the second look at an event needs it (strict_wait.c),
 *   so that what is read too early is not there yet. A queue whose native handle the program has holds nothing back.
 * - What a copy will overwrite, what was released and what was freed is poisoned (strict_poison.c).
 * - A copy's source is hashed at the call, when it is submitted and when it is done (strict_submit.c, strict_wait.c).
 * - Calls are put in order by clocks, and refused where they race with others for sure (strict_order.c); a download
 *   that came before the kernel that writes its bytes is found by what the kernel changes (strict_witness.c).
 * - The host is given mirrors of device memory (strict_access.c), and its pointers into device memory, into what was
 *   released and into what was closed are refused (strict_allowed.c).
 *
 * What is found at the call is its answer, HR_RACE or HR_INVALID; what is found later is answered by the waits of the
 * queue from that work on, and all is in the log as an error. Not found: what kernels enqueued natively do (they see
 * the poison), which bytes of a buffer a kernel uses, and what two kernels do to each other: those run late, though.
 *
 * It allocates memory for every call. Its text is empty.
 */
#include "layers/strict.h"

#include <stdlib.h>

static hr_status kernel_create(struct hrb_program *program, const char *name, struct hrb_kernel **kernel)
{
    struct hrb_kernel *made;
    hr_status st = hrb_strict_of(program->device)->below->kernel_create(program, name, &made);

    if (st != HR_OK)
        return st;
    made->word[STRICT_LAYER] = strdup(name); /* without memory it has no name in messages */
    *kernel = made;
    return HR_OK;
}

static void kernel_destroy(struct hrb_kernel *kernel)
{
    struct strict *s = hrb_strict_of(kernel->program->device);
    char *name = kernel->word[STRICT_LAYER];

    hrb_strict_send_users(s, kernel);
    s->below->kernel_destroy(kernel);
    free(name);
}

/* The backend's own table, below all layers. */
static const struct hrb_ops *driver_of(const struct hrb_device *device)
{
    uint32_t i = 0;

    while (!device->next[i])
        i++;
    return device->next[i];
}

static hr_status attach(struct hrb_device *device, const struct hrb_ops *below, const char *spec,
                        const struct hrb_ops **ops)
{
    struct strict *s;

    if (spec[0] != '\0')
        return device->services->fail(HR_INVALID, 0, "layer strict: \"%s\" is unknown: it takes no text", spec);
    s = calloc(1, sizeof *s);
    if (!s)
        return device->services->fail(HR_NO_MEMORY, 0, "layer strict: no memory for its state");
    pthread_mutex_init(&s->sending, NULL);
    pthread_mutex_init(&s->lock, NULL);
    s->device = device;
    s->below = below;
    s->driver = driver_of(device);
    s->ops = *below;
    s->ops.note = hrb_strict_note;
    s->ops.kernel_create = kernel_create;
    s->ops.kernel_destroy = kernel_destroy;
    hrb_strict_call_ops(&s->ops);
    hrb_strict_wait_ops(&s->ops);
    hrb_strict_queue_ops(&s->ops, below);
    hrb_strict_memory_ops(&s->ops, below);
    hrb_strict_access_ops(&s->ops);
    device->word[STRICT_LAYER] = s;
    *ops = &s->ops;
    return HR_OK;
}

/* All objects are gone, and with them what was held; copies that nobody waited for may still be listed. */
static void detach(struct hrb_device *device)
{
    struct strict *s = hrb_strict_of(device);

    pthread_mutex_lock(&s->lock);
    while (s->flight) {
        struct strict_op *op = s->flight;

        s->flight = op->next;
        hrb_strict_op_free(s, op);
    }
    pthread_mutex_unlock(&s->lock);
    hrb_strict_memory_close(s);
    hrb_strict_own_close(s);
    free(s->host.list);
    free(s->slots);
    free(s->known);
    free(s->maybe);
    free(s->scratch);
    pthread_mutex_destroy(&s->sending);
    pthread_mutex_destroy(&s->lock);
    free(s);
    device->word[STRICT_LAYER] = NULL;
}

const struct hrb_layer hrb_layer_strict = {
    .size = sizeof(struct hrb_layer),
    .abi = HRB_ABI,
    .index = STRICT_LAYER,
    .name = "strict",
    .summary = "finds races and early reads: holds work back, poisons, checks order",
    .attach = attach,
    .detach = detach,
};
