#include "estimate/overlap.h"

#include "base/alloc.h"
#include "estimate/follow.h"

/* Shorter texts are looked up faster than followed. */
enum { FOLLOWED_LEAST = 256 };

struct overlap_base {
    const struct view *view;
    struct whole *whole, *other; /* of the base, whose fingerprints stay, and of what it is compared with */
    bool ready, followed;
    const uint8_t *text;
    size_t size;
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
    word_map_release(&base->words);
    tally_base_release(&base->shingles);
    tally_release(&base->tally);
    follow_scratch_release(&base->scratch);
    mem_free(base);
}

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

stemma_status overlap_base_set(struct overlap_base *base, const uint8_t *text, size_t size,
                               stemma_error *err) {
    const uint64_t *fp;
    size_t count;
    uint64_t tokens;
    base->ready = false;
    base->text = text;
    base->size = size;
    TRY(whole_shingles(base->whole, text, size, &fp, &count, &tokens, err));
    TRY(prepare_to_follow(base, tokens, err));
    TRY(tally_base_set(&base->shingles, fp, count, err));
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
    if (!base->ready) return fail(err, STEMMA_INVALID, "there is no text to compare with");
    if (base->followed && size >= FOLLOWED_LEAST && size <= WORD_MAP_MOST)
        TRY(follow_text(base, text, size, &done, err));
    if (!done) TRY(look_up(base, text, size, err));
    return tally_end(&base->tally, &base->shingles, out, err);
}
