#include "edited.h"

#include "align/signature/symbols.h"
#include "base/alloc.h"

#include <math.h>
#include <string.h>

/* ---- signatures ---- */

/* Ours has windows of 6 where every fiftieth window is kept, which survive more edits, and of 8 elsewhere. */
stemma_status signature_recipe_make(struct signature_recipe *out, unsigned year, uint32_t n, uint32_t c,
                                    uint64_t seed, unsigned draw, stemma_error *err) {
    out->c = c;
    unsigned ours = c <= 50 ? 6 : 8;
    uint64_t hash = seed * DRAWS + draw;
    if (year == 2011) /* which sums are kept follows from k: another draw is another k */
        return recipe_make(&out->recipe, hash, err,
                           "preset=raw unit=byte; signature2011 n=%u c=%u k=%u; "
                           "signature n=%u c=%u alphabet=65536",
                           n, c, (unsigned)((draw * (c / DRAWS) + seed - 1) % c), ours, c);
    return recipe_make(&out->recipe, hash, err,
                       "preset=raw unit=byte; signature n=%u c=%u alphabet=95; "
                       "signature n=%u c=%u alphabet=65536",
                       n, c, ours, c);
}

void signature_recipe_release(struct signature_recipe *recipe) {
    stemma_recipe_free(recipe->recipe);
}

static stemma_status paper_estimate(const struct signature_recipe *recipe, const stemma_sketch *a,
                                    const stemma_sketch *b, struct measured *out, stemma_error *err) {
    stemma_sketch_part x = part_of(a, 0), y = part_of(b, 0), mine = part_of(a, 1);
    uint64_t distance;
    TRY(symbols_distance((struct symbols){x.symbols, x.symbol_count},
                         (struct symbols){y.symbols, y.symbol_count}, UINT64_MAX, &distance, err));
    out->estimate = (double)distance * recipe->c;
    out->bytes_paper = x.alphabet == 2 ? ceil((double)x.symbol_count / 8) : (double)x.symbol_count;
    out->bytes_ours = 2 * (double)mine.symbol_count + 4; /* and the length of the text */
    return STEMMA_OK;
}

/* By sketches that have only our part: the best answer of several is not asked for here. */
static stemma_status our_estimate(const stemma_sketch *a, const stemma_sketch *b, struct measured *out,
                                  stemma_error *err) {
    stemma_comparison comparison;
    TRY(stemma_compare_sketches(a, b, NULL, &comparison, err));
    const stemma_edit *edit = &comparison.edit;
    out->ours = edit->distance.value;
    out->low = edit->distance.low;
    out->high = edit->distance.high;
    out->unrelated = edit->unrelated.value;
    out->p_unrelated = edit->p_unrelated;
    out->blocks = (double)edit->blocks;
    return STEMMA_OK;
}

static stemma_status measure_sketches(const struct signature_recipe *recipe, const stemma_sketch *a,
                                      const stemma_sketch *b, struct measured *out, stemma_error *err) {
    TRY(paper_estimate(recipe, a, b, out, err));
    return our_estimate(a, b, out, err);
}

stemma_status true_distance(struct text a, struct text b, double *out, stemma_error *err) {
    uint64_t truth;
    TRY(stemma_distance(a.bytes, a.size, b.bytes, b.size, STEMMA_EDIT_BYTES, UINT64_MAX, NULL, &truth, err));
    *out = (double)truth;
    return STEMMA_OK;
}

stemma_status measure(const struct signature_recipe *recipe, struct text a, struct text b, double truth,
                      struct measured *out, stemma_error *err) {
    stemma_sketch *first = NULL, *second = NULL;
    *out = (struct measured){.truth = truth};
    stemma_status status = sketch_make(recipe->recipe, a.bytes, a.size, &first, err);
    if (status == STEMMA_OK) status = sketch_make(recipe->recipe, b.bytes, b.size, &second, err);
    if (status == STEMMA_OK) status = measure_sketches(recipe, first, second, out, err);
    stemma_sketch_free(first);
    stemma_sketch_free(second);
    return status;
}

/* ---- means ---- */

void tally_add(struct tally_of *tally, const struct measured *m, double whole) {
    tally->count++;
    tally->truth += m->truth;
    tally->estimate += m->estimate;
    tally->ours += m->ours;
    tally->covered += m->low <= m->truth && m->truth <= m->high;
    tally->bytes_paper += m->bytes_paper;
    tally->bytes_ours += m->bytes_ours;
    tally->error_paper += fabs(m->estimate - m->truth) / whole;
    tally->error_ours += fabs(m->ours - m->truth) / whole;
    tally->most += m->unrelated;
    tally->squares += m->estimate * m->estimate;
    tally->least_estimate = tally->count > 1 ? fmin(tally->least_estimate, m->estimate) : m->estimate;
    tally->most_estimate = fmax(tally->most_estimate, m->estimate);
    tally->certain += m->p_unrelated < 1e-6;
    tally->blocks += m->blocks;
}

void tally_finish(struct tally_of *tally) {
    double *sums[] = {&tally->truth,       &tally->estimate,   &tally->ours,        &tally->covered,
                      &tally->bytes_paper, &tally->bytes_ours, &tally->error_paper, &tally->error_ours,
                      &tally->most,        &tally->blocks,     &tally->squares,     &tally->certain};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) *sums[i] /= tally->count;
    tally->deviation = sqrt(fmax(0, tally->squares - tally->estimate * tally->estimate));
}

/* ---- texts ---- */

/* Behind what libraries and licences put in front. */
static struct text piece_of(const struct corpus *corpus, size_t document, size_t length) {
    const struct text *text = &corpus->texts[document % corpus->count];
    return (struct text){text->bytes + (text->size - length) / 2, length};
}

/* Documents that are long enough are the last ones. */
stemma_status stretches_load(const struct lab *lab, size_t length, size_t most, struct table *data,
                             struct stretches *out, stemma_error *err) {
    *out = (struct stretches){0};
    TRY(corpus_load(lab, CORPUS_LONG, 100, data, &out->corpus, err));
    struct corpus *corpus = &out->corpus;
    size_t first = 0;
    while (first < corpus->count && corpus->texts[first].size < length) first++;
    size_t enough = corpus->count - first;
    out->count = enough < most ? enough : most;
    out->at = mem_zero(out->count, sizeof *out->at);
    if (enough < 3 || !out->at) {
        stretches_release(out);
        return enough < 3 ? fail(err, STEMMA_NOT_FOUND, "fewer than 3 documents have %zu bytes", length)
                          : fail_memory(err);
    }
    struct corpus large = {corpus->texts + first, enough};
    for (size_t i = 0; i < out->count; i++) {
        size_t document = i * enough / out->count;
        out->at[i] =
            (struct stretch){piece_of(&large, document, length), piece_of(&large, document + 1, length),
                             piece_of(&large, document + 2, length)};
    }
    return STEMMA_OK;
}

void stretches_release(struct stretches *stretches) {
    corpus_release(&stretches->corpus);
    mem_free(stretches->at);
}
