/* What bench_edit measures: each function measures one row. */
#ifndef BENCH_EDIT_ROWS_H
#define BENCH_EDIT_ROWS_H

#include "edit_texts.h"
#include "figure.h"

struct settings {
    size_t rounds, pairs, size; /* size: bytes of a text */
    size_t signatures;          /* in the store that is searched */
    struct source *source;
};

/* How many times as fast as something, or what part of it; and what is expected. */
struct cell {
    const char *against; /* NULL: none */
    struct figure ratio;
    size_t rounds;
    double bar;
};

#define CELLS_MOST 6

struct row {
    char name[48];
    char ours[96]; /* what it took, in words */
    struct cell cells[CELLS_MOST];
    size_t cell_count;
};

/* One comparison in a hundred letters, unrelated below zero. Each stops the program when peers differ. */
void row_distance(const struct settings *settings, double edits, const double *bars, struct row *out);
void row_signatures(const struct settings *settings, unsigned rate, double edits, struct row *out);
void row_search(const struct settings *settings, struct row *out);
void row_growth(const struct settings *settings, size_t edits, struct row *out);

#endif
