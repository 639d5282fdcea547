/*
 * Scans of the sample together with its copies, for each view: what is found there is what a scan finds.
 *
 * One copy of each document at a time, so that copies are not compared with each other.
 */
#include "reading_options.h"
#include "tune.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"

static const struct {
    const char *unit;
    unsigned window;
} candidates[TUNE_VIEWS] = {{"word", 5}, {"word", 3}, {"word", 8}, {"byte", 32}}; /* the default first */

typedef struct scored {
    uint64_t a, b; /* a before b */
    double score;
} scored;

/* The pairs of one scan that tell something. */
typedef struct finding {
    const tuning *tuning;
    size_t round;    /* which copy of each document */
    uint64_t *first; /* of each document, the first with the same text */
    bool *repeated;  /* of each document: others have its text, too */
    scored *pairs;
    size_t count, capacity;
} finding;

/* The highest threshold at which the pair is reported. */
static double score_of(const tune_aim *aim, const stemma_scan_pair *pair) {
    double contained = pair->a_in_b > pair->b_in_a ? pair->a_in_b : pair->b_in_a;
    if (aim->by_containment) return contained;
    return aim->contained && contained >= aim->contained ? 1 : pair->resemblance;
}

/* Two originals, or a copy and its own original: any other pair is of no interest. */
static bool is_wanted(const finding *f, uint64_t a, uint64_t b) {
    size_t originals = f->tuning->sample.count;
    if (a >= originals) return false;
    return b < originals || f->repeated[b] || b - originals == a;
}

static stemma_status take_pair(void *context, const stemma_scan_pair *pair, stemma_error *error) {
    finding *f = context;
    uint64_t a = pair->a < pair->b ? pair->a : pair->b, b = pair->a < pair->b ? pair->b : pair->a;
    (void)error;
    if (!is_wanted(f, a, b)) return STEMMA_OK;
    if (f->count == f->capacity) {
        f->capacity = f->capacity ? 2 * f->capacity : 1024;
        f->pairs = need_more(f->pairs, f->capacity * sizeof *f->pairs);
    }
    f->pairs[f->count++] = (scored){a, b, score_of(f->tuning->aim, pair)};
    return STEMMA_OK;
}

static int by_place(const void *x, const void *y) {
    const scored *a = x, *b = y;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    return (a->b > b->b) - (a->b < b->b);
}

/* Best first, so that each document meets its worst mistake first. */
static int by_score(const void *x, const void *y) {
    const scored *a = x, *b = y;
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    return by_place(x, y);
}

static double pair_score(const finding *f, uint64_t a, uint64_t b) {
    scored key = {a < b ? a : b, a < b ? b : a, 0};
    if (a == b) return 1;
    const scored *found = f->count ? bsearch(&key, f->pairs, f->count, sizeof key, by_place) : NULL;
    return found ? found->score : 0;
}

static void score_copies(const finding *f, tune_view *view) {
    size_t originals = f->tuning->sample.count;
    if (f->count) qsort(f->pairs, f->count, sizeof *f->pairs, by_place);
    for (size_t i = 0; i < originals; i++)
        view->found[f->round * originals + i] = pair_score(f, f->first[originals + i], f->first[i]);
}

static void note_mistake(tune_view *view, uint64_t document, uint64_t other, double score) {
    if (view->wrong[document] > 0) return;
    view->wrong[document] = score;
    view->wrong_with[document] = (size_t)other;
}

static void note_natural(tune_view *view, double score) {
    view->natural = need_more(view->natural, (view->natural_count + 1) * sizeof *view->natural);
    view->natural[view->natural_count++] = score;
}

/* A pair of which both are known to be matched wrongly at a higher threshold tells nothing more. */
static void score_originals(const finding *f, tune_view *view) {
    const tune_own *own = &f->tuning->own;
    if (f->count) qsort(f->pairs, f->count, sizeof *f->pairs, by_score);
    for (size_t i = 0; i < f->count; i++) {
        scored pair = f->pairs[i];
        if (pair.b >= f->tuning->sample.count) continue;
        if (tune_own_natural(own, pair.a, pair.b)) {
            note_natural(view, pair.score);
            continue;
        }
        if ((view->wrong[pair.a] > 0 && view->wrong[pair.b] > 0) || !tune_own_differ(own, pair.a, pair.b))
            continue;
        note_mistake(view, pair.a, pair.b, pair.score);
        note_mistake(view, pair.b, pair.a, pair.score);
    }
}

/* ---- the scan ---- */

static stemma_status add_texts(const tuning *t, stemma_scan *scan, stemma_error *error) {
    stemma_status status = STEMMA_OK;
    for (size_t i = 0; i < t->sample.count && !status; i++)
        status = stemma_scan_add_text(scan, "", t->sample.texts[i].data, t->sample.texts[i].size, error);
    for (size_t i = 0; i < t->sample.count && !status; i++)
        status = stemma_scan_add_text(scan, "", t->copies.texts[i].data, t->copies.texts[i].size, error);
    return status;
}

static void find_firsts(finding *f, stemma_scan *scan, size_t documents) {
    size_t same;
    for (size_t i = 0; i < documents; i++) {
        const uint64_t *copies = stemma_scan_copies(scan, i, &same);
        f->first[i] = copies ? copies[0] : i;
        f->repeated[i] = copies && same > 1;
    }
}

/* Bytes that are read, and those of documents that are compared: a comparison goes through its two some 64
 * times as fast as they are read. */
static void note_work(const tuning *t, tune_view *view, size_t round, stemma_scan_summary summary) {
    double mean = (double)t->sample.bytes / (double)t->sample.count;
    view->bytes += (double)summary.bytes;
    view->seconds += summary.seconds;
    if (round == 0) view->work = (double)summary.bytes + (double)summary.verified * 2 * mean / 64;
}

static stemma_status find_pairs(tuning *t, tune_view *view, size_t round, stemma_scan *scan,
                                stemma_error *error) {
    size_t documents = 2 * t->sample.count;
    finding f = {.tuning = t,
                 .round = round,
                 .first = need_memory(documents * sizeof *f.first),
                 .repeated = need_memory(documents)};
    stemma_status status = add_texts(t, scan, error);
    if (!status) status = stemma_scan_run(scan, error);
    if (!status) {
        find_firsts(&f, scan, documents);
        status = stemma_scan_pairs(scan, take_pair, &f, error);
    }
    if (!status) {
        note_work(t, view, round, stemma_scan_get_summary(scan));
        score_copies(&f, view);
    }
    if (!status && round == 0) score_originals(&f, view); /* they are the same in every round */
    free(f.first);
    free(f.repeated);
    free(f.pairs);
    return status;
}

static stemma_status measure_round(tuning *t, tune_view *view, size_t round, const stemma_recipe *recipe,
                                   progress *p, stemma_error *error) {
    stemma_scan *scan;
    stemma_scan_options how = stemma_scan_options_default();
    stemma_limits limits = reading_limits(t->options);
    how.threshold = t->aim->by_containment ? .5 : .3; /* what a scan finds at all */
    how.contained = t->aim->by_containment ? .5 : t->aim->contained;
    how.keep = STEMMA_KEEP_FIRST;
    how.pairs = true;
    how.threads = t->options->threads;
    how.progress = progress_of_scan;
    how.progress_context = p;
    stemma_status status = stemma_scan_new(recipe, &how, &limits, &scan, error);
    if (status) return status;
    status = find_pairs(t, view, round, scan, error);
    stemma_scan_free(scan);
    return status;
}

static stemma_status measure_view(tuning *t, tune_view *view, size_t round, progress *p,
                                  stemma_error *error) {
    char text[64];
    stemma_recipe *recipe;
    snprintf(text, sizeof text, "preset=text unit=%s window=%u", view->unit, view->window);
    stemma_status status = stemma_recipe_parse(text, &recipe, error);
    if (status) return status;
    view->found = need_more(view->found, (round + 1) * t->sample.count * sizeof *view->found);
    status = measure_round(t, view, round, recipe, p, error);
    stemma_recipe_free(recipe);
    return status;
}

static enum exit_code try_round(tuning *t, size_t round, progress *p) {
    char lead[64];
    stemma_error error;
    stemma_status status = STEMMA_OK;
    enum exit_code code = tune_copies_make(&t->copies, &t->sample, t->aim, t->options->chance, round);
    p->lead = lead;
    for (size_t i = 0; i < TUNE_VIEWS && !code && !status; i++) {
        snprintf(lead, sizeof lead, "round %zu, view %zu of %d: ", round + 1, i + 1, (int)TUNE_VIEWS);
        status = measure_view(t, &t->views[i], round, p, &error);
        progress_erase(p);
    }
    p->lead = NULL;
    tune_copies_release(&t->copies);
    return status ? complain_of(&error) : code;
}

/* Further copies of a document tell less and less that is new. */
enum { COPIES_ENOUGH = 2600, ROUNDS_USUAL = 6, ROUNDS_MOST = 48 };
static const double work_most = 600e6; /* of all scans; but one round is always made */

static size_t rounds_usual(const tuning *t) {
    size_t rounds = (COPIES_ENOUGH + t->sample.count - 1) / t->sample.count;
    return rounds < ROUNDS_USUAL ? rounds : ROUNDS_USUAL;
}

/* Collections of large documents, and such in which all resembles all, get fewer. */
static size_t rounds_affordable(const tuning *t) {
    double work = 0;
    for (size_t i = 0; i < TUNE_VIEWS; i++) work += t->views[i].work;
    double rounds = work > 0 ? work_most / work : ROUNDS_MOST;
    if (rounds < 1) return 1;
    return rounds < ROUNDS_MOST ? (size_t)rounds : ROUNDS_MOST;
}

enum exit_code tune_measure(tuning *t, progress *p) {
    for (size_t i = 0; i < TUNE_VIEWS; i++) {
        tune_view *view = &t->views[i];
        view->unit = candidates[i].unit;
        view->window = candidates[i].window;
        view->wrong = need(calloc(t->sample.count, sizeof *view->wrong));
        view->wrong_with = need(calloc(t->sample.count, sizeof *view->wrong_with));
    }
    do {
        enum exit_code code = try_round(t, t->rounds, p);
        if (code) return code;
        t->rounds++;
        tune_choose(t);
    } while (t->rounds < rounds_affordable(t) && (t->rounds < rounds_usual(t) || tune_wants_copies(t)));
    return EXIT_DONE;
}

void tune_views_release(tuning *t) {
    for (size_t i = 0; i < TUNE_VIEWS; i++) {
        free(t->views[i].found);
        free(t->views[i].wrong);
        free(t->views[i].wrong_with);
        free(t->views[i].natural);
    }
}
