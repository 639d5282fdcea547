/* Bundles: what is written is read again; every bit flip and every cut is refused with a reason; contents
 * that no sketcher makes are refused behind good checksums; and the bytes never change (tests/golden).
 *
 * STEMMA_REGENERATE=1 writes the golden files anew instead of comparing. */
#include "effort.h"
#include "sketch_support.h"

static struct buf bundle_of(const char *recipe_text, const size_t *counts, size_t sketches, uint64_t seed) {
    struct stemma_recipe *recipe = recipe_of(recipe_text);
    struct buf out = {0};
    assert_int_equal(codec_put_header(recipe, &out, NULL), STEMMA_OK);
    for (size_t i = 0; i < sketches; i++) {
        struct document doc =
            random_document(&seed, counts[i], 1000, recipe->view.width, recipe->view.window);
        struct stemma_sketch *sketch = sketch_document(recipe, &doc, NULL);
        char name[40];
        snprintf(name, sizeof name, "document %zu", i);
        sketch->name = strdup(name);
        sketch->bytes = 7 * doc.count;
        sketch->tokens = doc.token_count;
        memset(sketch->digest, 0xd0 + (int)i, DIGEST_SIZE);
        memset(sketch->text_digest, 0x70 + (int)i, DIGEST_SIZE);
        assert_int_equal(codec_put_sketch(sketch, &out, NULL), STEMMA_OK);
        sketch_free(sketch);
        document_free(&doc);
    }
    assert_int_equal(codec_put_end(sketches, &out, NULL), STEMMA_OK);
    recipe_release(recipe);
    return out;
}

static stemma_status read_records(const uint8_t *bytes, size_t size, size_t at,
                                  const struct stemma_recipe *recipe, struct buf *again, stemma_error *err) {
    if (again) TRY(codec_put_header(recipe, again, err));
    for (uint64_t count = 0;; count++) {
        struct stemma_sketch *sketch = NULL;
        TRY(codec_get_sketch(bytes, size, &at, recipe, count, &sketch, err));
        if (!sketch) return again ? codec_put_end(count, again, err) : STEMMA_OK;
        stemma_status status = again ? codec_put_sketch(sketch, again, err) : STEMMA_OK;
        sketch_free(sketch);
        TRY(status);
    }
}

/* Read all of a bundle, and write it again into *again when there is one. */
static stemma_status read_bundle(const uint8_t *bytes, size_t size, struct buf *again, stemma_error *err) {
    struct stemma_recipe *recipe = NULL;
    size_t at = 0;
    TRY(codec_get_header(bytes, size, &at, &recipe, err));
    stemma_status status = read_records(bytes, size, at, recipe, again, err);
    recipe_release(recipe);
    return status;
}

static const char *const recipes[] = {
    "; " EVERY_SCHEME,
    "; " EVERY_SCHEME_2,
    "preset=raw unit=byte width=40 seed=3; mod n=64; oph n=512 bits=2",
    "labelled=yes; min n=5; minhash n=3 bits=16",
};
enum { RECIPES = sizeof recipes / sizeof *recipes };
static const size_t sizes[] = {0, 1, 6, 40, 700};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void test_round_trip(void **state) {
    (void)state;
    for (int r = 0; r < RECIPES; r++) {
        struct buf bundle = bundle_of(recipes[r], sizes, SIZES, 9), again = {0};
        stemma_error err = {0};
        stemma_status status = read_bundle(bundle.data, bundle.len, &again, &err);
        if (status != STEMMA_OK) fail_msg("%s", err.message);
        assert_int_equal(again.len, bundle.len);
        assert_memory_equal(again.data, bundle.data, bundle.len);
        buf_release(&bundle);
        buf_release(&again);
    }
}

static void test_contents_survive(void **state) {
    (void)state;
    struct stemma_recipe *recipe = recipe_of("; " EVERY_SCHEME_2), *read;
    uint64_t rng = 4;
    struct document doc = random_document(&rng, 300, 1000, 64, 5);
    struct stemma_sketch *sketch = sketch_document(recipe, &doc, NULL), *found = NULL;
    struct buf bytes = {0};
    size_t at = 0;
    sketch->name = strdup("\xff name");
    sketch->bytes = 1;
    sketch->tokens = 2;
    assert_int_equal(codec_put_header(recipe, &bytes, NULL), STEMMA_OK);
    assert_int_equal(codec_put_sketch(sketch, &bytes, NULL), STEMMA_OK);
    assert_int_equal(codec_get_header(bytes.data, bytes.len, &at, &read, NULL), STEMMA_OK);
    assert_int_equal(codec_get_sketch(bytes.data, bytes.len, &at, read, 0, &found, NULL), STEMMA_OK);
    assert_int_equal(at, bytes.len);
    assert_string_equal(found->name, sketch->name);
    assert_string_equal(found->recipe->text, recipe->text);
    assert_true(found->bytes == 1 && found->tokens == 2 && found->shingles == 300);
    assert_ptr_equal(found->recipe, read);
    recipe_release(read); /* the sketch has its own reference */
    for (size_t i = 0; i < found->recipe->spec_count; i++) {
        const struct part *a = &sketch->parts[i], *b = &found->parts[i];
        assert_int_equal(a->bits.len, b->bits.len);
        assert_memory_equal(a->bits.data, b->bits.data, a->bits.len);
        assert_true(a->filled == b->filled && a->distinct == b->distinct && a->empty == b->empty);
        assert_true(b->bits.cap >= b->bits.len + KERNEL_SLACK);
    }
    buf_release(&bytes);
    sketch_free(sketch);
    sketch_free(found);
    document_free(&doc);
    recipe_release(recipe);
}

/* Of a key only its id is stored. */
static void test_keyed_bundle(void **state) {
    (void)state;
    struct stemma_recipe *plain = recipe_of("; mod n=2"), *keyed, *read;
    uint64_t rng = 4;
    size_t at = 0;
    struct document doc = random_document(&rng, 100, 1000, 64, 5);
    struct buf bytes = {0};
    assert_int_equal(recipe_with_key(plain, "sixteen bytes it", 16, &keyed, NULL), STEMMA_OK);
    struct stemma_sketch *sketch = sketch_document(keyed, &doc, NULL), *found = NULL;
    assert_int_equal(codec_put_header(keyed, &bytes, NULL), STEMMA_OK);
    assert_int_equal(codec_put_sketch(sketch, &bytes, NULL), STEMMA_OK);
    assert_int_equal(codec_get_header(bytes.data, bytes.len, &at, &read, NULL), STEMMA_OK);
    assert_int_equal(codec_get_sketch(bytes.data, bytes.len, &at, read, 0, &found, NULL), STEMMA_OK);
    assert_string_equal(read->text, keyed->text);
    assert_true(read->view.key_id == keyed->view.key_id && !read->view.has_secret && read->view.secret == 0);
    sketch_free(sketch);
    sketch_free(found);
    buf_release(&bytes);
    document_free(&doc);
    struct stemma_recipe *made[] = {plain, keyed, read};
    for (int i = 0; i < 3; i++) recipe_release(made[i]);
}

/* 512 fields of 2 bits are 128 bytes. */
static void test_packed_size(void **state) {
    (void)state;
    struct buf with = bundle_of("; mod n=64; oph n=512 bits=2", sizes, 1, 1);
    struct buf without = bundle_of("; mod n=64", sizes, 1, 1);
    size_t text = strlen("; oph n=512 bits=2"), counters = 4 + 8;
    assert_int_equal(with.len - without.len, text + counters + 128);
    buf_release(&with);
    buf_release(&without);
}

/* Reads from memory that ends where the bytes end, so that a sanitizer sees a step too far. */
static stemma_status read_copy(const uint8_t *bytes, size_t size, stemma_error *err) {
    uint8_t *copy = malloc(size + !size);
    memcpy(copy, bytes, size);
    stemma_status status = read_bundle(copy, size, NULL, err);
    free(copy);
    return status;
}

static void test_every_bit_flip(void **state) {
    (void)state;
    for (int r = 0; r < RECIPES; r++) {
        struct buf bundle = bundle_of(recipes[r], sizes + 1, 3, 9);
        for (size_t bit = 0; bit < bundle.len * 8; bit += effort_step()) {
            stemma_error err = {0};
            bundle.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
            stemma_status status = read_copy(bundle.data, bundle.len, &err);
            bundle.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
            stemma_status expected = bit / 8 < 8 ? STEMMA_NOT_A_SKETCH : STEMMA_CORRUPT;
            if (bit / 8 >= 8 && bit / 8 < 12 && bit != 64) expected = STEMMA_LATER_VERSION;
            assert_int_equal(status, expected);
            assert_int_equal(err.status, expected);
            assert_true(strlen(err.message) > 10);
        }
        buf_release(&bundle);
    }
}

static void test_every_truncation(void **state) {
    (void)state;
    for (int r = 0; r < RECIPES; r++) {
        struct buf bundle = bundle_of(recipes[r], sizes, 4, 9);
        for (size_t size = 0; size < bundle.len; size += effort_step()) {
            stemma_error err = {0};
            stemma_status status = read_copy(bundle.data, size, &err);
            assert_int_equal(status, size ? STEMMA_CORRUPT : STEMMA_NOT_A_SKETCH);
            if (size && !strstr(err.message, "ends in the middle of")) fail_msg("%s", err.message);
        }
        buf_release(&bundle);
    }
}

static void test_other_files(void **state) {
    (void)state;
    stemma_error err = {0};
    assert_int_equal(read_copy((const uint8_t *)"hello, world", 12, &err), STEMMA_NOT_A_SKETCH);
    assert_false(codec_is_bundle((const uint8_t *)"hello, world", 12));
    struct buf bundle = bundle_of("", sizes, 2, 1);
    assert_true(codec_is_bundle(bundle.data, bundle.len));
    assert_false(codec_is_bundle(bundle.data, 7));
    assert_true(buf_add_byte(&bundle, 0));
    assert_int_equal(read_copy(bundle.data, bundle.len, &err), STEMMA_CORRUPT);
    assert_non_null(strstr(err.message, "bytes follow"));
    bundle.data[8] = 2;
    assert_int_equal(read_copy(bundle.data, bundle.len, &err), STEMMA_LATER_VERSION);
    assert_non_null(strstr(err.message, "format version 2"));
    buf_release(&bundle);
}

static void test_wrong_count(void **state) {
    (void)state;
    struct stemma_recipe *recipe = recipe_of("");
    struct buf bytes = {0};
    stemma_error err = {0};
    assert_int_equal(codec_put_header(recipe, &bytes, NULL), STEMMA_OK);
    assert_int_equal(codec_put_end(3, &bytes, NULL), STEMMA_OK);
    assert_int_equal(read_copy(bytes.data, bytes.len, &err), STEMMA_CORRUPT);
    assert_non_null(strstr(err.message, "0 sketches are there, 3 were written"));
    buf_release(&bytes);
    recipe_release(recipe);
}

/* A good header, but for the text of the recipe. */
static struct buf header_with(const char *text) {
    struct stemma_recipe *recipe = recipe_of("");
    struct buf bytes = {0};
    assert_int_equal(codec_put_header(recipe, &bytes, NULL), STEMMA_OK);
    bytes.len = 8 + 4; /* magic and version */
    assert_true(buf_add_u32(&bytes, (uint32_t)strlen(text)) && buf_add_string(&bytes, text));
    assert_true(buf_add_u64(&bytes, checksum64(bytes.data, bytes.len)));
    recipe_release(recipe);
    return bytes;
}

static void test_recipe_must_be_canonical(void **state) {
    (void)state;
    static const char *const texts[][2] = {{"mod", "canonical"}, {"; mad", "unknown scheme"}};
    for (int i = 0; i < 2; i++) {
        struct buf bytes = header_with(texts[i][0]);
        stemma_error err = {0};
        assert_int_equal(read_copy(bytes.data, bytes.len, &err), STEMMA_CORRUPT);
        if (!strstr(err.message, texts[i][1])) fail_msg("%s", err.message);
        buf_release(&bytes);
    }
}

/* ---- contents that no sketcher makes, behind good checksums ---- */

struct forgery {
    const char *recipe, *why;
    size_t count; /* fingerprints of the document that is then spoilt */
    void (*spoil)(struct stemma_sketch *sketch);
};

static void spoil_order(struct stemma_sketch *s) {
    s->parts[0].values.data[0] = s->parts[0].values.data[1];
}
static void spoil_multiple(struct stemma_sketch *s) {
    s->parts[0].values.data[0] += 1;
}
static void spoil_width(struct stemma_sketch *s) {
    s->parts[0].values.data[s->parts[0].values.len - 1] |= UINT64_C(1) << 63;
}
static void spoil_smallest(struct stemma_sketch *s) {
    vec64_add(&s->parts[0].smallest, 1);
}
static void spoil_length(struct stemma_sketch *s) {
    s->parts[0].values.len--;
}
static void spoil_complete(struct stemma_sketch *s) {
    s->parts[0].complete = false;
}
static void spoil_level(struct stemma_sketch *s) {
    s->parts[0].level++;
}
static void spoil_filled(struct stemma_sketch *s) {
    s->parts[0].filled = 34;
}
static void spoil_distinct(struct stemma_sketch *s) {
    s->parts[0].distinct = s->shingles + 1;
}
static void spoil_padding(struct stemma_sketch *s) {
    s->parts[0].bits.data[4] |= 0x80;
}
static void spoil_shingles(struct stemma_sketch *s) {
    s->shingles = 0;
}
static void spoil_emptiness(struct stemma_sketch *s) {
    s->shingles = 1;
}
static void spoil_rest(struct stemma_sketch *s) {
    buf_add_byte(&s->parts[0].bits, 1);
}

static const struct forgery forgeries[] = {
    {"; mod n=4", "not ascending", 100, spoil_order},
    {"; bsw n=4", "not ascending", 100, spoil_order},
    {"; mod n=4", "not a multiple", 100, spoil_multiple},
    {"; minmod n=20 mod=4", "not a multiple", 200, spoil_multiple},
    {"; level", "not a multiple", 5000, spoil_multiple},
    {"width=60; mod n=1", "wider than a fingerprint", 100, spoil_width},
    {"; mod n=4", "more smallest", 100, spoil_smallest},
    {"; min n=9", "number of values", 100, spoil_length},
    {"; min n=200", "number of values", 100, spoil_complete},
    {"; level", "level is too high", 5000, spoil_level},
    {"; oph n=33 bits=1", "more bins are filled", 100, spoil_filled},
    {"; oph n=33 bits=1", "more distinct shingles", 100, spoil_distinct},
    {"; oph n=33 bits=1", "behind the last field", 100, spoil_padding},
    {"; minhash n=33 bits=1", "behind the last field", 100, spoil_padding},
    {"; mod n=4", "empty document has values", 100, spoil_shingles},
    {"; min n=4", "empty document", 100, spoil_shingles},
    {"; bsw n=4", "empty document has values", 100, spoil_shingles},
    {"; oph n=4 bits=64", "empty document has values", 100, spoil_shingles},
    {"; oph n=4 bits=2", "empty document has values", 100, spoil_shingles},
    {"; simhash", "empty document has bits", 100, spoil_shingles},
    {"; mod n=4", "has no values", 0, spoil_emptiness},
    {"; min n=4", "has no values", 0, spoil_emptiness},
    {"; oph n=4 bits=2", "has no values", 0, spoil_emptiness},
    {"; minhash n=4", "has no values", 0, spoil_emptiness},
    {"; simhash", "bytes are left over", 100, spoil_rest},
};

static void check_forgery(const struct forgery *forgery) {
    struct stemma_recipe *recipe = recipe_of(forgery->recipe);
    uint64_t rng = 31;
    struct document doc = random_document(&rng, forgery->count, 100000, recipe->view.width, 5);
    struct stemma_sketch *sketch = sketch_document(recipe, &doc, NULL), *found = NULL;
    struct buf bytes = {0};
    stemma_error err = {0};
    size_t at = 0;
    assert_int_equal(codec_put_sketch(sketch, &bytes, NULL), STEMMA_OK);
    assert_int_equal(codec_get_sketch(bytes.data, bytes.len, &at, recipe, 0, &found, &err), STEMMA_OK);
    sketch_free(found);
    found = NULL;
    forgery->spoil(sketch);
    bytes.len = at = 0;
    assert_int_equal(codec_put_sketch(sketch, &bytes, NULL), STEMMA_OK);
    stemma_status status = codec_get_sketch(bytes.data, bytes.len, &at, recipe, 0, &found, &err);
    if (status != STEMMA_CORRUPT || !strstr(err.message, forgery->why))
        fail_msg("%s, '%s': %d '%s'", forgery->recipe, forgery->why, (int)status, err.message);
    assert_int_equal(at, 0);
    assert_null(found);
    buf_release(&bytes);
    sketch_free(sketch);
    document_free(&doc);
    recipe_release(recipe);
}

static void test_forgeries(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++) check_forgery(&forgeries[i]);
}

/* ---- golden vectors ---- */

static const struct {
    const char *file, *recipe;
} golden[] = {
    {"sample", "; mod n=7; min n=6; minmod n=4 mod=3; level"},
    {"minima",
     "seed=5; minhash n=5 bits=64; oph n=12 bits=64; minhash n=40 bits=4; oph n=100 bits=2; oph n=30 bits=1"},
    {"chunks", "preset=raw unit=byte; bsw n=30; bsw-chunk n=30"},
    {"votes",
     "width=32 seed=18446744073709551615; simhash bits=64; simhash bits=128; oph n=9 bits=16; minhash n=9 bits=8"},
};

static struct buf to_hex(const struct buf *bytes) {
    struct buf text = {0};
    for (size_t i = 0; i < bytes->len; i++)
        assert_true(
            buf_add_format(&text, "%02x%s", bytes->data[i], i % 32 == 31 || i + 1 == bytes->len ? "\n" : ""));
    return text;
}

static FILE *open_golden(const char *name, const char *mode) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.hex", GOLDEN_DIR, name);
    FILE *file = fopen(path, mode);
    if (!file) fail_msg("cannot open %s", path);
    return file;
}

static void test_golden(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 5, 400};
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        struct buf bundle = bundle_of(golden[i].recipe, counts, 4, 2024), hex = to_hex(&bundle);
        if (getenv("STEMMA_REGENERATE")) {
            FILE *file = open_golden(golden[i].file, "wb");
            assert_int_equal(fwrite(hex.data, 1, hex.len, file), hex.len);
            assert_int_equal(fclose(file), 0);
        }
        FILE *file = open_golden(golden[i].file, "rb");
        char *stored = malloc(hex.len + 1);
        assert_int_equal(fread(stored, 1, hex.len + 1, file), hex.len);
        assert_memory_equal(stored, hex.data, hex.len);
        fclose(file);
        free(stored);
        buf_release(&hex);
        buf_release(&bundle);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_contents_survive),
        cmocka_unit_test(test_keyed_bundle),
        cmocka_unit_test(test_packed_size),
        cmocka_unit_test(test_every_bit_flip),
        cmocka_unit_test(test_every_truncation),
        cmocka_unit_test(test_other_files),
        cmocka_unit_test(test_wrong_count),
        cmocka_unit_test(test_recipe_must_be_canonical),
        cmocka_unit_test(test_forgeries),
        cmocka_unit_test(test_golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
