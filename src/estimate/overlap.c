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
    const uint64_t *fp; /* NULL until they are needed */
    size_t count;
    uint64_t tokens;
    bool ready, followed; /* ready: all that follows is made */
    struct word_map words;
    struct tally_base shingles;
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
    base->fp = NULL;
    base->glanced = base->ready = false;
}

static stemma_status check_set(const struct overlap_base *base, stemma_error *err) {
    return base->text ? STEMMA_OK : fail(err, STEMMA_INVALID, "there is no text to compare with");
}

static stemma_status make_shingles(struct overlap_base *base, stemma_error *err) {
    if (base->fp) return STEMMA_OK;
    return whole_shingles(base->whole, base->text, base->size, &base->fp, &base->count, &base->tokens, err);
}

/* ---- at a glance ---- */

/* Where samples cost as much as all shingles, those of the other text must be worth it. */
static bool is_worth_a_glance(const struct overlap_base *base, size_t size) {
    if (base->view->labelled || base->size < GLANCED_LEAST || size < GLANCED_LEAST) return false;
    return whole_samples_fast(base->view) || size <= base->size / 2;
}

static stemma_status make_glance(struct overlap_base *base, stemma_error *err) {
    const uint64_t *fp;
    size_t count;
    if (base->glanced) return STEMMA_OK;
    if (whole_samples_fast(base->view)) {
        TRY(whole_samples(base->other, base->text, base->size, GLANCE_MODULUS, &fp, &count, err));
        TRY(glance_set(&base->glance, fp, count, err));
    } else {
        TRY(make_shingles(base, err));
        TRY(glance_set(&base->glance, base->fp, base->count, err));
    }
    base->glanced = true;
    return STEMMA_OK;
}

stemma_status overlap_hopeless(struct overlap_base *base, const uint8_t *text, size_t size,
                               const struct overlap_aim *aim, bool *hopeless, stemma_error *err) {
    const uint64_t *fp;
    size_t count;
    TRY(check_set(base, err));
    *hopeless = false;
    if (!is_worth_a_glance(base, size)) return STEMMA_OK;
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

/* A word so long that it is cut is not one token; a text shorter than a window is a shingle of another kind.
 */
static stemma_status prepare_to_follow(struct overlap_base *base, uint64_t tokens, stemma_error *err) {
    base->followed = can_follow(base->view) && base->size >= FOLLOWED_LEAST && base->size <= WORD_MAP_MOST &&
                     tokens >= base->view->window;
    if (!base->followed || base->view->unit == UNIT_BYTE) return STEMMA_OK;
    if (!word_map_set(&base->words, base->text, base->size)) return fail_memory(err);
    base->followed = base->words.count == tokens;
    return STEMMA_OK;
}

static stemma_status make_ready(struct overlap_base *base, stemma_error *err) {
    if (base->ready) return STEMMA_OK;
    TRY(make_shingles(base, err));
    TRY(prepare_to_follow(base, base->tokens, err));
    TRY(tally_base_set(&base->shingles, base->fp, base->count, err));
    base->ready = true;
    return STEMMA_OK;
}

static stemma_status follow_text(struct overlap_base *base, const uint8_t *text, size_t size, bool *done,
                                 stemma_error *err) {
    const struct follow_base a = {.text = base->text,
                                  .size = base->size,
                                  .window = base->view->window,
                                  .words = base->view->unit == UNIT_BYTE ? NULL : &base->words,
                                  .shingles = &base->shingles};
    TRY(tally_begin(&base->tally, &base->shingles, err));
    return follow(&a, text, size, base->other, &base->scratch, &base->tally, done, err);
}

/* Every shingle of the text is looked up. */
static stemma_status look_up(struct overlap_base *base, const uint8_t *text, size_t size, stemma_error *err) {
    const uint64_t *fp;
    size_t count;
    uint64_t tokens;
    TRY(whole_shingles(base->other, text, size, &fp, &count, &tokens, err));
    TRY(tally_begin(&base->tally, &base->shingles, err));
    return tally_find(&base->tally, &base->shingles, fp, count, err);
}

stemma_status overlap_with(struct overlap_base *base, const uint8_t *text, size_t size, struct overlap *out,
                           stemma_error *err) {
    bool done = false;
    TRY(check_set(base, err));
    TRY(make_ready(base, err));
    if (base->followed && size >= FOLLOWED_LEAST && size <= WORD_MAP_MOST)
        TRY(follow_text(base, text, size, &done, err));
    if (!done) TRY(look_up(base, text, size, err));
    return tally_end(&base->tally, &base->shingles, out, err);
}
