/* From what was found to shares with intervals, and the best of them. */
#include "tune.h"

#include <math.h>
#include <stdlib.h>

/* Both ends of 95 %. */
static const double z = 1.96;

/* Wilson's interval for a share of n cases; n need not be whole. */
tune_share tune_interval(double share, double n) {
    double center = (share + z * z / (2 * n)) / (1 + z * z / n);
    double half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n * n));
    double low = center - half, high = center + half;
    return (tune_share){share, low > 0 && share > 0 ? low : 0, high < 1 && share < 1 ? high : 1};
}

double tune_half_width(tune_share share) {
    return (share.high - share.low) / 2;
}

/* Copies of one document are found or missed together: how many independent ones they are worth, by how much
 * documents differ. Where none differ, as many as there are documents. */
static double worth(const double *share_of, size_t documents, size_t each, double mean) {
    double variance = 0, spread = mean * (1 - mean), most = (double)(documents * each);
    for (size_t i = 0; i < documents; i++) variance += (share_of[i] - mean) * (share_of[i] - mean);
    if (documents < 2 || spread <= 0 || variance <= 0) return (double)documents;
    variance /= (double)(documents - 1) * (double)documents;
    double cases = spread / variance;
    return cases < most ? cases : most;
}

static tune_share recall_at(const tuning *t, const tune_view *view, double threshold) {
    size_t documents = t->sample.count, rounds = t->rounds;
    double *share_of = need_memory(documents * sizeof *share_of), mean = 0;
    for (size_t i = 0; i < documents; i++) {
        size_t found = 0;
        for (size_t k = 0; k < rounds; k++) found += view->found[i * t->copies.each + k] >= threshold;
        share_of[i] = (double)found / (double)rounds;
        mean += share_of[i];
    }
    mean /= (double)documents;
    tune_share share = tune_interval(mean, worth(share_of, documents, rounds, mean));
    free(share_of);
    return share;
}

static size_t root_of(size_t *parent, size_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* Forms come in families, of which a collection has all or none: how many independent documents a share of
 * wrong ones stands for, when families are what is drawn. */
static double worth_of_families(const tune_view *view, size_t documents, double threshold, double share) {
    size_t *parent = need_memory(documents * sizeof *parent), *size = need_memory(documents * sizeof *size);
    double squares = 0;
    for (size_t i = 0; i < documents; i++) {
        parent[i] = i;
        size[i] = 0;
    }
    for (size_t i = 0; i < documents; i++)
        if (view->wrong[i] >= threshold) parent[root_of(parent, i)] = root_of(parent, view->wrong_with[i]);
    for (size_t i = 0; i < documents; i++) size[root_of(parent, i)] += view->wrong[i] >= threshold;
    for (size_t i = 0; i < documents; i++) squares += (double)size[i] * (double)size[i];
    free(parent);
    free(size);
    double cases = squares > 0 ? share * (1 - share) * (double)documents * (double)documents / squares : 0;
    if (squares <= 0 || cases > (double)documents) return (double)documents;
    return cases > 1 ? cases : 1;
}

static tune_share wrong_at(const tuning *t, const tune_view *view, double threshold) {
    size_t wrong = 0, documents = t->sample.count;
    for (size_t i = 0; i < documents; i++) wrong += view->wrong[i] >= threshold;
    double share = (double)wrong / (double)documents;
    return tune_interval(share, worth_of_families(view, documents, threshold, share));
}

/* Of the documents that are matched, those that are matched rightly. Nothing matched: nothing wrong. */
static double precision_of(double copies, double recall, double wrong) {
    double right = copies * recall, matched = right + (1 - copies) * wrong;
    return matched > 0 ? right / matched : 1;
}

static tune_row row_at(const tuning *t, const tune_view *view, double threshold) {
    tune_row row = {.threshold = threshold,
                    .recall = recall_at(t, view, threshold),
                    .wrong = wrong_at(t, view, threshold)};
    row.precision = (tune_share){precision_of(t->prevalence, row.recall.value, row.wrong.value),
                                 precision_of(t->prevalence, row.recall.low, row.wrong.high),
                                 precision_of(t->prevalence, row.recall.high, row.wrong.low)};
    return row;
}

static void fill_rows(const tuning *t, tune_view *view) {
    int first = t->aim->by_containment ? 50 : 30;
    for (int percent = first; percent <= 100; percent += 5)
        view->rows[view->row_count++] = row_at(t, view, percent / 100.);
}

static double merit(const tuning *t, const tune_row *row) {
    return row->recall.value - t->aim->weight * row->wrong.value;
}

/* Clearly better, or as good and farther from mistakes. The default view comes first and keeps its place
 * unless another is clearly better. */
static bool is_better(const tuning *t, const tune_row *row, const tune_row *than, bool same_view) {
    static const double clearly = .01, as_good = .002;
    double gain = merit(t, row) - merit(t, than);
    return same_view ? gain >= -as_good : gain > clearly;
}

/* The best threshold of a view, from the lowest up; then it is compared with the best so far. */
static size_t best_row_of(const tuning *t, const tune_view *view) {
    size_t best = 0, peak = 0;
    for (size_t i = 1; i < view->row_count; i++)
        if (merit(t, &view->rows[i]) > merit(t, &view->rows[peak])) peak = i;
    best = peak;
    for (size_t i = peak + 1; i < view->row_count; i++)
        if (is_better(t, &view->rows[i], &view->rows[peak], true)) best = i;
    return best;
}

void tune_choose(tuning *t) {
    for (size_t i = 0; i < TUNE_VIEWS; i++) {
        tune_view *view = &t->views[i];
        fill_rows(t, view);
        view->best_row = best_row_of(t, view);
        if (i && !is_better(t, &view->rows[view->best_row], tune_best(t), false)) continue;
        t->best_view = i;
        t->best_row = view->best_row;
    }
}

const tune_row *tune_best(const tuning *t) {
    return &t->views[t->best_view].rows[t->best_row];
}

const tune_row *tune_default(const tuning *t) {
    double threshold = t->aim->by_containment ? .9 : .7;
    const tune_view *view = &t->views[0];
    size_t i = 0;
    while (i + 1 < view->row_count && view->rows[i].threshold < threshold - 1e-9) i++;
    return &view->rows[i];
}

tune_share tune_recall_of(const tuning *t, size_t change, size_t *copies) {
    const tune_view *view = &t->views[t->best_view];
    size_t found = 0;
    *copies = 0;
    for (size_t i = 0; i < t->copies.count; i++) {
        if (t->copies.list[i].change != change || i % t->copies.each >= t->rounds) continue;
        ++*copies;
        found += view->found[i] >= tune_best(t)->threshold;
    }
    return *copies ? tune_interval((double)found / (double)*copies, (double)*copies) : (tune_share){0, 0, 1};
}

/* A document that meets k times as many others is matched wrongly with at most 1 - (1 - p)^k: less, where
 * some documents are in more danger than others. */
double tune_wrong_among(const tuning *t, const tune_row *row, uint64_t documents) {
    double others = t->sample.count > 1 ? (double)t->sample.count - 1 : 1;
    double times = documents > t->sample.count ? (double)(documents - 1) / others : 1;
    return 1 - pow(1 - row->wrong.high, times);
}
