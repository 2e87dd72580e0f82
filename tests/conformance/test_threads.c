/* Many threads: queues that feed each other, and one kernel launched by all. */
#include "conformance.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WORDS = 256, BYTES = WORDS * 4, ROUNDS = 10000, SECONDS = 3, MOST = 64 };

static hr_queue *in;
static hr_queue *out;
static time_t end;
static uint32_t threads;

struct worker {
    pthread_t thread;
    uint32_t number;
    uint32_t rounds;
    hr_status status;
    char message[256]; /* of the first failure; the thread's own */
};

static int begin(void **state)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    (void)state;
    threads = cores < 2 ? 4 : cores > MOST / 2 ? MOST : (uint32_t)cores * 2;
    in = new_queue(device, HR_QUEUE_COPY_IN);
    out = new_queue(device, HR_QUEUE_COMPUTE);
    (void)shared_kernel("add_words");
    end = time(NULL) + SECONDS;
    return 0;
}

static int finish(void **state)
{
    (void)state;
    hr_queue_close(&in);
    hr_queue_close(&out);
    return 0;
}

/* Runs `body` in every thread until its share of the rounds, or the time, is over. */
static void in_all_threads(void *(*body)(void *))
{
    static struct worker workers[MOST];
    uint64_t rounds = 0;

    for (uint32_t i = 0; i < threads; i++) {
        workers[i] = (struct worker){.number = i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, body, &workers[i]), 0);
    }
    for (uint32_t i = 0; i < threads; i++)
        pthread_join(workers[i].thread, NULL);
    for (uint32_t i = 0; i < threads; i++) {
        if (workers[i].status != HR_OK)
            print_error("thread %u: %s: %s\n", i, hr_status_name(workers[i].status), workers[i].message);
        assert_int_equal(workers[i].status, HR_OK);
        assert_true(workers[i].rounds > 0);
        rounds += workers[i].rounds;
    }
    print_message("%u threads, %llu rounds\n", threads, (unsigned long long)rounds);
}

static bool goes_on(const struct worker *w)
{
    return w->status == HR_OK && w->rounds < ROUNDS / threads && (w->rounds % 16 != 0 || time(NULL) <= end);
}

static void *ended(struct worker *w)
{
    if (w->status != HR_OK && !w->message[0])
        snprintf(w->message, sizeof w->message, "%s", hr_last_error());
    return NULL;
}

static void check_words(struct worker *w, const uint32_t *got, uint32_t expected)
{
    for (int i = 0; i < WORDS; i++)
        if (got[i] != expected) {
            snprintf(w->message, sizeof w->message, "round %u, word %d: %u, expected %u", w->rounds, i, got[i],
                     expected);
            w->status = HR_DRIVER;
            return;
        }
}

/* Written on one queue, worked on by the other, read on the first: ordered by events alone. */
static hr_status cross(hr_buffer *buffer, uint32_t value, uint32_t *words)
{
    hr_event *written = NULL;
    hr_event *added = NULL;
    hr_event *read = NULL;
    hr_sync write_sync = sync_of(&written, NULL, 0);
    hr_sync add_sync = sync_of(&added, &written, 1);
    hr_sync read_sync = sync_of(&read, NULL, 0);
    hr_status st;

    for (int i = 0; i < WORDS; i++)
        words[i] = value;
    st = hr_write(in, buffer, 0, words, BYTES, &write_sync);
    if (st == HR_OK)
        st = launch_add(out, buffer, WORDS, 1000000, &add_sync);
    if (st == HR_OK)
        st = hr_queue_wait(in, added);
    memset(words, 0xff, BYTES);
    if (st == HR_OK)
        st = hr_read(in, buffer, 0, words, BYTES, &read_sync);
    if (st == HR_OK)
        st = hr_event_wait(read, HR_FOREVER);
    hr_event_close(&written);
    hr_event_close(&added);
    hr_event_close(&read);
    return st;
}

static void *cross_queues(void *data)
{
    struct worker *w = data;
    hr_buffer *buffer = NULL;
    uint32_t *words = malloc(BYTES);

    w->status = words ? hr_buffer_create(device, HR_MEMORY_DEVICE, BYTES, in, &buffer) : HR_NO_MEMORY;
    for (; goes_on(w); w->rounds++) {
        uint32_t value = w->number << 16 | (w->rounds & 0xffff);

        w->status = cross(buffer, value, words);
        if (w->status == HR_OK)
            check_words(w, words, value + 1000000);
    }
    (void)ended(w);
    hr_buffer_close(&buffer);
    free(words);
    return NULL;
}

/* Case 7. */
static void two_queues_many_threads(void **state)
{
    (void)state;
    in_all_threads(cross_queues);
}

/* Pitfall 16: one kernel, launched with scalars of each thread's own. */
static void *launch_own_scalars(void *data)
{
    struct worker *w = data;
    hr_buffer *buffer = NULL;
    uint32_t *words = calloc(WORDS, 4);
    uint32_t sum = 0;

    w->status = words ? hr_buffer_create(device, HR_MEMORY_DEVICE, BYTES, out, &buffer) : HR_NO_MEMORY;
    if (w->status == HR_OK)
        w->status = hr_write(out, buffer, 0, words, BYTES, NULL);
    for (; goes_on(w); w->rounds++) {
        uint32_t addend = w->number * 1000 + w->rounds;

        w->status = launch_add(out, buffer, WORDS, addend, NULL);
        sum += addend;
        if (w->rounds % 100 == 99 && w->status == HR_OK)
            w->status = hr_queue_finish(out); /* keeps the queue short */
    }
    if (w->status == HR_OK)
        w->status = hr_read(out, buffer, 0, words, BYTES, NULL);
    if (w->status == HR_OK)
        w->status = hr_queue_finish(out);
    if (w->status == HR_OK)
        check_words(w, words, sum);
    (void)ended(w);
    hr_buffer_close(&buffer);
    free(words);
    return NULL;
}

static void one_kernel_many_threads(void **state)
{
    (void)state;
    in_all_threads(launch_own_scalars);
}

/* Makes, uses and closes of everything, in all threads at once. */
static void *make_and_close(void *data)
{
    struct worker *w = data;
    uint32_t words[16] = {0};

    for (; goes_on(w); w->rounds++) {
        hr_queue *queue = NULL;
        hr_buffer *buffer = NULL;
        hr_event *event = NULL;
        hr_sync sync = sync_of(&event, NULL, 0);
        uint32_t got[16] = {0};

        words[0] = w->number + w->rounds;
        w->status = hr_queue_create(device, w->rounds % 3, NULL, &queue);
        if (w->status == HR_OK)
            w->status = hr_buffer_create(device, HR_MEMORY_DEVICE, sizeof words, queue, &buffer);
        if (w->status == HR_OK)
            w->status = hr_write(queue, buffer, 0, words, sizeof words, NULL);
        if (w->status == HR_OK)
            w->status = hr_read(queue, buffer, 0, got, sizeof got, &sync);
        hr_buffer_close(&buffer);
        hr_queue_close(&queue);
        if (w->status == HR_OK)
            w->status = hr_event_wait(event, HR_FOREVER);
        if (w->status == HR_OK && memcmp(got, words, sizeof words) != 0)
            w->status = HR_DRIVER;
        hr_event_close(&event);
    }
    return ended(w);
}

static void everything_made_by_all_threads(void **state)
{
    (void)state;
    in_all_threads(make_and_close);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(two_queues_many_threads, begin, finish),
        cmocka_unit_test_setup_teardown(one_kernel_many_threads, begin, finish),
        cmocka_unit_test_setup_teardown(everything_made_by_all_threads, begin, finish),
    };

    return conformance_main(argc, argv, tests, NULL);
}
