#include "edited.h"

#include "align/signature/symbols.h"
#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
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
    *out = (struct measured){.truth = truth, .lengths = {(double)a.size, (double)b.size}};
    stemma_status status = sketch_make(recipe->recipe, a.bytes, a.size, &first, err);
    if (status == STEMMA_OK) status = sketch_make(recipe->recipe, b.bytes, b.size, &second, err);
    if (status == STEMMA_OK) status = measure_sketches(recipe, first, second, out, err);
    stemma_sketch_free(first);
    stemma_sketch_free(second);
    return status;
}

/* ---- many trials ---- */

void tally_add(struct tally_of *tally, const struct measured *m, double whole) {
    if (tally->count == TRIALS_MOST) return;
    size_t at = tally->count++;
    tally->estimate.values[at] = m->estimate;
    tally->ours.values[at] = m->ours;
    tally->error_paper.values[at] = fabs(m->estimate - m->truth) / whole;
    tally->error_ours.values[at] = fabs(m->ours - m->truth) / whole;
    tally->lengths[0] += m->lengths[0];
    tally->lengths[1] += m->lengths[1];
    tally->truth += m->truth;
    tally->low += m->low;
    tally->high += m->high;
    tally->covered += m->low <= m->truth && m->truth <= m->high;
    tally->bytes_paper += m->bytes_paper;
    tally->bytes_ours += m->bytes_ours;
    tally->most += m->unrelated;
    tally->certain += m->p_unrelated < 1e-6;
    tally->blocks += m->blocks;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double trials_quantile(const struct tally_of *tally, const struct trials *trials, double share) {
    return trials->values[(size_t)(share * (double)(tally->count - 1) + .5)];
}

static void trials_finish(const struct tally_of *tally, struct trials *trials) {
    double sum = 0;
    for (size_t i = 0; i < tally->count; i++) sum += trials->values[i];
    qsort(trials->values, tally->count, sizeof *trials->values, ascending);
    trials->mean = sum / (double)tally->count;
    trials->median = trials_quantile(tally, trials, .5);
}

void tally_finish(struct tally_of *tally) {
    double *sums[] = {&tally->lengths[0],  &tally->lengths[1], &tally->truth,  &tally->low,
                      &tally->high,        &tally->covered,    &tally->most,   &tally->blocks,
                      &tally->bytes_paper, &tally->bytes_ours, &tally->certain};
    for (size_t i = 0; i < COUNT(sums); i++) *sums[i] /= (double)tally->count;
    trials_finish(tally, &tally->estimate);
    trials_finish(tally, &tally->ours);
    trials_finish(tally, &tally->error_paper);
    trials_finish(tally, &tally->error_ours);
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
