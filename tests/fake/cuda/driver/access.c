/* What a kernel may touch: the device's memory, and what the thread that stands for a GPU's has of its own. */
#include "fake.h"

#include <link.h>

/* The stack of this thread, of this size at least. */
static _Thread_local uintptr_t stack_begin, stack_end;

static bool in_stack(uintptr_t address)
{
    if (stack_end == 0) {
        pthread_attr_t attributes;
        void *begin;
        size_t bytes;

        if (pthread_getattr_np(pthread_self(), &attributes) != 0)
            fake_die("a thread has no stack");
        pthread_attr_getstack(&attributes, &begin, &bytes);
        pthread_attr_destroy(&attributes);
        stack_begin = (uintptr_t)begin;
        stack_end = (uintptr_t)begin + bytes;
    }
    return address >= stack_begin && address < stack_end;
}

struct question {
    uintptr_t base, address;
    struct fake_window *window;
};

/* Whether the address is a variable of the object that is asked for: of the process's one set, or of this thread's. */
static int look(struct dl_phdr_info *object, size_t bytes, void *argument)
{
    struct question *question = argument;

    (void)bytes;
    if (object->dlpi_addr != question->base)
        return 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t begin = object->dlpi_addr + segment->p_vaddr;

        if (segment->p_type == PT_TLS)
            begin = (uintptr_t)object->dlpi_tls_data;
        else if (segment->p_type != PT_LOAD)
            continue;
        if (begin == 0 || question->address < begin || question->address - begin >= segment->p_memsz)
            continue;
        *question->window = (struct fake_window){.begin = begin,
                                                 .end = begin + segment->p_memsz,
                                                 .writable = segment->p_type == PT_TLS || segment->p_flags & PF_W};
        return 1;
    }
    return 0;
}

static bool in_device(hri_cu_context context, uintptr_t address, size_t bytes, int write, struct fake_window *window)
{
    const struct fake_range *range;
    bool ok;

    fake_lock_to_read(&fake_ranges_lock);
    ok = fake_device_ok(context, address, bytes, write ? FAKE_WRITE : FAKE_READ);
    if (ok) {
        range = fake_range_at(address);
        *window = (struct fake_window){.begin = range->address,
                                       .end = range->address + range->bytes,
                                       .writable = !range->read_only,
                                       .of_device = 1};
    }
    fake_unlock_shared(&fake_ranges_lock);
    return ok;
}

int fake_access(uintptr_t address, size_t bytes, int write, struct fake_window *window)
{
    hri_cu_stream stream = fake_block_stream();
    uintptr_t base = fake_block_code()->base;

    if (atomic_load(&fake_stopping) || atomic_load(&stream->given_up))
        return HRI_CU_LAUNCH_FAILED;
    if (bytes == 0 || in_device(stream->object.context, address, bytes, write, window))
        return 0;
    if (base == 0)
        return HRI_CU_ILLEGAL_ADDRESS;
    if (in_stack(address)) {
        *window = (struct fake_window){.begin = stack_begin, .end = stack_end, .writable = 1};
        return 0;
    }
    if (dl_iterate_phdr(look, &(struct question){.base = base, .address = address, .window = window}) == 1 &&
        (!write || window->writable))
        return 0;
    return HRI_CU_ILLEGAL_ADDRESS;
}
