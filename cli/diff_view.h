/*
 * diff_view.h - two documents laid out for a reader: their lines, what is marked in them, and which line
 * stands beside which.
 *
 * Marks are made by tokens, lines are the original's: a text that was only wrapped anew has no marks. The
 * terminal and the page show the same model.
 */
#ifndef STEMMA_CLI_DIFF_VIEW_H
#define STEMMA_CLI_DIFF_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include <stemma.h>

enum { NOT_MOVED = -1 };

/* A marked stretch of an original: it is part of a difference, and perhaps of a passage that was moved. */
typedef struct mark {
    size_t begin, end;
    size_t difference;
    long moved; /* index of the passage, or NOT_MOVED */
} mark;

typedef struct side {
    const char *name;
    const stemma_text *text;
    const char *source;
    size_t size;
    size_t *lines; /* where each begins; one more for the end */
    size_t line_count;
    mark *marks; /* in order, apart */
    size_t mark_count;
} side;

/* Lines that stand beside each other; counted from 1, 0: none. */
typedef struct row {
    size_t a, b;
    bool changed;
} row;

typedef struct diff_view {
    side a, b;
    const stemma_alignment *alignment;
    const stemma_difference *differences;
    size_t difference_count;
    const stemma_passage *shared;
    size_t shared_count;
    row *rows;
    size_t row_count, row_cap;
} diff_view;

void view_init(diff_view *view, const char *a_name, const stemma_text *a, const char *b_name,
               const stemma_text *b, const stemma_alignment *alignment);
void view_release(diff_view *view);

/* A line without its end; *size may be 0. */
const char *view_line(const side *s, size_t line, size_t *size);

/* The first mark that ends behind `at`, by halving; mark_count when there is none. */
size_t view_mark_from(const side *s, size_t at);

/* Which rows to show: those within `context` of a change. Free the result. */
bool *view_choose_rows(const diff_view *view, size_t context);

/* Tokens of a and of b that are part of a difference. */
typedef struct diff_counts {
    size_t a_tokens, b_tokens, a_changed, b_changed, moved;
} diff_counts;
diff_counts view_count(const diff_view *view);

#endif
