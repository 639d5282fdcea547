/*
 * The edit distance of two documents: exact where that is cheap or asked for, else estimated from signatures;
 * with what is to be expected of unrelated texts, and how the differences are spread.
 */
#include "api/edit.h"

#include "align/distance/alphabet.h"
#include "align/distance/distance.h"
#include "align/signature/estimated.h"
#include "align/signature/unrelated.h"
#include "api/limits.h"
#include "api/text.h"
#include "base/alloc.h"
#include "sketch/edit_text.h"
#include "sketch/sketch.h"

#include <math.h>
#include <string.h>

/* Cells of the matrix, as distance.h counts them: tens of milliseconds, and minutes. */
#define WORK_CHEAP ((uint64_t)1 << 33)
#define WORK_BYTE  1024 /* and so many for each byte: no more than reading the text takes */
#define WORK_MOST  ((uint64_t)1 << 44)

enum {
    PIECE = 1 << 15,  /* bytes of a document at a time */
    BLOCK_LEAST = 40, /* bytes of a difference that is a block: about a line */
    WINDOW = 8,       /* of the signatures made here */
    STRETCH = 2000,   /* characters, and pairs of such stretches, that show how far apart unrelated text is */
    STRETCH_PAIRS = 4,
    RATE = 64
};

#define P_UNRELATED     .01 /* texts that chance explains as well as this are not called related, */
#define UNRELATED_SHARE .75 /* nor unrelated, however short, when less than this of the distance is there */

const char *stemma_edit_kind_name(stemma_edit_kind kind) {
    switch (kind) {
    case STEMMA_EDITS_NONE:
        return "none";
    case STEMMA_EDITS_SCATTERED:
        return "scattered";
    case STEMMA_EDITS_BLOCKS:
        return "blocks";
    case STEMMA_EDITS_MIXED:
        return "mixed";
    case STEMMA_EDITS_UNRELATED:
        return "unrelated";
    case STEMMA_EDITS_UNKNOWN:
        return "unknown";
    }
    return "unknown";
}

stemma_edit_options stemma_edit_options_default(void) {
    return (stemma_edit_options){.size = sizeof(stemma_edit_options), .at_most = UINT64_MAX};
}

static stemma_status options_check(const stemma_edit_options *given, stemma_edit_options *out,
                                   stemma_error *err) {
    *out = stemma_edit_options_default();
    TRY(options_take(given, out, sizeof *out, err));
    if (out->mode > STEMMA_EDIT_ESTIMATE)
        return fail(err, STEMMA_INVALID, "no such way to get an edit distance");
    return STEMMA_OK;
}

stemma_edit edit_unknown(const char *why) {
    return (stemma_edit){
        .distance = {.why = why}, .unrelated = {.why = why}, .p_unrelated = 1, .kind = STEMMA_EDITS_UNKNOWN};
}

static stemma_edit edit_from(const struct edit_estimate *estimate, const struct signature *a,
                             const struct signature *b, bool bytes) {
    return (stemma_edit){
        .distance = estimate->distance,
        .unrelated = estimate->unrelated,
        .p_unrelated = estimate->p_unrelated,
        .kind = estimate->kind,
        .blocks = estimate->blocks,
        .length_a = a->length,
        .length_b = b->length,
        .unit = bytes ? STEMMA_EDIT_BYTES : STEMMA_EDIT_CHARACTERS,
    };
}

/* ---- of sketches ---- */

static bool same_digest(const uint8_t *a, const uint8_t *b) {
    return memcmp(a, b, DIGEST_SIZE) == 0;
}

/* Whether the edit texts are the same, as far as digests prove it. Letters that are words by themselves are
 * set off by spaces in the canonical text alone: there, equal canonical texts may still
 * be some edits apart. */
static bool same_edit_text(const struct stemma_sketch *a, const struct stemma_sketch *b) {
    const struct view *view = &a->recipe->view;
    bool set_off = view->unit == UNIT_WORD && view->folds & FOLD_PUNCT;
    return same_digest(a->digest, b->digest) || (!set_off && same_digest(a->text_digest, b->text_digest));
}

static void settle_equal(stemma_edit *edit) {
    edit->distance = (stemma_quantity){.exact = true, .known = true};
    edit->kind = STEMMA_EDITS_NONE;
    edit->blocks = 0;
}

/* Texts that differ where no symbol shows it have few edits, here and there. */
static void settle_unseen(stemma_edit *edit) {
    if (edit->kind == STEMMA_EDITS_UNKNOWN && edit->distance.known) edit->kind = STEMMA_EDITS_SCATTERED;
}

stemma_status edit_of_signatures(const struct signature *a, const struct signature *b, bool bytes,
                                 stemma_edit *out, stemma_error *err) {
    struct edit_estimate estimate;
    TRY(estimate_edit(a, b, &estimate, err));
    *out = edit_from(&estimate, a, b, bytes);
    settle_unseen(out);
    return STEMMA_OK;
}

bool signatures_of(const struct stemma_sketch *a, const struct stemma_sketch *b, struct signature *out_a,
                   struct signature *out_b) {
    struct spec_pair pairs[SPECS_MOST];
    size_t count = recipe_pairs(a->recipe, b->recipe, pairs);
    for (size_t i = 0; i < count; i++) {
        const struct spec *sa = &a->recipe->specs[pairs[i].a], *sb = &b->recipe->specs[pairs[i].b];
        if (sa->scheme != SCHEME_SIGNATURE) continue;
        *out_a = signature_of(&a->parts[pairs[i].a].signature, sa);
        *out_b = signature_of(&b->parts[pairs[i].b].signature, sb);
        return true;
    }
    return false;
}

stemma_status edit_of_sketches(const struct stemma_sketch *a, const struct stemma_sketch *b, stemma_edit *out,
                               stemma_error *err) {
    struct signature signature_a, signature_b;
    struct edit_estimate estimate;
    *out = edit_unknown("it needs a signature of both documents (stemma sketch --signature)");
    if (!signatures_of(a, b, &signature_a, &signature_b)) return STEMMA_OK;
    TRY(estimate_edit(&signature_a, &signature_b, &estimate, err));
    *out = edit_from(&estimate, &signature_a, &signature_b, edit_text_is_bytes(&a->recipe->view));
    if (same_edit_text(a, b))
        settle_equal(out);
    else if (same_digest(a->text_digest, b->text_digest) && out->kind == STEMMA_EDITS_UNKNOWN)
        out->kind = STEMMA_EDITS_NONE;
    else
        settle_unseen(out);
    return STEMMA_OK;
}

/* ---- of texts ---- */

struct side {
    struct edit_side given;
    struct edit_text chars; /* unless bytes are counted */
    struct signature_data signature;
};

static stemma_status read_chars(struct side *side, unsigned folds, stemma_error *err) {
    const struct buf *source = side->given.source;
    TRY(edit_text_init(&side->chars, folds, false, false, err));
    for (size_t at = 0; at < source->len; at += PIECE)
        TRY(edit_text_feed(&side->chars, source->data + at,
                           source->len - at < PIECE ? source->len - at : PIECE, err));
    return edit_text_finish(&side->chars, err);
}

static stemma_status sign(struct side *side, const struct view *view, const struct spec *spec, size_t memory,
                          stemma_error *err) {
    const struct buf *source = side->given.source;
    struct signer *signer;
    TRY(signer_new(view, spec, memory, &signer, err));
    stemma_status status = signer_feed(signer, source->data, source->len, err);
    if (status == STEMMA_OK) status = signer_finish(signer, &side->signature, err);
    signer_free(signer);
    return status;
}

struct pair {
    struct side a, b;
    struct view view; /* as far as it decides the edit text */
    bool bytes;
    double
        calibration; /* what unrelated stretches of these texts measure, by what is expected of such text */
    stemma_limits limits;
};

static stemma_status estimate(struct pair *pair, stemma_edit *out, stemma_error *err) {
    const struct spec spec = {
        .scheme = SCHEME_SIGNATURE, .n = WINDOW, .c = RATE, .alphabet = SIGNATURE_ALPHABET_MOST};
    struct edit_estimate found;
    TRY(sign(&pair->a, &pair->view, &spec, pair->limits.memory, err));
    TRY(sign(&pair->b, &pair->view, &spec, pair->limits.memory, err));
    struct signature a = signature_of(&pair->a.signature, &spec), b = signature_of(&pair->b.signature, &spec);
    TRY(estimate_edit(&a, &b, &found, err));
    *out = edit_from(&found, &a, &b, pair->bytes);
    return STEMMA_OK;
}

/* How far apart the texts' own stretches are that do not correspond: that is better than what any text would
 * give. */
static stemma_status calibrate(struct pair *pair, stemma_error *err) {
    const struct edit_text *sides[2] = {&pair->a.chars, &pair->b.chars};
    double sum = 0, count = 0;
    for (size_t i = 0; i < 2; i++) {
        struct text_span span = {sides[i]->chars, sides[i]->count};
        struct unrelated_sample sample;
        if (span.count < 4 * STRETCH) continue;
        TRY(calibrate_unrelated(&span, 1, STRETCH, STRETCH_PAIRS, &sample, err));
        sum += sample.measured / sample.expected;
        count++;
    }
    if (count > 0) pair->calibration = sum / count;
    return STEMMA_OK;
}

static void put_calibration(const struct pair *pair, stemma_edit *out) {
    uint64_t longer = out->length_a > out->length_b ? out->length_a : out->length_b;
    uint64_t shorter = out->length_a < out->length_b ? out->length_a : out->length_b;
    double *values[] = {&out->unrelated.value, &out->unrelated.low, &out->unrelated.high};
    if (!out->unrelated.known || pair->calibration <= 0) return;
    for (size_t i = 0; i < 3; i++)
        *values[i] = fmax((double)(longer - shorter), fmin((double)longer, *values[i] * pair->calibration));
}

static stemma_status measure(struct pair *pair, const struct distance_limits *limits,
                             struct distance_result *out, stemma_error *err) {
    const struct buf *a = pair->a.given.source, *b = pair->b.given.source;
    if (pair->bytes) return distance_bytes(a->data, a->len, b->data, b->len, limits, out, err);
    const size_t most = limits->memory / (2 * sizeof(uint32_t)); /* growing needs as much again */
    if (a->len > most || b->len > most)
        return fail(err, STEMMA_UNSUPPORTED,
                    "the characters of texts that long need more memory than is allowed");
    TRY(read_chars(&pair->a, pair->view.folds, err));
    TRY(read_chars(&pair->b, pair->view.folds, err));
    TRY(calibrate(pair, err));
    struct edit_text *x = &pair->a.chars, *y = &pair->b.chars;
    int log_width = alphabet_squeeze(x->chars, x->count, y->chars, y->count) ? 0 : 2;
    struct distance_pair chars = {(uint8_t *)x->chars, (uint8_t *)y->chars, x->count, y->count, log_width};
    return distance_by(&chars, DISTANCE_ANY, kernels_get(), limits, out, err);
}

/* An exact distance takes the place of the estimate; one that was given up is a bound for it. */
static void put_distance(const struct distance_result *result, stemma_edit *out) {
    double value = (double)result->distance, least = (double)result->at_least;
    bool exact = !result->exceeded && !result->given_up;
    if (exact && value == 0) {
        settle_equal(out);
        return;
    }
    settle_unseen(out);
    if (exact) {
        out->distance = (stemma_quantity){value, value, value, true, true, NULL};
        return;
    }
    out->more_than = result->at_least ? result->at_least - 1 : 0;
    if (!out->distance.known) return;
    if (out->distance.low < least) out->distance.low = least;
    if (out->distance.value < least) out->distance.value = least;
    if (out->distance.high < least) out->distance.high = least;
}

static uint64_t larger(const stemma_difference *difference) {
    uint64_t a = difference->a.end - difference->a.begin, b = difference->b.end - difference->b.begin;
    return a > b ? a : b;
}

/* How the differences are spread, by their true places. */
static void spread(const stemma_alignment *alignment, stemma_edit *out) {
    size_t count, blocks = 0;
    const stemma_difference *differences = stemma_alignment_differences(alignment, &count);
    for (size_t i = 0; i < count; i++) blocks += larger(&differences[i]) >= BLOCK_LEAST;
    out->blocks = blocks;
    if (count == 0) return; /* the canonical texts may still differ where words do not */
    out->kind = blocks == 0       ? STEMMA_EDITS_SCATTERED
                : blocks == count ? STEMMA_EDITS_BLOCKS
                                  : STEMMA_EDITS_MIXED;
}

/* Whether passages in common are a part of the shorter text worth mentioning. */
static bool shares_passages(const stemma_alignment *alignment, size_t tokens) {
    size_t count, common = 0;
    const stemma_passage *passages = stemma_alignment_shared(alignment, &count);
    for (size_t i = 0; i < count; i++) common += passages[i].tokens;
    return common > tokens / 20;
}

/* As far apart as unrelated texts are, and nothing in common that chance would not explain. */
static bool looks_unrelated(const stemma_edit *edit) {
    return edit->p_unrelated > P_UNRELATED && edit->distance.known && edit->unrelated.known &&
           edit->distance.value >= edit->unrelated.low &&
           edit->distance.value >= UNRELATED_SHARE * edit->unrelated.value;
}

static bool same_source(const struct pair *pair) {
    const struct buf *a = pair->a.given.source, *b = pair->b.given.source;
    return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

static uint64_t cheap_work(const struct pair *pair) {
    return WORK_CHEAP + WORK_BYTE * ((uint64_t)pair->a.given.source->len + pair->b.given.source->len);
}

static stemma_status edit_pair(struct pair *pair, const stemma_alignment *alignment,
                               const stemma_edit_options *options, stemma_edit *out, stemma_error *err) {
    struct distance_result result;
    struct distance_limits limits = {
        .at_most = options->at_most,
        .work = options->mode == STEMMA_EDIT_EXACT ? WORK_MOST : cheap_work(pair),
        .memory = pair->limits.memory,
        .stop = pair->limits.stop,
    };
    stemma_status status = estimate(pair, out, err);
    if (status == STEMMA_UNSUPPORTED)
        *out = edit_unknown("the memory allowed does not suffice");
    else if (status != STEMMA_OK)
        return status;
    if (same_source(pair)) {
        settle_equal(out);
        return STEMMA_OK;
    }
    if (options->mode != STEMMA_EDIT_ESTIMATE) {
        status = measure(pair, &limits, &result, err);
        put_calibration(pair, out);
        if (status == STEMMA_OK)
            put_distance(&result, out);
        else if (status != STEMMA_UNSUPPORTED || options->mode == STEMMA_EDIT_EXACT)
            return status;
    }
    if (out->kind == STEMMA_EDITS_NONE) return STEMMA_OK;
    const size_t a = pair->a.given.tokens, b = pair->b.given.tokens;
    if (alignment) spread(alignment, out);
    if (looks_unrelated(out) && !(alignment && shares_passages(alignment, a < b ? a : b)))
        out->kind = STEMMA_EDITS_UNRELATED;
    else if (out->kind ==
             STEMMA_EDITS_UNRELATED) /* so the signatures said: they missed what the texts share */
        out->kind = STEMMA_EDITS_UNKNOWN;
    return STEMMA_OK;
}

static void side_release(struct side *side) {
    edit_text_release(&side->chars);
    signature_data_release(&side->signature);
}

stemma_status edit_of_sides(struct edit_side a, struct edit_side b, const struct view *view,
                            const stemma_alignment *alignment, const stemma_edit_options *given,
                            const stemma_limits *limits, stemma_edit *out, stemma_error *err) {
    stemma_edit_options options;
    stemma_edit edit;
    struct pair *pair = mem_zero(1, sizeof *pair);
    if (!pair) return fail_memory(err);
    pair->a.given = a;
    pair->b.given = b;
    pair->view = *view;
    pair->bytes = edit_text_is_bytes(view);
    stemma_status status = options_check(given, &options, err);
    if (status == STEMMA_OK) status = limits_check(limits, &pair->limits, err);
    if (status == STEMMA_OK) status = edit_pair(pair, alignment, &options, &edit, err);
    side_release(&pair->a);
    side_release(&pair->b);
    mem_free(pair);
    if (status == STEMMA_OK) *out = edit;
    return status;
}

stemma_status stemma_edit_texts(const stemma_text *a, const stemma_text *b, const stemma_alignment *alignment,
                                const stemma_edit_options *options, const stemma_limits *limits,
                                stemma_edit *out, stemma_error *err) {
    if (!a || !b || !out) return fail(err, STEMMA_INVALID, "two texts and a place for the result are needed");
    if (a->folds != b->folds || a->unit != b->unit)
        return fail(err, STEMMA_MISMATCH, "the texts were not made by the same recipe");
    const struct view view = {.folds = a->folds, .unit = a->unit};
    return edit_of_sides((struct edit_side){&a->source, a->count}, (struct edit_side){&b->source, b->count},
                         &view, alignment, options, limits, out, err);
}
