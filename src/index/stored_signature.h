/*
 * The signature of a document in a collection: where neither it nor its text can be had any more, how far
 * another document is from it, and where they differ.
 *
 * It has few symbols whatever the length of the text: the rate doubles with it. Signatures of two rates meet
 * at the larger one. (docs/design/signatures.md)
 */
#ifndef INDEX_STORED_SIGNATURE_H
#define INDEX_STORED_SIGNATURE_H

#include "index/schema.h"
#include "sketch/text_signer.h"

/* What the part of a collection keeps; all but n are powers of two. */
struct signature_form {
    uint32_t n;        /* characters of a window */
    uint32_t rate;     /* the least: that of short texts */
    uint32_t alphabet; /* of symbols */
    uint32_t most;     /* symbols of a document */
};

/* Symbols of a document at most, unless others are asked for, and what can be asked for. */
enum { STORED_SYMBOLS = 64, STORED_SYMBOLS_LEAST = 16, STORED_SYMBOLS_MOST = 65536 };

/* The part for so many symbols. INVALID: they are none of these powers of two. */
stemma_status signature_add_part(struct schema *schema, uint32_t symbols, stemma_error *err);
/* The place of the part in a schema, and its form; -1: there is none, or none that this program reads. */
int signature_find_part(const struct schema *schema, struct signature_form *form);
bool signature_form_of(const struct part *part, struct signature_form *form);

/* Makes the windows of texts that such a part is made from. */
stemma_status signature_maker_for(const struct signature_form *form, const struct view *view,
                                  struct text_signer **out, stemma_error *err);

/* The cell of a document, appended; its windows were made by such a maker. */
stemma_status stored_signature_pack(const struct signature_form *form, const struct kept_windows *kept,
                                    struct buf *out, stemma_error *err);
/* And back: symbols go to *data, in place of what it had; *out points into it. CORRUPT: no signature is of
 * these bytes. */
stemma_status stored_signature_unpack(const struct signature_form *form, struct cell cell,
                                      struct signature_data *data, struct signature *out, stemma_error *err);

#endif
