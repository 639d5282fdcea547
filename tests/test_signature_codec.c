/* Signatures as bytes: what is written is read again, and what no signer makes is refused behind good
 * checksums. */
#include "sketch_support.h"

static struct stemma_sketch *sketch_of(const char *recipe_text, size_t size) {
    struct stemma_recipe *recipe = recipe_of(recipe_text);
    struct stemma_sketch *sketch;
    uint64_t rng = 17;
    char *text = malloc(size + 1);
    for (size_t i = 0; i < size; i++) text[i] = "abcdefgh ijklm nop"[rng_below(&rng, 18)];
    assert_int_equal(stemma_sketch_bytes(text, size, "name", recipe, NULL, &sketch, NULL), STEMMA_OK);
    free(text);
    recipe_release(recipe);
    return sketch;
}

static stemma_status read_again(const struct stemma_sketch *sketch, struct stemma_sketch **out, size_t *size,
                                stemma_error *err) {
    struct buf bytes = {0};
    size_t at = 0;
    assert_int_equal(codec_put_sketch(sketch, &bytes, NULL), STEMMA_OK);
    uint8_t *copy = malloc(bytes.len); /* ends where the bytes end, so that a sanitizer sees a step too far */
    memcpy(copy, bytes.data, bytes.len);
    stemma_status status = codec_get_sketch(copy, bytes.len, &at, sketch->recipe, 0, out, err);
    assert_int_equal(at, status == STEMMA_OK ? bytes.len : 0);
    *size = bytes.len;
    free(copy);
    buf_release(&bytes);
    return status;
}

static void test_round_trip(void **state) {
    static const uint32_t alphabets[] = {2, 3, 4, 5, 100, 128, 129, 1000, 4096, 65535, 65536};
    static const size_t sizes[] = {0, 1, 7, 8, 9, 40, 3000, 40000};
    (void)state;
    for (size_t a = 0; a < sizeof alphabets / sizeof *alphabets; a++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int positions = 0; positions < 2; positions++) {
                char text[100];
                size_t bytes;
                snprintf(text, sizeof text, "; signature c=3 alphabet=%u positions=%s; signature2011 c=3",
                         alphabets[a], positions ? "yes" : "no");
                struct stemma_sketch *sketch = sketch_of(text, sizes[s]), *found = NULL;
                assert_int_equal(read_again(sketch, &found, &bytes, NULL), STEMMA_OK);
                for (size_t i = 0; i < 2; i++) {
                    const struct signature_data *x = &sketch->parts[i].signature,
                                                *y = &found->parts[i].signature;
                    assert_true(x->length == y->length && x->agree == y->agree);
                    assert_int_equal(x->symbols.len, y->symbols.len);
                    assert_int_equal(x->positions.len, y->positions.len);
                    if (x->symbols.len)
                        assert_memory_equal(x->symbols.data, y->symbols.data, 2 * x->symbols.len);
                    if (x->positions.len)
                        assert_memory_equal(x->positions.data, y->positions.data, 8 * x->positions.len);
                }
                sketch_free(sketch);
                sketch_free(found);
            }
}

/* 16 bits a symbol, and a byte or two for its position. */
static void test_size(void **state) {
    (void)state;
    struct stemma_sketch *plain = sketch_of("; signature", 64000),
                         *placed = sketch_of("; signature positions=yes", 64000);
    struct stemma_sketch *read = NULL;
    size_t bytes[2], count = plain->parts[0].signature.symbols.len;
    assert_int_equal(read_again(plain, &read, &bytes[0], NULL), STEMMA_OK);
    sketch_free(read);
    assert_int_equal(read_again(placed, &read, &bytes[1], NULL), STEMMA_OK);
    sketch_free(read);
    assert_int_equal(bytes[0], 4 + (4 + 4) + 3 * 8 + 2 * 32 + (8 + 2 + 8 + 2 * count) + 8);
    assert_in_range(bytes[1] - bytes[0], count, 2 * count);
    sketch_free(plain);
    sketch_free(placed);
}

/* ---- forgeries ---- */

static void spoil_symbol(struct signature_data *s) {
    s->symbols.data[3] = 100;
}
static void spoil_last(struct signature_data *s) {
    s->positions.data[s->positions.len - 1] = 1000;
}
static void spoil_order(struct signature_data *s) {
    s->positions.data[0] = s->positions.data[1] + 1;
}
static void spoil_length(struct signature_data *s) {
    s->length = s->symbols.len + 6;
}
static void spoil_agree(struct signature_data *s) {
    s->agree = 0;
}
static void spoil_emptiness(struct signature_data *s) {
    s->length = 0;
}
static void spoil_positions(struct signature_data *s) {
    s->positions.len--;
}
static void spoil_rest(struct signature_data *s) {
    s->symbols.len--;
}
static void spoil_nothing(struct signature_data *s) {
    s->length = s->agree = 1;
}

static const struct {
    const char *recipe, *why;
    size_t size;
    void (*spoil)(struct signature_data *signature);
} forgeries[] = {
    {"; signature c=2 alphabet=100", "not of the alphabet", 1000, spoil_symbol},
    {"; signature c=2 positions=yes", "behind the document", 1000, spoil_last},
    {"; signature c=2 positions=yes", "behind the document", 1000, spoil_order},
    {"; signature c=2", "more symbols than windows", 1000, spoil_length},
    {"; signature c=2", "length and agreement", 1000, spoil_agree},
    {"; signature c=2", "length and agreement", 1000, spoil_emptiness},
    {"; signature c=2 positions=yes", "ends in the middle of signature", 1000, spoil_positions},
    {"; signature c=2 positions=yes", "bytes are left over", 1000, spoil_rest},
    {"; signature2011 c=2", "length and agreement", 1000, spoil_agree},
    {"; signature", "an empty document has text", 0, spoil_nothing},
};

static void test_forgeries(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++) {
        struct stemma_sketch *sketch = sketch_of(forgeries[i].recipe, forgeries[i].size), *found = NULL;
        stemma_error err = {0};
        size_t size;
        forgeries[i].spoil(&sketch->parts[0].signature);
        stemma_status status = read_again(sketch, &found, &size, &err);
        if (status != STEMMA_CORRUPT || !strstr(err.message, forgeries[i].why))
            fail_msg("%s, '%s': %d '%s'", forgeries[i].recipe, forgeries[i].why, (int)status, err.message);
        assert_null(found);
        sketch_free(sketch);
    }
}

/* A record of hand-made bytes behind the sizes and digests. */
static void check_bytes(const char *recipe_text, const char *part, size_t part_size, const char *why) {
    struct stemma_recipe *recipe = recipe_of(recipe_text);
    struct stemma_sketch *found = NULL;
    struct buf record = {0};
    stemma_error err = {0};
    uint8_t digests[2 * DIGEST_SIZE] = {0};
    size_t at = 0;
    assert_true(buf_add_u32(&record, (uint32_t)(4 + 24 + sizeof digests + part_size)) &&
                buf_add_u32(&record, 0));
    for (int i = 0; i < 3; i++) assert_true(buf_add_u64(&record, 1000));
    assert_true(buf_add(&record, digests, sizeof digests) && buf_add(&record, part, part_size) &&
                buf_add_u64(&record, checksum64(record.data, record.len)));
    stemma_status status = codec_get_sketch(record.data, record.len, &at, recipe, 0, &found, &err);
    if (why && (status != STEMMA_CORRUPT || !strstr(err.message, why)))
        fail_msg("'%s': '%s'", why, err.message);
    if (!why) assert_int_equal(status, STEMMA_OK);
    sketch_free(found);
    buf_release(&record);
    recipe_release(recipe);
}

#define HEAD                                                                                                 \
    "\xe8\x03\0\0\0\0\0\0"                                                                                   \
    "\x10\0" /* length 1000, agree 16 */
#define COUNT(n) n "\0\0\0\0\0\0\0"

static void test_hand_made(void **state) {
    (void)state;
#define CHECK(recipe, bytes, why) check_bytes(recipe, bytes, sizeof bytes - 1, why)
    static const char one[] = "; signature alphabet=2 positions=yes";
    CHECK(one,
          HEAD COUNT("\1") "\1"
                           "\5",
          NULL);
    CHECK(one,
          HEAD COUNT("\1") "\3"
                           "\5",
          "behind the last field");
    CHECK(one,
          HEAD COUNT("\1") "\1"
                           "\x85\0",
          "bytes it does not need");
    CHECK(one,
          HEAD COUNT("\1") "\1"
                           "\xe8\7",
          "behind the document");
    CHECK(one,
          HEAD COUNT("\1") "\1"
                           "\xff\xff\xff\xff\xff\xff\xff\xff\xff\2",
          "out of range");
    CHECK(one,
          HEAD COUNT("\1") "\1"
                           "\x85",
          "ends in the middle");
    CHECK(one, HEAD "\xff\xff\xff\xff\xff\xff\xff\xff", "more symbols than windows");
    CHECK(one,
          "\xff\xff\xff\xff\xff\xff\xff\xff"
          "\x10\0"
          "\xf0\xff\xff\xff\xff\xff\xff\xff",
          "ends in the middle");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_size),
        cmocka_unit_test(test_forgeries),
        cmocka_unit_test(test_hand_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
