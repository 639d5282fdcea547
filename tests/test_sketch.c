/* Every scheme against an obvious twin that sees the whole document at once, with random cuts, for every
 * table of kernels this machine can run; what densification must keep; unions. */
#include "effort.h"
#include "sketch/maker.h"

#include "base/rng.h"

#include <inttypes.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sketch_support.h"

/* ---- twins ---- */

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

struct set {
    uint64_t *values;
    size_t count;
};

/* The distinct multiples of n among the values, ascending. */
static struct set set_of(const uint64_t *values, size_t count, uint64_t n) {
    struct set set = {malloc((count + 1) * 8), 0};
    for (size_t i = 0; i < count; i++)
        if (values[i] % n == 0) set.values[set.count++] = values[i];
    qsort(set.values, set.count, 8, by_value);
    size_t kept = 0;
    for (size_t i = 0; i < set.count; i++)
        if (i == 0 || set.values[i] != set.values[i - 1]) set.values[kept++] = set.values[i];
    set.count = kept;
    return set;
}

static void expect_values(const struct vec64 *found, const uint64_t *values, size_t count) {
    assert_int_equal(found->len, count);
    if (count) assert_memory_equal(found->data, values, count * 8);
}

static void check_multiples(const struct part *part, const struct document *doc, uint64_t n) {
    struct set sample = set_of(doc->fp, doc->count, n), all = set_of(doc->fp, doc->count, 1);
    expect_values(&part->values, sample.values, sample.count);
    size_t floor = sample.count >= SAMPLE_FLOOR ? 0 : all.count < SAMPLE_FLOOR ? all.count : SAMPLE_FLOOR;
    expect_values(&part->smallest, all.values, floor);
    free(sample.values);
    free(all.values);
}

static void check_level(const struct part *part, const struct document *doc) {
    uint32_t level = 0;
    while (doc->count >= 200 * pow(2, level)) level++;
    assert_int_equal(part->level, level);
    check_multiples(part, doc, UINT64_C(1) << level);
}

static void check_lowest(const struct part *part, const struct document *doc, size_t n, uint64_t mod) {
    struct set all = set_of(doc->fp, doc->count, mod);
    expect_values(&part->values, all.values, all.count < n ? all.count : n);
    assert_int_equal(part->complete, all.count <= n);
    free(all.values);
}

/* b bits at a time, from the text of the format. */
static void check_bits(const struct part *part, const uint64_t *minima, size_t n, uint32_t bits, bool empty) {
    assert_int_equal(part->bits.len, (n * bits + 7) / 8);
    for (size_t i = 0; i < n * bits; i++) {
        uint64_t index = (i / bits + 1) * UINT64_C(0x9e3779b97f4a7c15);
        uint64_t hash =
            empty ? 0 : ((minima[i / bits] ^ index) * UINT64_C(0xd6e8feb86659fd93)) >> (64 - bits);
        assert_int_equal(part->bits.data[i / 8] >> (i % 8) & 1, hash >> (i % bits) & 1);
    }
}

static void check_minima(const struct part *part, const struct spec *spec, const uint64_t *minima,
                         bool empty) {
    if (spec->bits == 64)
        expect_values(&part->values, minima, spec->n);
    else
        check_bits(part, minima, spec->n, spec->bits, empty);
    assert_int_equal(part->distinct == 0, empty);
}

static void check_minhash(const struct part *part, const struct spec *spec, const struct document *doc,
                          uint64_t seed) {
    uint64_t state = mix64(seed ^ SALT_MINHASH), *minima = malloc(spec->n * 8);
    for (size_t i = 0; i < spec->n; i++) {
        uint64_t a = rng_next(&state) >> 32 | 1, b = rng_next(&state) >> 32 | 1, c = rng_next(&state);
        minima[i] = UINT64_MAX;
        for (size_t v = 0; v < doc->count; v++) {
            uint64_t x = mix64(doc->fp[v] ^ mix64(seed ^ SALT_FEED));
            uint64_t sum = a * (x & UINT32_MAX) + b * (x >> 32) + c, hash = sum >> 32 | sum << 32;
            if (hash < minima[i]) minima[i] = hash;
        }
    }
    check_minima(part, spec, minima, doc->count == 0);
    free(minima);
}

static bool all_filled(const uint64_t *minima, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (minima[i] == UINT64_MAX) return false;
    return true;
}

/* Round by round and bin by bin, as the format describes it. */
static void densify_twin(uint64_t *minima, size_t n, uint64_t seed) {
    uint64_t *own = malloc(n * 8);
    memcpy(own, minima, n * 8);
    for (uint64_t round = 1; !all_filled(minima, n); round++) {
        size_t offset = (size_t)((unsigned __int128)mix64(round ^ seed) * n >> 64);
        for (size_t i = 0; i < n; i++) {
            uint64_t lent = own[(i + n - offset) % n];
            if (minima[i] == UINT64_MAX) minima[i] = lent;
        }
    }
    free(own);
}

static void check_oph(const struct part *part, const struct spec *spec, const struct document *doc,
                      uint64_t seed) {
    uint64_t *minima = malloc(spec->n * 8);
    size_t filled = 0;
    memset(minima, 0xff, spec->n * 8);
    for (size_t v = 0; v < doc->count; v++) {
        unsigned __int128 product = (unsigned __int128)mix64(doc->fp[v] ^ mix64(seed ^ SALT_OPH)) * spec->n;
        uint64_t *minimum = &minima[product >> 64];
        filled += *minimum == UINT64_MAX;
        if ((uint64_t)product < *minimum) *minimum = (uint64_t)product;
    }
    assert_int_equal(part->filled, filled);
    if (spec->bits < 64 && filled) densify_twin(minima, spec->n, mix64(seed ^ SALT_DENSIFY));
    check_minima(part, spec, minima, doc->count == 0);
    free(minima);
}

/* Where chunks end first, then each chunk by itself. Fingerprint k ends with token k + window - 1. */
static void check_chunks(const struct part *part, const struct spec *spec, const struct document *doc,
                         uint64_t seed, uint32_t window) {
    uint64_t *chunks = malloc((doc->count + 1) * 8), start = mix64(seed ^ SALT_CHUNK);
    size_t count = 0, begin = 0, token = 0;
    for (size_t k = 0; k < doc->count; k++) {
        if (doc->fp[k] % spec->n && k + 1 < doc->count) continue;
        uint64_t smallest = UINT64_MAX, hash = start;
        for (size_t i = begin; i <= k; i++)
            if (doc->fp[i] < smallest) smallest = doc->fp[i];
        for (; token < k + window; token++) hash = mix64(hash ^ doc->tokens[token]) + start;
        chunks[count++] = spec->scheme == SCHEME_BSW ? mix64(smallest) : hash;
        begin = k + 1;
    }
    struct set set = set_of(chunks, count, 1);
    expect_values(&part->values, set.values, set.count);
    free(set.values);
    free(chunks);
}

static void check_simhash(const struct part *part, const struct spec *spec, const struct document *doc,
                          uint64_t seed) {
    uint64_t state = mix64(seed ^ SALT_SIMHASH);
    assert_int_equal(part->bits.len, spec->bits / 8);
    for (uint32_t word = 0; word < spec->bits / 64; word++) {
        uint64_t function = rng_next(&state);
        for (uint32_t bit = 0; bit < 64; bit++) {
            long ones = 0;
            for (size_t i = 0; i < doc->count; i++) ones += mix64(doc->fp[i] ^ function) >> bit & 1;
            bool expected = 2 * ones > (long)doc->count;
            assert_int_equal(part->bits.data[(word * 64 + bit) / 8] >> (bit % 8) & 1, expected);
        }
    }
}

static void check_part(const struct stemma_sketch *sketch, size_t index, const struct document *doc) {
    const struct spec *spec = &sketch->recipe->specs[index];
    const struct part *part = &sketch->parts[index];
    uint64_t seed = view_seed(&sketch->recipe->view);
    assert_int_equal(part->empty, doc->count == 0);
    switch (spec->scheme) {
    case SCHEME_MOD:
        check_multiples(part, doc, spec->n);
        return;
    case SCHEME_LEVEL:
        check_level(part, doc);
        return;
    case SCHEME_MIN:
        check_lowest(part, doc, spec->n, 1);
        return;
    case SCHEME_MINMOD:
        check_lowest(part, doc, spec->n, spec->mod);
        return;
    case SCHEME_MINHASH:
        check_minhash(part, spec, doc, seed);
        return;
    case SCHEME_OPH:
        check_oph(part, spec, doc, seed);
        return;
    case SCHEME_BSW:
    case SCHEME_BSW_CHUNK:
        check_chunks(part, spec, doc, seed, sketch->recipe->view.window);
        return;
    case SCHEME_SIMHASH:
        check_simhash(part, spec, doc, seed);
        return;
    case SCHEME_SIGNATURE: /* made of bytes: test_signature.c */
    case SCHEME_SIGNATURE2011:
        return;
    }
}

static void check_recipe(const char *text, uint64_t *rng) {
    static const size_t counts[] = {0, 1, 2, 7, 8, 9, 50, 199, 200, 1000, 5000};
    struct stemma_recipe *recipe = recipe_of(text);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (uint64_t universe = 3; universe < 100000; universe *= 40) {
            struct document doc =
                random_document(rng, counts[i], universe, recipe->view.width, recipe->view.window);
            struct stemma_sketch *sketch = sketch_document(recipe, &doc, rng);
            for (size_t k = 0; k < recipe->spec_count; k++) check_part(sketch, k, &doc);
            sketch_free(sketch);
            document_free(&doc);
        }
    recipe_release(recipe);
}

static void test_twins(void **state) {
    (void)state;
    uint64_t rng = 11;
    check_recipe("; " EVERY_SCHEME, &rng);
    check_recipe("; " EVERY_SCHEME_2, &rng);
    check_recipe("width=32 seed=77 window=1; " EVERY_SCHEME, &rng);
    check_recipe("width=47 seed=99 window=30; " EVERY_SCHEME_2, &rng);
    check_recipe("; oph n=1000 bits=1", &rng); /* both ways of lending */
    check_recipe("; mod n=1; min n=1; minmod n=1 mod=1; minhash n=1; oph n=1 bits=64; bsw n=1; bsw-chunk n=1",
                 &rng);
    check_recipe("; min n=1000; minmod n=300 mod=2; mod n=4294967295; mod n=64; bsw n=64; bsw n=96; bsw n=13",
                 &rng);
}

/* Tokens of a document shorter than the window come without any fingerprint but the last. */
static void test_short_document_chunks(void **state) {
    (void)state;
    struct stemma_recipe *recipe = recipe_of("; bsw-chunk n=1; bsw n=1");
    struct sketcher *sketcher = NULL;
    struct stemma_sketch *sketch = NULL;
    uint64_t fp[1 + KERNEL_SLACK] = {5}, tokens[3] = {1, 2, 3}, start = mix64(0 ^ SALT_CHUNK), hash = start;
    assert_int_equal(sketcher_new(recipe, SIZE_MAX, &sketcher, NULL), STEMMA_OK);
    assert_true(sketcher_wants_tokens(sketcher));
    assert_int_equal(sketcher_take(sketcher, fp, 0, tokens, 2, NULL), STEMMA_OK);
    assert_int_equal(sketcher_take(sketcher, fp, 1, tokens + 2, 1, NULL), STEMMA_OK);
    assert_int_equal(sketcher_finish(sketcher, 1, &sketch, NULL), STEMMA_OK);
    for (int i = 0; i < 3; i++) hash = mix64(hash ^ tokens[i]) + start;
    expect_values(&sketch->parts[0].values, &hash, 1);
    hash = mix64(5);
    expect_values(&sketch->parts[1].values, &hash, 1);
    sketch_free(sketch);
    sketcher_free(sketcher);
    recipe_release(recipe);
}

/* Once the sketcher asks for multiples only, leaving the others out changes nothing. */
static void test_prefiltered_blocks(void **state) {
    (void)state;
    struct stemma_recipe *recipe = recipe_of("; mod n=12; mod n=18");
    uint64_t rng = 5;
    for (size_t t = 0; t < effort(50); t++) {
        struct document doc = random_document(&rng, 3000, t % 2 ? 100000 : 300, 64, 5);
        struct stemma_sketch *whole = sketch_document(recipe, &doc, NULL), *filtered = NULL;
        struct sketcher *sketcher = NULL;
        uint64_t block[100 + KERNEL_SLACK];
        size_t left_out = 0;
        assert_int_equal(sketcher_new(recipe, SIZE_MAX, &sketcher, NULL), STEMMA_OK);
        assert_int_equal(sketcher_modulus(sketcher), 1);
        for (size_t at = 0; at < doc.count; at += 100) {
            uint64_t modulus = sketcher_modulus(sketcher);
            size_t kept = 0;
            assert_true(modulus == 1 || modulus == 6);
            for (size_t i = 0; i < 100; i++)
                if (doc.fp[at + i] % modulus == 0) block[kept++] = doc.fp[at + i];
            left_out += 100 - kept;
            assert_int_equal(sketcher_take(sketcher, block, kept, NULL, 0, NULL), STEMMA_OK);
        }
        assert_true(left_out > 1000);
        assert_int_equal(sketcher_finish(sketcher, doc.count, &filtered, NULL), STEMMA_OK);
        for (int i = 0; i < 2; i++) {
            expect_values(&filtered->parts[i].values, whole->parts[i].values.data,
                          whole->parts[i].values.len);
            assert_int_equal(filtered->parts[i].smallest.len, 0);
        }
        sketcher_free(sketcher);
        sketch_free(whole);
        sketch_free(filtered);
        document_free(&doc);
    }
    recipe_release(recipe);
}

static void test_modulus_of_other_schemes(void **state) {
    (void)state;
    static const char *const texts[] = {"; mod n=8; min", "; level", "; mod n=8; mod n=9", "; mod n=1"};
    uint64_t rng = 6;
    struct document doc = random_document(&rng, 5000, 100000, 64, 5);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct stemma_recipe *recipe = recipe_of(texts[i]);
        struct sketcher *sketcher = NULL;
        assert_int_equal(sketcher_new(recipe, SIZE_MAX, &sketcher, NULL), STEMMA_OK);
        feed(sketcher, &doc, 5, &rng);
        assert_int_equal(sketcher_modulus(sketcher), 1);
        sketcher_free(sketcher);
        recipe_release(recipe);
    }
    document_free(&doc);
}

static void test_keyed_without_key(void **state) {
    (void)state;
    struct stemma_recipe *recipe = recipe_of("keyid=0123456789abcdef");
    struct sketcher *sketcher = NULL;
    stemma_error err;
    assert_int_equal(sketcher_new(recipe, SIZE_MAX, &sketcher, &err), STEMMA_INVALID);
    assert_non_null(strstr(err.message, "0123456789abcdef"));
    assert_null(sketcher);
    recipe_release(recipe);
}

/* ---- what estimates rely on ---- */

/* Two documents with `common` shared fingerprints and `own` in each besides. */
static void related_documents(uint64_t *rng, size_t common, size_t own, struct document docs[2]) {
    for (int d = 0; d < 2; d++) docs[d] = random_document(rng, common + own, UINT64_MAX, 64, 5);
    if (common) memcpy(docs[1].fp, docs[0].fp, common * 8);
}

/* Share of equal fields, corrected for those that agree by chance. */
static double estimate(const struct stemma_sketch *a, const struct stemma_sketch *b) {
    const struct spec *spec = &a->recipe->specs[0];
    double chance = pow(.5, spec->bits);
    double equal = (double)kernels_get()->equal_fields(a->parts[0].bits.data, b->parts[0].bits.data, spec->n,
                                                       (int)spec->bits) /
                   spec->n;
    return (equal - chance) / (1 - chance);
}

/* The mean error over many pairs of random sets lies within 3 standard errors of 0, and the spread within
 * reason of the binomial one: from sets far smaller than the bins to far larger. */
static void check_unbiased(const char *text, double most_spread) {
    static const size_t sizes[] = {1, 4, 16, 128, 600};
    const size_t trials = effort(200);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int tenths = 1; tenths < 10; tenths += 4) {
            struct stemma_recipe *unseeded = recipe_of(text);
            const struct spec *spec = &unseeded->specs[0];
            size_t common = sizes[s] * (size_t)tenths, own = sizes[s] * (size_t)(10 - tenths);
            double truth = (double)common / (double)(common + 2 * own), sum = 0, squares = 0;
            uint64_t rng = s * 10 + (uint64_t)tenths;
            for (size_t t = 0; t < trials; t++) {
                struct document docs[2];
                struct stemma_sketch *sketches[2];
                char seeded[100];
                snprintf(seeded, sizeof seeded, "seed=%" PRIu64 "%s", rng_next(&rng), text);
                struct stemma_recipe *recipe = recipe_of(seeded);
                related_documents(&rng, common, own, docs);
                for (int d = 0; d < 2; d++) sketches[d] = sketch_document(recipe, &docs[d], NULL);
                recipe_release(recipe); /* sketches live on without it */
                double error = estimate(sketches[0], sketches[1]) - truth;
                sum += error;
                squares += error * error;
                for (int d = 0; d < 2; d++) {
                    sketch_free(sketches[d]);
                    document_free(&docs[d]);
                }
            }
            double mean = sum / (double)trials, spread = sqrt(squares / (double)trials),
                   chance = pow(.5, spec->bits);
            double agree = truth + (1 - truth) * chance;
            double binomial = sqrt(agree * (1 - agree) / spec->n) / (1 - chance);
            if (effort_is_full() && fabs(mean) > 3 * spread / sqrt((double)trials))
                fail_msg("%s, %zu common, %zu own: mean error %g, spread %g", text, common, own, mean,
                         spread);
            bool crowded = common + 2 * own > spec->n; /* else few values decide many fields */
            if (effort_is_full() && crowded && spread > most_spread * binomial)
                fail_msg("%s, %zu common, %zu own: spread %g, binomial %g", text, common, own, spread,
                         binomial);
            recipe_release(unseeded);
        }
}

static void test_oph_is_unbiased(void **state) {
    (void)state;
    check_unbiased("; oph n=128 bits=2", 1.6);
    check_unbiased("; oph n=128 bits=8", 1.6);
}

static void test_minhash_is_unbiased(void **state) {
    (void)state;
    check_unbiased("; minhash n=64 bits=4", 1.15);
}

/* Every fingerprint comes twice, so that the number of shingles does not give the answer away. */
static void test_distinct_is_close(void **state) {
    (void)state;
    struct stemma_recipe *recipe = recipe_of("; oph n=1024 bits=2; minhash n=1024 bits=1");
    uint64_t rng = 3;
    for (size_t count = 10; count <= 100000; count *= 10) {
        struct document doc = random_document(&rng, 2 * count, UINT64_MAX, 64, 5);
        memcpy(doc.fp + count, doc.fp, count * 8);
        struct stemma_sketch *sketch = sketch_document(recipe, &doc, NULL);
        for (int i = 0; i < 2; i++) {
            double ratio = (double)sketch->parts[i].distinct / (double)count;
            assert_true(ratio > .85 && ratio < 1.15); /* 5 standard errors of 1 / sqrt(1024) */
        }
        sketch_free(sketch);
        document_free(&doc);
    }
    recipe_release(recipe);
}

/* ---- unions ---- */

static void expect_same_part(const struct part *a, const struct part *b) {
    expect_values(&a->values, b->values.data, b->values.len);
    expect_values(&a->smallest, b->smallest.data, b->smallest.len);
    assert_int_equal(a->complete, b->complete);
    assert_int_equal(a->filled, b->filled);
    assert_int_equal(a->distinct, b->distinct);
    assert_int_equal(a->level, b->level);
    assert_int_equal(a->empty, b->empty);
}

static struct document joined(const struct document *a, const struct document *b) {
    struct document doc = {.count = a->count + b->count};
    doc.fp = calloc(doc.count + KERNEL_SLACK, 8);
    doc.tokens = calloc(doc.count + KERNEL_SLACK + 5, 8);
    if (a->count) memcpy(doc.fp, a->fp, a->count * 8);
    if (b->count) memcpy(doc.fp + a->count, b->fp, b->count * 8);
    return doc;
}

static void test_union_is_the_sketch_of_both(void **state) {
    (void)state;
    struct stemma_recipe *recipe =
        recipe_of("; mod n=40; mod n=1; min n=30; minmod n=20 mod=4; minhash n=20; oph n=200 bits=64");
    static const size_t counts[] = {0, 1, 5, 8, 29, 30, 60, 200, 1500};
    enum { COUNTS = sizeof counts / sizeof *counts };
    uint64_t rng = 21;
    for (int t = 0; t < COUNTS * COUNTS; t++) {
        struct document a = random_document(&rng, counts[t % COUNTS], 500, 64, 5);
        struct document b = random_document(&rng, counts[t / COUNTS], 500, 64, 5);
        for (size_t i = 0; i < a.count && i < b.count; i += 2) b.fp[i] = a.fp[i];
        struct document both = joined(&a, &b);
        struct stemma_sketch *sa = sketch_document(recipe, &a, NULL), *sb = sketch_document(recipe, &b, NULL);
        struct stemma_sketch *expected = sketch_document(recipe, &both, NULL), *found = NULL;
        sa->name = strdup("left");
        sa->bytes = UINT64_MAX;
        sb->bytes = 1;
        assert_int_equal(sketch_union(sa, sb, &found, NULL), STEMMA_OK);
        for (size_t i = 0; i < recipe->spec_count; i++)
            expect_same_part(&found->parts[i], &expected->parts[i]);
        assert_string_equal(found->name, "left + ");
        assert_true(found->bytes == UINT64_MAX);
        assert_int_equal(found->shingles, both.count);
        struct stemma_sketch *all[] = {sa, sb, expected, found};
        for (int i = 0; i < 4; i++) sketch_free(all[i]);
        document_free(&a);
        document_free(&b);
        document_free(&both);
    }
    recipe_release(recipe);
}

/* At the larger level of the two, with the smallest as long as they can be known. */
static void test_union_of_levels(void **state) {
    (void)state;
    struct stemma_recipe *recipe = recipe_of("; level");
    uint64_t rng = 23;
    for (int t = 0; t < 40; t++) {
        struct document a = random_document(&rng, t % 2 ? 150 : 1000, 100000, 64, 5);
        struct document b = random_document(&rng, 30000, t % 3 ? 100000 : 40, 64, 5), both = joined(&a, &b);
        struct stemma_sketch *sa = sketch_document(recipe, &a, NULL), *sb = sketch_document(recipe, &b, NULL);
        struct stemma_sketch *found = NULL;
        assert_int_equal(sketch_union(sa, sb, &found, NULL), STEMMA_OK);
        const struct part *part = &found->parts[0];
        assert_int_equal(part->level, sb->parts[0].level);
        struct set sample = set_of(both.fp, both.count, UINT64_C(1) << part->level);
        struct set all = set_of(both.fp, both.count, 1);
        expect_values(&part->values, sample.values, sample.count);
        bool known = sample.count < SAMPLE_FLOOR && sa->parts[0].level == 0;
        expect_values(&part->smallest, all.values, known ? SAMPLE_FLOOR : 0);
        free(sample.values);
        free(all.values);
        struct stemma_sketch *made[] = {sa, sb, found};
        for (int i = 0; i < 3; i++) sketch_free(made[i]);
        document_free(&a);
        document_free(&b);
        document_free(&both);
    }
    recipe_release(recipe);
}

static void expect_no_union(const char *a, const char *b, stemma_status status, const char *why) {
    struct stemma_recipe *ra = recipe_of(a), *rb = recipe_of(b);
    struct document nothing = {calloc(KERNEL_SLACK, 8), calloc(KERNEL_SLACK, 8), 0, 0};
    struct stemma_sketch *sa = sketch_document(ra, &nothing, NULL), *sb = sketch_document(rb, &nothing, NULL);
    struct stemma_sketch *out = NULL;
    stemma_error err = {0};
    assert_int_equal(sketch_union(sa, sb, &out, &err), status);
    if (!strstr(err.message, why)) fail_msg("'%s' does not say '%s'", err.message, why);
    assert_null(out);
    sketch_free(sa);
    sketch_free(sb);
    document_free(&nothing);
    recipe_release(ra);
    recipe_release(rb);
}

static void test_unions_refused(void **state) {
    (void)state;
    expect_no_union("; mod; oph bits=2", "; mod; oph bits=2", STEMMA_UNSUPPORTED, "oph with bits=2");
    expect_no_union("; minhash bits=8", "; minhash bits=8", STEMMA_UNSUPPORTED, "minhash with bits=8");
    expect_no_union("; bsw", "; bsw", STEMMA_UNSUPPORTED, "bsw has no union");
    expect_no_union("; bsw-chunk", "; bsw-chunk", STEMMA_UNSUPPORTED, "bsw-chunk");
    expect_no_union("; simhash", "; simhash", STEMMA_UNSUPPORTED, "simhash");
    expect_no_union("; mod n=2", "; mod n=4", STEMMA_MISMATCH, "mod n is 2");
    expect_no_union("; mod", "seed=1; mod", STEMMA_MISMATCH, "seed is 0");
    expect_no_union("; mod", "; mod; min", STEMMA_MISMATCH, "number of sketch specs");
}

static int run_all(const char *table) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_twins),
        cmocka_unit_test(test_short_document_chunks),
        cmocka_unit_test(test_prefiltered_blocks),
        cmocka_unit_test(test_modulus_of_other_schemes),
        cmocka_unit_test(test_keyed_without_key),
        cmocka_unit_test(test_oph_is_unbiased),
        cmocka_unit_test(test_minhash_is_unbiased),
        cmocka_unit_test(test_distinct_is_close),
        cmocka_unit_test(test_union_is_the_sketch_of_both),
        cmocka_unit_test(test_union_of_levels),
        cmocka_unit_test(test_unions_refused),
    };
    return cmocka_run_group_tests_name(table, tests, NULL, NULL);
}

/* The table of kernels is chosen once in a process: one process for each. */
int main(void) {
    static const char *const tables[] = {"portable", "avx2", "avx512"};
    int failures = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        if (!kernels_named(tables[i])) continue;
        pid_t child = fork();
        if (child == 0) {
            setenv("STEMMA_CPU", tables[i], 1);
            _exit(run_all(tables[i]));
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) failures++;
    }
    return failures;
}
