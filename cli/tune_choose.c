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

/* How many independent documents a share of wrong ones stands for. Without a document those are not wrong,
 * either, that are wrong with it alone: the jackknife over documents, whose variance is too large rather than
 * too small (Efron and Stein, 1981). */
static double worth_of_documents(const tune_mistakes *mistakes, size_t documents, size_t judged,
                                 double threshold, double share) {
    size_t *lost = need(calloc(documents, sizeof *lost));
    double sum = 0, squares = 0, most = (double)judged;
    for (size_t i = 0; i < documents; i++) {
        if (mistakes->score[i] < threshold) continue;
        lost[i]++;
        if (mistakes->second[i] < threshold) lost[mistakes->with[i]]++;
    }
    for (size_t i = 0; i < documents; i++) {
        sum += (double)lost[i];
        squares += (double)lost[i] * (double)lost[i];
    }
    free(lost);
    double variance = judged > 1 ? (squares - sum * sum / most) / most / (most - 1) : 0;
    if (variance <= 0 || share >= 1) return most;
    double cases = share * (1 - share) / variance;
    return cases < 1 ? 1 : cases < most ? cases : most;
}

/* By what is stated, and by the other cuts as far as they leave enough documents that have something to lose.
 * Times: among so many times the documents, where chance makes less of a difference. */
static tune_share wrong_among(const tune_row *row, double times) {
    double stated = row->wrong_at[TUNE_CUT];
    tune_share all = tune_interval(stated, row->wrong_cases[TUNE_CUT] * times);
    for (size_t cut = 0; cut < TUNE_CUTS; cut++) {
        if (row->wrong_cases[cut] <= 0) continue;
        double share = stated + (row->wrong_at[cut] - stated) / sqrt(times);
        tune_share other = tune_interval(share, row->wrong_cases[cut] * times);
        all.low = fmin(all.low, other.low);
        all.high = fmax(all.high, other.high);
    }
    return all;
}

static bool is_judged(const tuning *t, size_t cut) {
    return t->own.judged[cut] * 2 >= t->sample.count;
}

/* Of the documents that have something to lose. */
static void state_cut(const tuning *t, const tune_view *view, size_t cut, tune_row *row) {
    const tune_mistakes *mistakes = &view->mistakes[cut];
    size_t wrong = 0, documents = t->sample.count, judged = t->own.judged[cut];
    for (size_t i = 0; i < documents; i++) wrong += mistakes->score[i] >= row->threshold;
    double share = judged ? (double)wrong / (double)judged : 0;
    row->wrong_at[cut] = share;
    row->wrong_cases[cut] =
        judged ? worth_of_documents(mistakes, documents, judged, row->threshold, share) : 1;
    if (cut == TUNE_CUT) row->wrong_documents = wrong;
}

static void state_wrong(const tuning *t, const tune_view *view, tune_row *row) {
    for (size_t cut = 0; cut < TUNE_CUTS; cut++)
        if (cut == TUNE_CUT || is_judged(t, cut)) state_cut(t, view, cut, row);
    row->wrong = t->own.judged[TUNE_CUT] ? wrong_among(row, 1) : (tune_share){0, 0, 1};
}

/* Of the documents that are matched, those that are matched rightly. Nothing matched: nothing wrong. */
static double precision_of(double copies, double recall, double wrong) {
    double right = copies * recall, matched = right + (1 - copies) * wrong;
    return matched > 0 ? right / matched : 1;
}

/* An end of the interval of a / b, from the ends of both that make it so: by Donner and Zou's method (MOVER),
 * which takes their errors for independent ones. Sign: +1 the upper end, -1 the lower one. */
static double ratio_end(double a, double a_end, double b, double b_end, double sign) {
    double below = b_end * (2 * b - b_end);
    return (a * b + sign * sqrt(fmax(0, a * b * a * b - a_end * (2 * a - a_end) * below))) / below;
}

/* Precision is a function of false removal / recall. Where recall may be none, the worst and the best that
 * both intervals allow. */
static tune_share precision_from(const tuning *t, tune_share recall, tune_share wrong) {
    double c = t->prevalence, value = precision_of(c, recall.value, wrong.value);
    if (recall.low <= 0 || 2 * recall.value <= recall.high)
        return (tune_share){value, precision_of(c, recall.low, wrong.high),
                            precision_of(c, recall.high, wrong.low)};
    return (tune_share){value,
                        precision_of(c, 1, ratio_end(wrong.value, wrong.high, recall.value, recall.low, 1)),
                        precision_of(c, 1, ratio_end(wrong.value, wrong.low, recall.value, recall.high, -1))};
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
    return is_judged(t, TUNE_CUT);
}

bool tune_saw_all(const tuning *t) {
    return t->sample.count == t->sample.all;
}

tune_share tune_precision_here(const tuning *t, const tune_row *row) {
    double wrong = row->wrong.value;
    return precision_from(t, row->recall, (tune_share){wrong, wrong, wrong});
}

/* ---- how wide intervals are ---- */

static const double half_wanted = .02;

bool tune_is_known(tune_share share) {
    return tune_half_width(share) <= half_wanted;
}

/* Copies of one document vary by chance, which further ones make up for; documents vary, too, and that stays.
 */
bool tune_wants_copies(const tuning *t) {
    const tune_row *row = tune_best(t);
    double mean, between = 0, within = 0, documents = (double)t->sample.count, rounds = (double)t->rounds;
    if (tune_is_known(row->recall) || t->rounds < 2) return false;
    double *share_of = found_shares(t, &t->views[t->best_view], row->threshold, &mean);
    for (size_t i = 0; i < t->sample.count; i++) {
        between += (share_of[i] - mean) * (share_of[i] - mean) / documents;
        within += share_of[i] * (1 - share_of[i]) / documents / (rounds - 1);
    }
    free(share_of);
    double stays = between > within ? between - within : 0;
    return within > 0 && z * sqrt(stays / documents) < half_wanted;
}

/* Among so many times the cases. */
static tune_share recall_among(const tuning *t, const tune_row *row, double times) {
    (void)t;
    return tune_interval(row->recall.value, row->recall_cases * times);
}

static tune_share precision_among(const tuning *t, const tune_row *row, double times) {
    return precision_from(t, recall_among(t, row, times), wrong_among(row, times));
}

static uint64_t documents_for(const tuning *t, const tune_row *row,
                              tune_share among(const tuning *, const tune_row *, double)) {
    double times = 1;
    if (tune_is_known(among(t, row, 1))) return 0;
    while (times < 1e6 && !tune_is_known(among(t, row, times))) times *= 1.05;
    return (uint64_t)ceil((double)t->sample.count * times);
}

uint64_t tune_recall_needs(const tuning *t, const tune_row *row) {
    return documents_for(t, row, recall_among);
}

uint64_t tune_precision_needs(const tuning *t, const tune_row *row) {
    return tune_is_precise(t) ? documents_for(t, row, precision_among) : 0;
}

uint64_t tune_documents_needed(const tuning *t) {
    uint64_t recall = tune_recall_needs(t, tune_best(t)), precision = tune_precision_needs(t, tune_best(t));
    return recall > precision ? recall : precision;
}

static bool is_narrow(const tuning *t, const tune_row *row) {
    return tune_is_known(row->recall) && (!tune_is_precise(t) || tune_is_known(row->precision));
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

/* At the wrong ends of both intervals. */
static double sure_merit(const tuning *t, const tune_row *row) {
    return row->recall.low - t->aim->weight * row->wrong.high;
}

/* Whether documents are too few to tell what goes wrong; of recall further copies tell more. */
static bool is_doubtful(const tuning *t, const tune_row *row) {
    return tune_is_known(row->recall) && !is_narrow(t, row);
}

/* Of the rows of a view whose figures are as precise as wanted, and that are not much worse: the one that is
 * best at its worst, and better there than this. */
static size_t certain_row(const tuning *t, const tune_view *view, double least, double *sure) {
    size_t found = view->row_count;
    for (size_t i = 0; i < view->row_count; i++) {
        const tune_row *row = &view->rows[i];
        if (!is_narrow(t, row) || merit(t, row) < least || sure_merit(t, row) <= *sure) continue;
        *sure = sure_merit(t, row);
        found = i;
    }
    return found;
}

/* Such a row instead of a best one that is none. */
static void prefer_certain(tuning *t, size_t first, size_t views) {
    static const double not_much = .1;
    const tune_row *best = tune_best(t);
    double least = merit(t, best) - not_much, sure = -INFINITY;
    if (!is_doubtful(t, best)) return;
    for (size_t i = first; i < first + views; i++) {
        size_t row = certain_row(t, &t->views[i], least, &sure);
        if (row == t->views[i].row_count) continue;
        t->best_view = i;
        t->best_row = row;
        t->passed_over = best;
    }
    t->views[t->best_view].best_row = t->best_row;
}

void tune_choose(tuning *t) {
    t->passed_over = NULL;
    for (size_t i = 0; i < TUNE_VIEWS; i++) {
        tune_view *view = &t->views[i];
        fill_rows(t, view);
        view->best_row = best_row_of(t, view);
        if (i && !is_better(t, &view->rows[view->best_row], tune_best(t), false)) continue;
        t->best_view = i;
        t->best_row = view->best_row;
    }
    prefer_certain(t, 0, TUNE_VIEWS);
}

/* Of the views that are at most this much worse than the best: the fastest, or the first that is about as
 * fast, so that the clock does not decide where there is little to choose. */
void tune_choose_fastest(tuning *t) {
    static const double nearly = .03, about_as_fast = .8;
    double least = merit(t, tune_best(t)) - nearly, fastest = 0;
    bool good[TUNE_VIEWS];
    for (size_t i = 0; i < TUNE_VIEWS; i++) {
        const tune_view *view = &t->views[i];
        good[i] = merit(t, &view->rows[view->best_row]) >= least;
        if (good[i]) fastest = fmax(fastest, view->speed);
    }
    size_t chosen = 0;
    while (!good[chosen] || t->views[chosen].speed < about_as_fast * fastest) chosen++;
    if (chosen == t->best_view) return;
    t->best_view = chosen;
    t->best_row = t->views[chosen].best_row;
    t->passed_over = NULL;
    prefer_certain(t, chosen, 1);
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
