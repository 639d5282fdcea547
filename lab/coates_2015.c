/*
 * Coates 2015: edit distances from signatures of printable characters. Estimates as in 2011; errors are
 * |estimate - truth| as shares of the length, of DRAWS hash functions each.
 */
#include "coates.h"

#include "coates_tables.h"

#include <math.h>

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
