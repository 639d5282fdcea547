/*
 * Whole documents in memory: their fingerprints are the shingler's, and the overlap of two is that of their
 * sorted sets, for every view, on texts that were changed, moved about, repeated, or have nothing to do with
 * each other.
 */
#include "base/bits.h"
#include "base/rng.h"
#include "base/sort.h"
#include "effort.h"
#include "estimate/distinct.h"
#include "estimate/glance.h"
#include "estimate/overlap.h"
#include "shingle/labels.h"
#include "shingle/whole.h"
#include "text/word_map.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- the twin ---- */

static stemma_status take(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                          size_t token_count, stemma_error *err) {
    (void)tokens, (void)token_count, (void)err;
    for (size_t i = 0; i < count; i++) assert_true(vec64_add(context, fp[i]));
    return STEMMA_OK;
}

/* Fingerprints of a document as read, through a new shingler, with labels where the view has them. */
static uint64_t twin_shingles(const struct view *view, const struct shingle_tables *tables,
                              const struct buf *bytes, struct vec64 *out) {
    struct shingler *shingler;
    struct labeller *labeller = NULL;
    struct shingle_sink sink = {.context = out, .take = take};
    out->len = 0;
    if (view->labelled) {
        assert_int_equal(labeller_new(view->width, sink, SIZE_MAX, NULL, &labeller, NULL), STEMMA_OK);
        sink = labeller_sink(labeller);
    }
    assert_int_equal(shingler_new(view, tables, sink, (struct text_sink){0}, &shingler, NULL), STEMMA_OK);
    assert_int_equal(shingler_feed(shingler, bytes->data, bytes->len, NULL), STEMMA_OK);
    assert_int_equal(shingler_finish(shingler, NULL), STEMMA_OK);
    if (labeller) assert_int_equal(labeller_finish(labeller, NULL), STEMMA_OK);
    uint64_t tokens = shingler_tokens(shingler);
    shingler_free(shingler);
    labeller_free(labeller);
    return tokens;
}

static void make_set(struct vec64 *fp) {
    assert_true(sort_u64(fp->data, fp->len));
    fp->len = unique_u64(fp->data, fp->len);
}

/* ---- documents ---- */

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
                                     "lorem ",
                                     "ipsum\n"};

/* From few words, so that passages repeat, or from many. */
static void add_prose(struct buf *out, size_t size, uint64_t *state) {
    bool rich = rng_below(state, 2);
    for (size_t end = out->len + size; out->len < end;) {
        if (rich && rng_below(state, 4))
            assert_true(buf_add_format(out, "w%x ", (unsigned)rng_below(state, 5000)));
        else
            assert_true(buf_add_string(out, pieces[rng_below(state, 16)]));
    }
}

static void add_periodic(struct buf *out, size_t size, uint64_t *state) {
    struct buf period = {0};
    add_prose(&period, 1 + rng_below(state, 1 + rng_below(state, 200)), state);
    size_t length = rng_below(state, 3) ? period.len : 1;
    for (size_t end = out->len + size; out->len < end;) assert_true(buf_add(out, period.data, length));
    buf_release(&period);
}

static void add_cjk(struct buf *out, size_t size, uint64_t *state) {
    for (size_t end = out->len + size; out->len < end;) {
        unsigned cp = 0x4e00 + (unsigned)rng_below(state, 300);
        uint8_t bytes[] = {(uint8_t)(0xe0 | cp >> 12), (uint8_t)(0x80 | (cp >> 6 & 0x3f)),
                           (uint8_t)(0x80 | (cp & 0x3f))};
        assert_true(buf_add(out, bytes, 3));
    }
}

static void add_text(struct buf *out, size_t size, uint64_t *state) {
    void (*const kinds[])(struct buf *, size_t, uint64_t *) = {add_prose, add_prose, add_periodic, add_cjk};
    kinds[rng_below(state, 4)](out, size, state);
}

/* Replace [at, at + size) by other bytes. */
static void splice(struct buf *text, size_t at, size_t size, const void *bytes, size_t length) {
    struct buf out = {0};
    assert_true(buf_add(&out, text->data, at));
    assert_true(buf_add(&out, bytes, length));
    assert_true(buf_add(&out, text->data + at + size, text->len - at - size));
    buf_release(text);
    *text = out;
}

/* One change: a byte, a stretch left out, put in, moved or repeated. */
static void mutate(struct buf *text, uint64_t *state) {
    size_t at = rng_below(state, text->len + 1), left = text->len - at;
    size_t size = rng_below(state, 1 + rng_below(state, (left < 300 ? left : 300) + 1));
    struct buf fresh = {0};
    uint8_t letter = (uint8_t)"ab \n."[rng_below(state, 5)];
    switch (rng_below(state, 6)) {
    case 0:
        splice(text, at, size, NULL, 0);
        break;
    case 1:
        add_text(&fresh, size, state);
        splice(text, at, rng_below(state, 2) ? size : 0, fresh.data, fresh.len);
        break;
    case 2:
        assert_true(buf_add(&fresh, text->data + at, size));
        if (rng_below(state, 2)) splice(text, at, size, NULL, 0);
        splice(text, rng_below(state, text->len + 1), 0, fresh.data, fresh.len);
        break;
    default:
        splice(text, at, left && rng_below(state, 3) ? 1 : 0, &letter, rng_below(state, 4) ? 1 : 0);
    }
    buf_release(&fresh);
}

/* ---- views ---- */

struct reading {
    struct view view;
    struct shingle_tables tables;
};

static void reading_init(struct reading *r, uint64_t *state) {
    const unsigned folds[] = {FOLD_RAW, FOLD_CODE, FOLD_TEXT, FOLD_TEXT, FOLD_CASE, FOLD_PUNCT | FOLD_SPACE};
    const uint32_t windows[] = {1, 2, 5, 5, 20, 20, 37, 200};
    *r = (struct reading){.view = {.folds = folds[rng_below(state, 6)],
                                   .unit = (enum unit)rng_below(state, 4),
                                   .window = windows[rng_below(state, 8)],
                                   .labelled = rng_below(state, 8) == 0,
                                   .hash = rng_below(state, 2) ? HASH_MIX : HASH_RABIN,
                                   .width = rng_below(state, 3) ? 64 : 32 + (int)rng_below(state, 33),
                                   .seed = rng_next(state)}};
    struct view *view = &r->view;
    if (view->unit == UNIT_WORD && rng_below(state, 6) == 0) view->hash = HASH_PADDED;
    view->keyed = view->has_secret = rng_below(state, 8) == 0;
    if (view->keyed) view->secret = view->finish[0] = view->finish[1] = rng_next(state);
    if (rng_below(state, 3) == 0)
        *view =
            (struct view){.folds = FOLD_TEXT, .unit = UNIT_WORD, .window = 5, .hash = HASH_MIX, .width = 64};
    assert_int_equal(shingle_tables_init(&r->tables, view, NULL), STEMMA_OK);
}

/* ---- whole documents ---- */

static stemma_status collect(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                             size_t token_count, stemma_error *err) {
    (void)tokens, (void)token_count, (void)err;
    return vec64_add_all(context, fp, count) ? STEMMA_OK : STEMMA_NO_MEMORY;
}

/* In room that is just enough, which never moves. */
static void same_pieces(struct whole *whole, const struct buf *bytes, const struct vec64 *expected) {
    size_t room = canon_most(bytes->len) + KERNEL_SLACK;
    struct buf text = {0};
    struct vec64 fp = {0};
    bool done;
    assert_true(buf_reserve(&text, room));
    text.cap = room;
    const uint8_t *place = text.data;
    assert_int_equal(whole_canon_to(whole, bytes->data, bytes->len, &text, NULL), STEMMA_OK);
    assert_ptr_equal(text.data, place);
    assert_int_equal(text.cap, room);
    struct shingle_sink sink = {.context = &fp, .take = collect};
    assert_int_equal(whole_pieces(whole, text.data, text.len, sink, &done, NULL), STEMMA_OK);
    if (done) assert_int_equal(fp.len, expected->len);
    if (done) assert_memory_equal(fp.data, expected->data, fp.len * sizeof *fp.data);
    vec64_release(&fp);
    buf_release(&text);
}

static void same_shingles(struct whole *whole, const struct reading *r, const struct buf *bytes) {
    const uint8_t *text;
    const uint64_t *fp;
    size_t size, count;
    uint64_t tokens;
    struct vec64 expected = {0};
    assert_int_equal(whole_canon(whole, bytes->data, bytes->len, &text, &size, NULL), STEMMA_OK);
    assert_int_equal(whole_shingles(whole, text, size, &fp, &count, &tokens, NULL), STEMMA_OK);
    assert_int_equal(tokens, twin_shingles(&r->view, &r->tables, bytes, &expected));
    assert_int_equal(count, expected.len);
    if (count) assert_memory_equal(fp, expected.data, count * sizeof *fp);
    same_pieces(whole, bytes, &expected);
    vec64_release(&expected);
}

static void whole_documents_have_the_shinglers_fingerprints(void **unused) {
    (void)unused;
    uint64_t state = 1;
    for (size_t round = 0; round < effort(120); round++) {
        struct reading r;
        struct whole *whole;
        reading_init(&r, &state);
        assert_int_equal(whole_new(&r.view, &r.tables, &whole, NULL), STEMMA_OK);
        for (int i = 0; i < 6; i++) {
            struct buf bytes = {0};
            add_text(&bytes, rng_below(&state, i < 3 ? 60 : i < 5 ? 5000 : 100000), &state);
            same_shingles(whole, &r, &bytes);
            buf_release(&bytes);
        }
        whole_free(whole);
        shingle_tables_release(&r.tables);
    }
}

/* Words at and around what is hashed at a time, and what is the longest token. */
static void long_words_are_cut_alike(void **unused) {
    (void)unused;
    struct reading r = {
        .view = {.folds = FOLD_TEXT, .unit = UNIT_WORD, .window = 2, .hash = HASH_MIX, .width = 64}};
    const size_t lengths[] = {16383, 16384, 16385, 65535, 65536, 65537, 200000};
    struct whole *whole;
    assert_int_equal(shingle_tables_init(&r.tables, &r.view, NULL), STEMMA_OK);
    assert_int_equal(whole_new(&r.view, &r.tables, &whole, NULL), STEMMA_OK);
    for (size_t i = 0; i < 7; i++)
        for (int where = 0; where < 3; where++) {
            struct buf bytes = {0};
            if (where > 0) assert_true(buf_add_string(&bytes, "some words before "));
            for (size_t n = 0; n < lengths[i]; n++) assert_true(buf_add_byte(&bytes, 'x'));
            if (where < 2) assert_true(buf_add_string(&bytes, " and some behind"));
            same_shingles(whole, &r, &bytes);
            buf_release(&bytes);
        }
    whole_free(whole);
    shingle_tables_release(&r.tables);
}

static void a_view_without_its_key_is_refused(void **unused) {
    (void)unused;
    struct view view = {.unit = UNIT_BYTE, .window = 3, .hash = HASH_MIX, .width = 64, .keyed = true};
    struct shingle_tables none = {0};
    struct whole *whole = NULL;
    struct overlap_base *base = NULL;
    assert_int_equal(whole_new(&view, &none, &whole, NULL), STEMMA_INVALID);
    assert_int_equal(overlap_base_new(&view, &none, &base, NULL), STEMMA_INVALID);
    assert_null(whole);
    assert_null(base);
}

/* ---- overlaps ---- */

/* The canonical text in memory of its own size and slack, so that a sanitizer sees a read behind it. */
static uint8_t *canonical(struct whole *whole, const struct buf *bytes, size_t *size) {
    const uint8_t *text;
    assert_int_equal(whole_canon(whole, bytes->data, bytes->len, &text, size, NULL), STEMMA_OK);
    uint8_t *copy = malloc(*size + KERNEL_SLACK);
    memcpy(copy, text, *size);
    memset(copy + *size, 0xee, KERNEL_SLACK);
    return copy;
}

static struct overlap twin_overlap(const struct reading *r, const struct buf *a, const struct buf *b) {
    struct vec64 x = {0}, y = {0};
    twin_shingles(&r->view, &r->tables, a, &x);
    twin_shingles(&r->view, &r->tables, b, &y);
    make_set(&x);
    make_set(&y);
    struct overlap out = {x.len, y.len, common_u64(x.data, x.len, y.data, y.len)};
    vec64_release(&x);
    vec64_release(&y);
    return out;
}

/* What reaches the aim is never given up, and what is not given up has the same numbers. */
static void same_hope(struct overlap_base *base, const uint8_t *text, size_t size,
                      const struct overlap *expected) {
    double a = (double)expected->a, b = (double)expected->b, common = (double)expected->common;
    double resemblance = common / (a + b - common), contained = common / (a < b ? a : b);
    const struct overlap_aim aims[] = {{resemblance, 0}, {1, contained}, {resemblance, contained}};
    for (int i = 0; common > 0 && i < 3; i++) {
        bool hopeless = true;
        struct overlap found = {0};
        assert_int_equal(overlap_with(base, text, size, &aims[i], &found, &hopeless, NULL), STEMMA_OK);
        assert_false(hopeless);
        assert_memory_equal(&found, expected, sizeof found);
    }
}

/* What is given up does not reach the aim. */
static void no_hope(struct overlap_base *base, const uint8_t *text, size_t size,
                    const struct overlap *expected) {
    const struct overlap_aim aim = {.7, .9};
    double a = (double)expected->a, b = (double)expected->b, common = (double)expected->common;
    struct overlap found = {0};
    bool hopeless = true;
    assert_int_equal(overlap_with(base, text, size, &aim, &found, &hopeless, NULL), STEMMA_OK);
    if (hopeless) assert_true(common < .7 * (a + b - common) && common < .9 * a && common < .9 * b);
}

static void same_overlap(struct overlap_base *base, struct whole *whole, const struct reading *r,
                         const struct buf *a, const struct buf *b) {
    struct overlap expected = twin_overlap(r, a, b), found;
    size_t size;
    uint8_t *text = canonical(whole, b, &size);
    assert_int_equal(overlap_with(base, text, size, NULL, &found, NULL, NULL), STEMMA_OK);
    assert_int_equal(found.a, expected.a);
    assert_int_equal(found.b, expected.b);
    assert_int_equal(found.common, expected.common);
    same_hope(base, text, size, &expected);
    no_hope(base, text, size, &expected);
    free(text);
}

/* A document against itself, mutated copies, and another. */
static void compare_with_copies(struct overlap_base *base, struct whole *whole, const struct reading *r,
                                const struct buf *a, uint64_t *state) {
    size_t size;
    uint8_t *text = canonical(whole, a, &size);
    struct buf other = {0}, copy = {0};
    overlap_base_set(base, text, size);
    same_overlap(base, whole, r, a, a);
    assert_true(buf_add(&copy, a->data, a->len));
    for (int i = 0; i < 4; i++) {
        for (size_t changes = 1 + rng_below(state, 12); changes; changes--) mutate(&copy, state);
        same_overlap(base, whole, r, a, &copy);
    }
    add_text(&other, rng_below(state, 3000), state);
    same_overlap(base, whole, r, a, &other);
    assert_true(buf_add(&other, copy.data, copy.len)); /* of which the copy is a part */
    same_overlap(base, whole, r, a, &other);
    other.len = 0;
    same_overlap(base, whole, r, a, &other);
    buf_release(&other);
    buf_release(&copy);
    free(text);
}

static void overlaps_are_those_of_the_sets(void **unused) {
    (void)unused;
    uint64_t state = 2;
    for (size_t round = 0; round < effort(300); round++) {
        struct reading r;
        struct whole *whole;
        struct overlap_base *base;
        reading_init(&r, &state);
        assert_int_equal(whole_new(&r.view, &r.tables, &whole, NULL), STEMMA_OK);
        assert_int_equal(overlap_base_new(&r.view, &r.tables, &base, NULL), STEMMA_OK);
        for (int i = 0; i < 3; i++) {
            struct buf a = {0};
            add_text(&a, rng_below(&state, i == 0 ? 400 : 6000), &state);
            compare_with_copies(base, whole, &r, &a, &state);
            buf_release(&a);
        }
        overlap_base_free(base);
        whole_free(whole);
        shingle_tables_release(&r.tables);
    }
}

/* ---- at a glance ---- */

/* Exactly: the probability that of `all` samples at most `common` are in common. */
static double binomial_tail(uint64_t all, uint64_t common, double share) {
    double sum = 0;
    for (uint64_t i = 0; i <= common; i++)
        sum += exp(lgamma((double)all + 1) - lgamma((double)i + 1) - lgamma((double)(all - i) + 1) +
                   (double)i * log(share) + (double)(all - i) * log(1 - share));
    return sum;
}

static void only_what_cannot_be_is_hopeless(void **unused) {
    (void)unused;
    uint64_t state = 7;
    size_t given_up = 0;
    for (size_t round = 0; round < effort(3000); round++) {
        uint64_t all = 1 + rng_below(&state, 400), common = rng_below(&state, all + 1);
        double share = .3 + (double)rng_below(&state, 70) / 100;
        struct overlap samples = {all, common, common}; /* a resemblance of common / all */
        const struct overlap_aim resembling = {share, 0}, containing = {1, share};
        bool hopeless = glance_is_hopeless(&samples, &resembling);
        if (hopeless) assert_true(binomial_tail(all, common, share) < 1e-6);
        if (hopeless) assert_true((double)common < share * (double)all);
        if ((double)common < .5 * share * (double)all && all > 300) assert_true(hopeless);
        given_up += hopeless;
        if (common > 0) assert_false(glance_is_hopeless(&samples, &containing)); /* b is contained in a */
    }
    assert_true(given_up > 0);
    assert_false(glance_is_hopeless(&(struct overlap){0, 0, 0}, &(struct overlap_aim){1, 1}));
    assert_true(glance_is_hopeless(&(struct overlap){2, 2, 1}, &(struct overlap_aim){1, 0}));
}

/* Bytes by samples, words when enough of them were looked for. */
static void unrelated_texts_are_hopeless(void **unused) {
    (void)unused;
    const struct view views[] = {
        {.folds = FOLD_TEXT, .unit = UNIT_WORD, .window = 5, .hash = HASH_MIX, .width = 64},
        {.folds = FOLD_RAW, .unit = UNIT_BYTE, .window = 20, .hash = HASH_RABIN, .width = 64}};
    const struct overlap_aim aim = {.7, .9};
    uint64_t state = 8;
    for (int v = 0; v < 2; v++) {
        struct reading r = {.view = views[v]};
        struct overlap_base *base;
        struct buf a = {0}, b = {0};
        bool hopeless = false;
        struct overlap found = {.common = 77};
        for (int i = 0; i < 6000; i++)
            assert_true(buf_add_format(i < 4000 ? &a : &b, "%x ", (unsigned)rng_next(&state)));
        assert_true(buf_reserve(&a, KERNEL_SLACK) && buf_reserve(&b, KERNEL_SLACK));
        assert_int_equal(shingle_tables_init(&r.tables, &r.view, NULL), STEMMA_OK);
        assert_int_equal(overlap_base_new(&r.view, &r.tables, &base, NULL), STEMMA_OK);
        overlap_base_set(base, a.data, a.len - 1);
        assert_int_equal(overlap_with(base, b.data, b.len / 2, &aim, &found, &hopeless, NULL), STEMMA_OK);
        assert_true(hopeless);
        assert_int_equal(found.common, 77);
        assert_int_equal(overlap_with(base, a.data, a.len / 2, &aim, &found, &hopeless, NULL), STEMMA_OK);
        assert_false(hopeless);
        overlap_base_free(base);
        shingle_tables_release(&r.tables);
        buf_release(&a);
        buf_release(&b);
    }
}

/* Numbers that reach an aim are within the limit, whatever more shingles b was thought to have. */
static void limits_are_for_what_does_not_reach(void **unused) {
    (void)unused;
    uint64_t state = 9, within = 0;
    for (size_t round = 0; round < effort(20000); round++) {
        uint64_t a = 1 + rng_below(&state, 300), b = 1 + rng_below(&state, 300);
        uint64_t common = rng_below(&state, (a < b ? a : b) + 1), most = b + rng_below(&state, 20);
        double resemblance = (double)common / (double)(a + b - common);
        const struct overlap_aim aim = {.3 + (double)rng_below(&state, 70) / 100,
                                        rng_below(&state, 2) ? .5 + (double)rng_below(&state, 50) / 100 : 0};
        double contained = (double)common / (double)(a < b ? a : b);
        bool reached = resemblance >= aim.resemblance || (aim.contained > 0 && contained >= aim.contained);
        bool may = (double)(b - common) <= reach_limit(&aim, a, most);
        if (reached) assert_true(may);
        within += may;
    }
    assert_true(within < effort(20000) * 9 / 10);
}

/* ---- texts that would take a square of their size, if nothing kept it linear ---- */

static void compare_large(struct view view, const struct buf *a, const struct buf *b) {
    struct reading r = {.view = view};
    struct whole *whole;
    struct overlap_base *base;
    size_t size;
    assert_int_equal(shingle_tables_init(&r.tables, &r.view, NULL), STEMMA_OK);
    assert_int_equal(whole_new(&r.view, &r.tables, &whole, NULL), STEMMA_OK);
    assert_int_equal(overlap_base_new(&r.view, &r.tables, &base, NULL), STEMMA_OK);
    uint8_t *text = canonical(whole, a, &size);
    overlap_base_set(base, text, size);
    same_overlap(base, whole, &r, a, b);
    same_overlap(base, whole, &r, a, a);
    free(text);
    overlap_base_free(base);
    whole_free(whole);
    shingle_tables_release(&r.tables);
}

/* `size` bytes of a unit repeated, and broken by something else every so often. */
static void add_broken(struct buf *out, const char *unit, size_t size, size_t every, const char *other) {
    for (size_t end = out->len + size, next = out->len + every; out->len < end;) {
        assert_true(buf_add_string(out, unit));
        if (out->len < next) continue;
        assert_true(buf_add_string(out, other));
        next = out->len + every;
    }
}

static void repetitive_texts_take_linear_time(void **unused) {
    (void)unused;
    const struct {
        const char *unit;
        size_t every_a, every_b;
    } kinds[] = {{"a", SIZE_MAX / 2, SIZE_MAX / 2},
                 {"a", 90, 70},
                 {"a", 1000, 300},
                 {"a ", 90, 50},
                 {"a ", 3000, 100},
                 {"one line\n", 60, 51},
                 {"ab", 4001, 77},
                 {"a b c ", 60, 61},
                 {"a", 1025, 1024},
                 {"a ", 2050, 2048}};
    const struct view views[] = {
        {.folds = FOLD_TEXT, .unit = UNIT_WORD, .window = 5, .hash = HASH_MIX, .width = 64},
        {.folds = FOLD_TEXT, .unit = UNIT_WORD, .window = 1024, .hash = HASH_MIX, .width = 64},
        {.folds = FOLD_RAW, .unit = UNIT_BYTE, .window = 20, .hash = HASH_RABIN, .width = 64},
        {.folds = FOLD_RAW, .unit = UNIT_BYTE, .window = 1024, .hash = HASH_RABIN, .width = 64}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t v = 0; v < sizeof views / sizeof *views; v++) {
            struct buf a = {0}, b = {0};
            add_broken(&a, kinds[k].unit, effort(300000), kinds[k].every_a, "x ");
            add_broken(&b, kinds[k].unit, effort(300000), kinds[k].every_b, k % 2 ? " yz " : "x ");
            compare_large(views[v], &a, &b);
            buf_release(&a);
            buf_release(&b);
        }
}

/* A word so long that it is cut into tokens, in either text, or both. */
static void long_words_are_compared(void **unused) {
    (void)unused;
    const struct view view = {
        .folds = FOLD_TEXT, .unit = UNIT_WORD, .window = 3, .hash = HASH_MIX, .width = 64};
    struct buf texts[3] = {{0}};
    uint64_t state = 5;
    add_prose(&texts[0], 3000, &state);
    for (int i = 1; i < 3; i++) {
        assert_true(buf_add(&texts[i], texts[0].data, texts[0].len));
        struct buf word = {0};
        add_broken(&word, "x", i == 1 ? 70000 : 140000, SIZE_MAX / 2, "");
        splice(&texts[i], 1500, 0, word.data, word.len);
        buf_release(&word);
    }
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) compare_large(view, &texts[a], &texts[b]);
    for (int i = 0; i < 3; i++) buf_release(&texts[i]);
}

static void nothing_is_compared_before_it_is_set(void **unused) {
    (void)unused;
    const struct view view = {.unit = UNIT_BYTE, .window = 3, .hash = HASH_MIX, .width = 64};
    struct shingle_tables tables;
    struct overlap_base *base;
    struct overlap out = {7, 7, 7};
    uint8_t text[KERNEL_SLACK] = {0};
    assert_int_equal(shingle_tables_init(&tables, &view, NULL), STEMMA_OK);
    assert_int_equal(overlap_base_new(&view, &tables, &base, NULL), STEMMA_OK);
    bool hopeless = true;
    const struct overlap_aim aim = {.7, .9};
    assert_int_equal(overlap_with(base, text, 0, NULL, &out, NULL, NULL), STEMMA_INVALID);
    assert_int_equal(out.a, 7);
    assert_int_equal(overlap_with(base, text, 0, &aim, &out, &hopeless, NULL), STEMMA_INVALID);
    assert_true(hopeless);
    overlap_base_free(base);
    shingle_tables_release(&tables);
}

/* ---- the parts ---- */

static void ranges_of_bits_are_those_of_single_bits(void **unused) {
    (void)unused;
    enum { BITS = 400 };
    uint64_t state = 3;
    for (size_t round = 0; round < effort(3000); round++) {
        uint64_t words[BITS / 64 + 2] = {0};
        bool expected[BITS] = {0};
        for (int step = 0; step < 8; step++) {
            size_t at = rng_below(&state, BITS), count = rng_below(&state, BITS - at + 1);
            bool value = rng_below(&state, 3);
            (value ? bits_set_range : bits_clear_range)(words, at, count);
            for (size_t i = at; i < at + count; i++) expected[i] = value;
        }
        size_t half = BITS / 2, from = rng_below(&state, half), to = half + rng_below(&state, half);
        size_t count = rng_below(&state, (half - from < BITS - to ? half - from : BITS - to) + 1);
        bits_or_range(words, to, from, count);
        for (size_t i = 0; i < count; i++) expected[to + i] |= expected[from + i];
        size_t set = 0, counted = 0;
        for (size_t i = 0; i < BITS; i++) assert_int_equal(words[i / 64] >> i % 64 & 1, expected[i]);
        for (size_t i = 0; i < BITS; i++) set += expected[i];
        for (size_t i = 0; i <= BITS / 64; i++) counted += bits_count(words[i]);
        assert_int_equal(counted, set);
        assert_int_equal(words[BITS / 64] >> BITS % 64, 0);
    }
}

static void a_word_map_knows_every_byte(void **unused) {
    (void)unused;
    struct word_map map = {0};
    uint64_t state = 4;
    for (size_t round = 0; round < effort(500); round++) {
        size_t size = rng_below(&state, 400), word = 0;
        uint8_t text[400 + KERNEL_SLACK];
        const char *letters = rng_below(&state, 2) ? "a  \xa0!\x20" : "ab \x21\x1f\x30";
        for (size_t i = 0; i < size; i++) text[i] = (uint8_t)letters[rng_below(&state, 6)];
        assert_true(word_map_set(&map, text, size));
        assert_int_equal(map.starts[0], 0);
        for (size_t i = 0; i < size; i++) {
            assert_int_equal(word_map_find(&map, i), word);
            if (text[i] == ' ') assert_int_equal(map.starts[++word], i + 1);
        }
        assert_int_equal(map.count, word + 1);
        assert_int_equal(map.starts[map.count], size + 1);
        assert_int_equal(word_map_find(&map, size), word);
    }
    word_map_release(&map);
}

static void distinct_fingerprints_are_counted(void **unused) {
    (void)unused;
    struct distinct scratch = {0};
    struct vec64 values = {0};
    uint64_t state = 6;
    for (size_t round = 0; round < effort(300); round++) {
        size_t count = rng_below(&state, 3000), kinds = 1 + rng_below(&state, 6000), found;
        int shift = (int)rng_below(&state, 60);
        values.len = 0;
        for (size_t i = 0; i < count; i++) assert_true(vec64_add(&values, rng_below(&state, kinds) << shift));
        assert_int_equal(distinct_count(&scratch, values.data, count, &found, NULL), STEMMA_OK);
        make_set(&values);
        assert_int_equal(found, values.len);
    }
    distinct_release(&scratch);
    vec64_release(&values);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_documents_have_the_shinglers_fingerprints),
        cmocka_unit_test(long_words_are_cut_alike),
        cmocka_unit_test(a_view_without_its_key_is_refused),
        cmocka_unit_test(overlaps_are_those_of_the_sets),
        cmocka_unit_test(only_what_cannot_be_is_hopeless),
        cmocka_unit_test(unrelated_texts_are_hopeless),
        cmocka_unit_test(limits_are_for_what_does_not_reach),
        cmocka_unit_test(repetitive_texts_take_linear_time),
        cmocka_unit_test(long_words_are_compared),
        cmocka_unit_test(nothing_is_compared_before_it_is_set),
        cmocka_unit_test(ranges_of_bits_are_those_of_single_bits),
        cmocka_unit_test(a_word_map_knows_every_byte),
        cmocka_unit_test(distinct_fingerprints_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
