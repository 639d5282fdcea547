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
#include "kernels/kernels.h"
#include "sketch/recipe.h"

#define SIGNATURE_WINDOW_MOST   ((uint32_t)SIGN_WINDOW_MOST)
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
/* The same of a text whose characters are known: so many of them, or fewer, are put where it is said, with
 * their places, unless they are not kept (NULL), and then taken. False when memory is refused. A document is
 * fed in one way or the other. */
bool signer_reserve(struct signer *signer, size_t count, uint32_t **chars, uint64_t **places);
stemma_status signer_take(struct signer *signer, size_t count, stemma_error *err);
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

/* ---- windows of many rates ---- */

/* The windows that are kept at a rate, as their hashes, in the order of the text: what the signatures of this
 * rate and of any power of two times it are made of. */
struct kept_windows {
    struct vec64 hashes;
    struct vec64 positions; /* as of a signature; empty, or one for each */
    uint64_t length;
    uint16_t agree; /* in parts of AGREE_SCALE */
    uint32_t rate;
};
#define KEPT_RATE_MOST (UINT32_C(1) << 31) /* a longer text than some hundred GB has more windows */

/* Before its first piece: the signer keeps windows, no more than `most` (> 0). The rate is that of the spec
 * times the least power of two that suffices for the whole text. It ends with _finish_kept, which gives what
 * lasts until the signer is reset or freed. */
void signer_keep(struct signer *signer, size_t most);
stemma_status signer_finish_kept(struct signer *signer, const struct kept_windows **out, stemma_error *err);
/* Another document follows, whatever became of the last. Of signers that keep windows. */
void signer_reset(struct signer *signer);
void kept_windows_release(struct kept_windows *kept);

/* The signature at a rate that is a power of two times theirs, in place of what *out had. */
stemma_status kept_windows_at(const struct kept_windows *kept, struct signature_rate to,
                              struct signature_data *out, stemma_error *err);

#endif
