/* Our numbers held against the paper's: what a judge is given, and when they are called the same. */
#ifndef LAB_BESIDE_H
#define LAB_BESIDE_H

#include "table.h"
#include "verdict.h"

struct evidence {
    const struct table *data, *times; /* without cells when there are none */
    const struct table *paper;        /* the paper's values; likewise */
};

/* A number that the paper gives: it agrees within `factor`, either way, and else the point differs, for the
 * reason given. */
void beside(struct verdict *verdict, const char *what, double ours, double theirs, double factor,
            const char *why);

/* A column of all rows that both tables have. */
struct column_beside {
    const char *where;  /* which of our rows; NULL: all */
    const char *keys;   /* by which rows are the same, with spaces between them */
    const char *column; /* what is compared */
    const char *over;   /* divided by this column, or NULL */
    const char *what;   /* what that is in words */
    double factor;
    const char *why; /* where it differs */
};
void beside_column(struct verdict *verdict, const struct table *ours, const struct table *paper,
                   const struct column_beside *column);

#endif
