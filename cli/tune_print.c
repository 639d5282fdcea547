/* What was measured, as a table with bars for people, and as JSON. */
#include "tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

/* ---- for people ---- */

enum { BAR = 16, PLACES = 32 };

/* What is not known well enough to be stated is marked. */
static const char *share_words(tune_share share, char *buffer, size_t size) {
    char value[PLACES], low[PLACES], high[PLACES];
    snprintf(buffer, size, "%s%s (%s-%s)", tune_is_known(share) ? "" : "~",
             format_fraction(share.value, value, sizeof value), format_fraction(share.low, low, sizeof low),
             format_fraction(share.high, high, sizeof high));
    return buffer;
}

static void print_bar(double share, bool utf8) {
    int eighths = (int)lround(share * BAR * 8), full = utf8 ? eighths / 8 : (int)lround(share * BAR);
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    for (int i = 0; i < full; i++) fputs(utf8 ? "█" : "#", stdout);
    if (utf8) fputs(parts[eighths % 8], stdout);
    for (int i = full + (utf8 && eighths % 8); i < BAR; i++) putchar(' ');
}

static void print_row(const tuning *t, const tune_row *row, bool best, bool utf8, const palette *colours) {
    char threshold[PLACES], recall[3 * PLACES], precision[3 * PLACES], wrong[3 * PLACES], natural[PLACES];
    snprintf(natural, sizeof natural, "%zu/%zu", row->natural, t->own.natural_count);
    printf("%s%c %-5s%-20s%-20s%-20s%-12s", best ? colours->strong : "", best ? '*' : ' ',
           format_threshold(row->threshold, threshold, sizeof threshold),
           share_words(row->recall, recall, sizeof recall),
           tune_is_precise(t) ? share_words(row->precision, precision, sizeof precision) : "not known",
           share_words(row->wrong, wrong, sizeof wrong), natural);
    print_bar(row->recall.value, utf8);
    putchar('|');
    print_bar(tune_is_precise(t) ? row->precision.value : 0, utf8);
    putchar('|');
    print_bar(row->wrong.value, utf8);
    printf("%s\n", best ? colours->end : "");
}

static void print_table(const tuning *t, const palette *colours) {
    const tune_view *view = &t->views[t->best_view];
    char words[64];
    printf("%s, from each %s on (95 %% intervals):\n\n", tune_view_words(view, words, sizeof words),
           t->aim->by_containment ? "containment" : "resemblance");
    printf("  %-5s%-20s%-20s%-20s%-12s%-*s|%-*s|%s\n", "from", "recall of copies", "precision",
           "false removal", "natural", (int)BAR, "recall of copies", (int)BAR, "precision", "false removal");
    for (size_t i = 0; i < view->row_count; i++)
        print_row(t, &view->rows[i], i == t->best_row, locale_is_utf8(), colours);
    printf("\n* the highest of recall less %g times false removal%s%s.\n", t->aim->weight,
           t->passed_over ? ", at the worse ends of the intervals, where these are of .02 to either side"
                          : ", and of those about as high the last",
           t->options->prefer == PREFER_SPEED ? "; of views nearly as good the fastest" : "");
}

static void print_views(const tuning *t) {
    char words[64], recall[3 * PLACES], wrong[3 * PLACES], threshold[PLACES], speed[PLACES];
    printf(
        "\nA view is what is compared of a text: every run of so many words, characters or bytes. Each at its best:\n");
    printf("\n  %-28s%-6s%-20s%-20s%s\n", "view", "from", "recall of copies", "false removal", "speed");
    for (size_t i = 0; i < TUNE_VIEWS; i++) {
        const tune_view *view = &t->views[i];
        const tune_row *row = &view->rows[view->best_row];
        printf("%c %-28s%-6s%-20s%-20s%s/s\n", i == t->best_view ? '*' : ' ',
               tune_view_words(view, words, sizeof words),
               format_threshold(row->threshold, threshold, sizeof threshold),
               share_words(row->recall, recall, sizeof recall), share_words(row->wrong, wrong, sizeof wrong),
               format_bytes((uint64_t)view->speed, speed, sizeof speed));
    }
}

static void print_changes(const tuning *t) {
    char words[200], recall[3 * PLACES];
    size_t copies;
    printf("\nCopies, and what is found of them:\n\n");
    for (size_t i = 0; i < t->aim->change_count; i++) {
        tune_share share = tune_recall_of(t, i, &copies);
        if (!copies) continue;
        printf("  %-20s%s\n", share_words(share, recall, sizeof recall),
               tune_change_words(&t->aim->changes[i], words, sizeof words));
    }
}

static void print_sketches(const tuning *t) {
    char recall[3 * PLACES], wrong[3 * PLACES], bytes[PLACES];
    printf(
        "\nBy sketches alone ('stemma sketch --recipe=...'), for documents that are not kept: bytes in a file of "
        "them,\nand how often any two documents of the sample are taken for copies of each other.\n\n");
    printf("  %-14s%-20s%-20s%s\n", "per document", "recall of copies", "any two", "recipe");
    for (size_t i = 0; i < TUNE_SKETCHES; i++) {
        const tune_sketch *sketch = &t->sketches[i];
        printf("%c %-14s%-20s%-20s'%s'\n", i == t->best_sketch ? '*' : ' ',
               format_bytes((uint64_t)(sketch->bytes + .5), bytes, sizeof bytes),
               share_words(sketch->recall, recall, sizeof recall),
               share_words(sketch->wrong, wrong, sizeof wrong), sketch->recipe);
    }
}

static void print_warnings(const tuning *t) {
    char warnings[TUNE_WARNINGS][TUNE_WARNING];
    size_t count = tune_warnings(t, warnings);
    if (count) putchar('\n');
    for (size_t i = 0; i < count; i++) printf("Note: %s.\n", warnings[i]);
}

static void print_sketch_command(const tuning *t, const palette *colours) {
    char *command = tune_sketch_command(t, &t->sketches[t->best_sketch]);
    printf("\nor, where documents are not kept:\n\n  %s%s%s\n", colours->strong, command, colours->end);
    free(command);
}

void tune_print(const tuning *t) {
    palette colours = palette_choose();
    char sampled[PLACES], all[PLACES], copies[PLACES], prevalence[PLACES];
    char *command = tune_command(t), sentence[TUNE_SENTENCE];
    if (!t->options->quiet) {
        printf("%s%s%s\n", colours.strong, tune_summary(t, sentence, sizeof sentence), colours.end);
        printf("%s\n\n", tune_expected(t, sentence, sizeof sentence));
        printf("%s of %s documents that differ, with %s changed copies: %s (--for=%s).\n",
               format_count(t->sample.count, sampled, sizeof sampled),
               format_count(t->sample.all, all, sizeof all),
               format_count(t->sample.count * t->rounds, copies, sizeof copies), t->aim->found, t->aim->name);
        printf(
            "Recall is of copies made so; natural: pairs of the sample that share text of their own, found of all.\n"
            "Precision is stated for %s of the documents being copies; ~: not known to .02 to either side.\n\n",
            format_percent(t->prevalence, prevalence, sizeof prevalence));
        print_table(t, &colours);
        print_views(t);
        print_changes(t);
        print_sketches(t);
        print_warnings(t);
        printf("\nRun:\n\n  ");
    }
    printf("%s%s%s\n", colours.strong, command, colours.end);
    free(command);
    if (!t->options->quiet && t->best_sketch < TUNE_SKETCHES) print_sketch_command(t, &colours);
}

/* ---- for programs ---- */

/* needed: documents, for it to be known well enough; 0: is not said. */
static void json_figure(json *j, const char *key, tune_share share, uint64_t needed) {
    stemma_quantity quantity = {share.value, share.low, share.high, false, true, NULL};
    json_open_quantity(j, key, &quantity);
    json_bool(j, "known", tune_is_known(share));
    if (needed) json_count(j, "documents_needed", needed);
    json_close(j, '}');
}

static void json_share(json *j, const char *key, tune_share share) {
    json_figure(j, key, share, 0);
}

static void json_unknown(json *j, const char *key, const char *why) {
    json_quantity(j, key, &(stemma_quantity){.why = why});
}

static void json_shares(json *j, const tuning *t, const tune_row *row) {
    json_figure(j, "recall_of_copies", row->recall, tune_recall_needs(t, row));
    if (tune_is_precise(t))
        json_figure(j, "precision", row->precision, tune_precision_needs(t, row));
    else
        json_unknown(j, "precision", "too few documents have something of their own");
    json_share(j, "false_removal", row->wrong);
    json_count(j, "natural_pairs", row->natural);
    json_count(j, "matched_wrongly", row->wrong_documents);
}

/* Of the documents themselves, where all were looked at. */
static void json_here(json *j, const tuning *t, const tune_row *row) {
    stemma_quantity wrong = {row->wrong.value, row->wrong.value, row->wrong.value, true, true, NULL};
    if (!tune_saw_all(t) || !tune_is_precise(t)) return;
    json_open(j, "here", '{');
    json_share(j, "precision", tune_precision_here(t, row));
    json_quantity(j, "false_removal", &wrong);
    json_close(j, '}');
}

static void json_row(json *j, const char *key, const tuning *t, const tune_row *row) {
    json_open(j, key, '{');
    json_number(j, "threshold", row->threshold);
    json_shares(j, t, row);
    json_close(j, '}');
}

static void json_view(json *j, const tuning *t, const tune_view *view) {
    json_open(j, NULL, '{');
    json_word(j, "unit", view->unit);
    json_count(j, "window", view->window);
    json_number(j, "best", view->rows[view->best_row].threshold);
    json_number(j, "bytes_per_second", view->speed);
    json_open(j, "rows", '[');
    for (size_t i = 0; i < view->row_count; i++) json_row(j, NULL, t, &view->rows[i]);
    json_close(j, ']');
    json_close(j, '}');
}

static void json_step(json *j, const tune_step *step) {
    json_open(j, NULL, '{');
    json_word(j, "kind", stemma_mutation_name(step->kind));
    json_number(j, "least", step->least);
    json_number(j, "most", step->most);
    json_count(j, "blocks", step->blocks);
    json_close(j, '}');
}

static void json_change(json *j, const tuning *t, size_t which) {
    const tune_change *change = &t->aim->changes[which];
    size_t copies;
    tune_share share = tune_recall_of(t, which, &copies);
    json_open(j, NULL, '{');
    json_open(j, "steps", '[');
    for (size_t i = 0; i < change->count; i++) json_step(j, &change->steps[i]);
    json_close(j, ']');
    json_count(j, "copies", copies);
    json_share(j, "recall_of_copies", share);
    json_close(j, '}');
}

static void json_recommended(json *j, const tuning *t) {
    const tune_view *view = &t->views[t->best_view];
    const tune_row *row = tune_best(t);
    char *command = tune_command(t);
    json_open(j, "recommended", '{');
    json_word(j, "unit", view->unit);
    json_count(j, "window", view->window);
    json_number(j, "threshold", row->threshold);
    json_number(j, "contained", t->aim->by_containment ? row->threshold : t->aim->contained);
    json_shares(j, t, row);
    json_number(j, "false_removal_among_all", tune_wrong_among(t, row, t->sample.all));
    json_here(j, t, row);
    json_word(j, "command", command);
    json_close(j, '}');
    free(command);
}

static void json_sketch_size(json *j, const char *key, const tune_sketch *sketch, const char *command) {
    json_open(j, key, '{');
    json_word(j, "recipe", sketch->recipe);
    json_number(j, "bytes", sketch->bytes);
    json_share(j, "recall_of_copies", sketch->recall);
    json_share(j, "any_two", sketch->wrong);
    if (command) json_word(j, "command", command);
    json_close(j, '}');
}

static void json_best_sketch(json *j, const tuning *t) {
    const tune_sketch *sketch = &t->sketches[t->best_sketch];
    char *command = tune_sketch_command(t, sketch);
    json_sketch_size(j, "recommended_sketch", sketch, command);
    free(command);
}

static void json_warnings(json *j, const tuning *t) {
    char warnings[TUNE_WARNINGS][TUNE_WARNING];
    size_t count = tune_warnings(t, warnings);
    json_open(j, "warnings", '[');
    for (size_t i = 0; i < count; i++) json_word(j, NULL, warnings[i]);
    json_close(j, ']');
}

void tune_print_json(const tuning *t) {
    json j = json_begin(stdout);
    json_word(&j, "for", t->aim->name);
    json_count(&j, "seed", t->options->chance);
    json_count(&j, "documents", t->sample.summary.documents);
    json_count(&j, "different", t->sample.all);
    json_count(&j, "sampled", t->sample.count);
    json_count(&j, "copies", t->sample.count * t->rounds);
    json_number(&j, "prevalence", t->prevalence);
    json_count(&j, "related", t->own.related);
    json_count(&j, "natural_pairs", t->own.natural_count);
    json_count(&j, "nothing_own", t->sample.count - t->own.judged[TUNE_CUT]);
    json_count(&j, "documents_needed", tune_documents_needed(t));
    json_number(&j, "boilerplate", t->own.shared);
    json_recommended(&j, t);
    json_row(&j, "default", t, tune_default(t));
    json_warnings(&j, t);
    json_open(&j, "changes", '[');
    for (size_t i = 0; i < t->aim->change_count; i++) json_change(&j, t, i);
    json_close(&j, ']');
    json_open(&j, "views", '[');
    for (size_t i = 0; i < TUNE_VIEWS; i++) json_view(&j, t, &t->views[i]);
    json_close(&j, ']');
    json_open(&j, "sketches", '[');
    for (size_t i = 0; i < TUNE_SKETCHES; i++) json_sketch_size(&j, NULL, &t->sketches[i], NULL);
    json_close(&j, ']');
    if (t->best_sketch < TUNE_SKETCHES) json_best_sketch(&j, t);
    json_end(&j);
}
