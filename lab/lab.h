/*
 * The lab: the experiments of five papers, made again by one program.
 *
 * An experiment is a function that writes a table, the plots and lists that show it, and a function that
 * judges it. Everything in a data table follows from the seed, the size and the documents; times go to a
 * table of their own.
 */
#ifndef LAB_LAB_H
#define LAB_LAB_H

#include "beside.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* What a run is given. */
struct lab {
    uint64_t seed;
    bool full;
    const char *corpus; /* a folder, or NULL: generated text */
};

/* The seed of recipes: the first draw has that of a recipe which names none. */
static inline uint64_t hash_seed(const struct lab *lab) {
    return lab->seed - 1;
}

/* Instead of a value that a picture would show: the program that gives it is not installed. */
#define PLOT_MISSING "missing"

/* One picture: a line (or dots) for each value of `series`, of the wanted rows. */
struct plot {
    const char *title;
    const char *where;          /* which rows; NULL: all */
    const char *x, *y, *series; /* columns; series may be NULL */
    const char *x_label, *y_label;
    bool log_x, log_y, dots;
    double x_high;        /* 0: as the data are */
    double y_low, y_high; /* both 0: likewise */
};

/* A list of rows: keys, then values, each beside the paper's where the paper has it. */
struct listing {
    const char *title;
    const char *where;
    const char *keys, *values; /* columns, with spaces between them */
    const char
        *across; /* or: one key and one value, and a column of the list for each value that this column has */
};

struct experiment {
    const char *name;  /* "hp-window" */
    const char *paper; /* one of the keys in papers.c */
    const char *place; /* "figure 2"; "": there is no paper */
    const char *title;
    const char *what; /* what is done, in a paragraph */
    bool timed;       /* runs alone, so that nothing disturbs its times */
    stemma_status (*run)(const struct lab *lab, struct table *data, struct table *times, stemma_error *err);
    void (*judge)(const struct evidence *evidence, struct verdict *verdict);
    const struct plot *plots;       /* ended by one without a title; NULL: none */
    const struct listing *listings; /* likewise */
    const struct plot *time_plots;  /* likewise, of the times */
    const struct listing *time_listings;
};

extern const struct experiment *const experiments[];
extern const size_t experiment_count;

/* The paper's own values for an experiment, under the names of its columns; empty when it gives none. */
stemma_status paper_values(const char *experiment, struct table *out, stemma_error *err);
/* Author, year and title of a paper by its key. */
const char *paper_title(const char *key);

#endif
