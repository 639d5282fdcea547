/*
 * fragments.h - what a search found in a file, for people and as JSON.
 */
#ifndef STEMMA_CLI_FRAGMENTS_H
#define STEMMA_CLI_FRAGMENTS_H

#include "options.h"
#include "output.h"

typedef struct find_totals {
    uint64_t files, found, unreadable, bytes, fragments;
} find_totals;

void totals_add(find_totals *totals, const stemma_find_summary *summary);
void totals_print_json(const find_totals *totals);

/* `unit`: "words" and so on. */
void fragments_print(FILE *out, const stemma_found *found, const char *unit, size_t targets);
void fragments_print_json(FILE *out, const stemma_found *found, const options *o);
void print_listed(FILE *out, const char *name, bool null_ended); /* the name alone */

/* compare --blocks: which blocks of BIG hold text of A. */
enum exit_code compare_blocks(const options *o, const char *a, const char *big);

#endif
