/*
 * The windows of a canonical text from which signatures are made (signature.h), for those who have no more of
 * a document: a collection, that keeps them of each.
 *
 * They are those of the document's own characters, but for letters that are words of their own: see
 * text_chars.h.
 */
#ifndef SKETCH_TEXT_SIGNER_H
#define SKETCH_TEXT_SIGNER_H

#include "sketch/signature.h"

struct text_signer;

/* Windows of n characters, at most `most`, from the rate on, a power of two (signer_keep); placed: with
 * positions, bytes of the canonical text. The view is copied. */
struct text_signer_form {
    uint32_t n, rate;
    size_t most;
    bool placed;
};
stemma_status text_signer_new(const struct view *view, const struct text_signer_form *form,
                              struct text_signer **out, stemma_error *err);
/* A document, in pieces that are cut anywhere. What is given lasts until the next one begins. */
void text_signer_begin(struct text_signer *signer);
stemma_status text_signer_feed(struct text_signer *signer, const uint8_t *text, size_t size,
                               stemma_error *err);
stemma_status text_signer_finish(struct text_signer *signer, const struct kept_windows **out,
                                 stemma_error *err);
/* All of it at once. */
stemma_status text_signer_text(struct text_signer *signer, const uint8_t *text, size_t size,
                               const struct kept_windows **out, stemma_error *err);
void text_signer_free(struct text_signer *signer);

#endif
