#include "beside.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How many times the larger is the smaller; NAN where the paper has nothing that can be divided by. */
static double times_off(double ours, double theirs) {
    if (isnan(ours) || !(theirs > 0)) return NAN;
    return ours > 0 ? fmax(ours / theirs, theirs / ours) : INFINITY;
}

void beside(struct verdict *verdict, const char *what, double ours, double theirs, double factor,
            const char *why) {
    double off = times_off(ours, theirs);
    if (isnan(off)) return;
    if (off <= factor)
        claim(verdict, true, "%s: %.3g, the paper's %.3g, within a factor of %.3g.", what, ours, theirs,
              factor);
    else
        differs(verdict, "%s: %.3g, the paper's %.3g, more than a factor of %.3g off. %s", what, ours, theirs,
                factor, why);
}

static double value_of(const struct table *table, size_t row, const struct column_beside *column) {
    double value = table_number(table, row, column->column);
    return column->over ? value / table_number(table, row, column->over) : value;
}

/* "c = 50, edit = 1", and as a condition. */
static void describe(const struct table *table, size_t row, const char *keys, char *where, char *words,
                     size_t size) {
    *where = *words = '\0';
    while (*keys) {
        size_t length = strcspn(keys, " "), at = strlen(where), in = strlen(words);
        const char *cell = table_cell(table, row, table_column(table, keys, length));
        snprintf(where + at, size - at, "%s%.*s=%s", at ? " " : "", (int)length, keys, cell);
        snprintf(words + in, size - in, "%s%.*s %s", in ? ", " : "", (int)length, keys, cell);
        keys += length;
        keys += strspn(keys, " ");
    }
    for (char *c = words; *c; c++)
        if (*c == '_') *c = ' ';
}

static size_t row_where(const struct table *table, const char *where, const char *keys) {
    size_t row = 0;
    while (row < table->rows && !(table_matches(table, row, where) && table_matches(table, row, keys))) row++;
    return row;
}

struct farthest {
    double off, ours, theirs;
    char words[120];
    unsigned compared, same;
};

static struct farthest compare_rows(const struct table *ours, const struct table *paper,
                                    const struct column_beside *column) {
    struct farthest farthest = {0};
    for (size_t theirs = 0; theirs < paper->rows; theirs++) {
        char where[120], words[120];
        describe(paper, theirs, column->keys, where, words, sizeof where);
        size_t row = row_where(ours, column->where, where);
        if (row == ours->rows) continue;
        double mine = value_of(ours, row, column), other = value_of(paper, theirs, column),
               off = times_off(mine, other);
        if (isnan(off)) continue;
        farthest.compared++;
        farthest.same += off <= column->factor;
        if (off <= farthest.off) continue;
        farthest.off = off;
        farthest.ours = mine;
        farthest.theirs = other;
        memcpy(farthest.words, words, sizeof words);
    }
    return farthest;
}

void beside_column(struct verdict *verdict, const struct table *ours, const struct table *paper,
                   const struct column_beside *column) {
    if (!ours->cells || !paper->cells) return;
    struct farthest f = compare_rows(ours, paper, column);
    if (!f.compared) return;
    if (f.same == f.compared)
        claim(
            verdict, true,
            "%s: all %u values that the paper gives are within a factor of %.3g of ours; farthest %.3g, the "
            "paper's %.3g (%s).",
            column->what, f.compared, column->factor, f.ours, f.theirs, f.words);
    else
        differs(verdict,
                "%s: %u of the %u values that the paper gives are within a factor of %.3g of ours; farthest "
                "%.3g, the paper's %.3g (%s). %s",
                column->what, f.same, f.compared, column->factor, f.ours, f.theirs, f.words, column->why);
}
