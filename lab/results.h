/* What is known of one experiment after a run: its tables, the paper's values, and what they say. */
#ifndef LAB_RESULTS_H
#define LAB_RESULTS_H

#include "lab.h"

struct results {
    const struct experiment *experiment;
    struct table data, times, paper;
    struct verdict verdict;
};

/* Reads the tables from a run's folder. NOT_FOUND when the experiment was not run. */
stemma_status results_read(const struct experiment *experiment, const char *folder, struct results *out,
                           stemma_error *err);
/* The same of tables that are there, which it takes. */
void results_judge(struct results *results);
void results_release(struct results *results);

/* Where tables are: FOLDER/NAME.tsv, FOLDER/NAME.times.tsv */
void table_path(const char *folder, const char *name, bool times, char *path, size_t size);

#endif
