/* Boxes of bytes against a map of every byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

#include "layers/strict.h"

enum { ROOM = 400, ROUNDS = 200000 };

static uint64_t state = 88172645463325252u;

static uint64_t below(uint64_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % n;
}

/* Rows do not reach into the next, nor slices. */
static struct strict_box any_box(void)
{
    struct strict_box box = {
        .offset = below(100), .width = 1 + below(12), .rows = 1 + below(4), .slices = 1 + below(3)};

    box.row_pitch = box.width + below(8);
    box.slice_pitch = box.row_pitch * box.rows + below(10);
    return box;
}

static void paint(const struct strict_box *box, unsigned char *map)
{
    memset(map, 0, ROOM);
    for (uint64_t k = 0; k < box->slices; k++)
        for (uint64_t j = 0; j < box->rows; j++)
            memset(map + box->offset + k * box->slice_pitch + j * box->row_pitch, 1, box->width);
}

static void boxes_meet_where_they_share_a_byte(void **unused)
{
    unsigned char a_map[ROOM], b_map[ROOM];
    unsigned meet = 0;

    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        struct strict_box a = any_box(), b = any_box();
        bool shared = false;

        paint(&a, a_map);
        paint(&b, b_map);
        for (int i = 0; i < ROOM; i++)
            shared = shared || (a_map[i] && b_map[i]);
        assert_int_equal(hrb_strict_meet(&a, &b), shared);
        assert_int_equal(hrb_strict_meet(&b, &a), shared);
        meet += shared;
    }
    assert_true(meet > ROUNDS / 10 && meet < ROUNDS * 9 / 10); /* both were seen */
}

static void a_line_covers_what_lies_in_it(void **unused)
{
    unsigned char a_map[ROOM], b_map[ROOM];

    (void)unused;
    for (int round = 0; round < ROUNDS; round++) {
        struct strict_box a = below(4) ? hrb_strict_line(below(60), 1 + below(150)) : any_box(), b = any_box();
        bool all = hrb_strict_is_line(&a);

        paint(&a, a_map);
        paint(&b, b_map);
        for (int i = 0; i < ROOM; i++)
            all = all && (a_map[i] || !b_map[i]);
        assert_int_equal(hrb_strict_covers(&a, &b), all);
        for (uint64_t i = hrb_strict_end(&b); i < ROOM; i++)
            assert_int_equal(b_map[i], 0);
        assert_int_equal(b_map[hrb_strict_end(&b) - 1], 1);
    }
}

/* Any byte of the box changes the hash, none beside it does; poison likewise. */
static void bytes_of_a_box(void **unused)
{
    unsigned char memory[ROOM], map[ROOM];

    (void)unused;
    for (int round = 0; round < 300; round++) {
        struct strict_box box = any_box(), there;
        uint64_t hash;

        for (int i = 0; i < ROOM; i++)
            memory[i] = (unsigned char)below(256);
        paint(&box, map);
        there = box;
        there.offset += (uintptr_t)memory;
        hash = hrb_strict_hash(&there);
        for (int i = 0; i < ROOM; i++) {
            unsigned char change = (unsigned char)(1 + below(255));

            memory[i] ^= change;
            assert_int_equal(hrb_strict_hash(&there) != hash, map[i]);
            memory[i] ^= change;
        }
        hrb_strict_spoil(&there);
        assert_true(hrb_strict_spoilt(&there));
        for (int i = 0; i < ROOM; i++) {
            unsigned char change = (unsigned char)(1 + below(255));

            if (map[i])
                assert_int_equal(memory[i], STRICT_POISON);
            memory[i] ^= change;
            assert_int_equal(hrb_strict_spoilt(&there), !map[i]);
            memory[i] ^= change;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_meet_where_they_share_a_byte),
        cmocka_unit_test(a_line_covers_what_lies_in_it),
        cmocka_unit_test(bytes_of_a_box),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
