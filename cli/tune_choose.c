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

/* Of each document the share of its copies that is found, and of all. */
static double *found_shares(const tuning *t, const tune_view *view, double threshold, double *mean) {
    size_t documents = t->sample.count;
    double *share_of = need_memory(documents * sizeof *share_of);
    *mean = 0;
    for (size_t i = 0; i < documents; i++) {
        size_t found = 0;
        for (size_t k = 0; k < t->rounds; k++) found += view->found[k * documents + i] >= threshold;
        share_of[i] = (double)found / (double)t->rounds;
        *mean += share_of[i];
    }
    *mean /= (double)documents;
    return share_of;
}

static void state_recall(const tuning *t, const tune_view *view, tune_row *row) {
    double mean, *share_of = found_shares(t, view, row->threshold, &mean);
    row->recall_cases = worth(share_of, t->sample.count, t->rounds, mean);
    row->recall = tune_interval(mean, row->recall_cases);
    free(share_of);
}

static size_t root_of(size_t *parent, size_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* Forms come in families, of which a collection has all or none: how many independent documents a share of
 * wrong ones stands for, when families are what is drawn. */
static double worth_of_families(const tune_view *view, size_t documents, size_t judged, double threshold,
                                double share) {
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
    double cases = squares > 0 ? share * (1 - share) * (double)judged * (double)judged / squares : 0;
    if (squares <= 0 || cases > (double)judged) return (double)judged;
    return cases > 1 ? cases : 1;
}

/* Of the documents that have something to lose. */
static void state_wrong(const tuning *t, const tune_view *view, tune_row *row) {
    size_t wrong = 0, documents = t->sample.count;
    if (!t->own.judged) {
        row->wrong = (tune_share){0, 0, 1};
        row->wrong_cases = 1;
        return;
    }
    for (size_t i = 0; i < documents; i++) wrong += view->wrong[i] >= row->threshold;
    double share = (double)wrong / (double)t->own.judged;
    row->wrong_cases = worth_of_families(view, documents, t->own.judged, row->threshold, share);
    row->wrong = tune_interval(share, row->wrong_cases);
}

/* Of the documents that are matched, those that are matched rightly. Nothing matched: nothing wrong. */
static double precision_of(double copies, double recall, double wrong) {
    double right = copies * recall, matched = right + (1 - copies) * wrong;
    return matched > 0 ? right / matched : 1;
}

/* The worst and the best that both intervals allow. */
static tune_share precision_from(const tuning *t, tune_share recall, tune_share wrong) {
    return (tune_share){precision_of(t->prevalence, recall.value, wrong.value),
                        precision_of(t->prevalence, recall.low, wrong.high),
                        precision_of(t->prevalence, recall.high, wrong.low)};
}

static tune_row row_at(const tuning *t, const tune_view *view, double threshold) {
    tune_row row = {.threshold = threshold};
    state_recall(t, view, &row);
    state_wrong(t, view, &row);
    row.precision = precision_from(t, row.recall, row.wrong);
    for (size_t i = 0; i < view->natural_count; i++) row.natural += view->natural[i] >= threshold;
    return row;
}

static void fill_rows(const tuning *t, tune_view *view) {
    int first = t->aim->by_containment ? 50 : 30;
    view->row_count = 0;
    for (int percent = first; percent <= 100; percent += 5)
        view->rows[view->row_count++] = row_at(t, view, percent / 100.);
}

bool tune_is_precise(const tuning *t) {
    return t->own.judged * 2 >= t->sample.count;
}

/* ---- how wide intervals are ---- */

static const double half_wanted = .02;

/* Copies of one document vary by chance, which further ones make up for; documents vary, too, and that stays.
 */
bool tune_wants_copies(const tuning *t) {
    const tune_row *row = tune_best(t);
    double mean, between = 0, within = 0, documents = (double)t->sample.count, rounds = (double)t->rounds;
    if (tune_half_width(row->recall) <= half_wanted || t->rounds < 2) return false;
    double *share_of = found_shares(t, &t->views[t->best_view], row->threshold, &mean);
    for (size_t i = 0; i < t->sample.count; i++) {
        between += (share_of[i] - mean) * (share_of[i] - mean) / documents;
        within += share_of[i] * (1 - share_of[i]) / documents / (rounds - 1);
    }
    free(share_of);
    double stays = between > within ? between - within : 0;
    return within > 0 && z * sqrt(stays / documents) < half_wanted;
}

/* Whether so many times the cases would do. */
static bool is_narrow(const tuning *t, const tune_row *row, double times) {
    tune_share recall = tune_interval(row->recall.value, row->recall_cases * times),
               wrong = tune_interval(row->wrong.value, row->wrong_cases * times);
    return tune_half_width(recall) <= half_wanted &&
           (!tune_is_precise(t) || tune_half_width(precision_from(t, recall, wrong)) <= half_wanted);
}

uint64_t tune_documents_needed(const tuning *t) {
    const tune_row *row = tune_best(t);
    double times = 1;
    if (is_narrow(t, row, 1)) return 0;
    while (times < 1e6 && !is_narrow(t, row, times)) times *= 1.05;
    return (uint64_t)ceil((double)t->sample.count * times);
}

/* ---- the choice ---- */

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

/* The best threshold of a view, or a higher one that is as good: but where nothing is removed, only if no
 * pair that is there by nature is lost for it. */
static size_t best_row_of(const tuning *t, const tune_view *view) {
    size_t best = 0, peak = 0;
    for (size_t i = 1; i < view->row_count; i++)
        if (merit(t, &view->rows[i]) > merit(t, &view->rows[peak])) peak = i;
    best = peak;
    for (size_t i = peak + 1; i < view->row_count; i++)
        if (is_better(t, &view->rows[i], &view->rows[peak], true) &&
            (t->aim->removes || view->rows[i].natural == view->rows[peak].natural))
            best = i;
    return best;
}

/* Of the views that are at most this much worse than the best. */
static void choose_fastest(tuning *t) {
    static const double nearly = .03;
    double least = merit(t, tune_best(t)) - nearly;
    for (size_t i = 0; i < TUNE_VIEWS; i++) {
        const tune_view *view = &t->views[i], *best = &t->views[t->best_view];
        if (merit(t, &view->rows[view->best_row]) < least) continue;
        if (view->bytes * best->seconds <= best->bytes * view->seconds) continue;
        t->best_view = i;
        t->best_row = view->best_row;
    }
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
    if (t->options->prefer == PREFER_SPEED) choose_fastest(t);
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
    size_t found = 0, documents = t->sample.count;
    *copies = 0;
    for (size_t i = 0; i < documents * t->rounds; i++) {
        if (tune_change_of(t->aim, i / documents, i % documents) != change) continue;
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
