/*
 * Coates 2011: edit distances from signatures of bits.
 *
 * The paper's estimate is c times the edit distance of its signatures, ours comes from the same kind of
 * signature with larger symbols. Errors are |estimate - truth| as shares of the distance of unrelated texts,
 * the paper's "Max LD". One run says little, since k alone decides much: every cell is of DRAWS draws.
 */
#include "coates.h"

#include "base/rng.h"
#include "coates_tables.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- 4.2.1 and 4.2.2 ---- */

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
