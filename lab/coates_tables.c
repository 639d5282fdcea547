#include "coates_tables.h"

#include "base/rng.h"
#include "speed.h"

stemma_status mutated_copy(const struct stretch *stretch, stemma_mutation mutation, struct buf *out,
                           stemma_error *err) {
    stemma_mutated *mutated;
    size_t size;
    TRY(stemma_mutate(stretch->text.bytes, stretch->text.size, &mutation, &mutated, err));
    const char *bytes = stemma_mutated_text(mutated, &size);
    bool ok = buf_add(out, bytes, size);
    stemma_mutated_free(mutated);
    return ok ? STEMMA_OK : fail_memory(err);
}

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

stemma_status tally_edit(const struct lab *lab, const struct stretches *stretches, const struct cell *cell,
                         struct tally_of *out, stemma_error *err) {
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

stemma_status tabulate(const struct lab *lab, struct table *data, struct table *times,
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

void beside_truth(struct verdict *verdict, const struct evidence *evidence, const char *what,
                  const char *why) {
    beside_column(verdict, evidence->data, evidence->paper,
                  &(struct column_beside){.keys = "c edit",
                                          .column = "estimate",
                                          .over = "true_LD",
                                          .what = what,
                                          .factor = 1.5,
                                          .why = why});
}

/* How many rows have a smaller error under ours. */
static size_t better_rows(const struct table *data) {
    size_t better = 0;
    for (size_t row = 0; row < data->rows; row++)
        better += table_number(data, row, "our_mean_error") <= table_number(data, row, "mean_error");
    return better;
}

void judge_errors(const struct table *data, struct verdict *verdict) {
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
