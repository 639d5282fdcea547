#include "sketch/text_signer.h"

#include "base/alloc.h"
#include "sketch/text_chars.h"

enum { PIECE = 1 << 15 }; /* bytes at a time: all that comes of them stays in the L2 cache */

struct text_signer {
    struct signer *signer;
    struct text_chars chars;
};

stemma_status text_signer_new(const struct view *view, const struct text_signer_form *form,
                              struct text_signer **out, stemma_error *err) {
    const struct spec spec = {.scheme = SCHEME_SIGNATURE,
                              .n = form->n,
                              .c = form->rate,
                              .alphabet = SIGNATURE_ALPHABET_MOST,
                              .positions = form->placed};
    struct text_signer *t = mem_zero(1, sizeof *t);
    if (!t) return fail_memory(err);
    text_chars_init(&t->chars, view);
    stemma_status status = signer_new(view, &spec, SIZE_MAX, &t->signer, err);
    if (status != STEMMA_OK) {
        mem_free(t);
        return status;
    }
    signer_keep(t->signer, form->most);
    *out = t;
    return STEMMA_OK;
}

void text_signer_free(struct text_signer *t) {
    if (!t) return;
    signer_free(t->signer);
    mem_free(t);
}

void text_signer_begin(struct text_signer *t) {
    signer_reset(t->signer);
    text_chars_begin(&t->chars);
}

static stemma_status feed_piece(struct text_signer *t, const uint8_t *text, size_t size, stemma_error *err) {
    uint32_t *chars;
    uint64_t *places;
    if (!signer_reserve(t->signer, size + TEXT_CHARS_MORE, &chars, &places)) return fail_memory(err);
    return signer_take(t->signer, text_chars_put(&t->chars, text, size, chars, places), err);
}

stemma_status text_signer_feed(struct text_signer *t, const uint8_t *text, size_t size, stemma_error *err) {
    for (size_t piece; size; text += piece, size -= piece) {
        piece = size < PIECE ? size : PIECE;
        TRY(feed_piece(t, text, piece, err));
    }
    return STEMMA_OK;
}

stemma_status text_signer_finish(struct text_signer *t, const struct kept_windows **out, stemma_error *err) {
    uint32_t *chars;
    uint64_t *places;
    if (!signer_reserve(t->signer, TEXT_CHARS_MORE, &chars, &places)) return fail_memory(err);
    TRY(signer_take(t->signer, text_chars_finish(&t->chars, chars, places), err));
    return signer_finish_kept(t->signer, out, err);
}

stemma_status text_signer_text(struct text_signer *t, const uint8_t *text, size_t size,
                               const struct kept_windows **out, stemma_error *err) {
    text_signer_begin(t);
    TRY(text_signer_feed(t, text, size, err));
    return text_signer_finish(t, out, err);
}
