#include "sketch/text_keys.h"

/* ---- in pieces ---- */

static stemma_status to_keyer(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                              size_t token_count, stemma_error *err) {
    (void)tokens, (void)token_count;
    return keyer_add(context, fp, count, err);
}

struct shingle_sink keyer_sink(struct keyer *keyer) {
    return (struct shingle_sink){.context = keyer, .take = to_keyer};
}

void keyers_begin(const struct keyers *keyers) {
    for (size_t i = 0; i < keyers->count; i++) keyer_begin(keyers->list[i].keyer);
}

static stemma_status to_keyers(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                               size_t token_count, stemma_error *err) {
    const struct keyers *keyers = context;
    (void)tokens, (void)token_count;
    for (size_t i = 0; i < keyers->count; i++) TRY(keyer_add(keyers->list[i].keyer, fp, count, err));
    return STEMMA_OK;
}

struct shingle_sink keyers_sink(struct keyers *keyers) {
    return (struct shingle_sink){.context = keyers, .take = to_keyers};
}

stemma_status keyers_end(const struct keyers *keyers, stemma_error *err) {
    for (size_t i = 0; i < keyers->count; i++) {
        const struct keyed *k = &keyers->list[i];
        TRY(keyer_end(k->keyer, k->keys, k->samples, err));
    }
    return STEMMA_OK;
}

static stemma_status by_piece(const struct keyers *keyers, struct whole *whole, const uint8_t *text,
                              size_t size, bool *done, stemma_error *err) {
    struct keyers all = *keyers;
    keyers_begin(&all);
    TRY(whole_pieces(whole, text, size, keyers_sink(&all), done, err));
    return *done ? keyers_end(&all, err) : STEMMA_OK;
}

/* ---- in memory ---- */

/* The samples that all of them take first, when the text is long enough for the most demanding; else 1. */
static uint64_t common_coarse(const struct keyers *keyers, size_t size) {
    uint64_t coarse = keyer_form(keyers->list[0].keyer)->coarse;
    for (size_t i = 0; i < keyers->count; i++) {
        const struct key_form *form = keyer_form(keyers->list[i].keyer);
        if (form->coarse != coarse || size <= form->minima * form->coarse) return 1;
    }
    return coarse;
}

/* Of a long document samples may do. */
static stemma_status by_samples(const struct keyers *keyers, struct whole *whole, const uint8_t *text,
                                size_t size, uint64_t coarse, bool *done, stemma_error *err) {
    const uint64_t *fp;
    size_t count;
    TRY(whole_samples(whole, text, size, coarse, &fp, &count, err));
    *done = true;
    for (size_t i = 0; *done && i < keyers->count; i++) {
        const struct keyed *k = &keyers->list[i];
        TRY(keyer_make_coarse(k->keyer, fp, count, k->keys, k->samples, done, err));
    }
    return STEMMA_OK;
}

static stemma_status by_shingles(const struct keyers *keyers, struct whole *whole, const uint8_t *text,
                                 size_t size, stemma_error *err) {
    const uint64_t *fp;
    size_t count;
    uint64_t tokens;
    TRY(whole_shingles(whole, text, size, &fp, &count, &tokens, err));
    for (size_t i = 0; i < keyers->count; i++) {
        const struct keyed *k = &keyers->list[i];
        TRY(keyer_make(k->keyer, fp, count, k->keys, k->samples, err));
    }
    return STEMMA_OK;
}

stemma_status keyers_text(const struct keyers *keyers, struct whole *whole, const uint8_t *text, size_t size,
                          stemma_error *err) {
    uint64_t coarse = common_coarse(keyers, size);
    bool done = false;
    if (coarse > 1) TRY(by_samples(keyers, whole, text, size, coarse, &done, err));
    if (!done) TRY(by_piece(keyers, whole, text, size, &done, err));
    return done ? STEMMA_OK : by_shingles(keyers, whole, text, size, err);
}

stemma_status text_keys(struct keyer *keyer, const struct key_form *form, struct whole *whole,
                        const uint8_t *text, size_t size, uint8_t *keys, struct vec64 *samples,
                        stemma_error *err) {
    (void)form;
    return keyers_text(&(struct keyers){{{keyer, keys, samples}}, 1}, whole, text, size, err);
}
