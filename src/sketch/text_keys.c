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

static stemma_status to_both(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                             size_t token_count, stemma_error *err) {
    const struct text_keyer *t = context;
    (void)tokens, (void)token_count;
    TRY(keyer_add(t->keyer, fp, count, err));
    return bit_maker_add(t->bits, fp, count, err);
}

struct shingle_sink text_keyer_begin(struct text_keyer *t) {
    keyer_begin(t->keyer);
    if (!t->bits) return keyer_sink(t->keyer);
    bit_maker_begin(t->bits);
    return (struct shingle_sink){.context = t, .take = to_both};
}

stemma_status text_keyer_end(const struct text_keyer *t, stemma_error *err) {
    TRY(keyer_end(t->keyer, t->keys, t->samples, err));
    return t->bits ? bit_maker_end(t->bits, err) : STEMMA_OK;
}

/* ---- in memory ---- */

static stemma_status by_piece(const struct text_keyer *t, struct whole *whole, const uint8_t *text,
                              size_t size, bool *done, stemma_error *err) {
    struct text_keyer both = *t;
    TRY(whole_pieces(whole, text, size, text_keyer_begin(&both), done, err));
    return *done ? text_keyer_end(&both, err) : STEMMA_OK;
}

/* Of a long document samples may do. */
static stemma_status by_samples(const struct text_keyer *t, struct whole *whole, const uint8_t *text,
                                size_t size, bool *done, stemma_error *err) {
    const uint64_t *fp;
    size_t count;
    TRY(whole_samples(whole, text, size, t->form->coarse, &fp, &count, err));
    TRY(keyer_make_coarse(t->keyer, fp, count, t->keys, t->samples, done, err));
    if (*done && t->bits) *done = bit_maker_coarse(t->bits, fp, count);
    return STEMMA_OK;
}

static stemma_status by_shingles(const struct text_keyer *t, struct whole *whole, const uint8_t *text,
                                 size_t size, stemma_error *err) {
    const uint64_t *fp;
    size_t count;
    uint64_t tokens;
    TRY(whole_shingles(whole, text, size, &fp, &count, &tokens, err));
    TRY(keyer_make(t->keyer, fp, count, t->keys, t->samples, err));
    if (!t->bits) return STEMMA_OK;
    bit_maker_begin(t->bits);
    TRY(bit_maker_add(t->bits, fp, count, err));
    return bit_maker_end(t->bits, err);
}

stemma_status text_keyer_text(const struct text_keyer *t, struct whole *whole, const uint8_t *text,
                              size_t size, stemma_error *err) {
    size_t bins = t->bits ? BITS_PLANE : t->form->minima;
    bool done = false;
    if (t->form->coarse > 1 && size > bins * t->form->coarse)
        TRY(by_samples(t, whole, text, size, &done, err));
    if (!done) TRY(by_piece(t, whole, text, size, &done, err));
    return done ? STEMMA_OK : by_shingles(t, whole, text, size, err);
}

stemma_status text_keys(struct keyer *keyer, const struct key_form *form, struct whole *whole,
                        const uint8_t *text, size_t size, uint8_t *keys, struct vec64 *samples,
                        stemma_error *err) {
    return text_keyer_text(&(struct text_keyer){keyer, form, keys, samples, NULL}, whole, text, size, err);
}
