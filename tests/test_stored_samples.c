/* Samples as a collection keeps them: against a twin that writes bit by bit, and bytes that are none. */
#include "base/rng.h"
#include "base/sort.h"
#include "index/stored_samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- the twin: docs/format.md, as it reads ---- */

static void add_bit(struct buf *out, size_t *at, unsigned bit) {
    if (*at % 8 == 0) assert_true(buf_add_byte(out, 0));
    out->data[out->len - 1] |= (uint8_t)(bit << (*at)++ % 8);
}

static unsigned twin_lower(size_t count, unsigned bits) {
    unsigned lower = bits;
    for (size_t room = 1; room < count && lower; room *= 2) lower--;
    return lower;
}

static void twin_pack(const struct vec64 *samples, unsigned bits, struct buf *out) {
    const unsigned lower = twin_lower(samples->len, bits);
    size_t left = samples->len, at = 0;
    if (left == 0) return;
    for (; left >= 128; left /= 128) assert_true(buf_add_byte(out, (uint8_t)(128 + left % 128)));
    assert_true(buf_add_byte(out, (uint8_t)left));
    for (int rests = 0; rests < 2; rests++) {
        uint64_t next = 0; /* the least that can come */
        for (size_t i = 0; i < samples->len; i++) {
            const uint64_t key = samples->data[i] >> (KEY_SAMPLE_BITS - bits), gap = key - next;
            next = key + 1;
            for (unsigned bit = 0; bit < lower && !rests; bit++) add_bit(out, &at, gap >> bit & 1);
            for (uint64_t zeros = gap >> lower; zeros && rests; zeros--) add_bit(out, &at, 0);
            if (rests) add_bit(out, &at, 1);
        }
    }
}

/* ---- what goes in comes out ---- */

static void random_samples(uint64_t *rng, size_t count, unsigned bits, struct vec64 *out) {
    out->len = 0;
    for (size_t i = 0; i < count; i++)
        assert_true(vec64_add(out, rng_next(rng) >> (64 - KEY_SAMPLE_BITS) >> rng_below(rng, 2) * 7));
    assert_true(sort_u64(out->data, out->len));
    out->len = unique_u64(out->data, out->len);
    samples_cut(out, bits);
}

static void check_packed(const struct vec64 *samples, unsigned bits) {
    struct buf packed = {0}, twin = {0};
    struct vec64 back = {0};
    assert_true(vec64_add(&back, 7)); /* they are appended */
    assert_true(buf_add_byte(&packed, 9));
    assert_int_equal(samples_pack(samples, bits, &packed, NULL), STEMMA_OK);
    twin_pack(samples, bits, &twin);
    assert_int_equal(packed.len, 1 + twin.len);
    if (twin.len) assert_memory_equal(packed.data + 1, twin.data, twin.len);
    uint8_t *exact = malloc(twin.len + 1); /* so that reading behind the end is noticed */
    if (twin.len) memcpy(exact, twin.data, twin.len);
    assert_int_equal(samples_unpack(exact, twin.len, bits, &back, NULL), STEMMA_OK);
    assert_int_equal(back.len, 1 + samples->len);
    assert_int_equal(back.data[0], 7);
    if (samples->len) assert_memory_equal(back.data + 1, samples->data, samples->len * sizeof *back.data);
    free(exact);
    buf_release(&packed);
    buf_release(&twin);
    vec64_release(&back);
}

static void test_random(void **state) {
    struct vec64 samples = {0};
    uint64_t rng = 5;
    (void)state;
    for (unsigned bits = 1; bits < KEY_SAMPLE_BITS; bits++)
        for (size_t count = 0; count < 700; count = count * 3 / 2 + 1) {
            random_samples(&rng, count, bits, &samples);
            check_packed(&samples, bits);
        }
    for (unsigned bits = 1; bits <= 12; bits++) { /* all there are; the least and the largest alone */
        samples.len = 0;
        for (uint64_t key = 0; key < (uint64_t)1 << bits; key++)
            assert_true(vec64_add(&samples, key << (KEY_SAMPLE_BITS - bits)));
        check_packed(&samples, bits);
        samples.data[0] = samples.data[samples.len - 1];
        samples.len = 1;
        check_packed(&samples, bits);
        samples.data[0] = 0;
        check_packed(&samples, bits);
    }
    vec64_release(&samples);
}

static void test_bytes_a_sample(void **state) {
    struct vec64 samples = {0};
    struct buf packed = {0};
    uint64_t rng = 6;
    (void)state;
    for (size_t i = 0; i < 80; i++)
        assert_true(vec64_add(&samples, rng_next(&rng) >> (64 - KEY_SAMPLE_BITS)));
    assert_true(sort_u64(samples.data, samples.len));
    samples_cut(&samples, STORED_SAMPLE_BITS);
    assert_int_equal(samples_pack(&samples, STORED_SAMPLE_BITS, &packed, NULL), STEMMA_OK);
    assert_in_range(packed.len, 80 * 25 / 8, 80 * 26 / 8);
    vec64_release(&samples);
    buf_release(&packed);
}

/* ---- whole ones, as older collections have them ---- */

static void test_whole(void **state) {
    struct vec64 samples = {0}, back = {0};
    struct buf packed = {0};
    uint64_t rng = 7;
    (void)state;
    for (size_t i = 0; i < 100; i++)
        assert_true(vec64_add(&samples, rng_next(&rng) >> (64 - KEY_SAMPLE_BITS)));
    assert_int_equal(samples_pack(&samples, KEY_SAMPLE_BITS, &packed, NULL), STEMMA_OK);
    assert_int_equal(packed.len, 500);
    assert_int_equal(samples_unpack(packed.data, packed.len, KEY_SAMPLE_BITS, &back, NULL), STEMMA_OK);
    assert_int_equal(back.len, samples.len);
    assert_memory_equal(back.data, samples.data, 100 * sizeof *back.data);
    assert_int_equal(samples_unpack(packed.data, 7, KEY_SAMPLE_BITS, &back, NULL), STEMMA_CORRUPT);
    vec64_release(&samples);
    vec64_release(&back);
    buf_release(&packed);
}

static void test_cut(void **state) {
    struct vec64 samples = {0};
    const uint64_t given[] = {0x123, 0x3ff, 0x400, 0x7ff, 0xffffffffff};
    (void)state;
    assert_true(vec64_add_all(&samples, given, 5));
    samples_cut(&samples, KEY_SAMPLE_BITS);
    assert_int_equal(samples.len, 5);
    for (int again = 0; again < 2; again++) {
        samples_cut(&samples, 30);
        assert_int_equal(samples.len, 3);
        assert_int_equal(samples.data[0], 0);
        assert_int_equal(samples.data[1], 0x400);
        assert_int_equal(samples.data[2], 0xfffffffc00);
    }
    assert_int_equal(sample_key(samples.data[1], 30), 1);
    vec64_release(&samples);
}

/* ---- bytes that are none ---- */

/* Nothing has two forms: what is read at all is written as the same bytes. */
static bool reads_as_itself(const uint8_t *bytes, size_t size, unsigned bits) {
    struct vec64 samples = {0};
    struct buf packed = {0};
    const stemma_status status = samples_unpack(bytes, size, bits, &samples, NULL);
    if (status == STEMMA_OK) {
        assert_int_equal(samples_pack(&samples, bits, &packed, NULL), STEMMA_OK);
        assert_int_equal(packed.len, size);
        if (size) assert_memory_equal(packed.data, bytes, size);
    } else {
        assert_int_equal(status, STEMMA_CORRUPT);
        assert_int_equal(samples.len, 0);
    }
    vec64_release(&samples);
    buf_release(&packed);
    return status == STEMMA_OK;
}

static void test_damage(void **state) {
    struct vec64 samples = {0};
    uint64_t rng = 8;
    (void)state;
    for (size_t count = 1; count < 200; count += 33) {
        struct buf packed = {0};
        random_samples(&rng, count, 30, &samples);
        assert_int_equal(samples_pack(&samples, 30, &packed, NULL), STEMMA_OK);
        for (size_t size = 1; size < packed.len; size++) assert_false(reads_as_itself(packed.data, size, 30));
        for (size_t bit = 0; bit < 8 * packed.len; bit++) {
            packed.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
            reads_as_itself(packed.data, packed.len, 30);
            packed.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        assert_true(buf_add_byte(&packed, 0));
        assert_false(reads_as_itself(packed.data, packed.len, 30));
        buf_release(&packed);
    }
    vec64_release(&samples);
}

static void test_made_up(void **state) {
    static const uint8_t none[] = {0}, longer[] = {0x81, 0, 0xff, 0xff, 0xff, 0xff},
                         many[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1},
                         endless[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1};
    uint64_t rng = 9;
    (void)state;
    assert_false(reads_as_itself(none, sizeof none, 30));
    assert_false(reads_as_itself(longer, sizeof longer, 30));
    assert_false(reads_as_itself(many, sizeof many, 30));
    assert_false(reads_as_itself(many, sizeof many, 1));
    assert_false(reads_as_itself(endless, sizeof endless, 30));
    for (int i = 0; i < 20000; i++) {
        uint8_t bytes[40];
        size_t size = 1 + rng_below(&rng, sizeof bytes);
        for (size_t k = 0; k < size; k++) bytes[k] = (uint8_t)rng_next(&rng);
        bytes[0] = (uint8_t)rng_below(&rng, 20);
        reads_as_itself(bytes, size, 1 + (unsigned)rng_below(&rng, KEY_SAMPLE_BITS - 1));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random), cmocka_unit_test(test_bytes_a_sample), cmocka_unit_test(test_whole),
        cmocka_unit_test(test_cut),    cmocka_unit_test(test_damage),         cmocka_unit_test(test_made_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
