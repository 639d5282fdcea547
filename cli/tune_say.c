/* The words for what was measured: views, changes, warnings, the command to run. */
#include "tune.h"

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

/* ---- the command ---- */

typedef struct line {
    char *text;
    size_t size;
} line;

static void add_bytes(line *l, const char *bytes, size_t size) {
    l->text = need_more(l->text, l->size + size + 1);
    memcpy(l->text + l->size, bytes, size);
    l->size += size;
    l->text[l->size] = '\0';
}

/* A word as a shell takes it: plain where it is harmless, else in quotes. */
static void add_word(line *l, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=,:+-@%";
    if (l->size) add_bytes(l, " ", 1);
    if (*word && strspn(word, plain) == strlen(word)) {
        add_bytes(l, word, strlen(word));
        return;
    }
    add_bytes(l, "'", 1);
    for (; *word; word++) {
        if (*word == '\'')
            add_bytes(l, "'\\''", 4);
        else
            add_bytes(l, word, 1);
    }
    add_bytes(l, "'", 1);
}

static void add_option(line *l, const char *name, const char *value) {
    size_t size = strlen(name) + strlen(value) + 1;
    char *word = need_memory(size);
    snprintf(word, size, "%s%s", name, value);
    add_word(l, word);
    free(word);
}

static void add_size(line *l, const char *name, size_t value) {
    char text[32];
    if (!value) return;
    snprintf(text, sizeof text, "%zu", value);
    add_option(l, name, text);
}

/* What was said of the input is said again. */
static void add_input(line *l, const options *o) {
    const option_spec *encoding = &option_table[OPT_ENCODING];
    for (size_t i = 0; i < o->include.count; i++) add_option(l, "--include=", o->include.texts[i]);
    for (size_t i = 0; i < o->exclude.count; i++) add_option(l, "--exclude=", o->exclude.texts[i]);
    if (o->hidden) add_word(l, "--hidden");
    if (o->follow) add_word(l, "--follow");
    if (o->no_ignore) add_word(l, "--no-ignore");
    if (o->no_archives) add_word(l, "--no-archives");
    if (o->strict) add_word(l, "--strict");
    add_size(l, "--unpacked=", o->unpacked);
    add_size(l, "--min-size=", o->min_size);
    add_size(l, "--max-size=", o->max_size);
    if (o->text_field) add_option(l, "--text-field=", o->text_field);
    if (o->id_field) add_option(l, "--id-field=", o->id_field);
    if (o->encoding) {
        size_t length;
        const char *name = choice_at(encoding->choices, o->encoding, &length);
        char value[32];
        snprintf(value, sizeof value, "%.*s", (int)length, name);
        add_option(l, "--encoding=", value);
    }
    if (o->files_from) add_option(l, "--files-from=", o->files_from);
    if (o->null_separated) add_word(l, "-0");
}

/* Names that would be taken for options. */
static bool has_dashes(const options *o) {
    for (size_t i = 0; i < o->operand_count; i++)
        if (o->operands[i][0] == '-' && o->operands[i][1]) return true;
    return false;
}

char *tune_command(const tuning *t) {
    const tune_view *view = &t->views[t->best_view];
    const options *o = t->options;
    char number[32], window[16];
    line l = {0};
    double threshold = tune_best(t)->threshold,
           contained = t->aim->by_containment ? threshold : t->aim->contained;
    snprintf(window, sizeof window, "%u", view->window);
    add_word(&l, "stemma");
    add_word(&l, "scan");
    add_option(&l, "--unit=", view->unit);
    add_option(&l, "--window=", window);
    add_option(&l, "--threshold=", format_threshold(threshold, number, sizeof number));
    add_option(&l, "--contained=", format_threshold(contained, number, sizeof number));
    add_input(&l, o);
    if (has_dashes(o)) add_word(&l, "--");
    for (size_t i = 0; i < o->operand_count; i++) add_word(&l, o->operands[i]);
    return l.text;
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

static void warn_of_size(const tuning *t, char texts[TUNE_WARNINGS][TUNE_WARNING], size_t *count) {
    const tune_row *row = tune_best(t);
    double recall = tune_half_width(row->recall),
           precision = tune_is_precise(t) ? tune_half_width(row->precision) : 0;
    char half[32], needed[32];
    uint64_t documents = tune_documents_needed(t);
    if (documents)
        snprintf(
            next_warning(texts, count), TUNE_WARNING,
            "%zu documents are too few for intervals of .02 to either side: these are up to %s, and about %s "
            "documents would be needed",
            t->sample.count, format_fraction(recall > precision ? recall : precision, half, sizeof half),
            format_count(documents, needed, sizeof needed));
}

/* What many have is not what a removal loses; who has nothing else is not counted. */
static void warn_of_own(const tuning *t, char texts[TUNE_WARNINGS][TUNE_WARNING], size_t *count) {
    char share[32];
    size_t nothing = t->sample.count - t->own.judged;
    if (nothing * 20 < t->sample.count) return;
    snprintf(next_warning(texts, count), TUNE_WARNING,
             "%s of the documents have nothing but what at least %zu have: false removal is of the others%s",
             format_percent((double)nothing / (double)t->sample.count, share, sizeof share), t->own.many,
             tune_is_precise(t) ? "" : ", which are too few to state precision");
}

static void warn_of_natural(const tuning *t, char texts[TUNE_WARNINGS][TUNE_WARNING], size_t *count) {
    const tune_row *row = tune_best(t);
    if (row->natural >= t->own.natural_count) return;
    snprintf(
        next_warning(texts, count), TUNE_WARNING,
        "of the %zu pairs that share text of their own %zu are found: recall of copies is not recall of these",
        t->own.natural_count, row->natural);
}

static void warn_of_sketches(const tuning *t, char texts[TUNE_WARNINGS][TUNE_WARNING], size_t *count) {
    if (!t->options->most_bytes || t->best_sketch < TUNE_SKETCHES) return;
    snprintf(next_warning(texts, count), TUNE_WARNING, "no sketch that is of use has as few as %zu bytes",
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
            format_percent(t->own.shared, share, sizeof share), t->own.many);
    if (brief * 20 >= t->sample.count)
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
}

/* The language, the length, the layout: whatever makes the default poor, the sample shows it. */
static void warn_of_default(const tuning *t, char texts[TUNE_WARNINGS][TUNE_WARNING], size_t *count) {
    const tune_row *usual = tune_default(t), *best = tune_best(t);
    char found[32], wrong[32];
    double loss = best->recall.value - t->aim->weight * best->wrong.value -
                  (usual->recall.value - t->aim->weight * usual->wrong.value);
    if (loss < .05) return;
    snprintf(
        next_warning(texts, count), TUNE_WARNING,
        "the default is poor for these documents: it finds %s of the copies, and takes %s of the documents for "
        "another one",
        format_fraction(usual->recall.value, found, sizeof found),
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
    warn_of_default(t, texts, &count);
    warn_of_floor(t, texts, &count);
    warn_of_whole(t, texts, &count);
    warn_of_own(t, texts, &count);
    warn_of_natural(t, texts, &count);
    warn_of_sketches(t, texts, &count);
    warn_of_size(t, texts, &count);
    return count;
}
