/*
 * tree_view.h - the family tree of a group, drawn for a terminal, for Graphviz, or as a Newick tree.
 *
 * A tree comes from a scan or from a result that was saved as JSON lines.
 */
#ifndef STEMMA_CLI_TREE_VIEW_H
#define STEMMA_CLI_TREE_VIEW_H

#include "output.h"

typedef struct tree_view {
    uint64_t number; /* of the group, from 1 */
    const stemma_tree_node *nodes;
    const char *const *ids;     /* of the nodes' documents, */
    const char *const *sources; /* and the data sets of those that are records, else NULL */
    size_t count, root;
    bool several; /* sources: tree_print finds out */
} tree_view;

/* --format, in the order of its choices in the table */
enum tree_format { TREE_DEFAULT, TREE_TEXT, TREE_DOT, TREE_NEWICK, TREE_JSON };

/* What comes before the first tree and behind the last. */
void tree_begin(enum tree_format format);
void tree_print(const tree_view *view, enum tree_format format);
void tree_none(enum tree_format format); /* that there are no trees */
void tree_finish(enum tree_format format);

/* Whether a file begins as the result of a scan with --json does. */
bool tree_is_saved(const char *path);

/* Draws what a scan with --json --tree printed into a file ("-": standard input). */
enum exit_code tree_print_saved(const char *path, enum tree_format format);

#endif
