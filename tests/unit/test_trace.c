/* The writer of timelines: what is written is read back, whatever the names, the threads, the disk and the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "fake/scratch.h"
#include "observe/trace.h"
#include "timeline/timeline.h"

#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, SPANS = 2000 };

static struct hrb_trace *opened(const char *path)
{
    struct hrb_trace *trace = NULL;

    if (hri_trace_open(path, &trace) != HR_OK)
        fail_msg("%s: %s", path, hr_last_error());
    return trace;
}

static void refused(const char *path, const char *why)
{
    struct hrb_trace *trace = NULL;

    assert_int_equal(hri_trace_open(path, &trace), HR_IO);
    assert_null(trace);
    assert_non_null(strstr(hr_last_error(), path));
    if (!strstr(hr_last_error(), why))
        fail_msg("\"%s\" does not hold \"%s\"", hr_last_error(), why);
}

static struct timeline read_whole(const char *path)
{
    struct timeline timeline;

    assert_true(timeline_read(path, &timeline));
    assert_true(timeline.whole);
    return timeline;
}

static void numbered(struct hrb_trace *trace, uint64_t number)
{
    struct hrb_detail detail = {.name = "number", .number = number};

    hri_trace_span(trace, &(struct hrb_span){.name = "numbered",
                                             .category = "test",
                                             .start_ns = 10 * number,
                                             .end_ns = 10 * number + 5,
                                             .details = &detail,
                                             .n_details = 1});
}

static void what_is_written_is_read_back(void **state)
{
    const char *path = scratch_path("back.json");
    struct hrb_trace *trace = opened(path);
    struct hrb_track row = hri_trace_track(trace, hri_trace_group(trace, "device \"one\""), "queue\\1");
    struct hrb_detail details[] = {{.name = "offset", .number = UINT64_MAX}, {.name = "host", .text = "a\"b\\c\nd"}};
    struct hrb_span span = {.track = row,
                            .name = "quote \" backslash \\ line\n tab\t bell\a \xc3\xa9",
                            .category = "copy",
                            .start_ns = 123456789012345678,
                            .end_ns = 123456789012347679,
                            .bytes = 4002,
                            .about = {.known = 1, .epoch = 3, .batch = 17},
                            .details = details,
                            .n_details = 2};
    struct timeline timeline;
    const struct timeline_event *event;
    size_t at = 0;

    (void)state;
    hri_trace_span(trace, &span);
    hri_trace_span(trace, &(struct hrb_span){.name = "mark", .category = "test", .start_ns = 7});
    hri_trace_close(trace);
    timeline = read_whole(path);
    event = timeline_next(&timeline, &at, "copy", NULL);
    assert_non_null(event);
    assert_int_equal(event->phase, 'X');
    assert_string_equal(event->name, "quote \" backslash \\ line\n tab\t bell\a ??");
    assert_int_equal(event->start_ns, span.start_ns);
    assert_int_equal(event->end_ns, span.end_ns);
    assert_string_equal(timeline_row(&timeline, event), "queue\\1");
    assert_string_equal(timeline_group(&timeline, event), "device \"one\"");
    assert_int_equal(timeline_number(event, "bytes"), 4002);
    assert_string_equal(timeline_arg(event, "GB/s"), "2.000");
    assert_int_equal(timeline_number(event, "epoch"), 3);
    assert_int_equal(timeline_number(event, "batch"), 17);
    assert_string_equal(timeline_arg(event, "offset"), "18446744073709551615");
    assert_string_equal(timeline_arg(event, "host"), "a\"b\\c\nd");
    event = timeline_next(&timeline, &at, NULL, NULL);
    assert_non_null(event);
    assert_int_equal(event->phase, 'i');
    assert_int_equal(event->start_ns, 7);
    assert_int_equal(event->n_args, 0);
    assert_string_equal(timeline_row(&timeline, event), "main");
    assert_string_equal(timeline_group(&timeline, event), "host");
    assert_null(timeline_next(&timeline, &at, NULL, NULL));
    timeline_free(&timeline);
}

/* As long as texts may be, all of them to be escaped: an event fits, and long ones are cut. */
static void long_texts_are_cut(void **state)
{
    const char *path = scratch_path("long.json");
    struct hrb_trace *trace = opened(path);
    struct hrb_detail details[8];
    char bad[512];
    struct timeline timeline;
    const struct timeline_event *event;
    size_t at = 0;

    (void)state;
    memset(bad, 1, sizeof bad - 1);
    bad[sizeof bad - 1] = '\0';
    for (int i = 0; i < 8; i++)
        details[i] =
            (struct hrb_detail){.name = (const char *[]){"a", "b", "c", "d", "e", "f", "g", "h"}[i], .text = bad};
    hri_trace_span(trace, &(struct hrb_span){.name = bad,
                                             .category = "sixteen letters.",
                                             .start_ns = UINT64_MAX - 1,
                                             .end_ns = UINT64_MAX,
                                             .bytes = UINT64_MAX,
                                             .about = {1, UINT64_MAX, UINT64_MAX},
                                             .details = details,
                                             .n_details = 8});
    hri_trace_close(trace);
    timeline = read_whole(path);
    event = timeline_next(&timeline, &at, NULL, NULL);
    assert_non_null(event);
    assert_int_equal(strlen(event->name), 96);
    assert_int_equal(strlen(timeline_arg(event, "h")), 48);
    timeline_free(&timeline);
}

static void *write_many(void *argument)
{
    struct hrb_trace *trace = argument;

    for (uint64_t i = 0; i < SPANS; i++)
        numbered(trace, i);
    return NULL;
}

static void threads_have_rows_of_their_own(void **state)
{
    const char *path = scratch_path("threads.json");
    struct hrb_trace *trace = opened(path);
    struct timeline timeline;
    const struct timeline_event *event, *a, *b;
    pthread_t threads[THREADS];
    uint64_t sum = 0;
    size_t at = 0, names = 0;

    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_many, trace), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    hri_trace_close(trace);
    timeline = read_whole(path);
    assert_int_equal(timeline_count(&timeline, "test", "numbered"), THREADS * SPANS);
    while ((event = timeline_next(&timeline, &at, "test", NULL)) != NULL)
        sum += timeline_number(event, "number");
    assert_int_equal(sum, (uint64_t)THREADS * SPANS * (SPANS - 1) / 2);
    for (size_t i = 0; i < timeline.n; i++)
        names += timeline.events[i].phase == 'M' && strcmp(timeline.events[i].name, "thread_name") == 0;
    assert_int_equal(names, THREADS);
    assert_false(timeline_overlap(&timeline, &a, &b)); /* each thread's own do not */
    timeline_free(&timeline);
}

/* Runs `body` in a child; answers its exit status. */
static int in_child(void (*body)(const char *path), const char *path)
{
    pid_t child;
    int status;

    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        body(path);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

static void write_and_leave(const char *path)
{
    struct hrb_trace *trace = opened(path);

    for (uint64_t i = 0; i < SPANS; i++)
        numbered(trace, i);
}

/* More than a buffer was written and nothing closed: what the file has is whole, and the beginning of it all. */
static void a_process_that_just_ends_leaves_a_whole_file(void **state)
{
    const char *path = scratch_path("ends.json");
    struct timeline timeline;
    const struct timeline_event *event;
    size_t at = 0;
    uint64_t next = 0;

    (void)state;
    assert_int_equal(in_child(write_and_leave, path), 0);
    timeline = read_whole(path);
    while ((event = timeline_next(&timeline, &at, "test", NULL)) != NULL)
        assert_int_equal(timeline_number(event, "number"), next++);
    assert_in_range(next, 100, SPANS - 1);
    timeline_free(&timeline);
}

static void write_to_the_limit(const char *path)
{
    struct rlimit limit = {.rlim_cur = 100000, .rlim_max = 100000};
    struct hrb_trace *trace = opened(path);

    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        _exit(3);
    for (uint64_t i = 0; i < SPANS; i++)
        numbered(trace, i);
    hri_trace_close(trace);
}

/* Where no more can be written, the file stays as it was before, and the program goes on. */
static void a_disk_that_fills_up_ends_the_timeline(void **state)
{
    const char *path = scratch_path("limit.json");
    struct timeline timeline;

    (void)state;
    assert_int_equal(in_child(write_to_the_limit, path), 0);
    timeline = read_whole(path);
    assert_in_range(timeline_count(&timeline, "test", NULL), 100, SPANS - 1);
    timeline_free(&timeline);
}

static void files_that_cannot_be_written(void **state)
{
    const char *fifo = scratch_path("fifo.json");
    struct hrb_trace *trace = NULL;

    (void)state;
    refused("/dev/full", "No space left on device");
    refused("/nowhere/trace.json", "No such file or directory; name a file that can be written in HEADRACE_TRACE");
    refused("/", "Is a directory");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    refused(fifo, "");
    unlink(fifo);
    unsetenv("HEADRACE_TRACE");
    assert_int_equal(hri_trace_open("", &trace), HR_INVALID);
    assert_non_null(strstr(hr_last_error(), "HEADRACE_TRACE"));
    /* A refusal is no hindrance to the next try. */
    trace = opened("/dev/null");
    numbered(trace, 1);
    hri_trace_close(trace);
}

static void share(const char *path)
{
    struct hrb_trace *trace = NULL;

    if (hri_trace_open(path, &trace) != HR_IO || !strstr(hr_last_error(), "%p"))
        _exit(4);
}

static void write_nowhere(const char *path)
{
    hri_trace_close(opened(path));
}

static void one_process_writes_a_file(void **state)
{
    const char *path = scratch_path("shared.json");
    char numbered_path[256], expected[256];
    struct hrb_trace *trace = opened(path);
    struct timeline timeline;

    (void)state;
    numbered(trace, 1);
    assert_int_equal(in_child(share, path), 0); /* it has this process's list, and must not write for it */
    hri_trace_close(trace);
    timeline = read_whole(path);
    assert_int_equal(timeline_count(&timeline, "test", NULL), 1);
    timeline_free(&timeline);
    trace = opened("/dev/null"); /* but that is everybody's */
    assert_int_equal(in_child(write_nowhere, "/dev/null"), 0);
    hri_trace_close(trace);

    snprintf(numbered_path, sizeof numbered_path, "%s-%%p-%%p", path);
    snprintf(expected, sizeof expected, "%s-%ld-%ld", path, (long)getpid(), (long)getpid());
    hri_trace_close(opened(numbered_path));
    timeline = read_whole(expected);
    timeline_free(&timeline);
    unlink(expected);
}

static void a_file_is_gone_on_with(void **state)
{
    const char *path = scratch_path("on.json");
    struct hrb_trace *first = opened(path), *second = opened(path);
    struct timeline timeline;

    (void)state;
    assert_ptr_equal(first, second); /* two devices, one timeline */
    numbered(first, 1);
    hri_trace_close(first);
    numbered(second, 2);
    hri_trace_close(second);
    second = opened(path); /* a device that is opened later */
    numbered(second, 3);
    hri_trace_close(second);
    timeline = read_whole(path);
    assert_int_equal(timeline_count(&timeline, "test", NULL), 3);
    timeline_free(&timeline);

    unlink(path); /* taken away: a new one begins, with its rows' names */
    second = opened(path);
    numbered(second, 4);
    hri_trace_close(second);
    timeline = read_whole(path);
    assert_int_equal(timeline_count(&timeline, "test", NULL), 1);
    assert_string_equal(timeline_row(&timeline, &timeline.events[timeline.n - 1]), "main");
    timeline_free(&timeline);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(threads_have_rows_of_their_own),
        cmocka_unit_test(a_process_that_just_ends_leaves_a_whole_file),
        cmocka_unit_test(a_disk_that_fills_up_ends_the_timeline),
        cmocka_unit_test(files_that_cannot_be_written),
        cmocka_unit_test(one_process_writes_a_file),
        cmocka_unit_test(a_file_is_gone_on_with),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
