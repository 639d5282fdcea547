/* The pipeline of one document against its definition: all windows from scratch, whatever the cuts. */
#include "base/buf.h"
#include "base/rng.h"
#include "base/sort.h"
#include "effort.h"
#include "kernels/generic.h"
#include "shingle/labels.h"
#include "shingle/rabin.h"
#include "shingle/stream.h"
#include "text/tokens.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct taken {
    struct vec64 fp, tokens;
    uint64_t modulus;
};

static stemma_status take(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                          size_t token_count, stemma_error *err) {
    struct taken *taken = context;
    (void)err;
    for (size_t i = 0; i < count; i++) assert_true(vec64_add(&taken->fp, fp[i]));
    for (size_t i = 0; i < token_count; i++) assert_true(vec64_add(&taken->tokens, tokens[i]));
    return STEMMA_OK;
}

static uint64_t modulus(void *context) {
    return ((struct taken *)context)->modulus;
}

/* Feed a document in pieces of random size. */
static uint64_t run(const struct view *view, const char *text, size_t size, uint64_t seed, bool tokens,
                    struct taken *out) {
    struct shingler *shingler;
    struct shingle_tables tables;
    stemma_error error;
    struct shingle_sink sink = {out, take, modulus, tokens};
    assert_int_equal(shingle_tables_init(&tables, view, &error), STEMMA_OK);
    assert_int_equal(shingler_new(view, &tables, sink, (struct text_sink){0}, &shingler, &error), STEMMA_OK);
    for (size_t at = 0; at < size;) {
        size_t piece = seed ? 1 + rng_below(&seed, 1 + rng_below(&seed, 3000)) : size;
        if (piece > size - at) piece = size - at;
        uint8_t *copy = malloc(piece); /* exact, so that a sanitizer sees a read past the end */
        memcpy(copy, text + at, piece);
        assert_int_equal(shingler_feed(shingler, copy, piece, &error), STEMMA_OK);
        free(copy);
        at += piece;
    }
    assert_int_equal(shingler_finish(shingler, &error), STEMMA_OK);
    uint64_t count = shingler_tokens(shingler);
    shingler_free(shingler);
    shingle_tables_release(&tables);
    return count;
}

/* ---- the definition ---- */

static void keys_of(struct mix_keys *keys, uint64_t seed) {
    uint64_t state = mix64(seed ^ 0x746f6b656e686173u);
    for (int i = 0; i < 3; i++) keys->token[i] = rng_next(&state) | 1;
    keys->multiplier = (rng_next(&state) & ~UINT64_C(7)) | 5;
    keys->finish = rng_next(&state);
}

static void canonical(const struct view *view, const char *text, size_t size, struct buf *out) {
    struct canon *canon;
    assert_int_equal(canon_new(view->folds, view->unit, NULL, &canon, NULL), STEMMA_OK);
    assert_int_equal(canon_feed(canon, (const uint8_t *)text, size, out, NULL), STEMMA_OK);
    assert_int_equal(canon_finish(canon, out, NULL), STEMMA_OK);
    canon_free(canon);
}

static void put_big_endian(struct buf *symbols, uint64_t value, size_t size) {
    for (size_t i = size; i-- > 0;) assert_true(buf_add_byte(symbols, (uint8_t)(value >> (8 * i))));
}

static void put_padded(struct buf *symbols, const uint8_t *token, size_t size) {
    for (size_t i = 0; i < (size + 7) / 8 * 8; i++)
        assert_true(buf_add_byte(symbols, i < size ? token[i] : 0));
}

static void define(const struct view *view, const char *text, size_t size, struct vec64 *fp) {
    struct buf canon = {0}, symbols = {0};
    struct vec64 hashes = {0};
    struct mix_keys keys;
    struct rabin_tables rabin;
    size_t width = view->unit == UNIT_BYTE ? 1 : view->unit == UNIT_CHAR ? 4 : 8;
    canonical(view, text, size, &canon);
    keys_of(&keys, view->seed);
    rabin_init(&rabin, view->width, view->seed, 1);
    struct token token;
    for (size_t at = 0; token_next(view->unit, canon.data, canon.len, true, &at, &token);) {
        const uint8_t *bytes = canon.data + token.begin;
        size_t length = token.end - token.begin;
        assert_true(vec64_add(&hashes, token_hash(&keys, bytes, length)));
        if (view->unit == UNIT_BYTE)
            put_big_endian(&symbols, bytes[0], 1);
        else if (view->unit == UNIT_CHAR) {
            uint32_t code = bytes[0];
            if (length == 1 && code >= 0x80) code += 0x110000;
            if (length > 1) code &= 0x7fu >> length;
            for (size_t i = 1; i < length; i++) code = code << 6 | (bytes[i] & 0x3f);
            put_big_endian(&symbols, code, 4);
        } else if (view->hash == HASH_PADDED)
            put_padded(&symbols, bytes, length);
        else
            put_big_endian(&symbols, mix64(rabin_of(&rabin, bytes, length) ^ mix64(length)), 8);
    }
    size_t count = view->hash == HASH_MIX ? hashes.len : symbols.len / width, w = view->window;
    bool is_short = count < w;
    if (is_short) w = count;
    for (size_t i = 0; count && i + w <= count; i++) {
        uint64_t value = 0;
        if (view->hash == HASH_MIX) {
            for (size_t k = 0; k < w; k++) value = value * keys.multiplier + hashes.data[i + k];
            if (!is_short) value = mix64(value ^ keys.finish) >> (64 - view->width);
        } else
            value = rabin_of(&rabin, symbols.data + i * width, w * width);
        if (is_short) value = mix64(value ^ mix64(keys.finish + count)) >> (64 - view->width);
        assert_true(vec64_add(fp, value));
    }
    buf_release(&canon);
    buf_release(&symbols);
    vec64_release(&hashes);
}

/* ---- tests ---- */

static char *make_text(size_t size, uint64_t seed) {
    static const char *const pieces[] = {"the ",
                                         "quick ",
                                         "brown ",
                                         "Fox, ",
                                         "jumps; ",
                                         "\n",
                                         "over\r\n",
                                         "ein Stra\xc3\x9f"
                                         "enbahn ",
                                         "\xe4\xb8\xad\xe6\x96\x87",
                                         "\xe5\xad\x97 ",
                                         "e\xcc\x81tude ",
                                         "\xff\xfe",
                                         "supercalifragilisticexpialidocious ",
                                         "12.5 ",
                                         "",
                                         "\0x "};
    char *text = malloc(size + 64);
    size_t at = 0;
    while (at < size) {
        size_t which = rng_below(&seed, 16), length = which == 15 ? 3 : strlen(pieces[which]);
        memcpy(text + at, pieces[which], length);
        at += length;
    }
    return text;
}

static void same_values(const struct vec64 *a, const struct vec64 *b) {
    assert_int_equal(a->len, b->len);
    if (a->len) assert_memory_equal(a->data, b->data, a->len * 8);
}

static void check_view(const struct view *view, size_t size, uint64_t seed) {
    struct taken whole = {.modulus = 1}, cut = {.modulus = 1}, sampled = {.modulus = 8};
    struct vec64 expected = {0};
    char *text = make_text(size, seed);
    run(view, text, size, 0, false, &whole);
    uint64_t tokens = run(view, text, size, seed + 1, true, &cut);
    run(view, text, size, seed + 2, false, &sampled);
    define(view, text, size, &expected);
    same_values(&whole.fp, &expected);
    same_values(&cut.fp, &expected);
    assert_int_equal(cut.tokens.len, tokens);
    size_t multiples = 0, found = 0;
    for (size_t i = 0; i < expected.len; i++) multiples += expected.data[i] % 8 == 0;
    for (size_t i = 0; i < sampled.fp.len; i++) found += sampled.fp.data[i] % 8 == 0;
    assert_int_equal(found, multiples);
    vec64_release(&whole.fp);
    vec64_release(&cut.fp);
    vec64_release(&cut.tokens);
    vec64_release(&sampled.fp);
    vec64_release(&expected);
    free(text);
}

static void every_view_follows_its_definition(void **unused) {
    (void)unused;
    const unsigned folds[] = {FOLD_RAW, FOLD_CODE, FOLD_TEXT};
    const size_t sizes[] = {0, 1, 7, 40, 5000, effort(40000)};
    const uint32_t windows[] = {1, 5, 20, 37};
    uint64_t seed = 1;
    for (int f = 0; f < 3; f++)
        for (int unit = UNIT_BYTE; unit <= UNIT_LINE; unit++)
            for (int hash = HASH_RABIN; hash <= HASH_PADDED; hash++)
                for (int w = 0; w < 4; w++)
                    for (int s = 0; s < 6; s++) {
                        if (hash == HASH_PADDED && unit != UNIT_WORD) continue;
                        struct view view = {.folds = folds[f],
                                            .unit = (enum unit)unit,
                                            .window = windows[w],
                                            .hash = (enum hash_kind)hash,
                                            .width = seed % 3 ? 64 : 32 + (int)(seed % 33),
                                            .seed = seed % 5};
                        check_view(&view, sizes[s], seed++);
                    }
}

static void a_long_word_is_cut(void **unused) {
    (void)unused;
    struct view view = {.folds = FOLD_TEXT, .unit = UNIT_WORD, .window = 1, .hash = HASH_MIX, .width = 64};
    size_t size = 300000;
    char *text = malloc(size);
    memset(text, 'a', size);
    struct taken whole = {.modulus = 1}, cut = {.modulus = 1};
    uint64_t tokens = run(&view, text, size, 0, false, &whole);
    assert_int_equal(run(&view, text, size, 9, false, &cut), tokens);
    assert_int_equal(tokens, (size + 65535) / 65536);
    same_values(&whole.fp, &cut.fp);
    vec64_release(&whole.fp);
    vec64_release(&cut.fp);
    free(text);
}

/* A separator of three bytes at and around the place where a long word is cut, in pieces of any size. */
static void cuts_do_not_matter_around_the_longest_token(void **unused) {
    (void)unused;
    const struct view view = {
        .folds = FOLD_RAW, .unit = UNIT_WORD, .window = 1, .hash = HASH_MIX, .width = 64};
    const char *const separators[] = {" ", "\xc2\xa0", "\xe3\x80\x80"};
    char *text = malloc(TOKEN_MOST + 100);
    for (int before = -4; before <= 2; before++)
        for (int s = 0; s < 3; s++) {
            memset(text, 'a', TOKEN_MOST + 100);
            size_t size = (size_t)(TOKEN_MOST + before);
            memcpy(text + size, separators[s], strlen(separators[s]));
            size += strlen(separators[s]) + 5;
            struct taken whole = {.modulus = 1};
            run(&view, text, size, 0, false, &whole);
            for (uint64_t seed = 1; seed < 8; seed++) {
                struct taken cut = {.modulus = 1};
                run(&view, text, size, seed, false, &cut);
                same_values(&whole.fp, &cut.fp);
                vec64_release(&cut.fp);
            }
            vec64_release(&whole.fp);
        }
    free(text);
}

/* Rabin fingerprints of Rabin fingerprints would be linear: then these two would be the same, under any
 * polynomial. */
static void neighbouring_words_do_not_cancel(void **unused) {
    (void)unused;
    for (uint64_t seed = 0; seed < 5; seed++) {
        struct view view = {.folds = FOLD_TEXT,
                            .unit = UNIT_WORD,
                            .window = 2,
                            .hash = HASH_RABIN,
                            .width = 64,
                            .seed = seed};
        struct taken a = {.modulus = 1}, b = {.modulus = 1};
        run(&view, "a bationali", 11, 0, false, &a);
        run(&view, "d gationali", 11, 0, false, &b);
        assert_int_equal(a.fp.len, 1);
        assert_true(a.fp.data[0] != b.fp.data[0]);
        vec64_release(&a.fp);
        vec64_release(&b.fp);
    }
}

/* Under a key the fingerprints are those of the secret seed, finished: no linear relation is left. */
static void keyed_fingerprints_are_finished(void **unused) {
    (void)unused;
    const char *text = "the quick brown fox jumps over the lazy dog";
    for (int hash = HASH_RABIN; hash <= HASH_MIX; hash++)
        for (int width = 40; width <= 64; width += 24) {
            struct view plain = {.folds = FOLD_RAW,
                                 .unit = UNIT_BYTE,
                                 .window = 8,
                                 .hash = (enum hash_kind)hash,
                                 .width = 64,
                                 .seed = 77};
            struct view keyed = plain;
            keyed.keyed = keyed.has_secret = true;
            keyed.secret = 77;
            keyed.finish[0] = 5;
            keyed.finish[1] = 6;
            keyed.width = hash == HASH_MIX ? width : 64;
            struct taken a = {.modulus = 1}, b = {.modulus = 4};
            run(&plain, text, strlen(text), 0, false, &a);
            run(&keyed, text, strlen(text), 3, false, &b);
            assert_int_equal(a.fp.len, b.fp.len);
            for (size_t i = 0; i < a.fp.len; i++)
                assert_int_equal(b.fp.data[i], mix64(mix64(a.fp.data[i] ^ 5) ^ 6) >> (64 - keyed.width));
            vec64_release(&a.fp);
            vec64_release(&b.fp);
        }
}

static void labels_number_the_occurrences(void **unused) {
    (void)unused;
    struct taken taken = {.modulus = 1};
    struct labeller *labeller;
    uint64_t values[] = {5, 9, 5, 5, 9, 1};
    assert_int_equal(
        labeller_new(64, (struct shingle_sink){&taken, take, NULL, false}, 0, NULL, &labeller, NULL),
        STEMMA_OK);
    struct shingle_sink sink = labeller_sink(labeller);
    assert_int_equal(sink.take(sink.context, values, 6, NULL, 0, NULL), STEMMA_OK);
    assert_int_equal(labeller_finish(labeller, NULL), STEMMA_OK);
    uint64_t expected[] = {mix64(1 ^ mix64(1)), mix64(5 ^ mix64(1)), mix64(5 ^ mix64(2)),
                           mix64(5 ^ mix64(3)), mix64(9 ^ mix64(1)), mix64(9 ^ mix64(2))};
    assert_int_equal(taken.fp.len, 6);
    assert_memory_equal(taken.fp.data, expected, sizeof expected);
    labeller_free(labeller);
    vec64_release(&taken.fp);
}

static void a_keyed_view_without_its_key_is_refused(void **unused) {
    (void)unused;
    struct view view = {
        .unit = UNIT_BYTE, .window = 3, .hash = HASH_MIX, .width = 64, .keyed = true, .key_id = 0xabc};
    struct shingle_tables none = {0};
    struct shingler *shingler = NULL;
    stemma_error error;
    assert_int_equal(
        shingler_new(&view, &none, (struct shingle_sink){0}, (struct text_sink){0}, &shingler, &error),
        STEMMA_INVALID);
    assert_null(shingler);
    assert_non_null(strstr(error.message, "0000000000000abc"));
}

/* ---- dispersion: samples of token fingerprints are as evenly spread as chance would have it ---- */

struct place {
    uint64_t fp;
    size_t at;
};

static int by_fingerprint(const void *x, const void *y) {
    const struct place *a = x, *b = y;
    return a->fp != b->fp ? (a->fp > b->fp) - (a->fp < b->fp) : (a->at > b->at) - (a->at < b->at);
}

/* Whether each fingerprint is the first of its kind: sets count it once. */
static bool *mark_fresh(const struct vec64 *fp) {
    struct place *places = malloc(fp->len * sizeof *places);
    bool *fresh = calloc(fp->len, 1);
    for (size_t i = 0; i < fp->len; i++) places[i] = (struct place){fp->data[i], i};
    qsort(places, fp->len, sizeof *places, by_fingerprint);
    for (size_t i = 0; i < fp->len; i++) fresh[places[i].at] = i == 0 || places[i].fp != places[i - 1].fp;
    free(places);
    return fresh;
}

/* Variance of the number of multiples of n in blocks of 300, over that of independent draws. */
static double dispersion(const struct vec64 *fp, const bool *fresh, uint64_t n) {
    double deviation = 0, binomial = 0, rate = 1 / (double)n;
    for (size_t begin = 0; begin + 300 <= fp->len; begin += 300) {
        double size = 0, sampled = 0;
        for (size_t i = begin; i < begin + 300; i++) {
            size += fresh[i];
            sampled += fresh[i] && fp->data[i] % n == 0;
        }
        deviation += (sampled - size * rate) * (sampled - size * rate);
        binomial += size * rate * (1 - rate);
    }
    return deviation / binomial;
}

static void token_fingerprints_disperse(void **unused) {
    (void)unused;
    const uint64_t moduli[] = {8, 16, 32, 64, 100, 25, 97};
    struct buf text = {0};
    uint64_t state = 7;
    double worst = 0;
    for (int i = 0; i < 200000; i++) /* Zipf's law over 20,000 words */
        assert_true(buf_add_format(&text, "w%u ", (unsigned)__builtin_exp(rng_unit(&state) * 9.9)));
    for (uint64_t seed = 0; seed < effort(12); seed++) {
        struct view view = {
            .folds = FOLD_TEXT, .unit = UNIT_WORD, .window = 5, .hash = HASH_MIX, .width = 64, .seed = seed};
        struct taken taken = {.modulus = 1};
        run(&view, (const char *)text.data, text.len, 0, false, &taken);
        bool *fresh = mark_fresh(&taken.fp);
        for (size_t i = 0; i < sizeof moduli / sizeof *moduli; i++)
            worst = fmax(worst, dispersion(&taken.fp, fresh, moduli[i]));
        free(fresh);
        vec64_release(&taken.fp);
    }
    print_message("token fingerprints: at most %.2f times binomial\n", worst);
    assert_true(worst <= 1.3);
    buf_release(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_view_follows_its_definition),
        cmocka_unit_test(a_long_word_is_cut),
        cmocka_unit_test(cuts_do_not_matter_around_the_longest_token),
        cmocka_unit_test(neighbouring_words_do_not_cancel),
        cmocka_unit_test(keyed_fingerprints_are_finished),
        cmocka_unit_test(token_fingerprints_disperse),
        cmocka_unit_test(labels_number_the_occurrences),
        cmocka_unit_test(a_keyed_view_without_its_key_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
