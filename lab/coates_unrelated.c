/* Coates 2011, 4.1, and 2015, 6.1: what two texts that have nothing to do with each other give, and how fast
 * their signatures are compared. */
#include "coates.h"
#include "edited.h"
#include "speed.h"

#include <math.h>
#include <stdio.h>

/* ---- unrelated texts ---- */

struct spread {
    double count, sum, squares, least, most;
};

static void spread_add(struct spread *spread, double value) {
    if (!spread->count || value < spread->least) spread->least = value;
    if (!spread->count || value > spread->most) spread->most = value;
    spread->count++;
    spread->sum += value;
    spread->squares += value * value;
}

static void spread_row(struct table *data, size_t length, const char *what, const struct spread *s) {
    double mean = s->sum / s->count, variance = s->squares / s->count - mean * mean;
    table_row(data, "%zu\t%s\t%.4f\t%.4f\t%.4f\t%.4f", length, what, mean, sqrt(variance > 0 ? variance : 0),
              s->least, s->most);
}

static stemma_status unrelated_rows(const struct lab *lab, size_t length, struct table *data,
                                    stemma_error *err) {
    struct stretches stretches;
    struct signature_recipe recipe;
    struct spread truth = {0}, expected = {0}, paper = {0}, p = {0};
    TRY(stretches_load(lab, length, texts_of(lab), data, &stretches, err));
    stemma_status status = signature_recipe_make(&recipe, 2015, 9, 101, lab->seed, 0, err);
    for (size_t i = 0; status == STEMMA_OK && i < stretches.count; i++) {
        const struct stretch *stretch = &stretches.at[i];
        struct measured m;
        double distance;
        status = true_distance(stretch->text, stretch->other, &distance, err);
        if (status == STEMMA_OK) status = measure(&recipe, stretch->text, stretch->other, distance, &m, err);
        if (status != STEMMA_OK) break;
        spread_add(&truth, m.truth / (double)length);
        spread_add(&expected, m.unrelated / (double)length);
        spread_add(&paper, m.estimate / (double)length);
        spread_add(&p, m.p_unrelated);
    }
    if (status == STEMMA_OK) {
        spread_row(data, length, "true_LD", &truth);
        spread_row(data, length, "our_baseline", &expected);
        spread_row(data, length, "c_LD(signatures)", &paper);
        spread_row(data, length, "our_bound_p", &p);
        signature_recipe_release(&recipe);
    }
    stretches_release(&stretches);
    return status;
}

static stemma_status run_unrelated(const struct lab *lab, struct table *data, struct table *times,
                                   stemma_error *err) {
    (void)times;
    table_begin(data, "length\tquantity\tmean\tdeviation\tleast\tmost");
    TRY(unrelated_rows(lab, LENGTH_2011, data, err));
    return unrelated_rows(lab, LENGTH_2015, data, err);
}

static void judge_unrelated(const struct evidence *evidence, struct verdict *verdict) {
    const struct table *data = evidence->data;
    double mean = table_look(data, "mean", "length=24728 quantity=true_LD");
    double deviation = table_look(data, "deviation", "length=24728 quantity=true_LD");
    double ours = table_look(data, "mean", "length=24728 quantity=our_baseline");
    claim(verdict, deviation < .05,
          "The distance of unrelated texts is a tight share of their length: %.3f, deviation %.3f.", mean,
          deviation);
    static const char why[] = "It is up to the language and the kind of text.";
    beside(verdict, "That share in 2011 (12,430 of 13,508)",
           table_look(data, "mean", "length=13508 quantity=true_LD"), 12430. / 13508, 1.25, why);
    beside(verdict, "In 2015 (14,666 of 20,000)", mean, 14666. / 20000, 1.25, why);
    claim(
        verdict, ours > .9 * mean && ours < 1.1 * mean,
        "The baseline that we derive from how often characters agree is %.3f, without looking at unrelated texts.",
        ours);
    claim(
        verdict, table_least(data, "mean", "quantity=our_bound_p") > .2,
        "Of unrelated texts the bound of the probability that they are unrelated is %.2f on average: none is taken for related.",
        table_least(data, "mean", "quantity=our_bound_p"));
}

static const struct listing unrelated_lists[] = {{"Pairs of unrelated texts, as shares of their length", NULL,
                                                  "length quantity", .values = "mean deviation least most"},
                                                 {0}};
const struct experiment coates_unrelated = {
    .name = "coates2015-unrelated",
    .paper = "coates2015",
    .place = "6.1",
    .title = "Unrelated texts",
    .what =
        "What two texts that have nothing to do with each other give: the baseline against which a distance means something.",
    .run = run_unrelated,
    .judge = judge_unrelated,
    .listings = unrelated_lists};

/* ---- 2011, 4.1: speed ---- */

/* Bits of the signature for every k: the sum of four characters takes few values, so they are very different.
 */
static stemma_status count_bits(const struct stretches *stretches, uint32_t c, struct spread *out,
                                stemma_error *err) {
    for (uint32_t k = 0; k < c; k += c / 25) {
        stemma_recipe *recipe;
        TRY(recipe_make(&recipe, 0, err, "preset=raw unit=byte; signature2011 n=4 c=%u k=%u", c, k));
        stemma_status status = STEMMA_OK;
        for (size_t i = 0; status == STEMMA_OK && i < stretches->count; i++) {
            stemma_sketch *sketch = NULL;
            status =
                sketch_make(recipe, stretches->at[i].text.bytes, stretches->at[i].text.size, &sketch, err);
            if (status == STEMMA_OK) spread_add(out, (double)part_of(sketch, 0).symbol_count);
            stemma_sketch_free(sketch);
        }
        stemma_recipe_free(recipe);
        if (status != STEMMA_OK) return status;
    }
    return STEMMA_OK;
}

static stemma_status time_rate(const struct stretches *stretches, uint32_t c, struct table *times,
                               stemma_error *err) {
    stemma_recipe *recipe;
    struct speed speed;
    const struct stretch *stretch = &stretches->at[0];
    TRY(recipe_make(&recipe, 0, err, "preset=raw unit=byte; signature2011 n=4 c=%u k=7", c));
    stemma_status status = speed_of(recipe, stretch->text, stretch->other, &speed, err);
    stemma_recipe_free(recipe);
    if (status == STEMMA_OK)
        table_row(times, "%u\t%.0f\t%.0f\t%.1f\t%.0f", c, 1 / speed.signatures, 1 / speed.whole,
                  speed.whole / speed.signatures, (double)stretch->text.size / speed.making / 1e6);
    return status;
}

static stemma_status run_speed(const struct lab *lab, struct table *data, struct table *times,
                               stemma_error *err) {
    static const uint32_t rates[] = {50, 100, 200};
    struct stretches stretches;
    TRY(stretches_load(lab, LENGTH_2011, 4, data, &stretches, err));
    stemma_status status = STEMMA_OK;
    table_begin(data, "c\tbits\tleast\tmost\tbytes");
    table_begin(times, "c\tpairs_per_s\twhole_texts_per_s\ttimes_faster\tMB_per_s");
    for (size_t i = 0; status == STEMMA_OK && i < COUNT(rates); i++) {
        struct spread bits = {0};
        status = count_bits(&stretches, rates[i], &bits, err);
        if (status == STEMMA_OK)
            table_row(data, "%u\t%.0f\t%.0f\t%.0f\t%.0f", rates[i], bits.sum / bits.count, bits.least,
                      bits.most, ceil(bits.sum / bits.count / 8));
        if (status == STEMMA_OK) status = time_rate(&stretches, rates[i], times, err);
    }
    stretches_release(&stretches);
    return status;
}

static void judge_times(const struct table *times, const struct table *paper, struct verdict *verdict) {
    double slow = table_look(times, "pairs_per_s", "c=50"), fast = table_look(times, "pairs_per_s", "c=200");
    claim(
        verdict, fast > slow && table_least(times, "times_faster", NULL) > 1,
        "Comparing signatures is faster than comparing texts, and the more so the larger C is: %.0f times at C = 50, "
        "%.0f at C = 200.",
        table_look(times, "times_faster", "c=50"), table_look(times, "times_faster", "c=200"));
    char why[300];
    snprintf(
        why, sizeof why,
        "Whole texts are compared %.0f times as fast here as in the paper, by words of bits rather than cell by "
        "cell, and its signatures only %.0f times: there is less left to gain.",
        table_look(times, "whole_texts_per_s", "c=100") / table_look(paper, "whole_texts_per_s", "c=100"),
        table_look(times, "pairs_per_s", "c=100") / table_look(paper, "pairs_per_s", "c=100"));
    beside_column(verdict, times, paper,
                  &(struct column_beside){.keys = "c",
                                          .column = "times_faster",
                                          .what = "How many times faster signatures are compared than texts",
                                          .factor = 2,
                                          .why = why});
    note(verdict, "Signatures are made of %.0f to %.0f million characters a second (the paper: 104 to 135).",
         table_least(times, "MB_per_s", NULL), table_most(times, "MB_per_s", NULL));
}

static void judge_speed(const struct evidence *evidence, struct verdict *verdict) {
    const struct table *data = evidence->data, *times = evidence->times;
    double fine = table_look(data, "bits", "c=50"), coarse = table_look(data, "bits", "c=200");
    claim(verdict, fine > coarse,
          "Signatures shrink with C: %.0f bits at 50, %.0f at 200 (the paper: 316 and 22).", fine, coarse);
    beside_column(verdict, data, evidence->paper,
                  &(struct column_beside){.keys = "c",
                                          .column = "bits",
                                          .what = "Bits of a signature, mean over k",
                                          .factor = 1.5,
                                          .why = "The paper's are of one text and one k."});
    double least = table_look(data, "least", "c=100"), most = table_look(data, "most", "c=100");
    if (most > 3 * least)
        differs(
            verdict,
            "At C = 100 the bits of a signature go from %.0f to %.0f with the choice of k: sums of four characters take few "
            "values. The paper's 72 is one k.",
            least, most);
    if (times->cells) judge_times(times, evidence->paper, verdict);
}

static const struct listing speed_lists[] = {
    {"Bits of a signature of 13,508 characters (mean, least and most over k)", NULL, "c",
     .values = "bits least most bytes"},
    {0}};
static const struct listing speed_times[] = {
    {"Pairs per second of one core, CPU time; whole texts by our exact distance; MB of text made into signatures",
     NULL, "c", .values = "pairs_per_s whole_texts_per_s times_faster MB_per_s"},
    {0}};
const struct experiment coates2011_speed = {
    .name = "coates2011-speed",
    .paper = "coates2011",
    .place = "4.1",
    .timed = true,
    .title = "Size and speed of signatures",
    .what =
        "Signatures of unrelated texts of 13,508 characters (n = 4), and how many pairs of them are compared in a second.",
    .run = run_speed,
    .judge = judge_speed,
    .listings = speed_lists,
    .time_listings = speed_times};
