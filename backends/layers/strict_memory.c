/* Memory: made, cut into views, let go of; fresh memory is poisoned. */
#include "layers/strict.h"

#include <stdlib.h>

bool hrb_strict_alive(const struct strict *s, const struct strict_memory *memory)
{
    const struct strict_memory *at = s->memories;

    while (at && at != memory)
        at = at->next;
    return at != NULL;
}

static struct strict_buffer *new_word(struct strict_memory *memory, uint64_t base)
{
    struct strict_buffer *word = malloc(sizeof *word);

    if (word)
        *word = (struct strict_buffer){.memory = memory, .base = base};
    return word;
}

static hr_status no_memory(struct strict *s)
{
    return s->device->services->fail(HR_NO_MEMORY, 0, "layer strict: no memory for a buffer");
}

/* Gives a new root buffer its state; destroys it if that fails. */
static hr_status adopt(struct strict *s, struct hrb_buffer *root)
{
    struct strict_memory *memory = calloc(1, sizeof *memory);
    struct strict_buffer *word = memory ? new_word(memory, 0) : NULL;

    if (!word) {
        free(memory);
        s->below->buffer_destroy(root);
        return no_memory(s);
    }
    root->word[STRICT_LAYER] = word;
    memory->root = root;
    memory->extent = root->bytes;
    pthread_mutex_lock(&s->lock);
    memory->id = ++s->n_buffers;
    memory->next = s->memories;
    s->memories = memory;
    if (root->kind != HR_MEMORY_IMPORTED) {
        struct strict_box all = hrb_strict_line(0, root->bytes);

        hrb_strict_poison(s, memory, &all);
    }
    pthread_mutex_unlock(&s->lock);
    return HR_OK;
}

/* Destroys what had to wait for poison that was under way. */
static void reap(struct strict *s)
{
    struct strict_memory *gone = NULL;

    pthread_mutex_lock(&s->lock);
    for (struct strict_memory **at = &s->parked; *at;) {
        struct strict_memory *memory = *at;

        if (!hrb_strict_poison_done(s, memory)) {
            at = &memory->next;
            continue;
        }
        *at = memory->next;
        memory->next = gone;
        gone = memory;
    }
    pthread_mutex_unlock(&s->lock);
    while (gone) {
        struct strict_memory *memory = gone;

        gone = memory->next;
        s->below->buffer_destroy(memory->root);
        free(memory);
    }
}

static hr_status buffer_create(struct hrb_device *device, uint32_t kind, uint64_t bytes, struct hrb_buffer **buffer)
{
    struct strict *s = hrb_strict_of(device);
    struct hrb_buffer *made;
    hr_status st;

    reap(s);
    st = s->below->buffer_create(device, kind, bytes, &made);
    if (st == HR_OK)
        st = adopt(s, made);
    if (st == HR_OK)
        *buffer = made;
    return st;
}

static hr_status buffer_import(struct hrb_device *device, void *pointer, uint64_t bytes, struct hrb_buffer **buffer)
{
    struct strict *s = hrb_strict_of(device);
    struct hrb_buffer *made;
    hr_status st;

    pthread_mutex_lock(&s->lock);
    st = hrb_strict_pointer(s, "memory to register", pointer, bytes);
    if (st != HR_OK)
        st = s->device->services->fail(st, 0, "%s", s->message);
    pthread_mutex_unlock(&s->lock);
    if (st == HR_OK)
        st = s->below->buffer_import(device, pointer, bytes, &made);
    if (st == HR_OK)
        st = adopt(s, made);
    if (st == HR_OK)
        *buffer = made;
    return st;
}

static hr_status buffer_view(struct hrb_buffer *parent, uint64_t offset, uint64_t bytes, struct hrb_buffer **view)
{
    struct strict *s = hrb_strict_of(parent->device);
    const struct strict_buffer *from = hrb_strict_buffer(parent);
    struct hrb_buffer *made;
    hr_status st = s->below->buffer_view(parent, offset, bytes, &made);

    if (st != HR_OK)
        return st;
    made->word[STRICT_LAYER] = new_word(from->memory, from->base + offset);
    if (!made->word[STRICT_LAYER]) {
        s->below->buffer_destroy(made);
        return no_memory(s);
    }
    *view = made;
    return HR_OK;
}

static void unlist(struct strict *s, const struct strict_memory *memory)
{
    struct strict_memory **at = &s->memories;

    while (*at != memory)
        at = &(*at)->next;
    *at = memory->next;
}

/* Held work still refers to a view that goes; it is submitted first. */
static void buffer_destroy(struct hrb_buffer *buffer)
{
    struct strict *s = hrb_strict_of(buffer->device);
    struct strict_buffer *word = hrb_strict_buffer(buffer);
    struct strict_memory *memory = word->memory;
    bool root = memory->root == buffer;

    hrb_strict_send_users(s, buffer);
    pthread_mutex_lock(&s->lock);
    hrb_strict_mirrors_end(s, memory, buffer);
    if (root) {
        unlist(s, memory);
        free(memory->accesses.list);
        memory->next = s->parked;
        s->parked = memory;
    }
    pthread_mutex_unlock(&s->lock);
    free(word);
    if (root)
        reap(s);
    else
        s->below->buffer_destroy(buffer);
}

/* Work of the program's own may touch it from now on, which knows of no poison. */
static hr_status buffer_native(struct hrb_buffer *buffer, void **native, uint64_t *offset)
{
    struct strict *s = hrb_strict_of(buffer->device);
    struct strict_memory *memory = hrb_strict_buffer(buffer)->memory;

    pthread_mutex_lock(&s->lock);
    memory->exposed = true;
    pthread_mutex_unlock(&s->lock);
    hrb_strict_poison_wait(s, memory);
    return s->below->buffer_native(buffer, native, offset);
}

void hrb_strict_memory_ops(struct hrb_ops *ops, const struct hrb_ops *below)
{
    ops->buffer_create = buffer_create;
    if (below->buffer_import)
        ops->buffer_import = buffer_import;
    ops->buffer_view = buffer_view;
    ops->buffer_destroy = buffer_destroy;
    if (below->buffer_native)
        ops->buffer_native = buffer_native;
}

void hrb_strict_memory_close(struct strict *s)
{
    for (struct strict_memory *memory = s->parked; memory; memory = memory->next)
        hrb_strict_poison_wait(s, memory);
    reap(s);
}
