/* Signatures against an obvious twin: the text by stemma_text, every window hashed from scratch, every window
 * before it looked at; and the properties that estimators rely on. */
#include "align/signature/parity.h"
#include "base/digest.h"
#include "effort.h"
#include "sketch/edit_text.h"
#include "sketch_support.h"

static const char KEY[] = "a key that is not secret at all";

/* ---- the twin ---- */

/* The edit text: characters, and where they begin in the original. */
struct twin_text {
    uint32_t *chars;
    uint64_t *places;
    size_t count;
};

static uint32_t twin_char(const uint8_t *at, size_t size) {
    if (size == 1) return at[0] < 0x80 ? at[0] : 0x110000u + at[0];
    uint32_t value = at[0] & (0xffu >> (size + 1));
    for (size_t i = 1; i < size; i++) value = value << 6 | (at[i] & 0x3f);
    return value;
}

/* Through the public way to the canonical text, by characters (or bytes) of the same folds. */
static struct twin_text twin_text_of(const struct stemma_recipe *recipe, bool bytes, const uint8_t *data,
                                     size_t size) {
    char by_unit[100];
    bool raw = recipe->view.folds == FOLD_RAW && recipe->view.unit != UNIT_CHAR;
    snprintf(by_unit, sizeof by_unit, "%s unit=%s window=1 hash=mix", fold_text(recipe->view.folds).text,
             bytes && raw ? "byte" : "char");
    struct stemma_recipe *view = recipe_of(by_unit);
    stemma_text *text;
    stemma_limits limits = stemma_limits_default();
    limits.encoding = STEMMA_ENCODING_UTF8; /* which a signer takes its bytes for */
    assert_int_equal(stemma_text_bytes(data, size, view, &limits, &text, NULL), STEMMA_OK);
    size_t text_size, tokens = stemma_text_token_count(text);
    const uint8_t *canon = (const uint8_t *)stemma_text_data(text, &text_size);
    struct twin_text out = {calloc(text_size + 1, 4), calloc(text_size + 1, 8), 0};
    for (size_t i = 0; i < tokens; i++) {
        stemma_token token;
        assert_int_equal(stemma_text_token(text, i, &token, NULL), STEMMA_OK);
        for (size_t at = token.begin; at < token.end; at++) {
            if (at > token.begin && !bytes && !raw) break;
            out.places[out.count] = raw ? at : token.source_begin;
            out.chars[out.count++] =
                bytes || raw ? canon[at] : twin_char(canon + at, token.end - token.begin);
        }
    }
    stemma_text_free(text);
    recipe_release(view);
    return out;
}

static void twin_text_free(struct twin_text *text) {
    free(text->chars);
    free(text->places);
}

static uint64_t twin_hash(const struct view *view, const uint32_t *window, size_t n) {
    uint64_t state = mix64(view_seed(view) ^ UINT64_C(0x7369676e61747572)), value = 0;
    uint64_t multiplier = rng_next(&state) / 8 * 8 + 5, finish = rng_next(&state);
    for (size_t i = 0; i < n; i++) value = value * multiplier + window[i];
    value ^= finish;
    if (view->keyed) return mix64(mix64(value ^ view->finish[0]) ^ view->finish[1]);
    value = (value ^ value >> 32) * MIX64_MULTIPLIER;
    return value ^ value >> 32;
}

static bool twin_repeats(const struct twin_text *text, size_t at, size_t n) {
    for (size_t back = 1; back <= n && back <= at; back++)
        if (!memcmp(text->chars + at, text->chars + at - back, n * sizeof *text->chars)) return true;
    return false;
}

static uint16_t twin_agree(const struct twin_text *text) {
    unsigned __int128 sum = 0, all = (unsigned __int128)text->count * text->count;
    for (size_t i = 0; i < text->count; i++)
        for (size_t j = 0; j < text->count; j++) {
            uint32_t a = text->chars[i], b = text->chars[j];
            sum += a == b || (a >= 128 && b >= 128 && a % 3968 == b % 3968);
        }
    return all ? (uint16_t)((sum * 65535 + all / 2) / all) : 0;
}

static struct signature_data twin(const struct stemma_recipe *recipe, const struct spec *spec,
                                  const uint8_t *data, size_t size) {
    struct signature_data out = {0};
    bool bits = spec->scheme == SCHEME_SIGNATURE2011;
    struct twin_text text = twin_text_of(recipe, bits, data, size);
    assert_true(vec16_reserve(&out.symbols, text.count + 1) && vec64_reserve(&out.positions, text.count + 1));
    for (size_t i = 0; i + spec->n <= text.count; i++) {
        uint32_t sum = 0;
        for (size_t k = 0; bits && k < spec->n; k++) sum += text.chars[i + k];
        uint64_t hash = bits ? sum : twin_hash(&recipe->view, text.chars + i, spec->n);
        if (hash % spec->c != spec->k || (!bits && twin_repeats(&text, i, spec->n))) continue;
        uint64_t symbol = bits ? mix64(sum ^ view_seed(&recipe->view)) % 2 : hash / spec->c % spec->alphabet;
        out.symbols.data[out.symbols.len++] = (uint16_t)symbol;
        if (spec->positions) out.positions.data[out.positions.len++] = text.places[i];
    }
    out.length = text.count;
    out.agree = twin_agree(&text);
    twin_text_free(&text);
    return out;
}

/* ---- making ---- */

/* In pieces of at most `piece` bytes, cut at random; whole when it is 0. */
static struct signature_data sign(const struct stemma_recipe *recipe, size_t part, const uint8_t *data,
                                  size_t size, size_t piece, uint64_t *rng) {
    struct signer *signer;
    struct signature_data out = {0};
    assert_int_equal(signer_new(&recipe->view, &recipe->specs[part], 1u << 30, &signer, NULL), STEMMA_OK);
    for (size_t at = 0, step; at < size; at += step) {
        step = piece ? 1 + rng_below(rng, piece) : size;
        if (step > size - at) step = size - at;
        assert_int_equal(signer_feed(signer, data + at, step, NULL), STEMMA_OK);
    }
    assert_int_equal(signer_finish(signer, &out, NULL), STEMMA_OK);
    signer_free(signer);
    return out;
}

static void assert_same(const struct signature_data *a, const struct signature_data *b, const char *what) {
    if (a->symbols.len != b->symbols.len || a->length != b->length || a->agree != b->agree)
        fail_msg("%s: %zu symbols of %llu (agree %u), not %zu of %llu (agree %u)", what, a->symbols.len,
                 (unsigned long long)a->length, a->agree, b->symbols.len, (unsigned long long)b->length,
                 b->agree);
    assert_int_equal(a->positions.len, b->positions.len);
    for (size_t i = 0; i < a->symbols.len; i++) assert_int_equal(a->symbols.data[i], b->symbols.data[i]);
    for (size_t i = 0; i < a->positions.len; i++)
        assert_int_equal(a->positions.data[i], b->positions.data[i]);
}

static const char *const recipes[] = {
    "signature",
    "signature c=4 positions=yes",
    "signature n=3 c=5 alphabet=100",
    "signature n=1 c=2 positions=yes",
    "signature n=64 c=3",
    "signature c=1 n=2 alphabet=2",
    "seed=7; signature c=8",
    "preset=raw; signature n=5 c=4 positions=yes",
    "preset=code; signature c=6 positions=yes",
    "fold=case; signature c=3 positions=yes",
    "fold=nfc+punct unit=line; signature n=4 c=8 positions=yes",
    "preset=raw unit=char; signature n=5 c=4 positions=yes",
    "signature2011 c=7",
    "preset=raw; signature2011 n=4 c=5 k=3",
    "preset=code; signature2011 n=64 c=3 k=1",
};

/* Words of several scripts, runs, line ends, things that compose or fold to more characters, bytes that are
 * not UTF-8. */
static struct buf random_text(uint64_t *rng, size_t size) {
    static const char *const pieces[] = {"the ",
                                         "Quick ",
                                         "brown, ",
                                         "fox\n",
                                         "  ",
                                         "\r\n",
                                         "Stra\xc3\x9f"
                                         "e",
                                         "na\x69\xcc\x88ve ",
                                         "\xe4\xb8\xad\xe6\x96\x87",
                                         "\xd0\x9c\xd0\xb8\xd1\x80 ",
                                         "\xff",
                                         "\xe2\x82",
                                         "\xf0\x9f\x98\x80",
                                         "aaaaaaaaaaaa",
                                         "abababababab",
                                         "\xef\xac\x83",
                                         "12,5 ",
                                         "\xc2\xad",
                                         "\xe0\xb8\x81\xe0\xb8\xb2",
                                         "lazy dogs are many, and long runs of plain letters too. "};
    struct buf out = {0};
    while (out.len < size)
        assert_true(buf_add_string(&out, pieces[rng_below(rng, sizeof pieces / sizeof *pieces)]));
    out.len = size;
    return out;
}

static struct stemma_recipe *keyed_of(const char *text) {
    struct stemma_recipe *plain = recipe_of(text), *keyed;
    assert_int_equal(recipe_with_key(plain, KEY, sizeof KEY, &keyed, NULL), STEMMA_OK);
    recipe_release(plain);
    return keyed;
}

static void check_text(const struct stemma_recipe *recipe, const struct buf *text, uint64_t *rng) {
    static const size_t pieces[] = {0, 1, 2, 7, 500};
    struct signature_data expected = twin(recipe, &recipe->specs[0], text->data, text->len);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct signature_data made = sign(recipe, 0, text->data, text->len, pieces[i], rng);
        assert_same(&made, &expected, recipe->text);
        signature_data_release(&made);
    }
    signature_data_release(&expected);
}

static void test_twin(void **state) {
    static const size_t sizes[] = {0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 300, 1500};
    uint64_t rng = 1;
    (void)state;
    for (size_t round = 0; round < effort(6); round++)
        for (size_t r = 0; r < sizeof recipes / sizeof *recipes; r++) {
            struct stemma_recipe *recipe = round % 3 ? recipe_of(recipes[r]) : keyed_of(recipes[r]);
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                struct buf text = random_text(&rng, sizes[s]);
                check_text(recipe, &text, &rng);
                buf_release(&text);
            }
            recipe_release(recipe);
        }
}

/* More than a piece. */
static void test_long(void **state) {
    uint64_t rng = 2;
    (void)state;
    struct stemma_recipe *recipe = recipe_of("signature n=8 c=16 positions=yes");
    struct buf text = random_text(&rng, 100000);
    struct signature_data whole = sign(recipe, 0, text.data, text.len, 0, &rng);
    struct signature_data cut = sign(recipe, 0, text.data, text.len, 90, &rng);
    assert_same(&whole, &cut, "whole against pieces");
    assert_true(whole.symbols.len > 2000);
    signature_data_release(&whole);
    signature_data_release(&cut);
    buf_release(&text);
    recipe_release(recipe);
}

/* ---- properties ---- */

static void test_runs_are_bounded(void **state) {
    uint64_t rng = 3;
    (void)state;
    for (size_t period = 1; period <= 9; period++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            char text[60];
            snprintf(text, sizeof text, "preset=raw seed=%llu; signature n=9 c=2", (unsigned long long)seed);
            struct stemma_recipe *recipe = recipe_of(text);
            struct buf run = {0};
            for (size_t i = 0; i < 50000; i++) assert_true(buf_add_byte(&run, (uint8_t)('a' + i % period)));
            struct signature_data made = sign(recipe, 0, run.data, run.len, 0, &rng);
            assert_in_range(made.symbols.len, 0, period);
            signature_data_release(&made);
            buf_release(&run);
            recipe_release(recipe);
        }
}

/* Whatever the text, about one window in C is kept, and symbols are spread over the alphabet. */
static void test_dispersion(void **state) {
    enum { C = 16, TEXTS = 200, SIZE = 16000 };
    uint64_t rng = 4, low[16] = {0}, all = 0;
    double squares = 0;
    struct stemma_recipe *recipe = recipe_of("preset=raw; signature n=8 c=16");
    (void)state;
    uint8_t *text = malloc(SIZE);
    for (size_t t = 0; t < TEXTS; t++) {
        for (size_t i = 0; i < SIZE; i++) text[i] = (uint8_t)("abcdefgh"[rng_below(&rng, 8)]);
        struct signature_data made = sign(recipe, 0, text, SIZE, 0, &rng);
        double off = (double)made.symbols.len - (double)(SIZE - 7) / C;
        squares += off * off;
        all += made.symbols.len;
        for (size_t i = 0; i < made.symbols.len; i++) low[made.symbols.data[i] % 16]++;
        signature_data_release(&made);
    }
    double binomial = (double)SIZE / C * (1 - 1. / C), chi = 0;
    for (size_t i = 0; i < 16; i++) {
        double mean = (double)all / 16;
        chi += ((double)low[i] - mean) * ((double)low[i] - mean) / mean;
    }
    assert_true(squares / TEXTS < 1.6 * binomial);
    assert_true(chi < 45); /* 15 degrees of freedom: 1 in 10,000 */
    free(text);
    recipe_release(recipe);
}

static struct spec spec_of(const char *text) {
    struct stemma_recipe *recipe = recipe_of(text);
    struct spec spec = recipe->specs[0];
    recipe_release(recipe);
    return spec;
}

/* The signature of a finer rate, coarsened, against the one made at the coarser rate,
 * on the bits both have. */
static void check_coarsening(const char *fine, const char *coarse, const struct buf *text, uint64_t *rng) {
    struct stemma_recipe *recipes_of[2] = {recipe_of(fine), recipe_of(coarse)};
    struct signature_data made[2], brought[2] = {{{0}, {0}, 0, 0}};
    struct signature at[2];
    struct signature_rate meet;
    struct spec a = recipes_of[0]->specs[0], b = recipes_of[1]->specs[0];
    assert_true(signature_rates_meet((struct signature_rate){a.c, a.alphabet},
                                     (struct signature_rate){b.c, b.alphabet}, &meet));
    for (int i = 0; i < 2; i++) {
        made[i] = sign(recipes_of[i], 0, text->data, text->len, 0, rng);
        struct signature from = signature_of(&made[i], &recipes_of[i]->specs[0]);
        assert_int_equal(signature_coarsen(&from, meet, &brought[i], &at[i], NULL), STEMMA_OK);
        assert_int_equal(at[i].c, meet.c);
        assert_int_equal(at[i].alphabet, meet.alphabet);
    }
    assert_int_equal(at[0].count, at[1].count);
    assert_true(at[0].count > 10);
    for (size_t i = 0; i < at[0].count; i++) {
        assert_int_equal(at[0].symbols[i], at[1].symbols[i]);
        assert_int_equal(at[0].positions[i], at[1].positions[i]);
    }
    for (int i = 0; i < 2; i++) {
        signature_data_release(&made[i]);
        signature_data_release(&brought[i]);
        recipe_release(recipes_of[i]);
    }
}

static void test_coarsening(void **state) {
    uint64_t rng = 5;
    (void)state;
    struct buf text = random_text(&rng, 60000);
    check_coarsening("signature c=16 positions=yes", "signature c=256 positions=yes", &text, &rng);
    check_coarsening("signature c=6 positions=yes", "signature c=48 alphabet=256 positions=yes", &text, &rng);
    check_coarsening("signature c=8 alphabet=64 positions=yes", "signature c=64 positions=yes", &text, &rng);
    check_coarsening("signature c=8 alphabet=64 positions=yes", "signature c=8 alphabet=4 positions=yes",
                     &text, &rng);
    check_coarsening("signature c=9 alphabet=77 positions=yes", "signature c=9 alphabet=77 positions=yes",
                     &text, &rng);
    buf_release(&text);
}

static void test_rates_that_do_not_meet(void **state) {
    static const struct signature_rate pairs[][2] = {{{64, 65536}, {96, 65536}}, {{64, 65536}, {192, 65536}},
                                                     {{64, 1000}, {128, 1000}},  {{64, 1000}, {64, 1001}},
                                                     {{1, 16}, {16, 16}},        {{64, 1024}, {64, 1000}}};
    struct signature_rate out;
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_false(signature_rates_meet(pairs[i][0], pairs[i][1], &out));
        assert_false(signature_rates_meet(pairs[i][1], pairs[i][0], &out));
    }
}

static void test_memory_is_bounded(void **state) {
    struct spec spec = spec_of("signature c=1 n=4");
    struct stemma_recipe *recipe = recipe_of("preset=raw; signature c=1 n=4");
    struct signer *signer;
    stemma_error err = {0};
    uint64_t rng = 6;
    uint8_t bytes[65536];
    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)rng_next(&rng);
    assert_int_equal(signer_new(&recipe->view, &spec, 1 << 18, &signer, NULL), STEMMA_OK);
    assert_int_equal(signer_feed(signer, bytes, sizeof bytes, NULL), STEMMA_OK);
    assert_int_equal(signer_feed(signer, bytes, sizeof bytes, &err), STEMMA_UNSUPPORTED);
    assert_non_null(strstr(err.message, "larger c"));
    signer_free(signer);
    recipe_release(recipe);
}

/* ---- windows of many rates ---- */

static struct signature_data sign_at(const struct stemma_recipe *recipe, struct spec spec,
                                     const struct buf *text) {
    struct stemma_recipe at = *recipe;
    at.specs[0] = spec;
    return sign(&at, 0, text->data, text->len, 0, NULL);
}

/* The first of the rates at which there are so few symbols, found by trying all of them. */
static struct spec rate_of_few(const struct stemma_recipe *recipe, const struct buf *text, size_t most) {
    struct spec spec = recipe->specs[0];
    for (size_t count = SIZE_MAX; count > most; spec.c *= 2) {
        struct signature_data made = sign_at(recipe, spec, text);
        count = made.symbols.len;
        signature_data_release(&made);
    }
    spec.c /= 2;
    return spec;
}

/* Windows that are kept give the signature of their rate, and of those above, with as large an alphabet. */
static void check_kept(const struct kept_windows *kept, const struct stemma_recipe *recipe,
                       const struct buf *text, size_t most) {
    struct spec spec = rate_of_few(recipe, text, most);
    struct signature_data made = {0};
    assert_int_equal(kept->rate, spec.c);
    for (int times = 0; times < 3; times++, spec.c *= 2) {
        struct signature_data expected = sign_at(recipe, spec, text);
        assert_int_equal(kept_windows_at(kept, (struct signature_rate){spec.c, spec.alphabet}, &made, NULL),
                         STEMMA_OK);
        assert_same(&made, &expected, recipe->text);
        signature_data_release(&expected);
    }
    signature_data_release(&made);
}

static void test_kept_windows(void **state) {
    static const char *const texts[] = {"signature n=8 c=1 alphabet=4096 positions=yes",
                                        "signature n=5 c=16 alphabet=4096",
                                        "preset=raw; signature n=9 c=2 alphabet=65536 positions=yes"};
    static const size_t mosts[] = {1, 3, 16, 64, 1000000}, sizes[] = {0, 5, 60, 900, 5000};
    uint64_t rng = 10;
    (void)state;
    for (size_t r = 0; r < 6; r++) {
        struct stemma_recipe *recipe = r % 2 ? keyed_of(texts[r / 2]) : recipe_of(texts[r / 2]);
        for (size_t m = 0; m < sizeof mosts / sizeof *mosts; m++) {
            struct signer *signer;
            const struct kept_windows *kept;
            assert_int_equal(signer_new(&recipe->view, &recipe->specs[0], 1 << 20, &signer, NULL), STEMMA_OK);
            signer_keep(signer, mosts[m]);
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                struct buf text = random_text(&rng, sizes[s]);
                signer_reset(signer);
                for (size_t at = 0, step; at < text.len; at += step) {
                    step = 1 + rng_below(&rng, text.len - at);
                    assert_int_equal(signer_feed(signer, text.data + at, step, NULL), STEMMA_OK);
                }
                assert_int_equal(signer_finish_kept(signer, &kept, NULL), STEMMA_OK);
                check_kept(kept, recipe, &text, mosts[m]);
                buf_release(&text);
            }
            signer_free(signer);
        }
        recipe_release(recipe);
    }
}

/* ---- the public way ---- */

static void test_sketches(void **state) {
    uint64_t rng = 7;
    (void)state;
    struct buf text = random_text(&rng, 30000);
    struct stemma_recipe *recipe = recipe_of("mod n=4; signature c=16 positions=yes; signature2011");
    stemma_sketch *sketch, *united;
    stemma_sketch_part part;
    stemma_comparison comparison;
    stemma_error err;
    assert_int_equal(stemma_sketch_bytes(text.data, text.len, "x", recipe, NULL, &sketch, NULL), STEMMA_OK);
    struct signature_data made = sign(recipe, 1, text.data, text.len, 0, &rng);
    assert_same(&sketch->parts[1].signature, &made, "sketched");
    assert_int_equal(stemma_sketch_get_part(sketch, 1, &part, NULL), STEMMA_OK);
    assert_string_equal(part.scheme, "signature");
    assert_int_equal(part.symbol_count, made.symbols.len);
    assert_int_equal(part.c, 16);
    assert_int_equal(part.alphabet, 65536);
    assert_int_equal(part.length, made.length);
    assert_int_equal(part.positions[3], made.positions.data[3]);
    assert_int_equal(stemma_sketch_union(sketch, sketch, &united, &err), STEMMA_UNSUPPORTED);
    assert_non_null(strstr(err.message, "signature has no union"));
    assert_int_equal(stemma_compare_sketches(sketch, sketch, NULL, &comparison, NULL), STEMMA_OK);
    assert_true(comparison.resemblance.known);
    signature_data_release(&made);
    stemma_sketch_free(sketch);
    recipe_release(recipe);
    buf_release(&text);
}

static void test_signature_alone(void **state) {
    struct stemma_recipe *recipe = recipe_of("signature");
    stemma_sketch *a, *b;
    stemma_comparison comparison;
    (void)state;
    assert_int_equal(stemma_sketch_bytes("one two three four five six", 27, "", recipe, NULL, &a, NULL),
                     STEMMA_OK);
    assert_int_equal(stemma_sketch_bytes("one two three four five six seven", 33, "", recipe, NULL, &b, NULL),
                     STEMMA_OK);
    assert_int_equal(stemma_compare_sketches(a, b, NULL, &comparison, NULL), STEMMA_OK);
    assert_int_equal(comparison.relation, STEMMA_UNKNOWN);
    assert_false(comparison.resemblance.known);
    assert_non_null(strstr(comparison.resemblance.why, "edit distance"));
    stemma_sketch_free(a);
    stemma_sketch_free(b);
    recipe_release(recipe);
}

/* ---- the papers' own estimates ---- */

static uint8_t *random_prose(uint64_t *rng, size_t size) {
    static const char letters[] = "etaoinshrdlu etaoin etao cmfwypvbgk ";
    uint8_t *text = malloc(size);
    for (size_t i = 0; i < size; i++) text[i] = (uint8_t)letters[rng_below(rng, sizeof letters - 1)];
    return text;
}

static double parity_of(const char *recipe_text, const uint8_t *a, size_t a_size, const uint8_t *b,
                        size_t b_size) {
    struct stemma_recipe *recipe = recipe_of(recipe_text);
    struct signature_data data[2] = {sign(recipe, 0, a, a_size, 0, NULL),
                                     sign(recipe, 0, b, b_size, 0, NULL)};
    struct signature sa = signature_of(&data[0], &recipe->specs[0]),
                     sb = signature_of(&data[1], &recipe->specs[0]);
    uint64_t estimate = 0;
    assert_int_equal(parity_estimate(&sa, &sb, &estimate, NULL), STEMMA_OK);
    signature_data_release(&data[0]);
    signature_data_release(&data[1]);
    recipe_release(recipe);
    return (double)estimate;
}

/* One substitution touches n windows on either side: c LD overestimates scattered edits about n-fold and
 * more. */
static void test_parity_of_scattered_edits(void **state) {
    enum { SIZE = 13500, EDITS = SIZE / 100, TEXTS = 12 };
    uint64_t rng = 8;
    double sum = 0;
    (void)state;
    for (int t = 0; t < TEXTS; t++) {
        uint8_t *a = random_prose(&rng, SIZE), *b = malloc(SIZE);
        memcpy(b, a, SIZE);
        for (size_t i = 0; i < EDITS; i++) b[i * 100 + rng_below(&rng, 100)] = 'z';
        sum += parity_of("preset=raw; signature n=8 c=50 alphabet=256", a, SIZE, b, SIZE) / EDITS;
        free(a);
        free(b);
    }
    if (effort_is_full()) assert_true(sum / TEXTS > 6 && sum / TEXTS < 17);
}

static void test_parity_of_blocks(void **state) {
    enum { SIZE = 13500, BLOCK = 2000, TEXTS = 24 };
    uint64_t rng = 9;
    double sum[2] = {0};
    (void)state;
    for (int t = 0; t < TEXTS; t++) {
        uint8_t *a = random_prose(&rng, SIZE);
        size_t cut = rng_below(&rng, SIZE - BLOCK);
        uint8_t *b = malloc(SIZE);
        memcpy(b, a, cut);
        memcpy(b + cut, a + cut + BLOCK, SIZE - BLOCK - cut);
        sum[0] += parity_of("preset=raw; signature n=8 c=50 alphabet=256", a, SIZE, b, SIZE - BLOCK) / BLOCK;
        sum[1] += parity_of("preset=raw; signature2011 n=4 c=50", a, SIZE, b, SIZE - BLOCK) / BLOCK;
        free(a);
        free(b);
    }
    assert_true(sum[0] / TEXTS > .9 && sum[0] / TEXTS < 1.1);
    assert_true(sum[1] / TEXTS > .5 &&
                sum[1] / TEXTS < 2); /* how much is kept depends on the sums that occur */
}

static void test_parity_of_unrelated(void **state) {
    struct signature a = {.count = 100, .c = 50}, b = {.count = 130, .c = 50};
    (void)state;
    assert_true(parity_unrelated(&a, &b, 1) == 6500); /* (100 + 30) * 50 */
    assert_true(parity_unrelated(&b, &a, .5) == 3250);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_twin),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_runs_are_bounded),
        cmocka_unit_test(test_dispersion),
        cmocka_unit_test(test_coarsening),
        cmocka_unit_test(test_rates_that_do_not_meet),
        cmocka_unit_test(test_memory_is_bounded),
        cmocka_unit_test(test_kept_windows),
        cmocka_unit_test(test_sketches),
        cmocka_unit_test(test_signature_alone),
        cmocka_unit_test(test_parity_of_scattered_edits),
        cmocka_unit_test(test_parity_of_blocks),
        cmocka_unit_test(test_parity_of_unrelated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
