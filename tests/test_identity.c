/* The identity of bytes against its definition, which is written here as it stands in the header. */
#include "base/buf.h"
#include "base/rng.h"
#include "effort.h"
#include "scan/identity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define MOST 5000 /* bytes in the longest test */

/* ---- GF(2^128), bit by bit ---- */

struct element {
    bool bits[128]; /* coefficients of x^0, x^1, ... */
};

static struct element element_of(const uint8_t bytes[16]) {
    struct element e;
    for (int i = 0; i < 128; i++) e.bits[i] = bytes[i / 8] >> i % 8 & 1;
    return e;
}

static struct element sum_of(struct element a, struct element b) {
    for (int i = 0; i < 128; i++) a.bits[i] ^= b.bits[i];
    return a;
}

/* The product of polynomials, then division by x^128 + x^7 + x^2 + x + 1. */
static struct element product_of(struct element a, struct element b) {
    bool product[256] = {false};
    for (int i = 0; i < 128; i++)
        for (int j = 0; j < 128; j++) product[i + j] ^= a.bits[i] && b.bits[j];
    for (int i = 255; i >= 128; i--) {
        if (!product[i]) continue;
        product[i - 128] ^= true;
        product[i - 127] ^= true;
        product[i - 126] ^= true;
        product[i - 121] ^= true;
    }
    struct element e;
    memcpy(e.bits, product, sizeof e.bits);
    return e;
}

static struct identity identity_from(struct element e) {
    struct identity identity = {0};
    for (int i = 0; i < 64; i++) {
        identity.low |= (uint64_t)e.bits[i] << i;
        identity.high |= (uint64_t)e.bits[64 + i] << i;
    }
    return identity;
}

/* From the last coefficient to the first, each times its own power of the point. */
static struct identity definition(const uint8_t point[16], const uint8_t *data, size_t size) {
    uint8_t block[16] = {0};
    store_u64(block, size);
    struct element r = element_of(point), power = r, sum = product_of(element_of(block), power);
    for (size_t i = (size + 15) / 16; i-- > 0;) {
        size_t left = size - 16 * i;
        memset(block, 0, sizeof block);
        memcpy(block, data + 16 * i, left < 16 ? left : 16);
        power = product_of(power, r);
        sum = sum_of(sum, product_of(element_of(block), power));
    }
    return identity_from(sum);
}

static void fill(uint8_t *bytes, size_t size, uint64_t *random) {
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)rng_next(random);
}

static void assert_same(struct identity a, struct identity b) {
    assert_int_equal(a.low, b.low);
    assert_int_equal(a.high, b.high);
}

/* ---- tests ---- */

static void test_definition(void **state) {
    (void)state;
    uint8_t point[16], text[MOST];
    uint64_t random = 1;
    for (size_t size = 0; size <= MOST; size += size < 300 ? 1 : 1 + rng_below(&random, 900)) {
        struct identity_key key;
        fill(point, sizeof point, &random);
        fill(text, size, &random);
        identity_key_set(&key, point);
        assert_same(identity_of(&key, text, size), definition(point, text, size));
    }
}

/* GHASH takes the bits of a byte in the other order. This is test case 2 of the specification of GCM (McGrew
 * and Viega): a block of ciphertext, and its length. */
static void test_ghash(void **state) {
    (void)state;
    uint8_t point[] = {0x66, 0xe9, 0x4b, 0xd4, 0xef, 0x8a, 0x2c, 0x3b,
                       0x88, 0x4c, 0xfa, 0x59, 0xca, 0x34, 0x2b, 0x2e};
    uint8_t blocks[32] = {0x03, 0x88, 0xda, 0xce, 0x60, 0xb6, 0xa3, 0x92,       0xf3,
                          0x28, 0xc2, 0xb9, 0x71, 0xb2, 0xfe, 0x78, [31] = 0x80};
    uint8_t hash[] = {0xf3, 0x8c, 0xbb, 0x1a, 0xd6, 0x92, 0x23, 0xdc,
                      0xc3, 0x45, 0x7a, 0xe5, 0xb6, 0xb0, 0xf8, 0x85};
    uint8_t *const all[] = {point, blocks, blocks + 16, hash};
    for (size_t i = 0; i < 4 * 16; i++) {
        uint8_t *byte = &all[i / 16][i % 16], turned = 0;
        for (int bit = 0; bit < 8; bit++) turned |= (uint8_t)((*byte >> bit & 1) << (7 - bit));
        *byte = turned;
    }
    struct identity_key key;
    uint64_t sum[2] = {0};
    identity_key_set(&key, point);
    kernels_get()->horner(&key.point, blocks, 2, sum);
    assert_int_equal(sum[0], load_u64(hash));
    assert_int_equal(sum[1], load_u64(hash + 8));
}

/* Identities of strings of one length add up as the strings do, but for the length. */
static void test_linear(void **state) {
    (void)state;
    uint8_t a[1000], b[1000], both[1000];
    uint64_t random = 2;
    struct identity_key key;
    identity_key_draw(&key);
    for (size_t round = 0; round < effort(200); round++) {
        size_t size = rng_below(&random, sizeof a + 1);
        fill(a, size, &random);
        fill(b, size, &random);
        for (size_t i = 0; i < size; i++) both[i] = a[i] ^ b[i];
        const uint8_t zeros[sizeof a] = {0};
        struct identity ia = identity_of(&key, a, size), ib = identity_of(&key, b, size),
                        none = identity_of(&key, zeros, size);
        assert_same(identity_of(&key, both, size),
                    (struct identity){ia.low ^ ib.low ^ none.low, ia.high ^ ib.high ^ none.high});
    }
}

static struct identity of_pieces(const struct identity_key *key, const uint8_t *data, const size_t *sizes,
                                 size_t count) {
    struct identity_state pieces;
    identity_begin(&pieces, key);
    for (size_t i = 0; i < count; data += sizes[i++]) identity_add(&pieces, data, sizes[i]);
    return identity_end(&pieces);
}

static void test_every_cut(void **state) {
    (void)state;
    uint8_t text[100];
    uint64_t random = 3;
    struct identity_key key;
    identity_key_draw(&key);
    fill(text, sizeof text, &random);
    for (size_t size = 0; size <= sizeof text; size++) {
        struct identity whole = identity_of(&key, text, size);
        for (size_t first = 0; first <= size; first++)
            for (size_t second = 0; first + second <= size; second += 1 + size / 50)
                assert_same(of_pieces(&key, text, (size_t[]){first, second, size - first - second}, 3),
                            whole);
    }
}

static void test_many_pieces(void **state) {
    (void)state;
    uint8_t text[MOST];
    uint64_t random = 4;
    struct identity_key key;
    identity_key_draw(&key);
    for (size_t round = 0; round < effort(300); round++) {
        size_t sizes[50], size = 0, count = 1 + rng_below(&random, 50),
                          most = 1 + rng_below(&random, MOST / 50);
        for (size_t i = 0; i < count; i++) size += sizes[i] = rng_below(&random, most + 1);
        fill(text, size, &random);
        assert_same(of_pieces(&key, text, sizes, count), identity_of(&key, text, size));
    }
}

static int compare_identities(const void *a, const void *b) {
    return memcmp(a, b, sizeof(struct identity));
}

/* Zeros of every length, and with each bit set in turn: what padding and products with zero might confuse. */
static void test_near_strings_differ(void **state) {
    (void)state;
    enum { LONGEST = 70 };
    static struct identity seen[LONGEST * (LONGEST + 1) * 4 + LONGEST + 1];
    size_t count = 0;
    struct identity_key key;
    identity_key_draw(&key);
    for (size_t size = 0; size <= LONGEST; size++) {
        uint8_t text[LONGEST] = {0};
        seen[count++] = identity_of(&key, text, size);
        for (size_t bit = 0; bit < 8 * size; bit++) {
            text[bit / 8] = (uint8_t)(1 << bit % 8);
            seen[count++] = identity_of(&key, text, size);
            text[bit / 8] = 0;
        }
    }
    qsort(seen, count, sizeof *seen, compare_identities);
    for (size_t i = 1; i < count; i++) assert_false(identity_equal(seen[i], seen[i - 1]));
}

static void test_keys_differ(void **state) {
    (void)state;
    struct identity_key a, b;
    identity_key_draw(&a);
    identity_key_draw(&b);
    assert_false(identity_equal(identity_of(&a, "text", 4), identity_of(&b, "text", 4)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definition),  cmocka_unit_test(test_ghash),
        cmocka_unit_test(test_linear),      cmocka_unit_test(test_every_cut),
        cmocka_unit_test(test_many_pieces), cmocka_unit_test(test_near_strings_differ),
        cmocka_unit_test(test_keys_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
