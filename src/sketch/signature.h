/*
 * Edit-distance signatures: a document as a short string, in the order of its text.
 *
 * A window of n characters is kept when its hash is a multiple of C, and leaves one symbol of an alphabet.
 * Edits change the symbols of the windows they touch and no others, so the edit distance of two signatures
 * tells about that of the documents (Coates 2015); `signature2011` keeps bits by a sum instead (Coates 2011).
 * docs/design/signatures.md has the reasons, docs/format.md the bytes.
 */
#ifndef SKETCH_SIGNATURE_H
#define SKETCH_SIGNATURE_H

#include "base/buf.h"
#include "sketch/recipe.h"

#define SIGNATURE_WINDOW_MOST   64u
#define SIGNATURE_RATE_MOST     (1u << 20)
#define SIGNATURE_ALPHABET_MOST 65536u

/* What estimators and searches take: a plain value whose arrays belong to somebody else. */
struct signature {
    const uint16_t *symbols;
    size_t count;
    const uint64_t *positions; /* byte of the original where each symbol's window begins; NULL: not kept */
    uint64_t length;           /* characters of the edit text (signature2011: bytes) */
    double agree;              /* chance that two of them, drawn at random, agree; 0 for no text */
    uint32_t n, c, alphabet;
};

/* The same with arrays of its own; zeroed it is that of an empty text. */
struct signature_data {
    struct vec16 symbols;
    struct vec64 positions; /* empty, or one for each symbol */
    uint64_t length;
    uint16_t agree; /* in parts of AGREE_SCALE */
};
void signature_data_release(struct signature_data *data);

/* The signature that `data` is under `spec`, a signature or signature2011. Points into data. */
struct signature signature_of(const struct signature_data *data, const struct spec *spec);

/* ---- making: bytes of a document in pieces ---- */

struct signer;

/* The view can read, spec is a signature or signature2011. memory: what the signature may take; UNSUPPORTED
 * when it would take more. The view is copied. */
stemma_status signer_new(const struct view *view, const struct spec *spec, size_t memory, struct signer **out,
                         stemma_error *err);
/* The result does not depend on where the bytes are cut. After a failure the signer can only be freed. */
stemma_status signer_feed(struct signer *signer, const uint8_t *bytes, size_t size, stemma_error *err);
/* Moves the signature to *out, which is empty. The signer can then only be freed. */
stemma_status signer_finish(struct signer *signer, struct signature_data *out, stemma_error *err);
void signer_free(struct signer *signer);

/* ---- resolutions ---- */

/* Where signatures of one n under rates ca, cb and alphabets aa, ab meet: false when nowhere, else the
 * coarser rate and the alphabet both have there. */
struct signature_rate {
    uint32_t c, alphabet;
};
bool signature_rates_meet(struct signature_rate a, struct signature_rate b, struct signature_rate *out);

/* The signature as it would have been made at `to`, a rate at which it meets itself: one that
 * signature_rates_meet gave. Symbols and positions go to *data, which is empty and keeps them. */
stemma_status signature_coarsen(const struct signature *from, struct signature_rate to,
                                struct signature_data *data, struct signature *out, stemma_error *err);

#endif
