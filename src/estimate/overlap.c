#include "estimate/overlap.h"

#include "base/alloc.h"
#include "estimate/follow.h"
#include "estimate/glance.h"

enum {
    FOLLOWED_LEAST = 256, /* shorter texts are looked up faster than followed, */
    GLANCED_LEAST = 256   /* or have too few samples to tell */
};

struct overlap_base {
    const struct view *view;
    struct whole *whole, *other; /* of the base, whose fingerprints stay, and of what it is compared with */
    const uint8_t *text;         /* NULL until there is one */
    size_t size;
    bool glanced; /* the glance is made ready */
    struct glance glance;
    bool ready; /* these are made: */
    uint64_t tokens;
    struct tally_base shingles;
    bool mapped, regular; /* mapped: it is known whether tokens are regular, and these are made: */
    struct word_map words;
    struct tally tally;
    struct follow_scratch scratch;
};

stemma_status overlap_base_new(const struct view *view, const struct shingle_tables *tables,
                               struct overlap_base **out, stemma_error *err) {
    struct overlap_base *base = mem_zero(1, sizeof *base);
    if (!base) return fail_memory(err);
    base->view = view;
    glance_init(&base->glance);
    tally_base_init(&base->shingles);
    stemma_status status = whole_new(view, tables, &base->whole, err);
    if (status == STEMMA_OK) status = whole_new(view, tables, &base->other, err);
    if (status != STEMMA_OK) {
        overlap_base_free(base);
        return status;
    }
    *out = base;
    return STEMMA_OK;
}

void overlap_base_free(struct overlap_base *base) {
    if (!base) return;
    whole_free(base->whole);
    whole_free(base->other);
    glance_release(&base->glance);
    word_map_release(&base->words);
    tally_base_release(&base->shingles);
    tally_release(&base->tally);
    follow_scratch_release(&base->scratch);
    mem_free(base);
}

void overlap_base_set(struct overlap_base *base, const uint8_t *text, size_t size) {
    base->text = text;
    base->size = size;
    base->glanced = base->ready = base->mapped = false;
}

static stemma_status check_set(const struct overlap_base *base, stemma_error *err) {
    return base->text ? STEMMA_OK : fail(err, STEMMA_INVALID, "there is no text to compare with");
}

/* ---- at a glance ---- */

static bool is_worth_a_glance(const struct overlap_base *base, size_t size) {
    return whole_samples_fast(base->view) && base->size >= GLANCED_LEAST && size >= GLANCED_LEAST;
}

static stemma_status make_glance(struct overlap_base *base, stemma_error *err) {
    const uint64_t *fp;
    size_t count;
    if (base->glanced) return STEMMA_OK;
    TRY(whole_samples(base->other, base->text, base->size, GLANCE_MODULUS, &fp, &count, err));
    TRY(glance_set(&base->glance, fp, count, err));
    base->glanced = true;
    return STEMMA_OK;
}

static stemma_status look_at_samples(struct overlap_base *base, const uint8_t *text, size_t size,
                                     const struct overlap_aim *aim, bool *hopeless, stemma_error *err) {
    const uint64_t *fp;
    size_t count;
    TRY(make_glance(base, err));
    TRY(whole_samples(base->other, text, size, GLANCE_MODULUS, &fp, &count, err));
    return glance_at(&base->glance, fp, count, aim, hopeless, err);
}

/* ---- exactly ---- */

static bool words_are_spaced(const struct view *view) {
    return view->unit == UNIT_WORD && view->folds == FOLD_TEXT && view->hash != HASH_PADDED;
}

/* Whether equal bytes mean equal shingles, token by token. */
static bool can_follow(const struct view *view) {
    return !view->labelled && (view->unit == UNIT_BYTE || words_are_spaced(view));
}

static stemma_status make_ready(struct overlap_base *base, stemma_error *err) {
    const uint64_t *fp;
    size_t count;
    if (base->ready) return STEMMA_OK;
    TRY(whole_shingles(base->whole, base->text, base->size, &fp, &count, &base->tokens, err));
    TRY(tally_base_set(&base->shingles, fp, count, err));
    base->ready = true;
    return STEMMA_OK;
}

/* A word so long that it is cut is not one token; a text shorter than a window is
 * a shingle of another kind. */
static stemma_status make_map(struct overlap_base *base, stemma_error *err) {
    if (base->mapped) return STEMMA_OK;
    base->regular = base->tokens >= base->view->window;
    if (base->regular && base->view->unit == UNIT_WORD) {
        if (!word_map_set(&base->words, base->text, base->size)) return fail_memory(err);
        base->regular = base->words.count == base->tokens;
    }
    base->mapped = true;
    return STEMMA_OK;
}

static bool is_worth_following(const struct overlap_base *base, size_t size) {
    return can_follow(base->view) && base->size >= FOLLOWED_LEAST && base->size <= WORD_MAP_MOST &&
           size >= FOLLOWED_LEAST && size <= WORD_MAP_MOST;
}

static stemma_status follow_text(struct overlap_base *base, const uint8_t *text, size_t size,
                                 const struct overlap_aim *aim, struct overlap *out, enum follow_end *end,
                                 stemma_error *err) {
    const struct follow_base a = {.text = base->text,
                                  .size = base->size,
                                  .window = base->view->window,
                                  .words = base->view->unit == UNIT_BYTE ? NULL : &base->words,
                                  .shingles = &base->shingles};
    TRY(make_map(base, err));
    if (!base->regular) return STEMMA_OK;
    TRY(tally_begin(&base->tally, &base->shingles, err));
    TRY(follow(&a, text, size, aim, base->other, &base->scratch, &base->tally, end, err));
    return *end == FOLLOW_DONE ? tally_end(&base->tally, &base->shingles, out, err) : STEMMA_OK;
}

static stemma_status look_up(struct overlap_base *base, const uint8_t *text, size_t size, struct overlap *out,
                             stemma_error *err) {
    const uint64_t *fp;
    size_t count;
    uint64_t tokens;
    TRY(whole_shingles(base->other, text, size, &fp, &count, &tokens, err));
    return tally_all(&base->tally, &base->shingles, fp, count, out, err);
}

stemma_status overlap_with(struct overlap_base *base, const uint8_t *text, size_t size,
                           const struct overlap_aim *aim, struct overlap *out, bool *hopeless,
                           stemma_error *err) {
    enum follow_end end = FOLLOW_IRREGULAR;
    bool given_up = false;
    TRY(check_set(base, err));
    if (aim && is_worth_a_glance(base, size)) TRY(look_at_samples(base, text, size, aim, &given_up, err));
    if (!given_up) {
        TRY(make_ready(base, err));
        if (is_worth_following(base, size)) TRY(follow_text(base, text, size, aim, out, &end, err));
        if (end == FOLLOW_IRREGULAR) TRY(look_up(base, text, size, out, err));
        given_up = end == FOLLOW_HOPELESS;
    }
    if (aim) *hopeless = given_up;
    return STEMMA_OK;
}
