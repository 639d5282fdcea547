/* diff_print.h - the ways to show two documents. Each prints to `out`; none ends the program. */
#ifndef STEMMA_CLI_DIFF_PRINT_H
#define STEMMA_CLI_DIFF_PRINT_H

#include "diff_view.h"
#include "options.h"
#include "output.h"

/* One text with the changes of words inside, or two columns of `columns` together. */
void print_unified(const diff_view *view, size_t context);
void print_columns(const diff_view *view, size_t context, size_t columns);

/* What both have in common, longest first. `unit`: "words" and so on. */
void print_passages(const diff_view *view, const char *unit);

/* "3 differences: ..." without the end of the line. */
void write_summary(FILE *out, const diff_view *view, const char *unit);

/* The page, whole. */
void write_page(FILE *out, const diff_view *view, const char *unit, size_t context);

#endif
