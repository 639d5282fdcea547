/*
 * walk.h - the files that operands and a list name, and all below the folders among them, in a fixed order.
 *
 * Symbolic links inside folders are not followed; what is neither file nor folder there is passed over, as a
 * scan does.
 */
#ifndef STEMMA_CLI_WALK_H
#define STEMMA_CLI_WALK_H

#include "names.h"

typedef struct walk {
    char **operands;
    size_t operand_count, next;
    name_list *list;     /* more names, or NULL */
    void *tree;          /* the folder being walked, see fts(3) */
    enum exit_code code; /* the gravest of what was complained of */
} walk;

/* The next file. False at the end. Valid until the next call. */
bool walk_next(walk *w, const char **name);
void walk_close(walk *w);

#endif
