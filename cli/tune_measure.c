/*
 * Scans of the sample together with its copies, for each view: what is found there is what a scan finds.
 *
 * The first scan is of the documents alone, and tells which are taken for others. The further ones are only
 * to tell what is found of the copies, one of each document at a time, so that copies are not compared with
 * each other; where all resembles all they are made in parts, since comparing is most of the work there.
 */
#include "reading_options.h"
#include "tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command.h"

typedef struct candidate {
    const char *unit;
    unsigned window;
} candidate;

static const candidate candidates[TUNE_VIEWS] = {
    {"word", 5}, {"word", 3}, {"word", 8}, {"byte", 32}}; /* the default first */
static const candidate without_words = {"char", 12};      /* instead of bytes: as long, and for people */

typedef struct scored {
    uint64_t a, b;         /* a before b */
    double score;          /* the highest threshold at which the pair is reported */
    double a_goes, b_goes; /* and at which one would go for the other: what contains another stays */
} scored;

#define ALONE SIZE_MAX

/* Every so-many-th document of the sample. */
typedef struct tune_part {
    size_t which, parts, count;
} tune_part;

static size_t document_of(tune_part part, size_t i) {
    return part.which + i * part.parts;
}

/* The pairs of one scan that tell something. Documents of the part, then their copies, if it has them. */
typedef struct finding {
    const tuning *tuning;
    size_t round; /* which copy of each document; ALONE: none */
    tune_part part;
    uint64_t *first; /* of each document, the first with the same text */
    bool *repeated;  /* of each document: others have its text, too */
    scored *pairs;
    size_t count, capacity;
} finding;

/* The highest threshold at which a document goes, of which so much is in the other. */
static double score_of(const tune_aim *aim, double resemblance, double inside) {
    if (aim->by_containment) return inside;
    return aim->contained && inside >= aim->contained ? 1 : resemblance;
}

static scored scored_pair(const tune_aim *aim, const stemma_scan_pair *pair) {
    double first = score_of(aim, pair->resemblance, pair->a_in_b),
           second = score_of(aim, pair->resemblance, pair->b_in_a), most = first > second ? first : second;
    if (pair->a < pair->b) return (scored){pair->a, pair->b, most, first, second};
    return (scored){pair->b, pair->a, most, second, first};
}

/* Two originals, or a copy and its own original: any other pair is of no interest. */
static bool is_wanted(const finding *f, uint64_t a, uint64_t b) {
    size_t originals = f->part.count;
    if (a >= originals) return false;
    return b < originals || f->repeated[b] || b - originals == a;
}

static stemma_status take_pair(void *context, const stemma_scan_pair *pair, stemma_error *error) {
    finding *f = context;
    scored found = scored_pair(f->tuning->aim, pair);
    (void)error;
    if (!is_wanted(f, found.a, found.b)) return STEMMA_OK;
    if (f->count == f->capacity) {
        f->capacity = f->capacity ? 2 * f->capacity : 1024;
        f->pairs = need_more(f->pairs, f->capacity * sizeof *f->pairs);
    }
    f->pairs[f->count++] = found;
    return STEMMA_OK;
}

static int by_place(const void *x, const void *y) {
    const scored *a = x, *b = y;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    return (a->b > b->b) - (a->b < b->b);
}

static double pair_score(const finding *f, uint64_t a, uint64_t b) {
    scored key = {.a = a < b ? a : b, .b = a < b ? b : a};
    if (a == b) return 1;
    const scored *found = f->count ? bsearch(&key, f->pairs, f->count, sizeof key, by_place) : NULL;
    return found ? found->score : 0;
}

static void score_copies(const finding *f, tune_view *view) {
    double *found = view->found + f->round * f->tuning->sample.count;
    if (f->count) qsort(f->pairs, f->count, sizeof *f->pairs, by_place);
    for (size_t i = 0; i < f->part.count; i++)
        found[document_of(f->part, i)] = pair_score(f, f->first[f->part.count + i], f->first[i]);
}

/* A document that would go for another. */
typedef struct going {
    uint64_t document, other;
    double score;
} going;

/* Best first, so that each document meets its worst mistake first. */
static int by_score(const void *x, const void *y) {
    const going *a = x, *b = y;
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    if (a->document != b->document) return a->document < b->document ? -1 : 1;
    return (a->other > b->other) - (a->other < b->other);
}

static void note_mistake(tune_mistakes *mistakes, going found) {
    if (mistakes->score[found.document] <= 0) {
        mistakes->score[found.document] = found.score;
        mistakes->with[found.document] = (size_t)found.other;
    } else if (mistakes->second[found.document] <= 0) {
        mistakes->second[found.document] = found.score;
    }
}

/* The document is known to be matched wrongly with two others at higher thresholds, by every cut. */
static bool is_known(const tune_view *view, size_t document) {
    for (size_t cut = 0; cut < TUNE_CUTS; cut++)
        if (view->mistakes[cut].second[document] <= 0) return false;
    return true;
}

static void score_mistakes(const tune_own *own, going *all, size_t count, tune_view *view) {
    if (count) qsort(all, count, sizeof *all, by_score);
    for (size_t i = 0; i < count && all[i].score > 0; i++) {
        if (is_known(view, all[i].document)) continue;
        unsigned differ = tune_own_differ(own, all[i].document, all[i].other);
        for (size_t cut = 0; cut < TUNE_CUTS; cut++)
            if (differ >> cut & 1) note_mistake(&view->mistakes[cut], all[i]);
    }
}

static void note_natural(tune_view *view, double score) {
    view->natural = need_more(view->natural, (view->natural_count + 1) * sizeof *view->natural);
    view->natural[view->natural_count++] = score;
}

static void score_originals(finding *f, tune_view *view) {
    const tune_own *own = &f->tuning->own;
    going *all = need_memory((2 * f->count + 1) * sizeof *all);
    size_t count = 0;
    if (f->count) qsort(f->pairs, f->count, sizeof *f->pairs, by_place);
    for (size_t i = 0; i < f->count; i++) {
        scored pair = f->pairs[i];
        if (tune_own_natural(own, pair.a, pair.b)) note_natural(view, pair.score);
        all[count++] = (going){pair.a, pair.b, pair.a_goes};
        all[count++] = (going){pair.b, pair.a, pair.b_goes};
    }
    score_mistakes(own, all, count, view);
    free(all);
}

/* ---- the scan ---- */

static stemma_status add_texts(const tune_text *texts, tune_part part, stemma_scan *scan,
                               stemma_error *error) {
    stemma_status status = STEMMA_OK;
    for (size_t i = 0; i < part.count && !status; i++) {
        const tune_text *text = &texts[document_of(part, i)];
        status = stemma_scan_add_text(scan, "", text->data, text->size, error);
    }
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

/* Bytes that are read, and those of documents that are compared: a comparison goes through its two some 20
 * times as fast as they are read. */
static void note_work(const tuning *t, tune_view *view, stemma_scan_summary summary) {
    double mean = (double)t->sample.bytes / (double)t->sample.count;
    view->reading = (double)summary.bytes;
    view->comparing = (double)summary.verified * 2 * mean / 20;
}

/* Of all threads: what else the machine does is not part of it. */
static double cpu_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* The fastest of some scans is what a view can do; whatever made others slower has nothing to do with it. */
static void note_speed(tune_view *view, double seconds, stemma_scan_summary summary) {
    double speed = (double)summary.bytes / fmax(seconds, 1e-6);
    view->seconds += seconds;
    view->speed = fmax(view->speed, speed);
}

static stemma_status run_scan(finding *f, stemma_scan *scan, progress *p, stemma_error *error) {
    stemma_status status = stemma_scan_run(scan, error);
    if (status) return status;
    progress_of_scan(p, &(stemma_scan_progress){.stage = "comparing"});
    find_firsts(f, scan, f->round == ALONE ? f->part.count : 2 * f->part.count);
    return stemma_scan_pairs(scan, take_pair, f, error);
}

static stemma_status take_pairs(finding *f, tune_view *view, stemma_scan *scan, progress *p,
                                stemma_error *error) {
    stemma_status status = add_texts(f->tuning->sample.texts, f->part, scan, error);
    if (!status && f->round != ALONE) status = add_texts(f->tuning->copies.texts, f->part, scan, error);
    if (status) return status;
    double begin = cpu_seconds();
    status = run_scan(f, scan, p, error);
    if (!status && f->part.parts == 1) note_speed(view, cpu_seconds() - begin, stemma_scan_get_summary(scan));
    return status;
}

static stemma_status find_pairs(tuning *t, tune_view *view, size_t round, tune_part part, stemma_scan *scan,
                                progress *p, stemma_error *error) {
    finding f = {.tuning = t,
                 .round = round,
                 .part = part,
                 .first = need_memory(2 * part.count * sizeof *f.first),
                 .repeated = need_memory(2 * part.count)};
    stemma_status status = take_pairs(&f, view, scan, p, error);
    if (!status && round != ALONE) score_copies(&f, view);
    if (!status && round == ALONE && view->reading <= 0) { /* and not once more for their time */
        note_work(t, view, stemma_scan_get_summary(scan));
        score_originals(&f, view);
    }
    free(f.first);
    free(f.repeated);
    free(f.pairs);
    return status;
}

static stemma_status scan_for(const tuning *t, const stemma_recipe *recipe, progress *p, stemma_scan **scan,
                              stemma_error *error) {
    stemma_scan_options how = stemma_scan_options_default();
    stemma_limits limits = reading_limits(t->options);
    how.threshold = t->aim->by_containment ? .5 : .3; /* what a scan finds at all */
    how.contained = t->aim->by_containment ? .5 : t->aim->contained;
    how.keep = STEMMA_KEEP_FIRST;
    how.pairs = true;
    how.threads = t->options->threads;
    how.progress = progress_of_scan;
    how.progress_context = p;
    return stemma_scan_new(recipe, &how, &limits, scan, error);
}

static stemma_status measure_part(tuning *t, tune_view *view, size_t round, tune_part part,
                                  const stemma_recipe *recipe, progress *p, stemma_error *error) {
    stemma_scan *scan;
    stemma_status status = scan_for(t, recipe, p, &scan, error);
    if (status) return status;
    status = find_pairs(t, view, round, part, scan, p, error);
    stemma_scan_free(scan);
    return status;
}

/* ---- how many documents ---- */

/* Pairs grow with the square of the documents: some of them tell how many all have. */
enum { PILOT = 150 };
static const double compared_most = 4e9; /* bytes of documents that are compared in one scan: some seconds */

static stemma_status pass_over(void *context, const stemma_scan_pair *pair, stemma_error *error) {
    (void)context;
    (void)pair;
    (void)error;
    return STEMMA_OK;
}

static stemma_status count_compared(const tuning *t, progress *p, double *compared, stemma_error *error) {
    stemma_scan *scan;
    stemma_status status = scan_for(t, NULL, p, &scan, error);
    if (status) return status;
    status = add_texts(t->sample.texts, (tune_part){0, 1, PILOT}, scan, error);
    if (!status) status = stemma_scan_run(scan, error);
    if (!status) status = stemma_scan_pairs(scan, pass_over, NULL, error); /* which compares all */
    double mean = (double)t->sample.bytes / (double)t->sample.count,
           times = (double)t->sample.count / (double)PILOT;
    if (!status) *compared = (double)stemma_scan_get_summary(scan).verified * 2 * mean * times * times;
    stemma_scan_free(scan);
    return status;
}

/* They are in an order decided by chance. */
static void keep_first(tune_sample *sample, size_t count) {
    sample->name_bytes = sample->name_bytes * count / sample->count;
    while (sample->count > count) {
        tune_text *last = &sample->texts[--sample->count];
        sample->bytes -= last->size;
        free(last->data);
    }
    sample->alike = true;
}

enum exit_code tune_bound_sample(tuning *t, progress *p) {
    double compared = 0;
    stemma_error error;
    if (t->sample.count <= 2 * PILOT || t->options->sample) return EXIT_DONE;
    p->lead = "documents: ";
    stemma_status status = count_compared(t, p, &compared, &error);
    progress_erase(p);
    p->lead = NULL;
    if (status) return complain_of(&error);
    double kept = compared > compared_most ? sqrt(compared_most / compared) : 1;
    if (kept < 1) keep_first(&t->sample, (size_t)fmax(2 * PILOT, kept * (double)t->sample.count));
    return EXIT_DONE;
}

/* ---- rounds ---- */

/* With a copy of each there are twice as many documents, and four times as many pairs. */
static double reading_of_round(const tune_view *view) {
    return 2 * view->reading;
}

static double comparing_of_round(const tune_view *view) {
    return 4 * view->comparing;
}

/* As many as make comparing a quarter of reading; what the documents are compared with is not for the rounds
 * with copies to tell. */
static size_t parts_of(const tuning *t, const tune_view *view) {
    enum { PART_LEAST = 12 }; /* documents */
    size_t most = t->sample.count / PART_LEAST;
    double parts = view->reading > 0 ? ceil(4 * comparing_of_round(view) / reading_of_round(view)) : 1;
    if (parts > (double)most) parts = (double)most;
    return parts > 1 ? (size_t)parts : 1;
}

static stemma_status measure_round(tuning *t, tune_view *view, size_t round, const stemma_recipe *recipe,
                                   progress *p, stemma_error *error) {
    size_t parts = round == ALONE ? 1 : parts_of(t, view);
    stemma_status status = STEMMA_OK;
    for (size_t i = 0; i < parts && !status; i++) {
        tune_part part = {i, parts, (t->sample.count - i + parts - 1) / parts};
        status = measure_part(t, view, round, part, recipe, p, error);
    }
    return status;
}

static stemma_status measure_view(tuning *t, tune_view *view, size_t round, progress *p,
                                  stemma_error *error) {
    char text[64];
    stemma_recipe *recipe;
    snprintf(text, sizeof text, "preset=text unit=%s window=%u", view->unit, view->window);
    stemma_status status = stemma_recipe_parse(text, &recipe, error);
    if (status) return status;
    if (round == t->rounds)
        view->found = need_more(view->found, (round + 1) * t->sample.count * sizeof *view->found);
    status = measure_round(t, view, round, recipe, p, error);
    stemma_recipe_free(recipe);
    return status;
}

/* Scans of a few documents are over before a clock has anything to tell: some more are made for those who
 * want speed. */
enum { TIMED_AGAIN = 8 };
static const double timed_enough = .5; /* seconds of a view */

static enum exit_code try_views(tuning *t, size_t round, bool for_time, const char *what, progress *p) {
    char lead[64];
    stemma_error error;
    stemma_status status = STEMMA_OK;
    p->lead = lead;
    for (size_t i = 0; i < TUNE_VIEWS && !status; i++) {
        if (for_time && t->views[i].seconds > timed_enough) continue;
        snprintf(lead, sizeof lead, "%s, view %zu of %d: ", what, i + 1, (int)TUNE_VIEWS);
        status = measure_view(t, &t->views[i], round, p, &error);
        progress_erase(p);
    }
    p->lead = NULL;
    return status ? complain_of(&error) : EXIT_DONE;
}

/* Makes copies, and scans them under every view. */
static enum exit_code try_round(tuning *t, progress *p) {
    char what[32];
    enum exit_code code = tune_copies_make(&t->copies, &t->sample, t->aim, t->options->chance, t->rounds);
    snprintf(what, sizeof what, "round %zu", t->rounds + 1);
    if (!code) code = try_views(t, t->rounds, false, what, p);
    tune_copies_release(&t->copies);
    return code;
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
    double first = 0, further = 0;
    for (size_t i = 0; i < TUNE_VIEWS; i++) {
        const tune_view *view = &t->views[i];
        first += view->reading + view->comparing;
        further += reading_of_round(view) + comparing_of_round(view) / (double)parts_of(t, view);
    }
    double rounds = further > 0 ? (work_most - first) / further : ROUNDS_MOST;
    if (rounds < 1) return 1;
    return rounds < ROUNDS_MOST ? (size_t)rounds : ROUNDS_MOST;
}

/* The documents alone again, under views of which little was timed. */
static enum exit_code measure_speed(tuning *t, progress *p) {
    enum exit_code code = EXIT_DONE;
    for (size_t i = 0; i < TIMED_AGAIN && !code; i++) code = try_views(t, ALONE, true, "time", p);
    tune_choose_fastest(t);
    return code;
}

enum exit_code tune_measure(tuning *t, progress *p) {
    for (size_t i = 0; i < TUNE_VIEWS; i++) {
        tune_view *view = &t->views[i];
        candidate tried = t->wordless && i + 1 == TUNE_VIEWS ? without_words : candidates[i];
        view->unit = tried.unit;
        view->window = tried.window;
        for (size_t cut = 0; cut < TUNE_CUTS; cut++) {
            tune_mistakes *mistakes = &view->mistakes[cut];
            mistakes->score = need(calloc(t->sample.count, sizeof *mistakes->score));
            mistakes->with = need(calloc(t->sample.count, sizeof *mistakes->with));
            mistakes->second = need(calloc(t->sample.count, sizeof *mistakes->second));
        }
    }
    enum exit_code code = try_views(t, ALONE, false, "documents", p);
    if (code) return code;
    do {
        if ((code = try_round(t, p))) return code;
        t->rounds++;
        tune_choose(t);
    } while (t->rounds < rounds_affordable(t) && (t->rounds < rounds_usual(t) || tune_wants_copies(t)));
    return t->options->prefer == PREFER_SPEED ? measure_speed(t, p) : EXIT_DONE;
}

void tune_views_release(tuning *t) {
    for (size_t i = 0; i < TUNE_VIEWS; i++) {
        free(t->views[i].found);
        for (size_t cut = 0; cut < TUNE_CUTS; cut++) {
            free(t->views[i].mistakes[cut].score);
            free(t->views[i].mistakes[cut].with);
            free(t->views[i].mistakes[cut].second);
        }
        free(t->views[i].natural);
    }
}
