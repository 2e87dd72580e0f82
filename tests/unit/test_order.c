/*
 * The order of an epoch: an exact bijection for every n, statistically a shuffle, and the same one for ever. Seeds and
 * limits are fixed, so a verdict never changes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "stream/order.h"

static void *zeroed(size_t count, size_t bytes)
{
    void *memory = calloc(count, bytes);

    assert_non_null(memory);
    return memory;
}

/* Whether cells that are equally likely were hit evenly: chi-square within 5 standard deviations of what is expected,
 * neither worse nor better than chance. scale corrects for cells that are dependent. */
static bool even(const uint64_t *cells, size_t n, double scale, double freedom)
{
    double sum = 0;
    double excess = 0;

    for (size_t i = 0; i < n; i++)
        sum += (double)cells[i];
    for (size_t i = 0; i < n; i++) {
        double off = (double)cells[i] - sum / (double)n;

        excess += scale * off * off / (sum / (double)n);
    }
    excess -= freedom;
    return excess * excess < 5 * 5 * 2 * freedom;
}

/* Every id of [0, n) once; asked for in pieces, which must not matter. */
static void check_bijection(uint64_t n, uint64_t seed, uint64_t epoch, uint64_t piece)
{
    unsigned char *seen = zeroed(n, 1);
    uint64_t *ids = zeroed(piece, sizeof *ids);
    struct hri_order order;

    hri_order_key(&order, n, 1, seed, epoch);
    for (uint64_t first = 0; first < n; first += piece) {
        uint64_t count = n - first < piece ? n - first : piece;

        hri_order_rows(&order, first, count, ids);
        for (uint64_t i = 0; i < count; i++) {
            assert_true(ids[i] < n);
            assert_false(seen[ids[i]]);
            seen[ids[i]] = 1;
        }
    }
    free(ids);
    free(seen);
}

static void bijection(void **state)
{
    static const uint64_t large[] = {60000, 65535, 65536, 65537, 1000000, (1u << 20) + 1};

    (void)state;
    for (uint64_t n = 1; n <= 600; n++) {
        for (uint64_t seed = 0; seed < 4; seed++)
            check_bijection(n, seed, n, seed == 3 ? 7 : n);
    }
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++)
        check_bijection(large[i], i, 3, 1000);
}

static int compare_ids(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* No id twice among positions from the beginning, the middle and the end, where [0, n) is too large to visit. */
static void no_repeat_in_large_ranges(void **state)
{
    static const uint64_t sizes[] = {1000000000, 1000000000000, UINT64_MAX};
    enum { PIECE = 100000 };
    uint64_t *ids = zeroed(3 * PIECE, sizeof *ids);

    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const uint64_t n = sizes[s];
        struct hri_order order;

        hri_order_key(&order, n, 1, 5, s);
        hri_order_rows(&order, 0, PIECE, ids);
        hri_order_rows(&order, n / 2, PIECE, ids + PIECE);
        hri_order_rows(&order, n - PIECE, PIECE, ids + 2 * PIECE);
        qsort(ids, 3 * PIECE, sizeof *ids, compare_ids);
        assert_true(ids[3 * PIECE - 1] < n);
        for (size_t i = 1; i < 3 * PIECE; i++)
            assert_true(ids[i - 1] != ids[i]);
    }
    free(ids);
}

static void unshuffled_is_identity(void **state)
{
    struct hri_order order;
    uint64_t ids[100];

    (void)state;
    hri_order_key(&order, 1000000, 0, 7, 9);
    hri_order_rows(&order, 999900, 100, ids);
    for (uint64_t i = 0; i < 100; i++)
        assert_int_equal(ids[i], 999900 + i);
    order = (struct hri_order){.n = 100};
    hri_order_rows(&order, 0, 100, ids);
    for (uint64_t i = 0; i < 100; i++)
        assert_int_equal(ids[i], i);
}

/* Users change neither seed nor data: these values are what a resume years later relies on. */
static void known_answers(void **state)
{
    static const struct {
        uint64_t n, seed, epoch, first;
        uint64_t ids[4];
    } known[] = {
        {10, 1, 0, 0, {5, 9, 0, 4}},
        {60000, 1, 0, 0, {25015, 33607, 7720, 8779}},
        {60000, 1, 1, 59996, {28805, 8634, 26146, 45968}},
        {1000000000000,
         12345678901234567890u,
         77,
         999999999990,
         {305925159328, 901670137683, 121813036906, 614236844071}},
        {UINT64_MAX,
         UINT64_MAX,
         UINT64_MAX,
         1,
         {3822984351009492826, 15093659625828551168u, 2175700850682453338, 1430723655721695162}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct hri_order order;
        uint64_t ids[4];

        hri_order_key(&order, known[i].n, 1, known[i].seed, known[i].epoch);
        hri_order_rows(&order, known[i].first, 4, ids);
        for (int j = 0; j < 4; j++)
            assert_int_equal(ids[j], known[i].ids[j]);
    }
}

/* A seed, an epoch and their exchange each give another order: two orders agree at about one position in all. */
static void keys_differ(void **state)
{
    static const struct {
        uint64_t seed, epoch;
    } keys[] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 1}, {1, 2}, {UINT64_MAX, 0}, {0, UINT64_MAX}, {1u << 31, 0}};
    enum { N = 4096, KEYS = sizeof keys / sizeof keys[0] };
    uint64_t(*ids)[N] = zeroed(KEYS, sizeof *ids);

    (void)state;
    for (size_t k = 0; k < KEYS; k++) {
        struct hri_order order;

        hri_order_key(&order, N, 1, keys[k].seed, keys[k].epoch);
        hri_order_rows(&order, 0, N, ids[k]);
        for (size_t other = 0; other < k; other++) {
            uint64_t same = 0;

            for (size_t i = 0; i < N; i++)
                same += ids[k][i] == ids[other][i];
            assert_true(same < 8);
        }
    }
    free(ids);
}

/* Number of a permutation of n <= 8 ids, from 0 to n! - 1. */
static size_t rank_of(const uint64_t *ids, size_t n)
{
    size_t rank = 0;

    for (size_t i = 0; i < n; i++) {
        size_t smaller = 0;

        for (size_t j = i + 1; j < n; j++)
            smaller += ids[j] < ids[i];
        rank = rank * (n - i) + smaller;
    }
    return rank;
}

/* All 120 orders of 5 rows, and all 720 of 6, are equally likely, over seeds and over epochs. */
static void whole_orders_are_uniform(void **state)
{
    static const size_t orders[] = {1, 1, 2, 6, 24, 120, 720};
    uint64_t ids[6];

    (void)state;
    for (size_t n = 2; n <= 6; n++) {
        for (int over_epochs = 0; over_epochs < 2; over_epochs++) {
            uint64_t *cells = zeroed(orders[n], sizeof *cells);

            for (uint64_t key = 0; key < 15000; key++) {
                struct hri_order order;

                hri_order_key(&order, n, 1, over_epochs ? 1 : key, over_epochs ? key : 0);
                hri_order_rows(&order, 0, n, ids);
                cells[rank_of(ids, n)]++;
            }
            assert_true(even(cells, orders[n], 1, (double)orders[n] - 1));
            free(cells);
        }
    }
}

/* Counts over epochs, for n rows: where each row comes, which rows come first and second, how far neighbours are apart.
 */
struct counts {
    uint64_t *position; /* [position][row] */
    uint64_t *pair;     /* [first row][second row], n (n - 1) of them used */
    uint64_t *distance; /* [1 ... n - 1], modulo n */
};

static void count_epochs(struct counts *counts, uint64_t n, uint64_t epochs)
{
    uint64_t *ids = zeroed(n, sizeof *ids);

    for (uint64_t epoch = 0; epoch < epochs; epoch++) {
        struct hri_order order;

        hri_order_key(&order, n, 1, 11, epoch);
        hri_order_rows(&order, 0, n, ids);
        for (uint64_t i = 0; i < n; i++)
            counts->position[i * n + ids[i]]++;
        counts->pair[ids[0] * (n - 1) + ids[1] - (ids[1] > ids[0])]++;
        for (uint64_t i = 1; i < n; i++)
            counts->distance[(ids[i] + n - ids[i - 1]) % n]++;
    }
    free(ids);
}

static void positions_and_neighbours_are_uniform(void **state)
{
    static const struct {
        uint64_t n, epochs;
    } sizes[] = {{5, 15000}, {10, 20000}, {52, 30000}, {255, 8000}, {256, 8000}, {257, 4000}, {1000, 2000}};

    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const uint64_t n = sizes[s].n;
        const double rows = (double)n;
        struct counts counts = {zeroed(n * n, 8), zeroed(n * n, 8), zeroed(n, 8)};

        count_epochs(&counts, n, sizes[s].epochs);
        /* Rows and columns of the position table have fixed sums, hence (n - 1)^2 degrees of freedom. */
        assert_true(even(counts.position, n * n, (rows - 1) / rows, (rows - 1) * (rows - 1)));
        if (n * n < sizes[s].epochs)
            assert_true(even(counts.pair, n * (n - 1), 1, rows * (rows - 1) - 1));
        assert_true(even(counts.distance + 1, n - 1, 1, rows - 2));
        assert_int_equal(counts.distance[0], 0);
        free(counts.position);
        free(counts.pair);
        free(counts.distance);
    }
}

/* Within one epoch: rows that come `gap` apart are independent, in where they lie and in their lowest bits. */
static void check_serial(const uint64_t *ids, size_t count, size_t gap, uint64_t n)
{
    uint64_t *high = zeroed(32 * 32, sizeof *high);
    uint64_t *low = zeroed(32 * 32, sizeof *low);
    const uint64_t part = (n - 1) / 32 + 1;

    for (size_t i = gap; i < count; i++) {
        high[ids[i - gap] / part * 32 + ids[i] / part]++;
        low[ids[i - gap] % 32 * 32 + ids[i] % 32]++;
    }
    assert_true(even(high, 1024, 1, 1023));
    assert_true(even(low, 1024, 1, 1023));
    free(high);
    free(low);
}

static void one_epoch_has_no_pattern(void **state)
{
    static const uint64_t sizes[] = {1u << 16, 1000000, 1000000000, UINT64_C(1) << 40};
    static const size_t gaps[] = {1, 2, 3, 64, 1024, 4096};
    enum { MOST = 150000 };
    uint64_t *ids = zeroed(MOST, sizeof *ids);

    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const size_t count = sizes[s] < MOST ? sizes[s] : MOST;

        for (uint64_t seed = 0; seed < 4; seed++) {
            struct hri_order order;

            hri_order_key(&order, sizes[s], 1, seed, 0);
            hri_order_rows(&order, sizes[s] - count, count, ids);
            for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; g++)
                check_serial(ids, count, gaps[g], sizes[s]);
        }
    }
    free(ids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bijection),
        cmocka_unit_test(no_repeat_in_large_ranges),
        cmocka_unit_test(unshuffled_is_identity),
        cmocka_unit_test(known_answers),
        cmocka_unit_test(keys_differ),
        cmocka_unit_test(whole_orders_are_uniform),
        cmocka_unit_test(positions_and_neighbours_are_uniform),
        cmocka_unit_test(one_epoch_has_no_pattern),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
