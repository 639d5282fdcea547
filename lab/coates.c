/*
 * Coates 2011 and 2015: edit distances from small signatures.
 *
 * The papers' estimate is c times the edit distance of their signatures, ours comes from the same kind of
 * signature with larger symbols. Errors are |estimate - truth|, in 2011 as shares of the distance of
 * unrelated texts, its "Max LD", in 2015 of the length. One run says little, since k alone decides much:
 * every cell is of DRAWS draws.
 */
#include "coates.h"

#include "base/rng.h"
#include "edited.h"
#include "speed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* An edited copy of a text; `amount` means what the edit takes it for. */
typedef stemma_status edit_fn(const struct stretch *stretch, double amount, uint64_t seed, struct buf *out,
                              stemma_error *err);

static stemma_status mutated_copy(const struct stretch *stretch, stemma_mutation mutation, struct buf *out,
                                  stemma_error *err) {
    stemma_mutated *mutated;
    size_t size;
    TRY(stemma_mutate(stretch->text.bytes, stretch->text.size, &mutation, &mutated, err));
    const char *bytes = stemma_mutated_text(mutated, &size);
    bool ok = buf_add(out, bytes, size);
    stemma_mutated_free(mutated);
    return ok ? STEMMA_OK : fail_memory(err);
}

static stemma_status substitute(const struct stretch *stretch, double share, uint64_t seed, struct buf *out,
                                stemma_error *err) {
    stemma_mutation mutation = stemma_mutation_default();
    mutation.kind = STEMMA_MUTATE_SUBSTITUTE;
    mutation.share = share;
    mutation.seed = seed;
    return mutated_copy(stretch, mutation, out, err);
}

/* Blocks of 500 bytes of a text that has nothing to do with this one, at random places. */
static stemma_status insert_blocks(const struct stretch *stretch, double amount, uint64_t seed,
                                   struct buf *out, stemma_error *err) {
    enum { BLOCK = 500 };
    size_t blocks = (size_t)amount, done = 0;
    for (size_t i = 0; i <= blocks; i++) {
        size_t left = stretch->text.size - done, until = stretch->text.size;
        if (i < blocks) until = done + rng_below(&seed, 2 * left / (blocks - i + 1) + 1);
        if (!buf_add(out, stretch->text.bytes + done, until - done) ||
            (i < blocks && !buf_add(out, stretch->other.bytes + BLOCK * i, BLOCK)))
            return fail_memory(err);
        done = until;
    }
    return STEMMA_OK;
}

/* What is estimated, and with which signatures. */
struct cell {
    unsigned year;
    uint32_t n, c;
    edit_fn *edit;
    double amount;
};

static stemma_status make_recipes(const struct lab *lab, const struct cell *cell,
                                  struct signature_recipe *recipes, stemma_error *err) {
    for (unsigned draw = 0; draw < DRAWS; draw++)
        TRY(signature_recipe_make(&recipes[draw], cell->year, cell->n, cell->c, lab->seed, draw, err));
    return STEMMA_OK;
}

/* One text and its edited copy, under all draws. */
static stemma_status tally_text(const struct cell *cell, const struct signature_recipe *recipes,
                                const struct stretch *stretch, uint64_t seed, struct tally_of *out,
                                stemma_error *err) {
    struct buf bytes = {0};
    double truth = 0;
    stemma_status status = cell->edit(stretch, cell->amount, seed, &bytes, err);
    struct text copy = {bytes.data, bytes.len};
    if (status == STEMMA_OK) status = true_distance(stretch->text, copy, &truth, err);
    for (unsigned draw = 0; status == STEMMA_OK && draw < DRAWS; draw++) {
        struct measured m;
        status = measure(&recipes[draw], stretch->text, copy, truth, &m, err);
        if (status == STEMMA_OK)
            tally_add(out, &m, cell->year == 2015 ? (double)stretch->text.size : m.unrelated);
    }
    buf_release(&bytes);
    return status;
}

static stemma_status tally_edit(const struct lab *lab, const struct stretches *stretches,
                                const struct cell *cell, struct tally_of *out, stemma_error *err) {
    struct signature_recipe recipes[DRAWS] = {{0}};
    *out = (struct tally_of){0};
    stemma_status status = make_recipes(lab, cell, recipes, err);
    for (size_t i = 0; status == STEMMA_OK && i < stretches->count; i++)
        status = tally_text(cell, recipes, &stretches->at[i], mix64(lab->seed) + i, out, err);
    for (unsigned draw = 0; draw < DRAWS; draw++) signature_recipe_release(&recipes[draw]);
    if (status == STEMMA_OK) tally_finish(out);
    return status;
}

static const char tally_columns[] =
    "c\tn\tedit\tf_1\tf_2\ttrue_LD\testimate\tmean\tp5\tp25\tp75\tp95\terror\tmean_error\tours\tlow\thigh\t"
    "covered\tour_error\tour_mean_error\tMax_LD\tbytes\tour_bytes";
#define PAPER_LIST "true_LD estimate mean p5 p25 p75 p95 error mean_error Max_LD bytes"
#define OUR_LIST   "true_LD ours low high covered our_error our_mean_error our_bytes"
#define PAPER_WORDS                                                                                          \
    "estimate: the median of all texts and draws; mean; 5, 25, 75 and 95 % of them are up to p5 ... p95; "
#define OUR_LIST_TITLE                                                                                                \
    "Our estimate of the same: its median, the mean ends of its 95 % intervals, and how many of these hold the true " \
    "distance; errors as above"

static void tally_row(struct table *data, uint32_t c, uint32_t n, const char *edit,
                      const struct tally_of *t) {
    const struct trials *e = &t->estimate;
    table_row(
        data,
        "%u\t%u\t%s\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.4f\t%.4f\t%.0f\t%.0f\t%.0f\t%.2f\t%.4f\t"
        "%.4f\t%.0f\t%.0f\t%.0f",
        c, n, edit, t->lengths[0], t->lengths[1], t->truth, e->median, e->mean, trials_quantile(t, e, .05),
        trials_quantile(t, e, .25), trials_quantile(t, e, .75), trials_quantile(t, e, .95),
        t->error_paper.median, t->error_paper.mean, t->ours.median, t->low, t->high, t->covered,
        t->error_ours.median, t->error_ours.mean, t->most, t->bytes_paper, t->bytes_ours);
}

/* One text and its edited copy, as they are and as signatures. */
static stemma_status time_edit(const struct lab *lab, const struct stretch *stretch, const struct cell *cell,
                               const char *name, struct table *times, stemma_error *err) {
    struct signature_recipe recipe;
    struct speed speed;
    struct buf bytes = {0};
    TRY(signature_recipe_make(&recipe, cell->year, cell->n, cell->c, lab->seed, 0, err));
    stemma_status status = cell->edit(stretch, cell->amount, mix64(lab->seed), &bytes, err);
    if (status == STEMMA_OK)
        status = speed_of(recipe.recipe, stretch->text, (struct text){bytes.data, bytes.len}, &speed, err);
    if (status == STEMMA_OK)
        table_row(times, "%u\t%u\t%s\t%.0f\t%.0f\t%.1f\t%.0f", cell->c, cell->n, name, 1 / speed.whole,
                  1 / speed.signatures, speed.whole / speed.signatures,
                  (double)stretch->text.size / speed.making / 1e6);
    buf_release(&bytes);
    signature_recipe_release(&recipe);
    return status;
}

/* One edit by several amounts, at three rates. */
struct edits {
    unsigned year;
    uint32_t n, rates[3];
    size_t length; /* of the texts */
    edit_fn *edit;
    const char *names[5];
    double amounts[5];
    size_t count;
};

static stemma_status tabulate(const struct lab *lab, struct table *data, struct table *times,
                              const struct edits *edits, stemma_error *err) {
    struct stretches stretches;
    TRY(stretches_load(lab, edits->length, texts_of(lab), data, &stretches, err));
    stemma_status status = STEMMA_OK;
    table_begin(data, tally_columns);
    if (times) table_begin(times, "c\tn\tedit\tLD_per_s\tEst_per_s\ttimes_faster\tMB_per_s");
    for (size_t r = 0; r < COUNT(edits->rates); r++)
        for (size_t i = 0; status == STEMMA_OK && i < edits->count; i++) {
            struct tally_of tally;
            const struct cell cell = {edits->year, edits->n, edits->rates[r], edits->edit, edits->amounts[i]};
            status = tally_edit(lab, &stretches, &cell, &tally, err);
            if (status == STEMMA_OK) tally_row(data, cell.c, cell.n, edits->names[i], &tally);
            if (status == STEMMA_OK && times)
                status = time_edit(lab, &stretches.at[0], &cell, edits->names[i], times, err);
        }
    stretches_release(&stretches);
    return status;
}

/* Estimate over true distance, row by row. */
static void beside_truth(struct verdict *verdict, const struct evidence *evidence, const char *what,
                         const char *why) {
    beside_column(verdict, evidence->data, evidence->paper,
                  &(struct column_beside){.keys = "c edit",
                                          .column = "estimate",
                                          .over = "true_LD",
                                          .what = what,
                                          .factor = 1.5,
                                          .why = why});
}

/* ---- 2011, 4.2.1 and 4.2.2 ---- */

static stemma_status run_scattered(const struct lab *lab, struct table *data, struct table *times,
                                   stemma_error *err) {
    static const struct edits shares = {2011,
                                        4,
                                        {50, 100, 200},
                                        LENGTH_2011,
                                        substitute,
                                        {"1", "5", "10", "20", "30"},
                                        {.01, .05, .1, .2, .3},
                                        5};
    (void)times;
    return tabulate(lab, data, NULL, &shares, err);
}

static stemma_status run_blocks(const struct lab *lab, struct table *data, struct table *times,
                                stemma_error *err) {
    static const struct edits blocks = {
        2011, 4, {50, 100, 200}, LENGTH_2011, insert_blocks, {"1", "5", "10"}, {1, 5, 10}, 3};
    (void)times;
    return tabulate(lab, data, NULL, &blocks, err);
}

/* How many rows have a smaller error under ours. */
static size_t better_rows(const struct table *data) {
    size_t better = 0;
    for (size_t row = 0; row < data->rows; row++)
        better += table_number(data, row, "our_mean_error") <= table_number(data, row, "mean_error");
    return better;
}

static void judge_errors(const struct table *data, struct verdict *verdict) {
    size_t better = better_rows(data);
    claim(
        verdict, better >= data->rows * 9 / 10,
        "Our estimate errs less on average than c times the distance of the paper's signatures in %zu of %zu rows (with "
        "more bytes: see the columns).",
        better, data->rows);
    double covered = table_mean(data, "covered", NULL);
    claim(verdict, covered >= .9, "Our 95 %% interval holds the true distance in %.0f %% of the trials.",
          100 * covered);
}

/* Where the paper's rows lie among our trials, of one text and one k each. */
struct standing {
    size_t runs, below, middle, nearly_all; /* of the median; between quarters; between 5 and 95 % */
};

static struct standing standing_of(const struct table *data, const struct table *paper) {
    struct standing s = {.runs = paper->rows};
    for (size_t row = 0; row < paper->rows; row++) {
        char where[80];
        snprintf(where, sizeof where, "c=%.0f edit=%.0f", table_number(paper, row, "c"),
                 table_number(paper, row, "edit"));
        double theirs = table_number(paper, row, "estimate") / table_number(paper, row, "true_LD") *
                        table_look(data, "true_LD", where);
        s.below += theirs < table_look(data, "estimate", where);
        s.middle += theirs >= table_look(data, "p25", where) && theirs <= table_look(data, "p75", where);
        s.nearly_all += theirs >= table_look(data, "p5", where) && theirs <= table_look(data, "p95", where);
    }
    return s;
}

/* By chance half of them would be between our quarters, and one in ten beyond 5 and 95 %: with less than half
 * of the one or more than twice of the other they are no draws from ours. */
static void judge_standing(const struct evidence *evidence, const char *else_why, struct verdict *verdict) {
    struct standing s = standing_of(evidence->data, evidence->paper);
    static const char text[] =
        "Of the paper's %zu runs %zu lie below our median, %zu between our quarters and %zu between our 5 and 95 %%%s";
    if (4 * s.middle >= s.runs && 5 * (s.runs - s.nearly_all) <= s.runs)
        claim(verdict, true, text, s.runs, s.below, s.middle, s.nearly_all,
              ": they may differ by text and k alone, of which those of one C have the same.");
    else
        differs(verdict, text, s.runs, s.below, s.middle, s.nearly_all, else_why);
}

/* How many of the paper's ratios of estimate and truth are within a factor of ours; by_length: of ours for
 * signatures as long as the paper's. */
static size_t near_rows(const struct evidence *evidence, bool by_length, double factor) {
    const struct table *data = evidence->data, *paper = evidence->paper;
    size_t near = 0;
    for (size_t row = 0; row < paper->rows; row++) {
        char where[80];
        snprintf(where, sizeof where, "c=%.0f edit=%.0f", table_number(paper, row, "c"),
                 table_number(paper, row, "edit"));
        double ours = table_look(data, "estimate", where) / table_look(data, "true_LD", where);
        if (by_length) ours *= table_number(paper, row, "bytes") / table_look(data, "bytes", where);
        double off = table_number(paper, row, "estimate") / table_number(paper, row, "true_LD") / ours;
        near += off <= factor && off >= 1 / factor;
    }
    return near;
}

/* k decides how long signatures are, and an estimate is c times a distance of signatures. */
static void judge_lengths(const struct evidence *evidence, struct verdict *verdict) {
    static const double factor = 1.5;
    size_t before = near_rows(evidence, false, factor), after = near_rows(evidence, true, factor);
    static const char *const at[] = {"c=50", "c=100", "c=200"};
    double ours[3];
    for (size_t i = 0; i < COUNT(at); i++) ours[i] = table_look(evidence->data, "bytes", at[i]);
    note(
        verdict,
        "By its section 4.1 the paper's k made signatures of 40, 9 and 3 bytes for C = 50, 100 and 200, where ours are %.0f, %.0f "
        "and %.0f on average over k. Estimates grow with their length: with ours made so long, %zu of its %zu values would be "
        "within a factor of %.1f, instead of %zu.",
        ours[0], ours[1], ours[2], after, evidence->paper->rows, factor, before);
}

/* runs: what the paper's rows are of. */
static void judge_estimates(const struct evidence *evidence, const char *runs, const char *else_why,
                            struct verdict *verdict) {
    char why[300];
    snprintf(
        why, sizeof why,
        "The sums of four characters take few values, so that k decides how long the signatures are, and with "
        "them the estimate: see p5 to p95. The paper's rows are %s.",
        runs);
    beside_truth(verdict, evidence, "Estimate over true distance, median over texts and k", why);
    judge_standing(evidence, else_why, verdict);
    judge_errors(evidence->data, verdict);
}

/* Row by row: above or below the truth, here and in the paper. */
static void judge_sides(const struct evidence *evidence, unsigned c, struct verdict *verdict) {
    const struct table *data = evidence->data, *paper = evidence->paper;
    char where[40], ours[200] = "", theirs[200] = "";
    bool same = true;
    snprintf(where, sizeof where, "c=%u", c);
    for (size_t row = 0; row < paper->rows; row++) {
        if (!table_matches(paper, row, where)) continue;
        double edit = table_number(paper, row, "edit");
        double mine = table_at(data, "estimate", "c=%u edit=%.0f", c, edit) /
                      table_at(data, "true_LD", "c=%u edit=%.0f", c, edit);
        double other = table_number(paper, row, "estimate") / table_number(paper, row, "true_LD");
        size_t a = strlen(ours), b = strlen(theirs);
        snprintf(ours + a, sizeof ours - a, "%s%.2f", a ? ", " : "", mine);
        snprintf(theirs + b, sizeof theirs - b, "%s%.2f", b ? ", " : "", other);
        same = same && (mine > 1) == (other > 1);
    }
    static const char text[] =
        "C = %u: estimate over true distance by rising share of changes %s, the paper's %s: %s";
    if (same)
        claim(verdict, true, text, c, ours, theirs, "above and below the truth in the same rows.");
    else
        differs(
            verdict, text, c, ours, theirs,
            "not above and below the truth in the same rows. One changed character touches up to 2n windows, which "
            "overestimates few changes; of many the windows overlap, and bits agree by chance.");
}

static void judge_scattered(const struct evidence *evidence, struct verdict *verdict) {
    const struct table *data = evidence->data;
    for (unsigned c = 50; c <= 200; c *= 2) {
        double few = table_at(data, "estimate", "c=%u edit=1", c),
               many = table_at(data, "estimate", "c=%u edit=20", c);
        claim(verdict, few < many,
              "C = %u: the paper's estimate grows with the edits: %.0f at 1 %%, %.0f at 20 %%.", c, few,
              many);
        judge_sides(evidence, c, verdict);
    }
    judge_estimates(
        evidence, "whole multiples of C / 3, and not of C: means of three runs, of one text and, by C, one k",
        ". Those of one C have one k, and so all err to one side.", verdict);
    judge_lengths(evidence, verdict);
}

static void judge_blocks(const struct evidence *evidence, struct verdict *verdict) {
    const struct table *data = evidence->data;
    for (unsigned c = 50; c <= 200; c *= 2) {
        double truth = table_at(data, "true_LD", "c=%u edit=10", c),
               mean = table_at(data, "mean", "c=%u edit=10", c);
        claim(
            verdict, fabs(mean / truth - 1) < .25,
            "C = %u: for ten blocks of 500 the paper's estimate, mean over k, is %.0f for %.0f; of half of the "
            "texts and values of k it is between %.0f and %.0f.",
            c, mean, truth, table_at(data, "p25", "c=%u edit=10", c),
            table_at(data, "p75", "c=%u edit=10", c));
    }
    judge_estimates(evidence, "one text and one k", ". Text and k alone do not make that likely.", verdict);
}

static const struct listing scattered_lists[] = {
    {"Characters substituted (edit: percent), 25 values of k; " PAPER_WORDS
     "errors, median and mean: |Est - True| / Max LD",
     NULL, "c n edit", .values = PAPER_LIST},
    {OUR_LIST_TITLE, NULL, "c n edit", .values = OUR_LIST},
    {0}};
static const struct plot plots_2011[] = {
    {"c times LD of the paper's signatures, by c", NULL, "true_LD", "estimate", "c", "true LD",
     .y_label = "estimated LD"},
    {"Our estimate, by c", NULL, "true_LD", "ours", "c", "true LD", .y_label = "estimated LD"},
    {0}};
const struct experiment coates2011_scattered = {
    .name = "coates2011-scattered",
    .paper = "coates2011",
    .place = "4.2.1",
    .title = "Numerous small changes",
    .what =
        "1 to 30 % of the characters of texts of 13,508 characters are replaced at random. The true distance, the paper's "
        "estimate from bit signatures (n = 4) under 25 values of k, and ours from signatures of the same rate C with 16-bit "
        "symbols. The paper's Error column is Est / Max, but for four of its 14 rows, which "
        "are neither; its figures here are |Est - True| / Max.",
    .run = run_scattered,
    .judge = judge_scattered,
    .plots = plots_2011,
    .listings = scattered_lists};

static const struct listing block_lists[] = {
    {"Blocks of 500 characters inserted (edit: how many), 25 values of k; " PAPER_WORDS
     "errors, median and mean: |Est - True| / Max LD",
     NULL, "c n edit", .values = PAPER_LIST},
    {OUR_LIST_TITLE, NULL, "c n edit", .values = OUR_LIST},
    {0}};
const struct experiment coates2011_blocks = {
    .name = "coates2011-blocks",
    .paper = "coates2011",
    .place = "4.2.2",
    .title = "A few large changes",
    .what =
        "One, five and ten blocks of 500 characters of another text are inserted at random places. The paper's error is printed "
        "with a sign, and stands here without it. Two of its nine do not fit its own figures: .2401 for 6,000 instead of 5,000, and "
        "a minus where 4,700 is less than 5,000.",
    .run = run_blocks,
    .judge = judge_blocks,
    .plots = plots_2011,
    .listings = block_lists};

/* ---- 2015: three tables ---- */

/* The paper says neither how much was deleted nor in which row what: of our three kinds each gets as much as
 * makes about the paper's true distance. */
static const struct deletion {
    const char *name;
    stemma_mutation_kind kind;
    uint64_t count; /* 0: until the distance is reached */
    double distance;
} deletions[] = {{"lines,_LD_39", STEMMA_MUTATE_DELETE_LINES, 1, 39},
                 {"blocks,_LD_1192", STEMMA_MUTATE_DELETE_BLOCKS, 0, 1192},
                 {"blocks,_LD_767", STEMMA_MUTATE_DELETE_BLOCKS, 0, 767},
                 {"words,_LD_2948", STEMMA_MUTATE_REMOVE_WORDS, 0, 2948}};

static stemma_status delete_share(const struct stretch *stretch, const struct deletion *deletion,
                                  double share, uint64_t seed, struct buf *out, stemma_error *err) {
    stemma_mutation mutation = stemma_mutation_default();
    mutation.kind = deletion->kind;
    mutation.count = deletion->count;
    mutation.share = share;
    mutation.blocks = 2;
    mutation.seed = seed;
    return mutated_copy(stretch, mutation, out, err);
}

/* `amount` is which deletion. Lines and words are not all of a text, nor of one length: what a share of them
 * takes away says which share is wanted. */
static stemma_status delete_parts(const struct stretch *stretch, double amount, uint64_t seed,
                                  struct buf *out, stemma_error *err) {
    const struct deletion *deletion = &deletions[(size_t)amount];
    double size = (double)stretch->text.size, share = deletion->distance / size;
    TRY(delete_share(stretch, deletion, share, seed, out, err));
    if (deletion->count || out->len == stretch->text.size) return STEMMA_OK;
    share *= deletion->distance / (size - (double)out->len);
    out->len = 0;
    return delete_share(stretch, deletion, fmin(share, 1), seed, out, err);
}

static stemma_status run_2015(const struct lab *lab, struct table *data, struct table *times,
                              stemma_error *err) {
    struct edits edits = {.year = 2015,
                          .n = 9,
                          .rates = {101, 200, 307},
                          .length = LENGTH_2015,
                          .edit = delete_parts,
                          .count = COUNT(deletions)};
    for (size_t i = 0; i < edits.count; i++) {
        edits.names[i] = deletions[i].name;
        edits.amounts[i] = (double)i;
    }
    return tabulate(lab, data, times, &edits, err);
}

static void judge_speed_2015(const struct evidence *evidence, struct verdict *verdict) {
    const struct table *times = evidence->times;
    double fine = table_mean(times, "Est_per_s", "c=101"), coarse = table_mean(times, "Est_per_s", "c=307");
    claim(verdict, coarse > fine,
          "Estimates are the faster the larger C is: %.0f a second at 101, %.0f at 307.", fine, coarse);
    beside_column(verdict, times, evidence->paper,
                  &(struct column_beside){
                      .keys = "c edit",
                      .column = "Est_per_s",
                      .over = "LD_per_s",
                      .what = "Estimates per second over distances per second",
                      .factor = 2,
                      .why = "Our exact distance of texts that are alike takes time by how far they are "
                             "apart, and a word of bits at once, where the paper's fills a matrix: there "
                             "is less left to gain."});
    note(verdict,
         "Both signatures are made of %.0f to %.0f million characters a second (the paper's alone: 15.3).",
         table_least(times, "MB_per_s", NULL), table_most(times, "MB_per_s", NULL));
}

static void judge_2015(const struct evidence *evidence, struct verdict *verdict) {
    const struct table *data = evidence->data, *paper = evidence->paper;
    double fine = table_mean(data, "mean_error", "c=101"), coarse = table_mean(data, "mean_error", "c=307");
    claim(
        verdict, table_at(data, "error", "c=101 edit=lines,_LD_39") < .005,
        "A deleted line puts the paper's estimate off by %.4f of the length: small differences mostly leave the "
        "signature as it is.",
        table_at(data, "error", "c=101 edit=lines,_LD_39"));
    double words = table_at(data, "estimate", "c=101 edit=words,_LD_2948"),
           truth = table_at(data, "true_LD", "c=101 edit=words,_LD_2948");
    claim(verdict, words > truth, "The paper's way overestimates scattered words: %.0f for %.0f.", words,
          truth);
    beside_truth(
        verdict, evidence, "Estimate over true distance",
        "The paper's rows are one run each, in which a hash function may miss most of a block: see p5 to p95. "
        "(They are multiples of 97.4, 202 and 356 rather than of C: it multiplies by how much the texts shrank, which makes 4 to "
        "16 % of a difference.) And every word deleted alone changes up to 2n windows, so that the estimate "
        "grows with the number of deletions; the paper does not say how many its row has.");
    beside_column(verdict, data, paper,
                  &(struct column_beside){.keys = "c edit",
                                          .column = "error",
                                          .what = "Error, |Est - LD| / length",
                                          .factor = 2,
                                          .why =
                                              "Ours are medians over texts and hash functions, the paper's "
                                              "are one run each, some of which hit."});
    claim(verdict, fine < coarse, "The error grows with C: %.4f at C = 101 and %.4f at C = 307 on average.",
          fine, coarse);
    if (evidence->times->cells) judge_speed_2015(evidence, verdict);
    judge_errors(data, verdict);
}

static const struct listing lists_2015[] = {{"Deletions, 25 hash functions; " PAPER_WORDS
                                             "errors, median and mean: |Est - LD| / length",
                                             NULL, "c n edit", .values = "f_1 f_2 " PAPER_LIST},
                                            {OUR_LIST_TITLE, NULL, "c n edit", .values = OUR_LIST},
                                            {0}};
static const struct listing times_2015[] = {
    {"Pairs per second of one core, CPU time: whole texts by our exact distance, and the paper's signatures; MB of text "
     "made into signatures",
     NULL, "c n edit", .values = "LD_per_s Est_per_s times_faster MB_per_s"},
    {0}};
static const struct plot plots_2015[] = {{"Error of c times LD(signatures), as a share of the length", NULL,
                                          "c", "error", "edit", "compression rate C", .y_label = "error"},
                                         {"Mean error of our estimate", NULL, "c", "our_mean_error", "edit",
                                          "compression rate C", .y_label = "error"},
                                         {0}};
const struct experiment coates2015_tables = {
    .name = "coates2015-tables",
    .paper = "coates2015",
    .place = "section 5",
    .timed = true,
    .title = "Deleted lines, blocks and words",
    .what =
        "The paper has \"a few random lines deleted, blocks of lines deleted, random words deleted, etc.\" without saying how "
        "many, and which row is which. Our reading: from texts of 24,728 characters a line is deleted, and lines in two blocks "
        "and words here and there until the true distance is about that of the row. Signatures of n = 9 and an alphabet of 95 as "
        "in the paper, and ours. Err is |Est - LD| / length, as the paper's figures are. Row 2 of its table for C = 307 prints "
        "the true distance as the estimate; its error column says 356, which stands here.",
    .run = run_2015,
    .judge = judge_2015,
    .plots = plots_2015,
    .listings = lists_2015,
    .time_listings = times_2015};

/* ---- embedding ---- */

static stemma_status embed(const struct stretch *stretch, double amount, uint64_t seed, struct buf *out,
                           stemma_error *err) {
    (void)seed;
    size_t around = (size_t)((double)stretch->text.size * amount);
    bool ok = buf_add(out, stretch->other.bytes, around) &&
              buf_add(out, stretch->text.bytes, stretch->text.size) &&
              buf_add(out, stretch->further.bytes, around);
    return ok ? STEMMA_OK : fail_memory(err);
}

static stemma_status run_embedded(const struct lab *lab, struct table *data, struct table *times,
                                  stemma_error *err) {
    static const double shares[] = {.1, .25, .5, 1};
    struct stretches stretches;
    (void)times;
    TRY(stretches_load(lab, LENGTH_2011, texts_of(lab), data, &stretches, err));
    stemma_status status = STEMMA_OK;
    table_begin(
        data,
        "around\ttrue_LD\testimate\tmean\tp25\tp75\terror\tours\tlow\thigh\tcovered\tour_error\tblocks\tcertain");
    for (size_t i = 0; status == STEMMA_OK && i < COUNT(shares); i++) {
        struct tally_of t;
        const struct cell cell = {2011, 4, 100, embed, shares[i]};
        status = tally_edit(lab, &stretches, &cell, &t, err);
        if (status == STEMMA_OK)
            table_row(data,
                      "%.2f\t%.0f\t%.0f\t%.0f\t%.0f\t%.0f\t%.4f\t%.0f\t%.0f\t%.0f\t%.2f\t%.4f\t%.2f\t%.3f",
                      2 * shares[i], t.truth, t.estimate.median, t.estimate.mean,
                      trials_quantile(&t, &t.estimate, .25), trials_quantile(&t, &t.estimate, .75),
                      t.error_paper.median, t.ours.median, t.low, t.high, t.covered, t.error_ours.median,
                      t.blocks, t.certain);
    }
    stretches_release(&stretches);
    return status;
}

static void judge_embedded(const struct evidence *evidence, struct verdict *verdict) {
    const struct table *data = evidence->data;
    double truth = table_look(data, "true_LD", "around=2.00"), ours = table_look(data, "ours", "around=2.00");
    double theirs = table_look(data, "mean", "around=2.00");
    claim(
        verdict, fabs(theirs / truth - 1) < .25,
        "A text between two others of its length: the paper's estimate, mean over k, is %.0f for %.0f; of half of the "
        "texts and values of k it is between %.0f and %.0f. The paper gives no figures.",
        theirs, truth, table_look(data, "p25", "around=2.00"), table_look(data, "p75", "around=2.00"));
    claim(verdict, ours > .95 * truth && ours < 1.05 * truth, "Ours is %.0f.", ours);
    double certain = table_least(data, "certain", NULL);
    claim(
        verdict, certain > .98,
        "In %.1f %% of the trials it is certain that the text is in there: unrelated texts would agree as much with a "
        "probability below 1e-6. The others have no symbol that occurs once, of texts that repeat themselves.",
        100 * certain);
}

static const struct listing embedded_lists[] = {
    {"A text inside a longer one (around: what surrounds it, as a share of its length)", NULL, "around",
     .values = "true_LD estimate mean p25 p75 error ours low high covered our_error blocks certain"},
    {0}};
const struct experiment coates_embedded = {
    .name = "coates2011-embedded",
    .paper = "coates2011",
    .place = "4.2",
    .title = "One text embeds another",
    .what =
        "A text of 13,508 characters with others in front and behind, up to three times its length in all. Bit signatures of n = 4 and C = 100 under 25 values of k, and ours of the same rate.",
    .run = run_embedded,
    .judge = judge_embedded,
    .listings = embedded_lists};
