/* The words for what was measured: views, changes, warnings, the command to run. */
#include "tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *tune_view_words(const tune_view *view, char *buffer, size_t size) {
    const char *unit = !strcmp(view->unit, "char")   ? "characters"
                       : !strcmp(view->unit, "byte") ? "bytes"
                                                     : "words";
    snprintf(buffer, size, "windows of %u %s", view->window, unit);
    return buffer;
}

static size_t add_step(const tune_step *step, char *buffer, size_t size) {
    char least[32], most[32];
    const char *name = stemma_mutation_name(step->kind);
    if (step->least >= 1) return (size_t)snprintf(buffer, size, "%s", name);
    return (size_t)snprintf(buffer, size, "%s %s-%s", name,
                            format_threshold(step->least, least, sizeof least),
                            format_threshold(step->most, most, sizeof most));
}

const char *tune_change_words(const tune_change *change, char *buffer, size_t size) {
    size_t used = 0;
    for (size_t i = 0; i < change->count && used < size; i++) {
        if (i) used += (size_t)snprintf(buffer + used, size - used, ", ");
        if (used < size) used += add_step(&change->steps[i], buffer + used, size - used);
    }
    return buffer;
}

/* ---- in a sentence ---- */

/* "about 98 in 100" */
static void say_found(double recall, char *buffer, size_t size) {
    long in_100 = lround(recall * 100);
    if (recall >= 1)
        snprintf(buffer, size, "all");
    else if (in_100 == 100)
        snprintf(buffer, size, "nearly all");
    else
        snprintf(buffer, size, "about %ld in 100", in_100);
}

/* "takes about 1 document in 200 for another's copy" */
static void say_taken(const tuning *t, double wrong, char *buffer, size_t size) {
    if (!tune_is_precise(t))
        snprintf(buffer, size, "what it takes for copies wrongly is not known");
    else if (wrong <= 0)
        snprintf(buffer, size, "it takes none of these documents for another's copy");
    else if (wrong > .1)
        snprintf(buffer, size, "it takes about %ld documents in 100 for another's copy", lround(wrong * 100));
    else
        snprintf(buffer, size, "it takes about 1 document in %ld for another's copy", lround(1 / wrong));
}

/* An interval of more than this says little. */
#define WIDE .2

static bool is_guess(const tuning *t, const tune_row *row) {
    return row->recall.high - row->recall.low > WIDE ||
           (tune_is_precise(t) && row->wrong.high - row->wrong.low > WIDE);
}

const char *tune_summary(const tuning *t, char *buffer, size_t size) {
    const tune_row *row = tune_best(t);
    char found[32], taken[80];
    say_found(row->recall.value, found, sizeof found);
    say_taken(t, row->wrong.value, taken, sizeof taken);
    snprintf(buffer, size, "Of changed copies the scan below finds %s, and %s.%s", found, taken,
             is_guess(t, row) ? " Of so few documents that is little more than a guess: see the intervals."
                              : "");
    return buffer;
}

/* ".957 (.949-.965)", or that nobody knows it so well. */
static void say_expected(tune_share share, const char *what, char *buffer, size_t size) {
    char value[32], low[32], high[32];
    const char *least = format_fraction(share.low, low, sizeof low),
               *most = format_fraction(share.high, high, sizeof high);
    if (tune_is_known(share))
        snprintf(buffer, size, "%s %s (%s-%s)", what, format_fraction(share.value, value, sizeof value),
                 least, most);
    else
        snprintf(buffer, size, "%s not known to .02 (%s-%s)", what, least, most);
}

const char *tune_expected(const tuning *t, char *buffer, size_t size) {
    const tune_row *row = tune_best(t);
    char recall[80], precision[80], here[80] = "";
    say_expected(row->recall, "recall of copies", recall, sizeof recall);
    if (tune_is_precise(t))
        say_expected(row->precision, "precision", precision, sizeof precision);
    else
        snprintf(precision, sizeof precision, "precision not known");
    if (tune_is_precise(t) && !tune_is_known(row->precision) && tune_saw_all(t))
        say_expected(tune_precision_here(t, row), "; of these themselves precision", here, sizeof here);
    snprintf(buffer, size, "To be expected of further documents like these: %s, %s%s.", recall, precision,
             here);
    return buffer;
}

/* ---- warnings ---- */

enum { SHORT_TOKENS = 30 };

static size_t short_documents(const tuning *t) {
    size_t count = 0;
    for (size_t i = 0; i < t->own.count; i++) count += t->own.tokens[i] < SHORT_TOKENS;
    return count;
}

/* The next free text; the last one is written over when there are too many. */
static char *next_warning(char texts[TUNE_WARNINGS][TUNE_WARNING], size_t *count) {
    return texts[*count < TUNE_WARNINGS ? (*count)++ : TUNE_WARNINGS - 1];
}

static void warn_of_width(const tuning *t, const char *what, tune_share share, uint64_t documents,
                          char texts[TUNE_WARNINGS][TUNE_WARNING], size_t *count) {
    char low[32], high[32], needed[32];
    if (documents)
        snprintf(
            next_warning(texts, count), TUNE_WARNING,
            "%s is not known to .02 to either side: %zu documents are too few to say more than %s to %s, and "
            "about %s documents would be needed",
            what, t->sample.count, format_fraction(share.low, low, sizeof low),
            format_fraction(share.high, high, sizeof high), format_count(documents, needed, sizeof needed));
}

static void warn_of_size(const tuning *t, char texts[TUNE_WARNINGS][TUNE_WARNING], size_t *count) {
    const tune_row *row = tune_best(t);
    warn_of_width(t, "recall of copies", row->recall, tune_recall_needs(t, row), texts, count);
    warn_of_width(t, "precision", row->precision, tune_precision_needs(t, row), texts, count);
}

static const char *range_words(tune_share share, char *buffer, size_t size) {
    char low[32], high[32];
    const char *least = format_fraction(share.low, low, sizeof low),
               *most = format_fraction(share.high, high, sizeof high);
    if (!strcmp(least, most))
        snprintf(buffer, size, "%s", least);
    else
        snprintf(buffer, size, "between %s and %s", least, most);
    return buffer;
}

/* Two statements: of these documents, and of further ones like them. */
static void warn_of_here(const tuning *t, char texts[TUNE_WARNINGS][TUNE_WARNING], size_t *count) {
    const tune_row *row = tune_best(t);
    char documents[32], wrong[32], precision[80];
    if (!tune_saw_all(t) || !tune_is_precise(t)) return;
    snprintf(
        next_warning(texts, count), TUNE_WARNING,
        "all %s documents were looked at: as far as their texts tell, %s of them %s matched wrongly, and "
        "precision is %s; the table is of further documents like them",
        format_count(t->sample.count, documents, sizeof documents),
        row->wrong_documents ? format_count(row->wrong_documents, wrong, sizeof wrong) : "none",
        row->wrong_documents == 1 ? "is" : "are",
        range_words(tune_precision_here(t, row), precision, sizeof precision));
}

/* What many have is not what a removal loses; who has nothing else is not counted. */
static void warn_of_own(const tuning *t, char texts[TUNE_WARNINGS][TUNE_WARNING], size_t *count) {
    char share[32];
    size_t nothing = t->sample.count - t->own.judged[TUNE_CUT];
    if (nothing * 20 < t->sample.count) return;
    snprintf(next_warning(texts, count), TUNE_WARNING,
             "%s of the documents have nothing but what at least %zu have: false removal is of the others%s",
             format_percent((double)nothing / (double)t->sample.count, share, sizeof share),
             t->own.cuts[TUNE_CUT], tune_is_precise(t) ? "" : ", which are too few to state precision");
}

/* The highest threshold that finds half of the pairs by nature, or the lowest of all, which finds most. */
static const tune_row *row_for_natural(const tuning *t) {
    const tune_view *view = &t->views[t->best_view];
    size_t i = view->row_count - 1;
    while (i > 0 && view->rows[i].natural * 2 < t->own.natural_count) i--;
    return &view->rows[i];
}

/* Those who look for versions want the pairs that are there rather than the copies that were made. */
static void add_other_threshold(const tuning *t, char *text, size_t size) {
    const tune_row *row = row_for_natural(t);
    char threshold[32], wrong[32];
    if (row->natural <= tune_best(t)->natural) return;
    snprintf(text, size, "; from %s on %zu of them are, and %s of the documents are taken for another one",
             format_threshold(row->threshold, threshold, sizeof threshold), row->natural,
             format_fraction(row->wrong.value, wrong, sizeof wrong));
}

static void warn_of_natural(const tuning *t, char texts[TUNE_WARNINGS][TUNE_WARNING], size_t *count) {
    const tune_row *row = tune_best(t);
    if (row->natural >= t->own.natural_count) return;
    char *text = next_warning(texts, count);
    size_t used = (size_t)snprintf(
        text, TUNE_WARNING,
        "of the %zu pairs that share text of their own %zu are found: recall of copies is not recall of these",
        t->own.natural_count, row->natural);
    if (!t->aim->removes && row->natural * 2 < t->own.natural_count)
        add_other_threshold(t, text + used, TUNE_WARNING - used);
}

/* The table shows what was not taken, and that it looks better. */
static void warn_of_doubt(const tuning *t, char texts[TUNE_WARNINGS][TUNE_WARNING], size_t *count) {
    const tune_row *row = t->passed_over;
    char threshold[32], found[32], wrong[32], words[64];
    if (!row) return;
    size_t i = 0;
    while (row < t->views[i].rows || row >= t->views[i].rows + TUNE_ROWS) i++;
    snprintf(
        next_warning(texts, count), TUNE_WARNING,
        "%s from %s on find %s of the copies, but these documents are too few to tell what goes wrong there: "
        "up to %s of them may be taken for another one",
        tune_view_words(&t->views[i], words, sizeof words),
        format_threshold(row->threshold, threshold, sizeof threshold),
        format_fraction(row->recall.value, found, sizeof found),
        format_fraction(row->wrong.high, wrong, sizeof wrong));
}

/* Few documents that share a text may be versions of it, and may be a form that was filled in. */
static void warn_of_removal(const tuning *t, char texts[TUNE_WARNINGS][TUNE_WARNING], size_t *count) {
    const tune_row *row = tune_best(t);
    if (!t->aim->removes || !row->natural) return;
    snprintf(
        next_warning(texts, count), TUNE_WARNING,
        "%zu pairs that share text of their own are found, and count as wanted: look at them before anything "
        "is removed, since what fewer than %zu documents have may also be a form that was filled in",
        row->natural, t->own.cuts[TUNE_CUT]);
}

static void warn_of_sketches(const tuning *t, char texts[TUNE_WARNINGS][TUNE_WARNING], size_t *count) {
    if (!t->options->most_bytes || t->best_sketch < TUNE_SKETCHES) return;
    snprintf(next_warning(texts, count), TUNE_WARNING,
             "no sketch that is of use has as few as %zu bytes: a name, sizes and digests are kept with each",
             t->options->most_bytes);
}

static void warn_of_documents(const tuning *t, char texts[TUNE_WARNINGS][TUNE_WARNING], size_t *count) {
    char share[32];
    size_t brief = short_documents(t);
    if (t->own.shared >= .15)
        snprintf(
            next_warning(texts, count), TUNE_WARNING,
            "boilerplate: %s of a document is text that at least %zu of these documents have; 'stemma scan "
            "--boilerplate' shows it",
            format_percent(t->own.shared, share, sizeof share), t->own.cuts[TUNE_CUT]);
    if (brief * 20 >= t->sample.count && !t->wordless)
        snprintf(next_warning(texts, count), TUNE_WARNING,
                 "very short documents: %s have fewer than %d words; a word or two changes most of them",
                 format_percent((double)brief / (double)t->sample.count, share, sizeof share),
                 (int)SHORT_TOKENS);
    if (t->sample.too_large)
        snprintf(next_warning(texts, count), TUNE_WARNING, "%llu documents are too large to be tried",
                 (unsigned long long)t->sample.too_large);
    if (t->sample.full)
        snprintf(next_warning(texts, count), TUNE_WARNING,
                 "the sample is full of text after %zu documents: --sample allows more", t->sample.count);
    if (t->sample.alike)
        snprintf(
            next_warning(texts, count), TUNE_WARNING,
            "the documents resemble each other so much that %zu of them are compared: --sample allows more",
            t->sample.count);
}

/* Where a sentence is a word, two sentences are never alike by halves. */
static void warn_of_script(const tuning *t, char texts[TUNE_WARNINGS][TUNE_WARNING], size_t *count) {
    if (!t->wordless) return;
    snprintf(
        next_warning(texts, count), TUNE_WARNING,
        "%s script does not set words apart by spaces, and what counts as a word is a whole sentence: use "
        "--unit=char and a window of characters, such as --window=12",
        t->script);
}

/* The language, the length, the layout: whatever makes the default poor, the sample shows it. */
static void warn_of_default(const tuning *t, char texts[TUNE_WARNINGS][TUNE_WARNING], size_t *count) {
    const tune_row *usual = tune_default(t), *best = tune_best(t);
    char found[32], wrong[32], script[64] = "";
    double loss = best->recall.value - t->aim->weight * best->wrong.value -
                  (usual->recall.value - t->aim->weight * usual->wrong.value);
    if (loss < .05) return;
    if (t->script) snprintf(script, sizeof script, " in %s script", t->script);
    snprintf(
        next_warning(texts, count), TUNE_WARNING,
        "the default is poor for these documents%s: it finds %s of the copies, and takes %s of the documents for "
        "another one",
        script, format_fraction(usual->recall.value, found, sizeof found),
        format_fraction(usual->wrong.value, wrong, sizeof wrong));
}

/* Less than half of a document in another is no business of a scan: what the lowest threshold misses was
 * less. */
static void warn_of_floor(const tuning *t, char texts[TUNE_WARNINGS][TUNE_WARNING], size_t *count) {
    const tune_row *lowest = t->views[t->best_view].rows;
    char missed[32];
    if (!t->aim->by_containment || lowest->recall.value >= .95) return;
    snprintf(
        next_warning(texts, count), TUNE_WARNING,
        "a scan looks for containment from .5 on: %s of these copies have less in common with the document, "
        "and are missed at any threshold; 'stemma find' finds passages of any length",
        format_percent(1 - lowest->recall.value, missed, sizeof missed));
}

static void warn_of_whole(const tuning *t, char texts[TUNE_WARNINGS][TUNE_WARNING], size_t *count) {
    char documents[32], drawn[32], wrong[32];
    uint64_t all = t->sample.all;
    double most = tune_wrong_among(t, tune_best(t), all);
    if (all <= t->sample.count || most < .01) return;
    snprintf(next_warning(texts, count), TUNE_WARNING,
             "among all %s documents more are matched wrongly than among %s: at most %s of them",
             format_count(all, documents, sizeof documents),
             format_count(t->sample.count, drawn, sizeof drawn), format_fraction(most, wrong, sizeof wrong));
}

size_t tune_warnings(const tuning *t, char texts[TUNE_WARNINGS][TUNE_WARNING]) {
    size_t count = 0;
    warn_of_documents(t, texts, &count);
    warn_of_script(t, texts, &count);
    warn_of_default(t, texts, &count);
    warn_of_floor(t, texts, &count);
    warn_of_doubt(t, texts, &count);
    warn_of_whole(t, texts, &count);
    warn_of_own(t, texts, &count);
    warn_of_natural(t, texts, &count);
    warn_of_removal(t, texts, &count);
    warn_of_here(t, texts, &count);
    warn_of_sketches(t, texts, &count);
    warn_of_size(t, texts, &count);
    return count;
}
