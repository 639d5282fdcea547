/* What follows from a view alone: keys and tables, computed once and shared by all its documents. Finding a
 * polynomial and filling Rabin's tables takes longer than a short document does. */
#ifndef SHINGLE_TABLES_H
#define SHINGLE_TABLES_H

#include "kernels/kernels.h"
#include "shingle/view.h"

struct shingle_tables {
    struct mix_keys keys;
    struct rabin_tables *rabin; /* NULL unless the view's hash is one of Rabin's */
};

/* The view is not keyed, or has its secret. */
stemma_status shingle_tables_init(struct shingle_tables *tables, const struct view *view, stemma_error *err);

/* Wipes what may follow from a secret. Zeroed tables may be released too. */
void shingle_tables_release(struct shingle_tables *tables);

#endif
