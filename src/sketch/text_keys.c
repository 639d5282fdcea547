#include "sketch/text_keys.h"

static stemma_status to_keyer(void *context, const uint64_t *fp, size_t count, const uint64_t *tokens,
                              size_t token_count, stemma_error *err) {
    (void)tokens, (void)token_count;
    return keyer_add(context, fp, count, err);
}

struct shingle_sink keyer_sink(struct keyer *keyer) {
    return (struct shingle_sink){.context = keyer, .take = to_keyer};
}

static stemma_status by_piece(struct keyer *keyer, struct whole *whole, const uint8_t *text, size_t size,
                              uint8_t *keys, struct vec64 *samples, bool *done, stemma_error *err) {
    keyer_begin(keyer);
    TRY(whole_pieces(whole, text, size, keyer_sink(keyer), done, err));
    return *done ? keyer_end(keyer, keys, samples, err) : STEMMA_OK;
}

/* Of a long document samples may do. */
stemma_status text_keys(struct keyer *keyer, const struct key_form *form, struct whole *whole,
                        const uint8_t *text, size_t size, uint8_t *keys, struct vec64 *samples,
                        stemma_error *err) {
    const uint64_t *fp;
    size_t count;
    uint64_t tokens;
    bool done = false;
    if (form->coarse > 1 && size > form->minima * form->coarse) {
        TRY(whole_samples(whole, text, size, form->coarse, &fp, &count, err));
        TRY(keyer_make_coarse(keyer, fp, count, keys, samples, &done, err));
    }
    if (!done) TRY(by_piece(keyer, whole, text, size, keys, samples, &done, err));
    if (done) return STEMMA_OK;
    TRY(whole_shingles(whole, text, size, &fp, &count, &tokens, err));
    return keyer_make(keyer, fp, count, keys, samples, err);
}
