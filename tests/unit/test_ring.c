/* The ring against a model: random walks through every operation, with the order of tickets written down apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "stream/ring.h"

#include <cmocka.h>

#define STEPS 200000

/* The model: a list of fills in ticket order, each with what is left to do. Slots play no part in it. */
enum stage { FILLING, SENDING, READY };

struct fill {
    enum stage stage;
    uint64_t units, claimed, done;
    uint32_t slot;
};

struct model {
    uint32_t depth;
    struct fill fills[HRI_RING_MOST]; /* not popped, oldest first */
    uint32_t n_fills;
    uint32_t leased[HRI_RING_MOST];
    uint32_t n_leased;
    struct hri_claim claims[256];
    bool stale[256]; /* of a fill that was discarded */
    uint32_t n_claims;
    uint32_t lost[HRI_RING_MOST]; /* slots in SENDING that were discarded */
    uint32_t n_lost;
};

static uint64_t seed = 88172645463325252u;

static uint32_t pick(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)((seed >> 33) % n);
}

static struct fill *fill_of(struct model *m, uint32_t slot)
{
    for (uint32_t i = 0; i < m->n_fills; i++)
        if (m->fills[i].slot == slot)
            return &m->fills[i];
    return NULL;
}

/* Slots that the model knows to be busy; the rest must be free. */
static uint32_t busy(const struct model *m)
{
    uint32_t n = m->n_fills + m->n_leased + m->n_lost;
    uint64_t seen = 0;

    for (uint32_t i = 0; i < m->n_claims; i++)
        if (m->stale[i] && !(seen >> m->claims[i].slot & 1)) {
            seen |= 1ull << m->claims[i].slot;
            n++;
        }
    return n;
}

static void do_take(struct hri_ring *ring, struct model *m)
{
    int slot = hri_ring_free(ring);
    uint64_t units = pick(6);

    assert_int_equal(slot >= 0, busy(m) < m->depth);
    if (slot < 0)
        return;
    hri_ring_take(ring, (uint32_t)slot, units);
    m->fills[m->n_fills++] = (struct fill){.stage = FILLING, .units = units, .slot = (uint32_t)slot};
}

static void do_claim(struct hri_ring *ring, struct model *m)
{
    struct hri_claim claim;
    struct fill *oldest = NULL;
    uint64_t most = 1 + pick(3);
    bool got;

    if (m->n_claims == 256)
        return;
    for (uint32_t i = 0; i < m->n_fills && !oldest; i++)
        if (m->fills[i].claimed < m->fills[i].units)
            oldest = &m->fills[i];
    got = hri_ring_claim(ring, most, &claim);
    assert_int_equal(got, oldest != NULL);
    if (!got)
        return;
    assert_int_equal(claim.slot, oldest->slot);
    assert_int_equal(claim.first, oldest->claimed);
    assert_true(claim.count >= 1 && claim.count <= most);
    oldest->claimed += claim.count;
    assert_true(oldest->claimed <= oldest->units);
    m->stale[m->n_claims] = false;
    m->claims[m->n_claims++] = claim;
}

static void do_done(struct hri_ring *ring, struct model *m)
{
    uint32_t i, left = 0;
    struct hri_claim claim;
    bool stale, ended;

    if (m->n_claims == 0)
        return;
    i = pick(m->n_claims);
    claim = m->claims[i];
    stale = m->stale[i];
    m->claims[i] = m->claims[--m->n_claims];
    m->stale[i] = m->stale[m->n_claims];
    ended = hri_ring_done(ring, &claim);
    if (stale) {
        for (i = 0; i < m->n_claims; i++)
            left += m->stale[i] && m->claims[i].slot == claim.slot;
        assert_int_equal(ended, left == 0);
        return;
    }
    struct fill *fill = fill_of(m, claim.slot);

    assert_non_null(fill);
    fill->done += claim.count;
    assert_int_equal(ended, fill->done == fill->units);
}

static void do_send(struct hri_ring *ring, struct model *m)
{
    struct fill *next = NULL;
    int slot;

    for (uint32_t i = 0; i < m->n_fills && !next; i++)
        if (m->fills[i].stage == FILLING)
            next = &m->fills[i];
    slot = hri_ring_send(ring);
    assert_int_equal(slot >= 0, next && next->done == next->units);
    if (slot < 0)
        return;
    assert_int_equal(slot, next->slot);
    next->stage = SENDING;
}

static void do_sent(struct hri_ring *ring, struct model *m)
{
    if (m->n_lost && pick(2)) {
        hri_ring_sent(ring, m->lost[--m->n_lost]);
        return;
    }
    for (uint32_t i = 0; i < m->n_fills; i++)
        if (m->fills[i].stage == SENDING) {
            hri_ring_sent(ring, m->fills[i].slot);
            m->fills[i].stage = READY;
            return;
        }
}

static void do_pop(struct hri_ring *ring, struct model *m)
{
    int slot = hri_ring_pop(ring);

    assert_int_equal(slot >= 0, m->n_fills > 0 && m->fills[0].stage == READY);
    if (slot < 0)
        return;
    assert_int_equal(slot, m->fills[0].slot);
    m->leased[m->n_leased++] = m->fills[0].slot;
    m->n_fills--;
    for (uint32_t i = 0; i < m->n_fills; i++)
        m->fills[i] = m->fills[i + 1];
}

static void do_release(struct hri_ring *ring, struct model *m)
{
    uint32_t i;

    if (m->n_leased == 0)
        return;
    i = pick(m->n_leased);
    hri_ring_release(ring, m->leased[i]);
    m->leased[i] = m->leased[--m->n_leased];
}

static void do_discard(struct hri_ring *ring, struct model *m)
{
    hri_ring_discard(ring);
    for (uint32_t i = 0; i < m->n_claims; i++)
        m->stale[i] = true;
    for (uint32_t i = 0; i < m->n_fills; i++)
        if (m->fills[i].stage == SENDING)
            m->lost[m->n_lost++] = m->fills[i].slot;
    m->n_fills = 0;
}

static void walk(uint32_t depth)
{
    /* Discards are rare, or nothing would ever get far. */
    static void (*const steps[])(struct hri_ring *, struct model *) = {
        do_take, do_take, do_claim, do_claim, do_claim,   do_done,    do_done, do_done,  do_send, do_send,
        do_sent, do_sent, do_pop,   do_pop,   do_release, do_release, do_take, do_claim, do_done, do_discard};
    struct hri_ring ring;
    struct model m = {.depth = depth};
    uint32_t sum;

    hri_ring_init(&ring, depth);
    for (int step = 0; step < STEPS; step++) {
        steps[pick(sizeof steps / sizeof *steps)](&ring, &m);
        sum = 0;
        for (int s = 0; s < HRI_SLOT_STATES; s++)
            sum += ring.count[s];
        assert_int_equal(sum, depth);
        assert_int_equal(ring.count[HRI_SLOT_FREE], depth - busy(&m));
        assert_int_equal(ring.count[HRI_SLOT_LEASED], m.n_leased);
    }
}

static void follows_the_model(void **state)
{
    (void)state;
    walk(1);
    walk(2);
    walk(4);
    walk(HRI_RING_MOST);
}

/* A slot goes to the one that waited longest, so that its copy and its uses are the oldest too. */
static void first_freed_is_first_taken(void **state)
{
    struct hri_ring ring;

    (void)state;
    hri_ring_init(&ring, 3);
    for (uint32_t i = 0; i < 3; i++) {
        hri_ring_take(&ring, (uint32_t)hri_ring_free(&ring), 0);
        hri_ring_sent(&ring, (uint32_t)hri_ring_send(&ring));
    }
    uint32_t a = (uint32_t)hri_ring_pop(&ring), b = (uint32_t)hri_ring_pop(&ring);

    hri_ring_release(&ring, b);
    hri_ring_release(&ring, a);
    assert_int_equal(hri_ring_free(&ring), b);
}

/* A generation tells a slot's fills apart. */
static void generations_rise(void **state)
{
    struct hri_ring ring;
    struct hri_claim claim;
    uint64_t last = 0;

    (void)state;
    hri_ring_init(&ring, 1);
    for (int i = 0; i < 5; i++) {
        hri_ring_take(&ring, 0, 1);
        assert_true(hri_ring_claim(&ring, 1, &claim));
        assert_true(claim.generation > last);
        last = claim.generation;
        assert_true(hri_ring_done(&ring, &claim));
        hri_ring_discard(&ring);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_the_model),
        cmocka_unit_test(first_freed_is_first_taken),
        cmocka_unit_test(generations_rise),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
