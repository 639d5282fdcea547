#include "pile.h"

#include "base/alloc.h"
#include "base/rng.h"

#include <math.h>

/* Which documents are copies, and of what: drawn among the originals before them. */
static size_t draw_parents(struct pile *pile, double copies, size_t pieces, uint64_t *rng) {
    size_t originals = 0;
    for (size_t i = 0; i < pile->count; i++) {
        bool copy = originals && (originals == pieces || rng_unit(rng) < copies);
        pile->parents[i] = copy ? (uint32_t)rng_below(rng, i) : PILE_ORIGINAL;
        if (copy && pile->parents[pile->parents[i]] != PILE_ORIGINAL) /* a copy's original */
            pile->parents[i] = pile->parents[pile->parents[i]];
        pile->pieces[i] = (uint32_t)(copy ? pile->pieces[pile->parents[i]] : originals++);
    }
    return originals;
}

/* Pieces are by size: another order, so that the first thousand are like all. */
static void shuffle(struct corpus *corpus, uint64_t *rng) {
    for (size_t i = corpus->count; i > 1; i--) {
        size_t other = rng_below(rng, i);
        struct text text = corpus->texts[i - 1];
        corpus->texts[i - 1] = corpus->texts[other];
        corpus->texts[other] = text;
    }
}

static stemma_status pile_fill(const struct lab *lab, const struct pile_options *options, struct table *data,
                               struct pile *pile, stemma_error *err) {
    uint64_t rng = mix64(lab->seed + 17);
    size_t most = (size_t)ceil((double)options->count * (1 - options->copies));
    TRY(corpus_load(lab, CORPUS_PIECES, most, data, &pile->corpus, err));
    pile->pieces = mem_alloc(options->count * sizeof *pile->pieces);
    pile->parents = mem_alloc(options->count * sizeof *pile->parents);
    if (!pile->pieces || !pile->parents) return fail_memory(err);
    size_t originals = draw_parents(pile, options->copies, pile->corpus.count, &rng);
    shuffle(&pile->corpus, &rng);
    table_remark(data, "of these %zu, and %zu edited copies of them", originals, options->count - originals);
    return STEMMA_OK;
}

stemma_status pile_load(const struct lab *lab, const struct pile_options *options, struct table *data,
                        struct pile *out, stemma_error *err) {
    *out = (struct pile){.count = options->count, .seed = mix64(lab->seed + 19)};
    stemma_status status = pile_fill(lab, options, data, out, err);
    if (status != STEMMA_OK) pile_release(out);
    return status;
}

void pile_release(struct pile *pile) {
    corpus_release(&pile->corpus);
    mem_free(pile->pieces);
    mem_free(pile->parents);
    *pile = (struct pile){0};
}

/* Shares are up to what leaves a resemblance of about a half. */
static stemma_mutation draw_edit(uint64_t *rng) {
    static const struct {
        stemma_mutation_kind kind;
        double most;
    } edits[] = {{STEMMA_MUTATE_REMOVE_WORDS, .06},
                 {STEMMA_MUTATE_INSERT, .08},
                 {STEMMA_MUTATE_SUBSTITUTE, .014},
                 {STEMMA_MUTATE_CUT, .4}};
    size_t which = rng_below(rng, COUNT(edits));
    stemma_mutation mutation = stemma_mutation_default();
    mutation.kind = edits[which].kind;
    mutation.share = edits[which].most * rng_unit(rng);
    mutation.seed = rng_next(rng);
    return mutation;
}

static stemma_status add_edited(const struct text *original, uint64_t *rng, struct buf *text,
                                stemma_error *err) {
    stemma_mutation mutation = draw_edit(rng);
    stemma_mutated *mutated;
    size_t size;
    TRY(stemma_mutate(original->bytes, original->size, &mutation, &mutated, err));
    const char *bytes = stemma_mutated_text(mutated, &size);
    bool ok = buf_add(text, bytes, size);
    stemma_mutated_free(mutated);
    return ok ? STEMMA_OK : fail_memory(err);
}

stemma_status pile_text(const struct pile *pile, size_t number, struct buf *text, stemma_error *err) {
    uint64_t rng = mix64(pile->seed + number);
    const struct text *piece = &pile->corpus.texts[pile->pieces[number]];
    text->len = 0;
    if (pile->parents[number] != PILE_ORIGINAL) return add_edited(piece, &rng, text, err);
    return buf_add(text, piece->bytes, piece->size) ? STEMMA_OK : fail_memory(err);
}
