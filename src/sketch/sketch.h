/*
 * Sketches: what is kept of a document's fingerprints, one part per spec of the recipe.
 *
 * A sketcher takes fingerprints in order of position (and the bytes they come from, where the recipe has
 * signatures), in blocks of any size; a sketch is its immutable result.
 */
#ifndef SKETCH_SKETCH_H
#define SKETCH_SKETCH_H

#include "base/buf.h"
#include "base/digest.h"
#include "sketch/recipe.h"
#include "sketch/signature.h"

#define SAMPLE_FLOOR 8

struct part {
    /* mod, min, minmod, level: the sample, ascending. bsw, bsw-chunk: chunk values, ascending, each once.
     * minhash, oph with bits = 64: the n minima in order (UINT64_MAX where there is none). */
    struct vec64 values;
    /* b-bit minhash and oph (n fields of `bits`), simhash: packed, first field in the lowest bits.
     * KERNEL_SLACK bytes behind them may be read. */
    struct buf bits;
    /* mod, level: when the sample has fewer than SAMPLE_FLOOR values, the SAMPLE_FLOOR smallest fingerprints
     * of the document (all of them, if there are fewer); else empty. A union at a raised level may have lost
     * them. */
    struct vec64 smallest;
    struct signature_data signature; /* signature, signature2011 */
    uint64_t distinct;               /* minhash, oph: estimated number of distinct shingles, for intervals */
    uint32_t filled;                 /* oph: bins that had a value of their own */
    uint32_t level;                  /* level: the exponent i */
    bool complete; /* min, minmod: there were at most n, so these are all of them (that are 0 mod `mod`) */
    bool empty;    /* the document had no shingles: then nothing above means anything, but for signatures */
};

struct stemma_sketch {
    const struct stemma_recipe *recipe; /* a reference of its own */
    char *name;
    uint64_t bytes, tokens, shingles; /* shingles: windows, with repetitions */
    uint8_t digest[DIGEST_SIZE], text_digest[DIGEST_SIZE];
    struct part parts[]; /* one per spec */
};

/* Empty parts, no name: NULL when memory is refused. */
struct stemma_sketch *sketch_new(const struct stemma_recipe *recipe);
void sketch_free(struct stemma_sketch *sketch);

/* ---- making (sketcher.c, with one file per family of schemes) ---- */

struct sketcher;

/* INVALID when the recipe is keyed and its key is not there. memory: bytes that a sample which grows with the
 * document may take; UNSUPPORTED when it would take more. */
stemma_status sketcher_new(const struct stemma_recipe *recipe, size_t memory, struct sketcher **out,
                           stemma_error *err);
bool sketcher_wants_tokens(const struct sketcher *sketcher); /* bsw-chunk */
bool sketcher_wants_bytes(const struct sketcher *sketcher);  /* signatures */

/* n when from now on only fingerprints that are 0 mod n matter (every spec that is made of fingerprints is a
 * mod and has found enough), else 1. Others may still be given; they change nothing. */
uint64_t sketcher_modulus(const struct sketcher *sketcher);

/* The next fingerprints; tokens as for shingle_sink.take. KERNEL_SLACK bytes behind fp may be read. */
stemma_status sketcher_take(struct sketcher *sketcher, const uint64_t *fp, size_t count,
                            const uint64_t *tokens, size_t token_count, stemma_error *err);

/* The next bytes of the document. */
stemma_status sketcher_take_bytes(struct sketcher *sketcher, const uint8_t *bytes, size_t size,
                                  stemma_error *err);

/* Parts of a new sketch; name, sizes and digests are the caller's to fill. shingles: how many there were,
 * with those that were left out because of sketcher_modulus. The sketcher can then only be freed. */
stemma_status sketcher_finish(struct sketcher *sketcher, uint64_t shingles, struct stemma_sketch **out,
                              stemma_error *err);
void sketcher_free(struct sketcher *sketcher);

/* ---- combining (union.c) ---- */

/* The sketch of both documents together: parts as of the united sets, the name "a + b", sizes summed, digests
 * those of the two digests, smaller first. MISMATCH, or UNSUPPORTED naming the scheme that has no union. */
stemma_status sketch_union(const struct stemma_sketch *a, const struct stemma_sketch *b,
                           struct stemma_sketch **out, stemma_error *err);

/* ---- bytes (codec.c); docs/format.md is the specification ---- */
stemma_status codec_put_header(const struct stemma_recipe *recipe, struct buf *out, stemma_error *err);
stemma_status codec_put_sketch(const struct stemma_sketch *sketch, struct buf *out, stemma_error *err);
stemma_status codec_put_end(uint64_t count, struct buf *out, stemma_error *err);
/* Each reads at *at and moves it, on success; all sizes are checked before anything is believed. */
stemma_status codec_get_header(const uint8_t *bytes, size_t size, size_t *at, struct stemma_recipe **out,
                               stemma_error *err);
/* *out is NULL at the end record, which must end the bytes too. `count`: how many were read before, which the
 * end record must confirm. */
stemma_status codec_get_sketch(const uint8_t *bytes, size_t size, size_t *at,
                               const struct stemma_recipe *recipe, uint64_t count, struct stemma_sketch **out,
                               stemma_error *err);
bool codec_is_bundle(const uint8_t *bytes, size_t size);

#endif
